//! `cargo xtask ready`: everything that must hold before a change goes in, step by step, each with its time.

mod bare;
mod gate;
mod licences;
mod prerequisites;
mod spdx;
mod spelling;

use crate::arguments::Arguments;
use crate::shell::{self, say};
use crate::{browser, conformance, docs, fuzz, peers, store_command, street, stress_command};
use anyhow::{Result, bail};
use std::time::{Duration, Instant};

/// How long each fuzz target runs here; an hour is a matter of `cargo xtask fuzz --seconds 3600`.
const FUZZ_SECONDS: u32 = 10;

/// What a step may know about how we were called.
struct Wishes {
    /// Missing packages may be installed.
    may_install: bool,
}

/// What a step says besides "passed".
type Outcome = Result<Option<String>>;

/// One thing that must hold.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Wishes) -> Outcome,
}

/// The steps in running order: what is quick to fail comes first.
const STEPS: [Step; 18] = [
    Step { name: "prerequisites", about: "what must be on the machine is there", run: prerequisites::run },
    Step { name: "fmt", about: "the code is formatted", run: |_| fmt() },
    Step { name: "spelling", about: "no common misspelling in pages and sources", run: |_| spelling::run() },
    Step { name: "licences", about: "every dependency's licence is on the list", run: |_| licences::run() },
    Step { name: "clippy", about: "no warning of compiler or clippy", run: |_| clippy() },
    Step { name: "test", about: "unit, integration, page and house tests", run: |_| test() },
    Step { name: "bare", about: "the pure crates build where there is no std", run: |_| bare::run() },
    Step { name: "docs", about: "the generated pages are fresh", run: |_| docs::check().map(|()| None) },
    Step { name: "gate", about: "scanner and guard pass the gate on corpus/", run: |_| gate::run() },
    Step {
        name: "crash",
        about: "20 kills of a writer at either level lose no acknowledged record",
        run: |_| store_command::crash_a_little().map(|()| None),
    },
    Step {
        name: "tamper",
        about: "200 changes of an activity log are all named",
        run: |_| store_command::tamper_a_little().map(|()| None),
    },
    Step {
        name: "stress",
        about: "the gateway under a little stress: nothing hangs, nothing is left, memory is bounded",
        run: |_| stress_command::a_little().map(|()| None),
    },
    Step {
        name: "conformance",
        about: "the public MCP suite passes through the gateway, both revisions",
        run: |_| conformance::all().map(|()| None),
    },
    Step {
        name: "peers",
        about: "real MCP clients get from real MCP servers what they get without the gateway",
        run: |_| peers::all().map(|()| None),
    },
    Step {
        name: "browser",
        about: "the dashboard in Chromium: what people do with it, and what hostile names cannot",
        run: |_| browser::all().map(|()| None),
    },
    Step {
        name: "street",
        about: "every attack and every twin of the adversary meets the gate as it is written",
        run: |_| street::all().map(|()| None),
    },
    Step {
        name: "nodes",
        about: "a few scenarios and the public MCP suite through three gateways, each request to any of them",
        run: |_| over_nodes(),
    },
    Step {
        name: "fuzz",
        about: "10 seconds on each fuzz target",
        run: |_| fuzz::all(FUZZ_SECONDS).map(|()| None),
    },
];

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let only = arguments.values("--only")?;
    let keep_going = arguments.flag("--keep-going");
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let is_wanted = arguments.flag("--install") || is_ci || prerequisites::is_root();
    let wishes = Wishes { may_install: is_wanted && !arguments.flag("--no-install") };
    let list = arguments.flag("--list");
    arguments.end()?;
    if list {
        STEPS.iter().for_each(|step| say(&format!("{:<14} {}", step.name, step.about)));
        return Ok(());
    }
    let steps = chosen(&only)?;
    let results = walk(&steps, &wishes, keep_going, say);
    conclude(&results, steps.len(), say)
}

fn cargo(arguments: &[&str]) -> Outcome {
    shell::run(&mut shell::cargo(arguments)).map(|()| None)
}

fn clippy() -> Outcome {
    let mut clippy = shell::cargo(&["clippy", "--quiet", "--all-targets"]);
    shell::run(clippy.args(shell::AS_TESTED).args(["--", "-D", "warnings"])).map(|()| None)
}

fn test() -> Outcome {
    shell::run(shell::cargo(&["test", "--quiet"]).args(shell::AS_TESTED)).map(|()| None)
}

fn over_nodes() -> Outcome {
    conformance::all_over_nodes()?;
    street::a_few_over_nodes().map(|()| None)
}

/// The fuzz targets are a workspace of their own, so they are asked for by name.
fn fmt() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["fmt", "--manifest-path=fuzz/Cargo.toml", "--check"])
}

/// The steps that were asked for, in running order; all of them if none was named.
fn chosen(only: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(unknown) = only.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        bail!("no step is called `{unknown}`; `cargo xtask ready --list` names them");
    }
    let is_chosen = |step: &&Step| only.is_empty() || only.iter().any(|name| name == step.name);
    Ok(STEPS.iter().filter(is_chosen).collect())
}

/// How a step went.
struct Walked {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

fn walk(steps: &[&'static Step], wishes: &Wishes, keep_going: bool, say: fn(&str)) -> Vec<Walked> {
    let mut results = Vec::new();
    for step in steps {
        say(&format!("\n== {}: {}", step.name, step.about));
        let started = Instant::now();
        let outcome = (step.run)(wishes);
        let walked = Walked { name: step.name, outcome, took: started.elapsed() };
        say(&line(&walked));
        let failed = walked.outcome.is_err();
        results.push(walked);
        if failed && !keep_going {
            break;
        }
    }
    results
}

fn line(walked: &Walked) -> String {
    let word = if walked.outcome.is_ok() { "passed" } else { "FAILED" };
    let remark = match &walked.outcome {
        Ok(None) => String::new(),
        Ok(Some(note)) => format!("  {note}"),
        Err(error) => format!("  {error:#}"),
    };
    format!("{:<14} {word} {:>8.1} s{remark}", walked.name, walked.took.as_secs_f64())
}

/// Prints the table and the closing line; an error if a step failed.
fn conclude(results: &[Walked], wanted: usize, say: fn(&str)) -> Result<()> {
    say("\nstep           result     time");
    // The whole message stood where the step ended; a table has one line for it.
    results.iter().for_each(|walked| say(line(walked).lines().next().unwrap_or_default()));
    let failed: Vec<&str> = results.iter().filter(|w| w.outcome.is_err()).map(|w| w.name).collect();
    let seconds: f64 = results.iter().map(|walked| walked.took.as_secs_f64()).sum();
    let passed = results.len() - failed.len();
    let not_run = wanted - results.len();
    say(&format!(
        "\nready: {passed} steps passed, {} failed, {not_run} not run, {seconds:.0} s",
        failed.len()
    ));
    if failed.is_empty() {
        return Ok(());
    }
    let again = failed.iter().map(|name| format!("cargo xtask ready --only {name}")).collect::<Vec<_>>();
    bail!("not ready: {} failed. To run just that again:\n  {}", failed.join(", "), again.join("\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Step = Step { name: "good", about: "", run: |_| Ok(None) };
    const BAD: Step = Step { name: "bad", about: "", run: |_| bail!("it broke") };
    const WISHES: Wishes = Wishes { may_install: false };

    #[test]
    fn stops_at_the_first_failure_unless_told_to_keep_going() {
        let steps = [&GOOD, &BAD, &GOOD];
        assert_eq!(walk(&steps, &WISHES, false, |_| ()).len(), 2);
        assert_eq!(walk(&steps, &WISHES, true, |_| ()).len(), 3);
    }

    #[test]
    fn a_failure_says_how_to_run_just_that_step() {
        let error = conclude(&walk(&[&BAD], &WISHES, false, |_| ()), 1, |_| ()).unwrap_err();
        assert!(error.to_string().contains("cargo xtask ready --only bad"), "{error}");
        assert!(conclude(&walk(&[&GOOD], &WISHES, false, |_| ()), 1, |_| ()).is_ok());
    }

    #[test]
    fn only_knows_the_steps() {
        assert_eq!(chosen(&[]).unwrap().len(), STEPS.len());
        let some = chosen(&["gate".into(), "fmt".into()]).unwrap();
        assert_eq!(some.iter().map(|step| step.name).collect::<Vec<_>>(), ["fmt", "gate"]);
        assert!(chosen(&["gates".into()]).is_err());
    }
}
