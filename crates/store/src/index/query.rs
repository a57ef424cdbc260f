//! Questions: a filter over the columns, newest first, a page at a time.

use super::IndexReader;
use super::names::{self, Dimension};
use super::page::{self, Page, Row};
use crate::StoreError;
use crate::record::{Kind, Record, Status};

/// Which records are wanted; what is left open lets everything through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// One of these kinds, if any is named.
    pub kinds: Vec<Kind>,
    /// One of these, if any is named.
    pub statuses: Vec<Status>,
    /// This server.
    pub server: Option<String>,
    /// This tool.
    pub tool: Option<String>,
    /// This session.
    pub session: Option<String>,
    /// With this type of sensitive data.
    pub sensitive: Option<String>,
    /// At least this risk.
    pub risk: u8,
    /// Not before, in microseconds since 1970.
    pub since_us: Option<i64>,
    /// Before, in microseconds since 1970.
    pub until_us: Option<i64>,
}

/// A record as lists show it: its header without hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub seq: u64,
    /// When it happened, in microseconds since 1970.
    pub at_us: i64,
    /// What happened.
    pub kind: Kind,
    /// How it went.
    pub status: Status,
    /// The risk, 0 to 100.
    pub risk: u8,
    /// The server concerned, or nothing.
    pub server: String,
    /// The tool concerned, or nothing.
    pub tool: String,
    /// The agent's session, or nothing.
    pub session: String,
    /// Types of sensitive data.
    pub sensitive: Vec<String>,
}

impl From<&Record> for Entry {
    fn from(record: &Record) -> Entry {
        let facts = &record.facts;
        Entry {
            seq: record.seq,
            at_us: record.at_us,
            kind: facts.kind,
            status: facts.status,
            risk: facts.risk,
            server: facts.server.clone(),
            tool: facts.tool.clone(),
            session: facts.session.clone(),
            sensitive: facts.sensitive.clone(),
        }
    }
}

impl Filter {
    /// Whether an entry is wanted.
    pub fn admits(&self, entry: &Entry) -> bool {
        let is =
            |wanted: &Option<String>, found: &String| wanted.as_ref().is_none_or(|wanted| wanted == found);
        (self.kinds.is_empty() || self.kinds.contains(&entry.kind))
            && (self.statuses.is_empty() || self.statuses.contains(&entry.status))
            && is(&self.server, &entry.server)
            && is(&self.tool, &entry.tool)
            && is(&self.session, &entry.session)
            && self.sensitive.as_ref().is_none_or(|wanted| entry.sensitive.contains(wanted))
            && entry.risk >= self.risk
            && self.since_us.is_none_or(|since| entry.at_us >= since)
            && self.until_us.is_none_or(|until| entry.at_us < until)
    }
}

/// A filter in numbers; a column it says nothing about is not read.
struct Sieve {
    names: [Option<Vec<u32>>; 4],
    small: [Option<[bool; 256]>; 3],
    since_us: i64,
    until_us: i64,
    is_timed: bool,
}

impl Sieve {
    /// `None` if a name was never seen, so that nothing can fit.
    fn new(filter: &Filter, index: &IndexReader) -> Result<Option<Sieve>, StoreError> {
        let connection = &index.connection;
        let named = [
            (Dimension::Server, &filter.server),
            (Dimension::Tool, &filter.tool),
            (Dimension::Session, &filter.session),
        ];
        let mut names = [None, None, None, None];
        for (column, (dimension, wanted)) in names.iter_mut().zip(named) {
            if let Some(wanted) = wanted {
                let number = names::find(connection, dimension, wanted)?;
                *column = Some(number.into_iter().collect());
            }
        }
        if let Some(wanted) = &filter.sensitive {
            names[3] = Some(names::sets_with(connection, wanted)?);
        }
        if names.iter().flatten().any(Vec::is_empty) {
            return Ok(None);
        }
        let table = |numbers: &mut dyn Iterator<Item = u8>| {
            let mut table = [false; 256];
            numbers.for_each(|number| table[usize::from(number)] = true);
            table
        };
        let kinds = table(&mut filter.kinds.iter().map(|kind| kind.number()));
        let statuses = table(&mut filter.statuses.iter().map(|status| status.number()));
        let risks = table(&mut (filter.risk..=u8::MAX));
        Ok(Some(Sieve {
            names,
            small: [
                (!filter.kinds.is_empty()).then_some(kinds),
                (!filter.statuses.is_empty()).then_some(statuses),
                (filter.risk > 0).then_some(risks),
            ],
            since_us: filter.since_us.unwrap_or(i64::MIN),
            until_us: filter.until_us.unwrap_or(i64::MAX),
            is_timed: filter.since_us.is_some() || filter.until_us.is_some(),
        }))
    }

    /// Which places of a page fit; one column after the other, so that each is one tight loop. Names come first: they
    /// leave nothing of most pages, and then the rest is not read.
    fn fits(&self, page: &Page<'_>, fits: &mut Vec<bool>) {
        fits.clear();
        fits.resize(page.count(), true);
        for (which, wanted) in self.names.iter().enumerate().rev() {
            if let Some(wanted) = wanted {
                let column = page.names(which).iter().map(|value| u32::from_le_bytes(*value));
                fits.iter_mut().zip(column).for_each(|(fits, value)| *fits &= wanted.contains(&value));
                if !fits.contains(&true) {
                    return;
                }
            }
        }
        for (which, table) in self.small.iter().enumerate() {
            if let Some(table) = table {
                let column = page.small(which);
                fits.iter_mut().zip(column).for_each(|(fits, value)| *fits &= table[usize::from(*value)]);
            }
        }
        if self.is_timed {
            let column = page.times().iter().map(|value| i64::from_le_bytes(*value));
            let range = self.since_us..self.until_us;
            fits.iter_mut().zip(column).for_each(|(fits, value)| *fits &= range.contains(&value));
        }
    }
}

impl IndexReader {
    /// The newest `most` records before `before` and from `first` on that fit, newest first.
    pub(crate) fn list(
        &self,
        filter: &Filter,
        first: u64,
        before: u64,
        most: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        let Some(sieve) = Sieve::new(filter, self)? else { return Ok(entries) };
        let mut statement = self.connection.prepare_cached(
            "SELECT number, columns FROM pages WHERE number BETWEEN ?1 AND ?2 ORDER BY number DESC",
        )?;
        let mut pages = statement.query((page::number(first), page::number(before)))?;
        let mut fits = Vec::new();
        while let Some(stored) = pages.next()? {
            let number = stored.get(0)?;
            let page = page::parse(stored.get_ref(1)?.as_blob().unwrap_or_default())?;
            sieve.fits(&page, &mut fits);
            for place in (0..page.count()).rev().filter(|place| fits[*place]) {
                let seq = page::first_seq(number) + place as u64;
                if (first..before).contains(&seq) {
                    entries.extend(self.entry(seq, &page.row(place))?);
                }
                if entries.len() >= most {
                    return Ok(entries);
                }
            }
        }
        Ok(entries)
    }

    fn entry(&self, seq: u64, row: &Row) -> Result<Option<Entry>, StoreError> {
        let [kind, status, risk] = row.small;
        let (Some(kind), Some(status)) = (Kind::numbered(kind), Status::numbered(status)) else {
            return Ok(None);
        };
        let [server, tool, session, sensitive] = row.names;
        let text = |number| names::text(&self.connection, number);
        let sensitive = text(sensitive)?;
        Ok(Some(Entry {
            seq,
            at_us: row.at_us,
            kind,
            status,
            risk,
            server: text(server)?,
            tool: text(tool)?,
            session: text(session)?,
            sensitive: sensitive.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect(),
        }))
    }
}
