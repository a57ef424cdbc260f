//! Several gateways as one: which of them runs the process of a server, and how the others reach it there.
//!
//! The map: `lease` says who runs what and by when a process must be gone, `proof` who may ask whom, `line` what is said
//! between two nodes, `reaching` the side that has callers, `carrying` the side that has the process.

mod carrying;
mod lease;
mod line;
mod proof;
mod reaching;

use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, Weak};

use http::Uri;
use portcullis_store::Store;
use tokio::task::JoinSet;

use crate::metrics::Leased;
use crate::seal::Seal;
use crate::settings::{NodeAddress, Settings};
use crate::upstream::lone_caller;
use crate::wire::Fault;
pub(crate) use carrying::Carried;
pub(crate) use lease::{Hold, LEASE, Taken};
pub(crate) use line::SUSPICION;
pub(crate) use proof::PROOF;
pub(crate) use reaching::{Unreached, Wanted};

/// What nodes speak once a connection is theirs.
pub(crate) const PROTOCOL: &str = "portcullis-relay";
/// The path below which servers are found that this node runs for others.
pub(crate) const PATH: &str = "/relay/";

/// This node among the others.
pub(crate) struct Nodes {
    store: Arc<dyn Store>,
    seal: Seal,
    /// Where the others reach us, as it is written in leases.
    address: String,
    /// Who we are, of all that ever ran here.
    node: String,
    /// How often we took a lease.
    taken: AtomicU64,
    held: Mutex<Vec<Weak<Hold>>>,
    /// Leases that are being given back.
    leaving: Mutex<JoinSet<()>>,
    seen: Mutex<proof::Seen>,
    metrics: Leased,
}

impl Nodes {
    /// This node, which listens here; `None` if it keeps to itself.
    pub(crate) fn join(
        settings: &mut Settings,
        listening: SocketAddr,
        metrics: Leased,
    ) -> Option<Arc<Nodes>> {
        let address = match settings.node.as_ref()? {
            NodeAddress::Listening => format!("http://{listening}"),
            NodeAddress::At(uri) => {
                // The others address us by the name we give them.
                settings.hosts.push(uri.authority()?.as_str().to_owned());
                origin(uri)?
            }
        };
        let nodes = Arc::new(Nodes {
            store: Arc::clone(&settings.store),
            seal: Seal::new(&settings.seal_key),
            address,
            node: format!("{:032x}", lone_caller()),
            taken: AtomicU64::default(),
            held: Mutex::default(),
            leaving: Mutex::default(),
            seen: Mutex::default(),
            metrics,
        });
        tokio::spawn(lease::renew(Arc::downgrade(&nodes)));
        Some(nodes)
    }

    /// Where the others reach us.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

/// An address without what follows the host.
fn origin(uri: &Uri) -> Option<String> {
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}

/// The status of what is said to a node that asks for a server another one runs.
const ELSEWHERE: u16 = 409;

/// Said to a node that asks for a server another one runs.
pub(crate) fn elsewhere() -> Fault {
    Fault::internal("Another node runs this server").with_status(ELSEWHERE)
}
