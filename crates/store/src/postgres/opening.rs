//! Opening: the tables are brought up to date, the key is compared, our chain is found or begun, and the tasks start.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::mpsc::unbounded_channel;
use tokio::task::spawn_local;
use tokio_postgres::Client;

use super::address::Address;
use super::batch::{Maker, read, stored};
use super::link::Asker;
use super::reader::PostgresReader;
use super::registry::{self, Watched};
use super::trouble::Trouble;
use super::writer::{Work, Writer};
use super::{PostgresStore, retention, schema, send, thread};
use crate::StoreError;
use crate::appender::Head;
use crate::checkpoint::CheckpointFile;
use crate::directory::{Directory, Held};
use crate::index::DAY_US;
use crate::keeper::now_us;
use crate::keys::{CHAIN_KEY, ChainKey, CheckpointKey, GENESIS, Hash};
use crate::log::Options;
use crate::record::Mark;

/// Other chains a new session says it has seen.
const MOST_WITNESSED: usize = 32;
/// Partitions made ahead of time, in days.
pub(super) const DAYS_AHEAD: i32 = 2;

/// Opens the store at `address`; keys and the name of our chain are in `data`.
pub(crate) fn open(address: &str, data: &Path, options: &Options) -> Result<PostgresStore, StoreError> {
    let reader = PostgresReader { thread: thread::Thread::start(Address::parse(address)?)? };
    let directory = directory(data);
    let check = reader.thread.ask(|asker| async move { prepared(&asker).await })?;
    compare(check.as_deref(), &directory, &reader.thread.place)?;
    let held = directory.hold()?;
    if check.is_none() {
        let ours = key_check(&held.key);
        let first = reader.thread.ask(move |asker| async move { claim(&asker, ours).await })?;
        compare(Some(&first), &held.directory, &reader.thread.place)?;
    }
    let (signing, is_new_key) = CheckpointKey::load_or_create(&held.directory.keys())?;
    let public = signing.public();
    let (checkpoints, signed) = signed(&held)?;
    let begun = {
        let (writer, key, public) = (held.writer.clone(), held.key.clone(), public.clone());
        reader.thread.ask(move |asker| async move { begin(&asker, &writer, &key, &public).await })?
    };
    if signed > begun.head.seq {
        let what = format!(
            "records of this gateway through {signed} are missing: the database was taken back; restore a later backup, \
             or remove {} to begin a new chain",
            held.directory.writer_file().display()
        );
        return Err(StoreError::corrupt(reader.thread.place.as_ref(), begun.head.seq + 1, what));
    }
    let (writer, inbox) = unbounded_channel();
    let store = PostgresStore {
        maker: Arc::new(Maker::new(options.masked()?, held.writer.clone(), held.key.clone())?),
        writer,
        watched: Arc::new(Watched::default()),
        retention: options.retention.clone(),
        data: data.to_path_buf(),
        reader,
        _held: held,
    };
    let is_new = is_new_key || begun.head.seq == 0;
    let (head, day) = (begun.head, begun.day);
    store.start(move |address, maker| {
        Writer::new(address, maker, signing, checkpoints, head, day, signed).run(inbox)
    })?;
    introduce(&store, is_new.then_some(public), begun.others)?;
    Ok(store)
}

impl PostgresStore {
    /// Starts what works behind the callers: the writer, the listener, the keeper.
    fn start<F: Future<Output = ()> + 'static>(
        &self,
        writer: impl FnOnce(Rc<Address>, Arc<Maker>) -> F + Send + 'static,
    ) -> Result<(), StoreError> {
        let (maker, watched) = (Arc::clone(&self.maker), Arc::clone(&self.watched));
        let (inbox, retention) = (self.writer.clone(), self.retention.clone());
        self.reader.thread.ask(move |asker| async move {
            let address = Rc::clone(&asker.address);
            spawn_local(writer(Rc::clone(&address), Arc::clone(&maker)));
            spawn_local(registry::listen(address, watched));
            spawn_local(retention::keep(asker, maker, inbox, retention));
            Ok(())
        })
    }
}

/// Where this gateway keeps the checkpoints it signs, and the last record under one.
fn signed(held: &Held) -> Result<(CheckpointFile, u64), StoreError> {
    let checkpoints = CheckpointFile::new(&held.directory.checkpoints());
    checkpoints.mend()?;
    let (all, _) = checkpoints.read()?;
    let ours = all.iter().filter(|one| one.writer == held.writer && one.is_genuine());
    let last = ours.map(|one| one.seq).max().unwrap_or_default();
    Ok((checkpoints, last))
}

/// Where what belongs to a database is kept in a data directory, apart from a log of its own.
pub(super) fn directory(data: &Path) -> Directory {
    Directory::new(&data.join("postgres"))
}

/// Says first which key signs, and which other chains there are.
fn introduce(
    store: &PostgresStore,
    public: Option<String>,
    others: Vec<(String, u64)>,
) -> Result<(), StoreError> {
    let now = now_us();
    let mut notes = Vec::new();
    notes.extend(
        public.map(|public| store.maker.note(now, "a signing key was made", Mark::SigningKey { public })),
    );
    notes.extend(others.into_iter().map(|(writer, seq)| {
        store.maker.note(now, "another chain was seen", Mark::Witnessed { writer, seq })
    }));
    let sent: Result<Vec<_>, StoreError> =
        notes.into_iter().map(|note| send(&store.writer, Work::Record(Box::new(note)))).collect();
    sent?.iter().try_for_each(|outcome| thread::answered(&store.reader.thread.place, outcome).map(|_| ()))
}

/// Migrates, and returns what the key of the store is checked with.
async fn prepared(asker: &Asker) -> Result<Option<Vec<u8>>, StoreError> {
    let address = Rc::clone(&asker.address);
    asker
        .ask(|_| {
            let address = Rc::clone(&address);
            async move {
                // Migrating is a transaction of its own, which a shared client cannot have.
                let mut client = address.connect("portcullis-migration").await?;
                schema::prepare(&mut client, &address.name).await?;
                let row = client.query_opt("SELECT key_check FROM store", &[]).await;
                let row = row.map_err(|error| Trouble::of(&address.name, &error))?;
                Ok(row.map(|row| row.get(0)))
            }
        })
        .await
}

/// What can be compared without telling anything about the key.
pub(super) fn key_check(key: &ChainKey) -> Hash {
    key.vouch(0, &GENESIS)
}

/// Whether the key of the data directory is the store's.
fn compare(check: Option<&[u8]>, directory: &Directory, place: &str) -> Result<(), StoreError> {
    let Some(check) = check else { return Ok(()) };
    let ours = ChainKey::load(&directory.keys())?;
    if ours.is_some_and(|key| key_check(&key) == check) {
        return Ok(());
    }
    let path = directory.keys().join(CHAIN_KEY);
    Err(StoreError::OtherKey { place: place.to_owned(), path })
}

/// Makes our key the store's, unless another gateway was faster; returns which it is.
async fn claim(asker: &Asker, ours: Hash) -> Result<Vec<u8>, StoreError> {
    let place = &asker.address.name;
    asker
        .ask(|client: Rc<Client>| async move {
            let trouble = |error: tokio_postgres::Error| Trouble::of(place, &error);
            let put = "INSERT INTO store VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
            client.execute(put, &[&ours.as_slice()]).await.map_err(trouble)?;
            Ok(client.query_one("SELECT key_check FROM store", &[]).await.map_err(trouble)?.get(0))
        })
        .await
}

/// Where our chain is, and which others there are.
struct Begun {
    head: Head,
    day: i32,
    others: Vec<(String, u64)>,
}

async fn begin(asker: &Asker, writer: &str, key: &ChainKey, public: &str) -> Result<Begun, StoreError> {
    let place = &asker.address.name;
    let seal = signing_seal(key, writer, public);
    asker
        .ask(|client: Rc<Client>| async move {
            let trouble = |error: tokio_postgres::Error| Trouble::of(place, &error);
            let begin = "INSERT INTO writers VALUES ($1, 0, $2, $3, 0, 0, $2) ON CONFLICT DO NOTHING";
            let voucher = key.vouch(0, &GENESIS);
            client
                .execute(begin, &[&writer, &GENESIS.as_slice(), &voucher.as_slice()])
                .await
                .map_err(trouble)?;
            let name = "INSERT INTO signing_keys VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
            client.execute(name, &[&writer, &public, &seal.as_slice()]).await.map_err(trouble)?;
            let today = i32::try_from(now_us().div_euclid(DAY_US)).unwrap_or_default();
            ensure_days(&client, today).await.map_err(trouble)?;
            let find = "SELECT seq, hash, voucher, day FROM writers WHERE writer = $1";
            let row = client.query_one(find, &[&writer]).await.map_err(trouble)?;
            let seq = read(row.get(0));
            let hash = Hash::try_from(row.get::<_, Vec<u8>>(1)).unwrap_or(GENESIS);
            if key.vouch(seq, &hash).as_slice() != row.get::<_, &[u8]>(2) {
                let what = format!("the head of the chain of {writer} was forged");
                return Err(StoreError::corrupt(place.as_ref(), seq, what).into());
            }
            let others =
                "SELECT writer, seq FROM writers WHERE writer <> $1 AND seq > 0 ORDER BY day DESC LIMIT $2";
            let most = stored(MOST_WITNESSED as u64);
            let others = client.query(others, &[&writer, &most]).await.map_err(trouble)?;
            let others = others.iter().map(|row| (row.get(0), read(row.get(1)))).collect();
            Ok(Begun { head: Head { seq, hash }, day: row.get(3), others })
        })
        .await
}

/// Vouches for the key somebody signs with.
pub(super) fn signing_seal(key: &ChainKey, writer: &str, public: &str) -> Hash {
    key.seal_row(&[b"signing key", writer.as_bytes(), public.as_bytes()])
}

/// Makes the partitions of today and the next days.
pub(super) async fn ensure_days(client: &Client, today: i32) -> Result<(), tokio_postgres::Error> {
    let days = "SELECT ensure_day(day) FROM generate_series($1::int, $2::int) AS day
        WHERE NOT EXISTS (SELECT 1 FROM days WHERE days.day = day.day)";
    client.execute(days, &[&today, &(today + DAYS_AHEAD)]).await?;
    Ok(())
}
