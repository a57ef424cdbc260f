//! Salts of bodies: known to nobody, so that none can be computed again once a body was redacted.

use std::sync::{Mutex, PoisonError};

use crate::StoreError;
use crate::frame::SALT;
use crate::keys::{self, Hash};

/// Bytes that one round of the hash yields.
const BLOCK: usize = 64;

/// Makes one salt after the other from a seed that is never stored.
pub(crate) struct Salts {
    seed: Hash,
    made: Mutex<Made>,
}

/// The last block of salts. INVARIANT: each is given out once, by the one who holds the lock.
struct Made {
    /// How many blocks there were.
    blocks: u64,
    block: [u8; BLOCK],
    /// Bytes of the block that were given out.
    used: usize,
}

impl Salts {
    pub(crate) fn new() -> Result<Salts, StoreError> {
        let made = Made { blocks: 0, block: [0; BLOCK], used: BLOCK };
        Ok(Salts { seed: keys::random()?, made: Mutex::new(made) })
    }

    pub(crate) fn next(&self) -> [u8; SALT] {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.used == BLOCK {
            let mut hasher = blake3::Hasher::new_keyed(&self.seed);
            hasher.update(&made.blocks.to_le_bytes()).finalize_xof().fill(&mut made.block);
            made.blocks += 1;
            made.used = 0;
        }
        let from = made.used;
        made.used += SALT;
        let mut salt = [0; SALT];
        salt.copy_from_slice(made.block.get(from..from + SALT).unwrap_or(&[0; SALT]));
        salt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_salt_is_given_out_twice() {
        let (salts, others) = (Salts::new().unwrap(), Salts::new().unwrap());
        let all: BTreeSet<_> = (0..1_000).flat_map(|_| [salts.next(), others.next()]).collect();
        assert_eq!(all.len(), 2_000);
        assert!(!all.contains(&[0; SALT]));
    }
}
