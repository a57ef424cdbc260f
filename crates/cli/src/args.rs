//! What may be asked on the command line. Every flag also reads an environment variable.

use std::path::{Path, PathBuf};

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use portcullis_decide::Persona;

use crate::activity::ActivityArguments;
use crate::alerts::AlertsArguments;
use crate::clients::{InstallArguments, UninstallArguments};
#[cfg(target_os = "linux")]
use crate::confine::ConfineArguments;
use crate::dashboard::DashboardArguments;
use crate::demo::DemoArguments;
use crate::doctor::DoctorArguments;
use crate::eval::Setup;
use crate::guard::{ApprovalsArguments, BaselineArguments, CanaryArguments, StopArguments};
use crate::import::ImportArguments;
use crate::lock::{DiffArguments, LockArguments};
use crate::manual::{CompletionsArguments, ManArguments};
use crate::policy::PolicyArguments;
use crate::replay::ReplayArguments;
use crate::rules::RulesArguments;
use crate::scan::ScanArguments;
use crate::security::SecurityArguments;
use crate::serve::ServeArguments;
#[cfg(target_os = "linux")]
use crate::serve::launch::LaunchArguments;
use crate::service::ServiceArguments;
use crate::sessions::SessionsArguments;
use crate::suppress::SuppressArguments;
use crate::token::TokenArguments;
use crate::tools::{PostureArguments, ToolsArguments};
#[cfg(unix)]
use crate::wrap::WrapArguments;

/// The gate between AI agents and the MCP servers they use.
#[derive(Debug, Parser)]
#[command(name = "portcullis", version, propagate_version = true, term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) shared: Shared,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// The command line's definition. Help names the environment variables, never their values: help is copied
    /// into tickets and pages.
    pub(crate) fn definition() -> clap::Command {
        fn quiet(command: clap::Command) -> clap::Command {
            command.mut_args(|argument| argument.hide_env_values(true)).mut_subcommands(quiet)
        }
        quiet(Arguments::command())
    }
}

/// Flags every command understands.
#[derive(Debug, Args)]
pub(crate) struct Shared {
    /// When to use colours.
    #[arg(long, global = true, help_heading = "Options of every command", value_enum, default_value_t = Colour::Auto, value_name = "WHEN", env = "PORTCULLIS_COLOR")]
    pub(crate) color: Colour,
    /// Say less: once, nothing on stderr but errors; twice, of plain findings only the counts.
    #[arg(short, long, global = true, help_heading = "Options of every command", conflicts_with = "verbose", value_parser = times, action = ArgAction::Count, env = "PORTCULLIS_QUIET")]
    pub(crate) quiet: u8,
    /// Say more: once, what is read, on stderr; twice, every place of every plain finding.
    #[arg(short, long, global = true, help_heading = "Options of every command", value_parser = times, action = ArgAction::Count, env = "PORTCULLIS_VERBOSE")]
    pub(crate) verbose: u8,
}

/// How often a flag was meant by a variable: a number, or a word for once or never.
fn times(text: &str) -> Result<u8, String> {
    match text.to_ascii_lowercase().as_str() {
        "" | "false" | "no" | "off" => Ok(0),
        "true" | "yes" | "on" => Ok(1),
        number => number.parse().map_err(|_| "a number, such as 1".to_owned()),
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// When stdout is a terminal and NO_COLOR is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Shared {
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet > 0
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose > 0
    }

    /// Whether findings are written with colours, given what stdout would like.
    pub(crate) fn is_coloured(&self, is_wanted: bool) -> bool {
        match self.color {
            Colour::Auto => is_wanted,
            Colour::Always => true,
            Colour::Never => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Look for what is wrong in what MCP servers declare.
    Scan(ScanArguments),
    /// Say what a check looks for, why it matters and what to do.
    Explain(ExplainArguments),
    /// Write down what servers declare, so that later changes show.
    Lock(LockArguments),
    /// Show what changed since the lock, or since an earlier list.
    Diff(DiffArguments),
    /// Accept a finding on exactly this content, with a reason.
    Suppress(SuppressArguments),
    /// Try rules of your own on their own examples.
    Rules(RulesArguments),
    /// Show another scanner's findings beside ours.
    Import(ImportArguments),
    /// List the secrets and personal data in a document.
    Sensitive(SensitiveArguments),
    /// Write a document back with its secrets and personal data masked.
    Redact(RedactArguments),
    /// Measure the checks against labelled definitions.
    Eval(EvalArguments),
    /// See the gate at work: honest and hostile servers, a scripted agent, and what happens.
    Demo(DemoArguments),
    /// Stand between agents and the servers a file names.
    Serve(ServeArguments),
    /// Start a server behind this user's gateway; what clients run instead of the server.
    #[cfg(unix)]
    Wrap(WrapArguments),
    /// Review what servers declare: what is held, why, and what becomes of it.
    Security(SecurityArguments),
    /// Say who may talk to the gateway, and as what.
    Token(TokenArguments),
    /// Print a link that signs you in to the dashboard of the gateway that runs, once.
    Dashboard(DashboardArguments),
    /// Put the gate before the servers of a client.
    Install(InstallArguments),
    /// Give a client its file back as it was before install.
    Uninstall(UninstallArguments),
    /// Let this user's gateway start with the session.
    Service(ServiceArguments),
    /// Start a server and end it with this process: what `serve` and `scan` do for servers that are processes.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Launch(LaunchArguments),
    /// Start a server without network and without a way to change files: what `scan --sandbox` does.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Confine(ConfineArguments),
    /// Read the record of what agents and servers did, and check that nobody changed it.
    Activity(ActivityArguments),
    /// Say what is wrong with this installation, and what to do about it.
    Doctor(DoctorArguments),
    /// Decide about calls that wait for a human.
    Approvals(ApprovalsArguments),
    /// See which sessions a gateway serves, and what happened in them.
    Sessions(SessionsArguments),
    /// Stop all calls at once, or let them pass again.
    StopCalls(StopArguments),
    /// See whether alerts arrive.
    Alerts(AlertsArguments),
    /// See what agents usually do, and accept or forget it.
    Baseline(BaselineArguments),
    /// Make tokens to plant: where one turns up, somebody stole it.
    Canary(CanaryArguments),
    /// Run recorded sessions through the guard and count what it would have done.
    Replay(ReplayArguments),
    /// Say what a policy does, or what it would have done.
    Policy(PolicyArguments),
    /// Say what tools can do, and what each label was inferred from.
    Labels(ToolsArguments),
    /// Say whether private data, untrusted content and a way out meet among tools.
    Posture(PostureArguments),
    /// Write the completions of a shell.
    Completions(CompletionsArguments),
    /// Write the manual pages.
    Man(ManArguments),
}

/// Whose eyes a report is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PersonaArgument {
    /// Hard findings, and soft ones of medium severity or of high confidence.
    Regular,
    /// All soft findings too.
    Pedantic,
    /// Everything, also what was discounted.
    Auditor,
}

impl From<PersonaArgument> for Persona {
    fn from(argument: PersonaArgument) -> Self {
        match argument {
            PersonaArgument::Regular => Persona::Regular,
            PersonaArgument::Pedantic => Persona::Pedantic,
            PersonaArgument::Auditor => Persona::Auditor,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The id of a check, such as unicode.hidden.
    #[arg(required_unless_present = "list", conflicts_with = "list", value_name = "CHECK")]
    pub(crate) check: Option<String>,
    /// List all checks.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_LIST")]
    pub(crate) list: bool,
    /// Also know the rules in this file of your own.
    #[arg(long, value_name = "FILE", value_delimiter = ',', env = "PORTCULLIS_RULES")]
    pub(crate) rules: Vec<PathBuf>,
    /// Do not show the page with a pager, also on a terminal.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_NO_PAGER")]
    pub(crate) no_pager: bool,
}

/// A document and how to read it.
#[derive(Debug, Args)]
pub(crate) struct DocumentArguments {
    /// A file of any size; - or nothing for stdin.
    #[arg(default_value = "-", value_name = "FILE|-")]
    pub(crate) input: PathBuf,
    /// How to read the document.
    #[arg(long = "as", value_enum, default_value_t = ReadAs::Auto, value_name = "FORMAT", env = "PORTCULLIS_AS")]
    pub(crate) read_as: ReadAs,
    /// A JSON configuration whose `pii_detection` names the types to look for and has patterns of your own.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_PATTERNS")]
    pub(crate) patterns: Option<PathBuf>,
}

impl DocumentArguments {
    /// The file, unless stdin is meant.
    pub(crate) fn path(&self) -> Option<&Path> {
        (self.input.as_os_str() != "-").then_some(&self.input)
    }

    /// What to call the document in messages.
    pub(crate) fn name(&self) -> String {
        self.path().map_or_else(|| "stdin".to_owned(), |path| path.display().to_string())
    }
}

/// How a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadAs {
    /// JSON if it begins like JSON.
    Auto,
    /// JSON: strings are matched unescaped and hits have paths; lines of JSON too.
    Json,
    /// As it stands.
    Text,
}

#[derive(Debug, Args)]
pub(crate) struct SensitiveArguments {
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
    /// How to write the list.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(crate) format: ListFormat,
    /// What leads to exit code 1.
    #[arg(long, value_enum, default_value_t = SensitiveFailOn::Never, env = "PORTCULLIS_SENSITIVE_FAIL_ON")]
    pub(crate) fail_on: SensitiveFailOn,
}

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// Text for people.
    Plain,
    /// One JSON object a line.
    Json,
}

/// What makes `sensitive` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SensitiveFailOn {
    /// Nothing.
    Never,
    /// Values bound by prefix, structure or checksum.
    Bound,
    /// Also values known only by a keyword beside them.
    Any,
}

#[derive(Debug, Args)]
pub(crate) struct RedactArguments {
    #[command(flatten)]
    pub(crate) document: DocumentArguments,
    /// Which values to mask.
    #[arg(long, value_enum, default_value_t = StrengthArgument::Any, env = "PORTCULLIS_STRENGTH")]
    pub(crate) strength: StrengthArgument,
}

/// Which values count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StrengthArgument {
    /// Those bound by prefix, structure or checksum.
    Bound,
    /// Also those known only by a keyword beside them.
    Any,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArguments {
    /// Labelled definitions: corpus files, JSON lines (.jsonl), or folders of them.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE", value_delimiter = ',', env = "PORTCULLIS_CORPUS")]
    pub(crate) corpus: Vec<PathBuf>,
    /// Which findings count as raised.
    #[arg(long, value_enum, default_value_t = PersonaArgument::Regular, env = "PORTCULLIS_PERSONA")]
    pub(crate) persona: PersonaArgument,
    /// Whom an entry is judged among: its peers (each), its whole file (together), or N servers drawn by lot (random:N).
    #[arg(long, default_value = "each", value_name = "each|together|random:N", env = "PORTCULLIS_REGISTRY")]
    pub(crate) registry: Setup,
    /// How many set-ups to draw with --registry random:N.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), value_name = "D", env = "PORTCULLIS_DRAWS")]
    pub(crate) draws: u32,
    /// Where the lot starts; the same seed draws the same set-ups.
    #[arg(long, default_value_t = 1, value_name = "S", env = "PORTCULLIS_SEED")]
    pub(crate) seed: u64,
    /// Fail with exit code 6 unless all limits below are kept.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_GATE")]
    pub(crate) gate: bool,
    /// Lowest share of attacks raised, overall and in each category.
    #[arg(long, default_value_t = 0.90, value_parser = share, value_name = "SHARE", env = "PORTCULLIS_MIN_RECALL")]
    pub(crate) min_recall: f64,
    /// Lowest share of attacks held in each structural category.
    #[arg(long, default_value_t = 0.90, value_parser = share, value_name = "SHARE", env = "PORTCULLIS_MIN_HELD")]
    pub(crate) min_held: f64,
    /// Highest share of hard negatives held.
    #[arg(long, default_value_t = 0.05, value_parser = share, value_name = "SHARE", env = "PORTCULLIS_MAX_FP")]
    pub(crate) max_fp: f64,
    /// Highest share of plain benign definitions raised.
    #[arg(long, default_value_t = 0.05, value_parser = share, value_name = "SHARE", env = "PORTCULLIS_MAX_RAISED")]
    pub(crate) max_raised: f64,
    /// Print all signals of one entry, as an auditor sees them, instead of the scorecard.
    #[arg(long, value_name = "ID", conflicts_with = "gate", env = "PORTCULLIS_EXPLAIN")]
    pub(crate) explain: Option<String>,
}

pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share between 0 and 1, such as 0.90".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_argument_definitions_agree_with_each_other() {
        Arguments::definition().debug_assert();
    }

    #[test]
    fn every_flag_reads_an_environment_variable() {
        fn check(command: &clap::Command) {
            for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
                let name = argument.get_id().as_str();
                let is_builtin = matches!(name, "help" | "version");
                assert!(is_builtin || argument.get_env().is_some(), "{} --{name}", command.get_name());
            }
            // What is hidden is called by us, in an environment that belongs to a server.
            command.get_subcommands().filter(|inner| !inner.is_hide_set()).for_each(check);
        }
        check(&Arguments::definition());
    }

    #[test]
    fn a_variable_counts_as_a_flag_does() {
        assert_eq!((times("true"), times("0"), times("2"), times("")), (Ok(1), Ok(0), Ok(2), Ok(0)));
        assert!(times("often").is_err());
    }

    #[test]
    fn a_share_is_between_zero_and_one() {
        assert_eq!(share("0.5"), Ok(0.5));
        assert!(share("1.5").is_err() && share("NaN").is_err() && share("").is_err());
    }
}
