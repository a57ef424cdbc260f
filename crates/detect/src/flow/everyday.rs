//! Which words say nothing: everyday words of letters and records, and short numbers.

use super::walk::hash_word;
use crate::prelude::*;
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use once_cell::race::OnceBox;

const SHIPPED: &str = include_str!("../../data/everyday-words.txt");

/// Dates, times and prices are made of numbers up to this long.
const SHORT_NUMBER: usize = 4;

type Words = HashSet<u64, FixedState>;

fn table() -> &'static Words {
    static TABLE: OnceBox<Words> = OnceBox::new();
    TABLE.get_or_init(|| {
        let lines = SHIPPED.lines().filter(|line| !line.starts_with('#'));
        Box::new(lines.flat_map(str::split_whitespace).map(hash_word).collect())
    })
}

/// Whether sharing this word says nothing about where it came from.
pub(crate) fn is_everyday(hash: u64, length: usize, has_digit: bool) -> bool {
    if has_digit { length <= SHORT_NUMBER } else { length <= 2 || length <= 13 && table().contains(&hash) }
}
