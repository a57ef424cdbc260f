//! What an operator wants of the guard: plain, validated data.

use std::collections::BTreeMap;
use std::time::Duration;

use portcullis_conditions::Conditions;
use portcullis_decide::policy::Policy;
use portcullis_detect::GuardSettings;
use portcullis_detect::call::Override;

use super::{RateLimit, Sought};

/// What is looked for in calls and results, and what is done about it.
#[derive(Debug, Default)]
pub struct JudgeRules {
    /// What is done about what was found.
    pub policy: Policy,
    /// The operator's own conditions, ready to be asked.
    pub conditions: Conditions,
    /// What the operator says about tools, by server, then by tool.
    pub overrides: BTreeMap<String, BTreeMap<String, Override>>,
    /// What the guard looks for.
    pub guard: GuardSettings,
    /// Which secrets and personal data are looked for.
    pub sought: Sought,
    /// How often agents may call.
    pub rates: Vec<RateLimit>,
    /// How much is remembered of flows.
    pub flows: FlowLimits,
    /// How calls wait for a human.
    pub holding: HoldingLimits,
    /// Whether the user is asked in their own client, where that can ask.
    pub asks_user: bool,
}

/// How much is remembered of what went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowLimits {
    /// Flows at a time; the one not used for longest is forgotten first.
    pub most: usize,
    /// Bytes of all of them.
    pub bytes: usize,
    /// A flow nobody used for so long has ended.
    pub idle: Duration,
}

impl Default for FlowLimits {
    fn default() -> Self {
        FlowLimits { most: 10_000, bytes: 1 << 30, idle: Duration::from_secs(1800) }
    }
}

/// How calls wait for a human.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldingLimits {
    /// Calls that wait at a time; more are denied.
    pub most: usize,
    /// How long the agent waits before it is told to come again.
    pub wait: Duration,
    /// How long a call can be decided, and its decision be used.
    pub keep: Duration,
    /// How often an agent that wants to hear of progress is told that it waits.
    pub tell: Duration,
}

impl Default for HoldingLimits {
    fn default() -> Self {
        HoldingLimits {
            most: 1000,
            wait: Duration::from_secs(45),
            keep: Duration::from_secs(600),
            tell: Duration::from_secs(5),
        }
    }
}
