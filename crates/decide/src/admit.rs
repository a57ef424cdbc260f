//! May this message leave? What may is wrapped in a type that only this file makes.

/// Whether the gate exposes what a message is addressed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The server is known, and it exposes the tool, prompt or resource.
    Exposed,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing of that name is exposed; whether it exists is not said.
    Unknown,
}

/// Judges a message by what it is addressed to.
///
/// # Errors
/// The reason, if it may not leave.
pub fn admit<M>(message: M, standing: Standing) -> Result<Admitted<M>, Refusal> {
    match standing {
        Standing::Exposed => Ok(Admitted { message }),
        Standing::Unknown => Err(Refusal::Unknown),
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
    }
}
