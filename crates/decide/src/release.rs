//! May this message go back to the agent? What may is wrapped in a type that only this file makes.

/// A message that may go back. INVARIANT: only [`release`] makes one, so answering what was not judged does not compile.
#[derive(Clone, Debug)]
pub struct Released<M> {
    message: M,
}

/// Judges what came from a server; today everything may go back.
pub fn release<M>(message: M) -> Released<M> {
    Released { message }
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
