//! What operators noted while they reviewed: findings they accepted on one definition, and numbers or dates in one of its
//! texts that may change. It stands beside what the configuration says, and holds on every node.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use portcullis_decide::approval::{Actor, Event, Refusal, Sighting, apply};
use portcullis_decide::suppression::Suppression;
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::{Fingerprint, Volatile, VolatileKind};
use portcullis_detect::json::Json;
use portcullis_store::{
    Change, Document, Draft, Item, ItemName, Kind as Recorded, Status, Store, StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Quarantine, Rules, Undecided, now_ms};

/// The kind of documents that hold one note each.
const KIND: &str = "note";
/// The document that differs whenever any note does.
const HEAD: (&str, &str) = ("notes", "head");
/// Notes there may be; what belongs to many tools belongs into the configuration.
const MOST: usize = 10_000;

/// A finding that was accepted on one definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Accepted {
    pub(crate) check: Box<str>,
    /// The content it was seen on.
    content: Box<str>,
    pub(crate) reason: Box<str>,
    /// The first moment it no longer counts, in milliseconds since 1970.
    pub(crate) expires: Option<u64>,
    pub(crate) by: Box<str>,
    pub(crate) at: u64,
}

/// A text whose numbers or dates may change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Marked {
    pub(crate) pointer: Box<str>,
    /// `counts` or `dates`.
    pub(crate) spans: Box<str>,
    pub(crate) by: Box<str>,
    pub(crate) at: u64,
}

/// One note, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note {
    server: String,
    kind: String,
    name: String,
    #[serde(flatten)]
    said: Said,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    Accepted(Accepted),
    Marked(Marked),
}

/// All that was noted.
#[derive(Default)]
pub(crate) struct Noted {
    /// What the head said when this was read.
    head: Option<String>,
    count: usize,
    of: BTreeMap<ItemName, About>,
    /// Those of the configuration too.
    suppressions: Vec<Suppression>,
}

/// What was noted about one definition.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    pub(crate) accepted: Vec<Accepted>,
    pub(crate) marked: Vec<Marked>,
}

impl Noted {
    /// Reads all notes; what is not understood was written by a later version, and does not count here.
    pub(super) fn read(store: &dyn Store, rules: &Rules) -> Result<Noted, StoreError> {
        // The head first: a note that comes in between is read again.
        let head = head(store)?;
        let documents = store.registry().documents(KIND)?;
        let mut noted = Noted {
            head,
            count: documents.len(),
            suppressions: rules.suppressions.clone(),
            ..Noted::default()
        };
        for note in documents.iter().filter_map(|document| serde_json::from_str::<Note>(&document.json).ok())
        {
            let Some(kind) = kind_of(&note.kind) else { continue };
            let about = noted.of.entry(ItemName { server: note.server, kind, name: note.name }).or_default();
            match note.said {
                Said::Accepted(accepted) => about.accepted.push(accepted),
                Said::Marked(marked) => about.marked.push(marked),
            }
        }
        let all = noted.of.iter().flat_map(|(name, about)| about.accepted.iter().map(move |one| (name, one)));
        let counted: Vec<Suppression> = all.filter_map(|(name, one)| suppression(name, one)).collect();
        noted.suppressions.extend(counted);
        Ok(noted)
    }

    /// What was noted about one definition.
    pub(crate) fn about(&self, name: &ItemName) -> About {
        self.of.get(name).cloned().unwrap_or_default()
    }

    /// Findings that were accepted, here and in the configuration.
    pub(crate) fn suppressions(&self) -> &[Suppression] {
        &self.suppressions
    }

    fn marks(&self, name: &ItemName) -> Vec<Volatile> {
        let marked = self.of.get(name).into_iter().flat_map(|about| &about.marked);
        let mark = |one: &Marked| {
            Some(Volatile { pointer: one.pointer.clone(), kind: VolatileKind::named(&one.spans)? })
        };
        marked.filter_map(mark).collect()
    }
}

fn head(store: &dyn Store) -> Result<Option<String>, StoreError> {
    Ok(store.registry().document(HEAD.0, HEAD.1)?.map(|head| head.json))
}

fn kind_of(word: &str) -> Option<Kind> {
    super::KINDS.into_iter().find(|kind| kind.as_str() == word)
}

fn suppression(name: &ItemName, accepted: &Accepted) -> Option<Suppression> {
    Some(Suppression {
        check: accepted.check.clone(),
        // A name may hold the sign for "anything"; the content it is bound to is of this name alone.
        subject: format!("{}/{}", name.server, name.name).into(),
        content: Fingerprint::from_hex(&accepted.content)?,
        reason: accepted.reason.clone(),
        expires: accepted.expires,
    })
}

/// What a note is kept under.
fn key(name: &ItemName, what: &str, which: &str) -> String {
    json!([name.server, name.kind.as_str(), name.name, what, which]).to_string()
}

/// A finding somebody accepts.
pub(crate) struct Accepting {
    pub(crate) check: Box<str>,
    pub(crate) reason: Box<str>,
    pub(crate) expires: Option<u64>,
}

impl Quarantine {
    pub(crate) fn noted(&self) -> Arc<Noted> {
        Arc::clone(&self.noted.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the notes again if there are others.
    pub(super) fn keep_noted(&self) -> Result<(), StoreError> {
        if head(&*self.store)? != self.noted().head {
            self.read_noted()?;
        }
        Ok(())
    }

    fn read_noted(&self) -> Result<(), StoreError> {
        let noted = Noted::read(&*self.store, &self.rules)?;
        *self.noted.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(noted);
        Ok(())
    }

    /// The spans of a definition that may change, by the configuration and by what was noted.
    pub(crate) fn volatile(&self, name: &ItemName) -> Vec<Volatile> {
        let mut marks = self.rules.volatile(&name.server, &name.name);
        marks.extend(self.noted().marks(name));
        marks
    }

    /// Somebody accepts a finding on exactly what they read.
    pub(crate) fn accept(
        &self,
        name: &ItemName,
        read: Fingerprint,
        accepting: Accepting,
        by: &Actor,
    ) -> Result<(), Undecided> {
        self.as_read(name, read)?;
        let Accepting { check, reason, expires } = accepting;
        let speaks = |(_, scan): &(_, portcullis_decide::approval::Scan)| {
            scan.hard.contains(&check) || scan.soft.contains(&check)
        };
        if !self.finding(name).as_ref().is_some_and(speaks) {
            return Err(Undecided::Silent);
        }
        let (by, at) = (Box::<str>::from(by.name()), now_ms());
        let told = json!({ "event": "suppressed", "check": check, "reason": reason, "by": by });
        let which = key(name, "accepted", &check);
        let content = read.to_string().into();
        self.note(name, which, Said::Accepted(Accepted { check, content, reason, expires, by, at }), &told)?;
        Ok(self.rescan(name)?)
    }

    /// Somebody takes that back.
    pub(crate) fn accept_no_more(&self, name: &ItemName, check: &str, by: &Actor) -> Result<(), Undecided> {
        let told = json!({ "event": "unsuppressed", "check": check, "by": by.name() });
        self.forget(name, &key(name, "accepted", check), &told)?;
        Ok(self.rescan(name)?)
    }

    /// Somebody says of a text they read that its numbers or dates may change. If what is there is what was approved but for
    /// those, it is approved by that.
    pub(crate) fn mark(
        &self,
        name: &ItemName,
        read: Fingerprint,
        mark: Volatile,
        by: &Actor,
    ) -> Result<(), Undecided> {
        let item = self.as_read(name, read)?;
        if !changes_anything(&item.current, &mark) {
            return Err(Undecided::NothingToMark);
        }
        let (pointer, spans) = (mark.pointer, mark.kind.as_str());
        let told = json!({ "event": "marked_volatile", "pointer": pointer, "spans": spans, "by": by.name() });
        let which = key(name, "marked", &pointer);
        let marked = Marked { pointer, spans: spans.into(), by: by.name().into(), at: now_ms() };
        self.note(name, which, Said::Marked(marked), &told)?;
        self.measure_again(name, Some(by))
    }

    /// Somebody takes a mark back. What was approved is of no exact number, so it waits for a decision again.
    pub(crate) fn unmark(
        &self,
        name: &ItemName,
        read: Fingerprint,
        pointer: &str,
        by: &Actor,
    ) -> Result<(), Undecided> {
        self.as_read(name, read)?;
        let told = json!({ "event": "unmarked_volatile", "pointer": pointer, "by": by.name() });
        self.forget(name, &key(name, "marked", pointer), &told)?;
        self.measure_again(name, None)
    }

    /// A definition, if it is what somebody read.
    fn as_read(&self, name: &ItemName, read: Fingerprint) -> Result<Item, Undecided> {
        let item = self.item(name).ok_or(Refusal::Unknown)?;
        match item.record.seen == read {
            true => Ok(item),
            false => Err(Refusal::StaleFingerprint { seen: item.record.seen }.into()),
        }
    }

    fn note(&self, name: &ItemName, key: String, said: Said, told: &Value) -> Result<(), Undecided> {
        // One that stands already is replaced, and takes no more room.
        if self.noted().count >= MOST && self.store.registry().document(KIND, &key)?.is_none() {
            return Err(Undecided::TooMany);
        }
        let (server, kind) = (name.server.clone(), name.kind.as_str().to_owned());
        let note = Note { server, kind, name: name.name.clone(), said };
        // INVARIANT: a struct of strings and numbers always becomes JSON.
        let json = serde_json::to_string(&note).unwrap_or_default();
        self.tell(name, told)?;
        self.store.registry().put_document(&Document { kind: KIND.to_owned(), name: key, json })?;
        Ok(self.changed_notes()?)
    }

    fn forget(&self, name: &ItemName, key: &str, told: &Value) -> Result<(), Undecided> {
        if self.store.registry().document(KIND, key)?.is_none() {
            return Err(Undecided::NotNoted);
        }
        self.tell(name, told)?;
        self.store.registry().remove_document(KIND, key)?;
        Ok(self.changed_notes()?)
    }

    /// Who noted what is recorded before it counts.
    fn tell(&self, name: &ItemName, told: &Value) -> Result<(), StoreError> {
        let note = told.to_string();
        let draft = Draft {
            server: &name.server,
            tool: &name.name,
            note: Some(&note),
            ..Draft::new(Recorded::QuarantineChange, Status::Noted, crate::session::now_us())
        };
        self.store.append(&draft).map(drop)
    }

    fn changed_notes(&self) -> Result<(), StoreError> {
        let (kind, name) = (HEAD.0.to_owned(), HEAD.1.to_owned());
        let json = json!(crate::session::now_us()).to_string();
        self.store.registry().put_document(&Document { kind, name, json })?;
        self.read_noted()
    }

    /// Marks changed what a definition is recognised by. What differs from the approved text in nothing but marked spans is
    /// approved by whoever says so.
    fn measure_again(&self, name: &ItemName, by: Option<&Actor>) -> Result<(), Undecided> {
        let scan = self.finding(name).map(|(_, scan)| scan).unwrap_or_default();
        self.changing(|| {
            let picture = self.picture();
            let Some(known) = picture.server(&name.server) else { return Ok(()) };
            let Some(item) = known.item(name.kind, &name.name) else { return Ok(()) };
            let print = |json: &str| self.fingerprint(&name.server, name.kind, &name.name, json);
            let Some(fingerprint) = print(&item.current) else { return Ok(()) };
            let locked = self.rules.locked(&name.server, name.kind, &name.name);
            // Nobody is shown anything anew: what one agent was shown is measured in another way.
            let (scan, shown_to) = (scan.clone(), item.record.shown_to.clone());
            let seen = Event::Seen(Sighting { fingerprint, scan, locked, shown_to });
            let (trust, settings, now) = (known.server.trust, &self.rules.approval, now_ms());
            // INVARIANT: the machine refuses no sighting.
            let Ok(mut transition) = apply(Some(&item.record), &seen, trust, settings, now) else {
                return Ok(());
            };
            let is_approved = item.approved.as_deref().and_then(print) == Some(fingerprint);
            if let Some((by, approval)) = by.zip(item.record.approval.as_ref()).filter(|_| is_approved) {
                let (by, accepted) = (by.clone(), approval.accepted.clone());
                let reason = approval.reason.clone().or_else(|| Some("a span was marked volatile".into()));
                let approved = Event::Approved { fingerprint, by, accepted, reason };
                // What may not be approved so, a pinned tool or one with a new hard finding, waits.
                if let Ok(again) = apply(Some(transition.record()), &approved, trust, settings, now) {
                    transition = again;
                }
            }
            let (read, definition) = (Some(item.version), Some((*item.current).into()));
            let transition = Box::new(transition);
            let change = Change::Item { name: name.clone(), read, transition, definition };
            drop(picture);
            self.commit(&[change])
        })?;
        Ok(())
    }
}

/// Whether a mark leaves anything out of a definition.
fn changes_anything(definition: &str, mark: &Volatile) -> bool {
    let Ok(json) = Json::parse(definition) else { return false };
    Volatile::settle(&json, std::slice::from_ref(mark)) != json
}
