//! What a flow knows already: words, addresses and domains that were named, secrets, servers that asked for something.

use super::marks::OriginId;
use super::memory::Memory;
use super::print;
use super::secret;
use super::span::keyed_word;
use super::state::{Flow, Origin, Privacy};
use super::walk::Step;

/// Addresses whose source is told apart, and servers that asked.
const MOST_VOUCHED: usize = 8192;
const MOST_ASKING: usize = 64;
/// In place of a server: more than one.
const SEVERAL: u64 = 0;

impl Flow {
    /// Secrets have an origin of their own, so that what carries one is told from what carries its neighbours.
    pub(super) fn remember_secrets(&mut self, memory: &Memory) {
        if memory.secrets.is_empty() {
            return;
        }
        self.has_secrets = true;
        let from = OriginId(u16::try_from(self.origins.len()).unwrap_or(u16::MAX));
        self.origins.push(Origin { is_secret: true, ..memory.origin });
        for secret in &memory.secrets {
            self.marks.insert(*secret, from, |_| true);
        }
    }

    /// What anybody can write vouches for nothing.
    pub(super) fn vouch(&mut self, memory: &Memory) {
        if memory.origin.privacy == Privacy::Public {
            return;
        }
        for domain in &memory.domains {
            self.domains.insert(*domain);
        }
        for value in &memory.vouched {
            let is_full = self.vouched.len() >= MOST_VOUCHED;
            match self.vouched.get_mut(value) {
                Some(server) if *server != memory.origin.server => *server = SEVERAL,
                None if !is_full => drop(self.vouched.insert(*value, memory.origin.server)),
                _ => {}
            }
        }
    }

    /// Whether a result of another server shows the value, and not in an order.
    pub(crate) fn is_vouched_apart(&self, hash: u64, server: u64) -> bool {
        self.vouched.get(&keyed_word(hash, self.key)).is_some_and(|from| *from != server)
    }

    /// Whether any result shows the value outside of an order.
    pub(crate) fn is_vouched(&self, hash: u64) -> bool {
        self.vouched.contains_key(&keyed_word(hash, self.key))
    }

    /// Whether a result or the agent itself named an address of this domain before.
    pub(crate) fn is_known_domain(&self, domain: u64) -> bool {
        self.domains.has(keyed_word(domain, self.key))
    }

    /// Whether a result or the agent itself used this word before.
    pub(crate) fn was_used(&self, hash: u64) -> bool {
        let word = keyed_word(hash, self.key);
        self.known.has(word) || self.said.has(word)
    }

    /// Notes that a server asked for input.
    pub(crate) fn note_asking(&mut self, server: u64) {
        if self.asking.len() < MOST_ASKING && !self.asking.contains(&server) {
            self.asking.push(server);
        }
    }

    /// Whether the server asked for input before.
    pub(crate) fn asked(&self, server: u64) -> bool {
        self.asking.contains(&server)
    }

    /// Whether any result spoke of a tool or parameter.
    pub(crate) fn names_anything(&self) -> bool {
        !self.named.is_empty()
    }

    /// Whether an earlier result of the server spoke of a tool or parameter of this name.
    pub(crate) fn is_named(&self, server: u64, words: &[Step]) -> bool {
        let name = words.iter().fold(server, |hash, step| print::join(hash, step.hash));
        !words.is_empty() && self.named.has(keyed_word(name, self.key))
    }

    /// Whether a result showed a secret.
    pub(crate) fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    /// The origin of a secret that the text holds.
    pub(crate) fn secret_in(&self, text: &str, steps: &[Step]) -> Option<&Origin> {
        if !self.has_secrets {
            return None;
        }
        let mut found = None;
        secret::candidates(text, steps, |hash| {
            let origin = self.origin_of(hash).filter(|origin| origin.is_secret);
            found = found.or(origin);
        });
        found
    }

    /// Notes that data of another server was put where this one keeps its own, or went where nobody named.
    pub(crate) fn note_staged(&mut self, server: u64) {
        if self.staged.len() < MOST_ASKING && !self.staged.contains(&server) {
            self.staged.push(server);
        }
    }

    /// Whether data of another server was put with this one.
    pub(crate) fn is_staged(&self, server: u64) -> bool {
        self.staged.contains(&server)
    }

    /// Notes that something went where nothing explains it.
    pub(crate) fn note_unexplained(&mut self) {
        self.sent_unexplained = true;
    }

    /// Whether anything went where nothing explains it.
    pub(crate) fn sent_unexplained(&self) -> bool {
        self.sent_unexplained
    }

    pub(crate) fn is_known_word(&self, hash: u64) -> bool {
        self.known.has(keyed_word(hash, self.key))
    }

    /// Whether an address took part in a conversation that was read, or was written to before.
    pub(crate) fn is_familiar(&self, address: u64) -> bool {
        let word = keyed_word(address, self.key);
        self.participants.has(word) || self.destinations.has(word)
    }
}
