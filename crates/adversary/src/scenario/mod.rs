//! A scenario: what is served, when it changes, how requests are answered, and what a gate should make of it.

mod conduct;
mod document;
mod response;
mod steps;
mod trigger;

pub(crate) use conduct::{Era, Transport};
pub(crate) use document::{apply, read};
pub(crate) use response::{Aside, Body, Response};
pub(crate) use trigger::{State, When};

use crate::node::Node;

/// The version of the format, which a file names as `format`.
pub(crate) const FORMAT: u64 = 1;

/// The kinds of attacks.
pub(crate) const CATEGORIES: [&str; 10] = [
    "tool_poisoning",
    "rug_pull",
    "exfiltration",
    "shadowing",
    "line_jumping",
    "obfuscation",
    "result_injection",
    "phishing",
    "exhaustion",
    "protocol_abuse",
];

/// What a gate can make of an attack, from nothing to everything.
pub(crate) const OUTCOMES: [&str; 10] = [
    "passed", "flagged", "marked", "stripped", "masked", "asked", "withheld", "refused", "bounded", "hidden",
];

/// A kind of attack for which a detection rate was promised.
pub(crate) struct Promise {
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
    pub(crate) attack: &'static str,
    /// Of a hundred attacks, how many at least are seen.
    pub(crate) rate: u32,
}

/// The table of expected detection rates.
pub(crate) const PROMISES: [Promise; 7] = [
    promise("description_injection", "Tool poisoning", "Description injection", 95),
    promise("ansi_escape", "Tool poisoning", "ANSI escape", 99),
    promise("unicode_hidden", "Tool poisoning", "Unicode hidden", 90),
    promise("description_change", "Rug pull", "Description change", 99),
    promise("webhook", "Exfiltration", "Webhook in arguments", 95),
    promise("cross_tool", "Shadowing", "Cross-tool poison", 70),
    promise("base64", "Obfuscation", "Base64 hidden", 85),
];

const fn promise(name: &'static str, category: &'static str, attack: &'static str, rate: u32) -> Promise {
    Promise { name, category, attack, rate }
}

#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) category: &'static str,
    pub(crate) row: Option<&'static str>,
    pub(crate) reference: String,
    /// The attack of which this is the harmless twin.
    pub(crate) twin_of: Option<String>,
    pub(crate) ideal: &'static str,
    pub(crate) today: &'static str,
    /// Why `today` is not `ideal`.
    pub(crate) shortfall: Option<String>,
    /// The rules of MCP this scenario breaks on purpose.
    pub(crate) breaks: Vec<&'static str>,
    pub(crate) eras: Vec<Era>,
    pub(crate) transports: Vec<Transport>,
    /// The whole document, for those who read it as JSON.
    pub(crate) document: Node,
    pub(crate) server: Server,
    /// Other, honest servers the agent has beside this one.
    pub(crate) peers: Vec<Server>,
}

/// One server: what it declares at first and later, and how it answers.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) name: String,
    /// Maps `server`, `tools`, `prompts`, `resources`, `resource_templates`.
    pub(crate) declared: Node,
    pub(crate) versions: Vec<Version>,
    pub(crate) responses: Vec<Response>,
}

/// What a server declares from some moment on.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub(crate) when: When,
    /// How many `list_changed` notifications tell of it.
    pub(crate) announce: u64,
    pub(crate) declared: Node,
}

impl Server {
    /// What is declared now, and as which version; 0 is the first. The last version whose moment has come holds.
    pub(crate) fn declared_in(&self, state: &State) -> (usize, &Node) {
        let come = self.versions.iter().rposition(|version| version.when.holds(state));
        match come.and_then(|index| self.versions.get(index).map(|version| (index + 1, &version.declared))) {
            Some(found) => found,
            None => (0, &self.declared),
        }
    }

    /// The last response meant for this request at this moment.
    pub(crate) fn response(&self, method: &str, name: Option<&str>, state: &State) -> Option<&Response> {
        let is_meant = |response: &&Response| {
            response.to == method
                && response.name.as_deref().is_none_or(|wanted| Some(wanted) == name)
                && response.when.holds(state)
        };
        self.responses.iter().rev().find(is_meant)
    }
}
