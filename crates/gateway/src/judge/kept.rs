//! Calls that wait for a human, written down: any node shows and decides them, and a gateway that dies leaves none of them
//! without an end.
//!
//! A decision is a document of its own. Only one can be made, and whoever removes it has used it up: the same call that
//! comes to two nodes passes once. The connection a call came on stays with its node; the same call that comes again is
//! recognised by every other.

use std::time::Duration;

use data_encoding::HEXLOWER;
use portcullis_store::{Document, Registry, Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::holding::{Held, Holding, Ruling, Sameness};

/// The kinds of documents, both named by the call's id.
const CALL: &str = "held-call";
const RULING: &str = "held-ruling";

/// The node that holds a call records its end itself within this time.
const GRACE: Duration = Duration::from_secs(120);

/// A call as it is written down.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    held: Held,
    /// What the same call is recognised by.
    #[serde(default)]
    sameness: String,
}

/// A decision as it is written down.
#[derive(Serialize, Deserialize)]
struct Ruled {
    ruling: Ruling,
    by: String,
}

/// Writes a call down.
pub(super) fn keep(store: &dyn Store, held: &Held, sameness: &Sameness) -> Result<(), StoreError> {
    let kept =
        Kept { held: Held { ruling: None, by: None, ..held.clone() }, sameness: HEXLOWER.encode(sameness) };
    store.registry().put_document(&document(CALL, &held.id, &json!(kept)))
}

/// It has an end.
pub(crate) fn forget(store: &dyn Store, id: &str) -> Result<(), StoreError> {
    store.registry().remove_document(RULING, id)?;
    store.registry().remove_document(CALL, id).map(drop)
}

/// Decides a call; false if somebody else did.
pub(super) fn rule(store: &dyn Store, id: &str, ruling: Ruling, by: &str) -> Result<bool, StoreError> {
    store.registry().add_document(&document(RULING, id, &json!(Ruled { ruling, by: by.to_owned() })))
}

/// Uses the decision about a call up; false if another node did.
pub(super) fn use_up(store: &dyn Store, id: &str) -> Result<bool, StoreError> {
    store.registry().remove_document(CALL, id)?;
    store.registry().remove_document(RULING, id)
}

/// All calls that wait anywhere and can still be decided or used, the oldest first.
pub(crate) fn all(store: &dyn Store, now_ms: u64) -> Result<Vec<Held>, StoreError> {
    let mut all: Vec<Held> = waiting(store.registry())?.into_iter().map(|kept| kept.held).collect();
    all.retain(|held| held.expires > now_ms);
    all.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
    Ok(all)
}

/// Takes over what was decided on other nodes about calls that wait here, and forgets those that had their end there before
/// anybody here looked: nobody else could decide them any more.
pub(crate) fn keep_up(store: &dyn Store, holding: &Holding) -> Result<(), StoreError> {
    if !holding.is_waiting() {
        return Ok(());
    }
    // INVARIANT: what is not written down now, and was before, has its end. What begins to wait meanwhile is not asked about.
    let waited = holding.kept();
    let written: Vec<Held> = waiting(store.registry())?.into_iter().map(|kept| kept.held).collect();
    holding.hear(&written);
    let is_over = |id: &&String| !written.iter().any(|held| held.id == **id);
    waited.iter().filter(is_over).for_each(|id| holding.ended_elsewhere(id));
    Ok(())
}

/// The call of that id, wherever it waits.
pub(super) fn find(store: &dyn Store, id: &str, now_ms: u64) -> Result<Option<Held>, StoreError> {
    Ok(all(store, now_ms)?.into_iter().find(|held| held.id == id))
}

/// The same call, if it waits on another node.
pub(super) fn same(store: &dyn Store, sameness: &Sameness, now_ms: u64) -> Result<Option<Held>, StoreError> {
    let sameness = HEXLOWER.encode(sameness);
    let is_same = |kept: &Kept| kept.sameness == sameness && kept.held.expires > now_ms;
    Ok(waiting(store.registry())?.into_iter().find(is_same).map(|kept| kept.held))
}

/// Calls whose time is over and that nobody saw to; each is given out once, to one node.
pub(crate) fn abandoned(store: &dyn Store, now_ms: u64) -> Result<Vec<Held>, StoreError> {
    let grace = u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX);
    let mut abandoned = Vec::new();
    for kept in waiting(store.registry())? {
        let is_over = kept.held.expires.saturating_add(grace) <= now_ms;
        if is_over && store.registry().remove_document(CALL, &kept.held.id)? {
            store.registry().remove_document(RULING, &kept.held.id)?;
            abandoned.push(kept.held);
        }
    }
    // What was decided has its record.
    abandoned.retain(|held| held.ruling.is_none());
    Ok(abandoned)
}

/// All that is written down, with the decisions there are.
fn waiting(registry: &dyn Registry) -> Result<Vec<Kept>, StoreError> {
    let ruled = registry.documents(RULING)?;
    let ruled = |id: &str| {
        let document = ruled.iter().find(|document| document.name == id)?;
        serde_json::from_str::<Ruled>(&document.json).ok()
    };
    let calls = registry.documents(CALL)?;
    let kept = calls.iter().filter_map(|call| serde_json::from_str::<Kept>(&call.json).ok());
    let kept = kept.map(|mut kept| {
        if let Some(Ruled { ruling, by }) = ruled(&kept.held.id) {
            (kept.held.ruling, kept.held.by) = (Some(ruling), Some(by));
        }
        kept
    });
    Ok(kept.collect())
}

fn document(kind: &str, name: &str, json: &serde_json::Value) -> Document {
    Document { kind: kind.to_owned(), name: name.to_owned(), json: json.to_string() }
}
