//! Other nodes: what they saw, decided and left behind is heard of, looked for and taken over.

use std::sync::Arc;
use std::time::Duration;

use portcullis_store::Status;
use tracing::{error, info, warn};

use crate::alerts::{Raised, What};
use crate::gate::{ABANDONED, Gate};
use crate::judge::sharing::Sharing;
use crate::judge::{kept, passage};
use crate::quarantine::now_ms;

/// The pause before the store is asked again that could not answer.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

impl Gate {
    /// Keeps up with what other nodes see and decide, until the gateway ends.
    pub(crate) fn keep_up(self: &Arc<Self>) {
        self.share_flows();
        let (quarantine, switch) = (Arc::downgrade(&self.quarantine), Arc::downgrade(&self.judge.switch));
        let (holding, store) = (Arc::downgrade(&self.judge.holding), Arc::downgrade(&self.settings.store));
        // A thread of its own: a runtime that ends would wait for one it lent. It ends soon after the gateway has.
        std::thread::spawn(move || {
            while let (Some(quarantine), Some(switch)) = (quarantine.upgrade(), switch.upgrade()) {
                let (Some(holding), Some(store)) = (holding.upgrade(), store.upgrade()) else { return };
                let known = quarantine.keep_up().and_then(|()| switch.keep_up());
                if let Err(why) = known.and_then(|()| kept::keep_up(&*store, &holding)) {
                    warn!(%why, "what other nodes decided is not known");
                    std::thread::sleep(BETWEEN_LOOKS);
                }
            }
        });
    }

    fn share_flows(self: &Arc<Self>) {
        let Some(sharing) = &self.judge.sharing else { return };
        let gate = Arc::downgrade(self);
        let told = move |is_there| gate.upgrade().iter().for_each(|gate| gate.tell_flow_store(is_there));
        tokio::spawn(Arc::clone(sharing.store()).stay_connected(told));
        tokio::spawn(Sharing::look_after(Arc::downgrade(sharing)));
        tokio::spawn(Gate::hear_endings(Arc::downgrade(self)));
    }

    /// Says that flows can be shared, or no longer.
    fn tell_flow_store(&self, is_there: bool) {
        self.metrics.flow_store(is_there);
        let place = self.settings.flow_store.as_ref().map(|store| store.place()).unwrap_or_default();
        if is_there {
            return info!(%place, "flows are shared with other gateways");
        }
        error!(%place, "flows cannot be shared: calls that do more than read are asked about, or refused, until they can");
        let why = vec![format!("{place} does not answer")];
        self.alerts.raise(&Raised { why, ..Raised::about(What::FlowsAway, "", "") });
    }

    /// Records the end of calls that waited in a gateway that died, and takes over what other nodes learnt.
    pub(crate) fn look_after_others(&self) {
        if self.judge.sharing.is_some()
            && let Err(why) = self.judge.baselines.keep_up().and_then(|()| self.forget_endings())
        {
            warn!(%why, "what other nodes learnt is not known");
        }
        match kept::abandoned(&*self.settings.store, now_ms()) {
            Ok(abandoned) => abandoned.iter().for_each(|held| {
                passage::record(self, held, ABANDONED, Status::Refused);
            }),
            Err(why) => warn!(%why, "calls that waited in a gateway that ended cannot be looked for"),
        }
    }
}
