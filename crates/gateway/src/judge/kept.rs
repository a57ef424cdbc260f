//! Calls that wait for a human, written down: a gateway that dies leaves none of them without an end.
//!
//! They are not taken up again, because their agents' connections are gone. Whichever node finds one after its time
//! records that it was denied.

use std::time::Duration;

use portcullis_store::{Document, Store, StoreError};
use serde_json::json;

use super::holding::Held;

const KIND: &str = "held-call";

/// The node that holds a call records its end itself within this time.
const GRACE: Duration = Duration::from_secs(120);

/// Writes a call down.
pub(super) fn keep(store: &dyn Store, held: &Held) -> Result<(), StoreError> {
    let json = json!(held).to_string();
    store.registry().put_document(&Document { kind: KIND.into(), name: held.id.clone(), json })
}

/// It has an end.
pub(super) fn forget(store: &dyn Store, id: &str) -> Result<(), StoreError> {
    store.registry().remove_document(KIND, id).map(drop)
}

/// Calls whose time is over and that nobody saw to; each is given out once, to one node.
pub(crate) fn abandoned(store: &dyn Store, now_ms: u64) -> Result<Vec<Held>, StoreError> {
    let grace = u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX);
    let mut abandoned = Vec::new();
    for document in store.registry().documents(KIND)? {
        let held: Option<Held> = serde_json::from_str(&document.json).ok();
        let is_over = held.as_ref().is_none_or(|held| held.expires.saturating_add(grace) <= now_ms);
        if is_over && store.registry().remove_document(KIND, &document.name)? {
            abandoned.extend(held);
        }
    }
    Ok(abandoned)
}
