//! What one call and its result leave in a flow: made where they were seen, taken in wherever the flow is known.

use super::departure::{Departure, Said};
use super::memory::Memory;
use super::packing::{Packed, packed, packed_struct, unpacked};
use super::print;
use super::span::{MOST_SPANS, Passage, WordSet, keyed_word};
use super::split::Covered;
use super::state::{Flow, Sent};
use super::walk::Step;
use crate::prelude::*;
use alloc::borrow::Cow;

/// Another version is not read: whoever meets one knows that it does not know the flow.
const VERSION: u8 = 1;

/// What one call and its result leave in a flow.
#[derive(Clone, Debug)]
pub struct Footprint<'a> {
    /// What the call left, with the hashes of its server and tool; `None` if it sent nothing.
    pub(crate) left: Option<(Cow<'a, Departure>, u64, u64)>,
    /// Ids that the result of a sending call gave out.
    pub(crate) receipts: Vec<u32>,
    /// The server that asked for input.
    pub(crate) asking: Option<u64>,
    pub(crate) memory: Memory,
}

impl Footprint<'_> {
    /// A result by itself: of a call that failed, and so sent nothing.
    pub fn of_result(memory: Memory) -> Footprint<'static> {
        Footprint { left: None, receipts: Vec::new(), asking: None, memory }
    }

    /// Leaves out what no flow takes in: words said twice, and more passages than a flow keeps.
    pub fn shrink(&mut self) {
        let Memory { known, participants, domains, vouched, named, secrets, spans, is_whole, .. } =
            &mut self.memory;
        for words in [known, participants, domains, vouched, named, &mut self.receipts] {
            let mut seen = WordSet::default();
            words.retain(|word| !seen.has(*word) && seen.insert(*word));
        }
        secrets.sort_unstable();
        secrets.dedup();
        let beyond = spans.len().saturating_sub(MOST_SPANS);
        spans.drain(..beyond);
        *is_whole &= beyond == 0;
    }

    /// As bytes for other nodes; they hold keyed hashes, never the data.
    pub fn to_bytes(&self) -> Vec<u8> {
        packed(VERSION, |out| {
            self.left.is_some().pack(out);
            if let Some((departure, server, tool)) = &self.left {
                departure.pack(out);
                (*server, *tool).pack(out);
            }
            self.receipts.pack(out);
            self.asking.pack(out);
            self.memory.pack(out);
        })
    }

    /// What another node made; `None` if it is of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<Footprint<'static>> {
        unpacked(VERSION, bytes, |from| {
            let left = Option::<(Departure, u64, u64)>::unpack(from)?;
            let left = left.map(|(departure, server, tool)| (Cow::Owned(departure), server, tool));
            let (receipts, asking, memory) = <(Vec<u32>, Option<u64>, Memory)>::unpack(from)?;
            Some(Footprint { left, receipts, asking, memory })
        })
    }
}

/// Ids that a result gives out: deleting them wipes the trace of the call.
pub(crate) fn receipts(words: &[Step], key: u64) -> Vec<u32> {
    let mut receipts = Vec::new();
    print::ids(words, false, |id| receipts.push(keyed_word(id, key)));
    receipts
}

impl Flow {
    /// Takes in what a call and its result left.
    pub fn take(&mut self, footprint: Footprint<'_>) {
        if let Some((departure, server, tool)) = &footprint.left {
            self.note_departure(departure, *server, *tool);
        }
        for receipt in footprint.receipts {
            self.receipts.insert(receipt);
        }
        if let Some(server) = footprint.asking {
            self.note_asking(server);
        }
        self.remember(footprint.memory);
    }
}

packed_struct!(Departure { said, sent, destinations, covered, is_staged, is_unexplained });
packed_struct!(Said { marks, words, domains });
packed_struct!(Sent { at_ms, bytes, has_sensitive });
packed_struct!(Covered { secret, letters });
packed_struct!(Passage { kind, deletes, dictates, words });
packed_struct!(Memory {
    origin,
    marks,
    known,
    participants,
    spans,
    secrets,
    parts,
    domains,
    vouched,
    named,
    is_read,
    is_whole,
});
