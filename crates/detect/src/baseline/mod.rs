//! What an agent usually does: sets of what it used before and sizes it sent, learnt from clean sessions only.
//!
//! One baseline belongs to one agent on one route. It holds hashes and numbers, no data. It never blocks alone.

mod number;
mod record;

use crate::call_checks::CallContext;
use crate::json::Json;
use crate::prelude::*;
use alloc::collections::BTreeMap;
use core::hash::{BuildHasher, Hasher};
use foldhash::fast::FixedState;
pub use number::Sizes;
pub use record::{BaselineRecord, SeenRecord};

/// What kind of thing may be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Novelty {
    /// A tool the agent never called.
    Tool,
    /// A destination it never sent to.
    Destination,
    /// A host it never sent to.
    Domain,
    /// A tool called after another for the first time.
    Edge,
    /// Arguments of a shape it never used.
    Shape,
}

/// What one call would teach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habit {
    seen: Vec<(Novelty, u64)>,
    tool: u64,
    /// Bytes of arguments that went outside; `None` if nothing did.
    outward_bytes: Option<u64>,
}

/// When and how often something was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    first_ms: u64,
    last_ms: u64,
    sessions: u32,
}

/// Things of one kind that are kept; the one not seen for longest goes first.
const MOST_OF_A_KIND: usize = 10_000;
/// Learning ends after so many sessions and so long a time, or when the operator ratifies.
const SESSIONS: u32 = 20;
const DAYS_MS: u64 = 3 * 24 * 3600 * 1000;

/// The habits of one agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    sessions: u32,
    first_ms: Option<u64>,
    last_ms: u64,
    is_ratified: bool,
    seen: BTreeMap<(Novelty, u64), Seen>,
    sizes: BTreeMap<u64, Sizes>,
    /// How many things were forgotten to keep the bound.
    forgotten: u64,
}

impl Baseline {
    /// Takes in a session that has ended. A session with a raised finding teaches nothing.
    pub fn learn(&mut self, habits: &[Habit], is_clean: bool, now_ms: u64) {
        if !is_clean || habits.is_empty() {
            return;
        }
        self.sessions += 1;
        self.first_ms.get_or_insert(now_ms);
        self.last_ms = self.last_ms.max(now_ms);
        let mut fresh: Vec<(Novelty, u64)> =
            habits.iter().flat_map(|habit| habit.seen.iter().copied()).collect();
        fresh.sort_unstable();
        fresh.dedup();
        for thing in fresh {
            let seen =
                self.seen.entry(thing).or_insert(Seen { first_ms: now_ms, last_ms: now_ms, sessions: 0 });
            seen.last_ms = seen.last_ms.max(now_ms);
            seen.sessions += 1;
        }
        for (tool, bytes) in habits.iter().filter_map(|habit| Some((habit.tool, habit.outward_bytes?))) {
            self.sizes.entry(tool).or_default().add(bytes);
        }
        self.forget();
    }

    /// Whether too little is known to say what is unusual.
    pub fn is_learning(&self) -> bool {
        let has_time = self.first_ms.is_some_and(|first| self.last_ms - first >= DAYS_MS);
        !(self.is_ratified || self.sessions >= SESSIONS && has_time)
    }

    /// The operator looked at the habits and accepts them.
    pub fn ratify(&mut self) {
        self.is_ratified = true;
    }

    /// How many clean sessions were learnt from.
    pub fn sessions(&self) -> u32 {
        self.sessions
    }

    /// Allows one destination, as a reviewer may.
    pub fn allow_destination(&mut self, destination: u64, now_ms: u64) {
        let seen = Seen { first_ms: now_ms, last_ms: now_ms, sessions: 1 };
        self.seen.insert((Novelty::Destination, destination), seen);
    }

    pub(crate) fn has_destination(&self, destination: u64) -> bool {
        self.seen.contains_key(&(Novelty::Destination, destination))
    }

    /// What is new about a call.
    pub fn novelties<'a>(&'a self, habit: &'a Habit) -> impl Iterator<Item = Novelty> + 'a {
        habit.seen.iter().filter(|thing| !self.seen.contains_key(thing)).map(|(novelty, _)| *novelty)
    }

    /// Whether the call takes out far more than this tool ever did.
    pub fn is_outlier(&self, habit: &Habit) -> bool {
        let sizes = self.sizes.get(&habit.tool);
        habit.outward_bytes.is_some_and(|bytes| sizes.is_some_and(|sizes| sizes.is_outlier(bytes)))
    }

    fn forget(&mut self) {
        for novelty in [Novelty::Tool, Novelty::Destination, Novelty::Domain, Novelty::Edge, Novelty::Shape] {
            let range = (novelty, 0)..=(novelty, u64::MAX);
            let count = self.seen.range(range.clone()).count();
            if count <= MOST_OF_A_KIND {
                continue;
            }
            let mut ages: Vec<(u64, (Novelty, u64))> =
                self.seen.range(range).map(|(thing, seen)| (seen.last_ms, *thing)).collect();
            ages.sort_unstable();
            for (_, thing) in ages.into_iter().take(count - MOST_OF_A_KIND) {
                self.seen.remove(&thing);
                self.forgotten += 1;
            }
        }
    }
}

/// What a call would teach.
pub(crate) fn habit(context: &CallContext<'_>) -> Habit {
    let tool = tool_hash(context.call.server, context.call.tool);
    let mut seen = vec![
        (Novelty::Tool, tool),
        (Novelty::Edge, hash(&[context.flow.last_tool(), tool])),
        (Novelty::Shape, hash(&[tool, shape(context.call.arguments)])),
    ];
    let outward = context.outward().filter(|_| context.operation().acts());
    for destination in outward.into_iter().flat_map(|outward| &outward.destinations) {
        seen.push((Novelty::Destination, destination.atom));
        seen.push((Novelty::Domain, text_hash(&destination.address.host)));
    }
    Habit { seen, tool, outward_bytes: outward.map(|_| context.arguments.bytes) }
}

pub(crate) fn tool_hash(server: &str, tool: &str) -> u64 {
    hash(&[text_hash(server), text_hash(tool)])
}

/// The keys of an object and the types of their values, in any order.
fn shape(arguments: &Json) -> u64 {
    let kind = |json: &Json| match json {
        Json::Null => 0,
        Json::Bool(_) => 1,
        Json::Number(_) => 2,
        Json::String(_) => 3,
        Json::Array(_) => 4,
        Json::Object(_) => 5,
    };
    let members = arguments.members().iter();
    members.map(|(key, value)| hash(&[text_hash(key), kind(value)])).fold(0, u64::wrapping_add)
}

fn text_hash(text: &str) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

fn hash(parts: &[u64]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    parts.iter().for_each(|part| hasher.write_u64(*part));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 3600 * 1000;

    fn habit(destination: u64, bytes: u64) -> Habit {
        Habit { seen: vec![(Novelty::Destination, destination)], tool: 1, outward_bytes: Some(bytes) }
    }

    #[test]
    fn learning_takes_sessions_and_days_or_a_ratification() {
        let mut baseline = Baseline::default();
        for session in 0..19 {
            baseline.learn(&[habit(1, 100)], true, session * DAY);
        }
        assert!(baseline.is_learning());
        baseline.learn(&[habit(1, 100)], true, 19 * DAY);
        assert!(!baseline.is_learning());
        let mut quick = Baseline::default();
        (0..40).for_each(|_| quick.learn(&[habit(1, 100)], true, 5));
        assert!(quick.is_learning());
        quick.ratify();
        assert!(!quick.is_learning());
    }

    #[test]
    fn only_clean_sessions_teach() {
        let mut baseline = Baseline::default();
        baseline.learn(&[habit(7, 100)], false, 1);
        assert!(!baseline.has_destination(7) && baseline.sessions() == 0);
        baseline.learn(&[habit(7, 100)], true, 1);
        assert!(baseline.has_destination(7));
        assert_eq!(baseline.novelties(&habit(8, 1)).count(), 1);
        assert_eq!(baseline.novelties(&habit(7, 1)).count(), 0);
    }

    #[test]
    fn a_record_reads_back_as_the_same_baseline() {
        let mut baseline = Baseline::default();
        for session in 0..30u64 {
            baseline.learn(&[habit(session, 100 + session)], true, session);
        }
        assert_eq!(Baseline::from_record(&baseline.to_record()), baseline);
    }

    #[test]
    fn sets_are_bounded() {
        let mut baseline = Baseline::default();
        let many: Vec<Habit> = (0..12_000).map(|number| habit(number, 10)).collect();
        baseline.learn(&many, true, 1);
        assert_eq!(baseline.seen.len(), MOST_OF_A_KIND);
        assert_eq!(baseline.forgotten, 2000);
    }
}
