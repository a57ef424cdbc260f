//! `cargo xtask`: our own tools, one subcommand each.
//!
//! Nothing here needs the crates it looks after to compile: what it needs from them it asks the built binary.

mod arguments;
mod bench_command;
mod browser;
mod comparison;
mod conformance;
mod docs;
mod fleet;
mod fuzz;
mod generic_names;
mod new_check;
mod npm;
mod peers;
mod phone_plans;
mod picture;
mod ports;
mod proxies;
mod python;
mod ready;
mod release;
mod serving;
mod shell;
mod store_command;
mod street;
mod stress_command;
mod tree;

use anyhow::Result;
use arguments::Arguments;
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  ready [--list] [--only NAME]… [--keep-going] [--install|--no-install]
                              everything that must hold before a change goes in
  docs [--check]              write the generated pages of docs/ (or say which are stale)
  new-check NOUN.QUALITY      make the folder of a new check
  generic-names [--work DIR]  ask real servers for their tools, write the tables of generic names
  phone-plans --from FILE     derive the table of numbering plans from libphonenumber-js's metadata.max.json
  conformance REVISION [--direct] [--url URL] [--nodes N]
                              run the public MCP suite of 2025-11-25 or 2026-07-28 against the gateway with the
                              test server behind it, against that server alone, or against so many gateways that share
                              everything, each request to any of them
  peers [--only CLIENT]… [--format text|json]
                              run real MCP clients through the gateway to real MCP servers, beside the same without it,
                              and to a hostile server that a reviewer holds and approves
  compare [--data FILE]… [--write]
                              run other scanners of tool definitions and ours on the corpus, and on labelled tools of
                              other people; --write makes docs/comparison.md of it
  browser                     try the dashboard in Chromium: signing in, approving, a change, a held call, hostile names;
                              the HTML report of a scan of the corpus
  screenshots [--docs]        pictures of every page of the dashboard, in target/browser/scene/screenshots; --docs puts
                              those that stand in the docs there
  street [--only SCENARIO]… [--thorough] [--binaries DIR] [--page FILE] [--nodes N]
                              play every attack of the adversary and every harmless twin through the gateway, hold what
                              happens against what each scenario says, and report rates and metrics; --thorough plays
                              every era over every transport, --binaries tries programs that were built before,
                              --nodes plays through so many gateways that share everything, each request to any of them
  picture                     draw what `portcullis demo` prints, for the README
  release [--target TRIPLE] [--binary FILE] [--out DIR]
                              build what is handed out: static programs in an archive and a Debian package, the list of
                              what is linked (CycloneDX), and their sums; --binary packs one that was built before, with
                              what lies beside it
  fuzz [--seconds N] [TARGET…]
                              run the fuzz targets, 10 seconds each unless told otherwise
  bench scan|registry|data [--data DIR] [--json] [--peers]
                              measure speed, start-up, worst cases, registry, sensitive data; --peers runs other
                              finders of secrets on the same file, where they are installed
  bench gateway [--seconds N] [--peers] [--beside NAME=URL]…
                              measure calls through the gateway, beside the same without it and through the least a
                              proxy can do; --peers installs two other proxies in the target folder and measures
                              them too, --beside those that run already
  bench gate [--servers N] [--debug]
                              measure the gate before 1,000 servers with 100 tools each: start, one that changes,
                              the reviewer's list
  bench dashboard [--servers N] [--debug]
                              measure the first byte of the dashboard's pages over those tools and a million records
  stress [sessions|flows|half-open|large|chaos] [--count N] [--megabytes N] [--seconds N] [--debug]
                              try the gateway: idle sessions, flows that hold much, clients that hang, messages of
                              100 MB, servers and clients that are killed at random
  nodes [--seconds N] [--seed N] [--only speed|chaos] [--debug]
                              try three gateways that share PostgreSQL and Valkey, any request to any of them: flows
                              and decisions reach all, what it costs, and nodes and servers are killed at random
                              under load; --seed kills in the same order again, --only speed measures what
                              sharing costs and kills nothing
  bench store [--records N] [--store sqlite|postgres]
                              measure the activity log: speed, size, questions
  crash [--kills N] [--level process|power] [--store sqlite|postgres] [--restarts N]
                              kill a writer of the activity log, look for lost records
  tamper [--mutations N]      change an activity log, see that each change is named
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            shell::say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut arguments = Arguments::from_command_line();
    match arguments.word().as_deref() {
        Some("ready") => ready::run(arguments),
        Some("docs") => docs::run(arguments),
        Some("new-check") => new_check::run(arguments),
        Some("generic-names") => generic_names::run(arguments),
        Some("phone-plans") => phone_plans::run(arguments),
        Some("conformance") => conformance::run(arguments),
        Some("peers") => peers::run(arguments),
        Some("compare") => comparison::run(arguments),
        Some("browser") => browser::test(arguments),
        Some("screenshots") => browser::screenshots(arguments),
        Some("picture") => picture::run(arguments),
        Some("fuzz") => fuzz::run(arguments),
        Some("release") => release::run(arguments),
        Some("crash") => store_command::crash(arguments),
        Some("tamper") => store_command::tamper(arguments),
        Some("street") => street::run(arguments),
        Some("stress") => stress_command::run(arguments),
        Some("nodes") => stress_command::nodes(arguments),
        Some("bench") => bench_command::run(arguments),
        None | Some("help") => {
            shell::say(USAGE.trim_end());
            Ok(())
        }
        Some(other) => anyhow::bail!("no command is called `{other}`\n\n{USAGE}"),
    }
}
