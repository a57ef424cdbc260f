//! The store in PostgreSQL, shared by any number of gateways: each writes a chain of its own.
//!
//! The map: `thread` is where the client lives, `link` how it connects, `trouble` what its errors mean; `batch` places
//! records, `writer` writes them and `commit` the registry's changes, `appending` is a record on its way; `reader`
//! answers, `verify` checks every chain, `retention` drops what is due; `schema` keeps the tables at our version.

mod address;
mod appending;
mod batch;
mod commit;
mod health;
mod leases;
mod link;
mod opening;
mod reader;
mod registry;
mod retention;
mod schema;
mod text;
mod thread;
mod trouble;
mod verify;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::StoreError;
use crate::directory::Held;
use crate::index::{Filter, Summary};
use crate::reader::Page;
use crate::reading::Chain;
use crate::record::{Draft, Record};
use crate::registry::Registry;
use crate::retention::Retention;
use crate::store::Store;
pub use appending::Appending;
use batch::Maker;
pub use health::{Health, health};
use link::PATIENCE;
pub(crate) use opening::open;
pub(crate) use reader::PostgresReader;
use registry::Watched;
use writer::{Answer, Request, Work};

/// Whether an address names a PostgreSQL database.
pub(crate) fn is_address(address: &str) -> bool {
    address.starts_with("postgres://") || address.starts_with("postgresql://")
}

/// One gateway's way into the database.
pub(crate) struct PostgresStore {
    reader: PostgresReader,
    maker: Arc<Maker>,
    writer: UnboundedSender<Request>,
    watched: Arc<Watched>,
    retention: Retention,
    data: PathBuf,
    /// INVARIANT: dropped last, so that nobody else writes under our name before the writer has ended.
    _held: Held,
}

impl PostgresStore {
    /// Gives the writer something to do and waits for the answer.
    fn hand_over(&self, work: Work) -> Result<u64, StoreError> {
        let outcome = send(&self.writer, work)?;
        thread::answered(&self.reader.thread.place, &outcome)
    }
}

/// Gives the writer something to do, for a thread that waits.
fn send(
    writer: &UnboundedSender<Request>,
    work: Work,
) -> Result<mpsc::Receiver<Result<u64, StoreError>>, StoreError> {
    let (answer, outcome) = mpsc::sync_channel(1);
    let request = Request { work, deadline: Instant::now() + PATIENCE, answer: Answer::Thread(answer) };
    writer.send(request).map_err(|_| thread::ended())?;
    Ok(outcome)
}

/// Gives the writer something to do, for a task that waits. A writer that has ended shows in the answer.
fn begin(writer: &UnboundedSender<Request>, work: Work) -> oneshot::Receiver<Result<u64, StoreError>> {
    let (answer, outcome) = oneshot::channel();
    let request = Request { work, deadline: Instant::now() + PATIENCE, answer: Answer::Task(answer) };
    let _ = writer.send(request);
    outcome
}

impl Store for PostgresStore {
    fn append(&self, draft: &Draft<'_>) -> Result<u64, StoreError> {
        self.hand_over(Work::Record(Box::new(self.maker.make(draft, None))))
    }

    fn begin(&self, draft: &Draft<'_>) -> Option<Appending> {
        let outcome = begin(&self.writer, Work::Record(Box::new(self.maker.make(draft, None))));
        Some(Appending { place: self.reader.thread.place.clone(), outcome })
    }

    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError> {
        self.reader.list(filter, before, most)
    }

    fn record(&self, number: u64) -> Result<Record, StoreError> {
        self.reader.record(number)
    }

    fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError> {
        self.reader.summary(since_us, until_us, by)
    }

    fn verify(&self) -> Result<Vec<Chain>, StoreError> {
        self.reader.verify(&self.data)
    }

    fn flush(&self) -> Result<(), StoreError> {
        self.hand_over(Work::Flush).map(|_| ())
    }

    fn redact(&self, from: u64, through: u64, now_us: i64) -> Result<(), StoreError> {
        let (maker, writer) = (Arc::clone(&self.maker), self.writer.clone());
        self.reader
            .thread
            .ask_long(move |asker| retention::redact(asker, maker, writer, from, through, now_us))
    }

    fn retain(&self, now_us: i64) -> Result<(), StoreError> {
        let (maker, writer) = (Arc::clone(&self.maker), self.writer.clone());
        let retention = self.retention.clone();
        self.reader.thread.ask_long(move |asker| async move {
            retention::apply(&asker, &maker, &writer, &retention, now_us).await
        })
    }

    fn registry(&self) -> &dyn Registry {
        self
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        // The head is signed once more if the database is there; every record is already safe.
        let _ = self.hand_over(Work::End);
    }
}
