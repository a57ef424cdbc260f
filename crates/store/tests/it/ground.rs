//! Where a test of both back ends stands: a store of its own, embedded or in PostgreSQL.

use crate::cluster::Cluster;
use crate::world::{World, options};
use portcullis_store::{Chain, Level, Options, Reading, Store, StoreError, open, read};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs every test named on both back ends.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod embedded {
            $(#[test] fn $name() { super::$name(&crate::ground::Ground::embedded()); })*
        }
        mod postgres {
            $(#[test] fn $name() { super::$name(&crate::ground::Ground::postgres()); })*
        }
    };
}
pub(crate) use on_both;

pub(crate) struct Ground {
    world: World,
    address: String,
    database: Option<String>,
}

impl Ground {
    pub(crate) fn embedded() -> Ground {
        let world = World::new();
        Ground { address: format!("sqlite:{}", world.root().display()), world, database: None }
    }

    pub(crate) fn postgres() -> Ground {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let address = cluster().database(&name).unwrap();
        Ground { world: World::new(), address, database: Some(name) }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn root(&self) -> &Path {
        self.world.root()
    }

    pub(crate) fn store(&self) -> Box<dyn Store> {
        self.store_with(&options(Level::Process)).unwrap()
    }

    pub(crate) fn store_with(&self, options: &Options) -> Result<Box<dyn Store>, StoreError> {
        open(&self.address, self.world.root(), options)
    }

    pub(crate) fn reading(&self) -> Box<dyn Reading> {
        read(&self.address, self.world.root()).unwrap()
    }

    pub(crate) fn chains(&self) -> Vec<Chain> {
        self.reading().verify().unwrap()
    }

    /// The first thing wrong with any chain.
    pub(crate) fn bad(&self) -> Option<String> {
        self.chains()
            .into_iter()
            .find_map(|chain| chain.verdict.bad)
            .map(|bad| format!("{}: {}", bad.seq, bad.what))
    }

    /// Changes the registry behind the store's back.
    pub(crate) fn meddle(&self, sql: &str) {
        self.meddle_with("registry", sql);
    }

    /// The same with another table than that of the registry.
    pub(crate) fn meddle_with(&self, table: &str, sql: &str) {
        match &self.database {
            Some(_) => drop(self.sql(&sql.replace("TABLE", &format!("portcullis.{table}")))),
            None => {
                let file = rusqlite::Connection::open(self.root().join("registry.sqlite")).unwrap();
                file.execute_batch(&sql.replace("TABLE", table)).unwrap();
            }
        }
    }

    /// Runs SQL in the database of a test in PostgreSQL.
    pub(crate) fn sql(&self, text: &str) -> String {
        cluster().sql(self.database.as_deref().unwrap(), text).unwrap()
    }
}

/// One server serves all tests of this process.
fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| Cluster::start("tests", false).unwrap_or_else(|error| panic!("{error}")))
}
