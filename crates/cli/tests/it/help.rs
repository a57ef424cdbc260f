//! The help texts: the snapshot is what a new user reads first.

use crate::world::run;

#[test]
fn help_of_the_whole() {
    insta::assert_snapshot!(run(&["--help"]).out, @r"
The gate between AI agents and the MCP servers they use

Usage: portcullis [OPTIONS] <COMMAND>

Commands:
  scan         Look for what is wrong in what MCP servers declare
  explain      Say what a check looks for, why it matters and what to do
  lock         Write down what servers declare, so that later changes show
  diff         Show what changed since the lock, or since an earlier list
  suppress     Accept a finding on exactly this content, with a reason
  rules        Try rules of your own on their own examples
  import       Show another scanner's findings beside ours
  sensitive    List the secrets and personal data in a document
  redact       Write a document back with its secrets and personal data masked
  eval         Measure the checks against labelled definitions
  demo         See the gate at work: honest and hostile servers, a scripted agent, and what happens
  serve        Stand between agents and the servers a file names
  wrap         Start a server behind this user's gateway; what clients run instead of the server
  security     Review what servers declare: what is held, why, and what becomes of it
  token        Say who may talk to the gateway, and as what
  dashboard    Print a link that signs you in to the dashboard of the gateway that runs, once
  install      Put the gate before the servers of a client
  uninstall    Give a client its file back as it was before install
  service      Let this user's gateway start with the session
  activity     Read the record of what agents and servers did, and check that nobody changed it
  doctor       Say what is wrong with this installation, and what to do about it
  approvals    Decide about calls that wait for a human
  sessions     See which sessions a gateway serves, and what happened in them
  stop-calls   Stop all calls at once, or let them pass again
  alerts       See whether alerts arrive
  baseline     See what agents usually do, and accept or forget it
  canary       Make tokens to plant: where one turns up, somebody stole it
  replay       Run recorded sessions through the guard and count what it would have done
  policy       Say what a policy does, or what it would have done
  labels       Say what tools can do, and what each label was inferred from
  posture      Say whether private data, untrusted content and a way out meet among tools
  completions  Write the completions of a shell
  man          Write the manual pages
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version

Options of every command:
      --color <WHEN>
          When to use colours

          Possible values:
          - auto:   When stdout is a terminal and NO_COLOR is not set
          - always: Always
          - never:  Never
          
          [env: PORTCULLIS_COLOR]
          [default: auto]

  -q, --quiet...
          Say less: once, nothing on stderr but errors; twice, of plain findings only the counts
          
          [env: PORTCULLIS_QUIET]

  -v, --verbose...
          Say more: once, what is read, on stderr; twice, every place of every plain finding
          
          [env: PORTCULLIS_VERBOSE]
");
}

/// The help of `scan`, which is too long for one test, in two parts.
fn help_of_scan() -> (String, String) {
    let help = run(&["scan", "-h"]).out;
    let (first, rest) = help.split_once("      --locked").expect("the flag is there");
    (first.to_owned(), format!("      --locked{rest}"))
}

#[test]
fn help_of_scan_begins() {
    insta::assert_snapshot!(help_of_scan().0, @r#"
Look for what is wrong in what MCP servers declare

Usage: portcullis scan [OPTIONS] [FILE|DIR|URL|-]... [-- <COMMAND>...]

Arguments:
  [FILE|DIR|URL|-]...  Files with a tools/list answer, {"tools": […]}, an array or lines of tools,
                       or {"servers": {…}}; bundles (.mcpb); folders of them; files of clients; the
                       address of a server; - for stdin. Each file is one server unless it says
                       otherwise; all are judged together. Without any, the files of all clients are
                       searched
  [COMMAND]...         A server to start and read, with its arguments

Options:
      --inventory                 List the servers of all clients, or of the files named: how each
                                  is started and what about that is worth a look. Starts and reads
                                  none of them [env: PORTCULLIS_INVENTORY]
      --run-servers               Start the servers that were found in files of clients, and read
                                  what they declare [env: PORTCULLIS_RUN_SERVERS]
      --sandbox[=<WHEN>]          Start servers without network and without a way to change files or
                                  to read yours. Alone it means try [env: PORTCULLIS_SANDBOX]
                                  [default: never] [possible values: never, try, required]
      --header <NAME: VALUE>      A header for the addresses named here, such as 'Authorization:
                                  Bearer …'; may be repeated [env: PORTCULLIS_HEADER]
      --sign-in                   Sign in to the addresses named here in a browser, if they want
                                  that. Without it only who sits at a terminal is asked [env:
                                  PORTCULLIS_SIGN_IN]
      --server-timeout <SECONDS>  How many seconds a server may take to be started and read [env:
                                  PORTCULLIS_SERVER_TIMEOUT] [default: 30]
      --format <FORMAT>           How to write the findings; repeat it, with --output after it, for
                                  several at once [env: PORTCULLIS_FORMAT] [default: plain]
                                  [possible values: plain, concise, json, jsonl, sarif, markdown,
                                  html, github]
      --output <FILE>             Where to write the --format before it, instead of stdout [env:
                                  PORTCULLIS_OUTPUT]
      --persona <PERSONA>         Which findings to show [env: PORTCULLIS_PERSONA] [default:
                                  regular] [possible values: regular, pedantic, auditor]
      --fail-on <FAIL_ON>         Which of the findings shown lead to exit code 1 [env:
                                  PORTCULLIS_FAIL_ON] [default: hard] [possible values: critical,
                                  hard, unscanned, soft, info, never]
      --exit-zero                 Exit with 0 whatever was found; an incomplete scan still exits
                                  with 3 [env: PORTCULLIS_EXIT_ZERO]
      --allow-incomplete          Do not exit with 3 when something could not be looked at [env:
                                  PORTCULLIS_ALLOW_INCOMPLETE]
"#);
}

#[test]
fn help_of_scan_ends() {
    insta::assert_snapshot!(help_of_scan().1, @r#"
      --locked                    Fail when a definition is not what the lock says [env:
                                  PORTCULLIS_LOCKED]
      --lock <FILE>               The lock: what was expected of servers, to be committed [env:
                                  PORTCULLIS_LOCK] [default: portcullis.lock]
      --suppressions <FILE>       The suppressions: findings that were accepted, to be committed
                                  [default: portcullis.suppress] [env: PORTCULLIS_SUPPRESSIONS]
      --baseline <FILE>           What an earlier scan saw: only what is new since then fails, and
                                  says what changed [env: PORTCULLIS_BASELINE]
      --new-only                  Show only what is new since the baseline [env:
                                  PORTCULLIS_NEW_ONLY]
      --write-baseline <FILE>     Write what this scan sees as the baseline of later ones [env:
                                  PORTCULLIS_WRITE_BASELINE]
      --rules <FILE>              Rules of your own, run after the shipped checks; may be repeated
                                  [env: PORTCULLIS_RULES]
      --rules-version <VERSION>   Refuse to run with rules of another version, such as 0.1 or 0.1.0
                                  [env: PORTCULLIS_RULES_VERSION]
      --no-registry               Judge each definition for itself: inputs of any size in little
                                  memory, no comparison between servers [env:
                                  PORTCULLIS_NO_REGISTRY]
      --docs-url <URL>            Where the pages of checks are published; {check} stands for the
                                  id. Findings then link there [env: PORTCULLIS_DOCS_URL]
      --config <FILE>             The settings file, instead of the nearest portcullis.json above
                                  the current folder [env: PORTCULLIS_CONFIG]
      --isolated                  Read no settings file [env: PORTCULLIS_ISOLATED]
      --show-settings             Say what every setting is and where it comes from, and scan
                                  nothing [env: PORTCULLIS_SHOW_SETTINGS]
  -h, --help                      Print help (see more with '--help')
  -V, --version                   Print version

Options of every command:
      --color <WHEN>  When to use colours [env: PORTCULLIS_COLOR] [default: auto] [possible values:
                      auto, always, never]
  -q, --quiet...      Say less: once, nothing on stderr but errors; twice, of plain findings only
                      the counts [env: PORTCULLIS_QUIET]
  -v, --verbose...    Say more: once, what is read, on stderr; twice, every place of every plain
                      finding [env: PORTCULLIS_VERBOSE]

Examples:
  portcullis scan
  portcullis scan --inventory
  portcullis scan tools.json
  portcullis scan -- npx -y some-server@1.2.3
  portcullis scan --sandbox -- ./some-server
  some-client list-tools | portcullis scan -
  portcullis scan servers/ --format github --format sarif --output portcullis.sarif
  portcullis scan servers/ --write-baseline portcullis.baseline
  portcullis scan servers/ --baseline portcullis.baseline --new-only
"#);
}

#[test]
fn help_of_eval() {
    insta::assert_snapshot!(run(&["eval", "-h"]).out, @r"
Measure the checks against labelled definitions

Usage: portcullis eval [OPTIONS] --corpus <FILE>...

Options:
      --corpus <FILE>...
          Labelled definitions: corpus files, JSON lines (.jsonl), or folders of them [env:
          PORTCULLIS_CORPUS]
      --persona <PERSONA>
          Which findings count as raised [env: PORTCULLIS_PERSONA] [default: regular] [possible
          values: regular, pedantic, auditor]
      --registry <each|together|random:N>
          Whom an entry is judged among: its peers (each), its whole file (together), or N servers
          drawn by lot (random:N) [env: PORTCULLIS_REGISTRY] [default: each]
      --draws <D>
          How many set-ups to draw with --registry random:N [env: PORTCULLIS_DRAWS] [default: 100]
      --seed <S>
          Where the lot starts; the same seed draws the same set-ups [env: PORTCULLIS_SEED]
          [default: 1]
      --gate
          Fail with exit code 6 unless all limits below are kept [env: PORTCULLIS_GATE]
      --min-recall <SHARE>
          Lowest share of attacks raised, overall and in each category [env: PORTCULLIS_MIN_RECALL]
          [default: 0.9]
      --min-held <SHARE>
          Lowest share of attacks held in each structural category [env: PORTCULLIS_MIN_HELD]
          [default: 0.9]
      --max-fp <SHARE>
          Highest share of hard negatives held [env: PORTCULLIS_MAX_FP] [default: 0.05]
      --max-raised <SHARE>
          Highest share of plain benign definitions raised [env: PORTCULLIS_MAX_RAISED] [default:
          0.05]
      --explain <ID>
          Print all signals of one entry, as an auditor sees them, instead of the scorecard [env:
          PORTCULLIS_EXPLAIN]
  -h, --help
          Print help (see more with '--help')
  -V, --version
          Print version

Options of every command:
      --color <WHEN>  When to use colours [env: PORTCULLIS_COLOR] [default: auto] [possible values:
                      auto, always, never]
  -q, --quiet...      Say less: once, nothing on stderr but errors; twice, of plain findings only
                      the counts [env: PORTCULLIS_QUIET]
  -v, --verbose...    Say more: once, what is read, on stderr; twice, every place of every plain
                      finding [env: PORTCULLIS_VERBOSE]
");
}

#[test]
fn help_and_version_are_no_error() {
    assert_eq!(run(&["--help"]).code, 0);
    let version = run(&["--version"]);
    assert_eq!((version.code, version.out.starts_with("portcullis ")), (0, true));
    assert_eq!(run(&[]).code, 2);
}
