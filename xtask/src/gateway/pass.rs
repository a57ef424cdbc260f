//! The least a proxy can do: HTTP in, the same HTTP out over connections that stay open, nothing read, nothing kept.

use anyhow::Result;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::service::service_fn;
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::{TcpListener, TcpStream};

type Idle = Arc<Mutex<Vec<SendRequest<Incoming>>>>;

/// Serves for ever; the first line says where.
pub(crate) async fn serve(target: &str) -> Result<()> {
    let target: Uri = target.parse()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    super::say(&format!("http://{}{}", listener.local_addr()?, target.path()));
    let idle = Idle::default();
    loop {
        let (stream, _) = listener.accept().await?;
        let (idle, target) = (Arc::clone(&idle), target.clone());
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let service = service_fn(move |request| forward(Arc::clone(&idle), target.clone(), request));
            // A client that leaves is no failure.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn forward(
    idle: Idle,
    target: Uri,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, hyper::Error>>> {
    let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut sender = match taken {
        Some(sender) => sender,
        None => connect(&target).await?,
    };
    let response = sender.send_request(request).await?;
    let (head, body) = response.into_parts();
    let body = body.collect().await?;
    idle.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
    let bytes = body.to_bytes();
    let body = if bytes.is_empty() {
        Empty::new().map_err(|never| match never {}).boxed()
    } else {
        http_body_util::Full::new(bytes).map_err(|never| match never {}).boxed()
    };
    Ok(Response::from_parts(head, body))
}

async fn connect(target: &Uri) -> Result<SendRequest<Incoming>> {
    let host = target.authority().map(ToString::to_string).unwrap_or_default();
    let stream = TcpStream::connect(host).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}
