//! A baseline as plain numbers, for whoever keeps it; versions are the keeper's concern.

use super::{Baseline, Novelty, Seen, Sizes};
use crate::prelude::*;

/// One thing that was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenRecord {
    /// What kind of thing.
    pub novelty: Novelty,
    /// Its hash.
    pub hash: u64,
    /// When first.
    pub first_ms: u64,
    /// When last.
    pub last_ms: u64,
    /// In how many sessions.
    pub sessions: u32,
}

/// A baseline as plain numbers; things come in a fixed order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BaselineRecord {
    /// Clean sessions learnt from.
    pub sessions: u32,
    /// The first of them.
    pub first_ms: Option<u64>,
    /// The last of them.
    pub last_ms: u64,
    /// Whether the operator accepted the habits.
    pub is_ratified: bool,
    /// What was seen.
    pub seen: Vec<SeenRecord>,
    /// Sizes that went out, by tool.
    pub sizes: Vec<(u64, Sizes)>,
    /// How many things were forgotten.
    pub forgotten: u64,
}

impl Baseline {
    /// The baseline as plain numbers.
    pub fn to_record(&self) -> BaselineRecord {
        let seen = self.seen.iter().map(|((novelty, hash), seen)| SeenRecord {
            novelty: *novelty,
            hash: *hash,
            first_ms: seen.first_ms,
            last_ms: seen.last_ms,
            sessions: seen.sessions,
        });
        BaselineRecord {
            sessions: self.sessions,
            first_ms: self.first_ms,
            last_ms: self.last_ms,
            is_ratified: self.is_ratified,
            seen: seen.collect(),
            sizes: self.sizes.iter().map(|(tool, sizes)| (*tool, *sizes)).collect(),
            forgotten: self.forgotten,
        }
    }

    /// The baseline that a record was made of.
    pub fn from_record(record: &BaselineRecord) -> Baseline {
        let seen = record.seen.iter().map(|seen| {
            let SeenRecord { novelty, hash, first_ms, last_ms, sessions } = *seen;
            ((novelty, hash), Seen { first_ms, last_ms, sessions })
        });
        Baseline {
            sessions: record.sessions,
            first_ms: record.first_ms,
            last_ms: record.last_ms,
            is_ratified: record.is_ratified,
            seen: seen.collect(),
            sizes: record.sizes.iter().copied().collect(),
            forgotten: record.forgotten,
        }
    }
}
