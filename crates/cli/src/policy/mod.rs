//! `portcullis policy`: what a policy says, and what it would have done about recorded sessions.

mod file;
mod show;

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use portcullis_decide::policy::Profile;
use portcullis_detect::Guard;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_gateway::judge::{JudgeRules, outline};
use portcullis_report::safe_line;

use crate::Streams;
use crate::args::{ListFormat, Shared};
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::replay::{self, Judging, ReplayArguments, Session};
pub(crate) use file::{Loaded, read, understand};

#[derive(Debug, Args)]
pub(crate) struct PolicyArguments {
    #[command(subcommand)]
    pub(crate) what: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Say what a policy does, level by level, or which of its entries decides about a call.
    Explain(ExplainPolicyArguments),
    /// Run recorded sessions under a policy; the same as replay --policy.
    Test(TestPolicyArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ExplainPolicyArguments {
    /// A configuration with a `security` section.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    /// A call as JSON (server, tool, arguments, intent), or a recorded session whose last call is meant: say which entry
    /// decides about it, and why the others do not; - for stdin.
    #[arg(long, value_name = "FILE|-", env = "PORTCULLIS_CALL")]
    pub(crate) call: Option<PathBuf>,
    /// How to write the answer.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(crate) format: ListFormat,
}

#[derive(Debug, Args)]
pub(crate) struct TestPolicyArguments {
    /// A configuration with a `security` section.
    #[arg(value_name = "CONFIG")]
    pub(crate) config: PathBuf,
    #[command(flatten)]
    pub(crate) replay: ReplayArguments,
}

/// Runs the command.
pub(crate) fn run(
    arguments: &PolicyArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    match &arguments.what {
        PolicyCommand::Explain(arguments) => explain(arguments, streams),
        PolicyCommand::Test(arguments) => {
            replay::run_with(&arguments.replay, Some(&arguments.config), shared, streams)
        }
    }
}

/// The rules of a configuration, ready to be judged by.
pub(crate) fn rules(loaded: Loaded) -> Result<JudgeRules, Failure> {
    loaded.rules().map_err(|bad| Failure::Usage(bad.to_string()))
}

fn explain(arguments: &ExplainPolicyArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let rules = rules(read(&arguments.config)?)?;
    let guard = Guard::new(rules.guard.clone(), SensitiveData::new());
    let answer = match &arguments.call {
        None => outline(&rules, &guard),
        Some(path) => {
            let text = read_call(path, streams)?;
            let why = |error: String| Failure::Usage(format!("{}: {error}", path.display()));
            let session = Session::read_call(&text).map_err(why)?;
            let judging = Judging { guard: &guard, rules: &rules };
            judging.trial(&session).ok_or_else(|| why("there is no call in it".to_owned()))?
        }
    };
    let written = match (arguments.format, &arguments.call) {
        (ListFormat::Json, _) => writeln!(streams.out, "{}", safe_line(&answer)),
        (ListFormat::Plain, None) => show::outline(&answer, streams.out),
        (ListFormat::Plain, Some(_)) => show::trial(&answer, streams.out),
    };
    unless_reader_left(written.and_then(|()| streams.out.flush()))?;
    if rules.policy.profile == Profile::Observe {
        writeln!(streams.err, "note: this profile records and stops nothing")?;
    }
    Ok(Exit::Clean)
}

fn read_call(path: &Path, streams: &mut Streams<'_>) -> Result<String, Failure> {
    let unreadable = |error: io::Error| Failure::Usage(format!("cannot read {}: {error}", path.display()));
    if path.as_os_str() == "-" {
        return io::read_to_string(&mut *streams.input).map_err(unreadable);
    }
    std::fs::read_to_string(path).map_err(unreadable)
}
