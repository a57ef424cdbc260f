//! Flows that several gateways share, in Redis or Valkey: each a stream of sealed entries that every node folds by itself.
//!
//! An entry is what one call left. A node reads only what is new since it looked last, and reads the others' in the same
//! trip as it appends its own, so that all nodes fold in one order. Now and then one puts the whole in the place of
//! what it was made of. What is in an entry is its maker's business.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, FromRedisValue, IntoConnectionInfo, Pipeline, Value, pipe};
use tokio::sync::Notify;

use crate::StoreError;

/// A store that does not answer within this is away; the call that waits is judged without it.
const ANSWER: Duration = Duration::from_millis(500);
/// The pause between two tries to reach it.
const BETWEEN_TRIES: Duration = Duration::from_millis(250);
/// How often a store that is there is asked whether it still is: nobody else would notice while no call comes.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// Within which part of the time that a flow is kept unused a reader says that it is in use.
pub const KEPT_WITHIN: u32 = 8;
/// The longest a flow is kept: a server refuses a time that no clock can tell.
const MOST_MS: u128 = 1 << 52;
/// In front of the name of every flow.
const PREFIX: &str = "portcullis:flow:";
/// In front of the name of every entry that was added once.
const ONCE: &str = "portcullis:once:";
/// In front of the name of every counter.
const COUNTER: &str = "portcullis:count:";
/// Whatever is stored belongs to the era of this name; if it is another, everything was lost.
const ERA: &str = "portcullis:era";
const LOW: u128 = 0xffff_ffff_ffff_ffff;
/// The one field of an entry.
const FIELD: &str = "e";

/// Puts a whole flow in the place of all entries up to the one it was made from, if that is still the last.
const REPLACE: &str = "\
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local at = '0-0'
if #last > 0 then at = last[1][1] end
if at ~= ARGV[1] then return false end
local id = redis.call('XADD', KEYS[1], '*', ARGV[3], ARGV[2])
redis.call('XTRIM', KEYS[1], 'MINID', id)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return id";

/// Adds an entry unless the same was added before.
const APPEND_ONCE: &str = "\
if redis.call('SET', KEYS[2], '', 'NX', 'PX', ARGV[3]) then
redis.call('XADD', KEYS[1], '*', ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
end";

/// Which entry of a flow; later ones are greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId(u64, u64);

/// An entry, as it was sealed.
pub type Entry = (EntryId, Vec<u8>);

/// The store of flows cannot be asked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowsAway;

/// Something that is counted over all gateways within a window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// What is counted.
    pub key: u128,
    /// In which window.
    pub window: u64,
    /// How long the counter is needed at least.
    pub lasts: Duration,
}

/// Where flows are shared.
pub struct FlowStore {
    client: Client,
    place: String,
    /// How long a flow is kept, in milliseconds: so much longer than it has to be as a reader may be late to say that it
    /// is in use.
    idle_ms: String,
    connection: Mutex<Option<(MultiplexedConnection, u128)>>,
    lost: Notify,
}

impl EntryId {
    /// As bytes.
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.0) << 64 | u128::from(self.1)).to_be_bytes()
    }

    /// The id of these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> EntryId {
        let [high, low] =
            [64, 0].map(|shift| u64::try_from(u128::from_be_bytes(bytes) >> shift & LOW).unwrap_or(0));
        EntryId(high, low)
    }

    /// An id as the server writes it.
    fn read(text: &str) -> Option<EntryId> {
        let (time, number) = text.split_once('-')?;
        Some(EntryId(time.parse().ok()?, number.parse().ok()?))
    }

    fn text(self) -> String {
        [&self.0.to_string(), "-", &self.1.to_string()].concat()
    }
}

impl FlowStore {
    /// The store an address names, as `redis://host:6379` or `rediss://:password@host`. Flows that nobody uses for
    /// `idle` are gone. It is connected to by [`FlowStore::stay_connected`].
    pub fn new(address: &str, idle: Duration) -> Result<FlowStore, StoreError> {
        // What the parser says may quote the password.
        let named = || {
            StoreError::Address(
                "flows are shared at an address like redis://host:6379 or rediss://host".into(),
            )
        };
        let info = address.into_connection_info().map_err(|_| named())?;
        let place = info.addr().to_string();
        let client = Client::open(info).map_err(|_| named())?;
        let idle_ms = idle.saturating_add(idle / KEPT_WITHIN).as_millis().min(MOST_MS).to_string();
        Ok(FlowStore { client, place, idle_ms, connection: Mutex::default(), lost: Notify::new() })
    }

    /// Where it is; no password is in it.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether it could be asked when somebody last tried.
    pub fn is_there(&self) -> bool {
        self.era().is_some()
    }

    /// Which data it holds; another number means that it lost what it held. `None` while it is away.
    pub fn era(&self) -> Option<u128> {
        self.connection().as_ref().map(|(_, era)| *era)
    }

    /// Connects, and again whenever the connection is lost; `told` hears when it is there and when it no longer is. It
    /// ends when nobody else holds the store.
    pub async fn stay_connected(self: Arc<Self>, told: impl Fn(bool)) {
        let (store, mut was_there) = (Arc::downgrade(&self), None);
        drop(self);
        while let Some(this) = store.upgrade() {
            let is_there = this.connect().await;
            if was_there.replace(is_there) != Some(is_there) {
                told(is_there);
            }
            let pause = if is_there { BETWEEN_LOOKS } else { BETWEEN_TRIES };
            // That it was lost ends the pause at once.
            let _ = tokio::time::timeout(pause, this.lost.notified()).await;
        }
    }

    /// What was added to a flow after an entry. Whoever reads says now and then, within the [`KEPT_WITHIN`]th part of
    /// the time it is kept unused, that it is in use.
    pub async fn read(&self, flow: u128, after: EntryId, is_kept: bool) -> Result<Vec<Entry>, FlowsAway> {
        let name = name(flow);
        let known = self.era().ok_or(FlowsAway)?;
        let mut trip = Pipeline::with_capacity(3);
        trip.add_command(range(&name, after));
        if is_kept {
            trip.add_command(self.keep(&name)).ignore();
        }
        let mut era = command("GET");
        era.arg(ERA);
        trip.add_command(era);
        let (entries, era): (Vec<Read>, Option<String>) = self.ask(&trip).await?;
        // What was lost a moment ago must not be taken for nothing.
        if era.as_deref().and_then(read_era) != Some(known) {
            self.lose();
            return Err(FlowsAway);
        }
        Ok(entries.into_iter().map(|read| read.0).collect())
    }

    /// Adds an entry to a flow that somebody else may be adding too; `name` is the entry's own.
    pub async fn append_once(&self, flow: u128, entry_name: &str, entry: &[u8]) -> Result<(), FlowsAway> {
        let mut trip = pipe();
        let script = trip.cmd("EVAL").arg(APPEND_ONCE).arg(2).arg(name(flow));
        script.arg(format!("{ONCE}{entry_name}")).arg(entry).arg(FIELD).arg(&self.idle_ms).ignore();
        self.ask(&trip).await
    }

    /// Adds an entry to a flow; returns all that was added after `after`, this one among it, and which it is. It is missing
    /// where somebody has already put the whole in its place.
    pub async fn append(
        &self,
        flow: u128,
        after: EntryId,
        entry: &[u8],
    ) -> Result<(Vec<Entry>, EntryId), FlowsAway> {
        let name = name(flow);
        let mut trip = Pipeline::with_capacity(3);
        let mut add = command("XADD");
        add.arg(&name).arg("*").arg(FIELD).arg(entry);
        // Added first and read second: what others add in between is read too, so nobody must be kept out.
        trip.add_command(add).add_command(range(&name, after)).add_command(self.keep(&name)).ignore();
        let (id, entries): (Id, Vec<Read>) = self.ask(&trip).await?;
        Ok((entries.into_iter().map(|read| read.0).collect(), id.0))
    }

    /// Puts a whole flow in the place of all its entries, if `last` is still the last of them; `None` if it is not.
    pub async fn replace(
        &self,
        flow: u128,
        last: EntryId,
        whole: &[u8],
    ) -> Result<Option<EntryId>, FlowsAway> {
        let mut trip = pipe();
        let script = trip.cmd("EVAL").arg(REPLACE).arg(1).arg(name(flow));
        script.arg(last.text()).arg(whole).arg(FIELD).arg(&self.idle_ms);
        let (id,): (Option<Id>,) = self.ask(&trip).await?;
        Ok(id.map(|id| id.0))
    }

    /// Forgets a flow.
    pub async fn end(&self, flow: u128) -> Result<(), FlowsAway> {
        let mut trip = pipe();
        trip.cmd("UNLINK").arg(name(flow)).ignore();
        self.ask(&trip).await
    }

    /// Adds one to each counter, and says how far each has come.
    pub async fn count(&self, counters: &[Counter]) -> Result<Vec<u64>, FlowsAway> {
        let mut trip = pipe();
        for Counter { key, window, lasts } in counters {
            let name = format!("{COUNTER}{key:032x}:{window:x}");
            trip.cmd("INCR").arg(&name);
            trip.cmd("PEXPIRE").arg(&name).arg(u64::try_from(lasts.as_millis()).unwrap_or(u64::MAX)).ignore();
        }
        self.ask(&trip).await
    }

    /// Keeps a flow for as long as one is kept that nobody uses.
    fn keep(&self, name: &str) -> Cmd {
        let mut keep = command("PEXPIRE");
        keep.arg(name).arg(&self.idle_ms);
        keep
    }

    /// One trip to the store and back.
    async fn ask<T: FromRedisValue>(&self, trip: &Pipeline) -> Result<T, FlowsAway> {
        let (mut connection, _) = self.connection().clone().ok_or(FlowsAway)?;
        match trip.query_async(&mut connection).await {
            Ok(answer) => Ok(answer),
            Err(_) => {
                self.lose();
                Err(FlowsAway)
            }
        }
    }

    /// It counts as away until it was connected to again.
    fn lose(&self) {
        *self.connection() = None;
        self.lost.notify_one();
    }

    /// Whether the store answers, through the connection there is or a new one.
    async fn connect(&self) -> bool {
        let known = self.connection().clone();
        let mut connection = match known {
            Some((connection, _)) => connection,
            None => {
                let wishes = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(ANSWER))
                    .set_response_timeout(Some(ANSWER));
                match self.client.get_multiplexed_async_connection_with_config(&wishes).await {
                    Ok(connection) => connection,
                    Err(_) => return self.note(None),
                }
            }
        };
        let mut bytes = [0; 16];
        if getrandom::fill(&mut bytes).is_err() {
            return self.note(None);
        }
        let mut trip = pipe();
        trip.cmd("SET").arg(ERA).arg(format!("{:032x}", u128::from_ne_bytes(bytes))).arg("NX").ignore();
        trip.cmd("GET").arg(ERA);
        // A server that still reads its data from the disk answers, but not with this.
        let answer: redis::RedisResult<(String,)> = trip.query_async(&mut connection).await;
        let era = answer.ok().and_then(|(era,)| read_era(&era));
        self.note(era.map(|era| (connection, era)))
    }

    fn note(&self, connection: Option<(MultiplexedConnection, u128)>) -> bool {
        let is_there = connection.is_some();
        *self.connection() = connection;
        is_there
    }

    fn connection(&self) -> MutexGuard<'_, Option<(MultiplexedConnection, u128)>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All entries of a flow after one.
fn range(name: &str, after: EntryId) -> Cmd {
    let mut range = command("XRANGE");
    range.arg(name).arg(["(", &after.text()].concat()).arg("+");
    range
}

fn read_era(text: &str) -> Option<u128> {
    u128::from_str_radix(text, 16).ok()
}

fn name(flow: u128) -> String {
    let digit = |place: u32| char::from(b"0123456789abcdef"[(flow >> (124 - 4 * place) & 15) as usize]);
    let mut name = String::with_capacity(PREFIX.len() + 32);
    name.push_str(PREFIX);
    name.extend((0..32).map(digit));
    name
}

/// A command, with room for what those of every call say.
fn command(word: &str) -> Cmd {
    let mut command = Cmd::with_capacity(5, 512);
    command.arg(word);
    command
}

/// An entry as the server tells it: its id, then fields and values one after the other.
struct Read(Entry);

impl FromRedisValue for Read {
    fn from_redis_value(value: Value) -> Result<Read, redis::ParsingError> {
        let (id, (_, entry)): (Id, (String, Vec<u8>)) = redis::from_redis_value(value)?;
        Ok(Read((id.0, entry)))
    }
}

/// An id as the server tells it.
struct Id(EntryId);

impl FromRedisValue for Id {
    fn from_redis_value(value: Value) -> Result<Id, redis::ParsingError> {
        let text: String = redis::from_redis_value(value)?;
        EntryId::read(&text).map(Id).ok_or_else(|| "this is no id of an entry".into())
    }
}
