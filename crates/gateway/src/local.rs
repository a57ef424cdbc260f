//! The door for those who may read this user's files: a Unix socket only its owner can open. Whoever comes through it is
//! the operator of this machine.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, HOST, HeaderValue, UPGRADE};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1 as client;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tracing::{debug, warn};

use crate::api::{self, Principal, Role};
use crate::downstream::body::Body;
use crate::downstream::http::{Target, whole};
use crate::downstream::stdio;
use crate::downstream::telling::{empty, json};
use crate::gate::Gate;
use crate::patience::Clock;
use crate::wrapping::Wrapped;

/// Where a relay hands a server over.
const WRAP: &str = "/wrap";
/// What is spoken from then on: lines of MCP.
const PROTOCOL: &str = "portcullis-wrap";
/// How a server is started, in bytes; an environment may be large.
const MOST_BYTES: u32 = 4 << 20;

/// The socket, removed with us.
pub(crate) struct Door {
    listener: UnixListener,
    path: PathBuf,
}

impl Door {
    /// Opens the door. A socket nobody answers on was left by a process that died, and is replaced.
    pub(crate) fn open(path: &Path) -> io::Result<Door> {
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(
                io::ErrorKind::AddrInUse,
                "another gateway of this user listens there",
            ));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        // INVARIANT: the folder is private already, so nobody came in between.
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        Ok(Door { listener, path: path.to_owned() })
    }

    /// Answers until the gateway stops.
    pub(crate) async fn serve(self, gate: Arc<Gate>) {
        let mut stopping = gate.stop.subscribe();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stopping.wait_for(|is_stopping| *is_stopping) => return,
            };
            match accepted {
                Ok((stream, _)) => drop(tokio::spawn(connection(Arc::clone(&gate), stream))),
                Err(error) => warn!(%error, "a local connection cannot be accepted"),
            }
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // Whoever comes next removes what is left.
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn connection(gate: Arc<Gate>, stream: UnixStream) {
    let timeout = gate.settings.timing.request;
    let service = service_fn(move |request: Request<Incoming>| {
        let gate = Arc::clone(&gate);
        async move {
            if request.uri().path() == WRAP {
                return Ok::<_, Infallible>(wrapped(&gate, request).await);
            }
            let who = Principal { name: "this machine".into(), role: Role::Admin, is_owner: true };
            Ok(api::http::serve_as(&gate, who, request).await)
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(Clock::default()).header_read_timeout(timeout);
    let served = builder.serve_connection(TokioIo::new(stream), service).with_upgrades();
    if let Err(error) = served.await {
        debug!(%error, "a local connection broke");
    }
}

/// A relay hands over how a server is started; then the connection is the client's.
async fn wrapped(gate: &Arc<Gate>, mut request: Request<Incoming>) -> Response<Body> {
    let upgrade = hyper::upgrade::on(&mut request);
    let (parts, body) = request.into_parts();
    let body = match whole(gate, &parts.headers, body, MOST_BYTES).await {
        Ok(body) => body,
        Err(fault) => return told(StatusCode::BAD_REQUEST, &fault.message),
    };
    let wrapped = serde_json::from_slice::<Wrapped>(&body).ok();
    let server = wrapped.and_then(|wrapped| Some((wrapped.server()?, wrapped.who())));
    let Some((server, who)) = server else {
        return told(StatusCode::BAD_REQUEST, "a server's name is made of small letters, digits and hyphens");
    };
    let taken = tokio::task::block_in_place(|| gate.wrap(server));
    let held = match taken {
        Ok(held) => held,
        Err(why) => return told(StatusCode::INTERNAL_SERVER_ERROR, &why.to_string()),
    };
    let gate = Arc::clone(gate);
    tokio::spawn(async move {
        match upgrade.await {
            Ok(stream) => {
                let (input, output) = tokio::io::split(TokioIo::new(stream));
                let target = Target::One(Arc::clone(&held.upstream));
                stdio::serve(gate, target, who, input, output).await;
            }
            Err(error) => debug!(%error, "a relay left at once"),
        }
        drop(held);
    });
    let mut response = empty(StatusCode::SWITCHING_PROTOCOLS);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static(PROTOCOL));
    response
}

fn told(status: StatusCode, message: &str) -> Response<Body> {
    json(Bytes::from(serde_json::json!({ "error": message }).to_string()), status)
}

/// Hands a server over to the gateway behind a door, and carries its client's messages until one of them leaves.
pub async fn relay(
    door: &Path,
    wrapped: &Wrapped,
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let stream = UnixStream::connect(door).await?;
    let (mut sender, connection) = client::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    tokio::spawn(connection.with_upgrades());
    let request = Request::builder()
        .method(Method::POST)
        .uri(WRAP)
        .header(HOST, "localhost")
        .header(CONNECTION, "upgrade")
        .header(UPGRADE, PROTOCOL)
        .body(Full::new(Bytes::from(serde_json::to_vec(wrapped)?)))
        .map_err(io::Error::other)?;
    let mut response = sender.send_request(request).await.map_err(io::Error::other)?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        let said = Limited::new(response.body_mut(), MOST_BYTES as usize).collect().await;
        let said =
            said.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned()).unwrap_or_default();
        return Err(io::Error::other(said));
    }
    let stream = TokioIo::new(hyper::upgrade::on(response).await.map_err(io::Error::other)?);
    let (mut from_gate, mut to_gate) = tokio::io::split(stream);
    let sending = async {
        tokio::io::copy(&mut input, &mut to_gate).await?;
        to_gate.shutdown().await
    };
    let telling = copy_flushed(&mut from_gate, &mut output);
    // When the client's input ends, what was asked is still answered; when the gateway leaves there is nothing more.
    let mut telling = std::pin::pin!(telling);
    tokio::select! {
        told = telling.as_mut() => told,
        sent = sending => {
            sent?;
            telling.await
        }
    }
}

/// Each piece reaches the client as it comes.
async fn copy_flushed(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        to.write_all(buffer.get(..count).unwrap_or_default()).await?;
        to.flush().await?;
    }
}
