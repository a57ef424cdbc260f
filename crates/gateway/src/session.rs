//! The walk of a message through the gate: judged, recorded, forwarded; answered, judged, recorded, told.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use portcullis_decide::policy::Verdict;
use portcullis_decide::{Refusal, Released, Standing, Withheld, admit, release, release_result};
use portcullis_store::{Draft, Kind as Recorded, Status};
use tracing::error;

use crate::catalogue::Kind as Listed;
use crate::gate::Gate;
use crate::intent::Intent;
use crate::judge::passage::{self, Subject};
use crate::judge::{Judged, Opinion, Party};
use crate::metrics::Outcome;
use crate::quarantine::addressee;
use crate::quarantine::answer::{self, Shows};
use crate::settings::ServerName;
use crate::upstream::reply::{Item, Replies, Reply};
use crate::upstream::{Outgoing, Upstream};
use crate::watch::Watch;
use crate::wire::{Fault, Field, Kind, Message};

/// Results from this size on are masked off the threads that serve others.
const LARGE: usize = 256 << 10;

/// A message on its walk, and what comes back for it.
pub(crate) struct Walk {
    gate: Arc<Gate>,
    upstream: Arc<Upstream>,
    replies: Replies,
    call: Option<Call>,
    /// Until the answer.
    judged: Option<Box<Judged>>,
    /// Until the answer.
    watch: Option<Watch>,
    /// What the answer will show of the server.
    shows: Option<Shows>,
}

/// A tool call that was recorded as sent, and is owed a record of its end.
pub(crate) struct Call {
    gate: Arc<Gate>,
    /// `None` if the tool is the gateway's own.
    server: Option<ServerName>,
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
    party: &Party,
) -> Result<Walk, Fault> {
    let (intent, message) = Intent::taken(outgoing.message, gate.settings.limits.message)?;
    let outgoing = Outgoing { message, ..outgoing };
    let mut watch = Watch::of(gate, &upstream.name, &outgoing.message);
    let shows = Shows::of(&outgoing.message);
    let standing = addressee::standing(gate, upstream, &outgoing.message).await?;
    let subject = Subject::of(&outgoing.message);
    let call = Call::of(gate, upstream, &outgoing.message, &party.session, intent);
    let arguments = outgoing.message.shared(Field::Arguments);
    let intent = call.as_ref().and_then(|call| call.intent.as_ref());
    let permitted = match &subject {
        Some(subject) if standing == Standing::Exposed => {
            passage::permit(gate, upstream, party, outgoing, subject, intent).await
        }
        _ => {
            let refused = refusal_of(&upstream.name, &outgoing.message);
            admit(outgoing, standing).map(|admitted| (admitted, None)).map_err(|why| (refused(why), None))
        }
    };
    if let (Err(_), Some(watch)) = (&permitted, &mut watch) {
        watch.ends(Outcome::Refused);
    }
    let (admitted, judged) = match (permitted, &call) {
        (Ok(permitted), _) => permitted,
        (Err((fault, judged)), Some(call)) => {
            call.record(
                Status::Refused,
                arguments.as_deref(),
                None,
                judged.as_deref().map(|judged| &judged.opinion),
            )?;
            return Err(fault);
        }
        (Err((fault, _)), None) => return Err(fault),
    };
    // INVARIANT: the record comes before the effect.
    if let Some(call) = &call {
        let sent = admitted.message().message.shared(Field::Arguments);
        call.record(Status::Sent, sent.as_deref(), None, judged.as_deref().map(|judged| &judged.opinion))?;
    }
    match upstream.forward(admitted).await {
        Ok(replies) => {
            let (gate, upstream) = (Arc::clone(gate), Arc::clone(upstream));
            Ok(Walk { gate, upstream, replies, call, judged, shows, watch })
        }
        Err(fault) => {
            if fault.status == 504 {
                upstream.suspect();
            }
            if let Some(mut call) = call {
                call.end(Status::Failed, None, None)?;
            }
            Err(fault)
        }
    }
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
            Ok(Some(mut item)) => {
                let verdict = self.note(&mut item)?;
                self.hide(&mut item).await?;
                let Some(verdict) = verdict else { return Ok(Some(release(item))) };
                let limits = self.gate.settings.limits.message;
                let withheld = |held: Withheld<Item>| passage::withheld(held, &verdict, limits);
                Ok(Some(release_result(item, &verdict).unwrap_or_else(withheld)))
            }
            Ok(None) => Ok(None),
            Err(fault) => {
                if fault.status == 504 {
                    self.upstream.suspect();
                }
                if let Some(mut call) = self.call.take() {
                    call.end(Status::Failed, None, None)?;
                }
                Err(fault)
            }
        }
    }

    /// Takes out what may not be seen. News that a list changed are reason enough to read the server again.
    async fn hide(&mut self, item: &mut Item) -> Result<(), Fault> {
        let Item::Message(reply) = item else { return Ok(()) };
        if reply.message.kind() == Kind::Notification {
            self.gate.doubt(&self.upstream, &reply.message);
        }
        match self.shows {
            Some(shows) if reply.message.kind() == Kind::Response => {
                answer::hide(&self.gate, &self.upstream, shows, reply).await
            }
            _ => Ok(()),
        }
    }

    /// Judges and records the answer before it is told, and writes anew what must not be told as it came.
    fn note(&mut self, item: &mut Item) -> Result<Option<Verdict>, Fault> {
        let Item::Message(reply) = item else { return Ok(None) };
        if !reply.message.is_answer() {
            return Ok(None);
        }
        if let Some(mut watch) = self.watch.take() {
            watch.ends(Outcome::Answered);
        }
        if matches!(self.shows, Some(Shows::List { kind: Listed::Tools, .. })) {
            self.upstream.learn(&reply.message);
        }
        let (status, field) = match reply.message.kind() {
            Kind::Error => (Status::Failed, Field::Error),
            _ => (Status::Answered, Field::Result),
        };
        let said = reply.message.shared(field).unwrap_or_default();
        let is_error = field == Field::Error;
        let heard = self.judged.take().map(|judged| passage::hear(&self.gate, &judged, &said, is_error));
        if let Some(mut call) = self.call.take() {
            call.end(status, Some(&said), heard.as_ref().map(|heard| &heard.opinion))?;
        }
        let Some(heard) = heard else { return Ok(None) };
        if let Some(edited) = heard.edited {
            reply.rewrite(field, edited, self.gate.settings.limits.message)?;
        }
        Ok(Some(heard.verdict))
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

    fn record(
        &self,
        status: Status,
        arguments: Option<&[u8]>,
        result: Option<&[u8]>,
        opinion: Option<&Opinion>,
    ) -> Result<(), Fault> {
        let said = self.intent.as_ref().filter(|_| matches!(status, Status::Sent | Status::Refused));
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
pub(crate) fn listen(gate: &Arc<Gate>, upstream: &Arc<Upstream>, replies: Replies) -> Walk {
    Walk {
        gate: Arc::clone(gate),
        upstream: Arc::clone(upstream),
        replies,
        call: None,
        judged: None,
        shows: None,
        watch: None,
    }
}

/// What an agent is told of a message that may not leave: what it may know, and what a human can do.
fn refusal_of(server: &ServerName, message: &Message) -> impl Fn(Refusal) -> Fault + use<> {
    let (server, is_call) = (server.clone(), message.method() == "tools/call");
    move |refusal| {
        let text = match refusal {
            Refusal::Unknown => return Fault::params("Unknown tool").with_status(200),
            Refusal::Quarantined(hold) => format!(
                "Not allowed: {hold}. A human decides: `portcullis security list {}` shows what is held and why, and \
                 how to approve it.",
                server.as_str()
            ),
            // INVARIANT: only a verdict holds or denies, and what was judged is refused in the judge's words.
            Refusal::Held | Refusal::Denied => "The policy does not let this call pass.".to_owned(),
        };
        if is_call { Fault::tool_result(text) } else { Fault::invalid(text).with_status(200) }
    }
}
