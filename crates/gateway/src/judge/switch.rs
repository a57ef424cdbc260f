//! The switch that stops all calls: it works here at once, and is kept in the store, so that neither a restart nor another
//! node undoes it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portcullis_store::{Document, Draft, Kind as Recorded, Status, Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tracing::{error, warn};

use crate::gate::Gate;
use crate::quarantine::now_ms;
use crate::session::now_us;

/// The kind of document, and its name: as long as it is there, no call passes.
const KIND: &str = "stop-calls";
const NAME: &str = "all";

/// Who stopped all calls, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Thrown {
    pub(crate) by: String,
    /// In milliseconds since 1970.
    pub(crate) at: u64,
}

/// The switch.
pub(crate) struct Switch {
    store: Arc<dyn Store>,
    /// What calls look at.
    is_stopped: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    thrown: Option<Thrown>,
    /// Whether the store knows less than we do, because it could not be written.
    is_unkept: bool,
}

impl Switch {
    /// The switch as it was left.
    pub(crate) fn open(store: Arc<dyn Store>) -> Result<Switch, StoreError> {
        let switch = Switch { store, is_stopped: AtomicBool::new(false), state: Mutex::default() };
        switch.keep_up()?;
        if let Some(thrown) = switch.thrown() {
            warn!(by = %thrown.by, "no call passes: they were stopped; `portcullis stop-calls --resume` lets them pass");
        }
        Ok(switch)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Who stopped all calls, if somebody did.
    pub(crate) fn thrown(&self) -> Option<Thrown> {
        self.state().thrown.clone()
    }

    /// Takes over what another node was told, and tries again to keep what could not be kept.
    pub(crate) fn keep_up(&self) -> Result<(), StoreError> {
        let mut state = self.state();
        if let (true, Some(thrown)) = (state.is_unkept, &state.thrown) {
            self.keep(thrown)?;
            state.is_unkept = false;
            return Ok(());
        }
        let kept = self.store.registry().documents(KIND)?.into_iter().next();
        // Somebody wrote it down, so nothing passes, even if it cannot be read who it was.
        let unknown = || Thrown { by: "somebody".to_owned(), at: now_ms() };
        state.thrown = kept.map(|kept| serde_json::from_str(&kept.json).unwrap_or_else(|_| unknown()));
        self.is_stopped.store(state.thrown.is_some(), Ordering::Release);
        Ok(())
    }

    /// Stops all calls; says whether they passed before. They are stopped here whatever becomes of the store.
    fn stop(&self, by: &str) -> (bool, Result<(), StoreError>) {
        self.is_stopped.store(true, Ordering::Release);
        let mut state = self.state();
        // Again: what was just read in the store may be older than this.
        self.is_stopped.store(true, Ordering::Release);
        if state.thrown.is_some() && !state.is_unkept {
            return (false, Ok(()));
        }
        let is_change = state.thrown.is_none();
        let thrown = Thrown { by: by.to_owned(), at: now_ms() };
        let thrown = state.thrown.get_or_insert(thrown).clone();
        let kept = self.keep(&thrown);
        state.is_unkept = kept.is_err();
        (is_change, kept)
    }

    /// Lets calls pass again, once nothing in the store says otherwise.
    fn resume(&self) -> Result<(), StoreError> {
        let mut state = self.state();
        self.store.registry().remove_document(KIND, NAME)?;
        *state = State::default();
        self.is_stopped.store(false, Ordering::Release);
        Ok(())
    }

    fn keep(&self, thrown: &Thrown) -> Result<(), StoreError> {
        let json = json!(thrown).to_string();
        self.store.registry().put_document(&Document { kind: KIND.into(), name: NAME.into(), json })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops all calls, or lets them pass again; recorded, and told to whoever listens. To stop is done first and recorded
/// then: a store that is in trouble must not keep anybody from it. To let pass is recorded first.
pub(crate) fn throw(gate: &Gate, is_stopped: bool, by: &str) -> Result<(), StoreError> {
    let switch = &gate.judge.switch;
    let kept = if is_stopped {
        let (is_change, kept) = switch.stop(by);
        if !is_change {
            return kept;
        }
        record(gate, true, by);
        kept
    } else {
        if !switch.is_stopped() {
            return Ok(());
        }
        record(gate, false, by);
        switch.resume()
    };
    gate.happening.tell("stop-calls", "", || json!({ "stopped": switch.is_stopped(), "by": by }));
    kept
}

fn record(gate: &Gate, is_stopped: bool, by: &str) {
    let what = if is_stopped { "all calls are stopped" } else { "calls pass again" };
    warn!(%by, "{what}");
    let note = json!({ "what": what, "by": by }).to_string();
    let status = if is_stopped { Status::Refused } else { Status::Noted };
    let draft = Draft { note: Some(&note), ..Draft::new(Recorded::PolicyDecision, status, now_us()) };
    if let Err(why) = gate.settings.store.append(&draft) {
        error!(%why, "that calls were stopped, or pass again, cannot be recorded");
    }
}
