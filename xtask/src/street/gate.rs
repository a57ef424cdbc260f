//! The gateway that is tried, and the operator beside it, who reviews, decides and reads the record over REST.

use super::http;
use crate::serving::Serving;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the gateway may take to notice something.
const PATIENCE: Duration = Duration::from_secs(10);
/// What an operator is asked about: the kinds of definitions that can wait.
const KINDS: [&str; 4] = ["tools", "prompts", "templates", "instructions"];
/// What the first start prints before the token of the admin.
const FIRST_TOKEN: &str = "the first token";

/// A gateway of our own: one node or several, all with the same servers and the same store.
pub(super) struct Gate {
    nodes: Vec<Serving>,
    token: String,
    config: PathBuf,
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
    pub(super) fn start(portcullis: &Path, folder: &Path, servers: &Value) -> Result<Gate> {
        Gate::start_with(portcullis, folder, servers, &Value::Null)
    }

    /// Starts one gateway in this folder. More than one node would be started here; all else takes a list.
    pub(super) fn start_with(
        portcullis: &Path,
        folder: &Path,
        servers: &Value,
        policy: &Value,
    ) -> Result<Gate> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        let config = folder.join("portcullis.json");
        let mut written = configured(servers);
        if policy.is_object() {
            written["security"]["tool_policy"] = policy.clone();
        }
        fs::write(&config, written.to_string())?;
        let log = folder.join("gateway.log");
        let mut command = Command::new(portcullis);
        command.args(["serve", "--config"]).arg(&config).stderr(File::create(&log)?);
        let node = Serving::start(&mut command)?;
        Ok(Gate { nodes: vec![node], token: first_token(&log)?, config })
    }

    /// Where agents go: `/mcp`, or one server's own path.
    pub(super) fn routes(&self, server: Option<&str>) -> Vec<String> {
        let route =
            |node: &Serving| server.map_or(node.url().to_owned(), |name| format!("{}/{name}", node.url()));
        self.nodes.iter().map(route).collect()
    }

    /// Whether every node still serves.
    pub(super) fn is_alive(&self) -> bool {
        let healthy = |node: &Serving| {
            let url = format!("{}/healthz", node.url().trim_end_matches("/mcp"));
            http::send("GET", &url, &[], None).is_ok_and(|answer| answer.status == 200)
        };
        self.nodes.iter().all(healthy)
    }

    /// Has the servers launched as this says from now on, and waits until the gateway shows this one otherwise.
    pub(super) fn reconfigure(&self, servers: &Value, changed: &str) -> Result<()> {
        let place = format!("servers/{changed}");
        let before = self.get(&place)?;
        fs::write(&self.config, configured(servers).to_string())?;
        self.nodes.iter().try_for_each(Serving::hang_up)?;
        let until = Instant::now() + PATIENCE;
        while self.get(&place)? == before {
            if Instant::now() > until {
                bail!("the gateway does not notice that its file changed");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// The operator has a server read whole; what cannot be read has nothing to approve.
    pub(super) fn scan(&self, server: &str) -> Result<()> {
        self.rest("POST", &format!("servers/{server}/scan"), Some(&json!({}))).map(drop)
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
        Ok(())
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
            if status != 200 {
                bail!("a call that waits cannot be denied: {said}");
            }
            denied += 1;
        }
        Ok(denied)
    }

    /// Everything that was recorded, and what the scan found.
    pub(super) fn recorded(&self, servers: &[String]) -> Result<Recorded> {
        let answer = http::send("GET", &self.place("activity/export"), &self.headers(), None)?;
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
        let body = body.map(Value::to_string);
        let answer = http::send(method, &self.place(path), &self.headers(), body.as_deref())?;
        let status = answer.status;
        let text = answer.text()?;
        let value =
            serde_json::from_str(&text).with_context(|| format!("{path}: {}", text.escape_debug()))?;
        Ok((status, value))
    }

    fn place(&self, path: &str) -> String {
        let base = self.nodes.first().map_or("", Serving::url).trim_end_matches("/mcp");
        format!("{base}/api/v1/{path}")
    }

    fn headers(&self) -> [(String, String); 1] {
        [("Authorization".to_owned(), format!("Bearer {}", self.token))]
    }
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
