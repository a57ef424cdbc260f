//! The fast versions, for x86-64 machines with AVX2.
#![allow(
    unsafe_code,
    reason = "vector instructions; the plain versions stand beside them and tests compare the two"
)]

use crate::{BLOCK, Classes, Grams, Machine, Nibbles, Stretch, Work};
use core::arch::x86_64::*;

/// Shows that the machine has AVX2 and what always comes with it; only [`Vectors::here`] makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vectors(());

impl Vectors {
    /// Asks the machine.
    pub(crate) fn here() -> Option<Vectors> {
        let is_there = std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("popcnt");
        is_there.then_some(Vectors(()))
    }

    /// Does the work.
    pub(crate) fn run<W: Work>(self, work: W) -> W::Answer {
        // SAFETY: the machine was asked for the features that the function needs.
        unsafe { run_fast(self, work) }
    }

    /// [`Classes::look`].
    #[inline(always)]
    pub(crate) fn classes<const N: usize>(self, classes: &Classes<N>, block: &[u8; BLOCK]) -> [u64; N] {
        // SAFETY: the machine was asked for the feature that the function needs.
        unsafe { classes_fast(classes, block) }
    }

    /// [`Grams::look`].
    #[inline(always)]
    pub(crate) fn grams(self, grams: &Grams, stretch: &Stretch) -> u64 {
        // SAFETY: the machine was asked for the feature that the function needs.
        unsafe { grams_fast(grams, stretch) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_fast<W: Work>(vectors: Vectors, work: W) -> W::Answer {
    work.run(Machine(Some(vectors)))
}

// Loops instead of closures below: a closure may end up outside the function that has the feature.
#[target_feature(enable = "avx2")]
#[inline]
fn classes_fast<const N: usize>(classes: &Classes<N>, block: &[u8; BLOCK]) -> [u64; N] {
    let table = Table::new(&classes.nibbles);
    let first = table.answers(Halves::new(load(block, 0)));
    let second = table.answers(Halves::new(load(block, 32)));
    let mut masks = [0; N];
    for (mask, union) in masks.iter_mut().zip(classes.unions) {
        let union = _mm256_set1_epi8(union as i8);
        let (first, second) = (_mm256_and_si256(first, union), _mm256_and_si256(second, union));
        *mask = mask_of_others(first) | mask_of_others(second) << 32;
    }
    masks
}

#[target_feature(enable = "avx2")]
#[inline]
fn grams_fast(grams: &Grams, stretch: &Stretch) -> u64 {
    let mut first = [_mm256_set1_epi8(-1); Grams::GROUPS];
    let mut second = first;
    for place in 0..4 {
        let first_halves = Halves::new(load(stretch, place));
        let second_halves = Halves::new(load(stretch, 32 + place));
        for (group, (first, second)) in grams.groups.iter().zip(first.iter_mut().zip(&mut second)) {
            let table = Table::new(&group[place]);
            *first = _mm256_and_si256(*first, table.answers(first_halves));
            *second = _mm256_and_si256(*second, table.answers(second_halves));
        }
    }
    mask_of_any(first) | mask_of_any(second) << 32
}

/// One bit for each of 32 bytes that some group did not set to zero.
#[target_feature(enable = "avx2")]
fn mask_of_any(groups: [__m256i; Grams::GROUPS]) -> u64 {
    let mut any = _mm256_setzero_si256();
    for group in groups {
        any = _mm256_or_si256(any, group);
    }
    mask_of_others(any)
}

/// One bit for each of 32 bytes that is not zero.
#[target_feature(enable = "avx2")]
fn mask_of_others(bytes: __m256i) -> u64 {
    let zeros = _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256());
    u64::from(!_mm256_movemask_epi8(zeros) as u32)
}

/// The 32 bytes that begin at `from`.
#[target_feature(enable = "avx2")]
#[inline]
fn load<const N: usize>(bytes: &[u8; N], from: usize) -> __m256i {
    assert!(from + 32 <= N);
    // SAFETY: 32 bytes from there on are inside the array, and the load needs no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().add(from).cast()) }
}

/// The low and high halves of 32 bytes.
#[derive(Clone, Copy)]
struct Halves {
    low: __m256i,
    high: __m256i,
}

impl Halves {
    #[target_feature(enable = "avx2")]
    fn new(bytes: __m256i) -> Halves {
        let half = _mm256_set1_epi8(15);
        Halves {
            low: _mm256_and_si256(bytes, half),
            high: _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half),
        }
    }
}

/// [`Nibbles`] in registers, once in each half of them.
struct Table {
    low: __m256i,
    high: __m256i,
}

impl Table {
    #[target_feature(enable = "avx2")]
    fn new(nibbles: &Nibbles) -> Table {
        Table { low: twice(&nibbles.low), high: twice(&nibbles.high) }
    }

    #[target_feature(enable = "avx2")]
    fn answers(&self, halves: Halves) -> __m256i {
        _mm256_and_si256(
            _mm256_shuffle_epi8(self.low, halves.low),
            _mm256_shuffle_epi8(self.high, halves.high),
        )
    }
}

#[target_feature(enable = "avx2")]
fn twice(table: &[u8; 16]) -> __m256i {
    // SAFETY: the array has the 16 bytes that are read, and the load needs no alignment.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}
