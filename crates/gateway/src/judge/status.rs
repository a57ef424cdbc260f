//! How the judge is, and what it does, for an operator who asks.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use portcullis_decide::policy::is_about_results;
use serde_json::{Value, json};

use super::Judge;

impl Judge {
    /// How it is, for whoever asks how the gateway is.
    pub(crate) fn status(&self) -> Value {
        json!({
            "stopped": self.is_stopped(),
            "waiting": self.holding.all().iter().filter(|held| held.ruling.is_none()).count(),
            "flows": self.flows.count(),
            "flow_bytes": self.flows.bytes(),
            "flows_forgotten": self.flows.forgotten(),
        })
    }

    /// What is done about which calls, in words.
    pub(crate) fn shown(&self) -> Value {
        let bench = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        let policy = &bench.rules.policy;
        let rules = bench.guard.facts().map(|facts| {
            let said = policy.rules.iter().find(|(rule, _)| rule == facts.id);
            (facts.id.to_owned(), said.map_or("as the profile says", |(_, act)| act.as_str()))
        });
        let checks = bench.guard.facts().filter(|facts| is_about_results(facts.id));
        let results = checks.map(|facts| (facts.id, policy.on_result(facts.id, u8::MAX).as_str()));
        json!({
            "profile": policy.profile.as_str(),
            "operations": policy.operations.iter().map(|(one, act)| (one.as_str(), act.as_str())).collect::<BTreeMap<_, _>>(),
            "rules": rules.collect::<BTreeMap<_, _>>(),
            "results": results.collect::<BTreeMap<_, _>>(),
            "conditions": policy.conditions.iter().map(|rule| (&*rule.id, rule.act.as_str())).collect::<BTreeMap<_, _>>(),
        })
    }
}
