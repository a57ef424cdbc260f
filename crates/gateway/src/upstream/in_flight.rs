//! Calls in the session that we have with a server over HTTP for all callers: whose each is, and what the server is
//! told when its caller takes it back or leaves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::runtime::Handle;

use super::http::{Http, Session};
use super::link::Caller;
use crate::wire::{Field, Message, Splice};

/// The names of calls: the caller's, and ours.
#[derive(Default)]
pub(crate) struct InFlight {
    calls: Mutex<HashMap<(Caller, Bytes), u64>>,
}

/// A call that waits. Dropping it before its answer tells the server: no server of that era takes the end of a
/// connection for a word of cancelling.
pub(crate) struct Flight {
    http: Arc<Http>,
    session: Session,
    key: (Caller, Bytes),
    ours: u64,
    is_answered: bool,
}

impl InFlight {
    fn calls(&self) -> MutexGuard<'_, HashMap<(Caller, Bytes), u64>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The word of cancelling in our name for the call; `None` if the caller has no such call.
    pub(crate) fn cancelling(&self, caller: Caller, notification: &Message) -> Option<Bytes> {
        let id = notification.shared(Field::RequestId)?;
        let ours = self.calls().get(&(caller, id)).copied()?;
        let mut splice = Splice::new();
        splice.replace(notification.place(Field::RequestId), ours.to_string());
        Some(splice.applied(notification.bytes()))
    }
}

impl Flight {
    pub(crate) fn new(http: &Arc<Http>, session: Session, caller: Caller, id: Bytes, ours: u64) -> Flight {
        let key = (caller, id);
        http.in_flight.calls().insert(key.clone(), ours);
        Flight { http: Arc::clone(http), session, key, ours, is_answered: false }
    }

    pub(crate) fn answered(&mut self) {
        self.is_answered = true;
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut calls = self.http.in_flight.calls();
        // A caller may use an id again; that call is another.
        if calls.get(&self.key) == Some(&self.ours) {
            calls.remove(&self.key);
        }
        drop(calls);
        let (false, Ok(runtime)) = (self.is_answered, Handle::try_current()) else { return };
        let (http, session) = (Arc::clone(&self.http), self.session.clone());
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{},"reason":"the client left"}}}}"#,
            self.ours
        );
        runtime.spawn(async move { http.tell(Bytes::from(text), &session).await });
    }
}
