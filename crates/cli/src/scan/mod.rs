//! `portcullis scan`: loads definitions, observes them in one registry or each for itself, and writes the report.

mod alone;
mod arguments;
mod baseline;
mod entry;
mod live;
mod output;
mod sandbox;
mod settings;
mod stop;
mod targets;
mod together;

use std::path::Path;
use std::time::Duration;

use portcullis_decide::baseline::News;
use portcullis_decide::lock::drift;
use portcullis_decide::{Finding, Report};
use portcullis_detect::{Definition, DefinitionId, Detector, Facts, RULES_VERSION, Registry, escape_line};
use portcullis_report::{Origins, Scan};

use crate::Streams;
use crate::activity::data_directory;
use crate::args::Shared;
use crate::exit::{Exit, Failure};
use crate::input::load::{Detail, Loaded, load_holding};
use crate::{clients, lock, rules, suppress};

use arguments::FailOn;
pub(crate) use arguments::ScanArguments;
use live::Terms;
pub(crate) use output::{Output, outputs};
pub(crate) use settings::{Settings, show};
use stop::Stop;
use targets::{address, targets};
use together::Observed;

/// Bytes of JSON lines in files that are held; they become about five times as many when they are read. What is longer
/// is read once more for each time it is needed.
const HELD: u64 = 16 * 1024 * 1024;

/// Runs the command.
pub(crate) fn run(
    arguments: &ScanArguments,
    outputs: &[Output],
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    check(arguments)?;
    if arguments.inventory {
        return inventory(arguments, outputs, shared, streams);
    }
    let detector = rules::detector(&arguments.rules)?;
    let checks: Vec<&'static Facts> = detector.facts().collect();
    if arguments.no_registry {
        return alone::run(arguments, outputs, &detector, &checks, shared, streams);
    }
    let is_visible = streams.is_progress_visible && !shared.is_quiet();
    let loaded = gather(arguments, shared, streams)?;
    let locked = if arguments.locked { Some(arguments.lock.read()?) } else { None };
    let suppressions = arguments.suppressions.read()?;
    let known = arguments.baseline.as_deref().map(baseline::read).transpose()?;
    let entries = if needs_identities(arguments) { lock::entries(&loaded) } else { Vec::new() };
    let drift = locked.map(|locked| drift(&locked, &entries, &lock::server_names(&loaded)));
    let Observed { mut report, origins, is_stopped } =
        together::observe(&detector, loaded, &Stop::listen(), is_visible)?;
    report.persona = arguments.persona.into();
    report.hides_known = arguments.new_only;
    report.suppress(&suppressions, suppress::now());
    report.drift = drift.unwrap_or_default();
    if let Some(path) = &arguments.write_baseline {
        baseline::write(path, &mut report, &entries, &checks, streams)?;
    }
    known.into_iter().for_each(|known| report.compare(known));
    let scan = Scan {
        report: &report,
        checks: &checks,
        origins: &origins,
        is_registry_used: true,
        pages: arguments.docs_url.as_deref(),
    };
    output::write_all(outputs, &scan, shared, streams)?;
    let exit = unless_stopped(is_stopped, exit(arguments, &report, report.shown()));
    if exit == Exit::Findings && !shared.is_quiet() {
        say_if_rules_changed(&report, streams)?;
    }
    Ok(exit)
}

/// Everything that was asked for: files are loaded, servers are read, and what was merely found is noted.
fn gather(arguments: &ScanArguments, shared: &Shared, streams: &mut Streams<'_>) -> Result<Loaded, Failure> {
    let targets = targets(arguments)?;
    let held = if needs_identities(arguments) { u64::MAX } else { HELD };
    let mut loaded = load_holding(held, &targets.files, targets.texts, streams.input)?;
    loaded.gaps.extend(targets.gaps);
    loaded.unread.extend(targets.never_scanned);
    let is_visible = streams.is_progress_visible && !shared.is_quiet();
    let patience = Duration::from_secs(arguments.server_timeout);
    let data = if arguments.sign_in || streams.can_answer { Some(data_directory(None)?) } else { None };
    let terms = Terms { sandbox: arguments.sandbox, patience, data };
    live::read(targets.servers, &terms, is_visible, &mut loaded)?;
    for note in loaded.notes.iter().filter(|_| !shared.is_quiet()) {
        writeln!(streams.err, "note: {}", escape_line(note, 1000))?;
    }
    let is_nothing = loaded.servers.is_empty() && loaded.gaps.is_empty() && loaded.unread.is_empty();
    if is_nothing && !shared.is_quiet() {
        writeln!(streams.err, "note: no client here names a server; name a file, an address or -- COMMAND")?;
    }
    if shared.is_verbose() {
        for server in &loaded.servers {
            let name = escape_line(&server.name, 100);
            match server.is_long {
                true => writeln!(streams.err, "found {name}: its file is read while it is judged")?,
                false => writeln!(streams.err, "read {name}: {} definitions", server.definitions.len())?,
            }
        }
    }
    Ok(loaded)
}

/// Lists servers instead of scanning what they declare.
fn inventory(
    arguments: &ScanArguments,
    outputs: &[Output],
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let files = match arguments.inputs.as_slice() {
        [] => clients::everywhere(&std::env::current_dir()?),
        inputs => inputs
            .iter()
            .map(|input| clients::config_file(input).map_err(|_| no_config(input)))
            .collect::<Result<_, _>>()?,
    };
    let listed = clients::inventory(&files);
    output::write_inventory(outputs, &listed, shared, streams)?;
    Ok(if listed.incomplete.is_empty() || arguments.allow_incomplete {
        Exit::Clean
    } else {
        Exit::Incomplete
    })
}

fn no_config(input: &Path) -> Failure {
    Failure::Usage(format!("{} names no servers: --inventory takes files of clients", input.display()))
}

/// What clap cannot say, because settings files have their word too.
fn check(arguments: &ScanArguments) -> Result<(), Failure> {
    if arguments.new_only && arguments.baseline.is_none() {
        return Err(Failure::Usage("--new-only needs --baseline: new since when?".into()));
    }
    if arguments.no_registry && (arguments.baseline.is_some() || arguments.locked) {
        let message = "--no-registry keeps nothing to compare: it goes with neither a baseline nor a lock";
        return Err(Failure::Usage(message.into()));
    }
    let has_server =
        !arguments.command.is_empty() || arguments.inputs.iter().any(|input| address(input).is_some());
    if arguments.no_registry && (arguments.inputs.is_empty() || has_server) {
        return Err(Failure::Usage("--no-registry reads files and stdin only: name one".into()));
    }
    match arguments.rules_version.as_deref() {
        Some(pinned) if !is_version(pinned) => Err(Failure::Usage(format!(
            "the rules changed: this is {RULES_VERSION}, and --rules-version asks for {}; compare with a baseline, \
             then pin the new version",
            escape_line(pinned, 40)
        ))),
        _ => Ok(()),
    }
}

/// Whether our rules are of the pinned version: the same, or more exact than what was pinned.
fn is_version(pinned: &str) -> bool {
    RULES_VERSION.strip_prefix(pinned).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A build that turned red because of an update should say so in its last line.
fn say_if_rules_changed(report: &Report, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let Some(before) = report.baseline.as_ref().map(|baseline| &baseline.rules_version) else {
        return Ok(());
    };
    let is_rules = |finding: &Finding| {
        finding.checks.iter().any(|check| report.news(finding, check) == Some(News::Rules))
    };
    match report.shown().filter(|finding| is_rules(finding)).count() {
        0 => Ok(()),
        count => Ok(writeln!(
            streams.err,
            "note: the rules changed since the baseline ({before} -> {RULES_VERSION}); {count} of the findings are new \
             for that reason alone, their definitions did not change"
        )?),
    }
}

/// Observes one definition and adds what was found, with its fingerprint and its place.
fn observe_one(
    detector: &Detector,
    (registry, id): (&Registry, DefinitionId),
    definition: &Definition,
    detail: Detail,
    report: &mut Report,
    origins: &mut Origins,
) {
    let found = report.findings.len();
    report.add(definition, detector.observe_whole(registry, id, definition));
    for finding in report.findings.iter_mut().skip(found) {
        finding.fingerprint = Some(detail.identity.fingerprint());
    }
    if let Some(origin) = detail.origin.filter(|_| report.findings.len() > found) {
        origins.insert(definition.server(), definition.kind(), definition.name(), origin);
    }
}

/// A lock and a new baseline list every definition: all of them must be held.
fn needs_identities(arguments: &ScanArguments) -> bool {
    arguments.locked || arguments.write_baseline.is_some()
}

/// Who stops a scan knows that it is not whole: that lifts no `--allow-incomplete`.
fn unless_stopped(is_stopped: bool, exit: Exit) -> Exit {
    if is_stopped && exit == Exit::Clean { Exit::Incomplete } else { exit }
}

/// What a scan ends with, given the findings that count.
fn exit<'a>(
    arguments: &ScanArguments,
    report: &Report,
    mut shown: impl Iterator<Item = &'a Finding>,
) -> Exit {
    let has_drifted = arguments.fail_on != FailOn::Never && !report.drift.is_empty();
    let is_left = arguments.fail_on == FailOn::Unscanned && !report.never_scanned.is_empty();
    if !arguments.exit_zero && (has_drifted || is_left || shown.any(|finding| fails(arguments, finding))) {
        return Exit::Findings;
    }
    if !arguments.allow_incomplete && !report.is_complete() {
        return Exit::Incomplete;
    }
    Exit::Clean
}

fn fails(arguments: &ScanArguments, finding: &Finding) -> bool {
    match arguments.fail_on {
        FailOn::Never => false,
        FailOn::Critical => finding.severity == portcullis_decide::Severity::Critical,
        FailOn::Hard | FailOn::Unscanned => finding.is_hard(),
        FailOn::Soft => finding.severity > portcullis_decide::Severity::Info,
        FailOn::Info => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_may_be_less_exact_than_the_version() {
        let mut parts = RULES_VERSION.split('.');
        let (major, minor) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        assert!(is_version(RULES_VERSION) && is_version(major) && is_version(&format!("{major}.{minor}")));
        assert!(
            !is_version("99")
                && !is_version(&format!("{RULES_VERSION}.1"))
                && !is_version(&format!("{major}."))
        );
    }
}
