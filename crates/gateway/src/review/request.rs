//! What agents ask people to approve: one request for one version of one thing, kept until it is no longer held.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use portcullis_decide::approval::Hold;
use portcullis_detect::Kind;
use portcullis_store::{Document, Item, ItemName, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::shown;
use crate::alerts::What;
use crate::gate::Gate;
use crate::quarantine::{Known, now_ms};

/// The kind of their documents.
const KIND: &str = "request";
/// Requests that may wait at a time; people read no more.
const MOST: usize = 200;

/// A request as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Whose agent asks.
    pub(crate) by: String,
    /// When, in milliseconds since 1970.
    pub(crate) at: u64,
    /// Why, escaped.
    pub(crate) reason: String,
    /// Exactly what is asked for.
    fingerprint: String,
}

/// Requests by what they are about.
pub(crate) struct Requests(BTreeMap<String, Request>);

impl Requests {
    /// All that wait.
    pub(crate) fn read(gate: &Gate) -> Result<Requests, StoreError> {
        let read = |document: Document| Some((document.name, serde_json::from_str(&document.json).ok()?));
        let documents = gate.settings.store.registry().documents(KIND)?;
        Ok(Requests(documents.into_iter().filter_map(read).collect()))
    }

    /// The request for exactly this version of a definition.
    pub(crate) fn of(&self, item: &Item) -> Option<&Request> {
        self.0.get(&key(&item.name)).filter(|request| request.fingerprint == item.record.seen.to_string())
    }

    /// The request for all that is held of a server now.
    pub(crate) fn of_server(&self, gate: &Gate, server: &str, known: &Known) -> Option<&Request> {
        self.0.get(server).filter(|request| request.fingerprint == print_of(gate, known))
    }

    /// Requests for single definitions of a server that are still held.
    pub(crate) fn count(&self, gate: &Gate, server: &str, known: &Known) -> usize {
        let beginning = format!("{server}/");
        let mut from_there = self.0.range(beginning.clone()..);
        // Most servers have none, and some have many definitions.
        if from_there.next().is_none_or(|(key, _)| !key.starts_with(&beginning)) {
            return 0;
        }
        let waits = |item: &&Item| shown::hold(gate, known, item).is_some() && self.of(item).is_some();
        shown::present(known).filter(waits).count()
    }
}

/// What a request is kept under. INVARIANT: a server's name has no slash, so that the two never meet.
fn key(name: &ItemName) -> String {
    format!("{}/{}/{}", name.server, name.kind.as_str(), name.name)
}

/// Asks a human to approve something that is held; asking again for the same changes nothing.
pub(super) fn make(
    gate: &Gate,
    server: &str,
    tool: Option<&str>,
    by: &str,
    reason: &str,
) -> Result<Value, String> {
    let target = Target::find(gate, server, tool)?;
    let unkept = |error: StoreError| super::undecided(&error.into());
    let mut requests = Requests::read(gate).map_err(unkept)?;
    let is_new = requests.0.get(&target.key).is_none_or(|known| known.fingerprint != target.fingerprint);
    if is_new {
        if requests.0.len() >= MOST {
            forget_settled(gate, &mut requests);
        }
        if requests.0.len() >= MOST {
            return Err("too many requests wait for a human already; tell the user instead".to_owned());
        }
        let fingerprint = target.fingerprint.clone();
        let request = Request { by: by.to_owned(), at: now_ms(), reason: reason.to_owned(), fingerprint };
        // INVARIANT: a struct of strings and numbers always becomes JSON.
        let json = serde_json::to_string(&request).unwrap_or_default();
        let document = Document { kind: KIND.to_owned(), name: target.key.clone(), json };
        gate.settings.store.registry().put_document(&document).map_err(unkept)?;
        let note = json!({ "by": by, "reason": reason, "fingerprint": target.fingerprint });
        super::tell(gate, What::ApprovalRequested, server, &target.name, note);
    }
    Ok(json!({
        "server": server, "untrusted_name": target.name, "held": target.hold, "new": is_new,
        "a_human_decides_with": target.command,
        "note": "Nothing is approved by this. A human was told, and decides; do not wait for it.",
    }))
}

/// What is asked for.
struct Target {
    key: String,
    /// The definition's name as it is shown; nothing for a whole server.
    name: String,
    fingerprint: String,
    hold: String,
    command: String,
}

impl Target {
    fn find(gate: &Gate, server: &str, tool: Option<&str>) -> Result<Target, String> {
        let picture = gate.quarantine.picture();
        let known = picture.server(server).ok_or("nothing is known of this server yet")?;
        let Some(tool) = tool else {
            let held = shown::present(known).filter(|item| shown::hold(gate, known, item).is_some()).count();
            let hold = match known.server.hold() {
                Some(hold) => Hold::Server(hold).to_string(),
                None if held > 0 => format!("{held} of its definitions are held"),
                None => return Err("nothing of this server is held".to_owned()),
            };
            let command = format!("portcullis security list {server}");
            let (key, fingerprint) = (server.to_owned(), print_of(gate, known));
            return Ok(Target { key, name: String::new(), fingerprint, hold, command });
        };
        let mut called = shown::present(known).filter(|item| shown::is_called(item, tool));
        let item = called
            .next()
            .ok_or("nothing on this server has this name; list_quarantined shows what is held")?;
        let hold = shown::hold(gate, known, item).ok_or("it is not held: it can be called")?;
        let name = shown::name(item);
        // A name that a shell could misread is not put into a command.
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let word = if is_plain && !name.starts_with('-') { name.as_str() } else { "NAME" };
        let kind = match item.name.kind {
            Kind::Tool => "",
            Kind::Prompt => " --kind prompts",
            Kind::Resource => " --kind resources",
            Kind::ResourceTemplate => " --kind templates",
            Kind::Instructions => " --kind instructions",
        };
        let command = format!(
            "portcullis security inspect {server} {word}{kind}, then portcullis security approve {server} {word}{kind}"
        );
        let fingerprint = item.record.seen.to_string();
        Ok(Target { key: key(&item.name), name, fingerprint, hold: hold.to_string(), command })
    }
}

/// What stands for all that is held of a server: when something else is, a new request says something new.
fn print_of(gate: &Gate, known: &Known) -> String {
    let mut digest = Sha256::new();
    digest.update([u8::from(known.server.hold().is_some())]);
    for item in shown::present(known).filter(|item| shown::hold(gate, known, item).is_some()) {
        digest.update(item.record.seen.as_bytes());
    }
    HEXLOWER.encode(&digest.finalize())
}

/// Forgets requests for what is no longer held, or no longer what it was.
fn forget_settled(gate: &Gate, requests: &mut Requests) {
    let mut waiting = BTreeMap::new();
    for (server, known) in &gate.quarantine.picture().servers {
        waiting.insert(server.to_string(), print_of(gate, known));
        let held = shown::present(known).filter(|item| shown::hold(gate, known, item).is_some());
        waiting.extend(held.map(|item| (key(&item.name), item.record.seen.to_string())));
    }
    requests.0.retain(|key, request| {
        let waits = waiting.get(key) == Some(&request.fingerprint);
        // One that cannot be removed is tried again the next time.
        waits || gate.settings.store.registry().remove_document(KIND, key).is_err()
    });
}
