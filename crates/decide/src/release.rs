//! May this message go back to the agent? What may is wrapped in a type that only this file makes.

use crate::policy::{ResultAct, ResultVerdict};

/// A message that may go back. INVARIANT: only [`release`] makes one, so answering what was not judged does not compile.
#[derive(Clone, Debug)]
pub struct Released<M> {
    message: M,
}

/// Judges what came from a server; today everything may go back.
pub fn release<M>(message: M) -> Released<M> {
    Released { message }
}

/// A result that is kept back. Something else may go back in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld<M>(M);

impl<M> Withheld<M> {
    /// What does not go back.
    pub fn message(&self) -> &M {
        &self.0
    }

    /// What goes back instead.
    pub fn replaced(self, by: impl FnOnce(M) -> M) -> Released<M> {
        release(by(self.0))
    }
}

/// Judges a result, or a question of a server, by the verdict on it; stripping and marking are done before, by whoever holds the text.
///
/// # Errors
/// It is held.
pub fn release_result<M>(message: M, verdict: &ResultVerdict) -> Result<Released<M>, Withheld<M>> {
    match verdict.act {
        ResultAct::Pass | ResultAct::Mark | ResultAct::Strip => Ok(release(message)),
        ResultAct::Hold => Err(Withheld(message)),
    }
}

impl<M> Released<M> {
    /// What may go back.
    pub fn message(&self) -> &M {
        &self.message
    }

    /// What may go back, to be sent now.
    pub fn into_message(self) -> M {
        self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_does_not_go_back() {
        for act in ResultAct::ALL {
            let verdict = ResultVerdict { act, risk: 0, is_flagged: false, rules: alloc::vec::Vec::new() };
            assert_eq!(release_result(7, &verdict).is_ok(), act < ResultAct::Hold, "{act:?}");
        }
    }
}
