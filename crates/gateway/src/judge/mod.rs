//! The judge: every call before it leaves, every result before it goes back.
//!
//! The map: `rules` is what the operator wants, `flows` what is remembered of each flow, `sharing`, `entry`, `folding` and
//! `owed` what nodes tell each other of it, `profiles` what tools can do, `rates` how often agents may call,
//! `baselines` what agents usually do, `sought` which sensitive data is looked for, `party` who calls, `verdict` what is done
//! about a call, `results` what comes back, `holding` the calls that wait for a human, `waiting` what such a call's client
//! hears, `kept` what of it outlives us, `switch` what stops all, `passage` a message's way past all that, `words` what
//! records and agents are told, `alerting` what somebody should know now. For an operator who asks: `status` how it is,
//! `outline` what the policy says, `trial` what would become of a call, `journal` what happened in a flow, `reach` what
//! tools can do together.

mod alerting;
pub(crate) mod baselines;
mod entry;
pub(crate) mod flows;
mod folding;
pub(crate) mod holding;
mod journal;
pub(crate) mod kept;
mod labels;
mod outline;
mod owed;
mod party;
pub(crate) mod passage;
mod profiles;
mod rates;
mod reach;
mod results;
mod rules;
pub(crate) mod sharing;
mod sought;
mod status;
pub(crate) mod switch;
mod trial;
mod verdict;
pub(crate) mod waiting;
mod words;

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use bytes::Bytes;
use portcullis_decide::policy::{Act, Hold, Verdict};
use portcullis_detect::baseline::Baseline;
use portcullis_detect::call::{self, Operation, Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::sensitive::Hit;
use portcullis_detect::{Departure, Guard};
use portcullis_store::{StoreError, masked_text};
use sha2::{Digest, Sha256};

use crate::intent::{self, Intent};
use crate::quarantine::{Quarantine, now_ms};
use crate::settings::{ServerName, Settings};
use baselines::Baselines;
use flows::{FlowKey, Flows, Strand};
use holding::{Holding, Question, Sameness};
use journal::{Noted, StepId};
pub use outline::outline;
pub(crate) use party::{Party, User, Who, client_name, shows_forms};
use profiles::Profiles;
pub use rates::RateLimit;
pub(crate) use rates::Reached;
pub(crate) use results::Heard;
pub use results::verdict_on_result;
pub use rules::{FlowLimits, HoldingLimits, JudgeRules};
use sharing::{Known, Sharing};
pub use sought::Sought;
use switch::Switch;
pub use trial::Trial;
pub use verdict::{Before, verdict_on};
pub(crate) use words::{Refusal, refusal};

/// What judges calls and results.
pub(crate) struct Judge {
    current: RwLock<Arc<Bench>>,
    profiles: Profiles,
    rates: rates::Rates,
    pub(crate) flows: Flows,
    /// The way to what other nodes know of them.
    pub(crate) sharing: Option<Arc<Sharing>>,
    pub(crate) baselines: Baselines,
    pub(crate) holding: Arc<Holding>,
    /// What stops all calls.
    pub(crate) switch: Arc<Switch>,
    /// What was last found about all exposed tools together.
    reach: reach::Kept,
    began: Instant,
    /// The same in milliseconds since 1970.
    began_ms: u64,
}

/// The rules that hold now, and the guard that looks by them.
struct Bench {
    guard: Guard,
    rules: Arc<JudgeRules>,
}

/// A call that was looked at, until its result.
pub(crate) struct Judged {
    bench: Arc<Bench>,
    strand: Arc<Strand>,
    server: ServerName,
    tool: String,
    arguments: Json,
    intent: Option<call::Intent>,
    profile: Arc<ToolProfile>,
    party: Party,
    /// Whether other nodes must hear of it.
    is_shared: bool,
    at_ms: u64,
    /// Where the flow's journal has it.
    step: StepId,
    pub(crate) verdict: Verdict,
    pub(crate) opinion: Opinion,
    destinations: Vec<String>,
    /// What the flow takes in if the call leaves.
    departure: Departure,
}

/// What a record says of a judgement.
pub(crate) struct Opinion {
    pub(crate) risk: u8,
    pub(crate) note: Option<serde_json::Value>,
    /// The checks, or the operator's rules, that led to it.
    rules: Vec<String>,
    /// The sentences for a reviewer.
    why: Vec<String>,
    /// Checks that did not come to their end.
    failed: Vec<&'static str>,
    /// Whether a planted token was seen.
    is_canary: bool,
}

/// Something to be looked at.
pub(crate) struct Asked<'a> {
    pub(crate) server: &'a ServerName,
    pub(crate) tool: &'a str,
    /// As they came.
    pub(crate) arguments: &'a [u8],
    pub(crate) intent: Option<&'a Intent>,
    /// How much is known of what went before.
    pub(crate) known: Known,
    /// Whether its agent calls too often.
    pub(crate) is_too_often: bool,
}

impl Judge {
    pub(crate) fn new(settings: &Settings) -> Result<Judge, StoreError> {
        let Settings { judge: rules, seal_key, store, flow_store, record_waits, .. } = settings;
        let sharing = |flows| Arc::new(Sharing::new(flows, Arc::clone(store), *record_waits, seal_key));
        let digest = Sha256::new().chain_update(b"portcullis flow").chain_update(seal_key).finalize();
        let key = digest.iter().take(8).fold(0, |key: u64, byte| key << 8 | u64::from(*byte));
        Ok(Judge {
            flows: Flows::new(key, rules.flows),
            sharing: flow_store.clone().map(sharing),
            holding: Arc::new(Holding::new(rules.holding)),
            current: RwLock::new(Arc::new(Bench::new(Arc::clone(rules)))),
            profiles: Profiles::default(),
            rates: rates::Rates::default(),
            baselines: Baselines::open(Arc::clone(store))?,
            switch: Arc::new(Switch::open(Arc::clone(store))?),
            reach: reach::Kept::default(),
            began: Instant::now(),
            began_ms: now_ms(),
        })
    }

    /// Judges by other rules from now on. Limits stay as they were at the start.
    pub(crate) fn follow(&self, rules: Arc<JudgeRules>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(Bench::new(rules));
        self.profiles.forget();
    }

    /// The rules that hold now.
    fn bench(&self) -> Arc<Bench> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What a tool can do: as the operator says, else as its definition or the call lets us think.
    fn profile(
        &self,
        bench: &Bench,
        quarantine: &Quarantine,
        (server, tool): (&str, &str),
        arguments: &Json,
    ) -> Arc<ToolProfile> {
        let none = Override::default();
        let said = bench.rules.overrides.get(server).and_then(|tools| tools.get(tool)).unwrap_or(&none);
        self.profiles.get(quarantine, (server, tool), arguments, said)
    }

    /// Takes in what other nodes saw of a flow. Without them everything is known.
    pub(crate) async fn catch_up(&self, party: &Party) -> Known {
        let Some(sharing) = &self.sharing else { return Known::All };
        let (strand, ended) = self.flows.get(party.flow, &party.agent);
        self.baselines.learn(&ended);
        sharing.catch_up(party, &strand, &self.flows).await
    }

    /// Lets other nodes know what happened in a flow; only then may anything more be told. False if they cannot know, and
    /// the policy does not let it pass all the same.
    pub(crate) async fn settle(&self, party: &Party) -> bool {
        let Some(sharing) = &self.sharing else { return true };
        let Some(strand) = self.flows.known(party.flow) else { return true };
        let is_known = sharing.settle(party.flow, &strand, &self.flows).await;
        let inner = strand.lock();
        self.flows.weigh(&strand, &inner);
        drop(inner);
        self.baselines.learn(&self.flows.keep_within());
        is_known || self.bench().rules.policy.about_flows_away() < Act::Approve
    }

    fn is_shared(&self) -> bool {
        self.sharing.is_some()
    }

    /// Looks at a call before it leaves.
    pub(crate) fn call(&self, quarantine: &Quarantine, party: &Party, asked: &Asked<'_>) -> Judged {
        let bench = self.bench();
        let (strand, ended) = self.flows.get(party.flow, &party.agent);
        self.baselines.learn(&ended);
        let (server, tool) = (asked.server.as_str(), asked.tool);
        let arguments = read(asked.arguments);
        let profile = self.profile(&bench, quarantine, (server, tool), &arguments);
        let intent = asked.intent.map(declared);
        let at_ms = self.time_ms();
        let call = call::Call { server, tool, arguments: &arguments, intent: intent.as_ref(), at_ms };
        let baseline = self.baselines.of(&party.agent);
        let baseline = baseline.as_ref().map(|one| one.read().unwrap_or_else(PoisonError::into_inner));
        let mut inner = strand.lock();
        let seen = bench.guard.observe_call(&call, &profile, &inner.flow, baseline.as_deref());
        let too_often = asked.is_too_often.then_some(Hold::RateLimited);
        let hold = self.switch.is_stopped().then_some(Hold::Stopped).or(too_often);
        let is_learning = baseline.as_deref().is_none_or(Baseline::is_learning);
        let (policy, conditions) = (&bench.rules.policy, &bench.rules.conditions);
        let before = Before { hold, is_learning, is_flow_away: asked.known == Known::NotAll };
        let verdict = verdict_on(&call, &seen, policy, conditions, before);
        if inner.is_clean && verdict.act >= Act::Approve {
            inner.is_clean = false;
            inner.tell(Vec::new(), self.is_shared());
        }
        let (now, session) = (now_ms(), &*party.session);
        let noted = Noted { at_ms: now, session, server: asked.server, tool, profile: &profile };
        let step = inner.journal.call(&noted, &seen, &verdict);
        inner.note_habit(seen.habit);
        drop(inner);
        drop(baseline);
        let (server, tool) = (asked.server.clone(), asked.tool.to_owned());
        let opinion = words::opinion(&verdict, &seen.signals, &seen.coverage);
        Judged {
            bench,
            strand,
            server,
            tool,
            arguments,
            intent,
            profile,
            party: party.clone(),
            is_shared: self.is_shared(),
            at_ms,
            step,
            verdict,
            opinion,
            destinations: seen.destinations,
            departure: seen.departure,
        }
    }

    /// Milliseconds since 1970, as far as nodes agree about them; a clock that is set does not change them.
    fn time_ms(&self) -> u64 {
        self.began_ms.saturating_add(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    /// Forgets flows that nobody uses and calls that nobody decided.
    pub(crate) fn sweep(&self) -> Vec<holding::Held> {
        self.baselines.learn(&self.flows.forget_idle());
        self.holding.expire()
    }

    /// A session ended.
    pub(crate) fn end(&self, flow: FlowKey) {
        self.baselines.learn(&self.flows.end(flow));
        if let Some(sharing) = &self.sharing {
            sharing.end(flow);
        }
    }
}

impl Bench {
    fn new(rules: Arc<JudgeRules>) -> Bench {
        Bench { guard: Guard::new(rules.guard.clone(), rules.sought.found()), rules }
    }
}

impl Judged {
    fn call(&self) -> call::Call<'_> {
        call::Call {
            server: self.server.as_str(),
            tool: &self.tool,
            arguments: &self.arguments,
            intent: self.intent.as_ref(),
            at_ms: self.at_ms,
        }
    }

    /// What the same call is recognised by when it comes again.
    pub(crate) fn sameness(&self, party: &Party, arguments: &[u8]) -> Sameness {
        let mut hash = Sha256::new();
        for part in [party.agent.as_bytes(), self.server.as_str().as_bytes(), self.tool.as_bytes(), arguments]
        {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// What a human is asked.
    pub(crate) fn question(&self, party: &Party, arguments: &[u8]) -> Question {
        Question {
            server: self.server.as_str().to_owned(),
            tool: words::shown(&self.tool),
            session: party.session.to_string(),
            agent: words::shown(&party.agent),
            risk: self.verdict.risk,
            rules: self.verdict.rules.clone(),
            why: self.opinion.why.clone(),
            destinations: self.destinations.iter().map(|host| words::shown(host)).collect(),
            arguments: words::arguments(self.bench.rules.sought.masked(), arguments),
        }
    }

    /// The arguments with what is secret or personal masked; `None` if nothing is.
    pub(crate) fn redacted(&self, arguments: &[u8]) -> Option<Bytes> {
        let is_meant = |hit: &Hit| hit.doubt.is_none();
        let (text, types) = masked_text(self.bench.guard.sensitive(), arguments, is_meant);
        (!types.is_empty()).then(|| Bytes::from(text))
    }

    /// Whether a human allowed this tool all places the call goes to.
    pub(crate) fn is_allowed(&self) -> bool {
        let inner = self.strand.lock();
        !self.destinations.is_empty() && self.ways().all(|way| inner.allowed.contains(&way))
    }

    /// From now on this tool may go to these places in this flow.
    pub(crate) fn allow(&self) {
        let mut inner = self.strand.lock();
        inner.allowed.extend(self.ways());
        inner.tell(self.ways().collect(), self.is_shared);
    }

    /// The tool and each place it goes to, hashed.
    fn ways(&self) -> impl Iterator<Item = [u8; 32]> {
        self.destinations.iter().map(|host| {
            let way = (self.server.as_str(), self.tool.as_str(), host.as_str());
            Sha256::digest(serde_json::json!(way).to_string()).into()
        })
    }
}

/// Nothing, or JSON that the scan before us already accepted.
fn read(raw: &[u8]) -> Json {
    std::str::from_utf8(raw).ok().and_then(|text| Json::parse(text).ok()).unwrap_or(Json::Object(Vec::new()))
}

/// What an agent declared, in the guard's words.
fn declared(intent: &Intent) -> call::Intent {
    let operation = intent.operation.map(|operation| match operation {
        intent::Operation::Read => Operation::Read,
        intent::Operation::Write => Operation::Write,
        intent::Operation::Destructive => Operation::Destructive,
    });
    call::Intent {
        operation,
        data_sensitivity: intent.data_sensitivity.clone(),
        reason: intent.reason.clone(),
    }
}
