//! What a change makes of a row, and what the activity log hears of it before it counts.

use std::sync::Arc;

use portcullis_decide::approval::server::{Server, ServerTransition};
use portcullis_decide::approval::{Notice, State, Transition};
use serde_json::{Map, Value, json};

use super::row::{Key, Row};
use super::{Change, ItemName, stored};
use crate::StoreError;
use crate::record::{Draft, Kind, Status};

/// A row to be written, and what is recorded before.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) row: Row,
    note: Note,
}

#[derive(Debug)]
struct Note {
    kind: Kind,
    status: Status,
    at_us: i64,
    text: String,
}

impl Planned {
    /// What the activity log is told.
    pub(crate) fn draft(&self) -> Draft<'_> {
        Draft {
            server: &self.row.key.server,
            tool: &self.row.key.name,
            note: Some(&self.note.text),
            ..Draft::new(self.note.kind, self.note.status, self.note.at_us)
        }
    }
}

impl Change {
    /// Which row it is about.
    pub(crate) fn key(&self) -> Key {
        match self {
            Change::Item { name, .. } => Key::of_item(name),
            Change::Server { name, .. } => Key::of_server(name),
        }
    }

    fn read(&self) -> Option<u64> {
        match self {
            Change::Item { read, .. } | Change::Server { read, .. } => *read,
        }
    }
}

/// What `change` makes of the row there is, as version `version` of the registry; `None` if nothing changes.
pub(crate) fn plan(
    change: &Change,
    stored: Option<Row>,
    version: u64,
) -> Result<Option<Planned>, StoreError> {
    let found = stored.as_ref().map(|row| row.version);
    if found != change.read() {
        return Err(StoreError::Conflict { what: change.key().words() });
    }
    match change {
        Change::Item { name, transition, definition, .. } => {
            item(name, transition, definition.as_deref(), stored, version)
        }
        Change::Server { name, transition, .. } => server(name, transition, stored, version),
    }
}

fn item(
    name: &ItemName,
    transition: &Transition,
    definition: Option<&str>,
    stored: Option<Row>,
    version: u64,
) -> Result<Option<Planned>, StoreError> {
    let before = stored.map(Row::item).transpose()?;
    if before.is_some() && !transition.is_change() {
        return Ok(None);
    }
    let record = transition.record();
    let key = Key::of_item(name);
    let known = before.as_ref().filter(|before| before.record.seen == record.seen);
    let current = definition.map(Arc::from).or(known.map(|known| Arc::clone(&known.current)));
    let current = current.ok_or_else(|| StoreError::NoDefinition { what: key.words() })?;
    let approved = record.approval.as_ref().and_then(|approval| {
        if approval.fingerprint == record.seen {
            return Some(Arc::clone(&current));
        }
        // The approval is of what was there before; so is the text it is of.
        let is_same = |old: &portcullis_decide::approval::Approval| old.fingerprint == approval.fingerprint;
        before.filter(|before| before.record.approval.as_ref().is_some_and(is_same))?.approved
    });
    let note = item_note(name, transition);
    let row = Row { key, version, record: stored::write_record(record), current, approved };
    Ok(Some(Planned { row, note }))
}

fn item_note(name: &ItemName, transition: &Transition) -> Note {
    let record = transition.record();
    let is_rug_pull = transition.notices().iter().any(|notice| matches!(notice, Notice::RugPull { .. }));
    let mut said = Map::new();
    let mut say = |field: &str, value: Value| said.insert(field.to_owned(), value);
    say("kind", json!(name.kind.as_str()));
    say("event", json!(transition.event().as_str()));
    say("before", json!(transition.before().map(State::as_str)));
    say("after", json!(record.state.as_str()));
    say("seen", json!(record.seen.to_string()));
    if let Some(by) = transition.by() {
        say("by", json!(by.name()));
    }
    if let Some(approval) = &record.approval {
        say("approved", json!(approval.fingerprint.to_string()));
        say("accepted", json!(approval.accepted));
        say("reason", json!(approval.reason));
    }
    if let Some(rejection) = &record.rejection {
        say("rejected", json!(rejection.reason));
    }
    if let Some(agent) = &record.shown_to {
        say("shown_to", json!(agent));
    }
    if !record.hard.is_empty() {
        say("hard", json!(record.hard));
    }
    Note {
        kind: if is_rug_pull { Kind::RugPull } else { Kind::QuarantineChange },
        status: if record.state == State::Approved { Status::Noted } else { Status::Held },
        at_us: microseconds(transition.at()),
        text: Value::Object(said).to_string(),
    }
}

fn server(
    name: &str,
    transition: &ServerTransition,
    stored: Option<Row>,
    version: u64,
) -> Result<Option<Planned>, StoreError> {
    let before = stored.map(Row::server).transpose()?.map(|known| known.server);
    if before.is_some() && !transition.is_change() {
        return Ok(None);
    }
    let after = transition.server();
    let note = server_note(before.as_ref(), after, transition.at());
    let record = stored::write_server(after);
    let row = Row { key: Key::of_server(name), version, record, current: Arc::from(""), approved: None };
    Ok(Some(Planned { row, note }))
}

fn server_note(before: Option<&Server>, after: &Server, at: u64) -> Note {
    let is_held_anew = before.is_some_and(|before| before.quarantine != after.quarantine);
    let text = json!({
        "kind": "server",
        "launch": after.launch.to_string(),
        "pending": after.pending.map(|pending| pending.to_string()),
        "quarantine": after.quarantine,
        "trust": after.trust.as_str(),
    });
    Note {
        kind: if is_held_anew { Kind::QuarantineChange } else { Kind::ServerChange },
        status: if after.hold().is_some() { Status::Held } else { Status::Noted },
        at_us: microseconds(at),
        text: text.to_string(),
    }
}

fn microseconds(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds.saturating_mul(1_000)).unwrap_or(i64::MAX)
}
