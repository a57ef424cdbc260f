//! The command line of Portcullis: arguments, reading files, rendering, exit codes.
//!
//! The map: `args` says what may be asked, `input` reads files into definitions, `scan`, `explain`, `lock`, `suppress`,
//! `rules`, `import`, `sensitive`, `eval`, `serve`, `security`, `token`, `clients` (install and uninstall), `service`,
//! `doctor`, `activity`, `demo` and `manual` are the commands; `config` reads `portcullis.json`, `document` any file people write
//! by hand. The binary is a few lines over [`run`], so tests can run commands in their own process.

mod activity;
mod alerts;
mod args;
mod clients;
mod config;
#[cfg(target_os = "linux")]
mod confine;
mod dashboard;
mod demo;
mod doctor;
mod document;
mod eval;
mod exit;
mod explain;
mod guard;
mod import;
mod input;
mod lock;
mod manual;
mod policy;
mod progress;
mod replay;
mod rules;
mod scan;
mod security;
mod sensitive;
mod serve;
mod service;
mod sessions;
mod suppress;
mod token;
mod tools;
#[cfg(unix)]
mod users_gateway;
#[cfg(unix)]
mod wrap;

use std::ffi::OsString;
use std::io::{self, Read, Write};

use args::{Arguments, Command};
use clap::{ArgMatches, FromArgMatches};
use exit::{Exit, Failure};
use portcullis_detect::escape_line;

/// Characters of one line of an error; an address or a path is shorter.
const LONGEST_LINE: usize = 4000;

/// The world a command talks to: the process's streams, or a test's.
pub struct Streams<'a> {
    /// What `-` reads.
    pub input: &'a mut dyn Read,
    /// Findings and scorecards, nothing else.
    pub out: &'a mut dyn Write,
    /// Everything else.
    pub err: &'a mut dyn Write,
    /// Whether a progress bar on the process's stderr would be seen by someone.
    pub is_progress_visible: bool,
    /// Whether somebody is there to answer a question on `input`.
    pub can_answer: bool,
    /// Whether `out` wants colours unless the arguments say otherwise.
    pub is_out_coloured: bool,
    /// The columns of the terminal `out` is, if it is one.
    pub out_width: Option<usize>,
}

/// Runs one command and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>, streams: &mut Streams<'_>) -> u8 {
    match outcome(&arguments.into_iter().collect::<Vec<_>>(), streams) {
        Ok(exit) => exit.code(),
        // A reader that went away has seen what it wanted.
        Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Clean.code(),
        Err(failure) => {
            // INVARIANT: when stderr itself is gone nobody is left to tell; the exit code still speaks.
            let _ = tell(&failure, streams.err);
            failure.exit().code()
        }
    }
}

/// Says why; the reason may name what a server or a file calls itself, which must not reach the terminal raw.
fn tell(failure: &Failure, err: &mut dyn Write) -> io::Result<()> {
    for (number, line) in failure.to_string().lines().enumerate() {
        let lead = if number == 0 { "error: " } else { "" };
        writeln!(err, "{lead}{}", escape_line(line, LONGEST_LINE))?;
    }
    Ok(())
}

fn outcome(line: &[OsString], streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let matches = match Arguments::definition().try_get_matches_from(line) {
        Ok(matches) => matches,
        Err(error) => return refuse(&error, streams),
    };
    let Some(("scan", asked)) = matches.subcommand() else { return command(&matches, None, streams) };
    let Some(settings) = scan::Settings::find(asked)? else { return command(&matches, None, streams) };
    match settings.over(Arguments::definition()).try_get_matches_from(line) {
        Ok(matches) => command(&matches, Some(&settings), streams),
        Err(error) => refuse(&error, streams),
    }
}

fn command(
    matches: &ArgMatches,
    settings: Option<&scan::Settings>,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let arguments = match Arguments::from_arg_matches(matches) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error, streams),
    };
    let shared = &arguments.shared;
    match (&arguments.command, matches.subcommand()) {
        (Command::Scan(scan), Some((_, matches))) if scan.show_settings => {
            scan::show(matches, settings, streams).map(|()| Exit::Clean)
        }
        (Command::Scan(scan), Some((_, matches))) => {
            if let Some(settings) = settings.filter(|_| shared.is_verbose()) {
                writeln!(streams.err, "settings of {}", settings.path().display())?;
            }
            scan::run(scan, &scan::outputs(matches)?, shared, streams)
        }
        (Command::Scan(_), None) => Err(Failure::Usage("scan what?".into())),
        (Command::Explain(explain), _) => explain::run(explain, streams),
        (Command::Lock(arguments), _) => lock::run(arguments, shared, streams),
        (Command::Diff(arguments), _) => lock::diff(arguments, shared, streams),
        (Command::Suppress(arguments), _) => suppress::run(arguments, shared, streams),
        (Command::Rules(arguments), _) => rules::run(arguments, streams),
        (Command::Import(arguments), _) => import::run(arguments, shared, streams),
        (Command::Sensitive(arguments), _) => sensitive::list(arguments, shared, streams),
        (Command::Redact(arguments), _) => sensitive::redact(arguments, shared, streams),
        (Command::Eval(eval), _) => eval::run(eval, shared, streams),
        (Command::Demo(arguments), _) => demo::run(arguments, shared, streams),
        (Command::Serve(arguments), _) => serve::run(arguments, streams),
        #[cfg(unix)]
        (Command::Wrap(arguments), _) => wrap::run(arguments, streams),
        (Command::Security(arguments), _) => security::run(arguments, streams),
        (Command::Token(arguments), _) => token::run(arguments, streams),
        (Command::Dashboard(arguments), _) => dashboard::run(arguments, streams),
        #[cfg(target_os = "linux")]
        (Command::Launch(arguments), _) => serve::launch::run(arguments),
        #[cfg(target_os = "linux")]
        (Command::Confine(arguments), _) => confine::run(arguments),
        (Command::Activity(arguments), _) => activity::run(arguments, streams),
        (Command::Install(arguments), _) => clients::install(arguments, shared, streams),
        (Command::Uninstall(arguments), _) => clients::uninstall(arguments, streams),
        (Command::Service(arguments), _) => service::run(arguments, streams),
        (Command::Doctor(arguments), _) => doctor::run(arguments, streams),
        (Command::Approvals(arguments), _) => guard::approvals(arguments, streams),
        (Command::Sessions(arguments), _) => sessions::run(arguments, streams),
        (Command::StopCalls(arguments), _) => guard::stop(arguments, streams),
        (Command::Alerts(arguments), _) => alerts::run(arguments, streams),
        (Command::Baseline(arguments), _) => guard::baseline(arguments, streams),
        (Command::Canary(arguments), _) => guard::canary(arguments, streams),
        (Command::Replay(arguments), _) => replay::run(arguments, shared, streams),
        (Command::Policy(arguments), _) => policy::run(arguments, shared, streams),
        (Command::Labels(arguments), _) => tools::labels(arguments, streams),
        (Command::Posture(arguments), _) => tools::posture(arguments, streams),
        (Command::Completions(arguments), _) => manual::completions(arguments, streams),
        (Command::Man(arguments), _) => manual::pages(arguments, shared, streams),
    }
}

/// Help and version go to stdout and are no error; anything else is a usage error.
fn refuse(error: &clap::Error, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if error.use_stderr() {
        write!(streams.err, "{}", error.render())?;
        return Ok(Exit::Usage);
    }
    match streams.is_out_coloured {
        true => write!(streams.out, "{}", error.render().ansi())?,
        false => write!(streams.out, "{}", error.render())?,
    }
    Ok(Exit::Clean)
}
