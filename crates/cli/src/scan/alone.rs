//! `scan --no-registry`: each definition for itself, so that inputs of any size are read in little memory.

use portcullis_decide::{Incomplete, Report};
use portcullis_detect::{Detector, Facts, Registry};
use portcullis_report::{Origins, Scan};

use super::arguments::ScanArguments;
use super::output::{self, Output, Running};
use super::stop::{self, Stop};
use super::{exit, fails, observe_one, unless_stopped};
use crate::Streams;
use crate::args::Shared;
use crate::exit::{Exit, Failure};
use crate::input::load::Loaded;
use crate::input::stream;
use crate::suppress;

/// Places that could not be read are named up to here: a stream of nonsense has no end.
const MOST_GAPS: usize = 1000;

/// Runs the command. Findings are written as they are found and then forgotten, where the formats allow it.
pub(super) fn run(
    arguments: &ScanArguments,
    outputs: &[Output],
    detector: &Detector,
    checks: &[&'static Facts],
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let suppressions = arguments.suppressions.read()?;
    let now = suppress::now();
    let mut report = Report { persona: arguments.persona.into(), ..Report::default() };
    let mut origins = Origins::default();
    let (mut has_failed, pages) = (false, arguments.docs_url.as_deref());
    let look = output::look(shared, streams);
    let Streams { input, out, .. } = streams;
    let mut running = Running::open(outputs, look, shared, *out)?;
    let stop = Stop::listen();
    let outcome = stream::each(&arguments.inputs, *input, &mut |loaded| {
        stop.check()?;
        observe(detector, loaded, &mut report, &mut origins);
        let Some(running) = &mut running else { return Ok(()) };
        report.suppress_findings(&suppressions, now);
        let scan = Scan { report: &report, checks, origins: &origins, is_registry_used: false, pages };
        for finding in report.shown() {
            has_failed |= fails(arguments, finding);
            running.finding(&scan, finding)?;
        }
        report.forget();
        origins = Origins::default();
        Ok(())
    });
    let is_stopped = stop::is_end(outcome, "the rest of the input was not looked at", &mut report)?;
    if running.is_none() {
        report.suppress_findings(&suppressions, now);
        report.sort();
        has_failed = report.shown().any(|finding| fails(arguments, finding));
    }
    report.incomplete.sort();
    report.note_idle(&suppressions, now);
    let scan = Scan { report: &report, checks, origins: &origins, is_registry_used: false, pages };
    match running {
        Some(mut running) => running.end(&scan)?,
        None => output::write_all(outputs, &scan, shared, streams)?,
    }
    let failing = has_failed && !arguments.exit_zero;
    let exit = if failing { Exit::Findings } else { exit(arguments, &report, std::iter::empty()) };
    Ok(unless_stopped(is_stopped, exit))
}

fn observe(detector: &Detector, loaded: Loaded, report: &mut Report, origins: &mut Origins) {
    let room = MOST_GAPS.saturating_sub(report.incomplete.len());
    if room > 0 && loaded.gaps.len() > room {
        let reason = format!("there are more than {MOST_GAPS} such places; the others are not named");
        report.incomplete.push(Incomplete { subject: "the input".into(), reason });
    }
    report.incomplete.extend(loaded.gaps.into_iter().take(room));
    report.never_scanned.extend(loaded.unread.into_iter().take(room));
    for server in loaded.servers {
        for (definition, detail) in server.definitions.into_iter().zip(server.details) {
            let mut registry = Registry::new();
            registry.insert_server(&server.name, vec![definition]);
            let Some(id) = registry.ids().next() else { continue };
            let Some(definition) = registry.definition(id) else { continue };
            observe_one(detector, (&registry, id), definition, detail, report, origins);
        }
    }
}
