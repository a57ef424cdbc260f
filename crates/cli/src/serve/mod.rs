//! `portcullis serve`: the gateway, from its file to its end.

#[cfg(unix)]
mod descriptors;
#[cfg(target_os = "linux")]
pub(crate) mod launch;
pub(crate) mod pipes;
mod reload;
pub(crate) mod sign_in;
pub(crate) mod signals;
mod welcome;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};
use portcullis_gateway::settings::Launcher;
use portcullis_gateway::{Entrance, Gateway, GatewayError, Settings, Solo, telemetry};
use portcullis_store::{FlowStore, Level, Options, Store, Vault};
use tracing::warn;

use crate::activity::data_directory;
use crate::config::{self, Config};
use crate::exit::{Exit, Failure};
use crate::{Streams, clients};

/// Where the port is kept that was free when the usual one was not.
const PORT_FILE: &str = "run/port";

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The file that says what to serve; without it portcullis.json, if that is here.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_CONFIG")]
    config: Option<PathBuf>,
    /// Where to listen, instead of what the file says.
    #[arg(long, value_name = "ADDRESS:PORT", env = "PORTCULLIS_LISTEN")]
    listen: Option<std::net::SocketAddr>,
    /// The data directory, instead of what the file says.
    #[arg(long, value_name = "DIR", env = "PORTCULLIS_DATA")]
    data: Option<PathBuf>,
    /// Take any free port if the one to listen on is taken.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_ANY_PORT")]
    any_port: bool,
    /// End when nothing was wrapped for so many seconds; for a gateway that `wrap` started.
    #[arg(long, value_name = "SECONDS", env = "PORTCULLIS_IDLE_EXIT")]
    idle_exit: Option<u64>,
    /// Add the servers of this machine's clients to the gateway, all held; what is there already stays as it is.
    #[arg(long, conflicts_with_all = ["stdio", "check", "schema"], value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_IMPORT")]
    import: bool,
    /// Speak over stdin and stdout to one client instead of listening.
    #[arg(long, conflicts_with = "listen", value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_STDIO")]
    stdio: bool,
    /// What the client of `--stdio` sees: `all` servers as one, the `router` that searches for tools, or one server.
    #[arg(long, value_name = "all|router|SERVER", requires = "stdio", default_value = "all", value_parser = entrance, env = "PORTCULLIS_ROUTE")]
    route: Entrance,
    /// Only say whether the file can be used.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_CHECK")]
    check: bool,
    /// Write the JSON schema of the file, for editors.
    #[arg(long, conflicts_with = "check", value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_SCHEMA")]
    schema: bool,
}

/// Runs the command. The address is the only line on stdout; everything else is a log.
pub(crate) fn run(arguments: &ServeArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if arguments.schema {
        write!(streams.out, "{}", config::schema())?;
        return Ok(Exit::Clean);
    }
    let environment = |name: &str| std::env::var(name).ok();
    let file = arguments.config.clone().or_else(config::usual_file);
    let mut config = config::load_or_usual(file.as_deref(), &environment)?;
    if let Some(listen) = arguments.listen {
        config.listen_instead(listen)?;
    }
    let name = file.as_deref().unwrap_or(Path::new(config::USUAL_FILE)).display().to_string();
    if arguments.check {
        writeln!(streams.out, "{name} can be used: {} servers", config.servers.len())?;
        return Ok(Exit::Clean);
    }
    let telemetry = config.telemetry.clone();
    let directory = data_directory(arguments.data.as_deref().or(config.data_dir.as_deref()))?;
    let launcher = prepare(&mut config, streams)?;
    if let Some(note) = config.runs_everywhere().filter(|_| !arguments.stdio) {
        writeln!(streams.err, "note: {note}")?;
    }
    let settings = settings(config, arguments.data.as_deref(), launcher)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        // A process that logs already, as tests do, keeps its log.
        if let Ok(Some(exporter)) = telemetry::start(&telemetry) {
            tokio::spawn(exporter.run());
        }
        if arguments.stdio {
            return speak(settings, arguments.route.clone()).await;
        }
        listen(settings, arguments, (file, directory), streams).await
    });
    // What still runs after the time for draining is over is not waited for.
    runtime.shutdown_background();
    ended
}

/// Listens until somebody wants us to stop, and keeps up with files that change.
async fn listen(
    settings: Settings,
    arguments: &ServeArguments,
    (file, directory): (Option<PathBuf>, PathBuf),
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    if let Some(tls) = settings.tls.clone() {
        let asked = signals::hang_up()?;
        tokio::spawn(async move {
            loop {
                asked.notified().await;
                tls.refresh_aloud();
            }
        });
    }
    let port = arguments.any_port.then(|| directory.join(PORT_FILE));
    let gateway = bind(settings, port.as_deref()).await?;
    let control = gateway.control();
    signals::stop_calls(control.clone())?;
    writeln!(streams.out, "{scheme}://{}/mcp", gateway.address())?;
    streams.out.flush()?;
    let is_plain_start = file.is_none() && arguments.idle_exit.is_none();
    if is_plain_start {
        let base = format!("{scheme}://{}", gateway.address());
        welcome::places(&base, &directory, arguments.import, streams.err)?;
    }
    // A gateway that a relay started has a file for its stderr, where no token belongs; the door opens everything.
    if arguments.idle_exit.is_none() {
        welcome::first_token(control.tokens(), streams.err)?;
        welcome::dashboard(control.sign_in_link().as_deref(), streams.err)?;
    }
    if let Some(file) = file {
        let reload = reload::Reload::new(file, Vault::of_tokens(&directory), control.clone());
        tokio::spawn(reload.watch(signals::hang_up()?));
    }
    let desk = control.desk();
    let (stop, idle) = (signals::stop()?, arguments.idle_exit.map(Duration::from_secs));
    let ending = async move {
        tokio::select! {
            () = stop => {}
            () = control.idle(idle) => {}
        }
    };
    let importing = async {
        match arguments.import {
            true => clients::import(&desk, streams.err).await,
            false => Ok(()),
        }
    };
    // The gateway first: it listens to its servers from then on, also to those that are added.
    let ((), imported) = tokio::join!(gateway.run(ending), importing);
    imported?;
    Ok(Exit::Clean)
}

fn entrance(word: &str) -> Result<Entrance, String> {
    Entrance::parse(word).ok_or_else(|| "expected `all`, `router` or a server's name".to_owned())
}

/// Serves the one client at stdin and stdout.
pub(crate) async fn speak(settings: Settings, entrance: Entrance) -> Result<Exit, Failure> {
    let stop = signals::stop()?;
    let (input, output) = pipes::own()?;
    let gateway = Solo::new(settings)?;
    signals::stop_calls(gateway.control())?;
    tokio::select! {
        served = gateway.run(entrance, input, output) => served?,
        () = stop => {}
    }
    Ok(Exit::Clean)
}

/// Listens where the settings say, or on any port if that one is taken and any will do. The port is written down and
/// tried again the next time: it stands in the files of clients.
async fn bind(mut settings: Settings, port_file: Option<&Path>) -> Result<Gateway, GatewayError> {
    let first = Gateway::bind(settings.clone()).await;
    let Some(file) = port_file else { return first };
    let Err(GatewayError::Listen { .. }) = first else { return first };
    let known = std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse::<u16>().ok());
    settings.listen.set_port(known.unwrap_or_default());
    let second = Gateway::bind(settings.clone()).await;
    let gateway = match second {
        Err(GatewayError::Listen { .. }) => {
            settings.listen.set_port(0);
            Gateway::bind(settings).await?
        }
        second => second?,
    };
    if let Err(error) = std::fs::write(file, gateway.address().port().to_string()) {
        warn!(%error, "the port cannot be written down; clients may have to be installed again");
    }
    Ok(gateway)
}

/// Takes the files the system gives us, no more connections than they allow, and says how servers are started.
#[cfg(unix)]
fn prepare(config: &mut Config, streams: &mut Streams<'_>) -> Result<Option<Launcher>, Failure> {
    let files = descriptors::raise();
    let most = files.connections();
    if most < config.limits.connections {
        let allowed = files.now.unwrap_or_default();
        config.limits.connections = most;
        writeln!(
            streams.err,
            "warning: only {allowed} files may be open, so at most {most} agents connect at a time; raise `ulimit -n`, or LimitNOFILE= of the service"
        )?;
    }
    #[cfg(target_os = "linux")]
    return Ok(Some(launch::launcher(files.before)));
    #[cfg(not(target_os = "linux"))]
    Ok(None)
}

#[cfg(not(unix))]
fn prepare(_config: &mut Config, _streams: &mut Streams<'_>) -> Result<Option<Launcher>, Failure> {
    Ok(None)
}

pub(crate) fn settings(
    config: Config,
    data: Option<&Path>,
    launcher: Option<Launcher>,
) -> Result<Settings, Failure> {
    let directory = data_directory(data.or(config.data_dir.as_deref()))?;
    let patterns = config.judge.sought.patterns().to_vec();
    let (level, retention) = (config.durability, config.retention.clone());
    let options = Options { level, retention, patterns };
    let address = config.database.clone().unwrap_or_else(|| format!("sqlite:{}", directory.display()));
    let store: Box<dyn Store> = portcullis_store::open(&address, &directory, &options)?;
    let flow_store =
        config.flow_store.as_deref().map(|address| FlowStore::new(address, config.judge.flows.idle));
    let vault = Vault::of_tokens(&directory);
    let seal_key = match config.seal_key {
        Some(key) => key,
        None => portcullis_store::session_key(&directory)?,
    };
    Ok(Settings {
        node: config.node(),
        listen: config.listen,
        tls: config.tls,
        servers: config.servers.into_iter().map(|configured| sign_in::ready(configured, &vault)).collect(),
        launcher,
        store: Arc::from(store),
        flow_store: flow_store.transpose()?.map(Arc::new),
        access: config.access,
        door: Some(Vault::door(&directory)?),
        quarantine: config.quarantine,
        judge: config.judge,
        alerts: config.alerts,
        seal_key,
        networks: config.networks,
        hosts: config.hosts,
        origins: config.origins,
        passes_unrecorded: config.passes_unrecorded,
        record_waits: config.database.is_some() || config.durability == Level::Power,
        limits: config.limits,
        timing: config.timing,
    })
}

impl From<GatewayError> for Failure {
    fn from(error: GatewayError) -> Failure {
        Failure::Usage(error.to_string())
    }
}
