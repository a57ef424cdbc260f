//! What a policy says, in words: the same for a configuration that is read and for a gateway that runs.

use portcullis_decide::policy::{AddressRule, ArgumentRule, ConditionRule, is_about_results};
use portcullis_detect::Guard;
use portcullis_detect::call::Operation;
use serde_json::{Map, Value, json};

use super::{JudgeRules, RateLimit};

/// Every entry of a policy, level by level.
pub fn outline(rules: &JudgeRules, guard: &Guard) -> Value {
    let policy = &rules.policy;
    let operations = [Operation::Read, Operation::Write, Operation::Destructive]
        .map(|operation| (operation.as_str().to_owned(), json!(policy.about_operation(operation).as_str())));
    let checks = guard.facts().map(|facts| {
        let said = policy.about_check(facts.id).map_or("as the profile says", |act| act.as_str());
        (facts.id.to_owned(), json!(said))
    });
    let results = guard.facts().filter(|facts| is_about_results(facts.id));
    let results =
        results.map(|facts| (facts.id.to_owned(), json!(policy.on_result(facts.id, u8::MAX).as_str())));
    let address =
        |rule: &AddressRule| json!({ "server": rule.server, "tool": rule.tool, "act": rule.act.as_str() });
    let argument = |rule: &ArgumentRule| {
        json!({
            "server": rule.server, "tool": rule.tool, "parameter": rule.parameter, "value": rule.value,
            "act": rule.act.as_str(),
        })
    };
    let condition = |rule: &ConditionRule| json!({ "id": rule.id, "when": rules.conditions.expression(&rule.id), "act": rule.act.as_str() });
    let rate = |limit: &RateLimit| {
        json!({
            "server": limit.server, "tool": limit.tool, "calls": limit.calls, "seconds": limit.window.as_secs(),
        })
    };
    let (tools, servers): (Vec<&AddressRule>, Vec<&AddressRule>) =
        policy.addresses.iter().partition(|rule| rule.tool.is_some());
    json!({
        "schema": "portcullis.policy/1",
        "profile": policy.profile.as_str(),
        "arguments": policy.arguments.iter().map(argument).collect::<Vec<_>>(),
        "tools": tools.into_iter().map(address).collect::<Vec<_>>(),
        "conditions": policy.conditions.iter().map(condition).collect::<Vec<_>>(),
        "servers": servers.into_iter().map(address).collect::<Vec<_>>(),
        "rules": checks.collect::<Map<_, _>>(),
        "results": results.collect::<Map<_, _>>(),
        "operations": operations.into_iter().collect::<Map<_, _>>(),
        "degraded": policy.about_degraded().as_str(),
        "flows_away": policy.about_flows_away().as_str(),
        "rate_limits": rules.rates.iter().map(rate).collect::<Vec<_>>(),
        "risk": policy.risk.map(|risk| json!({
            "auto_flag_threshold": risk.auto_flag, "require_approval_threshold": risk.require_approval,
            "block_on_critical": risk.block_on_critical,
        })),
    })
}
