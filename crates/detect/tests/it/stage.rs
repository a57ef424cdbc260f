//! Puts definitions into a registry and observes one of them.

use portcullis_detect::{Definition, Detector, Kind, Observation, Registry, Signal};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Below this confidence (thousandths) a signal counts for nothing: it was discounted as an illustration.
pub(crate) const COUNTS_FROM: u16 = 300;

/// The detector as it ships, built once for all tests.
pub(crate) fn detector() -> &'static Detector {
    static SHIPPED: LazyLock<Detector> = LazyLock::new(Detector::new);
    &SHIPPED
}

/// Whether a signal counts.
pub(crate) fn counts(signal: &Signal) -> bool {
    signal.confidence.thousandths() >= COUNTS_FROM
}

/// One tool and the tools it meets, as raw JSON.
pub(crate) struct Scene {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) peers: Vec<(String, String)>,
}

impl Scene {
    /// A tool that is alone in the world.
    pub(crate) fn alone(tool: impl Into<String>) -> Self {
        Scene { server: "example".to_owned(), tool: tool.into(), peers: Vec::new() }
    }

    /// A tool with nothing but this description.
    pub(crate) fn described(description: &str) -> Self {
        let tool = serde_json::json!({ "name": "describe_colour", "description": description });
        Scene::alone(tool.to_string())
    }

    /// What `detector` says about the tool. Peers were there first, so what clashes is the tool's fault.
    pub(crate) fn observe(&self, detector: &Detector) -> Result<Observation, String> {
        let parse = |server: &str, json: &str| {
            Definition::parse(server, Kind::Tool, json).map_err(|bad| format!("{server}: {}", bad.reason))
        };
        let mut servers: BTreeMap<&str, Vec<Definition>> = BTreeMap::new();
        servers.entry(&self.server).or_default().push(parse(&self.server, &self.tool)?.since(1));
        for (server, json) in &self.peers {
            servers.entry(server).or_default().push(parse(server, json)?.since(0));
        }
        let mut registry = Registry::new();
        for (server, definitions) in servers {
            registry.insert_server(server, definitions);
        }
        // The tool is the first definition of its server.
        let is_ours = |id: &_| registry.definition(*id).is_some_and(|found| found.server() == self.server);
        let id = registry.ids().find(is_ours).ok_or("the registry lost the tool")?;
        Ok(detector.observe(&registry, id))
    }

    /// The signals that count, of the detector as it ships.
    pub(crate) fn signals(&self) -> Vec<Signal> {
        let observation = self.observe(detector()).expect("the scene is well-formed JSON");
        observation.signals.into_iter().filter(counts).collect()
    }
}

/// A description of signals for the message of a failed test.
pub(crate) fn shown(signals: &[Signal]) -> String {
    let one = |signal: &Signal| {
        format!("{} {} {}: {}", signal.check, signal.confidence, signal.evidence.place(), signal.detail)
    };
    signals.iter().map(one).collect::<Vec<_>>().join(" | ")
}
