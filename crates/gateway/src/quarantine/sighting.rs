//! A server declares something: what is new or changed is scanned, and the state machine says what becomes of it.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_decide::approval::server::ServerEvent;
use portcullis_decide::approval::{Event, Notice, Scan, Sighting, Transition, apply};
use portcullis_decide::difference::Difference;
use portcullis_detect::fingerprint::{Fingerprint, Identity, Volatile};
use portcullis_detect::json::Json;
use portcullis_detect::{BadDefinition, Definition, Kind};
use portcullis_store::{Change, Draft, Item, ItemName, Kind as Recorded, Status, StoreError};
use serde_json::json;
use tracing::warn;

use super::{Known, Quarantine, now_ms};
use crate::alerts::{Raised, What};

/// Places named in an alert; a difference has all of them.
const MOST_PLACES: usize = 20;

/// One definition as a server declared it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) kind: Kind,
    /// Its name; the address of a resource, nothing for instructions.
    pub(crate) name: Box<str>,
    pub(crate) json: Box<str>,
}

/// A definition that is not what was last seen.
struct News<'a> {
    seen: &'a Seen,
    identity: Identity,
    definition: Definition,
}

impl Quarantine {
    /// Looks at what a server declares to somebody, after what is stored was looked at by the rules of today. Of the kinds in
    /// `whole` this is everything: what is not there has vanished. Returns what cannot be read, which is never exposed.
    pub(crate) fn see(
        &self,
        server: &str,
        seen: &[Seen],
        whole: &[Kind],
        shown_to: Option<&str>,
    ) -> Result<Vec<String>, StoreError> {
        self.rule(server)?;
        self.changing(|| {
            let (news, unreadable) = self.news(server, seen, shown_to);
            let gone = self.gone(server, seen, whole);
            if news.is_empty() && gone.is_empty() {
                return Ok(unreadable);
            }
            let scans = self.scan(server, &news, &gone);
            let changes = self.changes(server, &news, &scans, &gone, shown_to);
            self.commit(&changes.stored)?;
            changes.alerts.iter().for_each(|alert| self.alert(alert));
            Ok(unreadable)
        })
    }

    /// Whether a server declares to the byte what it declared before, so that there is nothing to look at: the usual case,
    /// and cheap enough for the threads that serve others.
    pub(crate) fn is_as_before<'a>(
        &self,
        server: &str,
        declared: impl Iterator<Item = (Kind, &'a str, &'a str)>,
        whole: &[Kind],
        shown_to: Option<&str>,
    ) -> bool {
        if !self.is_ruled(server) {
            return false;
        }
        let picture = self.picture();
        let Some(known) = picture.server(server) else { return false };
        let mut names = BTreeSet::new();
        for (kind, name, json) in declared {
            let is_same = |item: &Item| {
                item.record.is_present && *item.current == *json && !item.record.awaits(shown_to)
            };
            if !names.insert((kind, name)) || !known.item(kind, name).is_some_and(is_same) {
                return false;
            }
        }
        let is_there = |item: &&Item| item.record.is_present && whole.contains(&item.name.kind);
        let named = names.iter().filter(|(kind, _)| whole.contains(kind)).count();
        named == known.all().filter(is_there).count()
    }

    /// The fingerprint of a definition, spans marked volatile left out.
    pub(crate) fn fingerprint(
        &self,
        server: &str,
        kind: Kind,
        name: &str,
        json: &str,
    ) -> Option<Fingerprint> {
        self.identity(server, kind, name, json).ok().map(|identity| identity.fingerprint())
    }

    fn identity(&self, server: &str, kind: Kind, name: &str, json: &str) -> Result<Identity, BadDefinition> {
        let marks = self.volatile(&ItemName { server: server.to_owned(), kind, name: name.to_owned() });
        let json = Json::parse(json)?;
        let json = if marks.is_empty() { json } else { Volatile::settle(&json, &marks) };
        Ok(Identity::of(server, kind, &json))
    }

    /// What is new, changed or back again. Of two definitions with one name the first counts.
    fn news<'a>(
        &self,
        server: &str,
        seen: &'a [Seen],
        shown_to: Option<&str>,
    ) -> (Vec<News<'a>>, Vec<String>) {
        let picture = self.picture();
        let known = picture.server(server);
        let (mut news, mut unreadable) = (Vec::new(), Vec::new());
        let mut names = BTreeSet::new();
        for one in seen {
            let item = known.and_then(|known| known.item(one.kind, &one.name));
            if !names.insert((one.kind, &one.name)) {
                unreadable.push(format!("two of kind {} have one name", one.kind.as_str()));
                continue;
            }
            let is_known = |item: &Item| item.record.is_present && !item.record.awaits(shown_to);
            if item.is_some_and(|item| is_known(item) && *item.current == *one.json) {
                continue;
            }
            let read = self.identity(server, one.kind, &one.name, &one.json).and_then(|identity| {
                Ok(News { seen: one, identity, definition: Definition::parse(server, one.kind, &one.json)? })
            });
            match read {
                Ok(new) if item.is_some_and(|item| is_known(item) && is_as_seen(item, &new)) => {}
                Ok(new) if item.is_some_and(|item| is_other_face(item, &new, shown_to)) => {}
                Ok(new) => news.push(new),
                Err(why) => unreadable.push(format!("a definition of kind {} is {why}", one.kind.as_str())),
            }
        }
        (news, unreadable)
    }

    fn gone(&self, server: &str, seen: &[Seen], whole: &[Kind]) -> Vec<Item> {
        let picture = self.picture();
        let names: BTreeSet<(Kind, &str)> = seen.iter().map(|one| (one.kind, &*one.name)).collect();
        let is_gone = |item: &&Item| {
            item.record.is_present
                && whole.contains(&item.name.kind)
                && !names.contains(&(item.name.kind, item.name.name.as_str()))
        };
        picture.server(server).into_iter().flat_map(Known::all).filter(is_gone).cloned().collect()
    }

    /// Puts the server's definitions of now into the registry and runs the checks on those that are new.
    fn scan(&self, server: &str, news: &[News<'_>], gone: &[Item]) -> Vec<Scan> {
        let names = news.iter().map(|new| (new.seen.kind, &*new.seen.name));
        let without: Vec<(Kind, &str)> =
            names.chain(gone.iter().map(|item| (item.name.kind, item.name.name.as_str()))).collect();
        let mut definitions = self.definitions(server, &without);
        definitions.extend(news.iter().map(|new| (new.seen.name.clone(), self.as_newcomer(server, new))));
        self.declared_mut().insert(server, definitions);
        let declared = self.declared();
        let scan = |new: &News<'_>| {
            // INVARIANT: it was just put in.
            let id = declared.find(server, new.seen.kind, &new.seen.name)?;
            let print = new.identity.fingerprint();
            Some(declared.observe(&self.detector, id, print, self.noted().suppressions()).1)
        };
        let incomplete = || Scan { is_incomplete: true, ..Scan::default() };
        news.iter().map(|new| scan(new).unwrap_or_else(incomplete)).collect()
    }

    /// What was added to a definition weighs more than the same text at first sight; of two that clash, the later one
    /// is at fault.
    fn as_newcomer(&self, server: &str, new: &News<'_>) -> Definition {
        let picture = self.picture();
        let item = picture.server(server).and_then(|known| known.item(new.seen.kind, &new.seen.name));
        let approval = item.and_then(|item| item.record.approval.as_ref());
        let since = approval.map_or_else(now_ms, |approval| approval.at);
        let earlier = item.map(|item| item.approved.as_ref().unwrap_or(&item.current));
        let earlier = earlier.and_then(|json| Definition::parse(server, new.seen.kind, json).ok());
        let definition = new.definition.clone().since(since);
        match earlier {
            Some(earlier) => definition.replacing(&earlier),
            None => definition,
        }
    }

    fn changes(
        &self,
        server: &str,
        news: &[News<'_>],
        scans: &[Scan],
        gone: &[Item],
        shown_to: Option<&str>,
    ) -> Made {
        let picture = self.picture();
        let mut made = Made::default();
        let Some(known) = picture.server(server) else { return made };
        let (trust, now) = (known.server.trust, now_ms());
        let mut unmatched = self.renamable(server, gone);
        let mut holds_server = None;
        for (new, scan) in news.iter().zip(scans) {
            let item = known.item(new.seen.kind, &new.seen.name);
            let locked = self.rules.locked(server, new.seen.kind, &new.seen.name);
            let (fingerprint, scan) = (new.identity.fingerprint(), scan.clone());
            let sighting = Sighting { fingerprint, scan, locked, shown_to: shown_to.map(Into::into) };
            let from = item.is_none().then(|| take_renamed(&mut unmatched, new)).flatten();
            let event = match from {
                Some(from) => Event::Renamed { from, sighting },
                None => Event::Seen(sighting),
            };
            // INVARIANT: the machine refuses no sighting.
            let record = item.map(|item| &item.record);
            let Ok(transition) = apply(record, &event, trust, &self.rules.approval, now) else { continue };
            if transition.notices().contains(&Notice::HoldServer) {
                holds_server.get_or_insert_with(|| new.seen.name.clone());
            }
            made.alerts.extend(alert_of(server, new, item, &transition));
            let name = name_of(server, new.seen);
            made.add(name, item.map(|item| item.version), transition, Some(new.seen.json.clone()));
        }
        for item in gone {
            if let Ok(transition) =
                apply(Some(&item.record), &Event::Vanished, trust, &self.rules.approval, now)
            {
                made.add(item.name.clone(), Some(item.version), transition, None);
            }
        }
        if let Some(tool) = holds_server
            && let Ok(transition) = known.server.apply(&ServerEvent::RugPull { tool }, now)
        {
            made.stored.push(Change::Server { name: server.into(), read: Some(known.version), transition });
        }
        made
    }

    fn renamable(&self, server: &str, gone: &[Item]) -> BTreeMap<Box<str>, (Kind, Identity)> {
        let identity = |item: &Item| {
            let identity = self.identity(server, item.name.kind, &item.name.name, &item.current).ok()?;
            Some((item.name.name.as_str().into(), (item.name.kind, identity)))
        };
        gone.iter().filter_map(identity).collect()
    }

    /// Somebody should know. What cannot be recorded is in the log of the process at least.
    pub(crate) fn alert(&self, alert: &Alert) {
        let mut note = alert.note.clone();
        note["alert"] = json!(alert.what.as_str());
        let mut raised = Raised::about(alert.what, &alert.server, &alert.tool);
        let checks = alert.note["checks"].as_array().into_iter().flatten();
        raised.rules = checks.filter_map(|check| check.as_str().map(str::to_owned)).collect();
        raised.why.extend(alert.note["reason"].as_str().map(str::to_owned));
        let note = note.to_string();
        let draft = Draft {
            server: &alert.server,
            tool: &alert.tool,
            note: Some(&note),
            ..Draft::new(Recorded::Alert, Status::Held, crate::session::now_us())
        };
        if let Err(why) = self.store.append(&draft) {
            warn!(%why, "an alert cannot be recorded");
        }
        self.alerts.raise(&raised);
    }
}

/// What a sighting led to.
#[derive(Default)]
struct Made {
    stored: Vec<Change>,
    alerts: Vec<Alert>,
}

impl Made {
    fn add(
        &mut self,
        name: ItemName,
        read: Option<u64>,
        transition: Transition,
        definition: Option<Box<str>>,
    ) {
        self.stored.push(Change::Item { name, read, transition: Box::new(transition), definition });
    }
}

/// What somebody should know.
pub(crate) struct Alert {
    pub(crate) what: What,
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) note: serde_json::Value,
}

/// The same but for how it is written.
fn is_as_seen(item: &Item, new: &News<'_>) -> bool {
    item.record.seen == new.identity.fingerprint()
}

/// What was approved, of a server that showed an agent something else: no news, as long as that agent is not shown it.
fn is_other_face(item: &Item, new: &News<'_>, shown_to: Option<&str>) -> bool {
    item.record.is_other_face(new.identity.fingerprint(), shown_to)
}

fn name_of(server: &str, seen: &Seen) -> ItemName {
    ItemName { server: server.to_owned(), kind: seen.kind, name: seen.name.clone().into() }
}

/// The name of something that went and had the same content.
fn take_renamed(unmatched: &mut BTreeMap<Box<str>, (Kind, Identity)>, new: &News<'_>) -> Option<Box<str>> {
    let is_it =
        |(kind, identity): &(Kind, Identity)| *kind == new.seen.kind && identity.is_renamed_as(&new.identity);
    let from = unmatched.iter().find(|(_, gone)| is_it(gone)).map(|(name, _)| name.clone())?;
    unmatched.remove(&from);
    Some(from)
}

fn alert_of(server: &str, new: &News<'_>, item: Option<&Item>, transition: &Transition) -> Option<Alert> {
    let notices = transition.notices();
    let is_rug_pull = notices.iter().any(|notice| matches!(notice, Notice::RugPull { .. }));
    let checks = notices.iter().find_map(|notice| match notice {
        Notice::HardFinding { checks } => Some(checks),
        _ => None,
    });
    if !is_rug_pull && checks.is_none() {
        return None;
    }
    let mut note = json!({
        "kind": new.seen.kind.as_str(), "checks": checks,
    });
    let what = if is_rug_pull { What::RugPull } else { What::HardFinding };
    if let Some(difference) = item.and_then(|item| difference(item, new)) {
        let places: Vec<&str> =
            difference.changes.iter().map(|change| change.pointer.as_str()).take(MOST_PLACES).collect();
        note["class"] = json!(difference.class().map(|class| class.as_str()));
        note["changed"] = json!(places);
        note["changes"] = json!(difference.changes.len() + difference.unlisted);
    }
    Some(Alert { what, server: server.to_owned(), tool: new.seen.name.clone().into(), note })
}

/// What changed since it was approved, or since it was last seen.
fn difference(item: &Item, new: &News<'_>) -> Option<Difference> {
    let before = Json::parse(item.approved.as_ref().unwrap_or(&item.current)).ok()?;
    let after = Json::parse(&new.seen.json).ok()?;
    Some(Difference::between(new.seen.kind, &before, &after, &[]))
}
