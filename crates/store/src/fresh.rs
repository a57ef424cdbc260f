//! What was written lately, handed from the writer to the follower, so that it need not be read and parsed again.

use crate::index::Indexed;

/// The most that waits: what the follower takes in one transaction, and more than is written between two of its
/// rounds. With names of usual length that is some 3 MB.
pub(crate) const MOST: usize = 8_192;

/// Records in the order of the chain, none left out. What finds no room is read from the log by who needs it.
#[derive(Default)]
pub(crate) struct Fresh(Vec<Indexed>);

impl Fresh {
    /// Keeps a record if there is room. The oldest stay, because they are needed first.
    pub(crate) fn push(&mut self, record: Indexed) {
        let is_next = self.0.last().is_none_or(|last| last.head.seq + 1 == record.head.seq);
        if is_next && self.0.len() < MOST {
            self.0.push(record);
        }
    }

    /// The first record held.
    pub(crate) fn first(&self) -> Option<u64> {
        self.0.first().map(|record| record.head.seq)
    }

    /// Whether this record, or a later one, is held.
    pub(crate) fn reaches(&self, seq: u64) -> bool {
        self.0.last().is_some_and(|last| last.head.seq >= seq)
    }

    /// The records from `from` through `through`, as far as they are held; `None` if the first of them is not.
    pub(crate) fn between(&self, from: u64, through: u64) -> Option<&[Indexed]> {
        // INVARIANT: none is left out, so a record's place follows from its number.
        let place = |seq: u64| usize::try_from(seq.checked_sub(self.first()?)?).ok();
        let (begin, end) = (place(from)?, place(through)?.saturating_add(1));
        self.0.get(begin..end.min(self.0.len())).filter(|records| !records.is_empty())
    }

    /// Holds nothing any more; its memory is used again.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appender::Head;
    use crate::record::{Draft, Kind, Status};
    use portcullis_detect::sensitive::SensitiveData;

    fn pushed(seqs: impl IntoIterator<Item = u64>) -> Fresh {
        let (facts, _) = Draft::new(Kind::Alert, Status::Noted, 1).masked(&SensitiveData::new(), "w", None);
        let mut fresh = Fresh::default();
        for seq in seqs {
            fresh.push(Indexed { head: Head { seq, hash: [0; 32] }, at_us: 1, facts: facts.clone() });
        }
        fresh
    }

    fn check(fresh: &Fresh, from: u64, through: u64, expected: Option<(u64, u64)>) {
        let ends = |records: &[Indexed]| Some((records.first()?.head.seq, records.last()?.head.seq));
        assert_eq!(fresh.between(from, through).and_then(ends), expected, "{from} to {through}");
    }

    #[test]
    fn records_are_found_by_their_numbers() {
        let fresh = pushed(10..=20);
        check(&fresh, 10, 20, Some((10, 20)));
        check(&fresh, 12, 15, Some((12, 15)));
        check(&fresh, 12, 99, Some((12, 20)));
        check(&fresh, 9, 15, None);
        check(&fresh, 21, 30, None);
        check(&fresh, 15, 14, None);
        check(&Fresh::default(), 1, 1, None);
        assert!(fresh.reaches(20) && !fresh.reaches(21) && !Fresh::default().reaches(0));
    }

    #[test]
    fn it_never_grows_beyond_its_bound_and_none_is_left_out() {
        let mut fresh = pushed(5..5 + 2 * MOST as u64);
        let last = 4 + MOST as u64;
        check(&fresh, 5, u64::MAX, Some((5, last)));
        fresh.clear();
        assert_eq!(fresh.first(), None);
        check(&pushed([3, 4, 7, 8]), 3, 8, Some((3, 4)));
    }
}
