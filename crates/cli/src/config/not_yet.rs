//! Keys that are read and checked, and that nothing follows yet: whoever writes one is told, instead of feeling safe.

use crate::document::{Node, Problem};

/// The ways to them.
const KEYS: [&[&str]; 1] = [&["rules"]];

/// A warning for each of them that was written.
pub(super) fn warnings(root: &Node) -> Vec<Problem> {
    let warning = |way: &[&str]| {
        let node = way.iter().try_fold(root, |node, name| node.member(name))?;
        Some(Problem::at(node.at, format!("`{}` is understood, but not followed yet", way.join("."))))
    };
    let mut warnings: Vec<Problem> = KEYS.iter().filter_map(|way| warning(way)).collect();
    warnings.sort_by_key(Problem::place);
    warnings
}
