//! `portcullis replay`: runs recorded sessions through exactly the code that guards calls, and counts.

mod record;
mod run;
mod session;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args, ValueEnum};
use portcullis_decide::policy::{Act, Profile};
use portcullis_detect::{Guard, GuardSettings, escape_line};
use serde::Serialize;

use crate::Streams;
use crate::args::{ListFormat, Shared};
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::policy;
pub(crate) use run::Judging;
use run::Outcome;
pub(crate) use session::Session;

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Recorded sessions, one JSON object a line; folders of such files (.jsonl).
    #[arg(required_unless_present = "record", conflicts_with = "record", value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write sessions that can be replayed, made from what `activity export` wrote as JSON lines; nothing is judged.
    #[arg(long, value_name = "EXPORT", env = "PORTCULLIS_RECORD")]
    pub(crate) record: Option<PathBuf>,
    /// With --record: what servers declare, as for `scan`; without it tools are known by their names only.
    #[arg(long, requires = "record", num_args = 1.., value_name = "FILE", env = "PORTCULLIS_TOOLS")]
    pub(crate) tools: Vec<PathBuf>,
    /// How to write the verdicts.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_LIST_FORMAT")]
    pub(crate) format: ListFormat,
    /// What is done where no policy says otherwise; without it the policy's own, else balanced.
    #[arg(long, value_enum, env = "PORTCULLIS_PROFILE")]
    pub(crate) profile: Option<ProfileArgument>,
    /// Judge orders by their form alone, without known phrases.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_NO_PHRASES")]
    pub(crate) no_phrases: bool,
    /// Fail with exit code 6 unless the limits below are kept.
    #[arg(long, value_parser = FalseyValueParser::new(), action = ArgAction::SetTrue, env = "PORTCULLIS_GATE")]
    pub(crate) gate: bool,
    /// Lowest share of attacks that are flagged.
    #[arg(long, default_value_t = 0.90, value_parser = crate::args::share, value_name = "SHARE", env = "PORTCULLIS_MIN_FLAGGED")]
    pub(crate) min_flagged: f64,
    /// Highest share of benign sessions that are flagged.
    #[arg(long, default_value_t = 0.02, value_parser = crate::args::share, value_name = "SHARE", env = "PORTCULLIS_MAX_FLAGGED")]
    pub(crate) max_flagged: f64,
}

/// A ready-made policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileArgument {
    /// Watch and record.
    Observe,
    /// Stop what is almost surely an attack.
    Balanced,
    /// Ask about everything that leaves.
    Strict,
}

impl From<ProfileArgument> for Profile {
    fn from(argument: ProfileArgument) -> Profile {
        match argument {
            ProfileArgument::Observe => Profile::Observe,
            ProfileArgument::Balanced => Profile::Balanced,
            ProfileArgument::Strict => Profile::Strict,
        }
    }
}

/// The verdict on one session: its strongest, and the call it fell on, counted from 0.
#[derive(Serialize)]
struct Row {
    session: String,
    label: String,
    verdict: &'static str,
    call: Option<usize>,
    rules: Vec<String>,
    risk: u8,
}

/// How sessions of one label fared.
#[derive(Default, Serialize)]
struct Total {
    n: u64,
    flagged: u64,
    by_rule: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct Replay {
    schema: &'static str,
    rows: Vec<Row>,
    totals: BTreeMap<String, Total>,
}

/// Runs the command.
pub(crate) fn run(
    arguments: &ReplayArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    run_with(arguments, None, shared, streams)
}

/// Runs sessions under the policy of a configuration.
pub(crate) fn run_with(
    arguments: &ReplayArguments,
    config: Option<&PathBuf>,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    if let Some(export) = &arguments.record {
        return record::run(export, &arguments.tools, streams);
    }
    let mut loaded = config.map(|path| policy::read(path)).transpose()?.unwrap_or_default();
    if let Some(profile) = arguments.profile {
        loaded.policy.profile = profile.into();
    }
    let rules = policy::rules(loaded)?;
    let settings = GuardSettings { finds_phrases: !arguments.no_phrases, ..rules.guard.clone() };
    let guard = Guard::new(settings, rules.sought.found());
    let judging = Judging { guard: &guard, rules: &rules };
    let mut replay = Replay { schema: "portcullis.replay/1", rows: Vec::new(), totals: BTreeMap::new() };
    for path in files(&arguments.inputs)? {
        let text = read(&path)?;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let session = Session::read(line)
                .map_err(|error| Failure::Usage(format!("{}:{}: {error}", path.display(), number + 1)))?;
            let outcome = judging.session(&session);
            if shared.is_verbose() {
                explain(&session, &outcome, streams)?;
            }
            replay.add(&session, outcome);
        }
    }
    let written = match arguments.format {
        ListFormat::Json => serde_json::to_writer(&mut *streams.out, &replay)
            .map_err(std::io::Error::from)
            .and_then(|()| writeln!(streams.out)),
        ListFormat::Plain => replay.write_plain(&mut *streams.out),
    };
    unless_reader_left(written.and_then(|()| streams.out.flush()))?;
    if arguments.gate { replay.hold(arguments, streams) } else { Ok(Exit::Clean) }
}

fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for input in inputs {
        if !input.is_dir() {
            found.push(input.clone());
            continue;
        }
        let entries = std::fs::read_dir(input).map_err(|error| unreadable(input, &error))?;
        let mut inside: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .collect();
        inside.sort();
        found.append(&mut inside);
    }
    Ok(found)
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("cannot read {}: {error}", path.display()))
}

fn explain(session: &Session, outcome: &Outcome, streams: &mut Streams<'_>) -> Result<(), Failure> {
    for signal in &outcome.signals {
        let name = escape_line(&session.name, 120);
        let call = outcome.call.unwrap_or_default();
        let tool = session.calls.get(call).map_or("", |call| call.tool.as_str());
        let tool = escape_line(tool, 60);
        writeln!(
            streams.err,
            "{name} call {call} {tool}{}: {}: {} [{}]",
            signal.pointer, signal.check, signal.detail, signal.confidence
        )?;
    }
    Ok(())
}

impl Replay {
    fn add(&mut self, session: &Session, outcome: Outcome) {
        let total = self.totals.entry(session.label.clone()).or_default();
        total.n += 1;
        if outcome.verdict.act >= Act::Approve {
            total.flagged += 1;
            for rule in &outcome.verdict.rules {
                *total.by_rule.entry(rule.clone()).or_default() += 1;
            }
        }
        let verdict = if outcome.verdict.act == Act::Redact { Act::Warn } else { outcome.verdict.act };
        self.rows.push(Row {
            session: session.name.clone(),
            label: session.label.clone(),
            verdict: verdict.as_str(),
            call: outcome.call,
            rules: outcome.verdict.rules,
            risk: outcome.verdict.risk,
        });
    }

    fn write_plain(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        for row in self.rows.iter().filter(|row| row.verdict != "allow") {
            let call = row.call.map(|call| format!("call {call}")).unwrap_or_default();
            let rules = row.rules.join(", ");
            writeln!(
                out,
                "{:<8}{} {call}: {rules} (risk {})",
                row.verdict,
                escape_line(&row.session, 120),
                row.risk
            )?;
        }
        for (label, total) in &self.totals {
            let label = if label.is_empty() { "(no label)" } else { label };
            writeln!(out, "{}: {} of {} flagged", escape_line(label, 60), total.flagged, total.n)?;
        }
        Ok(())
    }

    /// Attacks that succeeded must be flagged, benign sessions must not.
    fn hold(&self, arguments: &ReplayArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
        let sum = |is_counted: fn(&str) -> bool| {
            let counted = self.totals.iter().filter(|(label, _)| is_counted(label));
            counted.fold((0, 0), |(n, flagged), (_, total)| (n + total.n, flagged + total.flagged))
        };
        let share =
            |(n, flagged): (u64, u64), empty: f64| if n == 0 { empty } else { flagged as f64 / n as f64 };
        let attacks = share(sum(|label| matches!(label, "attack" | "attack_succeeded")), 1.0);
        let benign = share(sum(|label| label == "benign"), 0.0);
        let is_passed = attacks >= arguments.min_flagged && benign <= arguments.max_flagged;
        let word = if is_passed { "PASSED" } else { "FAILED" };
        writeln!(streams.err, "GATE {word}: attacks flagged {attacks:.4}, benign flagged {benign:.4}")?;
        Ok(if is_passed { Exit::Clean } else { Exit::Gate })
    }
}
