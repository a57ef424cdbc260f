//! Salts of bodies: known to nobody, so that none can be computed again once a body was redacted.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::StoreError;
use crate::frame::SALT;
use crate::keys::{self, Hash};

/// Makes one salt after the other from a seed that is never stored.
pub(crate) struct Salts {
    seed: Hash,
    made: AtomicU64,
}

impl Salts {
    pub(crate) fn new() -> Result<Salts, StoreError> {
        Ok(Salts { seed: keys::random()?, made: AtomicU64::new(0) })
    }

    pub(crate) fn next(&self) -> [u8; SALT] {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let hash = blake3::keyed_hash(&self.seed, &number.to_le_bytes());
        let mut salt = [0; SALT];
        salt.copy_from_slice(hash.as_bytes().first_chunk::<SALT>().unwrap_or(&[0; SALT]));
        salt
    }
}
