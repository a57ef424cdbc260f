//! The gateway that is tried, and the operator beside it, who reviews, decides and reads the record over REST.

use super::http;
use super::play::Props;
use crate::fleet::{Engines, Fleet};
use crate::ports;
use crate::serving::Serving;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long the gateway may take to notice something.
const PATIENCE: Duration = Duration::from_secs(10);
/// What an operator is asked about: the kinds of definitions that can wait.
const KINDS: [&str; 4] = ["tools", "prompts", "templates", "instructions"];
/// What the first start prints before the token of the admin.
const FIRST_TOKEN: &str = "the first token";

/// A gateway of our own: one node, or several that share everything behind a balancer. What ends first stands first.
pub(super) struct Gate {
    balancer: Option<Serving>,
    nodes: Vec<Serving>,
    /// The file of each node, and the port it has among several.
    files: Vec<(PathBuf, u16)>,
    /// What several nodes share.
    engines: Option<Engines>,
    token: String,
    /// The operator asks one node after the other.
    turn: AtomicUsize,
}

/// What is recorded of a run.
pub(super) struct Recorded {
    /// Every record, oldest first.
    pub(super) records: Vec<Value>,
    /// Everything the scan found, by server.
    pub(super) reports: Vec<Value>,
}

impl Gate {
    /// Starts a gateway with the usual policy.
    pub(super) fn start(props: &Props, name: &str, servers: &Value) -> Result<Gate> {
        Gate::start_with(props, name, servers, &Value::Null)
    }

    /// Starts a gateway in a folder of this name, of as many nodes as there are to be.
    pub(super) fn start_with(props: &Props, name: &str, servers: &Value, policy: &Value) -> Result<Gate> {
        let folder = props.folder.join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let mut config = configured(servers);
        if policy.is_object() {
            config["security"]["tool_policy"] = policy.clone();
        }
        let mut gate = Gate {
            balancer: None,
            nodes: Vec::new(),
            files: Vec::new(),
            engines: props.fleet.as_ref().map(Fleet::engines).transpose()?,
            token: String::new(),
            turn: AtomicUsize::new(0),
        };
        let Some(fleet) = &props.fleet else {
            gate.join(props, &folder, &config)?;
            return Ok(gate);
        };
        for number in 1..=fleet.nodes {
            gate.join(props, &folder.join(format!("node-{number}")), &config)?;
        }
        gate.balancer = Some(fleet.balance(&gate.nodes)?);
        Ok(gate)
    }

    /// Starts one more node. The first makes what all share, the token of the admin too.
    fn join(&mut self, props: &Props, folder: &Path, config: &Value) -> Result<()> {
        fs::create_dir_all(folder)?;
        if let Some(engines) = &self.engines {
            engines.prepare(folder)?;
        }
        let file = folder.join("portcullis.json");
        let port = ports::free()?;
        self.write(&file, port, config)?;
        let log = folder.join("gateway.log");
        let mut command = Command::new(&props.portcullis);
        command.args(["serve", "--config"]).arg(&file).stderr(File::create(&log)?);
        self.nodes.push(Serving::start(&mut command)?);
        self.files.push((file, port));
        if self.token.is_empty() {
            self.token = first_token(&log)?;
        }
        Ok(())
    }

    fn write(&self, file: &Path, port: u16, config: &Value) -> Result<()> {
        let shared = self.engines.as_ref().map(|engines| engines.shared(config, port));
        Ok(fs::write(file, shared.as_ref().unwrap_or(config).to_string())?)
    }

    /// Where agents go: `/mcp`, or one server's own path.
    pub(super) fn route(&self, server: Option<&str>) -> String {
        let front = self.balancer.as_ref().or(self.nodes.first()).map_or("", Serving::url);
        server.map_or_else(|| front.to_owned(), |name| format!("{front}/{name}"))
    }

    /// Whether every node still serves.
    pub(super) fn is_alive(&self) -> bool {
        let healthy = |node: &Serving| {
            let url = format!("{}/healthz", node.url().trim_end_matches("/mcp"));
            http::send("GET", &url, &[], None).is_ok_and(|answer| answer.status == 200)
        };
        self.nodes.iter().all(healthy)
    }

    /// Has the servers launched as this says from now on, and waits until every node shows this one otherwise.
    pub(super) fn reconfigure(&self, servers: &Value, changed: &str) -> Result<()> {
        let place = format!("servers/{changed}");
        let shown = |node: &Serving| Ok(self.rest_at(node, "GET", &place, None)?.1["data"].clone());
        let before = self.nodes.iter().map(shown).collect::<Result<Vec<Value>>>()?;
        let config = configured(servers);
        self.files.iter().try_for_each(|(file, port)| self.write(file, *port, &config))?;
        self.nodes.iter().try_for_each(Serving::hang_up)?;
        let until = Instant::now() + PATIENCE;
        for (node, before) in self.nodes.iter().zip(&before) {
            while shown(node)? == *before {
                if Instant::now() > until {
                    bail!("the gateway does not notice that its file changed");
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Ok(())
    }

    /// The operator has a server read whole; what cannot be read has nothing to approve.
    pub(super) fn scan(&self, server: &str) -> Result<()> {
        self.rest("POST", &format!("servers/{server}/scan"), Some(&json!({})))?;
        self.settle(server)
    }

    /// The operator approves all that scans clean, all that needs no reason, or of the latter these.
    pub(super) fn approve(&self, server: &str, which: &Value) -> Result<()> {
        for kind in KINDS {
            let place = format!("servers/{server}/{kind}");
            if which == "clean" {
                self.rest("POST", &format!("{place}/approve"), Some(&json!({ "all_clean": true })))?;
                continue;
            }
            let items = self.get(&place)?["items"].clone();
            for item in items.as_array().into_iter().flatten().filter(|item| is_meant(item, which)) {
                let name = percent(item["name"].as_str().unwrap_or_default());
                let body = json!({ "fingerprint": item["fingerprint"] });
                self.rest("POST", &format!("{place}/{name}/approve"), Some(&body))?;
            }
        }
        self.settle(server)
    }

    /// Waits until all nodes show the same of a server: what one of them saw or was told the others know within a second,
    /// on a machine that has the time.
    pub(super) fn settle(&self, server: &str) -> Result<()> {
        let Some(engines) = &self.engines else { return Ok(()) };
        let began = Instant::now();
        loop {
            let shown = self.nodes.iter().map(|node| self.shown(node, server)).collect::<Result<Vec<_>>>()?;
            if shown.windows(2).all(|two| matches!(two, [one, other] if one == other)) {
                engines.agreed(began.elapsed());
                return Ok(());
            }
            if began.elapsed() > PATIENCE {
                bail!("the nodes never agree about {server}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What agents may see of a server at one node, and what is held there.
    fn shown(&self, node: &Serving, server: &str) -> Result<Vec<[Value; 4]>> {
        let mut shown = Vec::new();
        for kind in KINDS {
            let said = self.rest_at(node, "GET", &format!("servers/{server}/{kind}"), None)?.1;
            let items = said["data"]["items"].as_array().into_iter().flatten();
            shown.extend(
                items.map(|item| ["name", "fingerprint", "held", "present"].map(|key| item[key].clone())),
            );
        }
        Ok(shown)
    }

    /// Denies every call that waits; how many did.
    pub(super) fn deny_all(&self) -> Result<usize> {
        let waiting = self.get("approvals")?["approvals"].clone();
        let waiting = waiting.as_array().cloned().unwrap_or_default();
        let mut denied = 0;
        for call in waiting.iter().filter(|call| call["ruling"].is_null()) {
            let id = call["id"].as_str().context("a call that waits has an id")?;
            let (status, said) =
                self.rest("POST", &format!("approvals/{id}/decide"), Some(&json!({ "decision": "deny" })))?;
            match status {
                200 => denied += 1,
                // The node that was asked had not heard yet that it was denied on another.
                409 if self.nodes.len() > 1 => {}
                _ => bail!("a call that waits cannot be denied: {said}"),
            }
        }
        Ok(denied)
    }

    /// Everything that was recorded, and what the scan found.
    pub(super) fn recorded(&self, servers: &[String]) -> Result<Recorded> {
        let answer = http::send("GET", &place(self.node()?, "activity/export"), &self.headers(), None)?;
        let text = answer.text()?;
        let mut records =
            text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>().context("records")?;
        records.reverse();
        let report = |server: &String| self.get(&format!("servers/{server}/scan/report"));
        Ok(Recorded { records, reports: servers.iter().map(report).collect::<Result<_>>()? })
    }

    fn get(&self, path: &str) -> Result<Value> {
        Ok(self.rest("GET", path, None)?.1["data"].clone())
    }

    fn rest(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value)> {
        self.rest_at(self.node()?, method, path, body)
    }

    fn rest_at(
        &self,
        node: &Serving,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value)> {
        let body = body.map(Value::to_string);
        let answer = http::send(method, &place(node, path), &self.headers(), body.as_deref())?;
        let status = answer.status;
        let text = answer.text()?;
        let value =
            serde_json::from_str(&text).with_context(|| format!("{path}: {}", text.escape_debug()))?;
        Ok((status, value))
    }

    /// The node whose turn it is.
    fn node(&self) -> Result<&Serving> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        self.nodes.get(turn % self.nodes.len().max(1)).context("a gateway without a node")
    }

    fn headers(&self) -> [(String, String); 1] {
        [("Authorization".to_owned(), format!("Bearer {}", self.token))]
    }
}

/// Where the operator asks a node.
fn place(node: &Serving, path: &str) -> String {
    format!("{}/api/v1/{path}", node.url().trim_end_matches("/mcp"))
}

/// Whether something waits that these words speak of, and that no hard check speaks against.
fn is_meant(item: &Value, which: &Value) -> bool {
    let is_named = which.as_array().is_none_or(|names| names.contains(&item["name"]));
    let is_open = item["held"].is_string() && item["present"] == true;
    is_named && is_open && item["hard"].as_array().is_none_or(Vec::is_empty)
}

/// The token of the admin, which stands in the log soon after the address was said.
fn first_token(log: &Path) -> Result<String> {
    let until = Instant::now() + PATIENCE;
    loop {
        let said = fs::read_to_string(log)?;
        let mut lines = said.split_inclusive('\n').skip_while(|line| !line.starts_with(FIRST_TOKEN));
        if let Some(token) = lines.nth(1).filter(|line| line.ends_with('\n')) {
            return Ok(token.trim().to_owned());
        }
        if Instant::now() > until {
            bail!("the gateway shows no first token");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The usual settings, but that an agent is told at once that its call waits, and that a server that is silent is given
/// up soon.
fn configured(servers: &Value) -> Value {
    json!({
        "listen": "127.0.0.1:0",
        "data_dir": "data",
        "telemetry": { "log": "warn" },
        "timing": { "answer_ms": 3000, "start_ms": 5000, "drain_ms": 0 },
        "security": { "approvals": { "wait_s": 0 } },
        "mcpServers": servers,
    })
}

/// A name as a part of a path.
fn percent(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
