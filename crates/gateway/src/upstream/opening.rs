//! How a conversation of ours with a server begins: `server/discover`, and `initialize` if that is not known.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::link::{Link, OURSELVES};
use crate::version;
use crate::wire::{self, Fault, Field, Kind, Message};

/// What a server said of itself.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Whether it speaks the revision without sessions.
    pub(crate) is_modern: bool,
    /// The revision that was agreed on.
    pub(crate) version: &'static str,
    /// The result of `initialize` or `server/discover`, as it came.
    pub(crate) result: Bytes,
}

/// How long a server has to answer a method it may not know; some say nothing.
const PROBE: Duration = Duration::from_secs(3);

/// What we can do towards a server on behalf of whoever calls: everything the callers may be able to.
pub(crate) fn capabilities() -> Value {
    json!({ "sampling": {}, "elicitation": { "form": {}, "url": {} }, "roots": { "listChanged": true } })
}

/// Who we are.
pub(crate) fn identity() -> Value {
    json!({ "name": "portcullis", "title": "Portcullis", "version": env!("CARGO_PKG_VERSION") })
}

/// The `_meta` of a request of our own to a server without sessions.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version::MODERN,
        "io.modelcontextprotocol/clientInfo": identity(),
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A message of our own.
pub(crate) fn request(method: &str, params: &Value) -> Result<Message, Fault> {
    let text = json!({ "jsonrpc": "2.0", "id": 0, "method": method, "params": params }).to_string();
    Message::one(Bytes::from(text), wire::Limits::default())
}

/// The request that opens a session.
pub(crate) fn initialize() -> Result<Message, Fault> {
    let params = json!({
        "protocolVersion": version::LEGACY[0], "capabilities": capabilities(), "clientInfo": identity(),
    });
    request("initialize", &params)
}

/// What follows the answer to it.
pub(crate) const INITIALIZED: Bytes =
    Bytes::from_static(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);

/// Reads what a server said to `server/discover`, if it says it is of this era.
pub(crate) fn discovered(answer: &Message) -> Option<Opening> {
    let result = answer.shared(Field::Result).filter(|_| answer.kind() == Kind::Response)?;
    let value: Value = serde_json::from_slice(&result).ok()?;
    let is_modern = value.get("supportedVersions")?.as_array()?.iter().any(|one| one == version::MODERN);
    is_modern.then_some(Opening { is_modern: true, version: version::MODERN, result })
}

/// Reads what a server said to `initialize`.
pub(crate) fn initialized(answer: &Message) -> Result<Opening, Fault> {
    let version = answer.text(Field::ResultVersion).and_then(|text| version::legacy(&text));
    match (answer.shared(Field::Result), version) {
        (Some(result), Some(version)) => Ok(Opening { is_modern: false, version, result }),
        _ => Err(Fault::internal("The server and the gateway share no revision of the protocol")),
    }
}

/// Begins the conversation; `None` if the server ended when it was probed, as some do when the first they hear is not
/// `initialize`.
pub(crate) async fn open(link: &Arc<Link>, timeout: Duration) -> Result<Option<Opening>, Fault> {
    let mut probe = pin!(ask(link, request("server/discover", &json!({ "_meta": meta() }))?));
    let found = |answer: Result<Message, Fault>| answer.ok().and_then(|answer| discovered(&answer));
    if let Ok(answer) = tokio::time::timeout(PROBE.min(timeout), &mut probe).await {
        return match found(answer) {
            Some(opening) => Ok(Some(opening)),
            None if link.is_closed() => Ok(None),
            None => initialise(link, timeout).await.map(Some),
        };
    }
    // A server that is slow to start reads both questions: if it answers the first, it refuses the second, and may do so
    // earlier.
    let mut initialised = pin!(initialise(link, timeout));
    tokio::select! {
        biased;
        answer = &mut probe => match found(answer) {
            Some(opening) => Ok(Some(opening)),
            None => initialised.await.map(Some),
        },
        opening = &mut initialised => match opening {
            Ok(opening) => Ok(Some(opening)),
            // It answers nothing at all.
            Err(late) if late.status == 504 => Err(late),
            Err(refusal) => {
                let answer = tokio::time::timeout(PROBE, probe).await.ok().and_then(found);
                answer.map(Some).ok_or(refusal)
            }
        },
    }
}

/// Begins the conversation as the revisions with sessions do.
pub(crate) async fn initialise(link: &Arc<Link>, timeout: Duration) -> Result<Opening, Fault> {
    let late = |_| Fault::internal("The server did not begin the conversation in time").with_status(504);
    let answer = tokio::time::timeout(timeout, ask(link, initialize()?)).await.map_err(late)??;
    let opening = initialized(&answer)?;
    link.send(OURSELVES, &INITIALIZED).await?;
    Ok(opening)
}

/// Any answer at all shows that the server lives.
pub(crate) async fn sign_of_life(link: &Arc<Link>, opening: &Opening) -> Result<(), Fault> {
    let message = match opening.is_modern {
        true => request("server/discover", &json!({ "_meta": meta() }))?,
        false => request("ping", &json!({}))?,
    };
    ask(link, message).await.map(drop)
}

async fn ask(link: &Arc<Link>, message: Message) -> Result<Message, Fault> {
    let (mut waiting, _) = link.call(&message, OURSELVES).await?;
    while let Some(message) = waiting.next().await? {
        if message.is_answer() {
            return Ok(message);
        }
    }
    Err(Fault::internal("The server ended before it answered"))
}
