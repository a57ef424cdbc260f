//! What a lock says of definitions, and where the definitions of today are no longer what it says.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::{Fingerprint, Identity, Part};

/// The parts whose hashes a lock keeps; server and name are its keys.
pub const LOCKED_PARTS: [Part; 6] =
    [Part::Title, Part::Description, Part::InputSchema, Part::OutputSchema, Part::Annotations, Part::Other];

/// How many hexadecimal digits of a part's hash are kept. They only place a change; the fingerprint proves it.
const DIGITS: usize = 16;

/// What a lock says of one definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The operator's name of the server.
    pub server: Box<str>,
    /// What was declared.
    pub kind: Kind,
    /// The declared name. May be hostile: escape before printing.
    pub name: Box<str>,
    /// The whole.
    pub fingerprint: Fingerprint,
    /// The beginning of each part's hash, in the order of [`LOCKED_PARTS`].
    pub parts: [Box<str>; LOCKED_PARTS.len()],
}

impl Locked {
    /// What a lock should say of a definition.
    pub fn new(server: &str, kind: Kind, name: &str, identity: &Identity) -> Self {
        let hash = |wanted: Part| {
            let found = identity.parts().find(|(part, _)| *part == wanted);
            found.map_or_else(String::new, |(_, hash)| hash.to_string().chars().take(DIGITS).collect())
        };
        let parts = LOCKED_PARTS.map(|part| hash(part).into());
        Locked { server: server.into(), kind, name: name.into(), fingerprint: identity.fingerprint(), parts }
    }

    /// Locks are written in this order, whatever order servers declare in.
    pub fn order(&self) -> impl Ord + use<> {
        (self.server.clone(), self.kind, self.name.clone(), *self.fingerprint.as_bytes())
    }

    fn key(&self) -> (&str, Kind, &str) {
        (&self.server, self.kind, &self.name)
    }

    fn differs_in(&self, other: &Locked) -> Vec<Part> {
        let pairs = self.parts.iter().zip(&other.parts);
        LOCKED_PARTS.into_iter().zip(pairs).filter(|(_, (a, b))| a != b).map(|(part, _)| part).collect()
    }
}

/// One definition that is not what the lock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The operator's name of the server. May be hostile: escape before printing.
    pub server: Box<str>,
    /// What was declared.
    pub kind: Kind,
    /// The declared name. May be hostile: escape before printing.
    pub name: Box<str>,
    /// How it differs.
    pub what: DriftKind,
}

/// How a definition differs from the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DriftKind {
    /// It is another than the one locked.
    Changed {
        /// The parts that changed.
        parts: Vec<Part>,
    },
    /// The lock does not name it.
    Unknown,
    /// The lock names it under another name.
    Renamed {
        /// That name. May be hostile: escape before printing.
        from: Box<str>,
    },
    /// The lock names it, and its server no longer declares it.
    Vanished,
}

impl DriftKind {
    /// The word used in every output format.
    pub fn as_str(&self) -> &'static str {
        match self {
            DriftKind::Changed { .. } => "changed",
            DriftKind::Unknown => "unknown",
            DriftKind::Renamed { .. } => "renamed",
            DriftKind::Vanished => "vanished",
        }
    }

    /// What happened, in a sentence without names.
    pub fn explain(&self) -> String {
        match self {
            DriftKind::Changed { parts } if parts.is_empty() => {
                "its fingerprint is not the locked one, though no part changed: the lock was edited".into()
            }
            DriftKind::Changed { parts } => {
                let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
                format!("changed since it was locked: {}", parts.join(", "))
            }
            DriftKind::Unknown => "the lock does not know it".into(),
            DriftKind::Renamed { .. } => "locked under another name".into(),
            DriftKind::Vanished => "locked, and no longer declared".into(),
        }
    }
}

/// Where `seen` is not what the lock says, ordered. Servers that were not looked at are left out of it.
pub fn drift(locked: &[Locked], seen: &[Locked], looked_at: &[Box<str>]) -> Vec<Drift> {
    let looked_at: BTreeSet<&str> = looked_at.iter().map(|server| &**server).collect();
    let (mut old, mut new) = (by_key(locked), by_key(seen));
    old.retain(|(server, _, _), _| looked_at.contains(server));
    // What is there as the lock says is no drift; of equal names each must be.
    for (key, entries) in &mut new {
        let Some(known) = old.get_mut(key) else { continue };
        entries.retain(|entry| match known.iter().position(|k| k.fingerprint == entry.fingerprint) {
            Some(at) => {
                known.remove(at);
                false
            }
            None => true,
        });
    }
    let mut drifts = Vec::new();
    for (key, entries) in &new {
        for entry in entries {
            let before = old.get_mut(key).and_then(Vec::pop);
            let what = match before {
                Some(before) => DriftKind::Changed { parts: before.differs_in(entry) },
                None => take_renamed(&mut old, entry),
            };
            drifts.push(found(entry, what));
        }
    }
    drifts.extend(old.values().flatten().map(|entry| found(entry, DriftKind::Vanished)));
    drifts.sort_by(|a, b| (&a.server, a.kind, &a.name).cmp(&(&b.server, b.kind, &b.name)));
    drifts
}

type ByKey<'a> = BTreeMap<(&'a str, Kind, &'a str), Vec<&'a Locked>>;

fn by_key(entries: &[Locked]) -> ByKey<'_> {
    let mut by_key = ByKey::new();
    for entry in entries {
        by_key.entry(entry.key()).or_default().push(entry);
    }
    by_key
}

/// A locked entry of the same server, kind and content that is still unmatched, if there is one.
fn take_renamed(old: &mut ByKey<'_>, entry: &Locked) -> DriftKind {
    let is_it = |known: &&Locked| {
        known.server == entry.server && known.kind == entry.kind && known.parts == entry.parts
    };
    for known in old.values_mut() {
        if let Some(at) = known.iter().position(is_it) {
            return DriftKind::Renamed { from: known.remove(at).name.clone() };
        }
    }
    DriftKind::Unknown
}

fn found(entry: &Locked, what: DriftKind) -> Drift {
    Drift { server: entry.server.clone(), kind: entry.kind, name: entry.name.clone(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, description: &str) -> Locked {
        let json = format!(r#"{{"name":"{name}","description":"{description}"}}"#);
        let identity = Identity::parse("s", Kind::Tool, &json).expect("good JSON");
        Locked::new("s", Kind::Tool, name, &identity)
    }

    #[track_caller]
    fn check(locked: &[Locked], seen: &[Locked], expected: &[&str]) {
        let drifts = drift(locked, seen, &["s".into()]);
        let shown: Vec<String> =
            drifts.iter().map(|drift| format!("{}: {}", drift.name, drift.what.explain())).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn every_way_to_differ_is_named() {
        let (a, b) = (entry("a", "x"), entry("b", "y"));
        check(&[a.clone(), b.clone()], &[b.clone(), a.clone()], &[]);
        check(
            core::slice::from_ref(&a),
            &[entry("a", "z")],
            &["a: changed since it was locked: description"],
        );
        check(&[], core::slice::from_ref(&a), &["a: the lock does not know it"]);
        check(core::slice::from_ref(&a), &[], &["a: locked, and no longer declared"]);
        check(core::slice::from_ref(&a), &[entry("c", "x")], &["c: locked under another name"]);
        assert_eq!(drift(&[a], &[], &["other".into()]), []);
    }

    #[test]
    fn a_second_tool_of_the_same_name_is_seen() {
        let (a, other) = (entry("a", "x"), entry("a", "z"));
        check(core::slice::from_ref(&a), &[a.clone(), other.clone()], &["a: the lock does not know it"]);
        check(core::slice::from_ref(&a), &[a.clone(), a.clone()], &["a: the lock does not know it"]);
        check(&[a.clone(), other.clone()], &[other, a], &[]);
    }
}
