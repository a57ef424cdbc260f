//! The state of one flow: bounded, keyed, and grown only by what was remembered.

use super::gram;
use super::marks::{Marks, OriginId};
use super::memory::Memory;
use super::print::{self, Trace, keyed};
use super::reference::reference;
use super::span::{Spans, WordSet, keyed_word};
use super::split::Split;
use super::walk::Step;
use crate::prelude::*;
use alloc::collections::BTreeMap;

/// Where data came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The number of the call, from 0.
    pub(crate) call: u32,
    /// A hash of the server's name.
    pub(crate) server: u64,
    pub(crate) is_private: bool,
    pub(crate) is_untrusted: bool,
    pub(crate) privacy: Privacy,
    /// It says itself that it must not be passed on.
    pub(crate) is_marked: bool,
    /// Others write it: mail, chat, pages, comments.
    pub(crate) is_open: bool,
    /// The house wrote it for those who work in it: its orders are what the reader is there for.
    pub(crate) is_house_rule: bool,
    /// Stands for the secrets of a result alone.
    pub(crate) is_secret: bool,
}

impl Origin {
    /// Whether it stands for what the agent itself said.
    pub(crate) fn is_agents(&self) -> bool {
        self.call == u32::MAX
    }
}

/// Whose a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Anybody can read it: pages, news, search.
    Public,
    /// Nothing says whose it is.
    Unsaid,
    /// The user's or the firm's own.
    Private,
}

/// Something that went out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at_ms: u64,
    pub(crate) bytes: u64,
    pub(crate) has_sensitive: bool,
}

/// How much of a flow was forgotten to keep its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowBounds {
    /// Results whose traces had to go.
    pub origins_evicted: u32,
    /// Passages with orders that had to go.
    pub passages_evicted: u32,
    /// Results that were taken in only in part.
    pub results_cut: u32,
}

impl FlowBounds {
    /// Whether nothing was forgotten.
    pub fn is_whole(&self) -> bool {
        *self == FlowBounds::default()
    }
}

/// Results that a flow tells apart.
const MOST_ORIGINS: usize = 1024;
/// What went out is counted within a window; more than this is more than any limit.
const MOST_SENT: usize = 1024;
/// Traces given up at once when there is no room.
const ORIGINS_AT_ONCE: u16 = 8;
/// The origin of what the agent said before any result did: nobody else's data.
pub(super) const AGENT: OriginId = OriginId(0);
/// Letters and digits of a token that no two sources share by accident.
const LONG_CODE: usize = 10;

/// What a flow of calls has seen.
#[derive(Clone, Debug)]
pub struct Flow {
    pub(super) key: u64,
    pub(super) calls: u32,
    /// Origins by number; the first is the agent itself.
    pub(super) origins: Vec<Origin>,
    /// Origins before this number are forgotten.
    pub(super) oldest: OriginId,
    pub(super) marks: Marks,
    pub(super) known: WordSet,
    /// Words the agent itself used.
    pub(super) said: WordSet,
    /// Domains that any result or the agent itself named.
    pub(super) domains: WordSet,
    /// Addresses and numbers that stand outside of orders, with the server whose result shows them.
    pub(super) vouched: BTreeMap<u32, u64>,
    /// Names of tools and parameters that results spoke of, by server.
    pub(super) named: WordSet,
    /// Servers that asked for input.
    pub(super) asking: Vec<u64>,
    /// Servers that were given data of others.
    pub(super) staged: Vec<u64>,
    pub(super) sent_unexplained: bool,
    pub(super) participants: WordSet,
    pub(super) destinations: WordSet,
    pub(super) spans: Spans,
    /// Whether any result held a secret.
    pub(super) has_secrets: bool,
    /// Secrets, and what left of them in parts.
    pub(super) split: Split,
    pub(super) sent: Vec<Sent>,
    /// Tools that sent something, by keyed hash of server and what the call's result named.
    pub(super) receipts: WordSet,
    pub(super) bounds: FlowBounds,
    /// The tool called last.
    pub(super) last_tool: u64,
}

/// Data of an earlier result, found again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) origin: Origin,
    pub(crate) trace: Trace,
}

/// The traces of a text that a flow knows.
struct Found<'f> {
    flow: &'f Flow,
    hits: Vec<Hit>,
    /// Most of a copied text comes from one place; what was just noted need not be looked for among all.
    noted: Option<(OriginId, Trace)>,
}

impl Found<'_> {
    /// Looks up one trace. Nearly none is there, so this much stands where it is asked.
    #[inline]
    fn look(&mut self, hash: u64, trace: Trace) {
        let Some(id) = self.flow.marks.get(keyed(hash, self.flow.key)) else { return };
        if self.noted != Some((id, trace)) {
            self.note(id, trace);
        }
    }

    #[cold]
    fn note(&mut self, id: OriginId, trace: Trace) {
        let Some(origin) = self.flow.origin(id) else { return };
        match self.hits.iter_mut().find(|hit| hit.origin == *origin) {
            Some(hit) => hit.trace = hit.trace.max(trace),
            None => self.hits.push(Hit { origin: *origin, trace }),
        }
        self.noted = Some((id, trace));
    }
}

impl Flow {
    /// An empty flow. The key makes its hashes meaningless elsewhere; it should be random and kept secret.
    pub fn new(key: u64) -> Flow {
        let agent = Origin {
            call: u32::MAX,
            server: 0,
            is_private: false,
            is_untrusted: false,
            privacy: Privacy::Public,
            is_marked: false,
            is_open: false,
            is_house_rule: false,
            is_secret: false,
        };
        Flow {
            key,
            calls: 0,
            origins: vec![agent],
            oldest: AGENT,
            marks: Marks::default(),
            known: WordSet::default(),
            said: WordSet::default(),
            domains: WordSet::default(),
            vouched: BTreeMap::new(),
            named: WordSet::default(),
            asking: Vec::new(),
            staged: Vec::new(),
            sent_unexplained: false,
            participants: WordSet::default(),
            destinations: WordSet::default(),
            spans: Spans::default(),
            has_secrets: false,
            split: Split::default(),
            sent: Vec::new(),
            receipts: WordSet::default(),
            bounds: FlowBounds::default(),
            last_tool: 0,
        }
    }

    /// How many calls were remembered.
    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// What had to be forgotten.
    pub fn bounds(&self) -> FlowBounds {
        self.bounds
    }

    /// Bytes held, itself included, nearly.
    pub fn bytes(&self) -> usize {
        size_of::<Flow>()
            + self.marks.bytes()
            + [&self.known, &self.said, &self.domains, &self.named].map(WordSet::bytes).iter().sum::<usize>()
            + self.vouched.len() * 2 * size_of::<(u32, u64)>()
            + self.participants.bytes()
            + self.destinations.bytes()
            + self.receipts.bytes()
            + self.spans.bytes()
            + self.split.bytes()
            + self.origins.capacity() * size_of::<Origin>()
            + self.sent.capacity() * size_of::<Sent>()
    }

    /// Takes in what a result left behind. Its number is the one it has here: where it was read, others may have been
    /// read since.
    pub fn remember(&mut self, mut memory: Memory) {
        memory.origin.call = self.calls;
        self.calls += 1;
        self.bounds.results_cut += u32::from(!memory.is_whole);
        self.make_room(memory.marks.len());
        let from = OriginId(u16::try_from(self.origins.len()).unwrap_or(u16::MAX));
        self.origins.push(memory.origin);
        self.marks.reserve(memory.marks.len());
        let origins = &self.origins;
        let is_public =
            |known: OriginId| origins.get(usize::from(known.0)).is_some_and(|known| !known.is_private);
        for mark in &memory.marks {
            // What is public somewhere is nobody's secret; of two private sources the first stands.
            let keeps = |known: OriginId| is_public(known) || memory.origin.is_private;
            self.marks.insert(*mark, from, keeps);
        }
        self.remember_secrets(&memory);
        self.split.learn(&memory.parts, memory.origin);
        self.vouch(&memory);
        for word in &memory.known {
            self.known.insert(*word);
        }
        for name in &memory.named {
            self.named.insert(*name);
        }
        for participant in &memory.participants {
            self.participants.insert(*participant);
        }
        for passage in memory.spans {
            let had_to_go = self.spans.push(passage.from(from));
            self.bounds.passages_evicted += u32::from(had_to_go);
        }
    }

    /// Takes in that something went out, and where to.
    pub(crate) fn note_sent(&mut self, sent: Sent, destinations: &[u64]) {
        if self.sent.len() >= MOST_SENT {
            self.sent.remove(0);
        }
        self.sent.push(sent);
        for destination in destinations {
            self.destinations.insert(keyed_word(*destination, self.key));
        }
    }

    /// Whether the words hold an id that a sending call gave out.
    pub(crate) fn has_receipt(&self, words: &[Step]) -> bool {
        let mut is_found = false;
        print::ids(words, true, |id| is_found |= self.receipts.has(keyed_word(id, self.key)));
        is_found
    }

    pub(crate) fn note_tool(&mut self, tool: u64) {
        self.last_tool = tool;
    }

    /// The tool that was called before, 0 at the start.
    pub(crate) fn last_tool(&self) -> u64 {
        self.last_tool
    }

    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    pub(crate) fn spans(&self) -> &Spans {
        &self.spans
    }

    pub(crate) fn origin(&self, id: OriginId) -> Option<&Origin> {
        self.origins.get(usize::from(id.0))
    }

    /// What went out within the last `window_ms`.
    pub(crate) fn sent_since(&self, now_ms: u64, window_ms: u64) -> impl Iterator<Item = &Sent> {
        self.sent.iter().filter(move |sent| sent.at_ms + window_ms >= now_ms)
    }

    /// Where a text's data came from: every origin once, with the strongest kind of trace.
    pub(crate) fn hits(&self, text: &str, steps: &[Step]) -> Vec<Hit> {
        let mut found = Found { flow: self, hits: Vec::new(), noted: None };
        print::atoms(text, steps, |atom| {
            let is_code = !atom.is_address && atom.length >= LONG_CODE;
            found.look(atom.hash, if is_code { Trace::Code } else { Trace::Atom });
        });
        print::numbers(text, steps, |number, _| found.look(number, Trace::Code));
        print::runs(steps, |run, tells| {
            if tells {
                found.look(run, Trace::Passage);
            }
        });
        gram::grams(text, steps, |gram| found.look(gram, Trace::Passage));
        found.hits
    }

    /// The origin of what a whole value refers to, if a result gave the reference out.
    pub(crate) fn referred(&self, text: &str, steps: &[Step]) -> Option<Hit> {
        let origin = self.origin_of(reference(text, steps)?)?;
        Some(Hit { origin: *origin, trace: Trace::Reference })
    }

    /// The origin of one atom.
    pub(crate) fn origin_of(&self, atom: u64) -> Option<&Origin> {
        self.marks.get(keyed(atom, self.key)).and_then(|id| self.origin(id))
    }

    /// Whether the agent said this before any result did: then no result brought it.
    pub(crate) fn is_agents_own(&self, atom: u64) -> bool {
        self.marks.get(keyed(atom, self.key)) == Some(AGENT)
    }

    /// Gives up the oldest traces until `marks` more fit in.
    fn make_room(&mut self, marks: usize) {
        let last = u16::try_from(self.origins.len()).unwrap_or(u16::MAX);
        while self.marks.room() < marks && self.oldest.0 < last {
            self.oldest = OriginId(self.oldest.0 + ORIGINS_AT_ONCE.min(last - self.oldest.0));
            self.bounds.origins_evicted += u32::from(ORIGINS_AT_ONCE);
            self.marks.forget_before(self.oldest);
        }
        if self.origins.len() >= MOST_ORIGINS {
            // INVARIANT: numbers are never reused, so a flow this long starts over; what it forgets is counted.
            self.bounds.origins_evicted += u32::try_from(self.origins.len()).unwrap_or(u32::MAX);
            self.origins.truncate(1);
            self.oldest = AGENT;
            self.marks = Marks::default();
            self.spans = Spans::default();
        }
    }
}
