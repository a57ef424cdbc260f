//! A scenario as the adversary tells it: what the agent does, what must be seen, and how the gate fares today.

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Which revisions of MCP both sides speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Era {
    Legacy,
    Modern,
}

/// How the gateway reaches the adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Transport {
    Stdio,
    Http,
}

/// Who acts as the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum By {
    /// A script of ours, which takes every liberty.
    Script,
    /// A client of an official SDK.
    Sdk,
}

/// How a scenario is played once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    pub(super) era: Era,
    pub(super) transport: Transport,
    pub(super) by: By,
}

/// Both eras and both transports, so that two ways touch everything and four all of it.
const WAYS: [Way; 4] = [
    Way { era: Era::Legacy, transport: Transport::Http, by: By::Script },
    Way { era: Era::Modern, transport: Transport::Stdio, by: By::Script },
    Way { era: Era::Legacy, transport: Transport::Stdio, by: By::Script },
    Way { era: Era::Modern, transport: Transport::Http, by: By::Script },
];

impl Era {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        }
    }
}

impl Transport {
    fn as_str(self) -> &'static str {
        match self {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
        }
    }
}

impl std::fmt::Display for Way {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let by = if self.by == By::Sdk { " by an SDK" } else { "" };
        write!(f, "{} over {}{by}", self.era.as_str(), self.transport.as_str())
    }
}

#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) id: String,
    pub(super) is_twin: bool,
    pub(super) ideal: String,
    pub(super) today: String,
    pub(super) document: Value,
}

/// All scenarios of `--list --json`.
pub(super) fn read(lines: &str) -> Result<Vec<Scenario>> {
    lines.lines().map(|line| Scenario::of(serde_json::from_str(line)?)).collect()
}

impl Scenario {
    fn of(document: Value) -> Result<Scenario> {
        let needed = |key: &str| {
            let text = document[key].as_str().map(str::to_owned);
            text.with_context(|| format!("a scenario without {key}"))
        };
        Ok(Scenario {
            id: needed("id")?,
            is_twin: document["twin_of"].is_string(),
            ideal: needed("ideal")?,
            today: needed("today")?,
            document,
        })
    }

    /// The ways it can be played; the first two of four unless all are asked for. Of those two one is an SDK's, by turns,
    /// where an SDK can play it; of all, it has its own.
    pub(super) fn ways(&self, is_thorough: bool) -> Vec<Way> {
        let is_possible =
            |way: &&Way| self.has("eras", way.era.as_str()) && self.has("transports", way.transport.as_str());
        let possible: Vec<Way> = WAYS.iter().filter(is_possible).copied().collect();
        let turn = self.id.bytes().map(usize::from).sum::<usize>() % possible.len().clamp(1, 2);
        let of_sdks = possible.iter().take(2).map(|way| Way { by: By::Sdk, ..*way });
        let of_sdks: Vec<Way> = of_sdks.filter(|_| self.suits_sdks()).collect();
        if is_thorough {
            return possible.into_iter().chain(of_sdks).collect();
        }
        let mut two: Vec<Way> = possible.into_iter().take(2).collect();
        if let (Some(way), Some(of_sdk)) = (two.get_mut(turn), of_sdks.get(turn)) {
            *way = *of_sdk;
        }
        two
    }

    /// Whether a list of what it can be played with has this word, or there is none.
    fn has(&self, key: &str, word: &str) -> bool {
        self.document[key].as_array().is_none_or(|words| words.iter().any(|known| known == word))
    }

    /// Whether a client that checks what it gets can play it to the end.
    fn suits_sdks(&self) -> bool {
        let is_rough =
            ["exhaustion", "protocol_abuse"].iter().any(|rough| self.document["category"] == *rough);
        !is_rough && self.steps().iter().all(|step| step["cancel"] != true)
    }

    /// What the agent and the operator do.
    pub(super) fn steps(&self) -> Vec<Value> {
        let usual = || vec![json!({"list": "tools"}), json!({"approve": "clean"}), json!({"list": "tools"})];
        self.document["agent"].as_array().cloned().unwrap_or_else(usual)
    }

    /// Its servers: its own first, then its honest peers.
    pub(super) fn servers(&self) -> Vec<String> {
        let peers = self.document["peers"].as_array().into_iter().flatten();
        let names = std::iter::once(&self.document).chain(peers);
        names.filter_map(|server| server["server"]["name"].as_str()).map(str::to_owned).collect()
    }

    /// Whether the agent has something to say when a server asks.
    pub(super) fn can_be_asked(&self) -> bool {
        self.steps().iter().any(|step| step["answer"] == "accept")
    }

    /// Whether time must pass in it.
    pub(super) fn waits(&self) -> bool {
        self.steps().iter().any(|step| step["wait"].is_string())
    }

    /// Every text it ever has for this member of a server, with what `versions` put there.
    pub(super) fn instructions(&self) -> Vec<String> {
        let later = self.document["versions"].as_array().into_iter().flatten();
        let later = later.map(|version| &version["set"]["/server/instructions"]);
        let all = std::iter::once(&self.document["server"]["instructions"]).chain(later);
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(more: Value) -> Scenario {
        let mut document =
            json!({ "id": "a", "ideal": "hidden", "today": "passed", "server": { "name": "s" } });
        for (key, value) in more.as_object().cloned().unwrap_or_default() {
            document[key] = value;
        }
        Scenario::of(document).unwrap()
    }

    #[test]
    fn two_ways_touch_everything_and_four_are_all() {
        let any = scenario(json!({}));
        let touched = any.ways(false);
        assert_eq!(touched.len(), 2);
        assert_ne!(touched[0].era, touched[1].era);
        assert_ne!(touched[0].transport, touched[1].transport);
        assert_eq!(touched.iter().filter(|way| way.by == By::Sdk).count(), 1);
        assert_eq!(any.ways(true).len(), 6);
        assert_eq!(scenario(json!({ "category": "exhaustion" })).ways(true).len(), 4);
        let narrow = scenario(json!({ "eras": ["modern"], "transports": ["http"] }));
        let way = Way { era: Era::Modern, transport: Transport::Http, by: By::Script };
        assert_eq!(narrow.ways(true), [way, Way { by: By::Sdk, ..way }]);
    }

    #[test]
    fn an_agent_that_never_accepts_cannot_be_asked() {
        assert!(!scenario(json!({ "agent": [{ "answer": "decline" }] })).can_be_asked());
        assert!(scenario(json!({ "agent": [{ "answer": "accept" }] })).can_be_asked());
    }

    #[test]
    fn the_usual_operator_approves_what_scans_clean() {
        assert_eq!(scenario(json!({})).steps()[1], json!({ "approve": "clean" }));
    }
}
