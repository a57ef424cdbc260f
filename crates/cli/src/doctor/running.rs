//! The gateway that runs on a data directory: whether it takes calls, who may come in, how its servers are.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use portcullis_gateway::api::Desk;
use portcullis_store::Vault;
use serde_json::Value;

use super::Line;
use crate::security::desk::Asking;

/// How long a gateway on this machine may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Servers that get a line of their own.
const MOST_SERVERS: usize = 100;

pub(super) fn gateway(data: &Path) -> Vec<Line> {
    // Asking for the door would make its folder.
    let door = data.join("run").is_dir().then(|| Vault::door(data).ok()).flatten();
    let Some(desk) = door.as_deref().and_then(Desk::there) else {
        return vec![Line::ok(
            "gateway",
            "none runs here now; `portcullis serve` starts one, and so does `wrap`",
        )];
    };
    let asked = Asking::of(desk)
        .and_then(|desk| Ok((desk.get("/status")?, desk.get("/tokens")?, desk.get("/servers")?)));
    let (status, tokens, servers) = match asked {
        Ok(answers) => answers,
        Err(failure) => {
            let advice = "see its log (run/gateway.log, or the journal of the service), and start it again";
            return vec![Line::fail("gateway", failure.to_string(), advice)];
        }
    };
    let mut lines = vec![ready(&status)];
    let warnings = status["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    lines.extend(warnings.map(|warning| Line::warn("gateway", warning, "see docs/configuration.md")));
    lines.push(opened(&tokens));
    lines.extend(upstreams(&servers));
    lines
}

/// Whether it takes calls, asked as a load balancer would.
fn ready(status: &Value) -> Line {
    let base = status["listens"].as_str().unwrap_or_default();
    let version = status["version"].as_str().unwrap_or_default();
    let Some(address) = base.strip_prefix("http://").and_then(|address| address.parse::<SocketAddr>().ok())
    else {
        return Line::ok("gateway", format!("version {version} runs, {base}"));
    };
    match readyz(address) {
        Some(answer) if answer.starts_with("HTTP/1.1 200") => {
            Line::ok("gateway", format!("version {version} takes calls at {base}/mcp"))
        }
        Some(answer) => {
            let said = answer.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned();
            Line::fail("gateway", format!("it takes no calls: {said}"), "see its log; is the disk full?")
        }
        None => Line::fail("gateway", format!("it does not answer at {base}"), "start it again"),
    }
}

fn readyz(address: SocketAddr) -> Option<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    write!(stream, "GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.take(4096).read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// How many tokens of each role there are.
fn opened(tokens: &Value) -> Line {
    let mut roles = BTreeMap::<&str, usize>::new();
    for token in tokens["tokens"].as_array().into_iter().flatten() {
        *roles.entry(token["role"].as_str().unwrap_or_default()).or_default() += 1;
    }
    let counts: Vec<String> = roles.iter().map(|(role, count)| format!("{count} {role}")).collect();
    match roles.contains_key("admin") || roles.contains_key("operator") {
        true => Line::ok("tokens", counts.join(", ")),
        false => {
            let there = if counts.is_empty() { "there are none".to_owned() } else { counts.join(", ") };
            let advice = "to review over REST: portcullis token create --role operator";
            Line::warn("tokens", format!("{there}; none of them may approve"), advice)
        }
    }
}

fn upstreams(servers: &Value) -> Vec<Line> {
    let used = servers["servers"].as_array().into_iter().flatten().filter(|server| server["used"] == true);
    used.take(MOST_SERVERS).map(upstream).collect()
}

fn upstream(server: &Value) -> Line {
    let name = server["name"].as_str().unwrap_or_default();
    let held = server["definitions_held"].as_u64().unwrap_or_default();
    let scan = &server["scan"];
    let review = format!("portcullis security list {name}");
    match (server["held"].as_str(), scan["status"].as_str().unwrap_or_default()) {
        (Some(hold), _) => Line::warn("server", format!("{name} is held: {hold}"), review),
        (None, "complete") if held > 0 => {
            Line::warn("server", format!("{name} was read; {held} things wait for approval"), review)
        }
        (None, "complete") => Line::ok("server", format!("{name} was read, nothing waits")),
        (None, "never") => {
            Line::ok("server", format!("{name} was not read yet; `portcullis security scan {name}` does it"))
        }
        (None, "failed") => {
            let why = scan["why"].as_str().unwrap_or_default();
            Line::fail("server", format!("{name} cannot be read: {why}"), "see whether it starts by itself")
        }
        (None, _) => {
            let why = scan["why"].as_str().unwrap_or_default();
            Line::warn("server", format!("{name} was read only in part: {why}"), review)
        }
    }
}
