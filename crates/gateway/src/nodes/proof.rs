//! Who may ask a node to pass on messages: who has the key that all nodes share, now, for this node and once.

use std::collections::{HashSet, VecDeque};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use data_encoding::BASE64URL_NOPAD;
use http::HeaderName;
use portcullis_detect::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

use super::Nodes;
use crate::quarantine::now_ms;
use crate::seal::Purpose;
use crate::upstream::lone_caller;

/// Where both sides show it.
pub(crate) const PROOF: HeaderName = HeaderName::from_static("portcullis-proof");

/// How far the clocks of two nodes may be apart, and how long a proof may be on its way.
const APART_MS: u64 = 60_000;
/// Proofs that are remembered; only who has the key can make us remember one.
const MOST: usize = 4096;
/// A proof of a clock that is ahead is good for longer than one of ours.
const KEPT: Duration = Duration::from_millis(2 * APART_MS + 1_000);

/// What a node asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Asked {
    #[serde(rename = "s")]
    pub(crate) server: String,
    /// How the asking node would start it.
    #[serde(rename = "l")]
    pub(crate) launch: String,
    #[serde(rename = "t")]
    at_ms: u64,
    /// What the answer proves to have read, and what makes it one of its kind.
    #[serde(rename = "r")]
    random: u128,
}

/// Proofs that were shown, oldest first.
#[derive(Default)]
pub(super) struct Seen {
    known: HashSet<u128>,
    order: VecDeque<(Instant, u128)>,
}

impl Seen {
    /// Whether this one is shown for the first time. When there is no room to remember it, it is not taken.
    fn is_new(&mut self, random: u128) -> bool {
        while let Some((at, oldest)) = self.order.front()
            && at.elapsed() > KEPT
        {
            self.known.remove(oldest);
            self.order.pop_front();
        }
        let is_new = self.order.len() < MOST && self.known.insert(random);
        if is_new {
            self.order.push_back((Instant::now(), random));
        }
        is_new
    }
}

impl Nodes {
    /// What is asked for, and its proof for the node at this address.
    pub(super) fn prove(&self, server: &str, launch: Fingerprint, to: &str) -> Option<(Asked, String)> {
        let (server, launch) = (server.to_owned(), launch.to_string());
        let asked = Asked { server, launch, at_ms: now_ms(), random: lone_caller() };
        let plain = serde_json::to_vec(&asked).ok()?;
        let sealed = self.seal.seal_bytes(Purpose::Relay, to.as_bytes(), &plain)?;
        Some((asked, BASE64URL_NOPAD.encode(&sealed)))
    }

    /// What a node asks us for, if it proves to be one.
    pub(crate) fn asked(&self, proof: &str) -> Option<Asked> {
        let sealed = BASE64URL_NOPAD.decode(proof.as_bytes()).ok()?;
        let plain = self.seal.open_bytes(Purpose::Relay, self.address.as_bytes(), &sealed)?;
        let asked: Asked = serde_json::from_slice(&plain).ok()?;
        let is_now = asked.at_ms.abs_diff(now_ms()) <= APART_MS;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (is_now && seen.is_new(asked.random)).then_some(asked)
    }

    /// Shows the node that asked that we are one too.
    pub(crate) fn answer(&self, asked: &Asked) -> Option<String> {
        let sealed = self.seal.seal_bytes(Purpose::Relayed, &asked.random.to_be_bytes(), &[])?;
        Some(BASE64URL_NOPAD.encode(&sealed))
    }

    /// Whether who answers is a node.
    pub(super) fn is_answered(&self, asked: &Asked, proof: &str) -> bool {
        let sealed = BASE64URL_NOPAD.decode(proof.as_bytes()).unwrap_or_default();
        self.seal.open_bytes(Purpose::Relayed, &asked.random.to_be_bytes(), &sealed).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_taken_once_and_only_as_many_as_can_be_remembered() {
        let mut seen = Seen::default();
        for number in 0..MOST as u128 {
            assert!(seen.is_new(number) && !seen.is_new(number));
        }
        assert!(!seen.is_new(MOST as u128));
        // What has run out makes room, and need not be remembered.
        let Some(earlier) = Instant::now().checked_sub(KEPT + Duration::from_secs(1)) else { return };
        seen.order[0].0 = earlier;
        assert!(seen.is_new(MOST as u128) && !seen.is_new(MOST as u128) && !seen.is_new(1));
    }
}
