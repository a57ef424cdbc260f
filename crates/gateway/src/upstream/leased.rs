//! A server whose process one node runs for all: whoever has the lease starts it, everybody else speaks to it there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tracing::{info, warn};

use super::child::{Asker, Child, Running, Start, Starts, Unbegun, not_running};
use crate::nodes::{self, LEASE, Nodes, Taken, Unreached, Wanted};
use crate::wire::Fault;

/// The pause before the lease is asked for again.
const BETWEEN: Duration = Duration::from_millis(250);
/// How much longer than a lease lasts a node that is not reached is tried: if it is dead, its lease is over by then.
const BEYOND_LEASE: Duration = Duration::from_secs(2);

impl Child {
    /// Begins the conversation here if the lease is ours, and at the node that has it if not.
    pub(super) async fn begin_among(
        &self,
        nodes: &Arc<Nodes>,
        starts: &mut Starts,
        asker: Asker,
    ) -> Result<Running, Unbegun> {
        let (ends, began) = (self.ends.subscribe(), Instant::now());
        loop {
            let taken = nodes.take(&self.name).await.map_err(Unbegun::Elsewhere)?;
            if ends.has_changed().unwrap_or(true) {
                return Err(Unbegun::Here(not_running()));
            }
            let reached = match taken {
                Taken::Ours(hold) => return self.begin(starts, Some(hold)).await.map_err(Unbegun::Here),
                Taken::Theirs(_) if asker == Asker::Node => return Err(Unbegun::NotOurs(nodes::elsewhere())),
                // What ran here before is about to end, or ended without a word.
                Taken::Theirs(owner) if owner == nodes.address() => {
                    Err(Unreached::moving(&self.name, &owner))
                }
                Taken::Theirs(owner) => self.reach(nodes, &owner).await,
            };
            let (patience, fault) = match reached {
                Ok(running) => return Ok(running),
                Err(Unreached::Failed(fault)) => return Err(Unbegun::Elsewhere(fault)),
                Err(Unreached::Away(fault)) => (LEASE + BEYOND_LEASE, fault),
                Err(Unreached::Moving(fault)) => (self.timing.start, fault),
            };
            if began.elapsed() + BETWEEN > patience.min(self.timing.start) {
                warn!(server = self.name.as_str(), why = %fault.message, "the server is not reached");
                return Err(Unbegun::Elsewhere(fault));
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }

    /// Begins the conversation at the node that runs the process.
    async fn reach(&self, nodes: &Arc<Nodes>, owner: &str) -> Result<Running, Unreached> {
        let Start::Process(launch) = &self.start else {
            return Err(Unreached::Failed(Fault::internal("Only processes run on another node")));
        };
        let wanted = Wanted { server: &self.name, launch: launch.fingerprint(), owner };
        let reached = nodes.reach(&wanted, &self.news, self.limits, self.timing).await?;
        let (end, ending) = mpsc::channel(1);
        let (link, controls) = (Arc::clone(&reached.link), reached.controls.clone());
        let (opening, since) = (Arc::new(reached.opening.clone()), Instant::now());
        info!(server = self.name.as_str(), node = owner, "the server is reached through another node");
        self.supervise(reached.carry(ending, self.ends.subscribe()));
        Ok(Running { link, opening, since, _end: end, elsewhere: Some(controls) })
    }
}
