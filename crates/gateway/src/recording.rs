//! Calls in the activity: each is recorded before it leaves, and its end before anybody hears of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use portcullis_store::{Appending, Draft, Kind as Recorded, Status, StoreError};
use tokio::runtime::Handle;
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
    session: Arc<str>,
    pub(crate) intent: Option<Intent>,
    is_ended: bool,
}

/// A record that was handed over, and may have to arrive yet; until then what it records may not be done.
#[must_use]
pub(crate) struct Recording(Option<(Arc<Gate>, Appending)>);

impl Recording {
    /// Nothing is to be waited for.
    pub(crate) const DONE: Recording = Recording(None);

    /// Returns when the record is where no crash loses it.
    pub(crate) async fn arrived(self) -> Result<(), Fault> {
        match self.0 {
            None => Ok(()),
            Some((gate, appending)) => written(&gate, appending.arrived().await),
        }
    }

    /// Nothing depends on it any more; that it did not arrive is noticed all the same.
    fn leave(self) {
        if let (Some(_), Ok(runtime)) = (&self.0, Handle::try_current()) {
            runtime.spawn(self.arrived());
        }
    }
}

/// Records a call of the gateway's own tool, before it does anything.
pub(crate) async fn own_call(
    gate: &Arc<Gate>,
    tool: &str,
    session: &str,
    arguments: Option<&[u8]>,
) -> Result<Call, Fault> {
    let (tool, session) = (tool.to_owned(), session.into());
    let call = Call { gate: Arc::clone(gate), server: None, tool, session, intent: None, is_ended: false };
    call.record(Status::Sent, arguments, None)?.arrived().await?;
    Ok(call)
}

impl Call {
    /// The call a message is, if it is one.
    pub(crate) fn of(
        gate: &Arc<Gate>,
        upstream: &Upstream,
        message: &Message,
        session: &Arc<str>,
        intent: Option<Intent>,
    ) -> Option<Call> {
        if message.kind() != Kind::Request || message.method() != "tools/call" {
            return None;
        }
        Some(Call {
            gate: Arc::clone(gate),
            server: Some(upstream.name.clone()),
            tool: message.text(Field::Name).unwrap_or_default().into_owned(),
            session: Arc::clone(session),
            intent,
            is_ended: false,
        })
    }

    /// Records how the call ended.
    pub(crate) fn end(
        &mut self,
        status: Status,
        result: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<Recording, Fault> {
        self.is_ended = true;
        self.write(status, None, result, opinion)
    }

    /// Records that the call did not leave.
    pub(crate) fn stay(
        &mut self,
        status: Status,
        arguments: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<Recording, Fault> {
        self.is_ended = true;
        self.record(status, arguments, opinion)
    }

    /// Records what becomes of the call.
    pub(crate) fn record(
        &self,
        status: Status,
        arguments: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<Recording, Fault> {
        self.write(status, arguments, None, opinion)
    }

    fn write(
        &self,
        status: Status,
        arguments: Option<&[u8]>,
        result: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<Recording, Fault> {
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
        let is_large = arguments.map_or(0, <[u8]>::len) + result.map_or(0, <[u8]>::len) >= LARGE;
        if let Some(appending) = apart(is_large, || settings.store.begin(&draft)) {
            return Ok(Recording(Some((Arc::clone(&self.gate), appending))));
        }
        let done = apart(settings.record_waits || is_large, || settings.store.append(&draft));
        written(&self.gate, done).map(|()| Recording::DONE)
    }
}

/// Does something where it keeps nobody else waiting, if it takes long.
fn apart<T>(is_long: bool, work: impl FnOnce() -> T) -> T {
    if is_long { tokio::task::block_in_place(work) } else { work() }
}

/// What a call hears whose record was written, or was not.
fn written(gate: &Gate, outcome: Result<u64, StoreError>) -> Result<(), Fault> {
    let Err(why) = outcome else { return Ok(()) };
    error!(%why, "a call cannot be recorded");
    gate.is_recording.store(false, Ordering::Relaxed);
    if gate.settings.passes_unrecorded {
        return Ok(());
    }
    Err(Fault::internal(
        "The call cannot be recorded, so it may not pass; the operator must see to the store",
    )
    .with_status(500))
}

impl Drop for Call {
    /// The client left before the answer came: that too is an end.
    fn drop(&mut self) {
        if !self.is_ended {
            self.is_ended = true;
            if let Ok(recording) = self.record(Status::Failed, None, None) {
                recording.leave();
            }
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
