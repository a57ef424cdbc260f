//! Listening, and ending well: no new connections, time for what is in flight, then nothing is left.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tracing::{debug, info, warn};

use crate::downstream::http::{self, Target};
use crate::downstream::stdio;
use crate::gate::Gate;
use crate::{Entrance, GatewayError, Settings};

/// How often idle sessions are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// A gateway that listens.
pub struct Gateway {
    gate: Arc<Gate>,
    listener: TcpListener,
    address: SocketAddr,
}

/// Listens until `shutdown` is ready, then ends what is in flight.
pub async fn serve(settings: Settings, shutdown: impl Future<Output = ()>) -> Result<(), GatewayError> {
    Gateway::bind(settings).await?.run(shutdown).await;
    Ok(())
}

/// Serves one client over its input and output until the input ends.
pub async fn serve_stdio(
    settings: Settings,
    entrance: Entrance,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), GatewayError> {
    let gate = Arc::new(Gate::new(settings)?);
    let target = match entrance {
        Entrance::All => Target::All,
        Entrance::Router => Target::Router,
        Entrance::Server(name) => {
            let unknown = || GatewayError::NoServer(name.as_str().to_owned());
            Target::One(Arc::clone(gate.upstream(name.as_str()).ok_or_else(unknown)?))
        }
    };
    gate.hear();
    stdio::serve(Arc::clone(&gate), target, input, output).await;
    gate.upstreams.iter().for_each(|upstream| upstream.end());
    Ok(())
}

impl Gateway {
    /// Listens, without answering yet.
    pub async fn bind(settings: Settings) -> Result<Gateway, GatewayError> {
        let asked = settings.listen;
        let unable = |error| GatewayError::Listen { address: asked, error };
        let listener = TcpListener::bind(asked).await.map_err(unable)?;
        let address = listener.local_addr().map_err(unable)?;
        let gate = Arc::new(Gate::new(settings)?);
        Ok(Gateway { gate, listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `shutdown` is ready.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let most = self.gate.settings.limits.connections;
        let places = Arc::new(Semaphore::new(most));
        let mut shutdown = std::pin::pin!(shutdown);
        self.gate.hear();
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                _ = sweep.tick() => self.gate.forget_idle(),
                accepted = self.accept(&places) => {
                    let Some((stream, place)) = accepted else { continue };
                    let gate = Arc::clone(&self.gate);
                    tokio::spawn(async move {
                        gate.metrics.connected();
                        connection(Arc::clone(&gate), stream).await;
                        gate.metrics.disconnected();
                        drop(place);
                    });
                }
            }
        }
        drop(self.listener);
        info!("no new connections; waiting for calls in flight");
        self.gate.stop.send_replace(true);
        let all = u32::try_from(most).unwrap_or(u32::MAX);
        let _ = tokio::time::timeout(self.gate.settings.timing.drain, places.acquire_many(all)).await;
        self.gate.upstreams.iter().for_each(|upstream| upstream.end());
    }

    async fn accept(
        &self,
        places: &Arc<Semaphore>,
    ) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
        let place = Arc::clone(places).acquire_owned().await.ok()?;
        match self.listener.accept().await {
            Ok((stream, _)) => Some((stream, place)),
            Err(error) => {
                // Too many open files, most often: others must end first.
                warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                None
            }
        }
    }
}

async fn connection(gate: Arc<Gate>, stream: TcpStream) {
    // Without it every small answer would wait for the client's acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    let timeout = gate.settings.timing.request;
    let mut stopping = gate.stop.subscribe();
    let service = service_fn(move |request| {
        let gate = Arc::clone(&gate);
        async move { Ok::<_, Infallible>(http::serve(gate, request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(timeout);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = async { drop(stopping.wait_for(|is_stopping| *is_stopping).await) } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        debug!(%error, "a connection broke");
    }
}
