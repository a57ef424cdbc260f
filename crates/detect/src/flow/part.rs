//! What single words do in a passage: give orders, address machines, mark secrets, or say nothing. The tables are
//! `data/order-words.txt` and `data/everyday-words.txt`; a word is looked up once, while the text is walked.

use super::walk::{Step, hash_bytes, hash_word};
use crate::prelude::*;
use once_cell::race::OnceBox;

const ORDER_WORDS: &str = include_str!("../../data/order-words.txt");
const EVERYDAY_WORDS: &str = include_str!("../../data/everyday-words.txt");

/// What a word does in an order, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part(u32);

macro_rules! parts {
    ($($bit:literal $constant:ident $section:literal)*) => {
        impl Part {
            $(pub(crate) const $constant: Part = Part(1 << $bit);)*

            fn section(name: &str) -> Part {
                match name {
                    $($section => Part::$constant,)*
                    _ => Part(0),
                }
            }
        }
    };
}

parts! {
    0 ACT "act"
    1 DELETE "delete"
    2 OPEN "open"
    3 POLITE "polite"
    4 YOU "you"
    5 MAY "may"
    6 MUST "must"
    7 TO "to"
    8 WANT "want"
    9 SELF "self"
    10 SURE "sure"
    11 YOUR "your"
    12 TASK "task"
    13 CONDITION "condition"
    14 JOINT "joint"
    15 KNOW "know"
    16 MACHINE "machine"
    17 CHANGED "changed"
    18 MARKED "marked"
    19 NOT "not"
    20 DISCLOSE "disclose"
    21 SECRET "secret"
    22 TOWARDS "towards"
    23 OBLIGE "oblige"
    24 DEVICE "device"
    25 EVERYDAY "everyday"
}

impl Part {
    pub(crate) fn any(self, other: Part) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn or(self, other: Part) -> Part {
        Part(self.0 | other.0)
    }

    /// What a word written in lower case does.
    pub(crate) fn of(word: &str) -> Part {
        Part::of_bytes(word.as_bytes())
    }

    /// The same for a word of which only the bytes are at hand.
    pub(crate) fn of_bytes(word: &[u8]) -> Part {
        Vocabulary::shipped().part(hash_bytes(word))
    }
}

/// What words do, by their hash: looked up for every word of every text, so one probe has to be enough nearly always.
pub(super) struct Vocabulary {
    /// Open addressing by the upper bits of the mixed hash, linear probing; a slot with hash 0 is empty.
    slots: Box<[(u64, Part); SLOTS]>,
}

/// Four times as many slots as words.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 13;

impl Vocabulary {
    pub(super) fn shipped() -> &'static Vocabulary {
        static SHIPPED: OnceBox<Vocabulary> = OnceBox::new();
        SHIPPED.get_or_init(|| {
            let slots = vec![(0, Part::default()); SLOTS].into_boxed_slice().try_into();
            let mut vocabulary = Vocabulary { slots: slots.expect("that many were asked for") };
            let mut section = Part::default();
            for line in ORDER_WORDS.lines().filter(|line| !line.starts_with('#')) {
                if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                    section = Part::section(name);
                    continue;
                }
                for word in line.split_whitespace() {
                    vocabulary.add(word, section);
                    vocabulary.add(&capitalised(word), section);
                }
            }
            let everyday = EVERYDAY_WORDS.lines().filter(|line| !line.starts_with('#'));
            everyday.flat_map(str::split_whitespace).for_each(|word| vocabulary.add(word, Part::EVERYDAY));
            Box::new(vocabulary)
        })
    }

    /// What the word of this hash does.
    pub(super) fn part(&self, hash: u64) -> Part {
        let mut at = home(hash);
        // INVARIANT: most slots are empty, so every search comes to its end.
        loop {
            let (first, second) = (self.slot(at), self.slot((at + 1) % SLOTS));
            let part_in = |(known, part): (u64, Part)| if known == hash { part } else { Part::default() };
            // Nothing foretells which words are known: where the search ends at one of two slots, and that is nearly
            // always so, it does not matter at which and how.
            let ends_at = |(known, _): (u64, Part)| (known == hash) | (known == 0);
            if ends_at(first) | ends_at(second) {
                return part_in(first).or(part_in(second));
            }
            at = (at + 2) % SLOTS;
        }
    }

    fn slot(&self, at: usize) -> (u64, Part) {
        self.slots.get(at).copied().unwrap_or_default()
    }

    fn add(&mut self, word: &str, part: Part) {
        let hash = hash_word(word);
        let mut at = home(hash);
        while self.slots.get(at).is_some_and(|(known, _)| *known != 0 && *known != hash) {
            at = (at + 1) % SLOTS;
        }
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = (hash, slot.1.or(part));
        }
    }
}

/// Short words differ little in the upper bits of their hashes: mixed once more, they do not crowd.
fn home(hash: u64) -> usize {
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(mixed >> (u64::BITS - SLOT_BITS)).unwrap_or_default()
}

/// The walk lowers ASCII only; a capital beyond it is a spelling of its own.
fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(characters)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

pub(super) fn part(step: Option<&Step>) -> Part {
    step.map(|step| step.part).unwrap_or_default()
}

/// A request in a script without blanks; its verb stands in the same run.
const ASKS: Part = Part::ACT.or(Part::OBLIGE).or(Part::POLITE);

/// Words of scripts without blanks, looked for inside a run of them.
const INSIDE: [(&str, Part); 36] = [
    ("请", ASKS),
    ("請", ASKS),
    ("务必", ASKS),
    ("必须", ASKS),
    ("ください", ASKS),
    ("下さい", ASKS),
    ("お願い", ASKS),
    ("하세요", ASKS),
    ("주세요", ASKS),
    ("하십시오", ASKS),
    ("助手", Part::MACHINE),
    ("智能体", Part::MACHINE),
    ("代理", Part::MACHINE),
    ("机器人", Part::MACHINE),
    ("アシスタント", Part::MACHINE),
    ("エージェント", Part::MACHINE),
    ("ボット", Part::MACHINE),
    ("에이전트", Part::MACHINE),
    ("어시스턴트", Part::MACHINE),
    ("비서", Part::MACHINE),
    ("改", Part::CHANGED),
    ("变更", Part::CHANGED),
    ("升级", Part::CHANGED),
    ("停用", Part::CHANGED),
    ("変更", Part::CHANGED),
    ("移転", Part::CHANGED),
    ("변경", Part::CHANGED),
    ("机密", Part::MARKED),
    ("保密", Part::MARKED),
    ("社外秘", Part::MARKED),
    ("極秘", Part::MARKED),
    ("대외비", Part::MARKED),
    ("密码", Part::SECRET),
    ("パスワード", Part::SECRET),
    ("暗証番号", Part::SECRET),
    ("비밀번호", Part::SECRET),
];

/// Languages that glue words together put the machine last: "Sprachassistenten".
const COMPOUNDS: [&str; 6] = ["assistent", "assistenten", "assistentin", "agenten", "roboter", "assistenter"];
/// From here on a word may be glued together.
pub(super) const LONG_WORD: usize = 12;

/// What a word does, one of a script without blanks by what stands inside it.
#[inline]
pub(super) fn part_within(text: &str, step: &Step) -> Part {
    if step.is_ascii && (step.len() < LONG_WORD || step.has_digit) {
        return step.part;
    }
    part_of_long(text, step)
}

fn part_of_long(text: &str, step: &Step) -> Part {
    let known = step.part;
    if step.len() >= LONG_WORD && step.has_letter && !step.has_digit {
        let word = text.get(step.start as usize..step.end as usize).unwrap_or_default();
        if COMPOUNDS.iter().any(|end| word.ends_with(end)) {
            return known.or(Part::MACHINE);
        }
    }
    if step.has_digit || step.is_ascii {
        return known;
    }
    let word = text.get(step.start as usize..step.end as usize).unwrap_or_default();
    INSIDE.iter().filter(|(inside, _)| word.contains(inside)).fold(known, |sum, (_, part)| sum.or(*part))
}

#[cfg(test)]
mod tests {
    use super::super::walk::walk;
    use super::*;

    #[test]
    fn words_are_found_within_few_slots() {
        let vocabulary = Vocabulary::shipped();
        let far = |hash: u64| {
            let place = vocabulary.slots.iter().position(|(known, _)| *known == hash).expect("it is there");
            (place + SLOTS - home(hash)) % SLOTS
        };
        let known: Vec<u64> =
            vocabulary.slots.iter().map(|(known, _)| *known).filter(|known| *known != 0).collect();
        let near = known.iter().filter(|hash| far(**hash) < 2).count();
        assert!(near * 100 > known.len() * 95, "{near} of {}", known.len());
        assert_eq!(Part::of("bitte"), Part::of_bytes(b"bitte"));
        assert!(Part::of("bitte").any(Part::POLITE) && Part::of("zwieback") == Part::default());
    }

    #[test]
    fn words_inside_scripts_without_blanks_are_found() {
        let text = "公告：账户变更，请改汇";
        let (steps, _) = walk(text, 10);
        assert!(steps.iter().any(|step| part_within(text, step).any(Part::CHANGED)));
        assert!(Part::of("copilot").any(Part::MACHINE) && Part::of("vertraulich").any(Part::MARKED));
    }
}
