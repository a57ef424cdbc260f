//! Counters by day: what the summary adds up, so that it never reads a record.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rusqlite::Connection;

use super::page::Row;
use super::{IndexReader, Indexed};
use crate::StoreError;
use crate::record::{Facts, Kind, Status};

pub(crate) const DAY_US: i64 = 86_400_000_000;

/// What records are counted by. Tools and servers may be very many.
pub const DIMENSIONS: [&str; 6] = ["kind", "status", "risk", "server", "tool", "sensitive"];

/// What changed since the counters were last stored: by day, dimension, value.
#[derive(Default)]
pub(crate) struct Counters(BTreeMap<(i64, &'static str), BTreeMap<String, i64>>);

impl Counters {
    /// Counts a record, or takes it back with -1.
    pub(crate) fn count(&mut self, at_us: i64, facts: &Facts, by: i64) {
        let day = at_us.div_euclid(DAY_US);
        let mut add = |dimension, value: &str| {
            let values = self.0.entry((day, dimension)).or_default();
            match values.get_mut(value) {
                Some(count) => *count += by,
                None if value.is_empty() => {}
                None => drop(values.insert(value.to_owned(), by)),
            }
        };
        add("kind", facts.kind.word());
        add("status", facts.status.word());
        add("risk", risk_band(facts.risk));
        add("server", &facts.server);
        add("tool", &facts.tool);
        facts.sensitive.iter().for_each(|sensitive| add("sensitive", sensitive));
    }

    /// Counts what was tallied.
    pub(super) fn count_all(&mut self, tally: &Tally<'_>) {
        for (record, count) in tally.0.values() {
            self.count(record.at_us, &record.facts, *count);
        }
    }

    /// Everything counted: day, dimension, value, how often.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (i64, &'static str, &str, i64)> {
        self.0.iter().flat_map(|((day, dimension), values)| {
            values.iter().map(|(value, count)| (*day, *dimension, value.as_str(), *count))
        })
    }

    pub(super) fn store(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut add = connection.prepare_cached(
            "INSERT INTO counters VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET count = count + excluded.count",
        )?;
        for entry in self.entries() {
            add.execute(entry)?;
        }
        if self.entries().any(|(.., count)| count < 0) {
            connection.execute("DELETE FROM counters WHERE count <= 0", ())?;
        }
        Ok(())
    }
}

/// Records that count alike, so that each kind of them is counted by its names once: an example, and how many.
#[derive(Default)]
pub(super) struct Tally<'r>(BTreeMap<Alike, (&'r Indexed, i64)>);

/// What a record without sensitive data counts for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Alike {
    server_and_tool: [u32; 2],
    kind: Kind,
    status: Status,
    band: &'static str,
    day: i64,
}

impl<'r> Tally<'r> {
    /// Notes a record; one with sensitive data is left to the caller, for the number of a set does not name its types.
    pub(super) fn note(&mut self, record: &'r Indexed, row: &Row) -> bool {
        let Facts { kind, status, risk, sensitive, .. } = &record.facts;
        let [server, tool, ..] = row.names;
        let alike = Alike {
            server_and_tool: [server, tool],
            kind: *kind,
            status: *status,
            band: risk_band(*risk),
            day: record.at_us.div_euclid(DAY_US),
        };
        if sensitive.is_empty() {
            self.0.entry(alike).or_insert((record, 0)).1 += 1;
        }
        sensitive.is_empty()
    }
}

/// The band a risk is counted in.
pub(crate) fn risk_band(risk: u8) -> &'static str {
    match risk {
        70.. => "high",
        30.. => "medium",
        _ => "low",
    }
}

/// How many records there are, by everything they can be asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All records, if they were counted by kind.
    pub records: u64,
    /// By dimension, those of [`DIMENSIONS`] that were asked for, the values and their numbers, largest first.
    pub counts: BTreeMap<String, Vec<(String, u64)>>,
}

/// The days that touch the time between two moments, first and last.
#[derive(Clone, Copy)]
pub(crate) struct Days(i64, i64);

impl Days {
    pub(crate) fn between(since_us: i64, until_us: i64) -> Days {
        Days(since_us.div_euclid(DAY_US), until_us.div_euclid(DAY_US))
    }
}

/// What is known by dimension and value, not yet in order.
#[derive(Default)]
pub(crate) struct Totals(BTreeMap<String, BTreeMap<String, u64>>);

impl Totals {
    /// Adds what was counted on these days but is not in the index.
    pub(crate) fn add(&mut self, counters: &Counters, Days(first, last): Days, by: &[&str]) {
        let is_wanted = |day: &i64, dimension: &str| (first..=last).contains(day) && by.contains(&dimension);
        let counted = counters.entries().filter(|(day, dimension, ..)| is_wanted(day, dimension));
        for (_, dimension, value, count) in counted {
            self.add_one(dimension, value, count);
        }
    }

    fn add_one(&mut self, dimension: &str, value: &str, count: i64) {
        let values = self.0.entry(dimension.to_owned()).or_default();
        *values.entry(value.to_owned()).or_default() += u64::try_from(count).unwrap_or_default();
    }

    pub(crate) fn summary(self) -> Summary {
        let records = self.0.get("kind").map_or(0, |kinds| kinds.values().sum());
        let in_order = |values: BTreeMap<String, u64>| {
            let mut values: Vec<(String, u64)> = values.into_iter().collect();
            // Stable: equal numbers stay in the order of their names.
            values.sort_by_key(|(_, count)| Reverse(*count));
            values
        };
        let counts = self.0.into_iter().map(|(dimension, values)| (dimension, in_order(values)));
        Summary { records, counts: counts.collect() }
    }
}

impl IndexReader {
    /// Adds up these days; the second is the last record that is counted.
    pub(crate) fn totals(&self, Days(first, last): Days, by: &[&str]) -> Result<(Totals, u64), StoreError> {
        // One view of both, or what is indexed meanwhile would be counted twice.
        let view = self.connection.unchecked_transaction()?;
        let through = self.head()?.head().map_or(0, |head| head.seq);
        // Of one day a dimension is found at once; of several, all of them are read, and there may be 100,000 tools.
        let mut statement = view.prepare_cached(match first == last {
            true => "SELECT value, count FROM counters WHERE day = ?1 AND day = ?2 AND dimension = ?3",
            false => {
                "SELECT value, SUM(count) FROM counters WHERE day BETWEEN ?1 AND ?2 AND dimension = ?3 GROUP BY value"
            }
        })?;
        let mut totals = Totals::default();
        for dimension in by {
            let mut rows = statement.query((first, last, dimension))?;
            while let Some(row) = rows.next()? {
                totals.add_one(dimension, row.get_ref(0)?.as_str().unwrap_or_default(), row.get(1)?);
            }
        }
        Ok((totals, through))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appender::Head;
    use crate::index::names::Names;
    use crate::record::RECORD_VERSION;

    fn record(number: usize) -> Indexed {
        let name = |of: usize| if of == 0 { String::new() } else { format!("name{of}") };
        let types: [&[&str]; 4] = [&[], &["email"], &["card", "email"], &["card,email"]];
        let facts = Facts {
            version: RECORD_VERSION,
            writer: "w".into(),
            kind: Kind::ALL[number % Kind::ALL.len()],
            server: name(number % 3),
            tool: name(number % 5),
            session: name(number % 7),
            status: Status::ALL[number % Status::ALL.len()],
            risk: (number * 37 % 101) as u8,
            sensitive: types[number % 4].iter().map(|one| (*one).to_owned()).collect(),
            mark: None,
        };
        let head = Head { seq: number as u64 + 1, hash: [0; 32] };
        Indexed { head, at_us: (number as i64 - 500) * DAY_US / 100, facts }
    }

    #[test]
    fn what_is_tallied_first_counts_as_what_is_counted_one_by_one() {
        let connection = Connection::open_in_memory().unwrap();
        crate::index::rebuild(&connection).unwrap();
        let mut names = Names::default();
        let records: Vec<Indexed> = (0..1_000).map(record).collect();
        let (mut one_by_one, mut tallied, mut tally) =
            (Counters::default(), Counters::default(), Tally::default());
        for record in &records {
            one_by_one.count(record.at_us, &record.facts, 1);
            let row = Row::new(record, &mut names, &connection).unwrap();
            if !tally.note(record, &row) {
                tallied.count(record.at_us, &record.facts, 1);
            }
        }
        assert!(!tally.0.is_empty() && tally.0.len() < records.len());
        tallied.count_all(&tally);
        assert_eq!(tallied.0, one_by_one.0);
    }

    #[test]
    fn a_name_keeps_its_number_in_its_dimension() {
        use crate::index::names::Dimension::{Server, Tool};
        let connection = Connection::open_in_memory().unwrap();
        crate::index::rebuild(&connection).unwrap();
        let mut names = Names::default();
        let mut number = |dimension, text| names.number(&connection, dimension, text).unwrap();
        let first = [number(Server, "a"), number(Tool, "a"), number(Server, "b"), number(Tool, "")];
        assert_eq!(first, [1, 2, 3, 0]);
        let again = [number(Server, "a"), number(Tool, "a"), number(Server, "b"), number(Server, "b")];
        assert_eq!(again, [1, 2, 3, 3]);
    }
}
