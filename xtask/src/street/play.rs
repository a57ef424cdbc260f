//! One scenario, played once: the agent and the operator do what it says, and everything they see is kept.

use super::agent::{Actor, Agent, Came};
use super::gate::{Gate, Recorded};
use super::scenario::{By, Scenario, Transport, Way};
use super::sdk::{SdkAgent, Sdks};
use crate::fleet::Fleet;
use crate::serving::Serving;
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// The name of the agent; scenarios know it.
const AGENT: &str = "street-agent";
/// How long a step of hours takes here.
const WAIT: Duration = Duration::from_secs(6);

/// What is on the machine for a play.
pub(super) struct Props {
    pub(super) portcullis: PathBuf,
    pub(super) adversary: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) sdks: Sdks,
    /// What makes several nodes of a gateway; none: it is one.
    pub(super) fleet: Option<Fleet>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Answered,
    Failed,
    /// The gate did not let it pass.
    Refused,
    /// A human had to decide.
    Asked,
    /// The gate kept the result.
    Withheld,
}

/// A call, and what came back.
pub(super) struct Called {
    pub(super) fate: Fate,
    pub(super) text: String,
    pub(super) took: Duration,
}

/// Everything that was seen in a play.
pub(super) struct Story {
    /// The names in the agent's last list of each kind; of its own server without the server's name.
    pub(super) lists: BTreeMap<String, Vec<String>>,
    pub(super) instructions: String,
    pub(super) calls: BTreeMap<String, Vec<Called>>,
    /// What servers asked the agent.
    pub(super) asked: Vec<String>,
    pub(super) heard: String,
    /// Whether the agent was let in at all.
    pub(super) is_let_in: bool,
    /// Whether the gateway serves on after it.
    pub(super) is_kept: bool,
    pub(super) recorded: Recorded,
    /// How long each list took.
    pub(super) listing: Vec<Duration>,
}

/// Plays a scenario.
pub(super) fn play(scenario: &Scenario, way: Way, props: &Props) -> Result<Story> {
    let cast = Cast::of(scenario, way, props)?;
    let name = format!("{}-{way}", scenario.id).replace(' ', "-");
    // Honest servers were there before.
    let peers: Vec<&String> = cast.names.iter().skip(1).collect();
    let at_first = cast.launches(usize::from(!peers.is_empty()), "");
    let gate = Gate::start(props, &name, &at_first)?;
    for peer in &peers {
        gate.scan(peer)?;
        gate.approve(peer, &json!("clean"))?;
    }
    if !peers.is_empty() {
        gate.reconfigure(&cast.launches(0, ""), cast.own())?;
    }
    let mut play = Play::new(scenario, way, &gate, &cast, &props.sdks);
    play.open(AGENT)?;
    for step in scenario.steps() {
        play.step(&step).with_context(|| format!("at {step}"))?;
        // What one node saw in a step, the next step may meet on another.
        cast.names.iter().try_for_each(|server| gate.settle(server))?;
    }
    play.told()
}

/// The servers of a scenario, and how the gateway reaches them.
struct Cast {
    /// Over HTTP one process has them all.
    house: Option<Serving>,
    adversary: PathBuf,
    scenario: String,
    way: Way,
    speed: u64,
    /// The names the gateway knows them by, the scenario's own first.
    names: Vec<String>,
}

impl Cast {
    fn of(scenario: &Scenario, way: Way, props: &Props) -> Result<Cast> {
        let hours: u64 = if scenario.waits() { 25 } else { 0 };
        let mut cast = Cast {
            house: None,
            adversary: props.adversary.clone(),
            scenario: scenario.id.clone(),
            way,
            speed: (hours * 3600 / WAIT.as_secs()).max(1),
            names: scenario.servers(),
        };
        if way.transport == Transport::Http {
            let mut command = Command::new(&props.adversary);
            command.args(["--http", "127.0.0.1:0"]).args(cast.arguments());
            cast.house = Some(Serving::start(&mut command)?);
        }
        Ok(cast)
    }

    fn arguments(&self) -> Vec<String> {
        let speed = self.speed.to_string();
        ["--scenario", &self.scenario, "--era", self.way.era.as_str(), "--speed", &speed]
            .map(str::to_owned)
            .to_vec()
    }

    /// How each is reached, in the words of the gateway's file, but for the first ones; another label is another launch.
    fn launches(&self, without: usize, label: &str) -> Value {
        let mut all = Map::new();
        for (index, name) in self.names.iter().enumerate().skip(without) {
            all.insert(name.clone(), self.launch(name, index > 0, label));
        }
        Value::Object(all)
    }

    fn launch(&self, name: &str, is_peer: bool, label: &str) -> Value {
        if let Some(house) = &self.house {
            let base = house.url().split_inclusive('/').take(3).collect::<String>();
            let peer = if is_peer { format!("/{name}") } else { String::new() };
            return json!({ "url": format!("{base}{}{peer}/mcp", self.scenario) });
        }
        let mut arguments = self.arguments();
        arguments.push("--stdio".to_owned());
        if is_peer {
            arguments.extend(["--peer".to_owned(), name.to_owned()]);
        }
        if !label.is_empty() {
            arguments.extend(["--label".to_owned(), label.to_owned()]);
        }
        json!({ "command": self.adversary, "args": arguments })
    }

    fn own(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
}

struct Play<'a> {
    scenario: &'a Scenario,
    gate: &'a Gate,
    cast: &'a Cast,
    agent: Box<dyn Actor + 'a>,
    /// Whether the agent is on the path of all servers, where names have the server's before them.
    is_crowded: bool,
    lists: BTreeMap<String, Vec<String>>,
    instructions: String,
    calls: BTreeMap<String, Vec<Called>>,
    is_let_in: bool,
    listing: Vec<Duration>,
}

impl<'a> Play<'a> {
    fn new(scenario: &'a Scenario, way: Way, gate: &'a Gate, cast: &'a Cast, sdks: &'a Sdks) -> Play<'a> {
        let is_crowded = cast.names.len() > 1;
        let route = gate.route((!is_crowded).then(|| cast.own()));
        let can_be_asked = scenario.can_be_asked();
        let agent: Box<dyn Actor + 'a> = match way.by {
            By::Script => Box::new(Agent::new(route, way.era, can_be_asked)),
            By::Sdk => Box::new(SdkAgent::new(sdks, route, way.era, can_be_asked)),
        };
        Play {
            scenario,
            gate,
            cast,
            agent,
            is_crowded,
            lists: BTreeMap::new(),
            instructions: String::new(),
            calls: BTreeMap::new(),
            is_let_in: false,
            listing: Vec::new(),
        }
    }

    fn open(&mut self, name: &str) -> Result<()> {
        let opened = self.agent.open(name)?;
        self.is_let_in = opened.is_ok();
        let opened = opened.unwrap_or_default();
        self.instructions = opened["instructions"].as_str().unwrap_or_default().to_owned();
        Ok(())
    }

    fn step(&mut self, step: &Value) -> Result<()> {
        if let Some(kind) = step["list"].as_str() {
            return self.list(kind);
        }
        if let Some(tool) = step["call"].as_str() {
            return self.call(step, tool);
        }
        if let Some(name) = step["get_prompt"].as_str() {
            let params =
                json!({ "name": self.known_as(self.cast.own(), name), "arguments": step["arguments"] });
            return self.ask(step, name, "prompts/get", &params);
        }
        if let Some(uri) = step["read"].as_str() {
            return self.ask(step, uri, "resources/read", &json!({ "uri": uri }));
        }
        if let Some(action) = step["answer"].as_str() {
            return self.agent.answer_with(match &step["content"] {
                Value::Null => json!({ "action": action }),
                content => json!({ "action": action, "content": content }),
            });
        }
        if step["wait"].is_string() {
            std::thread::sleep(WAIT);
            return Ok(());
        }
        if let Some(name) = step["connect_as"].as_str() {
            return self.open(name);
        }
        if step["relaunch"] == true {
            return self.gate.reconfigure(&self.cast.launches(0, "another"), self.cast.own());
        }
        if !step["approve"].is_null() {
            return self.approve(&step["approve"]);
        }
        bail!("nobody knows how to do that")
    }

    fn approve(&self, which: &Value) -> Result<()> {
        for server in &self.cast.names {
            self.gate.scan(server)?;
            self.gate.approve(server, which)?;
        }
        Ok(())
    }

    fn list(&mut self, kind: &str) -> Result<()> {
        let began = Instant::now();
        let listed = self.agent.list(kind)?.unwrap_or_default();
        self.listing.push(began.elapsed());
        let key = if kind == "resource_templates" { "uriTemplate" } else { "name" };
        let key = if kind == "resources" { "uri" } else { key };
        let prefix = self.known_as(self.cast.own(), "");
        let name = |item: &Value| {
            let name = item[key].as_str()?;
            Some(name.strip_prefix(&prefix).unwrap_or(name).to_owned())
        };
        let names = listed.as_array().into_iter().flatten().filter_map(name).collect();
        self.lists.insert(kind.to_owned(), names);
        Ok(())
    }

    fn call(&mut self, step: &Value, tool: &str) -> Result<()> {
        let name = self.known_as(step["server"].as_str().unwrap_or(self.cast.own()), tool);
        let arguments = self.filled(&step["arguments"]);
        for _ in 0..step["times"].as_u64().unwrap_or(1) {
            let began = Instant::now();
            let came = if step["cancel"] == true {
                self.agent.call_and_cancel(&name, &arguments)
            } else {
                self.agent.call(&name, &arguments, &step["intent"])
            };
            self.keep(step, tool, came, began)?;
        }
        Ok(())
    }

    fn ask(&mut self, step: &Value, name: &str, method: &str, params: &Value) -> Result<()> {
        let began = Instant::now();
        let came = self.agent.ask(method, params.clone());
        self.keep(step, name, came, began)
    }

    /// Keeps what became of a call; the operator denies what waits.
    fn keep(&mut self, step: &Value, name: &str, came: Result<Came>, began: Instant) -> Result<()> {
        let took = began.elapsed();
        let (mut fate, text) = fate(came);
        if self.gate.deny_all()? > 0 {
            fate = Fate::Asked;
        }
        let label = step["as"].as_str().unwrap_or(name).to_owned();
        self.calls.entry(label).or_default().push(Called { fate, text, took });
        Ok(())
    }

    /// How a name of a server is known to the agent.
    fn known_as(&self, server: &str, name: &str) -> String {
        if self.is_crowded { format!("{server}__{name}") } else { name.to_owned() }
    }

    /// Arguments with the texts of earlier results in their places.
    fn filled(&self, arguments: &Value) -> Value {
        match arguments {
            Value::String(text) => {
                let mut text = text.clone();
                for (label, calls) in &self.calls {
                    let result = calls.last().map_or("", |called| called.text.as_str());
                    text = text.replace(&format!("{{{{result:{label}}}}}"), result);
                }
                text.into()
            }
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, item)| (key.clone(), self.filled(item))).collect()
            }
            Value::Null => json!({}),
            other => other.clone(),
        }
    }

    fn told(mut self) -> Result<Story> {
        // The last list is the one after everything that was done.
        for kind in ["tools", "prompts", "resources", "resource_templates"] {
            if kind == "tools" || self.scenario.document[kind].is_array() {
                self.list(kind)?;
            }
        }
        let is_kept = self.gate.is_alive() && self.agent.ask("tools/list", json!({})).is_ok();
        let recorded = self.gate.recorded(&self.cast.names)?;
        let (asked, heard) = self.agent.heard();
        Ok(Story {
            lists: self.lists,
            instructions: self.instructions,
            calls: self.calls,
            asked,
            heard,
            is_let_in: self.is_let_in,
            is_kept,
            recorded,
            listing: self.listing,
        })
    }
}

/// What became of a call, and the texts that came back.
pub(super) fn fate(came: Result<Came>) -> (Fate, String) {
    let result = match came {
        Err(broken) => return (Fate::Failed, format!("{broken:#}")),
        Ok(Err(error)) => {
            let text = error["message"].as_str().unwrap_or_default().to_owned();
            let is_ours = text.starts_with("Not allowed");
            return (if is_ours { Fate::Refused } else { Fate::Failed }, text);
        }
        Ok(Ok(result)) => result,
    };
    let mut text = texts(&result).join("\n");
    if result["structuredContent"].is_object() {
        text = format!("{text}\n{}", result["structuredContent"]);
    }
    let fate = match result["isError"] == true {
        false => Fate::Answered,
        true if text.starts_with("Not allowed") => Fate::Refused,
        true if text.starts_with("Held for review") => Fate::Asked,
        true if text.starts_with("The result is held back") => Fate::Withheld,
        true => Fate::Failed,
    };
    (fate, text)
}

/// The texts of a result of a call, a prompt or a resource.
fn texts(result: &Value) -> Vec<String> {
    let parts = ["content", "contents", "messages"].map(|key| result[key].as_array());
    let parts = parts.into_iter().flatten().flatten();
    let text = |part: &Value| {
        let text = part["text"].as_str().or_else(|| part["content"]["text"].as_str());
        text.or_else(|| part["resource"]["text"].as_str()).map(str::to_owned)
    };
    parts.filter_map(text).collect()
}
