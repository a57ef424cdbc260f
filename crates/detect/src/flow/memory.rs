//! What one result leaves in a flow, worked out without touching the flow.

use super::directive::{Directives, directives};
use super::gram;
use super::order::{Order, Orders, orders};
use super::part::Part;
use super::print::{self, Atom, Kept, keyed};
use super::reference;
use super::secret::Naming;
use super::span::{MOST_WORDS, Passage, SpanKind, keyed_word, keyed_words};
use super::split::{self, Stretches};
use super::spoken::SPOKEN;
use super::state::Origin;
use super::unhide::unhide;
use super::walk::{Gap, Step, hash_word, walk};
use crate::prelude::*;
use crate::text::decode;
use core::ops::Range;

/// Words read of one text; a result beyond that is remembered in part, and says so.
const MOST_STEPS: usize = 400_000;
/// Marks kept of one result; more are thinned out evenly.
const MOST_MARKS: usize = 24_000;
/// A result longer than this is not looked through for encoded parts.
const MOST_ENCODED: usize = 64 << 10;

/// What a result leaves behind, ready to be remembered.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) origin: Origin,
    pub(crate) marks: Vec<u64>,
    pub(crate) known: Vec<u32>,
    pub(crate) participants: Vec<u32>,
    pub(crate) spans: Vec<Passage>,
    /// Values that stand under the name of a secret.
    pub(crate) secrets: Vec<u64>,
    /// The same, so that their parts are known again.
    pub(crate) parts: Vec<Stretches>,
    /// Domains of all addresses.
    pub(crate) domains: Vec<u32>,
    /// Addresses and numbers that stand outside of orders.
    pub(crate) vouched: Vec<u32>,
    /// Names of tools and parameters that the text speaks of.
    pub(crate) named: Vec<u32>,
    /// Whether all of the result was looked at.
    pub(crate) is_read: bool,
    /// Whether all of the result was taken in.
    pub(crate) is_whole: bool,
}

/// Reads the texts of one result.
pub(crate) struct Reader {
    key: u64,
    finds_phrases: bool,
    /// The source holds secrets only.
    is_vault: bool,
    /// Something in the text read last could be encoded.
    may_be_encoded: bool,
    memory: Memory,
}

impl Reader {
    pub(crate) fn new(key: u64, origin: Origin, finds_phrases: bool, is_vault: bool) -> Reader {
        let memory = Memory {
            origin,
            marks: Vec::new(),
            known: Vec::new(),
            participants: Vec::new(),
            spans: Vec::new(),
            secrets: Vec::new(),
            parts: Vec::new(),
            domains: Vec::new(),
            vouched: Vec::new(),
            named: Vec::new(),
            is_read: true,
            is_whole: true,
        };
        Reader { key, finds_phrases, is_vault, may_be_encoded: false, memory }
    }

    /// Takes in one text, what it hides and what it encodes, and says what in it speaks to the model.
    pub(crate) fn read(&mut self, text: &str) -> Directives {
        let mut found = match unhide(text) {
            None => self.read_seen(text, false),
            Some(apart) => {
                let mut found = self.read_seen(&apart.plain, apart.breaks_words);
                self.keep_hidden(&apart.hidden, &mut found);
                found
            }
        };
        if text.len() <= MOST_ENCODED && self.may_be_encoded {
            for layer in decode::once(text) {
                found.take(self.read_seen(&layer.text, false));
            }
        }
        found
    }

    /// Takes in a text as a reader sees it; `is_masked` if its words were broken up to get past filters.
    fn read_seen(&mut self, text: &str, is_masked: bool) -> Directives {
        let (steps, is_whole) = walk(text, MOST_STEPS);
        self.memory.is_read &= is_whole;
        self.may_be_encoded = may_be_encoded(text, &steps);
        let atoms = self.read_chunks(text, &steps);
        let mut numbers = Vec::new();
        print::numbers(text, &steps, |hash, last| numbers.push((hash, last)));
        self.mark(text, &steps, &atoms, &numbers);
        let orders = orders(text, &steps);
        self.memory.origin.is_marked |= orders.is_marked;
        let mut in_order = vec![false; steps.len()];
        let kind = if is_masked { SpanKind::Directive } else { SpanKind::Order };
        for order in &orders.all {
            self.keep_order(&steps, order, kind);
            fill(&mut in_order, order.words.clone());
        }
        for words in &orders.changed {
            self.keep(&steps, words.clone(), SpanKind::Changed);
            fill(&mut in_order, words.clone());
        }
        let mut found = Directives { is_whole: true, ..Directives::default() };
        if self.finds_phrases {
            found = self.keep_directives(text, &steps, &orders, &mut in_order);
        }
        self.memory.is_read &= found.is_whole;
        self.note_known(&steps, &in_order);
        self.note_participants(&steps, &atoms);
        self.note_addresses(text, &steps, &atoms, &numbers, &in_order);
        found
    }

    fn keep_directives(
        &mut self,
        text: &str,
        steps: &[Step],
        orders: &Orders,
        in_order: &mut [bool],
    ) -> Directives {
        let mut found = directives(text, steps, orders);
        let passages: Vec<_> = found.passages.iter().map(|passage| words_within(steps, passage)).collect();
        for words in passages {
            self.keep(steps, words.clone(), SpanKind::Directive);
            fill(in_order, words);
        }
        for words in &orders.spoken {
            self.keep(steps, words.clone(), SpanKind::Spoken);
            fill(in_order, words.clone());
            let bytes = steps.get(words.clone()).unwrap_or_default();
            let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { continue };
            found.passages.push(first.start as usize..last.end as usize);
            found.say(SPOKEN);
        }
        found
    }

    /// What cannot be seen is meant for a machine alone.
    fn keep_hidden(&mut self, hidden: &str, found: &mut Directives) {
        let (steps, _) = walk(hidden, MOST_WORDS);
        if !self.finds_phrases || steps.is_empty() {
            return;
        }
        self.keep(&steps, 0..steps.len(), SpanKind::Hidden);
        found.passages.push(0..0);
        found.say("is written in characters that cannot be seen");
    }

    pub(crate) fn finish(mut self) -> Memory {
        let stride = self.memory.marks.len() / MOST_MARKS + 1;
        if stride > 1 {
            self.memory.marks = self.memory.marks.iter().copied().step_by(stride).collect();
            self.memory.is_whole = false;
        }
        self.memory.is_whole &= self.memory.is_read;
        self.memory
    }

    /// One pass over what stands between blanks: the atoms, the secrets, and the names of tools and parameters.
    fn read_chunks(&mut self, text: &str, steps: &[Step]) -> Vec<Atom> {
        let (key, server) = (self.key, self.memory.origin.server);
        let Memory { marks, secrets, parts, named, .. } = &mut self.memory;
        let mut naming = Naming::new(self.is_vault);
        let mut atoms = Vec::new();
        print::chunks(steps, |first, end| {
            let words = steps.get(first..end).unwrap_or_default();
            if is_plain(words) && naming.is_idle() {
                return;
            }
            atoms.extend(print::atom(text, steps, first, end));
            marks.extend(reference::given_out(text, steps, first, end).map(|hash| keyed(hash, key)));
            if let Some(hash) = naming.secret(text, words) {
                secrets.push(keyed(hash, key));
                if parts.len() < split::MOST_SECRETS {
                    parts.extend(split::stretches(text, words, key));
                }
            }
            if is_name(text, words) {
                let name = words.iter().fold(server, |hash, step| print::join(hash, step.hash));
                named.push(keyed_word(name, key));
            }
        });
        atoms
    }

    fn mark(&mut self, text: &str, steps: &[Step], atoms: &[Atom], numbers: &[(u64, usize)]) {
        let (marks, key) = (&mut self.memory.marks, self.key);
        marks.extend(atoms.iter().map(|atom| keyed(atom.hash, key)));
        marks.extend(numbers.iter().map(|(number, _)| keyed(*number, key)));
        let unkeyed = marks.len();
        let mut kept = Kept::new(marks);
        // Half of the runs are enough: what is looked up is not thinned out, and fingerprints cover the rest.
        print::runs(steps, |run, tells| kept.offer(run, tells & (run & 1 == 0)));
        gram::winnowed(text, steps, |gram, is_new| kept.offer(gram, is_new));
        kept.finish();
        marks.iter_mut().skip(unkeyed).for_each(|mark| *mark = keyed(*mark, key));
    }

    fn keep_order(&mut self, steps: &[Step], order: &Order, kind: SpanKind) {
        let words = self.row(steps, order.words.clone());
        let Order { deletes, dictates, .. } = *order;
        self.memory.spans.push(Passage { kind, deletes, dictates, words });
    }

    fn keep(&mut self, steps: &[Step], words: Range<usize>, kind: SpanKind) {
        let deletes =
            steps.get(words.clone()).unwrap_or_default().iter().any(|step| step.part.any(Part::DELETE));
        let words = self.row(steps, words);
        self.memory.spans.push(Passage { kind, deletes, dictates: true, words });
    }

    /// Domains, and what is vouched for by standing outside of orders.
    fn note_addresses(
        &mut self,
        text: &str,
        steps: &[Step],
        atoms: &[Atom],
        numbers: &[(u64, usize)],
        in_order: &[bool],
    ) {
        let key = self.key;
        let is_outside = |at: usize| !in_order.get(at).copied().unwrap_or_default();
        for atom in atoms {
            let words = steps.get(atom.first..atom.end).unwrap_or_default();
            if atom.is_address {
                self.memory.domains.extend(print::domain(text, words).map(|hash| keyed_word(hash, key)));
            }
            if is_outside(atom.first) {
                self.memory.vouched.push(keyed_word(atom.hash, key));
            }
        }
        let outside = numbers.iter().filter(|(_, last)| is_outside(*last));
        self.memory.vouched.extend(outside.map(|(hash, _)| keyed_word(*hash, key)));
    }

    /// The words of a passage as they are kept.
    fn row(&self, steps: &[Step], words: Range<usize>) -> Box<[u32]> {
        let words = steps.get(words).unwrap_or_default();
        keyed_words(words.get(..MOST_WORDS.min(words.len())).unwrap_or_default(), self.key).into_boxed_slice()
    }

    /// Words that stand outside of orders: what is known anyway was not brought by an order.
    fn note_known(&mut self, steps: &[Step], in_order: &[bool]) {
        let mut kept = Kept::new(&mut self.memory.known);
        for (step, is_inside) in steps.iter().zip(in_order) {
            kept.offer(keyed_word(step.hash, self.key), !is_inside & !step.has_digit & !step.is_everyday);
        }
        kept.finish();
    }

    /// Addresses that take part: behind `from:`, `to:`, `participants:` and their like.
    fn note_participants(&mut self, steps: &[Step], atoms: &[Atom]) {
        if atoms.is_empty() {
            return;
        }
        let mut atoms = atoms.iter().peekable();
        let mut takes_part = false;
        for (at, step) in steps.iter().enumerate() {
            if step.is_key {
                takes_part = TAKES_PART.contains(&step.hash);
            }
            if let Some(atom) = atoms.next_if(|atom| atom.first == at)
                && takes_part
            {
                self.memory.participants.push(keyed_word(atom.hash, self.key));
            }
        }
    }
}

/// Letters and digits in a row that no word has.
const LONG_RUN: usize = 20;
/// Escapes that are more than a stray sign.
const MANY_ESCAPES: usize = 6;

/// Whether anything in a text could be encoded: the decoders cost more than all the rest.
fn may_be_encoded(text: &str, steps: &[Step]) -> bool {
    let bytes = text.as_bytes();
    let is_long = |step: &Step| step.len() >= LONG_RUN && step.is_ascii;
    let has_long_run =
        || steps.iter().any(is_long) || memchr::memchr(b'+', bytes).is_some() && has_joined_run(bytes, steps);
    has_long_run() || memchr::memchr2_iter(b'%', b'\\', bytes).take(MANY_ESCAPES).count() == MANY_ESCAPES
}

/// A plus sign is a letter of base64.
fn has_joined_run(bytes: &[u8], steps: &[Step]) -> bool {
    let (mut run, mut end) = (0, 0);
    steps.iter().any(|step| {
        let goes_on = step.start == end + 1 && bytes.get(end as usize) == Some(&b'+');
        run = if goes_on { run + 1 + step.len() } else { step.len() };
        end = step.end;
        run >= LONG_RUN && step.is_ascii
    })
}

/// A word and nothing else: no atom, no reference, no name, and nothing that names a secret.
fn is_plain(words: &[Step]) -> bool {
    let [word] = words else { return false };
    word.is_ascii
        && !word.has_digit
        && !word.gap.any(Gap::COLON.or(Gap::QUOTE))
        && !word.part.any(Part::SECRET)
}

/// `verify_age`, `sync_remote`, `'passage'`: spelt like a name, and no key of the record itself.
fn is_name(text: &str, words: &[Step]) -> bool {
    let is_key = words.last().is_none_or(|last| last.is_key || !last.has_letter);
    let is_joined = || {
        words.windows(2).any(|pair| match pair {
            [a, b] => text.get(a.end as usize..b.start as usize) == Some("_"),
            _ => false,
        })
    };
    let is_quoted = || matches!(words, [word] if word.gap.any(Gap::QUOTE) && !word.gap.any(Gap::VALUE) && !word.is_everyday);
    !is_key && (is_joined() || is_quoted())
}

/// Names of fields that hold who takes part in a conversation.
const TAKES_PART: [u64; 14] = [
    hash_word("from"),
    hash_word("to"),
    hash_word("cc"),
    hash_word("sender"),
    hash_word("recipient"),
    hash_word("recipients"),
    hash_word("participants"),
    hash_word("attendees"),
    hash_word("author"),
    hash_word("organizer"),
    hash_word("members"),
    hash_word("owner"),
    hash_word("assignee"),
    hash_word("reporter"),
];

fn fill(flags: &mut [bool], range: Range<usize>) {
    flags.get_mut(range).into_iter().flatten().for_each(|flag| *flag = true);
}

fn words_within(steps: &[Step], bytes: &Range<usize>) -> Range<usize> {
    let first = steps.partition_point(|step| (step.start as usize) < bytes.start);
    let end = steps.partition_point(|step| (step.end as usize) <= bytes.end);
    first..end.max(first)
}
