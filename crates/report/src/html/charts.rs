//! Charts as inline SVG: bars with their numbers beside them, readable without colour and without script.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::text;

/// One bar: what it counts, and how many of each class, which colours its part.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) parts: Vec<(usize, &'static str)>,
}

impl Bar {
    fn total(&self) -> usize {
        self.parts.iter().map(|(count, _)| count).sum()
    }
}

/// The drawing's own units; the page scales it.
const WIDTH: usize = 380;
const LABELS: usize = 162;
const NUMBERS: usize = 40;
const ROW: usize = 26;
const THICKNESS: usize = 16;
/// The columns of a label that fit beside the bars.
const LONGEST_LABEL: usize = 20;

/// A figure with one horizontal bar a row; the parts of a bar are stacked.
pub(super) fn bars(caption: &str, rows: &[Bar]) -> String {
    let most = rows.iter().map(Bar::total).max().unwrap_or(0).max(1);
    let room = WIDTH - LABELS - NUMBERS;
    let height = rows.len().max(1) * ROW + 4;
    let mut svg = format!(
        "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        text(caption),
        text(&spoken(caption, rows))
    );
    for (index, bar) in rows.iter().enumerate() {
        let top = index * ROW + 5;
        let (middle, label) = (top + THICKNESS - 3, shortened(&bar.label));
        svg.push_str(&format!(
            "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>",
            LABELS - 8,
            text(&label)
        ));
        svg.push_str(&format!(
            "<rect class=\"track\" x=\"{LABELS}\" y=\"{top}\" width=\"{room}\" height=\"{THICKNESS}\" opacity=\"0.35\"/>"
        ));
        let mut left = LABELS;
        for (count, class) in bar.parts.iter().filter(|(count, _)| *count > 0) {
            // Whatever is there is seen: a bar has a width even beside one a thousand times longer.
            let width = (count * room / most).max(2);
            svg.push_str(&format!(
                "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{THICKNESS}\"/>"
            ));
            left += width;
        }
        svg.push_str(&format!("<text x=\"{}\" y=\"{middle}\">{}</text>", WIDTH - NUMBERS + 6, bar.total()));
    }
    svg.push_str("</svg></figure>\n");
    svg
}

/// What a screen reader says instead of the drawing.
fn spoken(caption: &str, rows: &[Bar]) -> String {
    let rows: Vec<String> = rows.iter().map(|bar| format!("{} {}", bar.label, bar.total())).collect();
    format!("{caption}: {}", rows.join(", "))
}

fn shortened(label: &str) -> String {
    if label.width() <= LONGEST_LABEL {
        return label.to_owned();
    }
    let mut short = String::new();
    for character in label.chars() {
        if short.width() + character.width().unwrap_or(0) >= LONGEST_LABEL {
            break;
        }
        short.push(character);
    }
    short.push('…');
    short
}
