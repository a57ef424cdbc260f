//! Commits to the registry: the rows, the records of them, and the word to other gateways in one transaction.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use tokio_postgres::{Row as Found, Transaction};

use super::batch::{Batch, read, stored};
use super::link::PATIENCE;
use super::text::{escaped, unescaped};
use super::trouble::Trouble;
use super::writer::{Doubt, Link, Request, Work, Writer};
use crate::StoreError;
use crate::keys::ChainKey;
use crate::registry::{Change, Key, Planned, Row, plan};

/// The channel other gateways listen on.
pub(super) const CHANNEL: &str = "portcullis_registry";
pub(super) const COLUMNS: &str = "server, kind, name, version, record, seen, approved, seal";

/// How a commit went.
enum Outcome {
    /// Nothing was there to change; this is the version there is.
    Nothing(u64),
    /// The chain was not where we left it.
    Beaten,
    /// Sent to be committed and answered.
    Committed,
}

impl Writer {
    /// Commits the first request that waits.
    pub(super) async fn commit(&mut self, waiting: &mut VecDeque<Request>) -> Result<(), Trouble> {
        let Some(request) = waiting.pop_front() else { return Ok(()) };
        let Some(mut link) = self.link.take() else {
            waiting.push_front(request);
            return Err(Trouble::Away("not connected".into()));
        };
        let mut request = Some(request);
        let deadline = Instant::now() + PATIENCE;
        let outcome = timeout_at(deadline, self.try_commit(&mut link, &mut request)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Trouble::Away("no answer in time".into())));
        if !matches!(outcome, Err(Trouble::Away(_))) {
            self.link = Some(link);
        }
        match (outcome, request) {
            (Ok(Outcome::Nothing(version)), Some(request)) => request.answer(Ok(version)),
            (Ok(Outcome::Committed), _) => self.arrived(Vec::new()),
            (Err(Trouble::Said(error)), Some(request)) => request.answer(Err(error)),
            (Err(Trouble::Said(error)), None) => {
                // Refused at the very end: nothing of it is there.
                let refused = self.doubt.take().and_then(|doubt| doubt.requests.into_iter().next());
                if let Some(request) = refused {
                    request.answer(Err(error));
                }
            }
            (Ok(Outcome::Beaten | Outcome::Nothing(_)), request) => {
                waiting.extend(request);
                self.link = None;
            }
            (Err(trouble), request) => {
                request.into_iter().for_each(|request| waiting.push_front(request));
                return Err(trouble);
            }
        }
        Ok(())
    }

    /// `request` is taken once the outcome may be in doubt.
    async fn try_commit(
        &mut self,
        link: &mut Link,
        request: &mut Option<Request>,
    ) -> Result<Outcome, Trouble> {
        let place = self.address.name.clone();
        let trouble = |error: tokio_postgres::Error| Trouble::of(&place, &error);
        let Some(Request { work: Work::Commit(changes), .. }) = request.as_ref() else {
            return Ok(Outcome::Nothing(0));
        };
        let insert = link.insert.clone();
        let transaction = link.client.transaction().await.map_err(trouble)?;
        // The lock on this row puts commits of all gateways in the order of their versions.
        let next = "UPDATE registry_head SET version = version + 1 RETURNING version";
        let version = read(transaction.query_one(next, &[]).await.map_err(trouble)?.get(0));
        let planned = planned(&transaction, &self.maker.key, changes, version, &place).await?;
        if planned.is_empty() {
            return Ok(Outcome::Nothing(version.saturating_sub(1)));
        }
        let records: Vec<_> = planned.iter().map(|one| self.maker.make(&one.draft(), None)).collect();
        let batch = Batch::new(&self.maker, self.head, self.day, records.iter());
        for day in batch.days.iter().filter(|day| !self.days.contains(day)) {
            transaction.execute("SELECT ensure_day($1)", &[day]).await.map_err(trouble)?;
        }
        let sent = batch.with_values(async |values| transaction.query(&insert, values).await);
        if sent.await.map_err(trouble)?.is_empty() {
            return Ok(Outcome::Beaten);
        }
        for one in &planned {
            write(&transaction, &one.row, &self.maker.key).await.map_err(trouble)?;
        }
        let notify = "SELECT pg_notify($1, $2)";
        transaction.execute(notify, &[&CHANNEL, &version.to_string()]).await.map_err(trouble)?;
        let requests = request.take().into_iter().collect();
        self.doubt = Some(Doubt { head: batch.head, day: batch.day, requests, version: Some(version) });
        transaction.commit().await.map_err(trouble)?;
        Ok(Outcome::Committed)
    }
}

async fn planned(
    transaction: &Transaction<'_>,
    key: &ChainKey,
    changes: &[Change],
    version: u64,
    place: &str,
) -> Result<Vec<Planned>, Trouble> {
    let find = format!("SELECT {COLUMNS} FROM registry WHERE server = $1 AND kind = $2 AND name = $3");
    let mut planned = Vec::new();
    for change in changes {
        let Key { server, kind, name } = change.key();
        let (server, name) = (escaped(&server), escaped(&name));
        let found = transaction.query_opt(&find, &[&&*server, &kind, &&*name]).await;
        let found = found.map_err(|error| Trouble::of(place, &error))?;
        let row = found.map(|found| row(&found, key)).transpose()?;
        planned.extend(plan(change, row, version)?);
    }
    Ok(planned)
}

/// A row of the registry, if its seal fits.
pub(super) fn row(found: &Found, key: &ChainKey) -> Result<Row, StoreError> {
    let text = |column: usize| unescaped(found.get(column));
    let (current, approved) = (text(5), found.get::<_, Option<String>>(6).map(unescaped));
    let current: Arc<str> = current.into();
    let approved = approved.map(|text| if *text == *current { Arc::clone(&current) } else { text.into() });
    let key_of = Key { server: text(0), kind: text(1), name: text(2) };
    let row = Row { key: key_of, version: read(found.get(3)), record: text(4), current, approved };
    row.sealed(key, found.get(7))
}

async fn write(
    transaction: &Transaction<'_>,
    row: &Row,
    key: &ChainKey,
) -> Result<u64, tokio_postgres::Error> {
    let put = format!(
        "INSERT INTO registry ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (server, kind, name) DO UPDATE SET version = excluded.version, record = excluded.record,
         seen = excluded.seen, approved = excluded.approved, seal = excluded.seal"
    );
    let (server, name) = (escaped(&row.key.server), escaped(&row.key.name));
    let (record, current) = (escaped(&row.record), escaped(&row.current));
    let approved = row.approved.as_deref().map(escaped);
    let approved = approved.as_deref();
    let seal = row.seal(key);
    transaction
        .execute(
            &put,
            &[
                &&*server,
                &row.key.kind,
                &&*name,
                &stored(row.version),
                &&*record,
                &&*current,
                &approved,
                &seal.as_slice(),
            ],
        )
        .await
}
