//! The walk of a message through the gate: judged, recorded, forwarded; answered, judged, recorded, told.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use portcullis_decide::{Refusal, Released, Standing, admit, release};
use portcullis_store::{Draft, Kind as Recorded, Status};
use tracing::error;

use crate::gate::Gate;
use crate::intent::Intent;
use crate::metrics::Outcome;
use crate::upstream::reply::{Item, Replies, Reply};
use crate::upstream::{Outgoing, Upstream};
use crate::watch::Watch;
use crate::wire::{Fault, Field, Kind, Message};

/// Results from this size on are masked off the threads that serve others.
const LARGE: usize = 256 << 10;

/// A message on its walk, and what comes back for it.
pub(crate) struct Walk {
    upstream: Arc<Upstream>,
    replies: Replies,
    call: Option<Call>,
    /// Until the answer.
    watch: Option<Watch>,
    lists_tools: bool,
}

/// A tool call that was recorded as sent, and is owed a record of its end.
struct Call {
    gate: Arc<Gate>,
    server: String,
    tool: String,
    session: String,
    intent: Option<Intent>,
    is_ended: bool,
}

/// What may be told to a client.
pub(crate) type Telling = Released<Item>;

/// Judges, records and forwards a message.
pub(crate) async fn walk(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    outgoing: Outgoing,
    standing: Standing,
    session: &str,
) -> Result<Walk, Fault> {
    let (intent, message) = Intent::taken(outgoing.message, gate.settings.limits.message)?;
    let outgoing = Outgoing { message, ..outgoing };
    let mut watch = Watch::of(gate, &upstream.name, &outgoing.message);
    let call = Call::of(gate, upstream, &outgoing.message, session, intent);
    let arguments = outgoing.message.shared(Field::Arguments);
    let lists_tools = outgoing.message.method() == "tools/list";
    let admitted = admit(outgoing, standing).map_err(|refusal| match refusal {
        Refusal::Unknown => Fault::params("Unknown tool").with_status(200),
    });
    if let (Err(_), Some(watch)) = (&admitted, &mut watch) {
        watch.ends(Outcome::Refused);
    }
    let admitted = match (admitted, &call) {
        (Ok(admitted), _) => admitted,
        (Err(fault), Some(call)) => {
            call.record(Status::Refused, arguments.as_deref(), None)?;
            return Err(fault);
        }
        (Err(fault), None) => return Err(fault),
    };
    // INVARIANT: the record comes before the effect.
    if let Some(call) = &call {
        call.record(Status::Sent, arguments.as_deref(), None)?;
    }
    match upstream.forward(admitted).await {
        Ok(replies) => Ok(Walk { upstream: Arc::clone(upstream), replies, call, lists_tools, watch }),
        Err(fault) => {
            if fault.status == 504 {
                upstream.suspect();
            }
            if let Some(mut call) = call {
                call.end(Status::Failed, None)?;
            }
            Err(fault)
        }
    }
}

impl Walk {
    pub(crate) fn replies(&self) -> &Replies {
        &self.replies
    }

    /// Another request of the client goes on with this walk.
    pub(crate) fn continued(&mut self, by: &Message) {
        self.replies.continued(by);
    }

    /// What comes next and may be told; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Telling>, Fault> {
        match self.replies.next().await {
            Ok(Some(item)) => {
                self.note(&item)?;
                Ok(Some(release(item)))
            }
            Ok(None) => Ok(None),
            Err(fault) => {
                if fault.status == 504 {
                    self.upstream.suspect();
                }
                if let Some(mut call) = self.call.take() {
                    call.end(Status::Failed, None)?;
                }
                Err(fault)
            }
        }
    }

    /// Records the answer before it is told.
    fn note(&mut self, item: &Item) -> Result<(), Fault> {
        let Item::Message(reply) = item else { return Ok(()) };
        if !reply.message.is_answer() {
            return Ok(());
        }
        if let Some(mut watch) = self.watch.take() {
            watch.ends(Outcome::Answered);
        }
        if self.lists_tools {
            self.upstream.learn(&reply.message);
        }
        let Some(mut call) = self.call.take() else { return Ok(()) };
        let (status, result) = match reply.message.kind() {
            Kind::Error => (Status::Failed, reply.message.raw(Field::Error)),
            _ => (Status::Answered, reply.message.raw(Field::Result)),
        };
        call.end(status, result)
    }
}

impl Call {
    fn of(
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
            server: upstream.name.as_str().to_owned(),
            tool: message.text(Field::Name).unwrap_or_default().into_owned(),
            session: session.to_owned(),
            intent,
            is_ended: false,
        })
    }

    fn end(&mut self, status: Status, result: Option<&[u8]>) -> Result<(), Fault> {
        self.is_ended = true;
        self.record(status, None, result)
    }

    fn record(&self, status: Status, arguments: Option<&[u8]>, result: Option<&[u8]>) -> Result<(), Fault> {
        let said = self.intent.as_ref().filter(|_| matches!(status, Status::Sent | Status::Refused));
        let note = said.map(Intent::note);
        let draft = Draft {
            server: &self.server,
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
            let _ = self.record(Status::Failed, None, None);
        }
    }
}

/// Microseconds since 1970.
pub(crate) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// A message of our own that may be told.
pub(crate) fn own(message: Message) -> Telling {
    release(Item::Message(Box::new(Reply::of(message))))
}

/// A stream the server speaks on without being asked.
pub(crate) fn listen(upstream: &Arc<Upstream>, replies: Replies) -> Walk {
    Walk { upstream: Arc::clone(upstream), replies, call: None, lists_tools: false, watch: None }
}
