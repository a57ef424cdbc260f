//! Reading and writing the baseline of a scan.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use portcullis_decide::Report;
use portcullis_decide::baseline::{Baseline, Seen};
use portcullis_decide::lock::Locked;
use portcullis_detect::{Facts, RULES_VERSION};

use crate::Streams;
use crate::exit::Failure;
use crate::lock::replace;

/// The baseline in a file, which must be there.
pub(super) fn read(path: &Path) -> Result<Baseline, Failure> {
    let refused =
        |reason: &dyn std::fmt::Display| Failure::Usage(format!("cannot read {}: {reason}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| refused(&error))?;
    portcullis_report::baseline::read(&text).map_err(|bad| refused(&bad))
}

/// Writes what the report found on all `entries`, and takes it for known. Of what was not wholly looked at nothing is
/// written: it would pass for seen.
pub(super) fn write(
    path: &Path,
    report: &mut Report,
    entries: &[Locked],
    checks: &[&'static Facts],
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    if !report.is_complete() {
        writeln!(streams.err, "error: {} was not written: it would not hold everything", path.display())?;
        return Ok(());
    }
    let mut found: BTreeMap<_, Vec<Box<str>>> = BTreeMap::new();
    for finding in &report.findings {
        let content = finding.fingerprint.map(|fingerprint| *fingerprint.as_bytes());
        let key = (finding.server.clone(), finding.kind, finding.name.clone(), content);
        found.entry(key).or_default().extend(finding.checks.iter().map(|check| Box::from(*check)));
    }
    let seen = entries.iter().map(|entry| {
        let key = (entry.server.clone(), entry.kind, entry.name.clone(), Some(*entry.fingerprint.as_bytes()));
        Seen {
            server: entry.server.clone(),
            kind: entry.kind,
            name: entry.name.clone(),
            content: entry.fingerprint,
            checks: found.get(&key).cloned().unwrap_or_default(),
        }
    });
    let ids = checks.iter().map(|facts| facts.id.into()).collect();
    let baseline = Baseline::new(RULES_VERSION, ids, seen.collect());
    replace(path, &portcullis_report::baseline::write(&baseline))?;
    writeln!(streams.err, "wrote {}: {} definitions", path.display(), entries.len())?;
    report.compare(baseline);
    Ok(())
}
