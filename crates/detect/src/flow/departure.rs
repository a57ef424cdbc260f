//! What a call leaves in a flow once it has left, worked out while it was observed.

use super::gram;
use super::print::{self, Kept, keyed};
use super::reference::reference;
use super::span::keyed_word;
use super::split::Covered;
use super::state::{AGENT, Flow, Origin, Sent};
use super::walk::Step;
use crate::prelude::*;

/// What a flow takes in of a call that left.
#[derive(Clone, Debug, Default)]
pub struct Departure {
    pub(crate) said: Said,
    /// What went out; `None` if nothing did.
    pub(crate) sent: Option<Sent>,
    /// Hashes of where it went.
    pub(crate) destinations: Vec<u64>,
    /// The parts of secrets it carries.
    pub(crate) covered: Vec<Covered>,
    /// Other servers' data was put where this one keeps its own.
    pub(crate) is_staged: bool,
    /// It went where nothing explains it.
    pub(crate) is_unexplained: bool,
}

/// What the agent itself said: data it had before any result showed it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(super) marks: Vec<u64>,
    pub(super) words: Vec<u32>,
    pub(super) domains: Vec<u32>,
}

impl Said {
    /// Takes in one value of the arguments.
    pub(crate) fn add(&mut self, text: &str, steps: &[Step], key: u64) {
        let Said { marks, words, domains } = self;
        print::atoms(text, steps, |atom| {
            marks.push(keyed(atom.hash, key));
            let words = steps.get(atom.first..atom.end).unwrap_or_default();
            if let Some(domain) = print::domain(text, words).filter(|_| atom.is_address) {
                domains.push(keyed_word(domain, key));
            }
        });
        marks.extend(reference(text, steps).map(|hash| keyed(hash, key)));
        print::numbers(text, steps, |number, _| marks.push(keyed(number, key)));
        let unkeyed = marks.len();
        let mut kept = Kept::new(marks);
        gram::winnowed(text, steps, |gram, is_new| kept.offer(gram, is_new));
        print::runs(steps, |run, tells| kept.offer(run, tells));
        kept.finish();
        marks.iter_mut().skip(unkeyed).for_each(|mark| *mark = keyed(*mark, key));
        let mut kept = Kept::new(words);
        steps.iter().for_each(|step| kept.offer(keyed_word(step.hash, key), !step.is_everyday));
        kept.finish();
    }
}

impl Flow {
    /// Takes in a call that left. `server` and `tool` are hashes.
    pub(crate) fn note_departure(&mut self, departure: &Departure, server: u64, tool: u64) {
        for mark in &departure.said.marks {
            self.marks.insert(*mark, AGENT, |_| true);
        }
        for word in &departure.said.words {
            self.said.insert(*word);
        }
        for domain in &departure.said.domains {
            self.domains.insert(*domain);
        }
        if departure.is_staged {
            self.note_staged(server);
        }
        if departure.is_unexplained {
            self.note_unexplained();
        }
        if let Some(sent) = departure.sent {
            self.note_sent(sent, &departure.destinations);
            let places = places(&departure.destinations, tool);
            self.split.note(&departure.covered, &places, sent.at_ms);
        }
        self.note_tool(tool);
    }

    /// The parts of secrets that texts carry together.
    pub(crate) fn secret_parts<'t>(
        &self,
        texts: impl Iterator<Item = (&'t str, &'t [Step])>,
    ) -> Vec<Covered> {
        let mut all = Vec::new();
        // Most flows know no secret; then nothing has to be decoded for this.
        if !self.split.is_empty() {
            texts.for_each(|(text, steps)| self.split.cover(text, steps, self.key, &mut all));
        }
        all
    }

    /// The origin of a secret whose last missing part these are, if the other parts went the same way since.
    pub(crate) fn completed_secret(
        &self,
        covered: &[Covered],
        destinations: &[u64],
        tool: u64,
        since_ms: u64,
    ) -> Option<&Origin> {
        self.split.completed(covered, &places(destinations, tool), since_ms)
    }
}

/// Where something went: to its addresses, or, if it names none, wherever the tool always sends.
fn places(destinations: &[u64], tool: u64) -> Vec<u64> {
    if destinations.is_empty() { vec![tool] } else { destinations.to_vec() }
}
