//! `portcullis serve`: the gateway, from its file to its end.

mod pipes;
mod sign_in;
mod signals;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};
use portcullis_gateway::{Entrance, Gateway, GatewayError, Settings, serve_stdio, telemetry};
use portcullis_store::{Level, Options, Store, Vault};

use crate::Streams;
use crate::activity::data_directory;
use crate::config::{self, Config};
use crate::exit::{Exit, Failure};

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The file that says what to serve.
    #[arg(long, value_name = "FILE", default_value = "portcullis.json", env = "PORTCULLIS_CONFIG")]
    config: PathBuf,
    /// Where to listen, instead of what the file says.
    #[arg(long, value_name = "ADDRESS:PORT", env = "PORTCULLIS_LISTEN")]
    listen: Option<std::net::SocketAddr>,
    /// The data directory, instead of what the file says.
    #[arg(long, value_name = "DIR", env = "PORTCULLIS_DATA")]
    data: Option<PathBuf>,
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
    let mut config = config::load(&arguments.config, &|name| std::env::var(name).ok())?;
    if let Some(listen) = arguments.listen {
        config.listen_instead(listen)?;
    }
    if arguments.check {
        writeln!(
            streams.out,
            "{} can be used: {} servers",
            arguments.config.display(),
            config.servers.len()
        )?;
        return Ok(Exit::Clean);
    }
    let telemetry = config.telemetry.clone();
    let settings = settings(config, arguments.data.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        // A process that logs already, as tests do, keeps its log.
        if let Ok(Some(exporter)) = telemetry::start(&telemetry) {
            tokio::spawn(exporter.run());
        }
        let stop = signals::stop()?;
        if arguments.stdio {
            let (input, output) = pipes::own()?;
            let served = serve_stdio(settings, arguments.route.clone(), input, output);
            tokio::select! {
                served = served => served?,
                () = stop => {}
            }
            return Ok(Exit::Clean);
        }
        let gateway = Gateway::bind(settings).await?;
        writeln!(streams.out, "http://{}/mcp", gateway.address())?;
        streams.out.flush()?;
        gateway.run(stop).await;
        Ok(Exit::Clean)
    });
    // What still runs after the time for draining is over is not waited for.
    runtime.shutdown_background();
    ended
}

fn entrance(word: &str) -> Result<Entrance, String> {
    Entrance::parse(word).ok_or_else(|| "expected `all`, `router` or a server's name".to_owned())
}

fn settings(config: Config, data: Option<&Path>) -> Result<Settings, Failure> {
    let directory = data_directory(data.or(config.data_dir.as_deref()))?;
    let options = Options { level: config.durability, ..Options::default() };
    let address = config.database.clone().unwrap_or_else(|| format!("sqlite:{}", directory.display()));
    let store: Box<dyn Store> = portcullis_store::open(&address, &directory, &options)?;
    let vault = Vault::of_tokens(&directory);
    let seal_key = match config.seal_key {
        Some(key) => key,
        None => portcullis_store::session_key(&directory)?,
    };
    Ok(Settings {
        listen: config.listen,
        servers: config.servers.into_iter().map(|configured| sign_in::ready(configured, &vault)).collect(),
        store: Arc::from(store),
        access: config.access,
        seal_key,
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
