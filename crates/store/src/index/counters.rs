//! Counters by day: what the summary adds up, so that it never reads a record.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::IndexReader;
use crate::StoreError;
use crate::record::Facts;

const DAY_US: i64 = 86_400_000_000;

/// What changed since the counters were last stored: by day, dimension, value.
#[derive(Default)]
pub(super) struct Counters(BTreeMap<(i64, &'static str, String), i64>);

impl Counters {
    /// Counts a record, or takes it back with -1.
    pub(super) fn count(&mut self, at_us: i64, facts: &Facts, by: i64) {
        let day = at_us.div_euclid(DAY_US);
        let mut add = |dimension, value: &str| {
            if !value.is_empty() {
                *self.0.entry((day, dimension, value.to_owned())).or_default() += by;
            }
        };
        add("kind", facts.kind.word());
        add("status", facts.status.word());
        add("risk", risk_band(facts.risk));
        add("server", &facts.server);
        add("tool", &facts.tool);
        facts.sensitive.iter().for_each(|sensitive| add("sensitive", sensitive));
    }

    pub(super) fn store(&self, connection: &Connection) -> Result<(), StoreError> {
        let mut add = connection.prepare_cached(
            "INSERT INTO counters VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET count = count + excluded.count",
        )?;
        for ((day, dimension, value), count) in &self.0 {
            add.execute((day, dimension, value, count))?;
        }
        if self.0.values().any(|count| *count < 0) {
            connection.execute("DELETE FROM counters WHERE count <= 0", ())?;
        }
        Ok(())
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
    /// All records.
    pub records: u64,
    /// By dimension (kind, status, risk, server, tool, sensitive), the values and their numbers, largest first.
    pub counts: BTreeMap<String, Vec<(String, u64)>>,
}

impl IndexReader {
    /// Adds up the days that touch the time between `since_us` and `until_us`.
    pub(crate) fn summary(&self, since_us: i64, until_us: i64) -> Result<Summary, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT dimension, value, SUM(count) AS total FROM counters WHERE day BETWEEN ?1 AND ?2
             GROUP BY dimension, value ORDER BY dimension, total DESC, value",
        )?;
        let days = (since_us.div_euclid(DAY_US), until_us.div_euclid(DAY_US));
        let rows = statement.query_map(days, |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
        })?;
        let mut summary = Summary::default();
        for row in rows {
            let (dimension, value, count) = row?;
            let count = u64::try_from(count).unwrap_or_default();
            if dimension == "kind" {
                summary.records += count;
            }
            summary.counts.entry(dimension).or_default().push((value, count));
        }
        Ok(summary)
    }
}
