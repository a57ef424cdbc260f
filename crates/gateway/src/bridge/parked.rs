//! Calls that wait for input: the server asked something, and its client will come back with the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::session::Walk;
use crate::upstream::Upstream;
use crate::upstream::link::Caller;

/// Calls that may wait at a time.
const MOST: usize = 1024;

/// A call that waits.
pub(crate) struct Parked {
    pub(crate) walk: Walk,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) caller: Caller,
    /// The questions by the keys the client was given, with the server's ids for them.
    pub(crate) questions: Vec<(String, Bytes)>,
    /// What the call was, so that no other can be continued in its place.
    pub(crate) digest: [u8; 32],
}

/// All calls that wait on this node.
pub(crate) struct Lot {
    /// Which node this is.
    pub(crate) node: Caller,
    calls: Mutex<HashMap<u64, (Instant, Parked)>>,
}

impl Lot {
    pub(crate) fn new(node: Caller) -> Lot {
        Lot { node, calls: Mutex::default() }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<u64, (Instant, Parked)>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call wait; whether there was room.
    pub(crate) fn park(&self, number: u64, parked: Parked) -> bool {
        let mut calls = self.calls();
        let has_room = calls.len() < MOST;
        if has_room {
            calls.insert(number, (Instant::now(), parked));
        }
        has_room
    }

    /// The call a client came back for, if it is the same call.
    pub(crate) fn take(&self, number: u64, digest: &[u8; 32]) -> Option<Parked> {
        let mut calls = self.calls();
        let is_same = calls.get(&number).is_some_and(|(_, parked)| parked.digest == *digest);
        if is_same { calls.remove(&number).map(|(_, parked)| parked) } else { None }
    }

    /// Gives up what nobody came back for.
    pub(crate) fn forget(&self, age: Duration) {
        self.calls().retain(|_, (since, _)| since.elapsed() < age);
    }
}
