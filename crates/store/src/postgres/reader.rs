//! Questions about the activity, answered from the columns; bodies from what the chain covers.

use std::collections::BTreeMap;
use std::rc::Rc;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use super::address::Address;
use super::batch::{read, stored};
use super::link::Asker;
use super::text::{escaped, unescaped};
use super::thread::Thread;
use super::trouble::Trouble;
use crate::StoreError;
use crate::frame::{Frame, joined};
use crate::index::{DAY_US, Entry, Filter, Summary};
use crate::reader::Page;
use crate::reading::Cursor;
use crate::record::{Kind, Record, Status};

const ENTRY: &str = "id, at_us, kind, status, risk, server, tool, session, sensitive";
/// Records an export reads at a time.
const PAGE: i64 = 1_000;

/// A database that is only read.
pub(crate) struct PostgresReader {
    pub(super) thread: Thread,
}

impl PostgresReader {
    pub(crate) fn open(address: &str) -> Result<PostgresReader, StoreError> {
        Ok(PostgresReader { thread: Thread::start(Address::parse(address)?)? })
    }

    pub(crate) fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError> {
        let mut wanted = Conditions::of(filter);
        if let Some(before) = before {
            wanted.add("id < ", stored(before));
        }
        let most_rows = i64::try_from(most).unwrap_or(i64::MAX);
        let entries = self.thread.ask(move |asker| async move {
            let text =
                format!("SELECT {ENTRY} FROM activity{} ORDER BY id DESC LIMIT {most_rows}", wanted.text());
            let rows = query(&asker, &text, &wanted.values()).await?;
            rows.iter().map(|row| entry(row, &asker.address.name)).collect::<Result<Vec<Entry>, StoreError>>()
        })?;
        let next = entries.last().filter(|_| entries.len() >= most).map(|last| last.seq);
        Ok(Page { entries, next })
    }

    /// What came after the cursor, oldest first, and where the next question goes on.
    pub(crate) fn after(
        &self,
        filter: &Filter,
        cursor: &Cursor,
        most: usize,
    ) -> Result<(Vec<Entry>, Cursor), StoreError> {
        let (wanted, cursor) = (Conditions::of(filter), cursor.clone());
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.thread.ask(move |asker| async move {
            // The heads are read first: what is committed meanwhile comes with the next question.
            let heads = query(&asker, "SELECT writer, seq FROM writers", &[]).await?;
            let mut next = Cursor::default();
            let (mut writers, mut from, mut through) = (Vec::new(), Vec::new(), Vec::new());
            for row in &heads {
                let (writer, seq) = (row.get::<_, String>(0), row.get::<_, i64>(1));
                from.push(stored(cursor.0.get(&writer).copied().unwrap_or_default()));
                through.push(seq);
                next.0.insert(writer.clone(), read(seq));
                writers.push(writer);
            }
            let mut wanted = wanted;
            let first = wanted.put(writers);
            let (second, third) = (wanted.put(from), wanted.put(through));
            let text = format!(
                "SELECT {ENTRY} FROM activity JOIN unnest(${first}::text[], ${second}::bigint[], ${third}::bigint[])
                 AS c (whose, after, through) ON writer = whose AND seq > after AND seq <= through{}
                 ORDER BY id DESC LIMIT {most}",
                wanted.text()
            );
            let rows = query(&asker, &text, &wanted.values()).await?;
            let entries: Result<Vec<Entry>, StoreError> =
                rows.iter().rev().map(|row| entry(row, &asker.address.name)).collect();
            Ok((entries?, next))
        })
    }

    pub(crate) fn record(&self, id: u64) -> Result<Record, StoreError> {
        let found = self.records(stored(id).saturating_sub(1), stored(id))?.pop();
        found.ok_or(StoreError::NoRecord { seq: id })
    }

    /// Hands out every record from `from` on until the visitor says `false`.
    pub(crate) fn visit(
        &self,
        from: u64,
        visit: &mut dyn FnMut(Record) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let mut after = stored(from).saturating_sub(1);
        loop {
            let records = self.records(after, i64::MAX)?;
            let Some(last) = records.last() else { return Ok(()) };
            after = stored(last.seq);
            for record in records {
                if !visit(record)? {
                    return Ok(());
                }
            }
        }
    }

    fn records(&self, after: i64, through: i64) -> Result<Vec<Record>, StoreError> {
        self.thread.ask(move |asker| async move {
            let text =
                "SELECT id, header, hash, body FROM activity WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3";
            let rows = query(&asker, text, &[&after, &through, &PAGE]).await?;
            rows.iter().map(|row| record(row, &asker.address.name)).collect()
        })
    }

    pub(crate) fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError> {
        let day = |us: i64| i32::try_from(us.div_euclid(DAY_US)).unwrap_or_default();
        let (since, until) = (day(since_us), day(until_us));
        let by: Vec<String> = by.iter().map(ToString::to_string).collect();
        self.thread.ask(move |asker| async move {
            let text = "SELECT dimension, value, sum(count)::bigint AS total FROM counters
                WHERE day BETWEEN $1 AND $2 AND dimension = ANY($3) GROUP BY dimension, value HAVING sum(count) > 0
                ORDER BY dimension, total DESC, value";
            let rows = query(&asker, text, &[&since, &until, &by]).await?;
            let mut summary = Summary { records: 0, counts: BTreeMap::new() };
            for row in &rows {
                let (dimension, value) = (row.get::<_, String>(0), unescaped(row.get(1)));
                let count = read(row.get(2));
                if dimension == "kind" {
                    summary.records += count;
                }
                summary.counts.entry(dimension).or_default().push((value, count));
            }
            Ok(summary)
        })
    }
}

/// Asks with patience.
pub(super) async fn query(
    asker: &Asker,
    text: &str,
    values: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, StoreError> {
    let place = &asker.address.name;
    asker
        .ask(|client: Rc<Client>| async move {
            client.query(text, values).await.map_err(|error| absent(place, &error))
        })
        .await
}

/// A database without our tables is one where nothing was recorded yet.
fn absent(place: &str, error: &tokio_postgres::Error) -> Trouble {
    match error.code() {
        Some(code) if *code == tokio_postgres::error::SqlState::UNDEFINED_TABLE => {
            Trouble::Said(StoreError::Absent { path: place.into() })
        }
        _ => Trouble::of(place, error),
    }
}

/// What a filter asks for, as SQL.
struct Conditions {
    texts: Vec<String>,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Conditions {
    fn of(filter: &Filter) -> Conditions {
        let mut wanted = Conditions { texts: Vec::new(), values: Vec::new() };
        let words = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<Vec<String>>();
        if !filter.kinds.is_empty() {
            wanted.any("kind", words(filter.kinds.iter().map(|kind| kind.word()).collect()));
        }
        if !filter.statuses.is_empty() {
            wanted.any("status", words(filter.statuses.iter().map(|status| status.word()).collect()));
        }
        for (column, name) in
            [("server", &filter.server), ("tool", &filter.tool), ("session", &filter.session)]
        {
            if let Some(name) = name {
                wanted.add(&format!("{column} = "), escaped(name).into_owned());
            }
        }
        if let Some(sensitive) = &filter.sensitive {
            let place = wanted.put(escaped(sensitive).into_owned());
            wanted.texts.push(format!("${place} = ANY (string_to_array(sensitive, ','))"));
        }
        if filter.risk > 0 {
            wanted.add("risk >= ", i16::from(filter.risk));
        }
        if let Some(since) = filter.since_us {
            wanted.add("at_us >= ", since);
            // No record is in a partition before its day, so whole partitions need no look.
            wanted.add("day >= ", i32::try_from(since.div_euclid(DAY_US)).unwrap_or_default());
        }
        if let Some(until) = filter.until_us {
            wanted.add("at_us < ", until);
        }
        wanted
    }

    /// Keeps a value and returns its number in the text.
    fn put(&mut self, value: impl ToSql + Sync + Send + 'static) -> usize {
        self.values.push(Box::new(value));
        self.values.len()
    }

    fn add(&mut self, text: &str, value: impl ToSql + Sync + Send + 'static) {
        let place = self.put(value);
        self.texts.push(format!("{text}${place}"));
    }

    fn any(&mut self, column: &str, words: Vec<String>) {
        let place = self.put(words);
        self.texts.push(format!("{column} = ANY (${place})"));
    }

    fn text(&self) -> String {
        if self.texts.is_empty() { String::new() } else { format!(" WHERE {}", self.texts.join(" AND ")) }
    }

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect()
    }
}

fn entry(row: &Row, place: &str) -> Result<Entry, StoreError> {
    let id = read(row.get(0));
    let (kind, status) = (Kind::named(row.get(2)), Status::named(row.get(3)));
    let (Some(kind), Some(status)) = (kind, status) else {
        return Err(StoreError::corrupt(place.as_ref(), id, "it names a kind nobody knows"));
    };
    let sensitive = unescaped(row.get(8));
    Ok(Entry {
        seq: id,
        at_us: row.get(1),
        kind,
        status,
        risk: u8::try_from(row.get::<_, i16>(4)).unwrap_or_default(),
        server: unescaped(row.get(5)),
        tool: unescaped(row.get(6)),
        session: unescaped(row.get(7)),
        sensitive: sensitive.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect(),
    })
}

fn record(row: &Row, place: &str) -> Result<Record, StoreError> {
    let id = read(row.get(0));
    let body: Option<&[u8]> = row.get(3);
    let bytes = joined(row.get(1), row.get(2), body.unwrap_or_default());
    let record = Frame::parse(&bytes).ok().and_then(|frame| frame.record());
    let record = record.ok_or_else(|| StoreError::corrupt(place.as_ref(), id, "it cannot be read"))?;
    Ok(Record { seq: id, ..record })
}
