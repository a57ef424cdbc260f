//! Judges entries in registries, each with the one detector and the decision of the scan itself.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_decide::{Persona, Report, judge};
use portcullis_detect::{Definition, DefinitionId, Detector, Registry};
use portcullis_report::{Origins, Plain, Scan, Style};

use super::entry::{Corpus, Entry};
use crate::Streams;
use crate::args::Shared;
use crate::exit::{Exit, Failure};

/// What the scan said about one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// A hard finding.
    pub(crate) is_held: bool,
    /// Any finding the persona shows.
    pub(crate) is_raised: bool,
    /// The checks behind the finding.
    pub(crate) checks: Vec<&'static str>,
    /// What was not looked at.
    pub(crate) gaps: Vec<String>,
}

/// Who judges, and for whose eyes.
pub(crate) struct Judging<'a> {
    pub(crate) detector: &'a Detector,
    pub(crate) persona: Persona,
}

impl Judging<'_> {
    /// Judges an entry among its peers.
    pub(crate) fn among_peers(&self, entry: &Entry) -> Outcome {
        let registry = among_peers(entry);
        own_id(&registry, entry).map(|id| self.judge(&registry, id)).unwrap_or_default()
    }

    /// Judges all entries of a file in one registry, peers included; nobody is the newcomer.
    pub(crate) fn together<'e>(&self, entries: &'e [Entry], mut record: impl FnMut(&'e Entry, Outcome)) {
        let mut servers: BTreeMap<&str, (Vec<&Entry>, Vec<Definition>)> = BTreeMap::new();
        for entry in entries {
            servers.entry(entry.definition.server()).or_default().0.push(entry);
            for peer in &entry.peers {
                servers.entry(peer.server()).or_default().1.push(peer.clone());
            }
        }
        let mut registry = Registry::new();
        let mut expected: Vec<Option<&Entry>> = Vec::new();
        for (server, (own, mut peers)) in servers {
            // One peer stands beside many entries; as a registry it is there once.
            let mut seen = BTreeSet::new();
            peers.retain(|peer| seen.insert(peer.name().to_owned()));
            expected.extend(own.iter().copied().map(Some));
            expected.extend(peers.iter().map(|_| None));
            let definitions = own.iter().map(|entry| entry.definition.clone()).chain(peers);
            registry.insert_server(server, definitions.collect());
        }
        // INVARIANT: ids come by server name, then in declared order, just as `expected` was filled.
        for (id, entry) in registry.ids().zip(expected) {
            if let Some(entry) = entry {
                record(entry, self.judge(&registry, id));
            }
        }
    }

    /// Judges every entry of a drawn set-up, servers ordered by name.
    pub(crate) fn drawn<'e>(&self, servers: &[&[&'e Entry]], mut record: impl FnMut(&'e Entry, Outcome)) {
        let mut registry = Registry::new();
        for entries in servers {
            let Some(first) = entries.first() else { continue };
            let definitions = entries.iter().map(|entry| entry.definition.clone()).collect();
            registry.insert_server(first.definition.server(), definitions);
        }
        // INVARIANT: ids come by server name, then in declared order, just as `servers` are ordered.
        for (id, entry) in registry.ids().zip(servers.iter().copied().flatten()) {
            record(entry, self.judge(&registry, id));
        }
    }

    fn judge(&self, registry: &Registry, id: DefinitionId) -> Outcome {
        let Some(definition) = registry.definition(id) else { return Outcome::default() };
        let observation = self.detector.observe(registry, id);
        let failed =
            observation.coverage.failed.iter().map(|check| format!("the check {check} failed on it"));
        let caps =
            observation.coverage.caps.iter().map(|cap| format!("a limit was reached: {}", cap.explain()));
        let gaps = failed.chain(caps).collect();
        let Some(finding) = judge(definition, observation) else {
            return Outcome { gaps, ..Outcome::default() };
        };
        let mut checks = finding.checks.clone();
        if checks.is_empty() {
            checks.extend(finding.discounted.iter().map(|signal| signal.check));
            checks.dedup();
        }
        Outcome { is_held: finding.is_hard(), is_raised: self.persona.wants(&finding), checks, gaps }
    }
}

/// Prints all signals of the entries called `id`, as an auditor sees them.
pub(crate) fn explain(
    detector: &Detector,
    corpus: &Corpus,
    id: &str,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let mut report = Report { persona: Persona::Auditor, ..Report::default() };
    for entry in corpus.entries().filter(|entry| entry.id == id) {
        let registry = among_peers(entry);
        if let Some((own, definition)) = own_id(&registry, entry)
            .and_then(|own| registry.definition(own).map(|definition| (own, definition)))
        {
            report.add(definition, detector.observe(&registry, own));
        }
    }
    if report.definitions == 0 {
        return Err(Failure::Usage(format!("no entry called `{}` in the corpus", id.escape_debug())));
    }
    report.sort();
    let style = if shared.is_coloured(streams.is_out_coloured) { Style::coloured() } else { Style::plain() };
    let checks: Vec<_> = detector.facts().collect();
    let origins = Origins::default();
    let scan =
        Scan { report: &report, checks: &checks, origins: &origins, is_registry_used: true, pages: None };
    Plain { style, every_place: true, ..Plain::default() }.write(&scan, streams.out)?;
    Ok(Exit::Clean)
}

/// A registry of the entry and its peers. The entry is the newcomer, so findings between them are its own.
fn among_peers(entry: &Entry) -> Registry {
    let own = entry.definition.server();
    let mut servers: BTreeMap<&str, Vec<Definition>> = BTreeMap::new();
    servers.insert(own, vec![entry.definition.clone().since(1)]);
    for peer in &entry.peers {
        servers.entry(peer.server()).or_default().push(peer.clone().since(0));
    }
    let mut registry = Registry::new();
    for (server, definitions) in servers {
        registry.insert_server(server, definitions);
    }
    registry
}

/// The entry's own id: it was declared first on its server.
fn own_id(registry: &Registry, entry: &Entry) -> Option<DefinitionId> {
    let own = entry.definition.server();
    registry.ids().find(|id| registry.definition(*id).is_some_and(|definition| definition.server() == own))
}
