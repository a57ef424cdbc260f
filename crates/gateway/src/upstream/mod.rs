//! The servers: how each is reached, and the one way a message gets to it.

pub(crate) mod address;
mod ask;
mod child;
mod events;
pub(crate) mod hearing;
pub(crate) mod http;
mod in_flight;
mod launch;
mod leased;
pub(crate) mod link;
pub(crate) mod opening;
mod pause;
mod pool;
mod process;
pub(crate) mod reach;
pub(crate) mod reply;
mod trouble;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use ::http::{HeaderName, HeaderValue, StatusCode};
use memchr::memmem;
use portcullis_decide::{Admitted, Standing, admit};
use portcullis_detect::fingerprint::Fingerprint;
use serde_json::Value;

use crate::GatewayError;
use crate::downstream::local::rank;
use crate::metrics::Answered;
use crate::news::News;
use crate::nodes::Nodes;
use crate::quarantine::reading::Readings;
use crate::settings::{Means, Server, ServerName, Transport};
use crate::wire::headers::{self, Mirrored};
use crate::wire::{Fault, Field, Kind, Message};
pub(crate) use ask::Ask;
pub(crate) use child::Child;
use child::Start;
use hearing::Hearing;
use http::{Http, Session};
use link::Caller;
use opening::Opening;
pub(crate) use pool::{Pool, Unreached};
pub(crate) use reach::{Reach, Stream, always, path};
use reply::Replies;
pub(crate) use trouble::{NOT_LET_IN, refused};

/// Tools whose marks are remembered.
const MOST_MIRRORED: usize = 4096;

/// One server.
pub(crate) struct Upstream {
    pub(crate) name: ServerName,
    /// How it is started or reached.
    pub(crate) launch: Fingerprint,
    pub(crate) route: Route,
    /// What the server tells everybody: lists that changed, resources that were updated.
    pub(crate) news: Arc<News<Message>>,
    silence: Duration,
    /// Which arguments of which tool are repeated in headers, as far as lists have passed.
    mirrored: RwLock<HashMap<String, Arc<[Mirrored]>>>,
    hearing: Hearing,
    /// The least important level of log lines a session asked for, by its place among the levels.
    level: AtomicUsize,
    /// What is known of what it declares.
    pub(crate) readings: Readings,
    /// Where its calls are counted.
    pub(crate) answered: OnceLock<Answered>,
}

/// How a server is reached.
pub(crate) enum Route {
    Http(Arc<Http>),
    /// In one conversation for all callers.
    Child(Arc<Child>),
}

/// A message, and the conversation it belongs to.
pub(crate) struct Outgoing {
    pub(crate) message: Message,
    pub(crate) lane: Lane,
}

/// Which conversation a message belongs to.
pub(crate) enum Lane {
    /// The client's own session with a server over HTTP.
    Session(Session),
    /// None: the request stands alone, with these headers.
    Stateless(Vec<(HeaderName, HeaderValue)>),
    /// One that the gateway holds and several callers share.
    Shared(Caller),
}

impl Lane {
    /// Where the server is answered that asks in this conversation; one without sessions asks in its results.
    pub(crate) fn back(&self) -> Option<Lane> {
        match self {
            Lane::Session(session) => Some(Lane::Session(session.clone())),
            Lane::Shared(caller) => Some(Lane::Shared(*caller)),
            Lane::Stateless(_) => None,
        }
    }
}

impl Upstream {
    /// A server; where there are other nodes, only one of all runs its process, unless it wants one on each.
    pub(crate) fn new(
        server: &Server,
        means: &Means,
        nodes: Option<&Arc<Nodes>>,
    ) -> Result<Upstream, GatewayError> {
        let news = Arc::new(News::new());
        let name = server.name.clone();
        let route = match &server.transport {
            Transport::Http(remote) => {
                Route::Http(Arc::new(Http::new(remote.clone(), means.limits, means.timing)?))
            }
            Transport::Stdio(launch) => {
                let start = Start::Process(launch.clone());
                let nodes = nodes.filter(|_| !server.each_node);
                Route::Child(Arc::new(Child::new(&name, start, means, nodes, &news)))
            }
            Transport::Sse(remote) => {
                let start = Start::Events(Box::new(remote.clone()));
                Route::Child(Arc::new(Child::new(&name, start, means, None, &news)))
            }
        };
        let silence = server.answer.unwrap_or(means.timing.answer);
        let (mirrored, hearing, readings, answered) = Default::default();
        let (launch, level) = (server.launch(), AtomicUsize::new(usize::MAX));
        Ok(Upstream { name, launch, route, news, silence, mirrored, hearing, level, readings, answered })
    }

    /// Sends what may leave, and says where its answer will be.
    pub(crate) async fn forward(&self, admitted: Admitted<Outgoing>) -> Result<Replies, Fault> {
        let Outgoing { message, lane } = admitted.into_message();
        let replies = match (&self.route, lane) {
            (Route::Http(http), Lane::Session(session)) => {
                http.in_session(&message, &session, self.silence).await
            }
            (Route::Http(http), Lane::Stateless(headers)) => {
                http.stateless(&message, &headers, self.silence).await
            }
            // In boxes, where what may have to be done first is large: a future is as large as its largest part.
            (Route::Http(http), Lane::Shared(caller)) => {
                Box::pin(http.in_own_session(&message, caller, self.silence)).await
            }
            (Route::Child(child), Lane::Shared(caller)) => {
                Box::pin(self.to_child(child, &message, caller)).await
            }
            (Route::Child(child), Lane::Stateless(_)) => {
                Box::pin(self.to_child(child, &message, lone_caller())).await
            }
            (Route::Child(_), Lane::Session(_)) => {
                Err(Fault::internal("This server has no sessions of its own"))
            }
        }?;
        Ok(if message.method() == "subscriptions/listen" { replies.patient() } else { replies })
    }

    async fn to_child(
        &self,
        child: &Arc<Child>,
        message: &Message,
        caller: Caller,
    ) -> Result<Replies, Fault> {
        match message.kind() {
            Kind::Request => return child.call(message, caller, self.silence).await,
            Kind::Notification if message.method() == "notifications/cancelled" => {
                child.link().await?.cancel(caller, message).await?;
            }
            Kind::Notification => child.link().await?.send(caller, message.bytes()).await?,
            Kind::Response | Kind::Error => child.link().await?.answer(caller, message).await?,
        }
        Ok(Replies::nothing(StatusCode::ACCEPTED))
    }

    /// What the server says of itself without sessions; `None` if it does not speak that revision.
    pub(crate) async fn modern(&self) -> Result<Option<Arc<Opening>>, Fault> {
        match &self.route {
            Route::Http(http) => http.modern().await,
            Route::Child(child) => Ok(Some(child.opening().await?).filter(|opening| opening.is_modern)),
        }
    }

    /// What the server says of itself in a conversation of ours with sessions.
    pub(crate) async fn legacy(&self) -> Result<Option<Arc<Opening>>, Fault> {
        match &self.route {
            Route::Http(http) => http.opening().await.map(Some),
            Route::Child(child) => Ok(Some(child.opening().await?).filter(|opening| !opening.is_modern)),
        }
    }

    /// What the server says of itself, in whichever era it speaks.
    pub(crate) async fn opening(&self) -> Result<Arc<Opening>, Fault> {
        match self.modern().await? {
            Some(opening) => Ok(opening),
            None => {
                self.legacy().await?.ok_or_else(|| Fault::internal("The server speaks no revision we know"))
            }
        }
    }

    /// Asks the server something of our own.
    pub(crate) async fn ask(&self, method: &str, mut params: Value) -> Result<Message, Fault> {
        let is_modern = self.modern().await?.is_some();
        if is_modern {
            params["_meta"] = opening::meta();
        }
        let message = opening::request(method, &params)?;
        let lane = match is_modern {
            true => Lane::Stateless(http::stateless_headers(&message)),
            false => Lane::Shared(lone_caller()),
        };
        let admitted = admit(Outgoing { message, lane }, Standing::Exposed);
        let admitted = admitted.map_err(|_| Fault::internal("The request may not leave"))?;
        reply::answer_of(self.forward(admitted).await?).await
    }

    /// Whether the server says more when it is asked for this level; a level that is none is the server's to refuse.
    pub(crate) fn would_say_more(&self, asked: &Message) -> bool {
        let level = asked.text(Field::Level).unwrap_or_default();
        rank(&level).is_none_or(|rank| self.level.fetch_min(rank, Ordering::AcqRel) > rank)
    }

    /// The arguments of a tool that are repeated in headers.
    pub(crate) fn mirrored(&self, tool: &str) -> Arc<[Mirrored]> {
        let known = self.mirrored.read().unwrap_or_else(PoisonError::into_inner);
        known.get(tool).cloned().unwrap_or_default()
    }

    /// Learns from a list of tools which arguments are repeated in headers.
    pub(crate) fn learn(&self, tools: &Message) {
        let marks_something =
            tools.raw(Field::Result).is_some_and(|raw| memmem::find(raw, b"x-mcp-header").is_some());
        let is_empty = self.mirrored.read().unwrap_or_else(PoisonError::into_inner).is_empty();
        if !marks_something && is_empty {
            return;
        }
        let result = tools.value(Field::Result).unwrap_or_default();
        let mut known = self.mirrored.write().unwrap_or_else(PoisonError::into_inner);
        for tool in result["tools"].as_array().into_iter().flatten().take(MOST_MIRRORED) {
            let name = tool["name"].as_str().unwrap_or_default();
            let marks = headers::mirrored(&tool["inputSchema"]);
            if marks.is_empty() {
                known.remove(name);
            } else if known.len() < MOST_MIRRORED {
                known.insert(name.to_owned(), marks.into());
            }
        }
    }

    /// A call was not answered in time: a process that is stuck is started anew.
    pub(crate) fn suspect(&self) {
        if let Route::Child(child) = &self.route {
            child.suspect();
        }
    }

    /// Ends what runs.
    pub(crate) fn end(&self) {
        if let Route::Child(child) = &self.route {
            child.end();
        }
    }

    /// Ready when nothing of it is left.
    pub(crate) async fn ended(&self) {
        if let Route::Child(child) = &self.route {
            child.ended().await;
        }
    }
}

/// A caller nobody else is: for requests without a session.
pub(crate) fn lone_caller() -> Caller {
    let mut bytes = [0; 16];
    // INVARIANT: without random numbers no session could be sealed either, and nothing gets this far.
    let _ = getrandom::fill(&mut bytes);
    Caller::from_le_bytes(bytes)
}
