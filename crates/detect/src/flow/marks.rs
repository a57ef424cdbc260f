//! A bounded set of keyed hashes, each with the result it came from; the data itself is never kept.

use crate::prelude::*;

/// A hash takes 48 bits, its origin 16.
const ORIGIN_BITS: u32 = 16;
/// Slots of a full table: 1 MiB of them, half used at most.
const MOST_SLOTS: usize = 1 << 17;
const FEWEST_SLOTS: usize = 1 << 8;

/// Which result a mark came from; numbers are given in order and never reused within a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OriginId(pub(crate) u16);

/// Open addressing, linear probing; slot 0 is empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    slots: Vec<u64>,
    used: usize,
}

impl Marks {
    /// The origin of a mark.
    pub(crate) fn get(&self, mark: u64) -> Option<OriginId> {
        let wanted = tag(mark);
        let mut at = self.home(mark)?;
        loop {
            match self.slots.get(at).copied()? {
                0 => return None,
                slot if slot >> ORIGIN_BITS == wanted => return Some(origin(slot)),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Notes a mark; of several origins `keeps` chooses. False when the table is full.
    pub(crate) fn insert(&mut self, mark: u64, from: OriginId, keeps: impl Fn(OriginId) -> bool) -> bool {
        if self.used * 2 >= self.slots.len() && !self.grow() {
            return false;
        }
        let wanted = tag(mark);
        let mask = self.slots.len() - 1;
        let Some(mut at) = self.home(mark) else { return false };
        loop {
            match self.slots.get_mut(at) {
                Some(slot) if *slot == 0 => {
                    *slot = wanted << ORIGIN_BITS | u64::from(from.0);
                    self.used += 1;
                    return true;
                }
                Some(slot) if *slot >> ORIGIN_BITS == wanted => {
                    if !keeps(origin(*slot)) {
                        *slot = wanted << ORIGIN_BITS | u64::from(from.0);
                    }
                    return true;
                }
                Some(_) => at = (at + 1) & mask,
                None => return false,
            }
        }
    }

    /// Makes the table large enough for so many more at once, within its bound.
    pub(crate) fn reserve(&mut self, more: usize) {
        let wanted = ((self.used + more) * 2 + 2).next_power_of_two().clamp(FEWEST_SLOTS, MOST_SLOTS);
        if wanted > self.slots.len() {
            let kept: Vec<u64> = self.slots.iter().copied().filter(|slot| *slot != 0).collect();
            self.refill(wanted, &kept);
        }
    }

    /// Forgets everything that came from origins before `oldest`.
    pub(crate) fn forget_before(&mut self, oldest: OriginId) {
        let kept: Vec<u64> =
            self.slots.iter().copied().filter(|slot| *slot != 0 && origin(*slot) >= oldest).collect();
        let slots = (kept.len() * 4).next_power_of_two().clamp(FEWEST_SLOTS, MOST_SLOTS);
        self.refill(slots, &kept);
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    /// How many marks fit in before the bound is reached.
    pub(crate) fn room(&self) -> usize {
        MOST_SLOTS / 2 - self.used.min(MOST_SLOTS / 2)
    }

    fn home(&self, mark: u64) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        usize::try_from(mark & 0xffff_ffff).ok().map(|low| low & mask)
    }

    fn grow(&mut self) -> bool {
        if self.slots.len() >= MOST_SLOTS {
            return false;
        }
        let kept: Vec<u64> = self.slots.iter().copied().filter(|slot| *slot != 0).collect();
        self.refill((self.slots.len() * 2).max(FEWEST_SLOTS), &kept);
        true
    }

    fn refill(&mut self, slots: usize, kept: &[u64]) {
        self.slots = vec![0; slots];
        self.used = kept.len();
        let mask = slots - 1;
        for slot in kept {
            let low = usize::try_from(slot >> ORIGIN_BITS & 0xffff_ffff).unwrap_or_default();
            let mut at = low & mask;
            while self.slots.get(at).is_some_and(|taken| *taken != 0) {
                at = (at + 1) & mask;
            }
            if let Some(free) = self.slots.get_mut(at) {
                *free = *slot;
            }
        }
    }
}

/// The part of a mark that is kept; never 0, which means empty.
fn tag(mark: u64) -> u64 {
    (mark & 0xffff_ffff_ffff).max(1)
}

fn origin(slot: u64) -> OriginId {
    OriginId(u16::try_from(slot & 0xffff).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn marks_are_found_with_their_origin_and_the_oldest_can_be_forgotten() {
        let mut marks = Marks::default();
        for number in 1..10_000u64 {
            let from = OriginId(u16::try_from(number / 1000).expect("small"));
            assert!(marks.insert(mark(number), from, |_| true));
        }
        assert_eq!(marks.get(mark(2500)), Some(OriginId(2)));
        assert_eq!(marks.get(mark(20_000)), None);
        marks.forget_before(OriginId(3));
        assert_eq!(marks.get(mark(2500)), None);
        assert_eq!(marks.get(mark(3500)), Some(OriginId(3)));
    }

    #[test]
    fn the_table_is_bounded() {
        let mut marks = Marks::default();
        let taken = (1..1_000_000u64).take_while(|number| marks.insert(mark(*number), OriginId(1), |_| true));
        assert_eq!(taken.count(), MOST_SLOTS / 2);
        assert!(marks.bytes() <= 1 << 20 && marks.room() == 0);
    }
}
