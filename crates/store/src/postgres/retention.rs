//! What may go, and when: bodies first, then the oldest days and records. Our chain records it before it happens, for
//! every chain that loses something; one gateway at a time does it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::sleep;
use tokio_postgres::{Client, Transaction};

use super::batch::{Maker, read, stored};
use super::link::Asker;
use super::opening::ensure_days;
use super::trouble::Trouble;
use super::writer::{Request, Work};
use super::{begin, thread};
use crate::StoreError;
use crate::index::DAY_US;
use crate::keeper::now_us;
use crate::record::Mark;
use crate::retention::Retention;

/// How often the retention is applied.
const ROUND: Duration = Duration::from_secs(600);

/// What one chain loses: its records through this one, whose hash is this.
type Losses = BTreeMap<String, (u64, Vec<u8>)>;
type Writing = UnboundedSender<Request>;

/// Applies the retention now and then, and makes partitions ahead of time.
pub(super) async fn keep(asker: Rc<Asker>, maker: Arc<Maker>, writer: Writing, retention: Retention) {
    loop {
        sleep(ROUND).await;
        // What fails here is tried again in the next round; no record depends on it.
        let _ = apply(&asker, &maker, &writer, &retention, now_us()).await;
    }
}

/// Redacts and drops what is due.
pub(super) async fn apply(
    asker: &Asker,
    maker: &Maker,
    writer: &Writing,
    retention: &Retention,
    now_us: i64,
) -> Result<(), StoreError> {
    let trouble =
        |error: tokio_postgres::Error| Trouble::of(&asker.address.name, &error).told(&asker.address.name);
    let Some(mut keeper) = Keeper::hold(asker, maker, writer, now_us).await? else { return Ok(()) };
    ensure_days(&keeper.client, day_of(now_us)).await.map_err(trouble)?;
    keeper.redact_old(retention.redact_after_days).await?;
    keeper.drop_oldest(retention).await
}

/// Removes the bodies of these records.
pub(super) async fn redact(
    asker: Rc<Asker>,
    maker: Arc<Maker>,
    writer: Writing,
    from: u64,
    through: u64,
    now_us: i64,
) -> Result<(), StoreError> {
    let Some(keeper) = Keeper::hold(&asker, &maker, &writer, now_us).await? else {
        let what = "another gateway is applying the retention: try again".into();
        return Err(StoreError::Database { place: asker.address.name.clone(), what });
    };
    let condition = format!("id BETWEEN {} AND {}", stored(from), stored(through));
    keeper.redact_where(&condition).await
}

/// The one who may remove something, as long as its connection lives.
struct Keeper<'a> {
    client: Client,
    place: &'a str,
    maker: &'a Maker,
    writer: &'a Writing,
    now_us: i64,
}

impl<'a> Keeper<'a> {
    /// `None` if another gateway is at it.
    async fn hold(
        asker: &'a Asker,
        maker: &'a Maker,
        writer: &'a Writing,
        now_us: i64,
    ) -> Result<Option<Keeper<'a>>, StoreError> {
        let place = asker.address.name.as_str();
        let connected = asker.address.connect("portcullis-keeper").await;
        let client = connected.map_err(|trouble| trouble.told(place))?;
        let keeper = Keeper { client, place, maker, writer, now_us };
        let take = "SET statement_timeout = 0; SET lock_timeout = '3s'";
        keeper.client.batch_execute(take).await.map_err(|error| keeper.told(&error))?;
        let held = keeper.client.query_one("SELECT pg_try_advisory_lock(7301, 3)", &[]).await;
        let is_ours: bool = held.map_err(|error| keeper.told(&error))?.get(0);
        Ok(is_ours.then_some(keeper))
    }

    fn told(&self, error: &tokio_postgres::Error) -> StoreError {
        Trouble::of(self.place, error).told(self.place)
    }

    /// Records what is about to happen, and returns when that is safe.
    async fn announce(&self, text: &str, marks: Vec<Mark>) -> Result<(), StoreError> {
        // The writer lives on this very thread: blocking would keep it from answering.
        let note = |mark| Work::Record(Box::new(self.maker.note(self.now_us, text, mark)));
        let sent: Vec<_> = marks.into_iter().map(|mark| begin(self.writer, note(mark))).collect();
        for outcome in sent {
            outcome.await.unwrap_or_else(|_| Err(thread::ended()))?;
        }
        Ok(())
    }

    async fn redact_old(&self, days: u32) -> Result<(), StoreError> {
        let limit = self.now_us - i64::from(days) * DAY_US;
        let limit_day = day_of(limit);
        let condition = format!(
            "day IN (SELECT day FROM days WHERE NOT is_redacted AND day <= {limit_day}) AND at_us < {limit}"
        );
        self.redact_where(&condition).await?;
        let whole = "UPDATE days SET is_redacted = true WHERE NOT is_redacted AND day < $1 RETURNING day";
        let whole = self.client.query(whole, &[&limit_day]).await.map_err(|error| self.told(&error))?;
        for row in whole {
            // Written anew, the file no longer holds what was removed. If that must wait, only the space does.
            let rewrite = format!("VACUUM (FULL) activity_d{}", row.get::<_, i32>(0));
            let _ = self.client.batch_execute(&rewrite).await;
        }
        Ok(())
    }

    async fn redact_where(&self, condition: &str) -> Result<(), StoreError> {
        let due = format!(
            "SELECT writer, min(seq), max(seq) FROM activity WHERE body IS NOT NULL AND {condition} GROUP BY writer"
        );
        let due = self.client.query(&due, &[]).await.map_err(|error| self.told(&error))?;
        let ranges: Vec<(String, i64, i64)> =
            due.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect();
        let mark = |(writer, from, through): &(String, i64, i64)| Mark::RedactedOf {
            writer: writer.clone(),
            from: read(*from),
            through: read(*through),
        };
        // INVARIANT: the chain says so before it happens; a body that is gone without it counts as tampering.
        self.announce("bodies were redacted", ranges.iter().map(mark).collect()).await?;
        for (writer, from, through) in &ranges {
            let redact = format!(
                "UPDATE activity SET body = NULL
                 WHERE writer = $1 AND seq BETWEEN $2 AND $3 AND body IS NOT NULL AND {condition}"
            );
            self.client
                .execute(&redact, &[writer, from, through])
                .await
                .map_err(|error| self.told(&error))?;
        }
        Ok(())
    }

    async fn drop_oldest(&mut self, retention: &Retention) -> Result<(), StoreError> {
        let before_day = self.due_days(retention).await?;
        let through_id = self.due_records(retention.records).await?;
        let due = "SELECT DISTINCT ON (writer) writer, seq, hash FROM (
                SELECT writer, seq, hash FROM activity WHERE day < $1
                UNION ALL SELECT writer, seq, hash FROM activity WHERE id <= $2) AS due
            ORDER BY writer, seq DESC";
        let due =
            self.client.query(due, &[&before_day, &through_id]).await.map_err(|error| self.told(&error))?;
        if due.is_empty() {
            return Ok(());
        }
        let losses: Losses = due.iter().map(|row| (row.get(0), (read(row.get(1)), row.get(2)))).collect();
        // The word about earlier losses may itself be among what goes now, so it is given again.
        let earlier = "SELECT writer, dropped_seq, dropped_hash FROM writers WHERE dropped_seq > 0";
        let earlier = self.client.query(earlier, &[]).await.map_err(|error| self.told(&error))?;
        let mut said: Losses =
            earlier.iter().map(|row| (row.get(0), (read(row.get(1)), row.get(2)))).collect();
        said.extend(losses.clone());
        let mark = |(writer, (through, hash)): (String, (u64, Vec<u8>))| Mark::DroppedOf {
            writer,
            through,
            hash: HEXLOWER.encode(&hash),
        };
        self.announce("old records were dropped", said.into_iter().map(mark).collect()).await?;
        let place = self.place;
        let dropped = drop_all(&mut self.client, &losses, before_day).await;
        dropped.map_err(|error| Trouble::of(place, &error).told(place))
    }

    /// The day before which everything goes, for its age or because there are too many bytes.
    async fn due_days(&self, retention: &Retention) -> Result<i32, StoreError> {
        let sizes = "SELECT day, pg_total_relation_size(format('portcullis.activity_d%s', day)::regclass)
            FROM days ORDER BY day";
        let sizes = self.client.query(sizes, &[]).await.map_err(|error| self.told(&error))?;
        let mut before = day_of(self.now_us - i64::from(retention.days) * DAY_US);
        let newest = "SELECT coalesce(max(day), 0) FROM writers";
        let newest: i32 = self.client.query_one(newest, &[]).await.map_err(|error| self.told(&error))?.get(0);
        let mut bytes: u64 = sizes.iter().map(|row| read(row.get(1))).sum();
        for row in &sizes {
            let day: i32 = row.get(0);
            let is_due = day < before || bytes > retention.bytes;
            if !is_due || day >= newest {
                break;
            }
            bytes = bytes.saturating_sub(read(row.get(1)));
            before = before.max(day + 1);
        }
        Ok(before.min(newest))
    }

    /// The number through which everything goes because there are too many records.
    async fn due_records(&self, most: u64) -> Result<i64, StoreError> {
        let last = "SELECT id FROM activity ORDER BY id DESC OFFSET $1 LIMIT 1";
        let row = self.client.query_opt(last, &[&stored(most)]).await.map_err(|error| self.told(&error))?;
        Ok(row.map_or(0, |row| row.get(0)))
    }
}

/// Drops whole days as partitions and the rest of what is due row by row, all or nothing.
async fn drop_all(
    client: &mut Client,
    losses: &Losses,
    before_day: i32,
) -> Result<(), tokio_postgres::Error> {
    let transaction = client.transaction().await?;
    transaction
        .batch_execute("SELECT pg_advisory_xact_lock(7301, 2); LOCK TABLE activity IN ACCESS EXCLUSIVE MODE")
        .await?;
    if has_stragglers(&transaction, losses, before_day).await? {
        // Somebody wrote there after we announced: the next round takes that along.
        return Ok(());
    }
    for (writer, (through, hash)) in losses {
        let through = stored(*through);
        transaction.execute(UNCOUNT, &[writer, &through]).await?;
        let begin = "UPDATE writers SET dropped_seq = $2, dropped_hash = $3 WHERE writer = $1";
        transaction.execute(begin, &[writer, &through, hash]).await?;
        transaction
            .execute("DELETE FROM checkpoints WHERE writer = $1 AND seq <= $2", &[writer, &through])
            .await?;
    }
    transaction.batch_execute("DELETE FROM counters WHERE count <= 0").await?;
    for row in transaction.query("DELETE FROM days WHERE day < $1 RETURNING day", &[&before_day]).await? {
        transaction.batch_execute(&format!("DROP TABLE activity_d{}", row.get::<_, i32>(0))).await?;
    }
    for (writer, (through, _)) in losses {
        let rest = "DELETE FROM activity WHERE writer = $1 AND seq <= $2";
        transaction.execute(rest, &[writer, &stored(*through)]).await?;
    }
    transaction.commit().await
}

async fn has_stragglers(
    transaction: &Transaction<'_>,
    losses: &Losses,
    before_day: i32,
) -> Result<bool, tokio_postgres::Error> {
    let (writers, throughs): (Vec<&String>, Vec<i64>) =
        losses.iter().map(|(writer, (through, _))| (writer, stored(*through))).unzip();
    let straggler = "SELECT EXISTS (SELECT 1 FROM activity
        LEFT JOIN unnest($1::text[], $2::bigint[]) AS due (whose, through) ON writer = whose
        WHERE day < $3 AND seq > coalesce(through, 0))";
    Ok(transaction.query_one(straggler, &[&writers, &throughs, &before_day]).await?.get(0))
}

/// Takes records off the counters, in the same dimensions they were counted in.
const UNCOUNT: &str = "
    UPDATE counters SET count = counters.count - gone.count FROM (
        SELECT floor(at_us / 86400000000.0)::int AS day, dimension, value, count(*) AS count
        FROM activity CROSS JOIN LATERAL (
            SELECT 'kind' AS dimension, kind AS value
            UNION ALL SELECT 'status', status
            UNION ALL SELECT 'risk', CASE WHEN risk >= 70 THEN 'high' WHEN risk >= 30 THEN 'medium' ELSE 'low' END
            UNION ALL SELECT 'server', server
            UNION ALL SELECT 'tool', tool
            UNION ALL SELECT 'sensitive', unnest(string_to_array(sensitive, ','))) AS counted
        WHERE writer = $1 AND seq <= $2 GROUP BY 1, 2, 3) AS gone
    WHERE counters.writer = $1 AND counters.day = gone.day AND counters.dimension = gone.dimension
        AND counters.value = gone.value";

fn day_of(us: i64) -> i32 {
    i32::try_from(us.div_euclid(DAY_US)).unwrap_or_default()
}
