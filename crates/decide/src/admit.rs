//! May this message leave? What may is wrapped in a type that only this file makes.

use crate::approval::Hold;
use crate::policy::{Act, Verdict};

/// Whether the gate exposes what a message is addressed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The server is known, and it exposes the tool, prompt or resource.
    Exposed,
    /// Known, and held.
    Held(Hold),
    /// Nothing of that name is exposed.
    Unknown,
}

/// A message that may leave for its server. INVARIANT: only [`admit`] makes one, so forwarding what was not judged
/// does not compile.
#[derive(Clone, Debug)]
pub struct Admitted<M> {
    message: M,
}

/// Why a message may not leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing of that name is exposed.
    Unknown,
    /// What it is addressed to is held until a human decides.
    Quarantined(Hold),
    /// The policy wants a human to decide first.
    Held,
    /// The policy denies it.
    Denied,
}

/// Judges a message by what it is addressed to.
///
/// # Errors
/// The reason, if it may not leave.
pub fn admit<M>(message: M, standing: Standing) -> Result<Admitted<M>, Refusal> {
    match standing {
        Standing::Exposed => Ok(Admitted { message }),
        Standing::Held(hold) => Err(Refusal::Quarantined(hold)),
        Standing::Unknown => Err(Refusal::Unknown),
    }
}

/// Judges a call by what it is addressed to and by the verdict on it; `is_approved` says that a human allowed exactly
/// this call.
///
/// # Errors
/// The reason, if it may not leave. A denial stands whatever a human said about the call.
pub fn admit_call<M>(
    message: M,
    standing: Standing,
    verdict: &Verdict,
    is_approved: bool,
) -> Result<Admitted<M>, Refusal> {
    let admitted = admit(message, standing)?;
    match verdict.act {
        Act::Deny => Err(Refusal::Denied),
        Act::Approve if !is_approved => Err(Refusal::Held),
        Act::Log | Act::Warn | Act::Redact | Act::Approve => Ok(admitted),
    }
}

impl<M> Admitted<M> {
    /// What may leave.
    pub fn message(&self) -> &M {
        &self.message
    }

    /// What may leave, to be sent now.
    pub fn into_message(self) -> M {
        self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_exposed_is_admitted() {
        assert_eq!(admit(7, Standing::Exposed).map(Admitted::into_message), Ok(7));
        assert_eq!(admit(7, Standing::Unknown).map(Admitted::into_message), Err(Refusal::Unknown));
        let held = admit(7, Standing::Held(Hold::RugPull)).map(Admitted::into_message);
        assert_eq!(held, Err(Refusal::Quarantined(Hold::RugPull)));
    }

    #[test]
    fn a_verdict_holds_or_denies_and_a_human_may_let_held_calls_go() {
        let check = |act: Act, is_approved: bool, expected: Result<i32, Refusal>| {
            let verdict = Verdict { act, risk: 0, is_flagged: false, rules: alloc::vec::Vec::new() };
            let admitted = admit_call(7, Standing::Exposed, &verdict, is_approved);
            assert_eq!(admitted.map(Admitted::into_message), expected, "{act:?} {is_approved}");
        };
        for act in [Act::Log, Act::Warn, Act::Redact] {
            check(act, false, Ok(7));
        }
        check(Act::Approve, false, Err(Refusal::Held));
        check(Act::Approve, true, Ok(7));
        check(Act::Deny, true, Err(Refusal::Denied));
    }
}
