//! Listening, and ending well: no new calls, time for what is in flight, then nothing is left.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tracing::{debug, info, warn};

use crate::alerts::AlertRules;
use crate::api::{Desk, Tokens};
use crate::downstream::http::{self, Seen, Target};
use crate::downstream::stdio;
use crate::downstream::taken::Taken;
use crate::gate::Gate;
use crate::joining::Reloaded;
use crate::judge::switch::throw;
use crate::judge::{JudgeRules, Who};
#[cfg(unix)]
use crate::local::Door;
use crate::patience::Clock;
use crate::settings::Server;
use crate::settle::settled;
use crate::{Entrance, GatewayError, Settings};

/// How often idle sessions are looked for, and certificates that were renewed.
const SWEEP: Duration = Duration::from_secs(30);

/// What may be changed while a gateway runs.
#[derive(Clone)]
pub struct Control(Arc<Gate>);

impl Control {
    /// Uses other servers from now on; those that are as they were go on untouched.
    pub fn reload(&self, servers: Vec<Server>) -> Result<Reloaded, GatewayError> {
        self.0.reload(servers)
    }

    /// Judges calls and results by other rules from now on.
    pub fn judge_by(&self, rules: Arc<JudgeRules>) {
        self.0.alerts.mask_by(rules.sought.clone());
        self.0.judge.follow(rules);
    }

    /// Tells others, or of other things, from now on.
    pub fn alert_by(&self, rules: AlertRules) {
        self.0.alerts.follow(rules);
    }

    /// Stops all calls, or lets them pass again; `by` is who wants it.
    pub fn stop_calls(&self, is_stopped: bool, by: &str) -> Result<(), GatewayError> {
        Ok(throw(&self.0, is_stopped, by)?)
    }

    /// The API, for who runs the gateway.
    pub fn desk(&self) -> Desk {
        Desk::inside(Arc::clone(&self.0))
    }

    /// Ready when nothing was wrapped for so long; never, if no time is named, or as long as servers are kept that
    /// somebody added: clients reach those without a relay that could start us again.
    pub async fn idle(&self, after: Option<Duration>) {
        let Some(after) = after else { return std::future::pending().await };
        let mut wraps = self.0.wraps.subscribe();
        loop {
            // INVARIANT: the gate holds the sender, so there is always a count.
            let _ = wraps.wait_for(|count| *count == 0).await;
            let is_idle = tokio::time::timeout(after, wraps.wait_for(|count| *count > 0)).await.is_err();
            if is_idle && !tokio::task::block_in_place(|| self.0.keeps_any()) {
                return;
            }
        }
    }

    /// A link to the dashboard that signs in once; `None` if the gateway does not listen.
    pub fn sign_in_link(&self) -> Option<String> {
        self.0.sign_in_link()
    }

    /// Who may do what.
    pub fn tokens(&self) -> &Tokens {
        &self.0.tokens
    }
}

/// Connections that are told at a time that the gateway stops.
const MOST_TURNED_AWAY: usize = 64;

/// A gateway that listens.
pub struct Gateway {
    gate: Arc<Gate>,
    listener: TcpListener,
    address: SocketAddr,
    #[cfg(unix)]
    door: Option<Door>,
}

/// A gateway for one client, over its input and output.
pub struct Solo(Arc<Gate>);

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
    Solo::new(settings)?.run(entrance, input, output).await
}

impl Solo {
    /// A gateway that hears nobody yet.
    pub fn new(settings: Settings) -> Result<Solo, GatewayError> {
        Ok(Solo(Arc::new(Gate::new(settings, None)?)))
    }

    /// What may be changed while it runs.
    pub fn control(&self) -> Control {
        Control(Arc::clone(&self.0))
    }

    /// Serves its client until the input ends.
    pub async fn run(
        self,
        entrance: Entrance,
        input: impl AsyncRead + Unpin,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(), GatewayError> {
        let gate = self.0;
        let target = match entrance {
            Entrance::All => Target::All,
            Entrance::Router => Target::Router,
            Entrance::Server(name) => {
                let unknown = || GatewayError::NoServer(name.as_str().to_owned());
                Target::One(gate.upstream(name.as_str()).ok_or_else(unknown)?)
            }
        };
        gate.hear();
        let who = Who::named(stdio::STARTER);
        stdio::serve(Arc::clone(&gate), target, who, input, output).await;
        gate.end().await;
        Ok(())
    }
}

impl Gateway {
    /// Listens, without answering yet.
    pub async fn bind(settings: Settings) -> Result<Gateway, GatewayError> {
        let asked = settings.listen;
        let unable = |error| GatewayError::Listen { address: asked, error };
        let listener = TcpListener::bind(asked).await.map_err(unable)?;
        let address = listener.local_addr().map_err(unable)?;
        #[cfg(unix)]
        let door = match settings.door.as_deref().map(|path| (path, Door::open(path))) {
            None => None,
            Some((_, Ok(door))) => Some(door),
            // Sockets have short names; a gateway in a deep folder is still one.
            Some((path, Err(error))) if error.kind() == std::io::ErrorKind::InvalidInput => {
                warn!(%error, path = %path.display(), "commands of this machine cannot reach the gateway");
                None
            }
            Some((path, Err(error))) => return Err(GatewayError::Door { path: path.to_owned(), error }),
        };
        let gate = Arc::new(Gate::new(settings, Some(address))?);
        // INVARIANT: the gate is new, so nobody has said it before.
        let _ = gate.address.set(address);
        Ok(Gateway {
            gate,
            listener,
            address,
            #[cfg(unix)]
            door,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What may be changed while it runs.
    pub fn control(&self) -> Control {
        Control(Arc::clone(&self.gate))
    }

    /// Answers until `shutdown` is ready.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) {
        let most = self.gate.settings.limits.connections;
        let places = Arc::new(Semaphore::new(most));
        let mut shutdown = std::pin::pin!(shutdown);
        self.gate.hear();
        #[cfg(unix)]
        if let Some(door) = self.door.take() {
            tokio::spawn(door.serve(Arc::clone(&self.gate)));
        }
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                _ = sweep.tick() => self.sweep(),
                () = self.take(&places, Stay::UntilStopped) => {}
            }
        }
        info!("no new calls; waiting for those in flight");
        self.gate.stop.send_replace(true);
        // Nobody may come in to decide, so nobody is kept waiting.
        self.gate.end_waiting();
        let all = u32::try_from(most).unwrap_or(u32::MAX);
        let drained = tokio::time::timeout(self.gate.settings.timing.drain, places.acquire_many(all));
        let turned_away = Arc::new(Semaphore::new(MOST_TURNED_AWAY));
        // A load balancer that asks is told, instead of finding nobody.
        let turning_away = async {
            loop {
                self.take(&turned_away, Stay::ForOneAnswer).await;
            }
        };
        tokio::select! {
            _ = drained => {}
            () = turning_away => {}
        }
        self.gate.end().await;
    }

    fn sweep(&self) {
        self.gate.forget_idle();
        let gate = Arc::clone(&self.gate);
        tokio::task::spawn_blocking(move || gate.look_after_others());
        if let Some(tls) = self.gate.settings.tls.clone() {
            tokio::task::spawn_blocking(move || tls.refresh_aloud());
        }
    }

    /// Takes the next connection, once there is a place for it.
    async fn take(&self, places: &Arc<Semaphore>, stay: Stay) {
        let Ok(place) = Arc::clone(places).acquire_owned().await else { return };
        let stream = match self.listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many open files, most often: others must end first.
                warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                return;
            }
        };
        let gate = Arc::clone(&self.gate);
        tokio::spawn(settled(async move {
            gate.metrics.connected();
            connection(Arc::clone(&gate), stream, stay).await;
            gate.metrics.disconnected();
            drop(place);
        }));
    }
}

/// How long a connection is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stay {
    UntilStopped,
    ForOneAnswer,
}

async fn connection(gate: Arc<Gate>, stream: TcpStream, stay: Stay) {
    // Without it every small answer would wait for the client's acknowledgement of the one before.
    let _ = stream.set_nodelay(true);
    // Which names are ours depends on it; a connection that is gone already has none.
    let Ok(arrival) = stream.local_addr() else { return };
    let Some(tls) = gate.settings.tls.clone() else { return converse(gate, stream, arrival, stay).await };
    match tokio::time::timeout(gate.settings.timing.request, tls.acceptor().accept(stream)).await {
        Ok(Ok(stream)) => Box::pin(converse(gate, stream, arrival, stay)).await,
        Ok(Err(error)) => debug!(%error, "a connection does not speak our TLS"),
        Err(_) => debug!("a connection did not begin TLS in time"),
    }
}

async fn converse<S>(gate: Arc<Gate>, stream: S, arrival: SocketAddr, stay: Stay)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let timing = gate.settings.timing;
    let mut stopping = gate.stop.subscribe();
    let seen = Arc::<Seen>::default();
    let service = service_fn(|request| {
        let (gate, seen) = (Arc::clone(&gate), Arc::clone(&seen));
        // In a box of its own: hyper keeps room for it as long as the connection lives, and most are idle.
        Box::pin(async move { Ok::<_, Infallible>(http::serve(&gate, &seen, arrival, request).await) })
    });
    let mut builder = http1::Builder::new();
    builder.timer(Clock::default()).header_read_timeout(timing.request);
    builder.keep_alive(stay == Stay::UntilStopped);
    let stream = TokioIo::new(Taken::new(stream, timing.unread));
    let mut connection = std::pin::pin!(builder.serve_connection(stream, service).with_upgrades());
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = async { drop(stopping.wait_for(|is_stopping| *is_stopping).await) },
            if stay == Stay::UntilStopped =>
        {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        debug!(%error, "a connection broke");
    }
    let kept = seen.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(carried) = kept {
        Box::pin(carried.carry(gate.stop.subscribe())).await;
    }
}
