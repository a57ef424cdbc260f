//! `portcullis wrap -- COMMAND…`: what a client starts instead of a server. It hands the command to this user's gateway and
//! carries messages; the server runs there, behind the gate, with all others.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use portcullis_gateway::{Entrance, Wrapped};
use portcullis_store::Vault;

use crate::Streams;
use crate::activity::data_directory;
use crate::config::{self, better_name};
use crate::exit::{Exit, Failure};
use crate::serve::{self, pipes};

/// How long a gateway has to open its door.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often the door is tried.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A gateway nobody wraps anything with any more ends after so many seconds.
const IDLE_S: &str = "600";

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
    if let Err(why) = open(&door, &directory) {
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
    })
}

/// Makes sure that a gateway runs. Several relays may start one at once: the store lets in one of them.
fn open(door: &Path, directory: &Path) -> Result<(), String> {
    let is_open = || std::os::unix::net::UnixStream::connect(door).is_ok();
    if is_open() {
        return Ok(());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let log = log(directory).map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg("serve").arg("--data").arg(directory).args(["--any-port", "--idle-exit", IDLE_S]);
    // Not where the client is: a file of a project must not say what the user's gateway does.
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // A client that ends its servers with a signal to all of them must not end the gateway of the others.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut started = command.spawn().map_err(|error| error.to_string())?;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if is_open() {
            return Ok(());
        }
        // One that ended at once may have found another that is still opening its door.
        let _ = started.try_wait();
        std::thread::sleep(LOOK_EVERY);
    }
    Err(format!("it did not start in time; see {}", directory.join("run/gateway.log").display()))
}

/// Where a gateway that has no terminal writes.
fn log(directory: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::File::options();
    options.append(true).create(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(directory.join("run/gateway.log"))
}
