//! `portcullis wrap -- COMMAND…`: what a client starts instead of a server. It hands the command to this user's gateway and
//! carries messages; the server runs there, behind the gate, with all others.

use std::path::{Path, PathBuf};

use clap::Args;
use portcullis_gateway::{Entrance, Wrapped};
use portcullis_store::Vault;

use crate::Streams;
use crate::activity::data_directory;
use crate::config::{self, better_name};
use crate::exit::{Exit, Failure};
use crate::serve::{self, pipes};
use crate::users_gateway;

#[derive(Debug, Args)]
pub(crate) struct WrapArguments {
    /// What the server is called at the gate; without it the command's name.
    #[arg(long, value_name = "NAME", env = "PORTCULLIS_NAME")]
    name: Option<String>,
    /// The data directory; without it the user's own.
    #[arg(long, value_name = "DIR", env = "PORTCULLIS_DATA")]
    data: Option<PathBuf>,
    /// The server's command and its arguments.
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Runs the command. Stdin and stdout are the client's; everything else goes to stderr.
pub(crate) fn run(arguments: &WrapArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let directory = data_directory(arguments.data.as_deref())?;
    let wrapped = wrapped(arguments)?;
    let door = Vault::door(&directory)?;
    if let Err(why) = users_gateway::open(&door, &directory) {
        return alone(&wrapped, &directory, &why, streams);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let relayed = runtime.block_on(async {
        let (input, output) = pipes::own()?;
        portcullis_gateway::relay(&door, &wrapped, input, output).await
    });
    // Reading from the client cannot be interrupted; the process ends with it.
    runtime.shutdown_background();
    relayed.map_err(|why| Failure::Usage(format!("the gateway left: {why}")))?;
    Ok(Exit::Clean)
}

/// Without a gateway of this user the gate stands in this process: what is held and approved is the same, but it knows no
/// other server.
fn alone(wrapped: &Wrapped, directory: &Path, why: &str, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let err = &mut *streams.err;
    writeln!(err, "portcullis: no gateway of this user can be reached ({why}); {} runs alone", wrapped.name)?;
    writeln!(
        err,
        "portcullis: not checked: names taken from other servers, and data that flow between servers"
    )?;
    let mut config = config::of_user(directory, &|name| std::env::var(name).ok())?;
    config.servers.clear();
    let mut settings = serve::settings(config, Some(directory), None)?;
    let server = wrapped.server().ok_or_else(|| Failure::Usage("the server needs a --name".to_owned()))?;
    let entrance = Entrance::Server(server.name.clone());
    (settings.servers, settings.door) = (vec![server], None);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let spoken = runtime.block_on(serve::speak(settings, entrance));
    runtime.shutdown_background();
    spoken
}

fn wrapped(arguments: &WrapArguments) -> Result<Wrapped, Failure> {
    // INVARIANT: the arguments make sure that there is a command.
    let (command, rest) =
        arguments.command.split_first().ok_or_else(|| Failure::Usage("wrap what?".into()))?;
    let stem = Path::new(command).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let named = arguments.name.clone().or(stem).unwrap_or_default();
    let name: String = better_name(&named).chars().take(56).collect();
    Ok(Wrapped {
        name,
        command: command.clone(),
        arguments: rest.to_vec(),
        directory: std::env::current_dir()?,
        environment: std::env::vars().collect(),
        client: client(),
    })
}

/// The process that started us. Where it cannot be told, each relay is a client of its own.
fn client() -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::process::parent_id());
    #[cfg(not(unix))]
    None
}
