//! A thousand servers in one process, each at a path of its own, that say when one of them changed.

use crate::random::Random;
use anyhow::Result;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedSender};

/// Tools of each server.
pub(crate) const TOOLS: u32 = 100;

type Body = BoxBody<Bytes, Infallible>;

/// One of the servers.
#[derive(Default)]
struct Member {
    /// How many tools it has beside its hundred.
    more: AtomicU32,
    /// Whoever listens to what it says without being asked.
    heard: Mutex<Vec<UnboundedSender<Bytes>>>,
}

/// All of them.
#[derive(Clone)]
pub(crate) struct Crowd {
    address: String,
    members: Arc<[Member]>,
}

impl Crowd {
    pub(crate) async fn start(count: u32) -> Result<Crowd> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let crowd = Crowd { address, members: (0..count).map(|_| Member::default()).collect() };
        let served = crowd.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                let crowd = served.clone();
                let service = service_fn(move |request| {
                    let crowd = crowd.clone();
                    async move { Ok::<_, Infallible>(crowd.answer(request).await) }
                });
                let serving = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service);
                // A gateway that leaves is no failure.
                tokio::spawn(async { drop(serving.await) });
            }
        });
        Ok(crowd)
    }

    /// The servers as a configuration names them.
    pub(crate) fn configured(&self) -> Value {
        let one = |number| (name(number), json!({ "url": format!("http://{}/{number}", self.address) }));
        (0..self.members.len()).map(one).collect::<serde_json::Map<_, _>>().into()
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// How many of them somebody listens to.
    pub(crate) fn listened_to(&self) -> usize {
        let is_heard = |member: &&Member| !lock(&member.heard).is_empty();
        self.members.iter().filter(is_heard).count()
    }

    /// From now on a server has one more tool, and says so.
    pub(crate) fn grow(&self, number: usize) {
        let Some(member) = self.members.get(number) else { return };
        member.more.fetch_add(1, Ordering::AcqRel);
        let news = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n";
        lock(&member.heard).retain(|heard| heard.send(Bytes::from_static(news.as_bytes())).is_ok());
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let number = request.uri().path().trim_start_matches('/').parse::<usize>().unwrap_or(usize::MAX);
        let Some(member) = self.members.get(number) else { return status(StatusCode::NOT_FOUND) };
        if request.method() == Method::GET {
            return member.listen();
        }
        let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let Some(id) = asked.get("id") else { return status(StatusCode::ACCEPTED) };
        let outcome = match asked["method"].as_str().unwrap_or_default() {
            "initialize" => {
                json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": { "listChanged": true } },
                "serverInfo": { "name": "crowd", "version": "1" } })
            }
            "tools/list" => {
                let count = TOOLS + member.more.load(Ordering::Acquire);
                json!({ "tools": (0..count).map(|tool| self::tool(number, tool)).collect::<Vec<_>>() })
            }
            _ => Value::Null,
        };
        let answer = match outcome {
            Value::Null => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no" } })
            }
            result => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        };
        told("application/json", Full::new(Bytes::from(answer.to_string())).boxed())
    }
}

impl Member {
    fn listen(&self) -> Response<Body> {
        let (sender, receiver) = mpsc::unbounded_channel();
        lock(&self.heard).push(sender);
        told("text/event-stream", BoxBody::new(Coming(receiver)))
    }
}

/// What a channel brings, as it comes.
struct Coming(mpsc::UnboundedReceiver<Bytes>);

impl hyper::body::Body for Coming {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// What a server is called at the gate.
pub(crate) fn name(number: usize) -> String {
    format!("server-{number}")
}

/// A tool of about 400 bytes. Its name and text are its own: what reads like another server's tool would be held.
fn tool(server: usize, tool: u32) -> Value {
    let mut random = Random::new((server as u64 + 1) * 100_000 + u64::from(tool));
    let mut word = || word(&mut random);
    json!({
        "name": format!("fetch_{}_{}", word(), word()),
        "description": format!("Returns the {} {} {} with its {}, its {} and the {} of its last {}.",
            word(), word(), word(), word(), word(), word(), word()),
        "inputSchema": { "type": "object", "required": ["id"], "properties": {
            "id": { "type": "string", "description": "Which record." },
            "fields": { "type": "array", "items": { "type": "string" }, "description": "Fields to return; all of them if absent." },
        } },
    })
}

/// A word of four syllables that no language has.
fn word(random: &mut Random) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aeiou";
    let mut letter =
        |of: &[u8]| of.get(random.below(of.len() as u64) as usize).map_or('x', |&it| char::from(it));
    (0..4).flat_map(|_| [letter(CONSONANTS), letter(VOWELS)]).collect()
}

fn told(media: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert("content-type", hyper::header::HeaderValue::from_static(media));
    response
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Full::default().boxed());
    *response.status_mut() = status;
    response
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
