//! The policy as written in a configuration: the keys of the `security` section, checked and made into plain data.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use portcullis_conditions::{BadCondition, Conditions};
use portcullis_decide::policy::{
    Act, AddressRule, ArgumentRule, ConditionRule, Policy, Profile, ResultAct, RiskThresholds,
};
use portcullis_detect::call::{Label, Operation, Override};
use portcullis_detect::{ExfiltrationLimits, GuardSettings, escape_line};
use portcullis_gateway::judge::{FlowLimits, HoldingLimits, JudgeRules, RateLimit, Sought};
use serde::Deserialize;
use serde_json::Value;

use crate::config;
use crate::exit::Failure;
use crate::sensitive::Detection;

/// The parts of a configuration that say what is done about calls. Other parts are not our business here.
#[derive(Debug, Default, Deserialize)]
struct Written {
    profile: Option<String>,
    security: Option<Security>,
    #[serde(flatten)]
    bare: Security,
}

#[derive(Debug, Default, Deserialize)]
struct Security {
    #[serde(default)]
    tool_policy: BTreeMap<String, String>,
    risk_assessment: Option<RiskAssessment>,
    #[serde(default)]
    pii_detection: Detection,
    policy: Option<Rules>,
    /// What tools can do, whatever their names say; `server/tool`.
    #[serde(default)]
    labels: BTreeMap<String, LabelLine>,
    /// Tokens planted where nobody has honest business.
    #[serde(default)]
    canaries: Vec<String>,
    /// Domains of the operator's own.
    #[serde(default)]
    own_domains: Vec<String>,
    /// Hosts nothing may be sent to.
    #[serde(default)]
    suspicious_hosts: Vec<String>,
    #[serde(default)]
    exfiltration: Exfiltration,
    #[serde(default)]
    rate_limits: Vec<RateLine>,
    #[serde(default)]
    flows: Flows,
    #[serde(default)]
    approvals: Approvals,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Exfiltration {
    window_s: Option<u64>,
    calls_a_minute: Option<usize>,
    personal_sends: Option<usize>,
    bytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RateLine {
    #[serde(default = "any")]
    server: String,
    #[serde(default = "any")]
    tool: String,
    calls: u64,
    #[serde(default = "minute")]
    seconds: u64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Flows {
    most: Option<usize>,
    bytes: Option<usize>,
    idle_s: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Approvals {
    most: Option<usize>,
    wait_s: Option<u64>,
    keep_s: Option<u64>,
    #[serde(default)]
    by_elicitation: bool,
}

/// What an operator says about one tool: an operation, parameters that carry destinations, labels that are so or not.
#[derive(Debug, Deserialize)]
struct LabelLine {
    operation: Option<String>,
    #[serde(default)]
    destinations: Vec<String>,
    #[serde(flatten)]
    labels: BTreeMap<String, bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RiskAssessment {
    enabled: Option<bool>,
    auto_flag_threshold: Option<u8>,
    require_approval_threshold: Option<u8>,
    block_on_critical: Option<bool>,
}

/// Rules beyond those on operations.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    #[serde(default)]
    rules: BTreeMap<String, String>,
    /// What is done about results, by check.
    #[serde(default)]
    results: BTreeMap<String, String>,
    #[serde(default)]
    servers: BTreeMap<String, String>,
    /// `server/tool`.
    #[serde(default)]
    tools: BTreeMap<String, String>,
    #[serde(default)]
    arguments: Vec<ArgumentLine>,
    #[serde(default)]
    conditions: Vec<ConditionLine>,
    /// What is done about a call that not all checks could look at.
    degraded: Option<String>,
    /// What is done about a call that does more than read while the store of flows is away.
    flows_away: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArgumentLine {
    #[serde(default = "any")]
    server: String,
    #[serde(default = "any")]
    tool: String,
    parameter: String,
    #[serde(default = "any")]
    value: String,
    act: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConditionLine {
    id: String,
    when: String,
    act: String,
}

fn minute() -> u64 {
    60
}

fn any() -> String {
    "*".to_owned()
}

/// A policy that was read, and the text of its conditions.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) policy: Policy,
    /// Ids and expressions.
    pub(crate) conditions: Vec<(String, String)>,
    /// What the operator says about tools, by server and tool.
    pub(crate) overrides: BTreeMap<String, BTreeMap<String, Override>>,
    /// What is looked for.
    pub(crate) guard: GuardSettings,
    /// Which secrets and personal data are looked for.
    pub(crate) sought: Sought,
    /// How often agents may call.
    pub(crate) rates: Vec<RateLimit>,
    pub(crate) flows: FlowLimits,
    pub(crate) holding: HoldingLimits,
    /// Whether users are asked in their own clients.
    pub(crate) asks_user: bool,
}

impl LabelLine {
    fn read(self) -> Result<Override, String> {
        let named =
            |word: &str| Operation::named(word).ok_or_else(|| format!("no operation is called `{word}`"));
        let operation = self.operation.as_deref().map(named).transpose()?;
        let label = |(word, is_so): (String, bool)| {
            Label::named(&word)
                .map(|label| (label, is_so))
                .ok_or_else(|| format!("no label is called `{word}`"))
        };
        let labels = self.labels.into_iter().map(label).collect::<Result<_, _>>()?;
        Ok(Override { operation, labels, destinations: self.destinations })
    }
}

/// Reads the policy of a configuration file.
pub(crate) fn read(path: &Path) -> Result<Loaded, Failure> {
    let refuse = |reason: String| Failure::Usage(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    parse(&text).map_err(refuse)
}

fn parse(text: &str) -> Result<Loaded, String> {
    understand(config::plain(text)?)
}

/// The policy of a configuration.
pub(crate) fn understand(value: Value) -> Result<Loaded, String> {
    // What is no object has no keys to be wrong about.
    if !value.is_object() {
        return Err("a configuration is an object".to_owned());
    }
    let written: Written = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let mut loaded = Loaded::default();
    if let Some(name) = &written.profile {
        let known = Profile::ALL.into_iter().find(|profile| profile.as_str() == name);
        loaded.policy.profile = known.ok_or_else(|| format!("no profile is called `{name}`"))?;
    }
    loaded.take(written.security.unwrap_or(written.bare))?;
    Ok(loaded)
}

impl Loaded {
    fn take(&mut self, security: Security) -> Result<(), String> {
        for (key, word) in &security.tool_policy {
            match key.as_str() {
                // How loud the record is; what is done does not depend on it.
                "log_level" => {}
                "contradiction" => self.policy.rules.push((key.clone(), act(word)?)),
                _ => {
                    let operation =
                        Operation::named(key).ok_or_else(|| format!("no operation is called `{key}`"))?;
                    self.policy.operations.push((operation, act(word)?));
                }
            }
        }
        if let Some(risk) = security.risk_assessment.filter(|risk| risk.enabled != Some(false)) {
            let usual = RiskThresholds::default();
            self.policy.risk = Some(RiskThresholds {
                auto_flag: risk.auto_flag_threshold.unwrap_or(usual.auto_flag),
                require_approval: risk.require_approval_threshold.unwrap_or(usual.require_approval),
                block_on_critical: risk.block_on_critical.unwrap_or(usual.block_on_critical),
            });
        }
        for (name, line) in security.labels {
            let (server, tool) =
                name.split_once('/').ok_or_else(|| format!("`{name}` is not server/tool"))?;
            self.overrides.entry(server.to_owned()).or_default().insert(tool.to_owned(), line.read()?);
        }
        self.sought = security
            .pii_detection
            .sought()
            .map_err(|bad| format!("`security.pii_detection`: {}", escape_line(&bad.to_string(), 400)))?;
        let usual = ExfiltrationLimits::default();
        let said = security.exfiltration;
        self.guard = GuardSettings {
            canaries: security.canaries,
            own_domains: security.own_domains,
            suspicious_hosts: security.suspicious_hosts,
            limits: ExfiltrationLimits {
                window_ms: said.window_s.map_or(usual.window_ms, |seconds| seconds * 1000),
                calls_a_minute: said.calls_a_minute.unwrap_or(usual.calls_a_minute),
                personal_sends: said.personal_sends.unwrap_or(usual.personal_sends),
                bytes: said.bytes.unwrap_or(usual.bytes),
            },
            ..GuardSettings::default()
        };
        self.asks_user = security.approvals.by_elicitation;
        self.take_limits(security.rate_limits, &security.flows, &security.approvals);
        self.take_rules(security.policy.unwrap_or_default())
    }

    fn take_limits(&mut self, rates: Vec<RateLine>, flows: &Flows, approvals: &Approvals) {
        let limit = |RateLine { server, tool, calls, seconds }| RateLimit {
            server,
            tool,
            calls,
            window: Duration::from_secs(seconds),
        };
        self.rates = rates.into_iter().map(limit).collect();
        let usual = FlowLimits::default();
        self.flows = FlowLimits {
            most: flows.most.unwrap_or(usual.most),
            bytes: flows.bytes.unwrap_or(usual.bytes),
            idle: flows.idle_s.map_or(usual.idle, Duration::from_secs),
        };
        let usual = HoldingLimits::default();
        self.holding = HoldingLimits {
            most: approvals.most.unwrap_or(usual.most),
            wait: approvals.wait_s.map_or(usual.wait, Duration::from_secs),
            keep: approvals.keep_s.map_or(usual.keep, Duration::from_secs),
            ..usual
        };
    }

    fn take_rules(&mut self, rules: Rules) -> Result<(), String> {
        self.policy.degraded = rules.degraded.as_deref().map(act).transpose()?;
        self.policy.flows_away = rules.flows_away.as_deref().map(act).transpose()?;
        for (check, word) in &rules.rules {
            self.policy.rules.push((check.clone(), act(word)?));
        }
        for (check, word) in rules.results {
            let act = ResultAct::named(&word)
                .ok_or_else(|| format!("`{word}` is none of pass, mark, strip, hold"))?;
            self.policy.results.push((check, act));
        }
        for (server, word) in rules.servers {
            self.policy.addresses.push(AddressRule { server, tool: None, act: act(&word)? });
        }
        for (name, word) in &rules.tools {
            let (server, tool) =
                name.split_once('/').ok_or_else(|| format!("`{name}` is not server/tool"))?;
            let (server, tool) = (server.to_owned(), Some(tool.to_owned()));
            self.policy.addresses.push(AddressRule { server, tool, act: act(word)? });
        }
        for ArgumentLine { server, tool, parameter, value, act: word } in rules.arguments {
            self.policy.arguments.push(ArgumentRule { server, tool, parameter, value, act: act(&word)? });
        }
        for ConditionLine { id, when, act: word } in rules.conditions {
            self.policy.conditions.push(ConditionRule { id: id.clone(), act: act(&word)? });
            self.conditions.push((id, when));
        }
        Ok(())
    }
}

impl Loaded {
    /// What calls are judged by.
    pub(crate) fn rules(self) -> Result<JudgeRules, BadCondition> {
        let written = self.conditions.iter().map(|(id, when)| (id.as_str(), when.as_str()));
        Ok(JudgeRules {
            conditions: Conditions::compile(written)?,
            policy: self.policy,
            overrides: self.overrides,
            guard: self.guard,
            sought: self.sought,
            rates: self.rates,
            flows: self.flows,
            holding: self.holding,
            asks_user: self.asks_user,
        })
    }
}

fn act(word: &str) -> Result<Act, String> {
    Act::named(word).ok_or_else(|| format!("`{word}` is none of allow, log, warn, redact, approve, deny"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_the_security_section_work_as_written() {
        let text = r#"{"security":{"tool_policy":{"read":"allow","write":"allow","destructive":"deny",
            "contradiction":"deny","log_level":"warn"},
            "risk_assessment":{"enabled":true,"auto_flag_threshold":70,"require_approval_threshold":85,"block_on_critical":false},
            "alerts":{"pii_exposure":true}}}"#;
        let policy = parse(text).expect("a policy").policy;
        assert!(policy.operations.contains(&(Operation::Destructive, Act::Deny)));
        assert_eq!(policy.rules, [("contradiction".to_owned(), Act::Deny)]);
        assert_eq!(policy.risk, Some(RiskThresholds::default()));
    }

    #[test]
    fn limits_on_how_often_have_defaults() {
        let text = r#"{"security":{"rate_limits":[{"calls":9},{"server":"mail","tool":"send_*","calls":2,"seconds":3600}]}}"#;
        let limit = |server: &str, tool: &str, calls, seconds| RateLimit {
            server: server.to_owned(),
            tool: tool.to_owned(),
            calls,
            window: Duration::from_secs(seconds),
        };
        let expected = [limit("*", "*", 9, 60), limit("mail", "send_*", 2, 3600)];
        assert_eq!(parse(text).expect("a policy").rates, expected);
    }

    #[test]
    fn an_operator_says_what_a_tool_can_do() {
        let text = r#"{"security":{"labels":{"crm/sync":{"operation":"read","can_send":false,"destinations":["sink"]}},
            "canaries":["tok-1"]}}"#;
        let loaded = parse(text).expect("a policy");
        let said = &loaded.overrides["crm"]["sync"];
        assert_eq!((said.operation, &*said.labels), (Some(Operation::Read), &[(Label::CanSend, false)][..]));
        assert_eq!(
            (&*said.destinations, &*loaded.guard.canaries),
            (&["sink".to_owned()][..], &["tok-1".to_owned()][..])
        );
        assert!(
            parse(r#"{"labels":{"crm/sync":{"can_fly":true}}}"#).is_err_and(|why| why.contains("can_fly"))
        );
    }

    #[test]
    fn what_is_done_about_results_has_words_of_its_own() {
        let text = r#"{"security":{"policy":{"results":{"result.injection":"strip","sensitive":"pass"}},
            "approvals":{"by_elicitation":true}}}"#;
        let loaded = parse(text).expect("a policy");
        assert!(loaded.asks_user && !Loaded::default().asks_user);
        assert_eq!(loaded.policy.on_result("result.injection", 75), ResultAct::Strip);
        assert_eq!(loaded.policy.on_result("sensitive.inbound", 40), ResultAct::Pass);
        let wrong = r#"{"policy":{"results":{"result.injection":"deny"}}}"#;
        assert!(parse(wrong).is_err_and(|why| why.contains("pass, mark, strip, hold")));
    }

    #[test]
    fn wrong_words_are_refused_by_name() {
        assert!(parse(r#"{"tool_policy":{"wrte":"deny"}}"#).is_err_and(|why| why.contains("wrte")));
        assert!(parse(r#"{"tool_policy":{"write":"dney"}}"#).is_err_and(|why| why.contains("dney")));
        assert!(parse(r#"{"profile":"calm"}"#).is_err());
        assert!(parse("[]").is_err());
    }
}
