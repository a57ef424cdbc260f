//! Records on their way to PostgreSQL: masked where they arise, placed in the chain together, sent as columns.

use portcullis_detect::sensitive::SensitiveData;
use tokio_postgres::types::ToSql;

use super::text::escaped;
use crate::StoreError;
use crate::appender::Head;
use crate::frame::{Frame, Unplaced};
use crate::index::{Counters, DAY_US};
use crate::keys::{ChainKey, Hash};
use crate::record::{Draft, Facts, Kind, Mark, Status};
use crate::salt::Salts;

/// One statement is one transaction: the head moves and the records are there, or neither.
pub(super) const INSERT: &str = "
    WITH moved AS (
        UPDATE writers SET seq = $2, hash = $3, voucher = $4, day = $5
        WHERE writer = $1 AND seq = $6 AND hash = $7 RETURNING writer
    ), counted AS (
        INSERT INTO counters SELECT c.day, moved.writer, c.dimension, c.value, c.count
        FROM moved, unnest($8::int[], $9::text[], $10::text[], $11::bigint[]) AS c (day, dimension, value, count)
        ON CONFLICT (day, writer, dimension, value) DO UPDATE SET count = counters.count + excluded.count
    )
    INSERT INTO activity (writer, seq, day, at_us, kind, status, risk, server, tool, session, sensitive,
        header, hash, body)
    SELECT moved.writer, r.* FROM moved, unnest($12::bigint[], $13::int[], $14::bigint[], $15::text[], $16::text[],
        $17::smallint[], $18::text[], $19::text[], $20::text[], $21::text[], $22::bytea[], $23::bytea[], $24::bytea[])
        AS r (seq, day, at_us, kind, status, risk, server, tool, session, sensitive, header, hash, body)
    RETURNING id";

/// Makes records ready; what it takes (masking) happens on the thread of the caller.
pub(super) struct Maker {
    pub(super) data: SensitiveData,
    pub(super) writer: String,
    pub(super) key: ChainKey,
    salts: Salts,
}

impl Maker {
    pub(super) fn new(data: SensitiveData, writer: String, key: ChainKey) -> Result<Maker, StoreError> {
        Ok(Maker { data, writer, key, salts: Salts::new()? })
    }

    pub(super) fn make(&self, draft: &Draft<'_>, mark: Option<Mark>) -> Ready {
        let (facts, body) = draft.masked(&self.data, &self.writer, mark);
        let record = Unplaced::new(&self.key, draft.at_us, &self.salts.next(), &facts, &body);
        Ready { record, facts }
    }

    /// What the store records about itself.
    pub(super) fn note(&self, now_us: i64, text: &str, mark: Mark) -> Ready {
        let draft = Draft { note: Some(text), ..Draft::new(Kind::System, Status::Noted, now_us) };
        self.make(&draft, Some(mark))
    }
}

/// A record that only lacks its place.
pub(super) struct Ready {
    record: Unplaced,
    facts: Facts,
}

/// The columns that repeat the header, as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) at_us: i64,
    pub(super) kind: String,
    pub(super) status: String,
    pub(super) risk: i16,
    pub(super) server: String,
    pub(super) tool: String,
    pub(super) session: String,
    pub(super) sensitive: String,
}

impl Columns {
    pub(super) fn of(at_us: i64, facts: &Facts) -> Columns {
        Columns {
            at_us,
            kind: facts.kind.word().to_owned(),
            status: facts.status.word().to_owned(),
            risk: i16::from(facts.risk),
            server: escaped(&facts.server).into_owned(),
            tool: escaped(&facts.tool).into_owned(),
            session: escaped(&facts.session).into_owned(),
            sensitive: escaped(&facts.sensitive.join(",")).into_owned(),
        }
    }
}

/// Records placed in the chain, column by column.
pub(super) struct Batch {
    /// The chain's end before and after.
    pub(super) before: Head,
    pub(super) head: Head,
    /// The partition of the last record; later ones are never in an earlier one.
    pub(super) day: i32,
    writer: String,
    numbers: [i64; 2],
    voucher: Hash,
    seqs: Vec<i64>,
    pub(super) days: Vec<i32>,
    columns: Vec<Columns>,
    headers: Vec<Vec<u8>>,
    hashes: Vec<Vec<u8>>,
    bodies: Vec<Vec<u8>>,
    counters: Counters,
}

impl Batch {
    pub(super) fn new<'r>(
        maker: &Maker,
        before: Head,
        day: i32,
        records: impl Iterator<Item = &'r Ready>,
    ) -> Batch {
        let mut batch = Batch {
            before,
            head: before,
            day,
            writer: maker.writer.clone(),
            numbers: [0; 2],
            voucher: [0; 32],
            seqs: Vec::new(),
            days: Vec::new(),
            columns: Vec::new(),
            headers: Vec::new(),
            hashes: Vec::new(),
            bodies: Vec::new(),
            counters: Counters::default(),
        };
        records.for_each(|record| batch.push(&maker.key, record));
        batch.numbers = [stored(batch.head.seq), stored(before.seq)];
        batch.voucher = maker.key.vouch(batch.head.seq, &batch.head.hash);
        batch
    }

    fn push(&mut self, key: &ChainKey, ready: &Ready) {
        let at_us = ready.record.at_us;
        let seq = self.head.seq + 1;
        let mut bytes = Vec::new();
        let hash = ready.record.place(key, seq, &self.head.hash, &mut bytes);
        self.head = Head { seq, hash };
        // INVARIANT: days never go back along a chain, so that dropping old ones drops its beginning.
        self.day = self.day.max(i32::try_from(at_us.div_euclid(DAY_US)).unwrap_or_default());
        self.seqs.push(stored(seq));
        self.days.push(self.day);
        self.columns.push(Columns::of(at_us, &ready.facts));
        // INVARIANT: what was just placed is a frame.
        if let Ok(frame) = Frame::parse(&bytes) {
            self.headers.push(frame.header.to_vec());
            self.bodies.push(frame.body.to_vec());
        }
        self.hashes.push(hash.to_vec());
        self.counters.count(at_us, &ready.facts, 1);
    }

    /// Runs `send` with the values of [`INSERT`].
    pub(super) async fn with_values<T>(&self, send: impl AsyncFnOnce(&[&(dyn ToSql + Sync)]) -> T) -> T {
        let column = |field: fn(&Columns) -> &str| self.columns.iter().map(field).collect::<Vec<&str>>();
        let (kinds, statuses) = (column(|one| &one.kind), column(|one| &one.status));
        let (servers, tools) = (column(|one| &one.server), column(|one| &one.tool));
        let (sessions, sensitive) = (column(|one| &one.session), column(|one| &one.sensitive));
        let times: Vec<i64> = self.columns.iter().map(|one| one.at_us).collect();
        let risks: Vec<i16> = self.columns.iter().map(|one| one.risk).collect();
        let mut counters: (Vec<i32>, Vec<&str>, Vec<String>, Vec<i64>) = Default::default();
        for (day, dimension, value, count) in self.counters.entries() {
            counters.0.push(i32::try_from(day).unwrap_or_default());
            counters.1.push(dimension);
            counters.2.push(escaped(value).into_owned());
            counters.3.push(count);
        }
        let [seq, before] = &self.numbers;
        let (hash, hash_before) = (self.head.hash.as_slice(), self.before.hash.as_slice());
        let voucher = self.voucher.as_slice();
        send(&[
            &self.writer,
            seq,
            &hash,
            &voucher,
            &self.day,
            before,
            &hash_before,
            &counters.0,
            &counters.1,
            &counters.2,
            &counters.3,
            &self.seqs,
            &self.days,
            &times,
            &kinds,
            &statuses,
            &risks,
            &servers,
            &tools,
            &sessions,
            &sensitive,
            &self.headers,
            &self.hashes,
            &self.bodies,
        ])
        .await
    }
}

/// A number as PostgreSQL keeps it.
pub(super) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number as PostgreSQL kept it.
pub(super) fn read(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
