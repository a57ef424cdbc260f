//! What only one of several gateways may do at a time, such as running a server's process.

use crate::StoreError;
use crate::keys::{ChainKey, Hash};

/// Who may do something now. Its row is sealed: who can write the database but has no key cannot send gateways to an
/// address of their choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What is leased.
    pub name: String,
    /// Who has it: a name nobody else uses, and nobody uses twice.
    pub holder: String,
    /// Where others reach the holder.
    pub address: String,
}

impl Lease {
    pub(crate) fn seal(&self, key: &ChainKey) -> Hash {
        let Lease { name, holder, address } = self;
        key.seal_row(&[b"lease", name.as_bytes(), holder.as_bytes(), address.as_bytes()])
    }

    /// The lease, if its seal fits.
    pub(crate) fn sealed(self, key: &ChainKey, seal: &[u8]) -> Result<Lease, StoreError> {
        if self.seal(key) == seal {
            return Ok(self);
        }
        Err(StoreError::Forged { what: format!("the lease of {}", self.name) })
    }
}
