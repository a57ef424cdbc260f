//! Calls in the activity: each is recorded before it leaves, and its end before anybody hears of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use portcullis_store::{Draft, Kind as Recorded, Status};
use tracing::error;

use crate::gate::Gate;
use crate::intent::Intent;
use crate::judge::Opinion;
use crate::session::now_us;
use crate::settings::ServerName;
use crate::upstream::Upstream;
use crate::wire::{Fault, Field, Kind, Message};

/// Results from this size on are masked off the threads that serve others.
const LARGE: usize = 256 << 10;

/// A tool call that was recorded as sent, and is owed a record of its end.
pub(crate) struct Call {
    gate: Arc<Gate>,
    /// `None` if the tool is the gateway's own.
    server: Option<ServerName>,
    tool: String,
    session: String,
    pub(crate) intent: Option<Intent>,
    is_ended: bool,
}

/// Records a call of the gateway's own tool, before it does anything.
pub(crate) fn own_call(
    gate: &Arc<Gate>,
    tool: &str,
    session: &str,
    arguments: Option<&[u8]>,
) -> Result<Call, Fault> {
    let (tool, session) = (tool.to_owned(), session.to_owned());
    let call = Call { gate: Arc::clone(gate), server: None, tool, session, intent: None, is_ended: false };
    call.record(Status::Sent, arguments, None, None)?;
    Ok(call)
}

impl Call {
    /// The call a message is, if it is one.
    pub(crate) fn of(
        gate: &Arc<Gate>,
        upstream: &Upstream,
        message: &Message,
        session: &str,
        intent: Option<Intent>,
    ) -> Option<Call> {
        if message.kind() != Kind::Request || message.method() != "tools/call" {
            return None;
        }
        Some(Call {
            gate: Arc::clone(gate),
            server: Some(upstream.name.clone()),
            tool: message.text(Field::Name).unwrap_or_default().into_owned(),
            session: session.to_owned(),
            intent,
            is_ended: false,
        })
    }

    pub(crate) fn end(
        &mut self,
        status: Status,
        result: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<(), Fault> {
        self.is_ended = true;
        self.record(status, None, result, opinion)
    }

    /// Records that the call did not leave.
    pub(crate) fn stay(
        &mut self,
        status: Status,
        arguments: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<(), Fault> {
        self.is_ended = true;
        self.record(status, arguments, None, opinion)
    }

    pub(crate) fn record(
        &self,
        status: Status,
        arguments: Option<&[u8]>,
        result: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<(), Fault> {
        let said =
            self.intent.as_ref().filter(|_| matches!(status, Status::Sent | Status::Refused | Status::Held));
        let note = note(said, opinion);
        let draft = Draft {
            risk: opinion.map_or(0, |opinion| opinion.risk),
            server: self.server.as_ref().map_or("", ServerName::as_str),
            tool: &self.tool,
            session: &self.session,
            arguments,
            result,
            note: note.as_deref(),
            ..Draft::new(Recorded::ToolCall, status, now_us())
        };
        let settings = &self.gate.settings;
        let length = arguments.map_or(0, <[u8]>::len) + result.map_or(0, <[u8]>::len);
        let written = if settings.record_waits || length >= LARGE {
            tokio::task::block_in_place(|| settings.store.append(&draft))
        } else {
            settings.store.append(&draft)
        };
        match written {
            Ok(_) => Ok(()),
            Err(why) => {
                error!(%why, "a call cannot be recorded");
                self.gate.is_recording.store(false, Ordering::Relaxed);
                if settings.passes_unrecorded {
                    return Ok(());
                }
                Err(Fault::internal(
                    "The call cannot be recorded, so it may not pass; the operator must see to the store",
                )
                .with_status(500))
            }
        }
    }
}

impl Drop for Call {
    /// The client left before the answer came: that too is an end.
    fn drop(&mut self) {
        if !self.is_ended {
            self.is_ended = true;
            let _ = self.record(Status::Failed, None, None, None);
        }
    }
}

/// What a record says beside the message: what the agent wants, and what the judge thinks.
fn note(said: Option<&Intent>, opinion: Option<&Opinion>) -> Option<String> {
    let parts = [("intent", said.map(Intent::value)), ("guard", opinion.and_then(|one| one.note.clone()))];
    let parts: serde_json::Map<_, _> =
        parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    (!parts.is_empty()).then(|| serde_json::Value::from(parts).to_string())
}
