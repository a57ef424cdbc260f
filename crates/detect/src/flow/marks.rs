//! A bounded set of keyed hashes, each with the result it came from; the data itself is never kept.

use crate::prelude::*;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// A hash takes 48 bits, its origin 16.
const ORIGIN_BITS: u32 = 16;
/// Marks of a full table: with room to find them quickly, a little more than 1 MiB.
const MOST: usize = 1 << 16;

/// Which result a mark came from; numbers are given in order and never reused within a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OriginId(pub(crate) u16);

/// Marks with their origins. Nearly all that is looked up is not there, which this kind of table sees at a glance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    slots: HashTable<u64>,
}

impl Marks {
    /// The origin of a mark.
    #[inline]
    pub(crate) fn get(&self, mark: u64) -> Option<OriginId> {
        let wanted = tag(mark);
        self.slots.find(place(wanted), |slot| slot >> ORIGIN_BITS == wanted).map(|slot| origin(*slot))
    }

    /// Notes a mark; of several origins `keeps` chooses. False when the table is full.
    pub(crate) fn insert(&mut self, mark: u64, from: OriginId, keeps: impl Fn(OriginId) -> bool) -> bool {
        if self.room() == 0 {
            return false;
        }
        let wanted = tag(mark);
        let slot = wanted << ORIGIN_BITS | u64::from(from.0);
        match self.slots.entry(place(wanted), |slot| slot >> ORIGIN_BITS == wanted, place_of) {
            Entry::Occupied(mut known) if !keeps(origin(*known.get())) => *known.get_mut() = slot,
            Entry::Occupied(_) => {}
            Entry::Vacant(free) => {
                free.insert(slot);
            }
        }
        true
    }

    /// Makes the table large enough for so many more at once, within its bound.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.slots.reserve(more.min(self.room()), place_of);
    }

    /// Forgets everything that came from origins before `oldest`.
    pub(crate) fn forget_before(&mut self, oldest: OriginId) {
        self.slots.retain(|slot| origin(*slot) >= oldest);
        self.slots.shrink_to(self.slots.len() * 2, place_of);
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.allocation_size()
    }

    /// How many marks fit in before the bound is reached.
    pub(crate) fn room(&self) -> usize {
        MOST - self.slots.len().min(MOST)
    }

    /// All marks with their origins, in order.
    pub(super) fn sorted(&self) -> Vec<u64> {
        let mut all: Vec<u64> = self.slots.iter().copied().collect();
        all.sort_unstable();
        all
    }

    /// A table of these marks with their origins; `None` if there cannot be one.
    pub(super) fn holding(slots: &[u64]) -> Option<Marks> {
        if slots.len() > MOST || slots.iter().any(|slot| slot >> ORIGIN_BITS == 0) {
            return None;
        }
        let mut marks = Marks::default();
        marks.reserve(slots.len());
        for slot in slots {
            marks.slots.insert_unique(place_of(slot), *slot, place_of);
        }
        Some(marks)
    }
}

/// Where a mark belongs: the table takes both ends of it, and a kept mark has nothing at its upper end.
fn place(tag: u64) -> u64 {
    tag | tag << ORIGIN_BITS
}

fn place_of(slot: &u64) -> u64 {
    place(slot >> ORIGIN_BITS)
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
        assert_eq!(taken.count(), MOST);
        assert!(marks.bytes() <= (1 << 20) + (1 << 18) && marks.room() == 0);
    }
}
