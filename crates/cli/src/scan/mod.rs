//! `portcullis scan`: loads definitions, observes them in one registry, and writes the report.

mod output;

use portcullis_decide::lock::drift;
use portcullis_decide::{Finding, Report};
use portcullis_detect::{Detector, Registry};
use portcullis_report::{Origins, Scan};

use crate::Streams;
use crate::args::{FailOn, ScanArguments, Shared};
use crate::exit::{Exit, Failure};
use crate::input::load::{Loaded, load};
use crate::progress::Progress;
use crate::{lock, suppress};

pub(crate) use output::{Output, outputs};

/// Runs the command.
pub(crate) fn run(
    arguments: &ScanArguments,
    outputs: &[Output],
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let detector = Detector::new();
    let loaded = load(&arguments.inputs, streams.input)?;
    if shared.verbose {
        for server in &loaded.servers {
            let name = portcullis_detect::escape_line(&server.name, 100);
            writeln!(streams.err, "read {name}: {} definitions", server.definitions.len())?;
        }
    }
    let locked = if arguments.locked { Some(arguments.lock.read()?) } else { None };
    let suppressions = arguments.suppressions.read()?;
    let drift = locked.map(|locked| drift(&locked, &lock::entries(&loaded), &lock::server_names(&loaded)));
    let is_visible = streams.is_progress_visible && !shared.quiet;
    let (mut report, origins) = observe(&detector, loaded, is_visible);
    report.persona = arguments.persona.into();
    report.suppress(&suppressions, suppress::now());
    report.drift = drift.unwrap_or_default();
    let checks: Vec<_> = detector.facts().collect();
    let scan = Scan { report: &report, checks: &checks, origins: &origins };
    output::write_all(outputs, &scan, shared, streams)?;
    Ok(exit(arguments, &report))
}

/// Observes everything that was loaded, servers and definitions in their fixed order.
fn observe(detector: &Detector, loaded: Loaded, is_visible: bool) -> (Report, Origins) {
    let total = loaded.servers.iter().map(|server| server.definitions.len()).sum();
    let mut progress = Progress::new(total, "scanning definitions", is_visible);
    let mut registry = Registry::new();
    let mut details = Vec::with_capacity(total);
    let mut report = Report { incomplete: loaded.gaps, ..Report::default() };
    for server in loaded.servers {
        // A server that declares nothing was looked at all the same.
        report.servers.push(server.name.as_str().into());
        registry.insert_server(&server.name, server.definitions);
        details.extend(server.details);
    }
    let mut origins = Origins::default();
    // INVARIANT: ids come by server name, then in declared order, just as `details` was filled.
    for (id, detail) in registry.ids().zip(details) {
        let Some(definition) = registry.definition(id) else { continue };
        let found = report.findings.len();
        report.add(definition, detector.observe(&registry, id));
        for finding in report.findings.iter_mut().skip(found) {
            finding.fingerprint = Some(detail.identity.fingerprint());
        }
        if let Some(origin) = detail.origin.filter(|_| report.findings.len() > found) {
            origins.insert(definition.server(), definition.kind(), definition.name(), origin);
        }
        progress.step();
    }
    report.sort();
    (report, origins)
}

fn exit(arguments: &ScanArguments, report: &Report) -> Exit {
    let fails = |finding: &Finding| match arguments.fail_on {
        FailOn::Never => false,
        FailOn::Critical => finding.severity == portcullis_decide::Severity::Critical,
        FailOn::Hard => finding.is_hard(),
        FailOn::Soft => finding.severity > portcullis_decide::Severity::Info,
        FailOn::Info => true,
    };
    let has_drifted = arguments.fail_on != FailOn::Never && !report.drift.is_empty();
    if !arguments.exit_zero && (has_drifted || report.shown().any(fails)) {
        return Exit::Findings;
    }
    if !arguments.allow_incomplete && !report.is_complete() {
        return Exit::Incomplete;
    }
    Exit::Clean
}
