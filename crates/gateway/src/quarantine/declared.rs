//! What the checks look at: the definitions of all servers that are attached, found by what people call them.

use std::collections::BTreeMap;

use portcullis_decide::approval::Scan;
use portcullis_decide::suppression::Suppression;
use portcullis_decide::{Finding, Report};
use portcullis_detect::fingerprint::Fingerprint;
use portcullis_detect::{Definition, DefinitionId, Detector, Kind, Registry};

use super::now_ms;

/// The definitions of all servers that are attached.
#[derive(Default)]
pub(super) struct Declared {
    registry: Registry,
    /// What each definition of a server is called, in the registry's order.
    names: BTreeMap<Box<str>, Vec<(Kind, Box<str>)>>,
}

impl Declared {
    /// Puts in what a server declares, replacing what it declared before.
    pub(super) fn insert(&mut self, server: &str, definitions: Vec<(Box<str>, Definition)>) {
        let names = definitions.iter().map(|(name, definition)| (definition.kind(), name.clone())).collect();
        self.names.insert(server.into(), names);
        self.registry
            .insert_server(server, definitions.into_iter().map(|(_, definition)| definition).collect());
    }

    pub(super) fn remove(&mut self, server: &str) {
        self.names.remove(server);
        self.registry.remove_server(server);
    }

    pub(super) fn knows(&self, server: &str) -> bool {
        self.names.contains_key(server)
    }

    pub(super) fn find(&self, server: &str, kind: Kind, name: &str) -> Option<DefinitionId> {
        let place =
            self.names.get(server)?.iter().position(|(its, called)| *its == kind && **called == *name)?;
        self.registry.nth_of_server(server, place)
    }

    /// Runs the checks on one definition, beside all others.
    pub(super) fn observe(
        &self,
        detector: &Detector,
        id: DefinitionId,
        fingerprint: Fingerprint,
        suppressions: &[Suppression],
    ) -> (Option<Finding>, Scan) {
        let mut report = Report::default();
        self.add_to(&mut report, detector, id, fingerprint);
        report.suppress(suppressions, now_ms());
        let is_incomplete = !report.is_complete();
        let finding = report.findings.pop();
        let scan = Scan::of(finding.as_ref(), is_incomplete);
        (finding, scan)
    }

    /// Runs the checks on one definition and adds what they say to a report.
    pub(super) fn add_to(
        &self,
        report: &mut Report,
        detector: &Detector,
        id: DefinitionId,
        fingerprint: Fingerprint,
    ) {
        let Some(definition) = self.registry.definition(id) else { return };
        let found = report.findings.len();
        report.add(definition, detector.observe(&self.registry, id));
        for finding in report.findings.iter_mut().skip(found) {
            finding.fingerprint = Some(fingerprint);
        }
    }
}
