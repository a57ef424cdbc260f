//! Made-up text, the same in every run: a small generator of numbers, and words drawn by it.

/// Splitmix64: a few lines, and the same sequence everywhere.
pub(crate) struct Lot(u64);

impl Lot {
    pub(crate) fn new(seed: u64) -> Self {
        Lot(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or_default()
    }

    /// One of the items. They must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const WORDS: [&str; 48] = [
    "the",
    "a",
    "of",
    "and",
    "to",
    "for",
    "with",
    "from",
    "returns",
    "list",
    "file",
    "record",
    "user",
    "account",
    "query",
    "search",
    "result",
    "page",
    "optional",
    "string",
    "number",
    "date",
    "given",
    "when",
    "project",
    "team",
    "message",
    "channel",
    "folder",
    "document",
    "calendar",
    "event",
    "customer",
    "invoice",
    "status",
    "filter",
    "order",
    "weather",
    "city",
    "update",
    "creates",
    "existing",
    "identifier",
    "maximum",
    "default",
    "time",
    "zone",
    "format",
];

/// Plain sentences, at least `bytes` of them.
pub(crate) fn prose(bytes: usize) -> String {
    let mut lot = Lot::new(7);
    let mut text = String::with_capacity(bytes + 16);
    let mut words = 0;
    while text.len() < bytes {
        text.push_str(WORDS[lot.below(WORDS.len())]);
        words += 1;
        text.push_str(if words % 11 == 0 { ". " } else { " " });
    }
    text
}

/// Lines of `piece`, each made from a number drawn by lot, at least `bytes` in all.
pub(crate) fn repeat(bytes: usize, mut piece: impl FnMut(&mut Lot) -> String) -> String {
    let mut lot = Lot::new(11);
    let mut text = String::with_capacity(bytes + 256);
    while text.len() < bytes {
        text.push_str(&piece(&mut lot));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_text() {
        assert_eq!(prose(1000), prose(1000));
        assert!(prose(1000).len() < 1100);
        assert_eq!(repeat(5, |lot| lot.below(10).to_string()), repeat(5, |lot| lot.below(10).to_string()));
    }

    #[test]
    fn the_lot_reaches_everything() {
        let mut lot = Lot::new(1);
        let seen: std::collections::BTreeSet<usize> = (0..100).map(|_| lot.below(8)).collect();
        assert_eq!(seen.len(), 8);
    }
}
