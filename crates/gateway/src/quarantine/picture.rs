//! The picture of everything servers declared, as the store has it: read once, then kept up with what changes there.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_decide::approval::server::Server;
use portcullis_decide::approval::{Hold, Settings, hold};
use portcullis_detect::Kind;
use portcullis_store::{Changes, Item};

/// What is known of one server.
pub(crate) struct Known {
    /// The version of the registry in which the server itself last changed.
    pub(crate) version: u64,
    pub(crate) server: Server,
    /// The version in which it, or anything it declares, last changed.
    pub(crate) changed: u64,
    pub(crate) items: BTreeMap<Kind, BTreeMap<Box<str>, Item>>,
    /// What it declares now, counted whenever anything changes: pages and lists ask for it far more often.
    pub(crate) tally: Tally,
}

/// How many definitions stand where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) states: BTreeMap<&'static str, usize>,
    /// Those agents may not see.
    pub(crate) held: usize,
}

impl Known {
    pub(crate) fn item(&self, kind: Kind, name: &str) -> Option<&Item> {
        self.items.get(&kind)?.get(name)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Item> {
        self.items.values().flat_map(BTreeMap::values)
    }

    /// Why a definition may not be used; `None` if it may.
    pub(crate) fn hold(&self, item: &Item, settings: &Settings) -> Option<Hold> {
        hold(item.name.kind, &item.record, &self.server, settings)
    }

    fn count(&self, settings: &Settings) -> Tally {
        let mut tally = Tally::default();
        for item in self.all().filter(|item| item.record.is_present) {
            *tally.states.entry(item.record.state.as_str()).or_default() += 1;
            tally.held += usize::from(self.hold(item, settings).is_some());
        }
        tally
    }

    /// What is exposed, with what it says: when this changes, agents must hear of it.
    fn exposed(&self, settings: &Settings) -> Exposed {
        let mut exposed = Exposed::new();
        for item in self.all().filter(|item| self.hold(item, settings).is_none()) {
            let what = (item.name.name.as_str().into(), *item.record.seen.as_bytes());
            exposed.entry(item.name.kind).or_default().insert(what);
        }
        exposed
    }
}

/// Names and fingerprints by kind.
type Exposed = BTreeMap<Kind, BTreeSet<(Box<str>, [u8; 32])>>;

/// What is known of all servers.
#[derive(Default)]
pub(crate) struct Picture {
    /// The version of the registry this is.
    pub(crate) version: u64,
    pub(crate) servers: BTreeMap<Box<str>, Known>,
}

/// A server of which agents now see something else, and of which kinds.
pub(crate) type Exposure = (Box<str>, BTreeSet<Kind>);

impl Picture {
    pub(crate) fn server(&self, name: &str) -> Option<&Known> {
        self.servers.get(name)
    }

    /// Takes over what changed, and says which servers' exposure changed with it.
    pub(crate) fn merge(&mut self, changes: Changes, settings: &Settings) -> Vec<Exposure> {
        let touched: BTreeSet<Box<str>> = changes
            .servers
            .iter()
            .map(|one| one.name.as_str().into())
            .chain(changes.items.iter().map(|item| item.name.server.as_str().into()))
            .collect();
        let before: Vec<_> = touched.iter().map(|name| self.exposed(name, settings)).collect();
        for one in changes.servers {
            match self.servers.get_mut(one.name.as_str()) {
                Some(known) => (known.version, known.server) = (one.version, one.server),
                None => {
                    let (version, changed, tally) = (one.version, 0, Tally::default());
                    let known = Known { version, server: one.server, changed, items: BTreeMap::new(), tally };
                    self.servers.insert(one.name.into(), known);
                }
            }
        }
        for item in changes.items {
            // INVARIANT: a server is stored before anything it declares.
            let Some(known) = self.servers.get_mut(item.name.server.as_str()) else { continue };
            known.items.entry(item.name.kind).or_default().insert(item.name.name.as_str().into(), item);
        }
        self.version = self.version.max(changes.version);
        for name in &touched {
            if let Some(known) = self.servers.get_mut(name) {
                known.changed = self.version;
                known.tally = known.count(settings);
            }
        }
        let differs = |(name, before): (Box<str>, Exposed)| {
            let after = self.exposed(&name, settings);
            let kinds: BTreeSet<Kind> =
                KINDS.into_iter().filter(|kind| before.get(kind) != after.get(kind)).collect();
            (!kinds.is_empty()).then_some((name, kinds))
        };
        touched.into_iter().zip(before).filter_map(differs).collect()
    }

    fn exposed(&self, name: &str, settings: &Settings) -> Exposed {
        self.server(name).map(|known| known.exposed(settings)).unwrap_or_default()
    }
}

pub(crate) const KINDS: [Kind; 5] =
    [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate, Kind::Instructions];
