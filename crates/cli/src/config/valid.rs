//! Makes settings of what was written: addresses, keys and limits that can be used as they are.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use portcullis_gateway::alerts::AlertRules;
use portcullis_gateway::judge::JudgeRules;
use portcullis_gateway::quarantine::Rules;
use portcullis_gateway::settings::{Access, Limits, Network, Timing};
use portcullis_gateway::telemetry::{LevelFilter, Telemetry};
use portcullis_gateway::tls::Tls;
use portcullis_gateway::traces::Collector;
use portcullis_store::{Level, Retention};
use serde_json::Value;

use super::secret::{Environment, resolved};
use super::servers::{self, Configured};
use super::{USUAL_ADDRESS, alerts, node, quarantine, written};
use crate::document::{Node, Place, Problem};
use crate::exit::Failure;
use crate::policy;

/// A shorter token could be guessed.
const LEAST_TOKEN: usize = 16;

/// What a gateway is started with, as far as a file says it.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) tls: Option<Tls>,
    /// Whether others may be let in without TLS.
    is_insecure: bool,
    pub(crate) data_dir: Option<PathBuf>,
    /// A database that gateways share; without one everything is in the data directory.
    pub(crate) database: Option<String>,
    /// Where gateways share their flows; without it each keeps its own.
    pub(crate) flow_store: Option<String>,
    pub(crate) seal_key: Option<[u8; 32]>,
    /// Where other gateways reach this one, if that was said.
    pub(super) node_address: Option<Uri>,
    pub(crate) servers: Vec<Configured>,
    pub(crate) access: Access,
    /// Addresses inside that may be reached though the file does not name them as a server's.
    pub(crate) networks: Arc<[Network]>,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) durability: Level,
    pub(crate) passes_unrecorded: bool,
    /// How much of the activity is kept, and how long.
    pub(crate) retention: Retention,
    pub(crate) limits: Limits,
    pub(crate) timing: Timing,
    pub(crate) telemetry: Telemetry,
    pub(crate) quarantine: Rules,
    pub(crate) judge: Arc<JudgeRules>,
    pub(crate) alerts: AlertRules,
}

impl Config {
    /// Listens somewhere else than the file says; the same rules hold.
    pub(crate) fn listen_instead(&mut self, listen: SocketAddr) -> Result<(), Failure> {
        let is_covered = self.tls.is_some() || self.is_insecure;
        if !listen.ip().is_loopback() && (!is_covered || self.access == Access::Open) {
            let message = "listening beyond this machine needs `auth` with tokens, and `tls` (or `insecure: true`), in the file";
            return Err(Failure::Usage(message.to_owned()));
        }
        self.listen = listen;
        Ok(())
    }
}

/// Understands a file whose keys are right.
pub(super) fn config(
    root: &Node,
    folder: &Path,
    environment: Environment<'_>,
) -> Result<Config, Vec<Problem>> {
    let mut problems = Vec::new();
    let value = resolved(root, environment, &mut problems);
    let judge = judging(root, value.clone(), &mut problems);
    let written: written::Written = parsed(root, value, &mut problems);
    let mut wrong =
        |key: &str, message: &str| problems.push(Problem::at(place(root, key), message.to_owned()));
    let listen = listening(&written, &mut wrong);
    let tls = written.tls.as_ref().and_then(|files| tls(files, folder, &mut wrong));
    let access = access(&written.auth, &listen, &mut wrong);
    let database = database(&written, &mut wrong);
    let flow_store = flow_store(&written, &mut wrong);
    let seal_key = written.seal_key.as_deref().map(|text| key(text).ok_or(())).transpose();
    let seal_key = seal_key.unwrap_or_else(|()| {
        wrong("seal_key", "`seal_key` is 64 hexadecimal digits, such as `openssl rand -hex 32` writes");
        None
    });
    let node_address = node::written(&written, &mut wrong);
    let retention = retention(&written);
    let telemetry = telemetry(&written.telemetry, &mut wrong);
    let quarantine = quarantine::rules(&written.security.tool_quarantine, &written.rules, folder, &mut wrong);
    let networks = networks(&written.security.allow_private_addresses, &mut wrong);
    let alerts = alerts::rules(&written.security.alerts, folder, &networks, &mut wrong);
    let servers = servers::all(root, folder, environment, &networks, &mut problems);
    if !problems.is_empty() {
        problems.sort_by_key(Problem::place);
        return Err(problems);
    }
    Ok(Config {
        listen,
        tls,
        is_insecure: written.insecure,
        data_dir: written.data_dir.map(|path| folder.join(path)),
        database,
        flow_store,
        seal_key,
        node_address,
        servers,
        access,
        networks,
        hosts: written.hosts,
        origins: written.origins,
        durability: if written.activity.durability.as_deref() == Some("power") {
            Level::Power
        } else {
            Level::Process
        },
        passes_unrecorded: written.activity.unrecorded.as_deref() == Some("pass"),
        retention,
        limits: limits(&written.limits),
        timing: timing(&written.timing),
        telemetry,
        quarantine,
        judge: Arc::new(judge),
        alerts,
    })
}

/// Where to listen.
fn listening(written: &written::Written, wrong: &mut impl FnMut(&str, &str)) -> SocketAddr {
    let listen = written.listen.as_deref().unwrap_or(USUAL_ADDRESS).parse();
    let listen: SocketAddr = listen.unwrap_or_else(|_| {
        wrong("listen", "`listen` is an address and a port, such as 127.0.0.1:8930 or [::1]:8930");
        SocketAddr::from(([127, 0, 0, 1], 0))
    });
    if !listen.ip().is_loopback() && !written.insecure && written.tls.is_none() {
        wrong("listen", "listening beyond this machine needs `tls`, or `insecure: true` to do without");
    }
    listen
}

/// What calls and results are judged by.
fn judging(root: &Node, value: Value, problems: &mut Vec<Problem>) -> JudgeRules {
    let rules = policy::understand(value).and_then(|loaded| loaded.rules().map_err(|bad| bad.to_string()));
    rules.unwrap_or_else(|reason| {
        problems.push(Problem::at(place(root, "security"), reason));
        JudgeRules::default()
    })
}

fn retention(written: &written::Written) -> Retention {
    let (usual, said) = (Retention::default(), &written.activity);
    let redacted = written.security.pii_detection.auto_redact_after_days;
    Retention {
        days: said.keep_days.unwrap_or(usual.days),
        records: said.keep_records.unwrap_or(usual.records),
        bytes: said.keep_bytes.unwrap_or(usual.bytes),
        redact_after_days: redacted.unwrap_or(usual.redact_after_days),
    }
}

/// The database that gateways share, if there is one.
fn database(written: &written::Written, wrong: &mut impl FnMut(&str, &str)) -> Option<String> {
    let database = written.store.clone().filter(|store| store != "sqlite");
    let is_database =
        |address: &str| ["postgres://", "postgresql://"].iter().any(|scheme| address.starts_with(scheme));
    if !database.as_deref().is_none_or(is_database) {
        wrong("store", "`store` is `sqlite`, or the address of a database, as postgres://user@host/database");
    }
    database
}

/// The address at which gateways share their flows, if they do.
fn flow_store(written: &written::Written, wrong: &mut impl FnMut(&str, &str)) -> Option<String> {
    let address = written.flow_store.clone().filter(|store| store != "memory")?;
    if !["redis://", "rediss://"].iter().any(|scheme| address.starts_with(scheme)) {
        wrong("flow_store", "`flow_store` is `memory`, or an address, as redis://host:6379 or rediss://host");
    } else if written.seal_key.is_none() {
        wrong(
            "flow_store",
            "`flow_store` needs a `seal_key`, the same for every gateway: it seals what they share",
        );
    }
    Some(address)
}

/// The types were checked with the keys; this is for what the table and the struct would disagree about.
pub(super) fn parsed<T: serde::de::DeserializeOwned + Default>(
    node: &Node,
    value: Value,
    problems: &mut Vec<Problem>,
) -> T {
    serde_json::from_value(value).unwrap_or_else(|_| {
        problems.push(Problem::at(node.at, "a value here is not what its key needs".to_owned()));
        T::default()
    })
}

/// Where a key stands, or the start of what should hold it.
pub(super) fn place(node: &Node, key: &str) -> Place {
    node.member(key).map_or(node.at, |node| node.at)
}

/// The files are read already here: what is wrong with them is wrong with the configuration.
fn tls(files: &written::Tls, folder: &Path, wrong: &mut impl FnMut(&str, &str)) -> Option<Tls> {
    let (Some(certificate), Some(key)) = (&files.cert, &files.key) else {
        wrong("tls", "`tls` needs two files in PEM: `cert` and `key`");
        return None;
    };
    let loaded = Tls::load(&folder.join(certificate), &folder.join(key));
    loaded.map_err(|error| wrong("tls", &error.to_string())).ok()
}

fn access(auth: &written::Auth, listen: &SocketAddr, wrong: &mut impl FnMut(&str, &str)) -> Access {
    match auth {
        written::Auth::Word(_) => {
            if !listen.ip().is_loopback() {
                wrong("auth", "listening beyond this machine needs `auth` with tokens");
            }
            Access::Open
        }
        written::Auth::Tokens { tokens } => {
            if tokens.is_empty() || tokens.iter().any(|token| token.len() < LEAST_TOKEN) {
                wrong("auth", "`auth.tokens` holds at least one token, each of 16 characters or more");
            }
            Access::Tokens(tokens.clone())
        }
    }
}

fn networks(written: &[String], wrong: &mut impl FnMut(&str, &str)) -> Arc<[Network]> {
    let parsed = written.iter().map(|text| Network::parse(text)).collect::<Option<Vec<_>>>();
    parsed.map(Arc::from).unwrap_or_else(|| {
        wrong(
            "security",
            "`security.allow_private_addresses` lists addresses and ranges, such as 10.0.0.0/8 or ::1",
        );
        Arc::default()
    })
}

/// 32 bytes as hexadecimal digits.
fn key(text: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(index * 2..index * 2 + 2)?, 16).ok()?;
    }
    Some(key)
}

fn limits(written: &written::Limits) -> Limits {
    let mut limits = Limits::default();
    let set = |place: &mut usize, value: Option<usize>| *place = value.unwrap_or(*place);
    limits.message.bytes = written.message_bytes.unwrap_or(limits.message.bytes);
    set(&mut limits.sessions, written.sessions);
    set(&mut limits.calls, written.calls);
    set(&mut limits.connections, written.connections);
    limits
}

fn timing(written: &written::Timing) -> Timing {
    let mut timing = Timing::default();
    let set = |place: &mut Duration, value: Option<u64>| {
        *place = value.map_or(*place, Duration::from_millis);
    };
    set(&mut timing.connect, written.connect_ms);
    set(&mut timing.start, written.start_ms);
    set(&mut timing.answer, written.answer_ms);
    set(&mut timing.request, written.request_ms);
    set(&mut timing.unread, written.unread_ms);
    set(&mut timing.session, written.session_ms);
    set(&mut timing.keep_alive, written.keep_alive_ms);
    set(&mut timing.drain, written.drain_ms);
    timing
}

fn telemetry(written: &written::Telemetry, wrong: &mut impl FnMut(&str, &str)) -> Telemetry {
    let collector = written.otlp_endpoint.as_deref().map(|text| Collector::parse(text).ok_or(()));
    let collector = collector.transpose().unwrap_or_else(|()| {
        wrong("telemetry", "`telemetry.otlp_endpoint` is an address such as http://127.0.0.1:4318");
        None
    });
    Telemetry {
        // The words were checked with the keys.
        level: written.log.as_deref().and_then(|word| word.parse().ok()).unwrap_or(LevelFilter::INFO),
        is_json: written.format.as_deref() == Some("json"),
        collector,
    }
}
