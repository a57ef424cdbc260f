//! Tells of every chain whether it is still what was written; one snapshot of the whole database is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use tokio_postgres::{IsolationLevel, Row, Transaction};

use super::batch::{Columns, read, stored};
use super::opening::{directory, key_check, signing_seal};
use super::reader::PostgresReader;
use super::trouble::Trouble;
use crate::StoreError;
use crate::appender::Head;
use crate::checkpoint::{Checkpoint, CheckpointFile};
use crate::frame::{Frame, joined};
use crate::keys::{CHAIN_KEY, ChainKey, GENESIS, Hash};
use crate::reading::Chain;
use crate::record::Mark;
use crate::verify::{BadRecord, Verdict};

/// Records read at a time.
const PAGE: i64 = 2_000;

impl PostgresReader {
    /// Checks every chain, with the key in `data`.
    pub(crate) fn verify(&self, data: &Path) -> Result<Vec<Chain>, StoreError> {
        let directory = directory(data);
        let place = self.thread.place.clone();
        let missing = StoreError::OtherKey { place, path: directory.keys().join(CHAIN_KEY) };
        let Some(key) = ChainKey::load(&directory.keys())? else { return Err(missing) };
        // What this gateway signed is also in its own directory, where who rules the database has no say.
        let (own, _) = CheckpointFile::new(&directory.checkpoints()).read()?;
        self.thread.ask_long(move |asker| async move {
            let address = &asker.address;
            let mut client = match address.connect("portcullis-verify").await {
                Ok(client) => client,
                Err(trouble) => return Err(trouble.told(&address.name)),
            };
            let trouble =
                |error: tokio_postgres::Error| Trouble::of(&address.name, &error).told(&address.name);
            let snapshot =
                client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
            let transaction = snapshot.start().await.map_err(trouble)?;
            let check = transaction.query_opt("SELECT key_check FROM store", &[]).await.map_err(trouble)?;
            if check.is_none_or(|row| row.get::<_, &[u8]>(0) != key_check(&key)) {
                return Err(missing);
            }
            let all = Walk { key: &key, place: &address.name, own }.chains(&transaction).await;
            all.map_err(|error| Trouble::of(&address.name, &error).told(&address.name))
        })
    }
}

/// What all chains are checked with.
struct Walk<'k> {
    key: &'k ChainKey,
    place: &'k str,
    own: Vec<Checkpoint>,
}

/// One chain on the way.
struct Found {
    writer: String,
    head: Head,
    dropped: Head,
    /// What the database says the end is.
    end: Head,
    is_end_forged: bool,
    checkpoints: BTreeMap<u64, Vec<Checkpoint>>,
    vouched: u64,
    /// Records without a body, as ranges.
    redacted: Vec<(u64, u64)>,
    verdict: Verdict,
}

impl Walk<'_> {
    async fn chains(&self, transaction: &Transaction<'_>) -> Result<Vec<Chain>, tokio_postgres::Error> {
        let writers =
            "SELECT writer, seq, hash, voucher, dropped_seq, dropped_hash FROM writers ORDER BY writer";
        let mut marks = Vec::new();
        let mut chains = Vec::new();
        let keys = self.signing_keys(transaction).await?;
        for row in transaction.query(writers, &[]).await? {
            let checkpoints = "SELECT line FROM checkpoints WHERE writer = $1";
            let lines = transaction.query(checkpoints, &[&row.get::<_, &str>(0)]).await?;
            let mut found = self.found(&row, &lines, &keys);
            self.walk(transaction, &mut found, &mut marks).await?;
            chains.push(found);
        }
        for found in &mut chains {
            self.finish(found, &marks);
        }
        let mut chains: Vec<Chain> =
            chains.into_iter().map(|found| Chain { writer: found.writer, verdict: found.verdict }).collect();
        self.check_witnesses(&mut chains, &marks);
        Ok(chains)
    }

    /// The keys each writer may sign with.
    async fn signing_keys(
        &self,
        transaction: &Transaction<'_>,
    ) -> Result<BTreeSet<(String, String)>, tokio_postgres::Error> {
        let rows = transaction.query("SELECT writer, public, seal FROM signing_keys", &[]).await?;
        let sealed = rows.iter().filter(|row| {
            signing_seal(self.key, row.get(0), row.get(1)).as_slice() == row.get::<_, &[u8]>(2)
        });
        Ok(sealed.map(|row| (row.get(0), row.get(1))).collect())
    }

    fn found(&self, row: &Row, lines: &[Row], keys: &BTreeSet<(String, String)>) -> Found {
        let head =
            |seq: i64, hash: &[u8]| Head { seq: read(seq), hash: Hash::try_from(hash).unwrap_or(GENESIS) };
        let writer: String = row.get(0);
        let end = head(row.get(1), row.get(2));
        let dropped = head(row.get(4), row.get(5));
        let is_end_forged = self.key.vouch(end.seq, &end.hash).as_slice() != row.get::<_, &[u8]>(3);
        let stored = lines.iter().map(|line| serde_json::from_str::<Checkpoint>(line.get(0)).ok());
        let is_damaged = stored.clone().any(|line| line.is_none());
        let own = self.own.iter().filter(|one| one.writer == writer).cloned();
        let mut checkpoints: BTreeMap<u64, Vec<Checkpoint>> = BTreeMap::new();
        for checkpoint in stored.flatten().chain(own) {
            checkpoints.entry(checkpoint.seq).or_default().push(checkpoint);
        }
        let is_stranger = |one: &Checkpoint| {
            one.writer != writer || !one.is_genuine() || !keys.contains(&(writer.clone(), one.key.clone()))
        };
        let stranger = checkpoints.values().flatten().find(|one| is_stranger(one)).map(|one| one.seq);
        let vouched = checkpoints.keys().last().copied().unwrap_or_default().max(end.seq);
        let verdict = Verdict { first: dropped.seq + 1, last: dropped.seq, ..Verdict::default() };
        let mut found = Found {
            writer,
            head: dropped,
            dropped,
            end,
            is_end_forged,
            checkpoints,
            vouched,
            redacted: Vec::new(),
            verdict,
        };
        if let Some(seq) = stranger {
            self.blame(&mut found, seq, "its checkpoint is forged, or signed with a key nobody named");
        } else if is_damaged {
            self.blame(&mut found, end.seq, "a checkpoint cannot be read");
        }
        found
    }

    fn blame(&self, found: &mut Found, seq: u64, what: impl Into<String>) {
        if found.verdict.bad.as_ref().is_none_or(|bad| seq < bad.seq) {
            found.verdict.bad = Some(BadRecord { seq, path: PathBuf::from(self.place), what: what.into() });
        }
    }

    async fn walk(
        &self,
        transaction: &Transaction<'_>,
        found: &mut Found,
        marks: &mut Vec<Mark>,
    ) -> Result<(), tokio_postgres::Error> {
        let page =
            "SELECT seq, at_us, kind, status, risk, server, tool, session, sensitive, header, hash, body
            FROM activity WHERE writer = $1 AND seq > $2 ORDER BY seq LIMIT $3";
        let page = transaction.prepare(page).await?;
        let mut is_whole = true;
        while is_whole {
            let rows = transaction.query(&page, &[&found.writer, &stored(found.head.seq), &PAGE]).await?;
            for row in &rows {
                match self.fault(row, found, marks) {
                    None => {}
                    Some(what) => {
                        let next = found.head.seq + 1;
                        self.blame(found, next, what);
                        is_whole = false;
                        break;
                    }
                }
            }
            is_whole &= !rows.is_empty();
        }
        found.verdict.last = found.head.seq;
        Ok(())
    }

    /// What is wrong with the row that should be the next record; if nothing is, the walk goes on behind it.
    fn fault(&self, row: &Row, found: &mut Found, marks: &mut Vec<Mark>) -> Option<&'static str> {
        let next = found.head.seq + 1;
        if read(row.get(0)) != next {
            return Some("it is missing");
        }
        let body: Option<&[u8]> = row.get(11);
        let bytes = joined(row.get(9), row.get(10), body.unwrap_or_default());
        let Some(frame) = Frame::parse(&bytes).ok().filter(|frame| frame.length == bytes.len()) else {
            return Some("it is not whole, or something was put in its place");
        };
        if let Some(fault) = frame.fault(self.key, next, &found.head.hash) {
            return Some(fault);
        }
        let Some(facts) = frame.facts() else { return Some("its header cannot be read") };
        let columns = Columns {
            at_us: row.get(1),
            kind: row.get(2),
            status: row.get(3),
            risk: row.get(4),
            server: row.get(5),
            tool: row.get(6),
            session: row.get(7),
            sensitive: row.get(8),
        };
        if columns != Columns::of(frame.at_us, &facts) {
            return Some("the columns it is found by were changed");
        }
        let hash = HEXLOWER.encode(&frame.hash);
        for checkpoint in found.checkpoints.remove(&next).unwrap_or_default() {
            if checkpoint.hash != hash {
                return Some("its checkpoint says something else");
            }
            found.verdict.checkpoints += 1;
        }
        marks.extend(facts.mark);
        if frame.is_redacted() {
            found.verdict.redacted += 1;
            match found.redacted.last_mut() {
                Some((_, last)) if *last + 1 == next => *last = next,
                _ => found.redacted.push((next, next)),
            }
        }
        found.head = Head { seq: next, hash: frame.hash };
        None
    }

    /// What can be said only when all chains were walked: what is gone must have been announced in one of them.
    fn finish(&self, found: &mut Found, marks: &[Mark]) {
        let next = found.head.seq + 1;
        if found.verdict.bad.is_none() && found.vouched >= next {
            let what = format!("it and all others through {} are missing", found.vouched);
            self.blame(found, next, what);
        }
        if found.verdict.bad.is_none() && (found.is_end_forged || found.end != found.head) {
            self.blame(found, found.head.seq, "the end of its chain was forged");
        }
        let dropped = found.dropped;
        let is_dropped = dropped.seq == 0
            || marks.iter().any(|mark| match mark {
                Mark::DroppedOf { writer, through, hash } if *writer == found.writer => {
                    *through > dropped.seq
                        || *through == dropped.seq && *hash == HEXLOWER.encode(&dropped.hash)
                }
                _ => false,
            });
        if !is_dropped {
            self.blame(found, 1, format!("it and all others through {} are missing", dropped.seq));
        }
        let is_said = |seq: u64| {
            marks.iter().any(|mark| {
                matches!(mark, Mark::RedactedOf { writer, from, through }
                if *writer == found.writer && (*from..=*through).contains(&seq))
            })
        };
        let gone = found.redacted.iter().flat_map(|(from, through)| *from..=*through);
        if let Some(seq) = gone.into_iter().find(|seq| !is_said(*seq)) {
            self.blame(found, seq, "its body was removed");
        }
    }

    /// A chain that another one has seen must still be there.
    fn check_witnesses(&self, chains: &mut Vec<Chain>, marks: &[Mark]) {
        for mark in marks {
            let Mark::Witnessed { writer, seq } = mark else { continue };
            let reached = chains.iter().find(|chain| chain.writer == *writer).map(|chain| chain.verdict.last);
            if reached.is_some_and(|last| last >= *seq) {
                continue;
            }
            let next = reached.unwrap_or_default() + 1;
            let what = format!("it and all others through {seq} are missing; another chain has seen them");
            let bad = Some(BadRecord { seq: next, path: PathBuf::from(self.place), what });
            match chains.iter_mut().find(|chain| chain.writer == *writer) {
                Some(chain) => chain.verdict.bad = chain.verdict.bad.take().or(bad),
                None => {
                    let verdict = Verdict { first: 1, bad, ..Verdict::default() };
                    chains.push(Chain { writer: writer.clone(), verdict });
                }
            }
        }
    }
}
