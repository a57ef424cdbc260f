//! The servers that are used now, in their order, found by name.

use std::collections::HashMap;
use std::sync::Arc;

use crate::upstream::Upstream;

/// The servers that are used now.
#[derive(Clone, Default)]
pub(crate) struct Roster {
    list: Vec<Arc<Upstream>>,
    by_name: HashMap<String, usize>,
}

impl Roster {
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Arc<Upstream>> {
        self.list.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Upstream>> {
        self.by_name.get(name).and_then(|place| self.list.get(*place))
    }

    /// The same with one more; one of its name has its place taken.
    pub(crate) fn with(&self, upstream: Arc<Upstream>) -> Roster {
        let mut roster = self.clone();
        let name = upstream.name.as_str().to_owned();
        match roster.by_name.get(&name).and_then(|place| roster.list.get_mut(*place)) {
            Some(place) => *place = upstream,
            None => {
                roster.by_name.insert(name, roster.list.len());
                roster.list.push(upstream);
            }
        }
        roster
    }

    /// The same without one.
    pub(crate) fn without(&self, name: &str) -> Roster {
        self.list.iter().filter(|upstream| upstream.name.as_str() != name).cloned().collect()
    }
}

impl FromIterator<Arc<Upstream>> for Roster {
    /// INVARIANT: no two have one name.
    fn from_iter<I: IntoIterator<Item = Arc<Upstream>>>(all: I) -> Roster {
        let list: Vec<Arc<Upstream>> = all.into_iter().collect();
        let names = list.iter().map(|upstream| upstream.name.as_str().to_owned());
        Roster { by_name: names.zip(0..).collect(), list }
    }
}
