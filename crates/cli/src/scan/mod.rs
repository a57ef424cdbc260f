//! `portcullis scan`: loads definitions, observes them in one registry, and writes the report.

mod output;

use portcullis_decide::{Finding, Report};
use portcullis_detect::{Detector, Registry};
use portcullis_report::{Origins, Scan};

use crate::Streams;
use crate::args::{FailOn, ScanArguments, Shared};
use crate::exit::{Exit, Failure};
use crate::input::load::{Loaded, load};
use crate::progress::Progress;

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
    let is_visible = streams.is_progress_visible && !shared.quiet;
    let (mut report, origins) = observe(&detector, loaded, is_visible);
    report.persona = arguments.persona.into();
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
    let mut places = Vec::with_capacity(total);
    let mut report = Report { incomplete: loaded.gaps, ..Report::default() };
    for server in loaded.servers {
        // A server that declares nothing was looked at all the same.
        report.servers.push(server.name.as_str().into());
        registry.insert_server(&server.name, server.definitions);
        places.extend(server.origins);
    }
    let mut origins = Origins::default();
    // INVARIANT: ids come by server name, then in declared order, just as `places` was filled.
    for (id, origin) in registry.ids().zip(places) {
        let Some(definition) = registry.definition(id) else { continue };
        let found = report.findings.len();
        report.add(definition, detector.observe(&registry, id));
        if let Some(origin) = origin.filter(|_| report.findings.len() > found) {
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
    if !arguments.exit_zero && report.shown().any(fails) {
        return Exit::Findings;
    }
    if !arguments.allow_incomplete && !report.is_complete() {
        return Exit::Incomplete;
    }
    Exit::Clean
}
