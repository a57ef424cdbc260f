//! Asking the API from this machine: a gateway that runs, through its door, or the store itself when none does.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use serde_json::Value;

use super::{Answer, Asked, BASE, Principal, Refused, Role};
use crate::gate::Gate;
use crate::{GatewayError, Settings};

/// The largest answer that is read.
const MOST_BYTES: usize = 64 << 20;

/// Where decisions are made.
pub enum Desk {
    /// In this process, on the store.
    Here(Box<Here>),
    /// In a gateway that runs.
    There(PathBuf),
}

/// The API without a gateway that listens.
pub struct Here(Arc<Gate>);

impl Desk {
    /// The desk of a gateway that runs behind this door; `None` if none does.
    #[cfg(unix)]
    pub fn there(door: &Path) -> Option<Desk> {
        std::os::unix::net::UnixStream::connect(door).ok().map(|_| Desk::There(door.to_owned()))
    }

    /// The desk of a gateway that runs behind this door; there are no doors on this system.
    #[cfg(not(unix))]
    pub fn there(_door: &Path) -> Option<Desk> {
        None
    }

    /// A desk over the store alone: everything that needs no running server.
    pub fn here(settings: Settings) -> Result<Desk, GatewayError> {
        let gate = Gate::new(settings, None)?;
        gate.quarantine.review_stored();
        Ok(Desk::inside(Arc::new(gate)))
    }

    /// The desk of a gateway in this process.
    pub(crate) fn inside(gate: Arc<Gate>) -> Desk {
        Desk::Here(Box::new(Here(gate)))
    }

    /// Asks, and returns the data of the answer.
    pub async fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value, Refused> {
        let text = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        match self {
            Desk::There(door) => there(door, method, path, text).await,
            Desk::Here(here) => {
                let (path, query) = path.split_once('?').unwrap_or((path, ""));
                let who = Principal { name: "this machine".into(), role: Role::Admin, is_owner: true };
                match super::answer(&here.0, Asked::new(method, path, query, text, who)).await? {
                    Answer::Data(value) => Ok(value),
                    Answer::Text(_, text) => Ok(Value::String(String::from_utf8_lossy(&text).into_owned())),
                    Answer::Feed(_) => Err(Refused::not_found("Nothing happens while no gateway runs")),
                }
            }
        }
    }
}

#[cfg(unix)]
async fn there(door: &Path, method: Method, path: &str, body: Bytes) -> Result<Value, Refused> {
    let broken = |_| Refused::internal("The gateway that runs did not answer");
    let stream = tokio::net::UnixStream::connect(door)
        .await
        .map_err(|error| Refused::internal(format!("The gateway that runs cannot be reached: {error}")))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await.map_err(broken)?;
    tokio::spawn(connection);
    let request = Request::builder()
        .method(method)
        .uri(format!("{BASE}{path}"))
        .header(http::header::HOST, "localhost")
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(Full::new(body))
        .map_err(|_| Refused::bad("The path is not well written"))?;
    let response = sender.send_request(request).await.map_err(broken)?;
    let status = response.status();
    let too_large = |_| Refused::internal("The gateway's answer is too large");
    let bytes = Limited::new(response.into_body(), MOST_BYTES).collect().await.map_err(too_large)?.to_bytes();
    opened(status, &bytes)
}

#[cfg(not(unix))]
async fn there(_door: &Path, _method: Method, _path: &str, _body: Bytes) -> Result<Value, Refused> {
    Err(Refused::not_found("There are no doors on this system"))
}

/// What is in the envelope.
fn opened(status: StatusCode, bytes: &[u8]) -> Result<Value, Refused> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(mut value) if value["success"] == true => Ok(value["data"].take()),
        Ok(value) if value["success"] == false => {
            Err(Refused::status(status, value["error"].as_str().unwrap_or_default()))
        }
        _ => Ok(Value::String(String::from_utf8_lossy(bytes).into_owned())),
    }
}
