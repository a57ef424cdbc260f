//! Secrets that leave in parts: which stretches of each known secret went to which destination, and when.
//!
//! A secret is kept as keyed hashes of its four-letter stretches, each with its place. What a call sends marks the
//! places it covers; places that several calls to one destination covered within the window are put together.

use super::print::{chunks, join, keyed};
use super::state::Origin;
use super::walk::Step;
use crate::prelude::*;

/// Letters of one stretch; shorter pieces are those of ordinary words.
const STRETCH: usize = 4;
/// Letters and digits of secrets that are followed. A shorter one has too few stretches to tell its parts from words.
const SHORTEST: usize = 12;
const LONGEST: usize = 128;
/// Secrets followed in one flow; the first stand.
pub(super) const MOST_SECRETS: usize = 32;
/// Calls whose parts are kept; the oldest go first.
const MOST_PARTS: usize = 256;
/// Keeps stretches apart from every other hash of the same letters.
const SALT: u64 = 0x7061_7274;

/// The stretches of one secret, in order.
pub(crate) type Stretches = Box<[u32]>;

/// Which letters of a secret a call carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Covered {
    pub(super) secret: usize,
    pub(super) letters: u128,
}

/// Something that went out with part of a secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) at_ms: u64,
    pub(super) destination: u64,
    pub(super) covered: Covered,
}

#[derive(Clone, Debug)]
pub(super) struct Secret {
    pub(super) origin: Origin,
    pub(super) letters: usize,
}

/// The secrets of a flow, and what left of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Split {
    pub(super) secrets: Vec<Secret>,
    /// Sorted: the stretch, its secret, its place.
    pub(super) stretches: Vec<(u32, u8, u8)>,
    pub(super) parts: Vec<Part>,
}

/// The stretches of a secret as they are kept; `None` if it is too short or too long to be followed.
pub(super) fn stretches(text: &str, words: &[Step], key: u64) -> Option<Stretches> {
    let letters = letters(text, words);
    (SHORTEST..=LONGEST)
        .contains(&letters.len())
        .then(|| letters.windows(STRETCH).map(|stretch| hash(stretch, key)).collect())
}

impl Split {
    /// Follows the secrets of a result from now on.
    pub(super) fn learn(&mut self, secrets: &[Stretches], origin: Origin) {
        for stretches in secrets {
            let Some(number) = u8::try_from(self.secrets.len()).ok().filter(|_| self.has_room()) else {
                return;
            };
            if self.is_known(stretches) {
                continue;
            }
            self.secrets.push(Secret { origin, letters: stretches.len() + STRETCH - 1 });
            let placed = stretches.iter().zip(0u8..).map(|(stretch, at)| (*stretch, number, at));
            self.stretches.extend(placed);
            self.stretches.sort_unstable();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Adds which letters of known secrets stand in a text, one after the other or apart.
    pub(super) fn cover(&self, text: &str, steps: &[Step], key: u64, all: &mut Vec<Covered>) {
        chunks(steps, |first, end| {
            let letters = letters(text, steps.get(first..end).unwrap_or_default());
            for stretch in letters.windows(STRETCH) {
                for &(_, secret, at) in self.places(hash(stretch, key)) {
                    let (secret, letters) = (usize::from(secret), 0b1111u128 << at);
                    match all.iter_mut().find(|covered| covered.secret == secret) {
                        Some(covered) => covered.letters |= letters,
                        None => all.push(Covered { secret, letters }),
                    }
                }
            }
        });
    }

    /// The origin of a secret whose parts now have left for one destination, none of them alone enough.
    pub(super) fn completed(
        &self,
        covered: &[Covered],
        destinations: &[u64],
        since_ms: u64,
    ) -> Option<&Origin> {
        covered.iter().find_map(|now| {
            let secret = self.secrets.get(now.secret)?;
            let is_enough = |letters: u128| letters.count_ones() as usize * 4 >= secret.letters * 3;
            let is_joined = |destination: &u64| {
                let earlier = self.parts.iter().filter(|part| {
                    part.destination == *destination
                        && part.covered.secret == now.secret
                        && part.at_ms >= since_ms
                        // Who sends it whole each time does not send parts.
                        && !is_enough(part.covered.letters)
                });
                let before = earlier.fold(0, |sum, part| sum | part.covered.letters);
                // Sending the same part again completes nothing.
                before & !now.letters != 0 && now.letters & !before != 0 && is_enough(before | now.letters)
            };
            let is_part = !is_enough(now.letters);
            (is_part && destinations.iter().any(is_joined)).then_some(&secret.origin)
        })
    }

    /// Takes in that parts went to these destinations.
    pub(super) fn note(&mut self, covered: &[Covered], destinations: &[u64], at_ms: u64) {
        for &covered in covered {
            for &destination in destinations {
                if self.parts.len() >= MOST_PARTS {
                    self.parts.remove(0);
                }
                self.parts.push(Part { at_ms, destination, covered });
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.secrets.capacity() * size_of::<Secret>()
            + self.stretches.capacity() * size_of::<(u32, u8, u8)>()
            + self.parts.capacity() * size_of::<Part>()
    }

    fn has_room(&self) -> bool {
        self.secrets.len() < MOST_SECRETS
    }

    fn is_known(&self, stretches: &[u32]) -> bool {
        stretches.iter().all(|stretch| !self.places(*stretch).is_empty())
    }

    fn places(&self, stretch: u32) -> &[(u32, u8, u8)] {
        let first = self.stretches.partition_point(|(known, ..)| *known < stretch);
        let behind = self.stretches.get(first..).unwrap_or_default();
        let count = behind.iter().take_while(|(known, ..)| *known == stretch).count();
        behind.get(..count).unwrap_or_default()
    }
}

/// The letters and digits of a chunk in lower case, what stands between them left out.
fn letters(text: &str, words: &[Step]) -> Vec<u8> {
    let bytes = |step: &Step| text.as_bytes().get(step.start as usize..step.end as usize).unwrap_or_default();
    words.iter().flat_map(bytes).map(u8::to_ascii_lowercase).collect()
}

fn hash(stretch: &[u8], key: u64) -> u32 {
    let joined = stretch.iter().fold(SALT, |hash, byte| join(hash, u64::from(*byte)));
    u32::try_from(keyed(joined, key) >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::state::Privacy;
    use super::super::walk::walk;
    use super::*;

    const ORIGIN: Origin = Origin {
        call: 0,
        server: 1,
        is_private: true,
        is_untrusted: false,
        privacy: Privacy::Private,
        is_marked: false,
        is_open: false,
        is_house_rule: false,
        is_secret: false,
    };

    fn covered(split: &Split, text: &str) -> Vec<Covered> {
        let (steps, _) = walk(text, 100);
        let mut all = Vec::new();
        split.cover(text, &steps, 7, &mut all);
        all
    }

    fn knowing(secrets: impl Iterator<Item = String>) -> Split {
        let mut split = Split::default();
        for secret in secrets {
            let (steps, _) = walk(&secret, 100);
            split.learn(&[stretches(&secret, &steps, 7).expect("long enough")], ORIGIN);
        }
        split
    }

    #[test]
    fn parts_are_joined_only_within_the_window() {
        let mut split = knowing(core::iter::once("Tundra7Lark5521Quartz9".to_owned()));
        split.note(&covered(&split, "Tundra7Lark"), &[4], 1000);
        let rest = covered(&split, "5521Quartz9");
        assert!(split.completed(&rest, &[4], 1000).is_some());
        assert!(split.completed(&rest, &[4], 1001).is_none());
        assert!(split.completed(&rest, &[5], 0).is_none());
    }

    #[test]
    fn what_is_followed_is_bounded() {
        let many = (0..1000u64).map(|number| format!("{:032x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let mut split = knowing(many);
        assert_eq!(split.secrets.len(), MOST_SECRETS);
        for at_ms in 0..1000 {
            split.note(&[Covered { secret: 0, letters: 1 }], &[at_ms], at_ms);
        }
        assert!(split.parts.len() == MOST_PARTS && split.bytes() < 64 << 10);
    }
}
