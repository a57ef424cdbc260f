//! Quarantine at the point of exposure: what servers declare is looked at before an agent sees it, and only what is
//! approved and enabled is listed or called, wherever the server came from.
//!
//! The map: `picture` is what is known, `declared` what the checks look at, `sighting` what happens when a server declares something, `decision` what
//! people decide, `noted` what they note beside that, `ruling` what happens when the rules are others, `reading` reads a server whole, `answer` takes what is held out of lists and openings, `addressee`
//! says what a request is addressed to.

pub(crate) mod addressee;
pub(crate) mod answer;
mod decision;
mod declared;
pub(crate) mod noted;
mod picture;
pub(crate) mod reading;
mod rules;
mod ruling;
mod sighting;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portcullis_decide::Standing;
use portcullis_decide::approval::server::{Server, ServerEvent, ServerHold};
use portcullis_decide::approval::{Actor, Hold, Settings, TrustMode};
use portcullis_detect::fingerprint::Fingerprint;
use portcullis_detect::{Definition, Detector, Facts, Kind};
use portcullis_store::{Change, Changes, Item, ItemName, Store, StoreError};
use serde_json::json;
use tokio::sync::mpsc;

use crate::alerts::{Alerts, What};

pub use decision::Undecided;
use declared::Declared;
use noted::Noted;
pub(crate) use picture::{Exposure, KINDS, Known, Picture};
pub use rules::{OwnRules, Rules, VolatileMark};
pub(crate) use sighting::{Alert, Seen};

/// How often something is tried again that another node was faster with.
const MOST_ATTEMPTS: usize = 5;
/// How long one wait for changes of other nodes lasts. What is only looked at then, the switch and decisions about calls
/// that wait, is known to every node within a second.
const WAIT: Duration = Duration::from_millis(500);

/// What stands between what servers declare and what agents see.
pub struct Quarantine {
    store: Arc<dyn Store>,
    rules: Rules,
    /// What operators noted beside the rules.
    noted: RwLock<Arc<Noted>>,
    detector: Detector,
    picture: RwLock<Picture>,
    /// The definitions of the servers that are attached.
    declared: RwLock<Declared>,
    /// Servers whose definitions were scanned by these rules.
    ruled: Mutex<BTreeSet<Box<str>>>,
    /// Whether those of servers nobody uses are put there too, as soon as somebody asks for any.
    is_reviewing: AtomicBool,
    /// Changes are made one at a time: each is decided on what the one before led to.
    changing: Mutex<()>,
    exposures: mpsc::UnboundedSender<Exposure>,
    alerts: Arc<Alerts>,
}

/// A server that is about to be used.
pub(crate) struct Attached<'a> {
    pub(crate) name: &'a str,
    pub(crate) launch: Fingerprint,
    /// What the operator wrote down; `None` leaves it as it is.
    pub(crate) trust: Option<TrustMode>,
}

impl Quarantine {
    /// Opens what a store knows. Whenever agents see something else, the server and the kinds are sent to `exposures`.
    pub(crate) fn open(
        store: Arc<dyn Store>,
        rules: Rules,
        exposures: mpsc::UnboundedSender<Exposure>,
        alerts: Arc<Alerts>,
    ) -> Result<Quarantine, StoreError> {
        let mut picture = Picture::default();
        // Nobody has seen anything yet: what is exposed at first is no change.
        drop(picture.merge(store.registry().changes_since(0)?, &rules.approval));
        let ruled = ruling::ruled(&*store, &rules)?;
        let noted = Noted::read(&*store, &rules)?;
        Ok(Quarantine {
            store,
            ruled: Mutex::new(ruled),
            detector: rules.detector(),
            noted: RwLock::new(Arc::new(noted)),
            rules,
            picture: RwLock::new(picture),
            declared: RwLock::default(),
            is_reviewing: AtomicBool::new(false),
            changing: Mutex::default(),
            exposures,
            alerts,
        })
    }

    /// Takes servers in: how each is launched is compared with what was confirmed, and what it declared before is
    /// there for the checks that look at several servers.
    pub(crate) fn attach(&self, servers: &[Attached<'_>]) -> Result<(), StoreError> {
        let changed = self.changing(|| {
            let changes = servers.iter().filter_map(|one| self.attachment(one)).collect::<Vec<_>>();
            self.commit(&changes)?;
            Ok(changes)
        })?;
        changed.iter().filter_map(relaunched).for_each(|alert| self.alert(&alert));
        for one in servers {
            let definitions = self.definitions(one.name, &[]);
            self.declared_mut().insert(one.name, definitions);
        }
        Ok(())
    }

    /// For those who review without a gateway: what the store knows of servers nobody uses is looked at too. Reading it
    /// takes a second for every hundred thousand tools, so that a list does not wait for it.
    pub(crate) fn review_stored(&self) {
        self.is_reviewing.store(true, Ordering::Release);
    }

    fn take_stored(&self) {
        let names: Vec<Box<str>> = self.picture().servers.keys().cloned().collect();
        names.iter().for_each(|name| self.take_stored_of(name));
    }

    /// The same for one of them.
    fn take_stored_of(&self, server: &str) {
        let definitions = self.definitions(server, &[]);
        self.declared_mut().insert(server, definitions);
    }

    /// A server is no longer used; what was decided about it stays.
    pub(crate) fn detach(&self, name: &str) {
        self.declared_mut().remove(name);
    }

    fn attachment(&self, one: &Attached<'_>) -> Option<Change> {
        let picture = self.picture();
        let known = picture.server(one.name);
        let now = now_ms();
        let first = || Server::new(one.launch, one.trust.unwrap_or_default());
        let server = known.map_or_else(first, |known| known.server.clone());
        let seen = server.apply(&ServerEvent::LaunchSeen(one.launch), now).ok()?;
        let by = Actor::Operator("the configuration".into());
        let trust = one.trust.unwrap_or(seen.server().trust);
        let transition = match trust == seen.server().trust {
            true => seen,
            false => seen.server().apply(&ServerEvent::TrustModeChanged { by, trust }, now).ok()?,
        };
        let is_same = known.is_some_and(|known| known.server == *transition.server());
        (!is_same).then(|| Change::Server {
            name: one.name.into(),
            read: known.map(|known| known.version),
            transition,
        })
    }

    /// Where something a server declares stands.
    pub(crate) fn standing(&self, server: &str, kind: Kind, name: &str) -> Standing {
        let picture = self.picture();
        let Some(known) = picture.server(server) else { return Standing::Unknown };
        let Some(item) = known.item(kind, name) else { return Standing::Unknown };
        known.hold(item, &self.rules.approval).map_or(Standing::Exposed, Standing::Held)
    }

    /// Why one definition may not be used; `None` if it may, or if it is not known.
    pub(crate) fn hold(&self, name: &ItemName) -> Option<Hold> {
        match self.standing(&name.server, name.kind, &name.name) {
            Standing::Held(hold) => Some(hold),
            Standing::Exposed | Standing::Unknown => None,
        }
    }

    /// What an operator chose to hold.
    pub(crate) fn settings(&self) -> &Settings {
        &self.rules.approval
    }

    /// The facts of all checks, in running order.
    pub(crate) fn checks(&self) -> Vec<&'static Facts> {
        self.detector.facts().collect()
    }

    /// The version of the registry in which anything that was decided about a server last changed.
    pub(crate) fn changed(&self, server: &str) -> u64 {
        self.picture().server(server).map_or(0, |known| known.changed)
    }

    /// Why a whole server is held.
    pub(crate) fn server_hold(&self, server: &str) -> Option<ServerHold> {
        self.picture().server(server).and_then(|known| known.server.hold())
    }

    /// Keeps up with what others change in the store; returns when nothing changed for a while.
    pub(crate) fn keep_up(&self) -> Result<(), StoreError> {
        let version = self.picture().version;
        if self.store.registry().wait(version, WAIT)? > version {
            // What is just being looked at here stays until it is committed.
            let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
            self.refresh(&[])?;
        }
        self.keep_noted()
    }

    /// Does something that another node may be faster with.
    fn changing<T>(&self, mut act: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut attempts = 1;
        loop {
            match act() {
                Err(StoreError::Conflict { .. }) if attempts < MOST_ATTEMPTS => {
                    attempts += 1;
                    self.refresh(&[])?;
                }
                done => return done,
            }
        }
    }

    fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.store.registry().commit(changes)?;
        self.refresh(changes)
    }

    /// Takes in what changed in the store; `ours` is what this node committed.
    fn refresh(&self, ours: &[Change]) -> Result<(), StoreError> {
        // What is committed may be measured by notes of another node.
        self.keep_noted()?;
        let version = self.picture().version;
        let changes = self.store.registry().changes_since(version)?;
        let elsewhere = self.seen_elsewhere(&changes, ours);
        let exposures = self.picture_mut().merge(changes, &self.rules.approval);
        for exposure in exposures {
            // Nobody hears it where no gateway runs.
            let _ = self.exposures.send(exposure);
        }
        for server in elsewhere {
            // INVARIANT: a server that is not attached has nothing there that could be out of date.
            if self.declared().knows(&server) {
                self.take_stored_of(&server);
            }
        }
        Ok(())
    }

    /// The servers of which another node saw something else than was known here: the checks must look at that too, or
    /// what one node saw would stand against nothing on the others.
    fn seen_elsewhere(&self, changes: &Changes, ours: &[Change]) -> BTreeSet<Box<str>> {
        let ours: BTreeSet<&ItemName> = ours
            .iter()
            .filter_map(|change| match change {
                Change::Item { name, .. } => Some(name),
                Change::Server { .. } => None,
            })
            .collect();
        let picture = self.picture();
        let is_other = |item: &&Item| {
            let known = picture.server(&item.name.server);
            let known = known.and_then(|known| known.item(item.name.kind, &item.name.name));
            let is_same = |known: &Item| {
                known.record.is_present == item.record.is_present && known.current == item.current
            };
            !known.is_some_and(is_same) && !ours.contains(&item.name)
        };
        changes.items.iter().filter(is_other).map(|item| item.name.server.as_str().into()).collect()
    }

    /// What a server declares now, read anew, without the definitions named.
    fn definitions(&self, server: &str, without: &[(Kind, &str)]) -> Vec<(Box<str>, Definition)> {
        let picture = self.picture();
        let items = picture.server(server).into_iter().flat_map(Known::all);
        let is_meant = |item: &&Item| {
            item.record.is_present && !without.contains(&(item.name.kind, item.name.name.as_str()))
        };
        let read = |item: &Item| {
            let since = item.record.approval.as_ref().map_or_else(now_ms, |approval| approval.at);
            let definition = Definition::parse(server, item.name.kind, &item.current).ok()?;
            Some((item.name.name.as_str().into(), definition.since(since)))
        };
        items.filter(is_meant).filter_map(read).collect()
    }

    pub(crate) fn picture(&self) -> RwLockReadGuard<'_, Picture> {
        // INVARIANT: a picture is changed by inserting whole entries, so a panic leaves none half changed.
        self.picture.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn picture_mut(&self) -> RwLockWriteGuard<'_, Picture> {
        self.picture.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn declared(&self) -> RwLockReadGuard<'_, Declared> {
        if self.is_reviewing.swap(false, Ordering::AcqRel) {
            self.take_stored();
        }
        self.declared.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn declared_mut(&self) -> RwLockWriteGuard<'_, Declared> {
        self.declared.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that is about to be launched in another way than was confirmed.
fn relaunched(change: &Change) -> Option<Alert> {
    let Change::Server { name, transition, .. } = change else { return None };
    let launch = transition.server().pending.as_ref()?.to_string();
    let (server, tool) = (name.to_string(), String::new());
    Some(Alert { what: What::LaunchChanged, server, tool, note: json!({ "launch": launch }) })
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
