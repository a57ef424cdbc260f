//! Leases in PostgreSQL: each question is one statement, and the time is the server's.

use std::time::Duration;

use tokio_postgres::Row;

use super::PostgresStore;
use super::reader::query;
use crate::StoreError;
use crate::keys::ChainKey;
use crate::registry::Lease;

/// Takes the lease, or says whose it is. What is decided is decided on the row as it is under its lock; who has it
/// instead is read as it was when the statement began, and may be missing then.
const HOLD: &str = "WITH taken AS (
        INSERT INTO leases VALUES ($1, $2, $3, now() + $5::float8 * interval '1 millisecond', $4)
        ON CONFLICT (name) DO UPDATE
            SET holder = excluded.holder, address = excluded.address, until = excluded.until, seal = excluded.seal
            WHERE leases.until < now() OR leases.holder = excluded.holder
        RETURNING name, holder, address, seal)
    SELECT name, holder, address, seal FROM taken
    UNION ALL
    SELECT name, holder, address, seal FROM leases WHERE name = $1 AND NOT EXISTS (SELECT FROM taken)";

/// A row that still names its holder was nobody else's meanwhile, even if its time was over.
const RENEW: &str = "UPDATE leases SET until = now() + $3::float8 * interval '1 millisecond'
    FROM unnest($1::text[], $2::text[]) AS held (name, holder)
    WHERE leases.name = held.name AND leases.holder = held.holder
    RETURNING leases.name, leases.holder, leases.address, leases.seal";

/// So often the lease of somebody who came and went in the same moment is asked for again.
const MOST_ATTEMPTS: usize = 5;

impl PostgresStore {
    pub(super) fn take_lease(&self, wanted: &Lease, time: Duration) -> Result<Lease, StoreError> {
        for _ in 0..MOST_ATTEMPTS {
            let (lease, key, time) = (wanted.clone(), self.maker.key.clone(), milliseconds(time));
            let found = self.reader.thread.ask(move |asker| async move {
                let seal = lease.seal(&key);
                let Lease { name, holder, address } = &lease;
                let rows = query(&asker, HOLD, &[name, holder, address, &seal.as_slice(), &time]).await?;
                rows.first().map(|row| read_lease(row, &key)).transpose()
            })?;
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Err(StoreError::Conflict { what: format!("the lease of {}", wanted.name) })
    }

    pub(super) fn prolong_leases(&self, held: &[Lease], time: Duration) -> Result<Vec<Lease>, StoreError> {
        let names: Vec<String> = held.iter().map(|lease| lease.name.clone()).collect();
        let holders: Vec<String> = held.iter().map(|lease| lease.holder.clone()).collect();
        let (key, time) = (self.maker.key.clone(), milliseconds(time));
        self.reader.thread.ask(move |asker| async move {
            read_leases(&query(&asker, RENEW, &[&names, &holders, &time]).await?, &key)
        })
    }

    pub(super) fn give_lease_back(&self, held: &Lease) -> Result<(), StoreError> {
        let Lease { name, holder, .. } = held.clone();
        let left = self.reader.thread.ask(move |asker| async move {
            query(&asker, "DELETE FROM leases WHERE name = $1 AND holder = $2", &[&name, &holder]).await
        });
        left.map(drop)
    }

    pub(super) fn lasting_leases(&self) -> Result<Vec<Lease>, StoreError> {
        let key = self.maker.key.clone();
        self.reader.thread.ask(move |asker| async move {
            let text = "SELECT name, holder, address, seal FROM leases WHERE until >= now() ORDER BY name COLLATE \"C\"";
            read_leases(&query(&asker, text, &[]).await?, &key)
        })
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn read_leases(rows: &[Row], key: &ChainKey) -> Result<Vec<Lease>, StoreError> {
    rows.iter().map(|row| read_lease(row, key)).collect()
}

fn read_lease(row: &Row, key: &ChainKey) -> Result<Lease, StoreError> {
    Lease { name: row.get(0), holder: row.get(1), address: row.get(2) }.sealed(key, row.get(3))
}
