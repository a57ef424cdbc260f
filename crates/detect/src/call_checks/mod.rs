//! The checks on calls and results, one folder each. The list below is the running order.

pub mod address_disguised;
pub mod baseline_novelty;
pub mod canary_seen;
pub mod contradiction_intent;
pub(crate) mod departure;
mod destroys;
pub mod exfiltration_collector;
pub mod exfiltration_encoded_address;
pub mod exfiltration_private_data;
pub mod exfiltration_secret;
pub mod exfiltration_trace_removed;
pub mod exfiltration_window;
pub mod flow_instruction_to_action;
pub mod flow_internal_to_external;
pub mod flow_private_to_new_destination;
pub mod flow_solicited_data;
pub mod flow_untrusted_destination;
mod outward;
pub mod result_hidden;
pub mod result_image_exfiltration;
pub mod result_injection;
pub mod result_phishing;
pub mod sensitive_inbound;
pub mod sensitive_outward;

use crate::baseline::Baseline;
use crate::call::view::{Arguments, Leaf};
use crate::call::{Call, CallSignal, Operation, ToolProfile};
use crate::checks::Facts;
use crate::flow::{Covered, Directives, Flow, Trace};
use crate::guard::GuardSettings;
use crate::json::Json;
use crate::prelude::*;
use crate::sensitive::{Family, Hit, SensitiveData};
use core::cell::OnceCell;
pub(crate) use destroys::Destruction;
pub(crate) use outward::{Carried, Destination, Outward, SensitiveFound};

/// One check: observes a call before it leaves, or its result before it goes back. Pure and total.
pub trait CallCheck: Send + Sync {
    /// The check's facts.
    fn facts(&self) -> &'static Facts;

    /// The signals on a call.
    fn inspect_call(&self, _context: &CallContext<'_>) -> Vec<CallSignal> {
        Vec::new()
    }

    /// The signals on a result.
    fn inspect_result(&self, _context: &ResultContext<'_>) -> Vec<CallSignal> {
        Vec::new()
    }
}

/// What a check on a call may look at.
pub struct CallContext<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) profile: &'a ToolProfile,
    pub(crate) arguments: &'a Arguments<'a>,
    pub(crate) flow: &'a Flow,
    pub(crate) settings: &'a GuardSettings,
    pub(crate) sensitive: &'a SensitiveData,
    /// The agent's habits, if they are kept.
    pub(crate) baseline: Option<&'a Baseline>,
    outward: OnceCell<Option<Outward>>,
    found: OnceCell<Vec<SensitiveFound>>,
    destruction: OnceCell<Option<Destruction>>,
    covered: OnceCell<Vec<Covered>>,
}

impl<'a> CallContext<'a> {
    pub(crate) fn new(
        call: &'a Call<'a>,
        profile: &'a ToolProfile,
        arguments: &'a Arguments<'a>,
        flow: &'a Flow,
        settings: &'a GuardSettings,
        sensitive: &'a SensitiveData,
    ) -> Self {
        CallContext {
            call,
            profile,
            arguments,
            flow,
            settings,
            sensitive,
            baseline: None,
            outward: OnceCell::new(),
            found: OnceCell::new(),
            destruction: OnceCell::new(),
            covered: OnceCell::new(),
        }
    }

    pub(crate) fn with_baseline(mut self, baseline: Option<&'a Baseline>) -> Self {
        self.baseline = baseline;
        self
    }

    /// What the call takes outside, if it takes anything there; worked out once.
    pub(crate) fn outward(&self) -> Option<&Outward> {
        self.outward.get_or_init(|| outward::of(self)).as_ref()
    }

    /// Whether a passage of another server's result that must not be passed on is among the arguments.
    pub(crate) fn is_given_others_data(&self) -> bool {
        let server = crate::guard::server_hash(self.call.server);
        self.arguments.leaves.iter().filter(|leaf| leaf.steps.len() >= 5).any(|leaf| {
            leaf.hits(self.flow)
                .iter()
                .any(|hit| hit.trace == Trace::Passage && hit.origin.server != server && hit.origin.is_marked)
        })
    }

    /// The parts of secrets of earlier results that stand in the arguments.
    pub(crate) fn secret_parts(&self) -> &[Covered] {
        self.covered.get_or_init(|| {
            let texts = self.arguments.leaves.iter().flat_map(Leaf::texts);
            self.flow.secret_parts(texts)
        })
    }

    /// Sensitive data in what is taken outside, documented examples left out.
    pub(crate) fn sensitive_found(&self) -> &[SensitiveFound] {
        self.found.get_or_init(|| outward::sensitive(self))
    }

    /// What in the arguments takes something away.
    pub(crate) fn destruction(&self) -> Option<&Destruction> {
        self.destruction.get_or_init(|| destroys::find(self.arguments)).as_ref()
    }

    /// What the call does, by its tool and by its arguments.
    pub(crate) fn operation(&self) -> Operation {
        let by_arguments = self.destruction().is_some_and(|found| found.is_certain);
        if by_arguments { Operation::Destructive } else { self.profile.operation }
    }
}

/// What a check on a result may look at.
pub struct ResultContext<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) result: &'a Json,
    /// The result as one text.
    pub(crate) text: &'a str,
    pub(crate) directives: &'a Directives,
    pub(crate) flow: &'a Flow,
    pub(crate) settings: &'a GuardSettings,
    pub(crate) sensitive: &'a SensitiveData,
}

/// Below this a hit is a documented example or a guess.
const LEAST_CONFIDENCE: u16 = 500;

/// Whether a hit is worth a word: no example, and nothing that stands in every letter.
pub(crate) fn is_telling(data: &SensitiveData, hit: &Hit) -> bool {
    let facts = data.facts(hit.row);
    hit.doubt.is_none()
        && hit.confidence.thousandths() >= LEAST_CONFIDENCE
        && (facts.family == Family::Secret || !is_everyday(facts.kind))
}

/// Addresses of mail and machines stand in every letter; alone they are no leak.
pub(crate) fn is_everyday(kind: &str) -> bool {
    matches!(kind, "email" | "ip" | "phone" | "date_of_birth")
}

/// All checks, in running order.
pub(crate) fn all() -> Vec<Box<dyn CallCheck>> {
    vec![
        Box::new(flow_instruction_to_action::FlowInstructionToAction),
        Box::new(flow_private_to_new_destination::FlowPrivateToNewDestination),
        Box::new(flow_untrusted_destination::FlowUntrustedDestination),
        Box::new(flow_internal_to_external::FlowInternalToExternal),
        Box::new(flow_solicited_data::FlowSolicitedData),
        Box::new(contradiction_intent::ContradictionIntent),
        Box::new(canary_seen::CanarySeen),
        Box::new(exfiltration_collector::ExfiltrationCollector),
        Box::new(exfiltration_private_data::ExfiltrationPrivateData),
        Box::new(exfiltration_secret::ExfiltrationSecret),
        Box::new(exfiltration_window::ExfiltrationWindow),
        Box::new(exfiltration_trace_removed::ExfiltrationTraceRemoved),
        Box::new(exfiltration_encoded_address::ExfiltrationEncodedAddress),
        Box::new(sensitive_outward::SensitiveOutward),
        Box::new(address_disguised::AddressDisguised),
        Box::new(baseline_novelty::BaselineNovelty),
        Box::new(result_injection::ResultInjection),
        Box::new(result_hidden::ResultHidden),
        Box::new(result_image_exfiltration::ResultImageExfiltration),
        Box::new(result_phishing::ResultPhishing),
        Box::new(sensitive_inbound::SensitiveInbound),
    ]
}
