//! Sessions that ended on one node, and so on all.

use std::sync::Weak;
use std::time::Duration;

use portcullis_store::{Document, Registry, StoreError};
use tracing::warn;

use crate::gate::Gate;
use crate::quarantine::now_ms;
use crate::upstream::link::Caller;

/// The kind of documents. Their names begin with the time, so that only the latest must be read.
const KIND: &str = "ended-session";
/// How often a node looks what ended elsewhere.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
/// How far clocks of nodes may be apart, and how long a document may take to be seen.
const OVERLAP_MS: u64 = 10_000;
/// How long it is known to all that a session ended.
const KEPT_MS: u64 = 24 * 60 * 60 * 1000;

impl Gate {
    /// Ends a session here and lets other nodes know; false if they cannot know now.
    pub(crate) fn end_everywhere(&self, caller: Caller) -> bool {
        self.end_session(caller);
        if self.judge.sharing.is_none() {
            return true;
        }
        let name = format!("{}-{caller:032x}", time(now_ms()));
        let document = Document { kind: KIND.to_owned(), name, json: "{}".to_owned() };
        self.registered(|registry| registry.put_document(&document)).is_some()
    }

    /// Hears which sessions end on other nodes, until the gateway ends.
    pub(crate) async fn hear_endings(gate: Weak<Gate>) {
        let mut after = String::new();
        while let Some(this) = gate.upgrade() {
            let began = now_ms();
            if let Some(ended) = this.registered(|registry| registry.documents_after(KIND, &after)) {
                ended.iter().filter_map(|document| session(&document.name)).for_each(|caller| {
                    if !this.is_ended(caller) {
                        this.end_session(caller);
                    }
                });
                after = time(began.saturating_sub(OVERLAP_MS));
            }
            drop(this);
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Forgets sessions that ended long ago.
    pub(crate) fn forget_endings(&self) -> Result<(), StoreError> {
        let limit = time(now_ms().saturating_sub(KEPT_MS));
        let registry = self.settings.store.registry();
        let over = registry.documents(KIND)?.into_iter().take_while(|document| document.name < limit);
        over.into_iter().try_for_each(|document| registry.remove_document(KIND, &document.name).map(drop))
    }

    /// What the store says; `None` if it cannot be asked, which is said.
    fn registered<T>(&self, ask: impl FnOnce(&dyn Registry) -> Result<T, StoreError>) -> Option<T> {
        let ask = || ask(self.settings.store.registry());
        let answer = if self.settings.record_waits { tokio::task::block_in_place(ask) } else { ask() };
        answer.map_err(|why| warn!(%why, "which sessions ended is not known to all nodes")).ok()
    }
}

/// A time as names begin with it; later ones come after it.
fn time(at_ms: u64) -> String {
    format!("{at_ms:012x}")
}

fn session(name: &str) -> Option<Caller> {
    Caller::from_str_radix(name.split_once('-')?.1, 16).ok()
}
