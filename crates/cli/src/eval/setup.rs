//! Whom an entry is judged among: its peers, its whole file, or servers drawn by lot.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::entry::{Corpus, Entry};
use crate::exit::Failure;

/// How registries are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setup {
    /// Each entry with its peers; the entry is the newcomer.
    Each,
    /// All entries of a file as one registry.
    Together,
    /// This many servers, drawn by lot.
    Random(usize),
}

impl FromStr for Setup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("random:").map(str::parse)) {
            ("each", _) => Ok(Setup::Each),
            ("together", _) => Ok(Setup::Together),
            (_, Some(Ok(size @ 1..))) => Ok(Setup::Random(size)),
            _ => Err("one of: each, together, random:N with N servers".into()),
        }
    }
}

impl std::fmt::Display for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Setup::Each => f.write_str("each"),
            Setup::Together => f.write_str("together"),
            Setup::Random(size) => write!(f, "random:{size}"),
        }
    }
}

/// Draws set-ups of distinct servers; the same corpus, size and seed give the same draws.
pub(crate) struct Lot<'a> {
    /// The servers' entries, ordered by the servers' names.
    servers: Vec<Vec<&'a Entry>>,
    /// Indices into `servers`; their order is the state of the shuffle.
    order: Vec<usize>,
    size: usize,
    random: SplitMix,
}

impl<'a> Lot<'a> {
    /// # Errors
    /// The corpus has fewer servers than a set-up needs.
    pub(crate) fn new(corpus: &'a Corpus, size: usize, seed: u64) -> Result<Self, Failure> {
        let mut servers: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for entry in corpus.entries() {
            servers.entry(entry.definition.server()).or_default().push(entry);
        }
        if servers.len() < size {
            let count = servers.len();
            return Err(Failure::Usage(format!("cannot draw {size} servers: the corpus has {count}")));
        }
        let servers: Vec<Vec<&Entry>> = servers.into_values().collect();
        let order = (0..servers.len()).collect();
        Ok(Lot { servers, order, size, random: SplitMix(seed) })
    }

    /// The next set-up: the entries of each drawn server, ordered by the servers' names.
    pub(crate) fn draw(&mut self) -> Vec<&[&'a Entry]> {
        for place in 0..self.size {
            let rest = self.order.len() - place;
            let other = place + self.random.below(rest);
            self.order.swap(place, other);
        }
        let mut drawn = self.order[..self.size].to_vec();
        drawn.sort_unstable();
        drawn.into_iter().map(|server| self.servers[server].as_slice()).collect()
    }
}

/// Steele, Lea and Flood's splitmix64: tiny, and the same on every machine for ever.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, by taking the high half of a product: no modulo bias worth speaking of.
    fn below(&mut self, limit: usize) -> usize {
        let product = u128::from(self.next()) * (limit as u128);
        usize::try_from(product >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_detect::{Definition, Kind};

    fn corpus(servers: usize) -> Corpus {
        let entry = |number: usize| Entry {
            id: number.to_string(),
            source: "test".into(),
            is_malicious: false,
            category: "benign".into(),
            resembles: None,
            visible: None,
            definition: Definition::parse(&format!("s{number:03}"), Kind::Tool, "{\"name\":\"t\"}")
                .expect("a tool"),
            peers: Vec::new(),
        };
        Corpus {
            files: vec![(0..servers).map(entry).collect()],
            gaps: Vec::new(),
            samples: Vec::new(),
            annotated: Vec::new(),
        }
    }

    fn drawn(lot: &mut Lot<'_>) -> Vec<String> {
        lot.draw().into_iter().flatten().map(|entry| entry.id.clone()).collect()
    }

    #[test]
    fn set_ups_are_read_from_words() {
        assert_eq!("random:40".parse(), Ok(Setup::Random(40)));
        assert_eq!(Setup::Random(40).to_string(), "random:40");
        for bad in ["random:0", "random:", "random:x", "all"] {
            assert!(bad.parse::<Setup>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_servers() {
        let corpus = corpus(50);
        let mut first = Lot::new(&corpus, 5, 7).expect("enough servers");
        let mut second = Lot::new(&corpus, 5, 7).expect("enough servers");
        let mut other = Lot::new(&corpus, 5, 8).expect("enough servers");
        let (a, b, c) = (drawn(&mut first), drawn(&mut second), drawn(&mut other));
        assert_eq!(a, b);
        assert_ne!(a, c);
        assert_ne!(a, drawn(&mut first));
        assert!(a.len() == 5 && a.is_sorted(), "{a:?}");
    }

    #[test]
    fn more_servers_than_there_are_cannot_be_drawn() {
        let corpus = corpus(3);
        assert!(Lot::new(&corpus, 3, 1).is_ok());
        assert!(matches!(Lot::new(&corpus, 4, 1), Err(Failure::Usage(message)) if message.contains("has 3")));
    }

    #[test]
    fn the_generator_is_splitmix64() {
        // The first values for seed 1234567 as published with the reference implementation.
        let mut random = SplitMix(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
