//! What people decide about what servers declare, and what agents may tighten.

use portcullis_decide::Finding;
use portcullis_decide::approval::server::ServerEvent;
use portcullis_decide::approval::{Event, Notice, Refusal, Scan, State, apply};
use portcullis_decide::{Incomplete, Report};
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::Fingerprint;
use portcullis_store::{Change, Item, ItemName, StoreError};
use serde_json::json;

use super::{Alert, Quarantine, now_ms};
use crate::alerts::What;

/// Why a decision did not count.
#[derive(Debug, thiserror::Error)]
pub enum Undecided {
    /// It may not be.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such server.
    #[error("no such server is known")]
    NoServer,
    /// A finding cannot be accepted that is not there.
    #[error("that check does not speak against it")]
    Silent,
    /// A mark would leave nothing out.
    #[error("no text there has a number or a date to leave out")]
    NothingToMark,
    /// What should be taken back is not there, or stands in the configuration.
    #[error("nothing like that was noted here; what the configuration says is changed there")]
    NotNoted,
    /// There is a bound.
    #[error("too many notes are kept already; write what holds for many tools into the configuration")]
    TooMany,
}

impl Quarantine {
    /// Somebody decides about one definition. It is scanned again first: what another server declared since may stand
    /// against it.
    pub(crate) fn decide(&self, name: &ItemName, event: &Event) -> Result<(), Undecided> {
        self.rescan(name)?;
        let decided = self.changing(|| {
            let picture = self.picture();
            let Some(known) = picture.server(&name.server) else { return Ok(Err(Undecided::NoServer)) };
            let item = known.item(name.kind, &name.name);
            let record = item.map(|item| &item.record);
            let transition = match apply(record, event, known.server.trust, &self.rules.approval, now_ms()) {
                Ok(transition) => transition,
                Err(refusal) => return Ok(Err(Undecided::Refused(refusal))),
            };
            let read = item.map(|item| item.version);
            let change =
                Change::Item { name: name.clone(), read, transition: Box::new(transition), definition: None };
            drop(picture);
            self.commit(&[change]).map(Ok)
        });
        decided?
    }

    /// Somebody decides about a whole server.
    pub(crate) fn decide_server(&self, server: &str, event: &ServerEvent) -> Result<(), Undecided> {
        let decided = self.changing(|| {
            let picture = self.picture();
            let Some(known) = picture.server(server) else { return Ok(Err(Undecided::NoServer)) };
            let transition = match known.server.apply(event, now_ms()) {
                Ok(transition) => transition,
                Err(refusal) => return Ok(Err(Undecided::Refused(refusal))),
            };
            let change = Change::Server { name: server.into(), read: Some(known.version), transition };
            drop(picture);
            self.commit(&[change]).map(Ok)
        });
        decided?
    }

    /// What the checks say of a definition now, beside all others; `None` if it is not known. A server whose client has
    /// left is reviewed by what it declared last.
    pub(crate) fn finding(&self, name: &ItemName) -> Option<(Option<Finding>, Scan)> {
        let seen = self.item(name)?.record.seen;
        if !self.declared().knows(&name.server) {
            self.take_stored_of(&name.server);
        }
        let declared = self.declared();
        let id = declared.find(&name.server, name.kind, &name.name)?;
        Some(declared.observe(&self.detector, id, seen, self.noted().suppressions()))
    }

    /// Scans a definition again, and holds it if a hard check speaks that did not before.
    pub(crate) fn rescan(&self, name: &ItemName) -> Result<(), StoreError> {
        let Some((_, scan)) = self.finding(name) else { return Ok(()) };
        self.changing(|| {
            let picture = self.picture();
            let Some(known) = picture.server(&name.server) else { return Ok(()) };
            let Some(item) = known.item(name.kind, &name.name) else { return Ok(()) };
            let event = Event::RulesUpdated { scan: scan.clone() };
            let applied =
                apply(Some(&item.record), &event, known.server.trust, &self.rules.approval, now_ms());
            let Some(transition) = applied.ok().filter(|transition| transition.is_change()) else {
                return Ok(());
            };
            let held_by = transition.notices().iter().find_map(|notice| match notice {
                Notice::HardFinding { checks } => Some(checks.clone()),
                _ => None,
            });
            let read = Some(item.version);
            let change =
                Change::Item { name: name.clone(), read, transition: Box::new(transition), definition: None };
            drop(picture);
            self.commit(&[change])?;
            if let Some(checks) = held_by {
                let note = json!({ "kind": name.kind.as_str(), "checks": checks });
                let (server, tool) = (name.server.clone(), name.name.clone());
                self.alert(&Alert { what: What::HardFinding, server, tool, note });
            }
            Ok(())
        })
    }

    /// Scans everything a server declares again: rules may be others now, and so may other servers.
    pub(crate) fn rescan_all(&self, server: &str) -> Result<(), StoreError> {
        let names: Vec<ItemName> = match self.picture().server(server) {
            Some(known) => {
                known.all().filter(|item| item.record.is_present).map(|item| item.name.clone()).collect()
            }
            None => Vec::new(),
        };
        names.iter().try_for_each(|name| self.rescan(name))
    }

    /// What waits for a decision and was not rejected; `None` if the server is not known.
    pub(crate) fn waiting(&self, server: &str, kind: Kind) -> Option<Vec<Item>> {
        let picture = self.picture();
        let items = picture.server(server)?.items.get(&kind).into_iter().flat_map(|items| items.values());
        let waits = |item: &&Item| {
            let record = &item.record;
            let is_undecided = matches!(record.state, State::Quarantined | State::RugPull);
            record.is_present && is_undecided && record.rejection.is_none()
        };
        Some(items.filter(waits).cloned().collect())
    }

    /// All findings on what a server declares; `gap` is what of it was not looked at.
    pub(crate) fn report(&self, server: &str, gap: Option<String>) -> Report {
        let mut report = Report { servers: vec![server.into()], ..Report::default() };
        let subject = server.to_owned();
        report.incomplete.extend(gap.map(|reason| Incomplete { subject, reason }));
        let items: Vec<(ItemName, Fingerprint)> = match self.picture().server(server) {
            Some(known) => known.all().map(|item| (item.name.clone(), item.record.seen)).collect(),
            None => Vec::new(),
        };
        let declared = self.declared();
        for (name, seen) in items {
            let Some(id) = declared.find(&name.server, name.kind, &name.name) else { continue };
            declared.add_to(&mut report, &self.detector, id, seen);
        }
        report.suppress(self.noted().suppressions(), now_ms());
        report.sort();
        report
    }

    /// One definition as it is stored.
    pub(crate) fn item(&self, name: &ItemName) -> Option<Item> {
        self.picture().server(&name.server)?.item(name.kind, &name.name).cloned()
    }
}
