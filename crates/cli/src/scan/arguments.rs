//! What may be asked of `portcullis scan`.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, ValueEnum};

use super::sandbox::Sandbox;
use crate::args::PersonaArgument;
use crate::lock::LockPlace;
use crate::suppress::SuppressionPlace;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ScanArguments {
    /// Files with a tools/list answer, {"tools": […]}, an array or lines of tools, or {"servers": {…}}; bundles
    /// (.mcpb); folders of them; files of clients; the address of a server; - for stdin. Each file is one server
    /// unless it says otherwise; all are judged together. Without any, the files of all clients are searched.
    #[arg(value_name = "FILE|DIR|URL|-")]
    pub(crate) inputs: Vec<PathBuf>,
    /// A server to start and read, with its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// List the servers of all clients, or of the files named: how each is started and what about that is worth a
    /// look. Starts and reads none of them.
    #[arg(long, conflicts_with_all = ["command", "run_servers"], value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_INVENTORY")]
    pub(crate) inventory: bool,
    /// Start the servers that were found in files of clients, and read what they declare.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_RUN_SERVERS")]
    pub(crate) run_servers: bool,
    /// Start servers without network and without a way to change files or to read yours. Alone it means try.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_value_t = Sandbox::Never, default_missing_value = "try", value_name = "WHEN", env = "PORTCULLIS_SANDBOX")]
    pub(crate) sandbox: Sandbox,
    /// A header for the addresses named here, such as 'Authorization: Bearer …'; may be repeated.
    #[arg(long, value_name = "NAME: VALUE", env = "PORTCULLIS_HEADER")]
    pub(crate) header: Vec<String>,
    /// Sign in to the addresses named here in a browser, if they want that. Without it only who sits at a terminal is asked.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_SIGN_IN")]
    pub(crate) sign_in: bool,
    /// How many seconds a server may take to be started and read.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600), env = "PORTCULLIS_SERVER_TIMEOUT")]
    pub(crate) server_timeout: u64,
    /// How to write the findings; repeat it, with --output after it, for several at once.
    #[arg(long, value_enum, default_value = "plain", value_delimiter = ',', env = "PORTCULLIS_FORMAT")]
    pub(crate) format: Vec<Format>,
    /// Where to write the --format before it, instead of stdout.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_OUTPUT")]
    pub(crate) output: Vec<PathBuf>,
    /// Which findings to show.
    #[arg(long, value_enum, default_value_t = PersonaArgument::Regular, env = "PORTCULLIS_PERSONA")]
    pub(crate) persona: PersonaArgument,
    /// Which of the findings shown lead to exit code 1.
    #[arg(long, value_enum, default_value_t = FailOn::Hard, env = "PORTCULLIS_FAIL_ON")]
    pub(crate) fail_on: FailOn,
    /// Exit with 0 whatever was found; an incomplete scan still exits with 3.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_EXIT_ZERO")]
    pub(crate) exit_zero: bool,
    /// Do not exit with 3 when something could not be looked at.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_ALLOW_INCOMPLETE")]
    pub(crate) allow_incomplete: bool,
    /// Fail when a definition is not what the lock says.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_LOCKED")]
    pub(crate) locked: bool,
    #[command(flatten)]
    pub(crate) lock: LockPlace,
    #[command(flatten)]
    pub(crate) suppressions: SuppressionPlace,
    /// What an earlier scan saw: only what is new since then fails, and says what changed.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_BASELINE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Show only what is new since the baseline.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_NEW_ONLY")]
    pub(crate) new_only: bool,
    /// Write what this scan sees as the baseline of later ones.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baseline", "no_registry"], env = "PORTCULLIS_WRITE_BASELINE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Rules of your own, run after the shipped checks; may be repeated.
    #[arg(long, value_name = "FILE", value_delimiter = ',', env = "PORTCULLIS_RULES")]
    pub(crate) rules: Vec<PathBuf>,
    /// Refuse to run with rules of another version, such as 0.1 or 0.1.0.
    #[arg(long, value_name = "VERSION", env = "PORTCULLIS_RULES_VERSION")]
    pub(crate) rules_version: Option<String>,
    /// Judge each definition for itself: inputs of any size in little memory, no comparison between servers.
    #[arg(long, conflicts_with_all = ["locked", "baseline"], value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_NO_REGISTRY")]
    pub(crate) no_registry: bool,
    /// Where the pages of checks are published; {check} stands for the id. Findings then link there.
    #[arg(long, value_name = "URL", value_parser = web_address, env = "PORTCULLIS_DOCS_URL")]
    pub(crate) docs_url: Option<String>,
    /// The settings file, instead of the nearest portcullis.json above the current folder.
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Read no settings file.
    #[arg(long, conflicts_with = "config", value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_ISOLATED")]
    pub(crate) isolated: bool,
    /// Say what every setting is and where it comes from, and scan nothing.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_SHOW_SETTINGS")]
    pub(crate) show_settings: bool,
}

const EXAMPLES: &str = "\
Examples:
  portcullis scan
  portcullis scan --inventory
  portcullis scan tools.json
  portcullis scan -- npx -y some-server@1.2.3
  portcullis scan --sandbox -- ./some-server
  some-client list-tools | portcullis scan -
  portcullis scan servers/ --format github --format sarif --output portcullis.sarif
  portcullis scan servers/ --write-baseline portcullis.baseline
  portcullis scan servers/ --baseline portcullis.baseline --new-only";

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Plain,
    /// One line for each check's word on a definition.
    Concise,
    /// JSON, schema portcullis.report/1.
    Json,
    /// JSON lines, schema portcullis.report-lines/1; the summary comes last.
    Jsonl,
    /// SARIF 2.1.0, for code hosts.
    Sarif,
    /// Markdown for pull requests.
    Markdown,
    /// One HTML page with charts.
    Html,
    /// Annotations of GitHub Actions.
    Github,
}

/// Which findings make a scan fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Hard findings that are critical.
    Critical,
    /// Hard findings: what holds a tool.
    Hard,
    /// Hard findings, and servers that were found and never scanned.
    Unscanned,
    /// Soft findings too: what a human should look at.
    Soft,
    /// Anything, also what was discounted.
    Info,
    /// Nothing.
    Never,
}

/// Links are followed by people: nothing but the web.
fn web_address(text: &str) -> Result<String, String> {
    if !text.starts_with("https://") && !text.starts_with("http://") {
        return Err("an address that begins with https://".to_owned());
    }
    let is_template = text.contains("{check}");
    let address =
        if is_template { text.to_owned() } else { format!("{}/{{check}}.html", text.trim_end_matches('/')) };
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::web_address;

    #[test]
    fn pages_are_on_the_web() {
        assert_eq!(
            web_address("https://a.example/checks/"),
            Ok("https://a.example/checks/{check}.html".to_owned())
        );
        assert_eq!(web_address("https://a.example/#{check}"), Ok("https://a.example/#{check}".to_owned()));
        assert!(web_address("javascript:alert(1)//{check}").is_err());
    }
}
