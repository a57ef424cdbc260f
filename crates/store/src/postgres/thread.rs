//! The thread the client lives on: callers hand it errands and wait for the answer.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{LocalSet, spawn_local};

use super::address::Address;
use super::link::{Asker, PATIENCE};
use crate::StoreError;

/// What a caller waits beyond the database's own time, so that the better answer wins.
const GRACE: Duration = Duration::from_millis(500);
/// The longest a caller waits.
pub(super) const LONGEST_WAIT: Duration = PATIENCE.saturating_add(GRACE);

type Errand = Box<dyn FnOnce(Rc<Asker>) -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// The thread of a store's client; it ends when this is dropped and all errands are done.
pub(super) struct Thread {
    pub(super) place: String,
    errands: Option<UnboundedSender<Errand>>,
    handle: Option<JoinHandle<()>>,
}

impl Thread {
    pub(super) fn start(address: Address) -> Result<Thread, StoreError> {
        let place = address.name.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::Stopped(error.to_string()))?;
        let (errands, inbox) = unbounded_channel();
        let thread = std::thread::Builder::new().name("postgres".into());
        let handle = thread
            .spawn(move || LocalSet::new().block_on(&runtime, run(address, inbox)))
            .map_err(|error| StoreError::Stopped(error.to_string()))?;
        Ok(Thread { place, errands: Some(errands), handle: Some(handle) })
    }

    /// Asks something that is answered soon, or refused when the database is away.
    pub(super) fn ask<T, F>(&self, job: impl FnOnce(Rc<Asker>) -> F + Send + 'static) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + 'static,
    {
        answered(&self.place, &self.send(job)?)
    }

    /// Asks something that may take its time.
    pub(super) fn ask_long<T, F>(
        &self,
        job: impl FnOnce(Rc<Asker>) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + 'static,
    {
        self.send(job)?.recv().map_err(|_| ended())?
    }

    fn send<T, F>(
        &self,
        job: impl FnOnce(Rc<Asker>) -> F + Send + 'static,
    ) -> Result<mpsc::Receiver<Result<T, StoreError>>, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + 'static,
    {
        let (answer, outcome) = mpsc::sync_channel(1);
        let errand: Errand = Box::new(move |asker| {
            Box::pin(async move {
                // Who asked may have gone.
                let _ = answer.send(job(asker).await);
            })
        });
        let errands = self.errands.as_ref().ok_or_else(ended)?;
        errands.send(errand).map_err(|_| ended())?;
        Ok(outcome)
    }
}

/// The answer, or a refusal when it does not come in time.
pub(super) fn answered<T>(
    place: &str,
    outcome: &mpsc::Receiver<Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match outcome.recv_timeout(LONGEST_WAIT) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(late(place)),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(ended()),
    }
}

pub(super) fn late(place: &str) -> StoreError {
    StoreError::Unreachable { place: place.to_owned(), what: "no answer in time".into() }
}

pub(super) fn ended() -> StoreError {
    StoreError::Stopped("the thread of the database client has ended".into())
}

async fn run(address: Address, mut inbox: UnboundedReceiver<Errand>) {
    let asker = Rc::new(Asker::new(Rc::new(address)));
    while let Some(errand) = inbox.recv().await {
        spawn_local(errand(Rc::clone(&asker)));
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.errands = None;
        if let Some(handle) = self.handle.take() {
            // A panic on that thread was told to whoever waited for it.
            let _ = handle.join();
        }
    }
}
