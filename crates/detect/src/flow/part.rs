//! What single words do in a passage: give orders, address machines, mark secrets. The table is `data/order-words.txt`.

use super::walk::{Step, hash_word};
use crate::prelude::*;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use once_cell::race::OnceBox;

const SHIPPED: &str = include_str!("../../data/order-words.txt");

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
}

impl Part {
    pub(crate) fn any(self, other: Part) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) const fn or(self, other: Part) -> Part {
        Part(self.0 | other.0)
    }

    /// What a word written in lower case does.
    pub(crate) fn of(word: &str) -> Part {
        table().get(&hash_word(word)).copied().unwrap_or_default()
    }
}

type Table = HashMap<u64, Part, FixedState>;

fn table() -> &'static Table {
    static TABLE: OnceBox<Table> = OnceBox::new();
    TABLE.get_or_init(|| {
        let mut table = Table::default();
        let mut section = Part::default();
        for line in SHIPPED.lines().filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = Part::section(name);
                continue;
            }
            for word in line.split_whitespace() {
                for spelling in [word.to_owned(), capitalised(word)] {
                    table.entry(hash_word(&spelling)).or_default().0 |= section.0;
                }
            }
        }
        Box::new(table)
    })
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
    step.and_then(|step| table().get(&step.hash)).copied().unwrap_or_default()
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
const LONG_WORD: usize = 12;

/// What a word does, one of a script without blanks by what stands inside it.
pub(super) fn part_within(text: &str, step: &Step) -> Part {
    let known = part(Some(step));
    let bytes = text.as_bytes();
    if step.len() >= LONG_WORD && step.has_letter && !step.has_digit {
        let word = text.get(step.start as usize..step.end as usize).unwrap_or_default();
        if COMPOUNDS.iter().any(|end| word.ends_with(end)) {
            return known.or(Part::MACHINE);
        }
    }
    if step.has_digit || bytes.get(step.start as usize).is_none_or(u8::is_ascii) {
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
    fn words_inside_scripts_without_blanks_are_found() {
        let text = "公告：账户变更，请改汇";
        let (steps, _) = walk(text, 10);
        assert!(steps.iter().any(|step| part_within(text, step).any(Part::CHANGED)));
        assert!(Part::of("copilot").any(Part::MACHINE) && Part::of("vertraulich").any(Part::MARKED));
    }
}
