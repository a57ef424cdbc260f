//! Gateways that share everything: one PostgreSQL and one Valkey behind them, a balancer before them that sends each
//! request to any of them.

#[path = "../../crates/store/tests/it/cluster.rs"]
#[allow(dead_code, reason = "the tests of the store need more of a server than this")]
mod cluster;
#[path = "../../crates/store/tests/it/valkey.rs"]
#[allow(dead_code, reason = "the tests of the store need more of a server than this")]
mod valkey;

use crate::serving::Serving;
use crate::{shell, tree};
use anyhow::{Result, anyhow, bail};
use cluster::Cluster;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use valkey::Valkey;

/// What all nodes seal sessions and flows with, and key their chains of records with.
const SEAL_KEY: &str = "5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed";

/// What is needed for gateways that share: a PostgreSQL for all of them, and the balancer.
pub(crate) struct Fleet {
    /// How many gateways there are each time.
    pub(crate) nodes: usize,
    name: String,
    cluster: Arc<Cluster>,
    balancer: PathBuf,
    /// Counts what was made, so that everything has a name of its own.
    made: AtomicU64,
    /// The longest that nodes took to agree, in milliseconds.
    slowest_ms: Arc<AtomicU64>,
}

/// What the nodes of one gateway share; it goes with them.
pub(crate) struct Engines {
    name: String,
    cluster: Arc<Cluster>,
    database: String,
    valkey: Valkey,
    slowest_ms: Arc<AtomicU64>,
}

impl Fleet {
    pub(crate) fn start(name: &str, nodes: usize) -> Result<Fleet> {
        if nodes < 2 {
            bail!("--nodes takes how many gateways share everything: 2 or more");
        }
        shell::build_as_tested(&["balance"])?;
        let balancer = format!("balance{}", std::env::consts::EXE_SUFFIX);
        Ok(Fleet {
            nodes,
            name: name.to_owned(),
            // What is tried here is not whether a machine may lose power.
            cluster: Arc::new(Cluster::start(name, false).map_err(|error| anyhow!(error))?),
            balancer: tree::target()?.join("debug").join(balancer),
            made: AtomicU64::new(0),
            slowest_ms: Arc::default(),
        })
    }

    /// A database and a Valkey that nobody has used.
    pub(crate) fn engines(&self) -> Result<Engines> {
        let name = format!("{}_{}", self.name, self.made.fetch_add(1, Ordering::Relaxed));
        Ok(Engines {
            database: self.cluster.database(&name).map_err(|error| anyhow!(error))?,
            valkey: Valkey::start(&name).map_err(|error| anyhow!(error))?,
            cluster: Arc::clone(&self.cluster),
            name,
            slowest_ms: Arc::clone(&self.slowest_ms),
        })
    }

    /// The longest that nodes took to agree about something one of them was told.
    pub(crate) fn slowest(&self) -> Duration {
        Duration::from_millis(self.slowest_ms.load(Ordering::Relaxed))
    }

    /// Starts a balancer before these gateways. Its seed is a count: one play alone meets the nodes as it did before.
    pub(crate) fn balance(&self, nodes: &[Serving]) -> Result<Serving> {
        let seed = self.made.fetch_add(1, Ordering::Relaxed);
        let mut command = Command::new(&self.balancer);
        Serving::start(command.arg(seed.to_string()).args(nodes.iter().map(Serving::url)))
    }
}

impl Engines {
    /// The nodes took so long to agree.
    pub(crate) fn agreed(&self, after: Duration) {
        let ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        self.slowest_ms.fetch_max(ms, Ordering::Relaxed);
    }

    /// Makes the folder of a node.
    pub(crate) fn prepare(&self, folder: &Path) -> Result<()> {
        // The chains of all gateways are keyed alike.
        let keys = folder.join("data/postgres/keys");
        fs::create_dir_all(&keys)?;
        Ok(fs::write(keys.join("chain.key"), SEAL_KEY)?)
    }

    /// A configuration, with all that makes its gateway one of several, which the others reach at this port.
    pub(crate) fn shared(&self, config: &Value, port: u16) -> Value {
        let mut config = config.clone();
        config["listen"] = json!(format!("127.0.0.1:{port}"));
        config["node_address"] = json!(format!("http://127.0.0.1:{port}"));
        config["store"] = json!(self.database);
        config["flow_store"] = json!(self.valkey.address());
        config["seal_key"] = json!(SEAL_KEY);
        // Agents use the name of the balancer.
        config["hosts"] = json!(["127.0.0.1"]);
        config
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        // Hundreds of databases are gigabytes; what cannot be removed now goes with the server.
        let _ = self.cluster.sql("postgres", &format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}
