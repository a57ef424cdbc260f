//! The narrow columns of 1,024 records as one blob, newest last.
//!
//! ```text
//! u16 count | i64 time × count | u32 server, tool, session, sensitive × count | u8 kind, status, risk × count
//! ```

use std::collections::HashSet;

use rusqlite::Connection;

use super::Indexed;
use super::names::{Dimension, Names};
use crate::StoreError;

/// Records on a page.
pub(super) const RECORDS: u64 = 1024;

const COUNT: usize = 2;
const TIME: usize = 8;
const NAME: usize = 4;
const NAMES: usize = 4;
const SMALL: usize = 3;
const ROW: usize = TIME + NAMES * NAME + SMALL;

/// The page a record is on.
pub(super) fn number(seq: u64) -> i64 {
    i64::try_from(seq.saturating_sub(1) / RECORDS).unwrap_or(i64::MAX)
}

/// The first record of a page.
pub(super) fn first_seq(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default() * RECORDS + 1
}

/// One record in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) at_us: i64,
    /// Server, tool, session, set of sensitive types.
    pub(super) names: [u32; NAMES],
    /// Kind, status, risk.
    pub(super) small: [u8; SMALL],
}

impl Row {
    pub(super) fn new(
        record: &Indexed,
        names: &mut Names,
        connection: &Connection,
    ) -> Result<Row, StoreError> {
        let facts = &record.facts;
        let mut number = |dimension, text: &str| names.number(connection, dimension, text);
        // Most have none, and joining nothing is not free.
        let sensitive = match facts.sensitive.as_slice() {
            [] => 0,
            types => number(Dimension::Sensitive, &types.join(","))?,
        };
        Ok(Row {
            at_us: record.at_us,
            names: [
                number(Dimension::Server, &facts.server)?,
                number(Dimension::Tool, &facts.tool)?,
                number(Dimension::Session, &facts.session)?,
                sensitive,
            ],
            small: [facts.kind.number(), facts.status.number(), facts.risk],
        })
    }
}

/// A page being filled.
#[derive(Clone, Default)]
pub(super) struct Columns {
    number: i64,
    rows: Vec<Row>,
}

impl Columns {
    /// The page of a record; what is before it on the page is gone and stays empty.
    pub(super) fn at(seq: u64) -> Columns {
        Columns { number: number(seq), rows: Vec::new() }
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    pub(super) fn push(&mut self, seq: u64, row: &Row) {
        let place = usize::try_from(seq - first_seq(self.number)).unwrap_or_default();
        self.rows.resize(place, Row::default());
        self.rows.push(*row);
    }

    pub(super) fn store(&self, connection: &Connection) -> Result<(), StoreError> {
        if !self.rows.is_empty() {
            let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO pages VALUES (?1, ?2)")?;
            statement.execute((self.number, self.bytes()))?;
        }
        Ok(())
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(COUNT + self.rows.len() * ROW);
        bytes.extend((self.rows.len() as u16).to_le_bytes());
        self.rows.iter().for_each(|row| bytes.extend(row.at_us.to_le_bytes()));
        for name in 0..NAMES {
            self.rows.iter().for_each(|row| bytes.extend(row.names[name].to_le_bytes()));
        }
        for small in 0..SMALL {
            bytes.extend(self.rows.iter().map(|row| row.small[small]));
        }
        bytes
    }
}

/// A stored page; one that was not written by us is damage.
pub(super) fn parse(bytes: &[u8]) -> Result<Page<'_>, StoreError> {
    Page::parse(bytes).ok_or_else(|| StoreError::IndexDamaged("a page has another length".into()))
}

/// The numbers of all names that stand on any page.
pub(super) fn used_names(connection: &Connection) -> Result<HashSet<u32>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT columns FROM pages")?;
    let mut pages = statement.query(())?;
    let mut used = HashSet::new();
    while let Some(stored) = pages.next()? {
        let page = parse(stored.get_ref(0)?.as_blob().unwrap_or_default())?;
        page.names.iter().for_each(|column| used.extend(column.iter().map(|name| u32::from_le_bytes(*name))));
    }
    Ok(used)
}

/// A page as it is stored, read in place.
#[derive(Clone, Copy)]
pub(super) struct Page<'b> {
    times: &'b [[u8; TIME]],
    names: [&'b [[u8; NAME]]; NAMES],
    small: [&'b [u8]; SMALL],
}

impl<'b> Page<'b> {
    /// `None` if the blob was not written by us.
    fn parse(bytes: &'b [u8]) -> Option<Page<'b>> {
        let (count, mut rest) = bytes.split_first_chunk()?;
        let count = usize::from(u16::from_le_bytes(*count));
        if rest.len() != count * ROW {
            return None;
        }
        let mut column = |width: usize| {
            let (column, others) = rest.split_at(count * width);
            rest = others;
            column
        };
        Some(Page {
            times: column(TIME).as_chunks().0,
            names: std::array::from_fn(|_| column(NAME).as_chunks().0),
            small: std::array::from_fn(|_| column(1)),
        })
    }

    pub(super) fn count(&self) -> usize {
        self.times.len()
    }

    /// One column of names.
    pub(super) fn names(&self, which: usize) -> &'b [[u8; NAME]] {
        self.names[which]
    }

    /// One column of small numbers.
    pub(super) fn small(&self, which: usize) -> &'b [u8] {
        self.small[which]
    }

    /// When the record in this place happened.
    pub(super) fn times(&self) -> &'b [[u8; TIME]] {
        self.times
    }

    pub(super) fn row(&self, place: usize) -> Row {
        Row {
            at_us: i64::from_le_bytes(self.times[place]),
            names: self.names.map(|column| u32::from_le_bytes(column[place])),
            small: self.small.map(|column| column[place]),
        }
    }

    pub(super) fn columns(&self, number: i64) -> Columns {
        Columns { number, rows: (0..self.count()).map(|place| self.row(place)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_comes_back() {
        let mut columns = Columns::at(1025);
        let row =
            |n: u32| Row { at_us: -i64::from(n), names: [n, n + 1, n + 2, n + 3], small: [1, 2, n as u8] };
        (0..3).for_each(|n| columns.push(1025 + u64::from(n), &row(n)));
        let bytes = columns.bytes();
        let page = Page::parse(&bytes).unwrap();
        assert_eq!((page.count(), page.row(2)), (3, row(2)));
        assert_eq!(page.columns(1).rows, columns.rows);
        assert!(Page::parse(&bytes[..bytes.len() - 1]).is_none() && Page::parse(&[]).is_none());
    }

    #[test]
    fn a_page_may_begin_in_the_middle() {
        let mut columns = Columns::at(1030);
        columns.push(1030, &Row { at_us: 9, ..Row::default() });
        let bytes = columns.bytes();
        assert_eq!(Page::parse(&bytes).unwrap().row(5).at_us, 9);
    }

    #[test]
    fn records_know_their_page() {
        assert_eq!([1, 1024, 1025].map(number), [0, 0, 1]);
        assert_eq!(first_seq(1), 1025);
    }
}
