//! Who runs what: leases are taken when a process is to begin, renewed while it runs, and given back when it has ended.
//!
//! INVARIANT: a process runs only while its lease is ours. The store counts a lease from when it is asked; we count from
//! before we asked, and have ended the process before our count is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use portcullis_store::{Lease, Registry, StoreError};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::{info, warn};

use super::Nodes;
use crate::settings::{GRACE, ServerName};
use crate::wire::Fault;

/// How long a lease lasts that nobody renews: so long nobody runs the server of a node that died.
pub(crate) const LEASE: Duration = Duration::from_secs(6);
/// How often leases are renewed.
const RENEWAL: Duration = Duration::from_secs(1);
/// How long before a lease is over its process must be gone, whatever the machine is busy with.
const RESERVE: Duration = Duration::from_millis(250);
/// How long before that it is asked to end, so that it may do so in peace.
const NOTICE: Duration = GRACE.saturating_add(RESERVE);

/// What became of the question for a lease.
pub(crate) enum Taken {
    /// It is ours, as long as this is held.
    Ours(Arc<Hold>),
    /// The node at this address has it.
    Theirs(String),
}

/// A lease of ours. It is given back when this goes.
pub(crate) struct Hold {
    nodes: Weak<Nodes>,
    lease: Lease,
    /// When it is over, by our own clock.
    until: watch::Sender<Instant>,
    /// Whether its process was told to end.
    is_lost: AtomicBool,
}

impl Hold {
    /// Ready when the process must end: by when it must be gone.
    pub(crate) async fn lost(&self) -> Instant {
        let mut renewed = self.until.subscribe();
        loop {
            let until = *renewed.borrow_and_update();
            let by = until.checked_sub(RESERVE).unwrap_or(until);
            let notice = by.checked_sub(NOTICE).unwrap_or(by);
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(notice) => {
                    self.note();
                    return by;
                }
                // INVARIANT: the sender is ours, so there is always a word.
                _ = renewed.changed() => {}
            }
        }
    }

    fn note(&self) {
        if !self.is_lost.swap(true, Ordering::AcqRel)
            && let Some(nodes) = self.nodes.upgrade()
        {
            warn!(server = self.lease.name, "the lease of the server is lost: its process is ended");
            nodes.metrics.lost();
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // A runtime that is gone cannot wait for the store; the lease is over soon.
        let (Some(nodes), Ok(runtime)) = (self.nodes.upgrade(), Handle::try_current()) else { return };
        let (store, lease) = (Arc::clone(&nodes.store), self.lease.clone());
        nodes.metrics.left();
        nodes.leaving().spawn_blocking_on(
            move || match store.registry().leave_lease(&lease) {
                Ok(()) => info!(server = lease.name, "the lease of the server was given back"),
                Err(why) => warn!(server = lease.name, %why, "the lease of the server was not given back"),
            },
            &runtime,
        );
    }
}

impl Nodes {
    fn held(&self) -> MutexGuard<'_, Vec<Weak<Hold>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leaving(&self) -> MutexGuard<'_, JoinSet<()>> {
        let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        while leaving.try_join_next().is_some() {}
        leaving
    }

    /// Asks for the lease of a server.
    pub(crate) async fn take(self: &Arc<Self>, server: &ServerName) -> Result<Taken, Fault> {
        // A name of its own for every time: what is said late about an earlier one changes nothing.
        let holder = format!("{}-{}", self.node, self.taken.fetch_add(1, Ordering::Relaxed));
        let lease = Lease { name: server.as_str().to_owned(), holder, address: self.address.clone() };
        let (wanted, asked) = (lease.clone(), Instant::now());
        let found = self.ask(move |registry| registry.hold_lease(&wanted, LEASE)).await;
        let found = found.map_err(|why| {
            warn!(server = server.as_str(), %why, "who runs the server cannot be known");
            let what = "The store that says which node runs this server does not answer; try again shortly";
            Fault::internal(what).with_status(503)
        })?;
        if found.holder != lease.holder {
            return Ok(Taken::Theirs(found.address));
        }
        info!(server = server.as_str(), "the lease of the server is ours");
        self.metrics.taken();
        let until = watch::Sender::new(asked + LEASE);
        let nodes = Arc::downgrade(self);
        let hold = Arc::new(Hold { nodes, lease, until, is_lost: AtomicBool::new(false) });
        self.held().push(Arc::downgrade(&hold));
        Ok(Taken::Ours(hold))
    }

    /// How many servers run here for all nodes.
    pub(crate) fn count(&self) -> usize {
        self.held().iter().filter(|hold| hold.strong_count() > 0).count()
    }

    /// Ready when all leases were given back.
    pub(crate) async fn left(&self) {
        let mut leaving = std::mem::take(&mut *self.leaving());
        while leaving.join_next().await.is_some() {}
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Registry) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = Arc::clone(&self.store);
        let answer = tokio::task::spawn_blocking(move || question(store.registry())).await;
        answer.unwrap_or_else(|_| Err(StoreError::Stopped("the gateway ends".to_owned())))
    }

    /// Renews what is held. Failing changes nothing: each process watches its own clock.
    async fn renew_all(&self) {
        let holds: Vec<Arc<Hold>> = {
            let mut held = self.held();
            held.retain(|hold| hold.strong_count() > 0);
            held.iter().filter_map(Weak::upgrade).collect()
        };
        if holds.is_empty() {
            return;
        }
        let leases: Vec<Lease> = holds.iter().map(|hold| hold.lease.clone()).collect();
        let asked = Instant::now();
        match self.ask(move |registry| registry.renew_leases(&leases, LEASE)).await {
            Ok(renewed) => {
                for hold in holds {
                    // One that is no longer ours is over now.
                    let is_ours = renewed.contains(&hold.lease);
                    hold.until.send_replace(if is_ours { asked + LEASE } else { Instant::now() });
                }
            }
            Err(why) => warn!(%why, "leases cannot be renewed"),
        }
    }
}

/// Renews the leases of a node as long as there is one.
pub(super) async fn renew(nodes: Weak<Nodes>) {
    loop {
        tokio::time::sleep(RENEWAL).await;
        let Some(nodes) = nodes.upgrade() else { return };
        nodes.renew_all().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold() -> Hold {
        let lease = Lease { name: "a".into(), holder: "b".into(), address: "c".into() };
        let until = watch::Sender::new(Instant::now() + LEASE);
        Hold { nodes: Weak::new(), lease, until, is_lost: AtomicBool::new(false) }
    }

    #[tokio::test(start_paused = true)]
    async fn a_process_has_time_to_end_before_its_lease_is_over() {
        let (began, hold) = (Instant::now(), hold());
        let by = hold.lost().await;
        let told = Instant::now();
        assert!(by - told > GRACE && by < began + LEASE, "{:?} {:?}", told - began, by - began);
        assert!(told > began + 2 * RENEWAL, "one renewal that fails ends nothing");
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_is_renewed_is_not_lost_and_one_of_somebody_else_at_once() {
        let (began, hold) = (Instant::now(), hold());
        let renewing = async {
            for _ in 0..30 {
                let asked = Instant::now();
                tokio::time::sleep(RENEWAL).await;
                hold.until.send_replace(asked + LEASE);
            }
            hold.until.send_replace(Instant::now());
            std::future::pending::<()>().await;
        };
        tokio::select! {
            by = hold.lost() => assert!(by <= Instant::now()),
            () = renewing => {}
        }
        assert_eq!(began.elapsed(), 30 * RENEWAL);
    }
}
