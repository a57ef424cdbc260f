//! The one writer of a chain: takes what waits, writes it as one transaction, and finds out what became of a
//! transaction whose answer was lost.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::{Client, Statement};

use super::address::Address;
use super::batch::{Batch, INSERT, Maker, Ready, read, stored};
use super::link::{PATIENCE, Pauses};
use super::trouble::Trouble;
use crate::StoreError;
use crate::appender::Head;
use crate::checkpoint::{Checkpoint, CheckpointFile, EVERY_RECORDS, EVERY_SECONDS};
use crate::keys::{CheckpointKey, Hash};
use crate::registry::Change;

/// Records written in one transaction.
const MOST_AT_ONCE: usize = 512;
/// How often an idle writer looks whether a checkpoint is due.
const ROUND: Duration = Duration::from_secs(1);

/// What the writer can be asked.
pub(super) enum Work {
    /// Record something; the answer is its number.
    Record(Box<Ready>),
    /// Commit changes to the registry; the answer is the version they led to.
    Commit(Vec<Change>),
    /// Sign the head.
    Flush,
    /// Sign the head and stop.
    End,
}

/// Something asked, and until when an answer is of use.
pub(super) struct Request {
    pub(super) work: Work,
    pub(super) deadline: Instant,
    pub(super) answer: Answer,
}

/// Who waits for the answer.
pub(super) enum Answer {
    /// A thread that stands still for it.
    Thread(SyncSender<Result<u64, StoreError>>),
    /// A task.
    Task(oneshot::Sender<Result<u64, StoreError>>),
}

impl Request {
    pub(super) fn answer(self, answer: Result<u64, StoreError>) {
        // Who asked may have gone; what was done is done.
        match self.answer {
            Answer::Thread(asker) => drop(asker.send(answer)),
            Answer::Task(asker) => drop(asker.send(answer)),
        }
    }
}

/// What was sent without an answer having come back yet.
pub(super) struct Doubt {
    pub(super) head: Head,
    pub(super) day: i32,
    pub(super) requests: Vec<Request>,
    /// The answer to a commit; records are answered with their numbers.
    pub(super) version: Option<u64>,
}

pub(super) struct Writer {
    pub(super) address: Rc<Address>,
    pub(super) maker: Arc<Maker>,
    signing: CheckpointKey,
    checkpoints: CheckpointFile,
    pub(super) link: Option<Link>,
    pub(super) head: Head,
    pub(super) day: i32,
    signed: u64,
    signed_at: Instant,
    /// Partitions known to be there.
    pub(super) days: BTreeSet<i32>,
    pub(super) doubt: Option<Doubt>,
    /// Heads of transactions that were given up and may yet turn out to be committed.
    late: Vec<Hash>,
    reason: String,
    stopped: Option<String>,
}

pub(super) struct Link {
    pub(super) client: Client,
    pub(super) insert: Statement,
}

impl Writer {
    pub(super) fn new(
        address: Rc<Address>,
        maker: Arc<Maker>,
        signing: CheckpointKey,
        checkpoints: CheckpointFile,
        head: Head,
        day: i32,
        signed: u64,
    ) -> Writer {
        Writer {
            address,
            maker,
            signing,
            checkpoints,
            link: None,
            head,
            day,
            signed,
            signed_at: Instant::now(),
            days: BTreeSet::new(),
            doubt: None,
            late: Vec::new(),
            reason: String::new(),
            stopped: None,
        }
    }

    pub(super) async fn run(mut self, mut inbox: UnboundedReceiver<Request>) {
        let mut waiting = VecDeque::new();
        let mut pauses = Pauses::new();
        loop {
            if waiting.is_empty() && self.doubt.is_none() {
                match timeout(ROUND, inbox.recv()).await {
                    Ok(Some(request)) => waiting.push_back(request),
                    Ok(None) => return,
                    Err(_) => {
                        self.checkpoint(false).await;
                        continue;
                    }
                }
            }
            while waiting.len() < MOST_AT_ONCE
                && let Ok(request) = inbox.try_recv()
            {
                waiting.push_back(request);
            }
            self.expire(&mut waiting);
            match self.turn(&mut waiting).await {
                Ok(true) => return,
                Ok(false) => pauses = Pauses::new(),
                Err(what) => {
                    self.link = None;
                    self.reason = what;
                    pauses.pause().await;
                }
            }
        }
    }

    /// Refuses what nobody waits for any more.
    fn expire(&mut self, waiting: &mut VecDeque<Request>) {
        let now = Instant::now();
        if waiting.iter().all(|request| request.deadline > now) {
            return;
        }
        let (late, in_time): (Vec<_>, _) = waiting.drain(..).partition(|request| request.deadline <= now);
        *waiting = in_time.into();
        for request in late {
            let (place, what) = (self.address.name.clone(), self.reason.clone());
            request.answer(Err(StoreError::Unreachable { place, what }));
        }
    }

    /// Does what comes next; says whether that was the end, or why the database is away.
    async fn turn(&mut self, waiting: &mut VecDeque<Request>) -> Result<bool, String> {
        if waiting.is_empty() && self.doubt.is_none() {
            return Ok(false);
        }
        let done = match self.connected(waiting).await {
            Ok(()) => self.serve(waiting).await,
            Err(trouble) => Err(trouble),
        };
        match done {
            Ok(is_end) => Ok(is_end),
            Err(Trouble::Away(what)) => Err(what),
            Err(Trouble::NoPartition) => {
                self.days.clear();
                self.take_back(waiting);
                Ok(false)
            }
            Err(Trouble::Said(error)) => {
                self.take_back(waiting);
                refuse(waiting.drain(..), error);
                Ok(false)
            }
        }
    }

    async fn serve(&mut self, waiting: &mut VecDeque<Request>) -> Result<bool, Trouble> {
        if let Some(why) = &self.stopped {
            refuse(waiting.drain(..), StoreError::Stopped(why.clone()));
        }
        match waiting.front().map(|request| &request.work) {
            None => {}
            Some(Work::Record(_)) => self.append(waiting).await?,
            Some(Work::Commit(_)) => self.commit(waiting).await?,
            Some(Work::Flush | Work::End) => {
                self.checkpoint(true).await;
                if let Some(request) = waiting.pop_front() {
                    let is_end = matches!(request.work, Work::End);
                    request.answer(Ok(0));
                    return Ok(is_end);
                }
            }
        }
        self.checkpoint(false).await;
        Ok(false)
    }

    /// Writes the records that wait, as one statement.
    async fn append(&mut self, waiting: &mut VecDeque<Request>) -> Result<(), Trouble> {
        let is_record = |request: &&Request| matches!(request.work, Work::Record(_));
        let count = waiting.iter().take_while(is_record).count();
        let requests: Vec<Request> = waiting.drain(..count).collect();
        let records = requests.iter().filter_map(|request| match &request.work {
            Work::Record(ready) => Some(&**ready),
            Work::Commit(_) | Work::Flush | Work::End => None,
        });
        let batch = Batch::new(&self.maker, self.head, self.day, records);
        self.doubt = Some(Doubt { head: batch.head, day: batch.day, requests, version: None });
        self.ensure(&batch.days).await?;
        let Some(link) = &self.link else { return Err(Trouble::Away("not connected".into())) };
        let deadline = Instant::now() + PATIENCE;
        let sent = batch.with_values(async |values| link.client.query(&link.insert, values).await);
        let rows = match timeout_at(deadline, sent).await {
            Ok(rows) => rows.map_err(|error| Trouble::of(&self.address.name, &error))?,
            Err(_) => return Err(Trouble::Away("no answer in time".into())),
        };
        if rows.is_empty() {
            return self.resync(waiting).await;
        }
        self.arrived(rows.iter().map(|row| read(row.get(0))).collect());
        Ok(())
    }

    /// The transaction in doubt was committed: everybody hears so.
    pub(super) fn arrived(&mut self, ids: Vec<u64>) {
        let Some(doubt) = self.doubt.take() else { return };
        (self.head, self.day) = (doubt.head, doubt.day);
        self.late.clear();
        match doubt.version {
            Some(version) => doubt.requests.into_iter().for_each(|request| request.answer(Ok(version))),
            None => doubt.requests.into_iter().zip(ids).for_each(|(request, id)| request.answer(Ok(id))),
        }
    }

    /// What is in doubt waits again.
    pub(super) fn take_back(&mut self, waiting: &mut VecDeque<Request>) {
        if let Some(doubt) = self.doubt.take() {
            doubt.requests.into_iter().rev().for_each(|request| waiting.push_front(request));
        }
    }

    /// Makes the partitions these records need.
    async fn ensure(&mut self, days: &[i32]) -> Result<(), Trouble> {
        let Some(link) = &self.link else { return Err(Trouble::Away("not connected".into())) };
        let missing: BTreeSet<i32> = days.iter().copied().filter(|day| !self.days.contains(day)).collect();
        for day in missing {
            let made = link.client.execute("SELECT ensure_day($1)", &[&day]).await;
            made.map_err(|error| Trouble::of(&self.address.name, &error))?;
            self.days.insert(day);
        }
        Ok(())
    }

    /// Connects if need be, ends what an earlier session of ours may still be doing, and finds out where the chain is.
    async fn connected(&mut self, waiting: &mut VecDeque<Request>) -> Result<(), Trouble> {
        if self.link.as_ref().is_some_and(|link| !link.client.is_closed()) && self.doubt.is_none() {
            return Ok(());
        }
        let trouble = |error: tokio_postgres::Error| Trouble::of(&self.address.name, &error);
        let role = format!("portcullis-writer-{}", self.maker.writer);
        let connect = async {
            let client = self.address.connect(&role).await?;
            let end = "SELECT count(pg_terminate_backend(pid, 1000)) FROM pg_stat_activity
                WHERE application_name = $1 AND usename = current_user AND pid <> pg_backend_pid()";
            client.execute(end, &[&role]).await.map_err(trouble)?;
            let insert = client.prepare(INSERT).await.map_err(trouble)?;
            Ok(Link { client, insert })
        };
        let link =
            timeout(PATIENCE, connect).await.unwrap_or(Err(Trouble::Away("no answer in time".into())))?;
        self.link = Some(link);
        self.resync(waiting).await
    }

    /// Reads where the chain is: where it was, where what is in doubt would have brought it, or somewhere unheard of.
    async fn resync(&mut self, waiting: &mut VecDeque<Request>) -> Result<(), Trouble> {
        let Some(link) = &self.link else { return Err(Trouble::Away("not connected".into())) };
        let trouble = |error: tokio_postgres::Error| Trouble::of(&self.address.name, &error);
        let find = "SELECT seq, hash, day FROM writers WHERE writer = $1";
        let row = link.client.query_opt(find, &[&self.maker.writer]).await.map_err(trouble)?;
        let found = row.map(|row| (read(row.get(0)), row.get::<_, Vec<u8>>(1), row.get::<_, i32>(2)));
        let is =
            |head: &Head| found.as_ref().is_some_and(|(seq, hash, _)| *seq == head.seq && *hash == head.hash);
        if self.doubt.as_ref().is_some_and(|doubt| is(&doubt.head)) {
            let ids = "SELECT id FROM activity WHERE writer = $1 AND seq > $2 ORDER BY seq";
            let values: [&(dyn tokio_postgres::types::ToSql + Sync); 2] =
                [&self.maker.writer, &stored(self.head.seq)];
            let rows = link.client.query(ids, &values).await.map_err(trouble)?;
            self.arrived(rows.iter().map(|row| read(row.get(0))).collect());
            return Ok(());
        }
        if is(&self.head) {
            self.late.extend(self.doubt.as_ref().map(|doubt| doubt.head.hash));
        } else {
            self.adopt(found);
        }
        self.take_back(waiting);
        Ok(())
    }

    /// A transaction that was given up was committed after all; or somebody else writes under our name.
    fn adopt(&mut self, found: Option<(u64, Vec<u8>, i32)>) {
        let known = found.and_then(|(seq, hash, day)| Some((seq, Hash::try_from(hash).ok()?, day)));
        match known.filter(|(_, hash, _)| self.late.contains(hash)) {
            Some((seq, hash, day)) => (self.head, self.day) = (Head { seq, hash }, day),
            None => {
                let writer = &self.maker.writer;
                self.stopped = Some(format!(
                    "the chain of {writer} in the database is not where this process left it: a copy of its data \
                     directory is in use, or the database was taken back to a backup"
                ));
            }
        }
    }

    /// Signs the head if that is due, or if `is_asked` and it is not signed yet.
    async fn checkpoint(&mut self, is_asked: bool) {
        let new = self.head.seq.saturating_sub(self.signed);
        let is_old = self.signed_at.elapsed() >= Duration::from_secs(EVERY_SECONDS);
        let is_due = new >= EVERY_RECORDS || (new > 0 && (is_asked || is_old));
        let Some(link) = self.link.as_ref().filter(|_| is_due) else { return };
        let signed = Checkpoint::signed(&self.signing, &self.maker.writer, self.head.seq, &self.head.hash);
        let put = "INSERT INTO checkpoints VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        // INVARIANT: a struct of strings and numbers always becomes JSON.
        let line = serde_json::to_string(&signed).unwrap_or_default();
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
            [&self.maker.writer, &stored(self.head.seq), &line];
        let is_stored = matches!(timeout(PATIENCE, link.client.execute(put, &values)).await, Ok(Ok(_)));
        // What fails here is tried again when the next one is due; no record depends on it.
        if is_stored && self.checkpoints.add(&[signed]).is_ok() {
            self.signed = self.head.seq;
            self.signed_at = Instant::now();
        }
    }
}

/// Refuses all of these; the first hears the error itself.
fn refuse(requests: impl Iterator<Item = Request>, error: StoreError) {
    let again: Box<dyn Fn() -> StoreError> = match &error {
        StoreError::DiskFull { path } => {
            let path = path.clone();
            Box::new(move || StoreError::DiskFull { path: path.clone() })
        }
        StoreError::Database { place, what } => {
            let (place, what) = (place.clone(), what.clone());
            Box::new(move || StoreError::Database { place: place.clone(), what: what.clone() })
        }
        other => {
            let what = other.to_string();
            Box::new(move || StoreError::Stopped(what.clone()))
        }
    };
    let mut first = Some(error);
    for request in requests {
        request.answer(Err(first.take().unwrap_or_else(&again)));
    }
}
