//! Sorted entries in little memory: what the indexes of a registry are made of.
//!
//! A hash map of lists takes 60 to 100 bytes for an entry of 8 or 12, a tree nearly twice its entries. Here hashes
//! begin the entries, and hashes are spread evenly: their first bits say in which of many short sorted rows an entry
//! stands.

use crate::prelude::*;

/// Entries in a row, on average, before all rows are halved: few enough to move them when one is put between.
const LONG: usize = 64;

/// A sorted set of entries, each of which begins with 32 bits of a hash.
#[derive(Clone, Debug)]
pub(super) struct Rows<const N: usize> {
    /// A power of two of them.
    rows: Vec<Vec<[u32; N]>>,
    len: usize,
}

impl<const N: usize> Default for Rows<N> {
    fn default() -> Self {
        Rows { rows: Vec::new(), len: 0 }
    }
}

impl<const N: usize> Rows<N> {
    /// Puts an entry in, once.
    pub(super) fn insert(&mut self, entry: [u32; N]) {
        if self.len >= self.rows.len() * LONG {
            self.halve();
        }
        let at = self.row_of(&entry);
        let Some(row) = self.rows.get_mut(at) else { return };
        if let Err(place) = row.binary_search(&entry) {
            make_room(row);
            row.insert(place, entry);
            self.len += 1;
        }
    }

    /// Takes an entry out.
    pub(super) fn remove(&mut self, entry: &[u32; N]) {
        let at = self.row_of(entry);
        let Some(row) = self.rows.get_mut(at) else { return };
        if let Ok(place) = row.binary_search(entry) {
            row.remove(place);
            self.len -= 1;
        }
    }

    /// The entries that begin so, sorted.
    pub(super) fn beginning(&self, start: &[u32]) -> &[[u32; N]] {
        let Some(row) = self.rows.get(self.row_of(start)) else { return &[] };
        let rest = row.get(row.partition_point(|entry| entry.as_slice() < start)..).unwrap_or_default();
        rest.get(..rest.partition_point(|entry| entry.starts_with(start))).unwrap_or_default()
    }

    /// All entries, sorted.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32; N]> {
        self.rows.iter().flatten()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    fn row_of(&self, entry: &[u32]) -> usize {
        let hash = entry.first().copied().unwrap_or_default();
        // INVARIANT: with one row there is nothing to shift by 32 bits for; `checked_shr` says so.
        hash.checked_shr(u32::BITS - self.rows.len().max(1).ilog2()).unwrap_or_default() as usize
    }

    /// Makes two rows of each, so that the order of all entries stays.
    fn halve(&mut self) {
        if self.rows.is_empty() {
            return self.rows.push(Vec::new());
        }
        let next_bit = 1 << (u32::BITS - 1 - self.rows.len().ilog2());
        let rows = core::mem::take(&mut self.rows);
        self.rows.reserve_exact(rows.len() * 2);
        for mut row in rows {
            let middle = row.partition_point(|entry| entry.first().is_some_and(|hash| hash & next_bit == 0));
            let upper = row.split_off(middle);
            row.shrink_to_fit();
            self.rows.extend([row, upper]);
        }
    }

    /// The bytes held, as counted from what was asked of the allocator.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let entries: usize = self.rows.iter().map(Vec::capacity).sum();
        self.rows.capacity() * size_of::<Vec<[u32; N]>>() + entries * size_of::<[u32; N]>()
    }
}

/// Adds to a list that may become long.
pub(super) fn push<T>(list: &mut Vec<T>, item: T) {
    make_room(list);
    list.push(item);
}

/// Makes room for one more and a few. Doubling, as lists do by themselves, would leave a quarter of all memory empty.
fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers as good as random, the same in every run.
    fn hashes(count: u32) -> impl Iterator<Item = u32> {
        (1..=count).map(|number| number.wrapping_mul(0x9E37_79B9).rotate_left(13))
    }

    #[test]
    fn entries_are_sorted_found_and_taken_out() {
        let mut rows: Rows<2> = Rows::default();
        for (place, hash) in (0..).zip(hashes(10_000)) {
            rows.insert([hash, place]);
            rows.insert([hash, place]);
        }
        assert_eq!(rows.len(), 10_000);
        assert!(rows.iter().is_sorted() && rows.iter().count() == 10_000);
        for (place, hash) in (0..).zip(hashes(10_000)) {
            assert_eq!(rows.beginning(&[hash]), [[hash, place]]);
            rows.remove(&[hash, place]);
            assert!(rows.beginning(&[hash]).is_empty());
        }
        assert_eq!((rows.len(), rows.iter().count()), (0, 0));
    }

    #[test]
    fn one_hash_may_have_many_entries() {
        let mut rows: Rows<2> = Rows::default();
        (0..1000).rev().for_each(|place| rows.insert([7, place]));
        hashes(1000).for_each(|hash| rows.insert([hash | 8, 0]));
        assert!(rows.beginning(&[7]).iter().map(|[_, place]| *place).eq(0..1000));
        assert_eq!(rows.beginning(&[7, 5]), [[7, 5]]);
        assert!(rows.beginning(&[6]).is_empty());
    }

    #[test]
    fn little_is_held_beside_the_entries() {
        let mut rows: Rows<2> = Rows::default();
        hashes(100_000).for_each(|hash| rows.insert([hash, 0]));
        assert!(rows.bytes() < 100_000 * 8 * 5 / 4, "{} bytes", rows.bytes());
    }
}
