//! The clients: which there are, what each is given to do, and how it is run.

use super::kit::{self, Kit};
use super::scene::{SERVERS, Scene};
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::fs;
use std::process::{Command, Stdio};

/// What every client does with every server.
const STEPS: &str = include_str!("../../peers/steps.json");

/// The first step where all servers start at once: some are in the list later than others.
pub(super) const ALL_THERE: &str = "all there";

/// What a client is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sdk {
    Python1,
    Python2,
    TypeScript1,
    TypeScript2,
    Inspector,
}

/// Which revision a client is to agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// The last one with `initialize`.
    Sessions,
    /// 2026-07-28, found by asking.
    Stateless,
}

/// Where a client goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// `/mcp/SERVER` for each server, then `/mcp`.
    Everywhere,
    /// Each server's own path only.
    Servers,
    /// `/mcp` only.
    All,
    /// `serve --stdio`.
    Stdio,
}

/// A client that is tried.
pub(super) struct Client {
    pub(super) name: &'static str,
    pub(super) sdk: Sdk,
    pub(super) era: Era,
    pub(super) way: Way,
}

/// The Inspector starts a process for each step, so it takes few.
pub(super) const CLIENTS: [Client; 10] = [
    Client { name: "python-1", sdk: Sdk::Python1, era: Era::Sessions, way: Way::Everywhere },
    Client { name: "python-2", sdk: Sdk::Python2, era: Era::Sessions, way: Way::Everywhere },
    Client { name: "python-2-modern", sdk: Sdk::Python2, era: Era::Stateless, way: Way::Everywhere },
    Client { name: "typescript-1", sdk: Sdk::TypeScript1, era: Era::Sessions, way: Way::Everywhere },
    Client { name: "typescript-2", sdk: Sdk::TypeScript2, era: Era::Sessions, way: Way::Everywhere },
    Client { name: "typescript-2-modern", sdk: Sdk::TypeScript2, era: Era::Stateless, way: Way::Everywhere },
    Client { name: "inspector", sdk: Sdk::Inspector, era: Era::Sessions, way: Way::Servers },
    Client { name: "inspector-modern", sdk: Sdk::Inspector, era: Era::Stateless, way: Way::All },
    Client { name: "typescript-1-stdio", sdk: Sdk::TypeScript1, era: Era::Sessions, way: Way::Stdio },
    Client { name: "python-2-modern-stdio", sdk: Sdk::Python2, era: Era::Stateless, way: Way::Stdio },
];

impl Sdk {
    pub(super) fn title(self) -> String {
        let (name, version) = match self {
            Sdk::Python1 => ("Python SDK", kit::PYTHON_1),
            Sdk::Python2 => ("Python SDK", kit::PYTHON_2),
            Sdk::TypeScript1 => ("TypeScript SDK", kit::TYPESCRIPT_1),
            Sdk::TypeScript2 => ("TypeScript SDK", kit::TYPESCRIPT_2),
            Sdk::Inspector => ("Inspector", kit::INSPECTOR),
        };
        format!("{name} {version}")
    }

    /// Whose results without the gateway it is held against. What the Inspector says it can do differs from what the
    /// gateway says, and so would the lists; the SDK it is made with says the same.
    pub(super) fn beside(self) -> Sdk {
        if self == Sdk::Inspector { Sdk::TypeScript2 } else { self }
    }

    fn command(self, kit: &Kit) -> Command {
        let (program, script) = match self {
            Sdk::Python1 => (kit.python(1, "python"), "python_1.py"),
            Sdk::Python2 => (kit.python(2, "python"), "python_2.py"),
            Sdk::TypeScript1 => (kit.node(), "typescript_1.mjs"),
            Sdk::TypeScript2 => (kit.node(), "typescript_2.mjs"),
            Sdk::Inspector => (kit.node(), "inspector.mjs"),
        };
        let mut command = Command::new(program);
        command.arg(kit.folder.join(script));
        command
    }
}

impl Era {
    pub(super) fn version(self) -> &'static str {
        match self {
            Era::Sessions => "2025-11-25",
            Era::Stateless => "2026-07-28",
        }
    }

    fn mode(self) -> &'static str {
        match self {
            Era::Sessions => "legacy",
            Era::Stateless => "auto",
        }
    }
}

/// A connection and what is done on it.
pub(super) struct Connection {
    /// A server's name, or `all`.
    pub(super) route: String,
    pub(super) to: Value,
    pub(super) steps: Vec<Value>,
}

/// One walk of a client: what it is given to do, under a name of its own.
pub(super) struct Walk {
    pub(super) run: String,
    pub(super) sdk: Sdk,
    pub(super) era: Era,
    pub(super) connections: Vec<Connection>,
}

impl Walk {
    /// A client straight to each server.
    pub(super) fn direct(sdk: Sdk, kit: &Kit, scene: &Scene) -> Result<Walk> {
        let run = format!("direct-{sdk:?}").to_lowercase();
        let connect = |server: &&str| {
            let to = scene.launch(kit, server, &run);
            let steps = steps(server, "", &name_on(&run, server), scene)?;
            Ok(Connection { route: (*server).into(), to, steps })
        };
        let connections = SERVERS.iter().map(connect).collect::<Result<_>>()?;
        Ok(Walk { run, sdk, era: Era::Sessions, connections })
    }

    /// A client through the gateway, which listens at `url`, or is started as `stdio` says.
    pub(super) fn through(client: &Client, url: &str, stdio: &Value, scene: &Scene) -> Result<Walk> {
        let run = format!("through-{}", client.name);
        let mut connections = Vec::new();
        if matches!(client.way, Way::Everywhere | Way::Servers) {
            for server in SERVERS {
                let steps = steps(server, "", &name_on(&run, server), scene)?;
                let to = json!({ "url": format!("{url}/{server}") });
                connections.push(Connection { route: server.into(), to, steps });
            }
        }
        if client.way != Way::Servers {
            let to = if client.way == Way::Stdio { stdio.clone() } else { json!({ "url": url }) };
            let steps =
                SERVERS.map(|server| steps(server, &format!("{server}__"), &name_on(&run, "all"), scene));
            let mut steps = steps.into_iter().collect::<Result<Vec<_>>>()?.concat();
            if client.way == Way::Stdio {
                let prefixes = SERVERS.map(|server| format!("{server}__"));
                let until =
                    json!({ "server": "all", "step": ALL_THERE, "do": "until", "prefixes": prefixes });
                steps.insert(0, until);
            }
            connections.push(Connection { route: "all".into(), to, steps });
        }
        if client.sdk == Sdk::Inspector {
            let is_brief = |step: &Value| step["brief"] == true;
            connections.iter_mut().for_each(|connection| connection.steps.retain(is_brief));
        }
        Ok(Walk { run, sdk: client.sdk, era: client.era, connections })
    }

    /// Runs the client, and returns the lines it printed, comparable to those of other walks: without the names under
    /// which things were written.
    pub(super) fn taken(&self, kit: &Kit, scene: &Scene) -> Result<Vec<Value>> {
        let connections: Vec<Value> = self.connections.iter().map(Connection::told).collect();
        let plan = json!({
            "client": self.run, "mode": self.era.mode(), "roots": scene.roots(), "connections": connections,
        });
        let file = scene.place(&format!("{}.json", self.run));
        fs::write(&file, plan.to_string())?;
        let log = fs::File::create(scene.place(&format!("{}.log", self.run)))?;
        let mut command = self.sdk.command(kit);
        command.arg(&file).stdin(Stdio::null()).stderr(log);
        // Nobody's own settings, and no proxy on the way to this machine.
        command.env("HOME", scene.place("")).env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
        let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        for connection in &self.connections {
            text = text.replace(&name_on(&self.run, &connection.route), "NAME");
        }
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}

impl Connection {
    fn told(&self) -> Value {
        json!({ "route": self.route, "to": self.to, "steps": self.steps })
    }
}

/// What a walk calls the things it writes on a route, so that walks do not meet.
fn name_on(run: &str, route: &str) -> String {
    format!("{run}-on-{route}")
}

/// The steps of a server, whose tools and prompts have this before their names.
fn steps(server: &str, prefix: &str, name: &str, scene: &Scene) -> Result<Vec<Value>> {
    let all: Map<String, Value> = serde_json::from_str(&scene.filled(STEPS, name))?;
    let mut steps = all.get(server).and_then(Value::as_array).context("a server without steps")?.clone();
    for step in &mut steps {
        step["server"] = json!(server);
        for key in ["name", "prompt"] {
            if let Some(name) = step[key].as_str() {
                step[key] = json!(format!("{prefix}{name}"));
            }
        }
    }
    Ok(steps)
}
