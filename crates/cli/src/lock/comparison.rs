//! `portcullis diff`: today's definitions against the lock, or word by word against earlier ones.

use std::collections::BTreeMap;

use portcullis_decide::difference::{Difference, Rescan};
use portcullis_decide::lock::{Drift, DriftKind, Locked, drift};
use portcullis_decide::{Finding, judge};
use portcullis_detect::fingerprint::Identity;
use portcullis_detect::json::Json;
use portcullis_detect::{Definition, DefinitionId, Detector, Kind, Registry};
use portcullis_report::Style;
use portcullis_report::difference::{Against, Changed, write_json, write_plain};

use super::{DiffArguments, entries, server_names, write_gaps};
use crate::Streams;
use crate::args::{ListFormat, Shared};
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::input::load::{Loaded, load, load_with_text};

/// Runs `diff`.
pub(crate) fn run(
    arguments: &DiffArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let (drifts, changed, is_incomplete) = if arguments.against.is_empty() {
        let loaded = load(&arguments.inputs, streams.input)?;
        let is_incomplete = write_gaps(&loaded, streams)?;
        let drifts = drift(&arguments.place.read()?, &entries(&loaded), &server_names(&loaded));
        (drifts, Vec::new(), is_incomplete)
    } else {
        let before = load_with_text(&arguments.against, streams.input)?;
        let after = load_with_text(&arguments.inputs, streams.input)?;
        let is_incomplete = write_gaps(&before, streams)? | write_gaps(&after, streams)?;
        let (drifts, changed) = compare(before, after);
        (drifts, changed, is_incomplete)
    };
    let against = if arguments.against.is_empty() { Against::Lock } else { Against::Earlier };
    let style = if shared.is_coloured(streams.is_out_coloured) { Style::coloured() } else { Style::plain() };
    unless_reader_left(match arguments.format {
        ListFormat::Plain => write_plain(against, &drifts, &changed, style, streams.out),
        ListFormat::Json => write_json(&drifts, &changed, streams.out),
    })?;
    Ok(match (drifts.is_empty() && changed.is_empty(), is_incomplete) {
        (false, _) => Exit::Findings,
        (true, true) => Exit::Incomplete,
        (true, false) => Exit::Clean,
    })
}

/// One definition with what a comparison needs of it.
struct Version {
    locked: Locked,
    json: Json,
    /// Its place among all that was loaded.
    at: usize,
}

/// What came, went or was renamed, and what changed with all its words.
fn compare(before: Loaded, after: Loaded) -> (Vec<Drift>, Vec<Changed>) {
    // Two files with one server each are two versions of it, whatever the files are called.
    let alias = match (before.servers.as_slice(), after.servers.as_slice()) {
        ([_], [only]) => Some(only.name.as_str()),
        _ => None,
    };
    let (old, new) = (versions(&before, alias), versions(&after, None));
    let mut servers = server_names(&after);
    servers.extend(old.iter().map(|version| version.locked.server.clone()));
    let locked =
        |versions: &[Version]| versions.iter().map(|version| version.locked.clone()).collect::<Vec<_>>();
    let (mut drifts, mut pairs) = (Vec::new(), Vec::new());
    let (mut unmatched, mut fresh) = (by_key(&old), by_key(&new));
    settle(&mut unmatched, &mut fresh);
    for found in drift(&locked(&old), &locked(&new), &servers) {
        let key = (found.server.clone(), found.kind, found.name.clone());
        if !matches!(found.what, DriftKind::Changed { .. }) {
            drifts.push(found);
            continue;
        }
        let pair = (unmatched.get_mut(&key).and_then(Vec::pop), fresh.get_mut(&key).and_then(Vec::pop));
        let (Some(before), Some(after)) = pair else { continue };
        pairs.push((found, before, after));
    }
    let old_side = Side::new(before, |_| None);
    let replaced = |at| pairs.iter().find(|(.., after)| after.at == at).map(|(_, before, _)| before.at);
    let new_side = Side::new(after, |at| old_side.definition(replaced(at)?));
    let detector = Detector::new();
    let changed = pairs.into_iter().map(|(found, before, after)| {
        let difference = Difference::between(found.kind, &before.json, &after.json, &[]);
        let findings = (old_side.scan(&detector, before.at), new_side.scan(&detector, after.at));
        let rescan = Rescan::between(findings.0.as_ref(), findings.1.as_ref());
        Changed { server: found.server, kind: found.kind, name: found.name, difference, rescan }
    });
    let changed = changed.collect();
    (drifts, changed)
}

fn versions(loaded: &Loaded, alias: Option<&str>) -> Vec<Version> {
    let mut versions = Vec::new();
    for server in &loaded.servers {
        let name = alias.unwrap_or(&server.name);
        for (definition, detail) in server.definitions.iter().zip(&server.details) {
            // INVARIANT: what was loaded was read before, so it reads again.
            let Ok(json) = Json::parse(detail.json.as_deref().unwrap_or("null")) else { continue };
            let identity = Identity::of(name, definition.kind(), &json);
            let locked = Locked::new(name, definition.kind(), definition.name(), &identity);
            versions.push(Version { locked, json, at: versions.len() });
        }
    }
    versions
}

/// All definitions of one list: a check may look at a tool's neighbours.
struct Side {
    registry: Registry,
    ids: Vec<DefinitionId>,
}

impl Side {
    /// `replaced` knows the earlier version of the definition at a place.
    fn new<'a>(loaded: Loaded, replaced: impl Fn(usize) -> Option<&'a Definition>) -> Self {
        let mut registry = Registry::new();
        let mut places = 0..;
        for server in loaded.servers {
            let pairs = server.definitions.into_iter().zip(&mut places);
            let definitions = pairs.map(|(definition, at)| match replaced(at) {
                Some(earlier) => definition.replacing(earlier),
                None => definition,
            });
            registry.insert_server(&server.name, definitions.collect());
        }
        let ids = registry.ids().collect();
        Side { registry, ids }
    }

    /// INVARIANT: ids come by server name, then in declared order, as things were loaded.
    fn definition(&self, at: usize) -> Option<&Definition> {
        self.registry.definition(*self.ids.get(at)?)
    }

    fn scan(&self, detector: &Detector, at: usize) -> Option<Finding> {
        judge(self.definition(at)?, detector.observe(&self.registry, *self.ids.get(at)?))
    }
}

type ByKey<'a> = BTreeMap<(Box<str>, Kind, Box<str>), Vec<&'a Version>>;

fn by_key(versions: &[Version]) -> ByKey<'_> {
    let mut by_key = ByKey::new();
    for version in versions {
        let Locked { server, kind, name, .. } = &version.locked;
        by_key.entry((server.clone(), *kind, name.clone())).or_default().push(version);
    }
    by_key
}

/// Takes out what is on both sides unchanged, so that of several with one name the changed ones meet.
fn settle(old: &mut ByKey<'_>, new: &mut ByKey<'_>) {
    for (key, versions) in new {
        let Some(known) = old.get_mut(key) else { continue };
        versions.retain(|version| {
            let same = known.iter().position(|k| k.locked.fingerprint == version.locked.fingerprint);
            same.map(|at| known.remove(at)).is_none()
        });
    }
}
