//! What of a call the flow takes in once it has left.

use super::CallContext;
use crate::call::source;
use crate::flow::{Departure, Said, Sent, Trace};

/// Works it out from what the checks worked out already.
pub(crate) fn of(context: &CallContext<'_>) -> Departure {
    let server = crate::guard::server_hash(context.call.server);
    let acts = context.operation().acts();
    let outward = context.outward().filter(|_| acts);
    let is_unexplained = outward.is_some_and(|outward| {
        let carries = || outward.withheld(server).any(|carried| carried.hit.trace == Trace::Passage);
        outward.unexplained().next().is_some() && (carries() || source::gives_access(context.call))
    });
    let mut said = Said::default();
    for leaf in &context.arguments.leaves {
        said.add(leaf.text, &leaf.steps, context.flow.key());
    }
    Departure {
        said,
        sent: outward.map(|_| Sent {
            at_ms: context.call.at_ms,
            bytes: context.arguments.bytes,
            has_sensitive: context.sensitive_found().iter().any(|found| found.is_personal),
        }),
        destinations: outward.map(super::Outward::atoms).unwrap_or_default(),
        covered: outward.map(|_| context.secret_parts().to_vec()).unwrap_or_default(),
        is_staged: acts && context.is_given_others_data(),
        is_unexplained,
    }
}
