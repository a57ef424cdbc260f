//! This user's gateway: the one behind the door of the data directory, started if none runs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a gateway has to open its door.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often the door is tried.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A gateway nobody wraps anything with any more ends after so many seconds.
const IDLE_S: &str = "600";

/// Makes sure that a gateway runs. Several relays may start one at once: the store lets in one of them.
pub(crate) fn open(door: &Path, directory: &Path) -> Result<(), String> {
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
