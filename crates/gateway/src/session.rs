//! The walk of a message through the gate: judged, recorded, forwarded; answered, judged, recorded, told.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use portcullis_decide::policy::ResultVerdict;
use portcullis_decide::{Refusal, Released, Standing, Withheld, admit, release, release_result};
use portcullis_store::Status;

use crate::catalogue::Kind as Listed;
use crate::gate::Gate;
use crate::intent::Intent;
use crate::judge::holding::{Used, Waited};
use crate::judge::passage::{self, Permit, Subject};
use crate::judge::waiting::{Step, Wait};
use crate::judge::{Judged, Party};
use crate::metrics::Outcome;
use crate::quarantine::addressee;
use crate::quarantine::answer::{self, Shows};
use crate::recording::{Call, Recording};
use crate::settings::ServerName;
use crate::upstream::reply::{Item, Replies, Reply};
use crate::upstream::{Lane, Outgoing, Upstream};
use crate::watch::Watch;
use crate::wire::{Fault, Field, Kind, Message};

/// A message on its walk, and what comes back for it.
pub(crate) struct Walk {
    gate: Arc<Gate>,
    upstream: Arc<Upstream>,
    party: Party,
    stage: Stage,
    call: Option<Call>,
    /// Until they are recorded.
    arguments: Option<Bytes>,
    /// Until the answer.
    judged: Option<Box<Judged>>,
    /// The human's decision that let it pass, until the answer.
    used: Option<Box<Used>>,
    /// Until the answer.
    watch: Option<Watch>,
    /// What the answer will show of the server.
    shows: Option<Shows>,
    /// Where the server hears that it may not ask what it asks.
    back: Option<Lane>,
}

/// How far a message came.
#[expect(clippy::large_enum_variant, reason = "almost every message is sent at once")]
enum Stage {
    /// A human must decide first.
    Held(Box<Wait>),
    /// It left.
    Sent(Replies),
    /// There is nothing more to come.
    Over,
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
    let watch = Watch::of(gate, upstream, &outgoing.message);
    let standing = addressee::standing(gate, upstream, &outgoing.message).await?;
    let subject = Subject::of(&outgoing.message).filter(|_| standing == Standing::Exposed);
    let mut walk = Walk {
        gate: Arc::clone(gate),
        upstream: Arc::clone(upstream),
        party: party.clone(),
        stage: Stage::Over,
        call: Call::of(gate, upstream, &outgoing.message, &party.session, intent),
        arguments: outgoing.message.shared(Field::Arguments),
        judged: None,
        used: None,
        watch,
        shows: Shows::of(&outgoing.message),
        back: outgoing.lane.back(),
    };
    let permit = match subject {
        Some(subject) => {
            let intent = walk.call.as_ref().and_then(|call| call.intent.as_ref());
            passage::permit(gate, upstream, party, outgoing, subject, intent).await
        }
        None => {
            let refused = refusal_of(&upstream.name, &outgoing.message);
            match admit(outgoing, standing) {
                Ok(admitted) => Permit::Passes(admitted, None),
                Err(why) => Permit::Refused(refused(why), None),
            }
        }
    };
    if matches!(permit, Permit::Refused(..) | Permit::Waits(_)) {
        // Nothing of a server is told here; what others do not hear now is told with what comes next.
        gate.judge.settle(party).await;
    }
    walk.pass(permit).await?;
    Ok(walk)
}

impl Walk {
    /// The status of the server's HTTP answer; 200 if there is none.
    pub(crate) fn status(&self) -> StatusCode {
        self.replies().map_or(StatusCode::OK, |replies| replies.status)
    }

    /// The session the server opened.
    pub(crate) fn session(&self) -> Option<&HeaderValue> {
        self.replies().and_then(|replies| replies.session.as_ref())
    }

    /// Whether a human must decide first.
    pub(crate) fn is_held(&self) -> bool {
        matches!(self.stage, Stage::Held(_))
    }

    /// Whether the server answered with a stream of its own.
    pub(crate) fn is_events(&self) -> bool {
        self.replies().is_some_and(Replies::is_events)
    }

    /// Whether everything has come already.
    pub(crate) fn is_whole(&self) -> bool {
        self.replies().is_some_and(Replies::is_whole)
    }

    fn replies(&self) -> Option<&Replies> {
        match &self.stage {
            Stage::Sent(replies) => Some(replies),
            Stage::Held(_) | Stage::Over => None,
        }
    }

    /// Another request of the client goes on with this walk.
    pub(crate) fn continued(&mut self, by: &Message) {
        if let Stage::Sent(replies) = &mut self.stage {
            replies.continued(by);
        }
    }

    /// Records what became of a message, and forwards it if it may leave.
    async fn pass(&mut self, permit: Permit) -> Result<(), Fault> {
        let arguments = self.arguments.take();
        let (admitted, judged) = match permit {
            Permit::Passes(admitted, judged) => (admitted, judged),
            Permit::Waits(wait) => {
                self.arguments = arguments;
                self.stage = Stage::Held(wait);
                return Ok(());
            }
            Permit::Refused(fault, judged) => {
                if let Some(watch) = &mut self.watch {
                    watch.ends(Outcome::Refused);
                }
                if let Some(mut call) = self.call.take() {
                    let opinion = judged.as_deref().map(|judged| &judged.opinion);
                    call.stay(Status::Refused, arguments.as_deref(), opinion)?.arrived().await?;
                }
                return Err(fault);
            }
        };
        // INVARIANT: the record comes before the effect.
        if let Some(call) = &self.call {
            let sent = admitted.message().message.shared(Field::Arguments);
            let opinion = judged.as_deref().map(|judged| &judged.opinion);
            call.record(Status::Sent, sent.as_deref(), opinion)?.arrived().await?;
        }
        self.judged = judged;
        match self.upstream.forward(admitted).await {
            Ok(replies) => self.stage = Stage::Sent(replies),
            Err(fault) => return Err(self.failed(fault).await?),
        }
        Ok(())
    }

    /// The server could not do it.
    async fn failed(&mut self, fault: Fault) -> Result<Fault, Fault> {
        if fault.status == 504 {
            self.upstream.suspect();
        }
        if let Some(mut call) = self.call.take() {
            call.end(Status::Failed, None, None)?.arrived().await?;
        }
        Ok(fault)
    }

    /// What comes next and may be told; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Telling>, Fault> {
        loop {
            let came = match &mut self.stage {
                Stage::Over => return Ok(None),
                Stage::Sent(replies) => replies.next().await,
                Stage::Held(wait) => match wait.next(&self.gate).await? {
                    Step::Tell(message) => return Ok(Some(own(message))),
                    Step::Answer(message) => return self.asked(message).await.map(Some),
                    Step::Ended(ended) => {
                        Box::pin(self.ended(ended)).await?;
                        continue;
                    }
                },
            };
            let item = match came {
                Ok(None) => return Ok(None),
                Ok(Some(item)) => item,
                Err(fault) => return Err(self.failed(fault).await?),
            };
            if let Some(telling) = self.judge(item).await? {
                return Ok(Some(telling));
            }
        }
    }

    /// The wait for a human is over.
    async fn ended(&mut self, ended: Waited) -> Result<(), Fault> {
        let Stage::Held(wait) = std::mem::replace(&mut self.stage, Stage::Over) else { return Ok(()) };
        let standing = addressee::standing(&self.gate, &self.upstream, wait.message()).await?;
        let (permit, used) = wait.over(&self.gate, &self.upstream, ended, standing);
        self.used = used;
        self.pass(permit).await
    }

    /// The answer is a question to the user; the same call will come again.
    async fn asked(&mut self, question: Message) -> Result<Telling, Fault> {
        self.stage = Stage::Over;
        if let Some(mut call) = self.call.take() {
            call.stay(Status::Held, self.arguments.take().as_deref(), None)?.arrived().await?;
        }
        Ok(own(question))
    }

    /// What may be told of what came; `None` if nothing may.
    async fn judge(&mut self, mut item: Item) -> Result<Option<Telling>, Fault> {
        if let Item::Message(reply) = &mut item
            && is_question(&reply.message)
        {
            let verdict = self.hear_question(reply)?;
            passage::settle(&self.gate, &self.party).await?;
            return Ok(release_result(item, &verdict).map_err(|held| self.refuse(&held)).ok());
        }
        let (verdict, recording) = self.note(&mut item)?;
        if verdict.is_some() {
            // INVARIANT: nothing is told before both are done; neither needs the other, so they travel together.
            let settled = passage::settle(&self.gate, &self.party);
            let (recorded, settled) = tokio::join!(recording.arrived(), settled);
            recorded.and(settled)?;
        } else {
            recording.arrived().await?;
        }
        self.hide(&mut item).await?;
        let Some(verdict) = verdict else { return Ok(Some(release(item))) };
        let limits = self.gate.settings.limits.message;
        let withheld = |held: Withheld<Item>| passage::withheld(held, &verdict, limits);
        Ok(Some(release_result(item, &verdict).unwrap_or_else(withheld)))
    }

    /// Judges what the server asks, and writes anew what must not be asked as it came.
    fn hear_question(&self, reply: &mut Reply) -> Result<ResultVerdict, Fault> {
        let heard = passage::hear_question(&self.gate, &self.party, &self.upstream.name, &reply.message);
        if let Some(edited) = heard.edited {
            reply.rewrite(Field::Params, edited, self.gate.settings.limits.message)?;
        }
        Ok(heard.verdict)
    }

    /// Answers the server in the client's place. The client waits for its own answer and not for this.
    fn refuse(&self, question: &Withheld<Item>) {
        let Item::Message(reply) = question.message() else { return };
        let fault = Fault {
            code: REFUSED,
            ..Fault::internal("Refused by the gate: its policy does not let this be asked")
        };
        let answer = Message::one(fault.answer(reply.message.id()), self.gate.settings.limits.message);
        let (Ok(message), Some(lane)) = (answer, self.back.as_ref().and_then(Lane::back)) else { return };
        let Ok(admitted) = admit(Outgoing { message, lane }, Standing::Exposed) else { return };
        let upstream = Arc::clone(&self.upstream);
        // A server that is gone needs no answer.
        tokio::spawn(async move { upstream.forward(admitted).await.map(drop) });
    }

    /// Takes out what may not be seen. News that a list changed are reason enough to read the server again.
    async fn hide(&mut self, item: &mut Item) -> Result<(), Fault> {
        let Item::Message(reply) = item else { return Ok(()) };
        if reply.message.kind() == Kind::Notification {
            self.gate.doubt(&self.upstream, &reply.message);
        }
        match self.shows {
            Some(shows) if reply.message.kind() == Kind::Response => {
                answer::hide(&self.gate, &self.upstream, shows, &self.party, reply).await
            }
            _ => Ok(()),
        }
    }

    /// Judges and records the answer before it is told, and writes anew what must not be told as it came.
    fn note(&mut self, item: &mut Item) -> Result<(Option<ResultVerdict>, Recording), Fault> {
        let Item::Message(reply) = item else { return Ok((None, Recording::DONE)) };
        if !reply.message.is_answer() {
            return Ok((None, Recording::DONE));
        }
        if let Some(mut watch) = self.watch.take() {
            watch.ends(Outcome::Answered);
        }
        if matches!(self.shows, Some(Shows::List { kind: Listed::Tools, .. })) {
            self.upstream.learn(&reply.message);
        }
        if let Some(used) = self.used.take()
            && reply.message.text(Field::ResultType).as_deref() == Some("input_required")
        {
            passage::give_back(&self.gate, *used);
        }
        let (status, field) = match reply.message.kind() {
            Kind::Error => (Status::Failed, Field::Error),
            _ => (Status::Answered, Field::Result),
        };
        let said = reply.message.shared(field).unwrap_or_default();
        let is_error = field == Field::Error;
        let judged = self.judged.take();
        let heard = judged.as_ref().map(|judged| passage::hear(&self.gate, judged, &said, is_error));
        let mut recording = Recording::DONE;
        if let Some(mut call) = self.call.take() {
            recording = call.end(status, Some(&said), heard.as_ref().map(|heard| &heard.opinion))?;
        } else if let (Some(judged), Some(heard)) = (&judged, &heard) {
            passage::record_content(&self.gate, judged, heard);
        }
        let Some(heard) = heard else { return Ok((None, recording)) };
        if let Some(edited) = heard.edited {
            reply.rewrite(field, edited, self.gate.settings.limits.message)?;
        }
        Ok((Some(heard.verdict), recording))
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

/// A stream the server speaks on without being asked, in a session of this party.
pub(crate) fn listen(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    replies: Replies,
    party: Party,
    back: Lane,
) -> Walk {
    Walk {
        gate: Arc::clone(gate),
        upstream: Arc::clone(upstream),
        party,
        stage: Stage::Sent(replies),
        call: None,
        arguments: None,
        judged: None,
        used: None,
        shows: None,
        watch: None,
        back: Some(back),
    }
}

/// What a server hears whose question may not be asked: the number the protocol has for a user who says no.
const REFUSED: i32 = -1;

/// Whether a server asks something of the agent or its user that somebody wrote.
fn is_question(message: &Message) -> bool {
    message.kind() == Kind::Request && !matches!(&*message.method(), "ping" | "roots/list")
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
