//! A flow as a picture: tools in columns by what they can do, a line where data moved, red where a rule spoke.
//!
//! Every tool and every line is a link to its row in the table. What the pointer or the keyboard stands on is told in a
//! line below the picture, by the style sheet alone.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use portcullis_detect::escape_line;

use crate::flow::{Edge, Flow, Step, what};
use crate::words;

/// The columns in the order an attack takes; a tool stands in the first that fits.
const COLUMNS: [(&str, &str); 4] = [
    ("sees_untrusted", "Shows what others wrote"),
    ("reads_private", "Reads private data"),
    ("can_send", "Can send"),
    ("", "Other tools"),
];
/// The picture, in its own units.
const WIDTH: usize = 960;
const TOP: usize = 34;
const ROW: usize = 46;
const BOX_WIDTH: usize = 220;
const BOX_HEIGHT: usize = 34;
/// What a line takes that leads out of a column and back into it.
const BEND: usize = 56;
/// Letters that fit into a box, and into the line below.
const FITTING: usize = 28;
const LONGEST: usize = 150;
/// Tools that are drawn, those first between which data moved. The table has all.
const MOST_TOOLS: usize = 40;

type Name<'a> = (&'a str, &'a str);

/// A tool and its calls.
struct Node<'a> {
    name: Name<'a>,
    column: usize,
    calls: Vec<&'a Step>,
}

/// All that moved from one tool to another.
struct Way<'a> {
    from: Name<'a>,
    to: Name<'a>,
    edges: Vec<&'a Edge>,
}

/// A place in the picture: the left upper corner of a box.
#[derive(Clone, Copy)]
struct Place {
    column: usize,
    x: usize,
    y: usize,
}

/// The picture.
pub(crate) fn drawn(flow: &Flow) -> Markup {
    let ways = ways(flow);
    let nodes = nodes(flow, &ways);
    let (places, headings, height) = laid_out(&nodes);
    let line = height + 16;
    html! {
        svg class="graph" viewBox={ "0 0 " (WIDTH) " " (line + 12) } role="group" aria-label="Tools of this session, and where data moved between them" {
            @for (x, heading) in headings { text class="heading" x=(x) y="14" { (heading) } }
            @for way in &ways {
                @if let (Some(from), Some(to)) = (places.get(&way.from), places.get(&way.to)) { (draw_way(way, *from, *to, line)) }
            }
            @for node in &nodes {
                @if let Some(place) = places.get(&node.name) { (draw_node(node, *place, line)) }
            }
            text class="hint" x="0" y=(line) { "Point at a tool or a line, or step to it with the Tab key, to read what happened." }
        }
    }
}

/// What moved, gathered by the two tools it moved between.
fn ways(flow: &Flow) -> Vec<Way<'_>> {
    let names: BTreeMap<u64, Name<'_>> = flow.calls.iter().map(|step| (step.call, name(step))).collect();
    let mut ways: BTreeMap<(Name<'_>, Name<'_>), Vec<&Edge>> = BTreeMap::new();
    for edge in &flow.edges {
        if let (Some(from), Some(to)) = (names.get(&edge.from), names.get(&edge.to)) {
            ways.entry((*from, *to)).or_default().push(edge);
        }
    }
    ways.into_iter().map(|((from, to), edges)| Way { from, to, edges }).collect()
}

fn name(step: &Step) -> Name<'_> {
    (&step.server, &step.tool)
}

/// The tools, in the order they were first called.
fn nodes<'a>(flow: &'a Flow, ways: &[Way<'a>]) -> Vec<Node<'a>> {
    let mut nodes: Vec<Node<'a>> = Vec::new();
    for step in &flow.calls {
        match nodes.iter_mut().find(|node| node.name == name(step)) {
            Some(node) => node.calls.push(step),
            None => nodes.push(Node { name: name(step), column: column(step), calls: vec![step] }),
        }
    }
    let moving: BTreeSet<Name<'_>> = ways.iter().flat_map(|way| [way.from, way.to]).collect();
    nodes.sort_by_key(|node| !moving.contains(&node.name));
    nodes.truncate(MOST_TOOLS);
    nodes
}

fn column(step: &Step) -> usize {
    let fits = |label: &str| label.is_empty() || step.labels.iter().any(|known| known == label);
    COLUMNS.iter().position(|(label, _)| fits(label)).unwrap_or_default()
}

/// Where everything stands: boxes, headings with where they begin, and how high it all is.
fn laid_out<'a>(nodes: &[Node<'a>]) -> (BTreeMap<Name<'a>, Place>, Vec<(usize, &'static str)>, usize) {
    let used: Vec<usize> =
        (0..COLUMNS.len()).filter(|column| nodes.iter().any(|node| node.column == *column)).collect();
    // The last column keeps room for lines that bend back into it.
    let stride = (WIDTH - BOX_WIDTH - BEND) / used.len().saturating_sub(1).max(1);
    let (mut places, mut headings, mut height) = (BTreeMap::new(), Vec::new(), TOP);
    for (index, column) in used.into_iter().enumerate() {
        let x = index * stride;
        headings.extend(COLUMNS.get(column).map(|(_, heading)| (x, *heading)));
        let mut y = TOP;
        for node in nodes.iter().filter(|node| node.column == column) {
            places.insert(node.name, Place { column, x, y });
            y += ROW;
        }
        height = height.max(y);
    }
    (places, headings, height)
}

fn draw_node(node: &Node<'_>, place: Place, line: usize) -> Markup {
    let (server, tool) = node.name;
    let rules: BTreeSet<&str> = node.calls.iter().flat_map(|step| step.rules()).collect();
    let first = node.calls.iter().find(|step| step.rules().next().is_some()).or(node.calls.first());
    let labels = node.calls.first().map(|step| step.labels.join(", ")).filter(|labels| !labels.is_empty());
    let said = [
        Some(format!("{server} / {tool}: {}", words::count(node.calls.len() as u64, "call", "calls"))),
        labels,
        (!rules.is_empty()).then(|| rules.iter().copied().collect::<Vec<_>>().join(", ")),
    ];
    let said = told(&said.into_iter().flatten().collect::<Vec<_>>().join("; "));
    html! {
        a class={ "node" @if !rules.is_empty() { " minded" } } href={ "#call-" (first.map_or(0, |step| step.call)) } {
            title { (said) }
            rect x=(place.x) y=(place.y) width=(BOX_WIDTH) height=(BOX_HEIGHT) rx="5" {}
            text x=(place.x + 10) y=(place.y + 14) { (fitting(tool)) }
            text class="small" x=(place.x + 10) y=(place.y + 28) { (fitting(server)) }
            text class="tip" x="0" y=(line) { (said) }
        }
    }
}

fn draw_way(way: &Way<'_>, from: Place, to: Place, line: usize) -> Markup {
    let checks: BTreeSet<&str> = way.edges.iter().filter_map(|edge| edge.check.as_deref()).collect();
    let risk = way.edges.iter().map(|edge| edge.risk).max().unwrap_or_default();
    let worst = way.edges.iter().max_by_key(|edge| edge.risk);
    let kinds: BTreeSet<&str> = way.edges.iter().map(|edge| what(edge)).collect();
    let mut said = format!(
        "{} / {} to {} / {}: {}",
        way.from.0,
        way.from.1,
        way.to.0,
        way.to.1,
        kinds.into_iter().collect::<Vec<_>>().join(", ")
    );
    if !checks.is_empty() {
        let checks = checks.iter().copied().collect::<Vec<_>>().join(", ");
        said.push_str(&format!("; {checks}, risk {risk}"));
    }
    let (said, curve) = (told(&said), Curve::between(from, to));
    html! {
        a class={ "way" @if !checks.is_empty() { " minded" } } href={ "#call-" (worst.map_or(0, |edge| edge.to)) } aria-label=(said) {
            // A wide line that cannot be seen, so that a thin one can be pointed at.
            path class="reach" d=(curve.path()) {}
            path class="line" d=(curve.path()) {}
            path class="head" d=(curve.head()) {}
            @if !checks.is_empty() {
                @let (x, y) = curve.middle();
                rect class="plate" x=(x.saturating_sub(13)) y=(y.saturating_sub(9)) width="26" height="18" rx="9" {}
                text class="risk" x=(x) y=(y + 4) { (risk) }
            }
            text class="tip" x="0" y=(line) { (said) }
        }
    }
}

/// A line from one box to another, bent at the height of either end.
struct Curve {
    from: (usize, usize),
    to: (usize, usize),
    bends: (usize, usize),
    is_leftward: bool,
}

impl Curve {
    fn between(from: Place, to: Place) -> Curve {
        let middle = |place: Place| place.y + BOX_HEIGHT / 2;
        let right = |place: Place| place.x + BOX_WIDTH;
        match from.column.cmp(&to.column) {
            std::cmp::Ordering::Less => {
                let bend = usize::midpoint(right(from), to.x);
                let ends = ((right(from), middle(from)), (to.x, middle(to)));
                Curve { from: ends.0, to: ends.1, bends: (bend, bend), is_leftward: false }
            }
            std::cmp::Ordering::Greater => {
                let bend = usize::midpoint(from.x, right(to));
                let ends = ((from.x, middle(from)), (right(to), middle(to)));
                Curve { from: ends.0, to: ends.1, bends: (bend, bend), is_leftward: true }
            }
            // Out of the column and back into it; a tool that feeds itself leaves above and comes back below.
            std::cmp::Ordering::Equal => {
                let bend = right(from) + BEND;
                let ends = ((right(from), middle(from) - 7), (right(to), middle(to) + 7));
                Curve { from: ends.0, to: ends.1, bends: (bend, bend), is_leftward: true }
            }
        }
    }

    fn path(&self) -> String {
        let ((x, y), (to_x, to_y), (out, back)) = (self.from, self.to, self.bends);
        format!("M{x} {y} C{out} {y} {back} {to_y} {to_x} {to_y}")
    }

    /// The arrow's head.
    fn head(&self) -> String {
        let (x, y) = self.to;
        let back = if self.is_leftward { x + 8 } else { x.saturating_sub(8) };
        format!("M{x} {y} L{back} {} L{back} {} Z", y.saturating_sub(4), y + 4)
    }

    /// Where the middle of the line is.
    fn middle(&self) -> (usize, usize) {
        let x = (self.from.0 + 3 * self.bends.0 + 3 * self.bends.1 + self.to.0) / 8;
        (x, usize::midpoint(self.from.1, self.to.1))
    }
}

fn told(text: &str) -> String {
    escape_line(text, LONGEST)
}

fn fitting(name: &str) -> String {
    escape_line(name, FITTING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(call: u64, tool: &str, labels: &[&str]) -> Step {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        Step { call, server: "mail".into(), tool: tool.into(), labels, ..Step::default() }
    }

    fn edge(from: u64, to: u64, check: Option<&str>) -> Edge {
        let risk = if check.is_some() { 85 } else { 0 };
        Edge { from, to, check: check.map(str::to_owned), risk, ..Edge::default() }
    }

    #[test]
    fn tools_are_drawn_once_and_what_a_rule_minds_is_red() {
        let calls = vec![
            step(1, "read_inbox", &["reads_private", "sees_untrusted"]),
            step(2, "send_email", &["can_send"]),
            step(3, "send_email", &["can_send"]),
            step(4, "note", &[]),
        ];
        let edges = vec![edge(1, 2, None), edge(1, 3, Some("flow.x")), edge(4, 4, None), edge(9, 2, None)];
        let svg = drawn(&Flow { calls, edges, ..Flow::default() }).into_string();
        assert_eq!(svg.matches("class=\"node").count(), 3, "{svg}");
        assert_eq!(svg.matches("class=\"way").count(), 2, "what is not known has no line: {svg}");
        assert_eq!(svg.matches("way minded").count(), 1, "{svg}");
        assert!(svg.contains("href=\"#call-3\"") && svg.contains("flow.x, risk 85"), "{svg}");
        assert!(!svg.contains("Reads private data"), "an empty column takes no room: {svg}");
    }

    #[test]
    fn lines_lead_to_the_side_they_come_from() {
        let place = |column, x, y| Place { column, x, y };
        let forth = Curve::between(place(0, 0, 0), place(2, 500, 100));
        assert_eq!((forth.from.0, forth.to.0), (BOX_WIDTH, 500));
        assert_eq!(forth.middle(), (360, 67));
        let back = Curve::between(place(2, 500, 0), place(0, 0, 0));
        assert_eq!((back.from.0, back.to.0), (500, BOX_WIDTH));
        let own = Curve::between(place(0, 0, 0), place(0, 0, 0));
        assert!(own.from.1 < own.to.1 && own.bends.0 > own.from.0);
    }

    #[test]
    fn many_tools_are_cut_but_not_those_between_which_data_moved() {
        let calls: Vec<Step> = (1..=100).map(|call| step(call, &format!("tool_{call}"), &[])).collect();
        let svg = drawn(&Flow { calls, edges: vec![edge(99, 100, None)], ..Flow::default() }).into_string();
        assert_eq!(svg.matches("class=\"node").count(), MOST_TOOLS);
        assert!(svg.contains("tool_99<") && svg.contains("class=\"way"), "{svg}");
    }
}
