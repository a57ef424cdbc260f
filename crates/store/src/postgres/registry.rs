//! The registry in PostgreSQL: commits go through the writer, changes of other gateways are heard.

use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;

use super::PostgresStore;
use super::address::Address;
use super::batch::{read, stored};
use super::commit::{CHANNEL, COLUMNS, row};
use super::link::Pauses;
use super::reader::query;
use super::text::escaped;
use super::trouble::Trouble;
use super::writer::Work;
use crate::StoreError;
use crate::keys::ChainKey;
use crate::registry::{
    self, Baseline, BaselineKey, Change, Changes, Document, Item, ItemName, Key, KnownServer, Lease,
    Registry, Row,
};

/// Whoever did not hear of a change finds out after this: every node knows within a second.
const LOOK_EVERY: Duration = Duration::from_millis(750);

/// The latest version anybody here heard of.
#[derive(Default)]
pub(super) struct Watched {
    latest: Mutex<u64>,
    changed: Condvar,
}

impl Watched {
    fn heard(&self, version: u64) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if version > *latest {
            *latest = version;
            self.changed.notify_all();
        }
    }

    fn wait(&self, version: u64, most: Duration) -> u64 {
        let end = Instant::now() + most;
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if *latest > version || left.is_zero() {
                return *latest;
            }
            latest = self.changed.wait_timeout(latest, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Listens for commits of any gateway, for ever; a broken connection is made again.
pub(super) async fn listen(address: Rc<Address>, watched: Arc<Watched>) {
    let mut pauses = Pauses::new();
    loop {
        // What was committed while nobody listened is found by the look that follows each connection.
        if listen_once(&address, &watched, &mut pauses).await.is_err() {
            pauses.pause().await;
        }
    }
}

async fn listen_once(address: &Address, watched: &Watched, pauses: &mut Pauses) -> Result<(), Trouble> {
    let trouble = |error: tokio_postgres::Error| Trouble::of(&address.name, &error);
    let bell = Rc::new(Notify::new());
    let rung = Rc::clone(&bell);
    let client = address.connect_hearing("portcullis-listener", move || rung.notify_one()).await?;
    client.batch_execute(&format!("LISTEN {CHANNEL}")).await.map_err(trouble)?;
    *pauses = Pauses::new();
    loop {
        let row = client.query_one("SELECT version FROM registry_head", &[]).await.map_err(trouble)?;
        watched.heard(read(row.get(0)));
        let _ = timeout(LOOK_EVERY, bell.notified()).await;
    }
}

impl PostgresStore {
    fn rows(&self, condition: &'static str, values: Vec<String>) -> Result<Vec<Row>, StoreError> {
        let key = self.maker.key.clone();
        self.reader.thread.ask(move |asker| async move {
            let text = format!("SELECT {COLUMNS} FROM registry WHERE {condition}");
            let values: Vec<&(dyn ToSql + Sync)> =
                values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
            read_rows(&query(&asker, &text, &values).await?, &key)
        })
    }

    fn row(&self, key: &Key) -> Result<Option<Row>, StoreError> {
        let values =
            vec![escaped(&key.server).into_owned(), key.kind.clone(), escaped(&key.name).into_owned()];
        Ok(self.rows("server = $1 AND kind = $2 AND name = $3", values)?.pop())
    }
}

fn read_rows(rows: &[tokio_postgres::Row], key: &ChainKey) -> Result<Vec<Row>, StoreError> {
    rows.iter().map(|found| row(found, key)).collect()
}

impl Registry for PostgresStore {
    fn commit(&self, changes: &[Change]) -> Result<u64, StoreError> {
        let version = self.hand_over(Work::Commit(changes.to_vec()))?;
        self.watched.heard(version);
        Ok(version)
    }

    fn changes_since(&self, version: u64) -> Result<Changes, StoreError> {
        let key = self.maker.key.clone();
        let after = stored(version);
        self.reader.thread.ask(move |asker| async move {
            // One statement is one snapshot: the version belongs to the rows.
            let text = format!(
                "SELECT {COLUMNS}, head.latest FROM (SELECT version AS latest FROM registry_head) head
                 LEFT JOIN registry ON version > $1"
            );
            let rows = query(&asker, &text, &[&after]).await?;
            let latest = rows.first().map_or(0, |row| read(row.get(8)));
            let is_there = |row: &&tokio_postgres::Row| row.get::<_, Option<String>>(0).is_some();
            let found: Result<Vec<Row>, StoreError> =
                rows.iter().filter(is_there).map(|found| row(found, &key)).collect();
            registry::changes(latest, found?)
        })
    }

    fn wait(&self, version: u64, most: Duration) -> Result<u64, StoreError> {
        Ok(self.watched.wait(version, most))
    }

    fn item(&self, name: &ItemName) -> Result<Option<Item>, StoreError> {
        self.row(&Key::of_item(name))?.map(Row::item).transpose()
    }

    fn server(&self, name: &str) -> Result<Option<KnownServer>, StoreError> {
        self.row(&Key::of_server(name))?.map(Row::server).transpose()
    }

    fn baseline(&self, key: &BaselineKey) -> Result<Option<Baseline>, StoreError> {
        let [server, tool, kind] = texts(key);
        self.reader.thread.ask(move |asker| async move {
            let text = "SELECT version, json FROM baselines WHERE server = $1 AND tool = $2 AND kind = $3";
            let rows = query(&asker, text, &[&server, &tool, &kind]).await?;
            Ok(rows.first().map(|row| Baseline { version: read(row.get(0)), json: row.get(1) }))
        })
    }

    fn put_baseline(&self, key: &BaselineKey, wanted: Option<u64>, json: &str) -> Result<u64, StoreError> {
        let [server, tool, kind] = texts(key);
        let json = json.to_owned();
        let text = match wanted {
            Some(_) => {
                "UPDATE baselines SET version = version + 1, json = $4
                 WHERE server = $1 AND tool = $2 AND kind = $3 AND version = $5 RETURNING version"
            }
            None => {
                "INSERT INTO baselines SELECT $1, $2, $3, $5::bigint + 1, $4 ON CONFLICT DO NOTHING RETURNING version"
            }
        };
        let before = stored(wanted.unwrap_or_default());
        let rows = self.reader.thread.ask(move |asker| async move {
            query(&asker, text, &[&server, &tool, &kind, &json, &before]).await
        })?;
        rows.first().map(|row| read(row.get(0))).ok_or_else(|| key.conflict())
    }

    fn documents_after(&self, kind: &str, name: &str) -> Result<Vec<Document>, StoreError> {
        let (kind, after, key) = (kind.to_owned(), name.to_owned(), self.maker.key.clone());
        self.reader.thread.ask(move |asker| async move {
            let text = "SELECT name, json, seal FROM documents WHERE kind = $1 AND name COLLATE \"C\" > $2
                 ORDER BY name COLLATE \"C\"";
            let document = |row: &tokio_postgres::Row| {
                let (name, json): (String, String) = (row.get(0), row.get(1));
                Document { kind: kind.clone(), name, json }.sealed(&key, row.get(2))
            };
            query(&asker, text, &[&kind, &after]).await?.iter().map(document).collect()
        })
    }

    fn document(&self, kind: &str, name: &str) -> Result<Option<Document>, StoreError> {
        let (kind, name, key) = (kind.to_owned(), name.to_owned(), self.maker.key.clone());
        self.reader.thread.ask(move |asker| async move {
            let text = "SELECT json, seal FROM documents WHERE kind = $1 AND name = $2";
            let rows = query(&asker, text, &[&kind, &name]).await?;
            let document = |row: &tokio_postgres::Row| {
                Document { kind, name, json: row.get(0) }.sealed(&key, row.get(1))
            };
            rows.first().map(document).transpose()
        })
    }

    fn put_document(&self, document: &Document) -> Result<(), StoreError> {
        let (document, seal) = (document.clone(), document.seal(&self.maker.key));
        let put = self.reader.thread.ask(move |asker| async move {
            let text = "INSERT INTO documents VALUES ($1, $2, $3, $4)
                 ON CONFLICT (kind, name) DO UPDATE SET json = excluded.json, seal = excluded.seal";
            let Document { kind, name, json } = &document;
            query(&asker, text, &[kind, name, json, &seal.as_slice()]).await
        });
        put.map(drop)
    }

    fn add_document(&self, document: &Document) -> Result<bool, StoreError> {
        let (document, seal) = (document.clone(), document.seal(&self.maker.key));
        let added = self.reader.thread.ask(move |asker| async move {
            let text = "INSERT INTO documents VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING name";
            let Document { kind, name, json } = &document;
            query(&asker, text, &[kind, name, json, &seal.as_slice()]).await
        })?;
        Ok(!added.is_empty())
    }

    fn remove_document(&self, kind: &str, name: &str) -> Result<bool, StoreError> {
        let (kind, name) = (kind.to_owned(), name.to_owned());
        let removed = self.reader.thread.ask(move |asker| async move {
            query(
                &asker,
                "DELETE FROM documents WHERE kind = $1 AND name = $2 RETURNING name",
                &[&kind, &name],
            )
            .await
        })?;
        Ok(!removed.is_empty())
    }

    fn hold_lease(&self, wanted: &Lease, time: Duration) -> Result<Lease, StoreError> {
        self.take_lease(wanted, time)
    }

    fn renew_leases(&self, held: &[Lease], time: Duration) -> Result<Vec<Lease>, StoreError> {
        self.prolong_leases(held, time)
    }

    fn leave_lease(&self, held: &Lease) -> Result<(), StoreError> {
        self.give_lease_back(held)
    }

    fn leases(&self) -> Result<Vec<Lease>, StoreError> {
        self.lasting_leases()
    }
}

fn texts(key: &BaselineKey) -> [String; 3] {
    [&key.server, &key.tool, &key.kind].map(|text| escaped(text).into_owned())
}
