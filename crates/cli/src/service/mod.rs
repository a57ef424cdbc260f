//! `portcullis service`: this user's gateway as a service of systemd, which starts it with the session and again when it
//! fails. Files for other systems are in `packaging/`.

mod unit;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, Subcommand};
use portcullis_gateway::api::Desk;
use portcullis_store::{ActivityReader, Vault};

use crate::Streams;
use crate::activity::data_directory;
use crate::exit::{Exit, Failure};

/// What the service is called.
const NAME: &str = "portcullis.service";

#[derive(Debug, Args)]
pub(crate) struct ServiceArguments {
    /// The data directory; without it the user's own.
    #[arg(long, global = true, value_name = "DIR", env = "PORTCULLIS_DATA")]
    data: Option<PathBuf>,
    #[command(subcommand)]
    command: ServiceCommand,
}

#[derive(Debug, Subcommand)]
enum ServiceCommand {
    /// Write the unit, enable it and start it.
    Install {
        /// The file that says what to serve; without it portcullis.json of the data directory, if that is there.
        #[arg(long, value_name = "FILE", env = "PORTCULLIS_CONFIG")]
        config: Option<PathBuf>,
        /// Only show the unit.
        #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_DRY_RUN")]
        dry_run: bool,
    },
    /// Stop the service and remove the unit.
    Uninstall,
    /// Say whether the unit is there and the gateway answers.
    Status,
}

/// Runs the command.
pub(crate) fn run(arguments: &ServiceArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if !cfg!(target_os = "linux") {
        let message = "this command writes units of systemd; for launchd and Windows see docs/service.md and packaging/";
        return Err(Failure::Usage(message.to_owned()));
    }
    let data = std::path::absolute(data_directory(arguments.data.as_deref())?)?;
    let file = unit_file()?;
    match &arguments.command {
        ServiceCommand::Install { config, dry_run } => {
            let program = std::env::current_exe()?;
            let config = config.as_deref().map(std::path::absolute).transpose()?;
            let text = unit::text(&program, &data, config.as_deref()).map_err(Failure::Usage)?;
            if *dry_run {
                write!(streams.out, "{text}")?;
                return Ok(Exit::Clean);
            }
            install(&file, &text, &data, streams)
        }
        ServiceCommand::Uninstall => uninstall(&file, streams),
        ServiceCommand::Status => status(&file, &data, streams),
    }
}

fn install(file: &Path, text: &str, data: &Path, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let failed = |error| Failure::Create { path: file.to_owned(), error };
    refuse_foreign(file)?;
    // The unit runs there; its private folder is made with it.
    let door = Vault::door(data)?;
    fs::create_dir_all(file.parent().unwrap_or(file)).map_err(failed)?;
    fs::write(file, text).map_err(failed)?;
    #[cfg(unix)]
    fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).map_err(failed)?;
    writeln!(streams.out, "wrote {}", file.display())?;
    if Desk::there(&door).is_some()
        && let Some(holder) = ActivityReader::open(data).ok().and_then(|reader| reader.holder())
    {
        writeln!(
            streams.err,
            "note: a gateway runs already (process {holder}); the service takes over when that one has ended: kill {holder}"
        )?;
    }
    all_or_told(&[&["daemon-reload"], &["enable", "--now", NAME]], streams)
}

fn uninstall(file: &Path, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    refuse_foreign(file)?;
    if !file.exists() {
        writeln!(streams.out, "{} is not there", file.display())?;
        return Ok(Exit::Clean);
    }
    let stopped = all_or_told(&[&["disable", "--now", NAME]], streams)?;
    fs::remove_file(file).map_err(|error| Failure::Create { path: file.to_owned(), error })?;
    writeln!(streams.out, "removed {}", file.display())?;
    if has_manager() {
        systemctl(&["daemon-reload"]);
    }
    Ok(stopped)
}

fn status(file: &Path, data: &Path, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let is_written = file.exists();
    let there = if is_written { "is there" } else { "is not there" };
    writeln!(streams.out, "unit: {} {there}", file.display())?;
    if has_manager() {
        let active = if systemctl(&["--quiet", "is-active", NAME]) { "active" } else { "not active" };
        writeln!(streams.out, "service: {active}")?;
    } else {
        writeln!(streams.out, "service: no user manager of systemd can be asked")?;
    }
    // Asking for the door would make its folder.
    let door = data.join("run").is_dir().then(|| Vault::door(data)).transpose()?;
    let is_running = door.is_some_and(|door| Desk::there(&door).is_some());
    writeln!(streams.out, "gateway: {}", if is_running { "answers" } else { "does not answer" })?;
    Ok(if is_written && is_running { Exit::Clean } else { Exit::Findings })
}

/// A unit somebody else wrote is theirs.
fn refuse_foreign(file: &Path) -> Result<(), Failure> {
    match fs::read_to_string(file) {
        Ok(text) if !text.starts_with(unit::MARK) => {
            let place = file.display();
            Err(Failure::Usage(format!("{place} was not written by this command; move it away first")))
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::Usage(format!("cannot read {}: {error}", file.display())))
        }
        _ => Ok(()),
    }
}

/// Runs what systemctl must be told, or says how somebody else can.
fn all_or_told(commands: &[&[&str]], streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let has_manager = has_manager();
    if has_manager && commands.iter().all(|arguments| systemctl(arguments)) {
        return Ok(Exit::Clean);
    }
    let why =
        if has_manager { "systemctl failed" } else { "no user manager of systemd can be asked from here" };
    writeln!(streams.err, "{why}; in your session, run:")?;
    for arguments in commands {
        writeln!(streams.err, "  systemctl --user {}", arguments.join(" "))?;
    }
    Ok(if has_manager { Exit::Incomplete } else { Exit::Clean })
}

fn has_manager() -> bool {
    systemctl(&["show-environment"])
}

fn systemctl(arguments: &[&str]) -> bool {
    let mut command = Command::new("systemctl");
    command.arg("--user").args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Where systemd looks for the units of a user.
fn unit_file() -> Result<PathBuf, Failure> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    let base = base.ok_or_else(|| Failure::Usage("no home directory is known".to_owned()))?;
    Ok(base.join("systemd/user").join(NAME))
}
