//! A posture as a picture that stands alone: no script, no style sheet, nothing that is fetched.
//!
//! Three columns in the order an attack takes, from what others wrote over private data to a way out. Colours are
//! attributes, because pages with a strict policy drop style sheets inside pictures.

use std::collections::BTreeMap;
use std::io::{self, Write};

use portcullis_detect::escape_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Part, PostureReport, PostureTool};

const WIDTH: usize = 1000;
const MARGIN: usize = 20;
/// A column, and from one column to the next.
const COLUMN: usize = 260;
const STRIDE: usize = 350;
/// Where columns begin, below title and headings.
const TOP: usize = 84;
const ROW: usize = 30;
const BOX: usize = 24;
/// Columns of a fixed-width letter that fit into a box; the whole name is its tooltip.
const FITTING: usize = 33;
/// Characters of a tooltip.
const LONGEST_NAME: usize = 200;
/// Sentences below the picture.
const MOST_SENTENCES: usize = 8;

const INK: &str = "#1f2933";
const FAINT: &str = "#7b8794";
const ALARM: &str = "#c0392b";

/// Where a tool stands in a column.
type Places<'a> = BTreeMap<(&'static str, &'a str, &'a str), (usize, usize)>;

/// Writes the picture.
pub fn write(report: &PostureReport, out: &mut dyn Write) -> io::Result<()> {
    let columns = Part::ALL.map(|part| rows(&report.column(part)));
    let longest = columns.iter().map(Vec::len).max().unwrap_or_default();
    let sentences = sentences(report);
    let below = TOP + longest * ROW + MARGIN;
    let height = below + sentences.len() * 22 + MARGIN;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13" role="img">"#
    )?;
    writeln!(out, "<title>Posture</title>")?;
    writeln!(out, r##"<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>"##)?;
    writeln!(out, r#"<text x="{MARGIN}" y="30" font-size="17" fill="{INK}">{}</text>"#, headline(report))?;
    let mut places = Places::new();
    for (number, (part, rows)) in Part::ALL.into_iter().zip(&columns).enumerate() {
        let x = MARGIN + number * STRIDE;
        writeln!(out, r#"<text x="{x}" y="64" font-weight="bold" fill="{INK}">{}</text>"#, part.heading())?;
        for (row, y) in rows.iter().zip((TOP..).step_by(ROW)) {
            match row {
                Row::Server(name) => {
                    let name = fitting(name);
                    writeln!(out, r#"<text x="{x}" y="{}" fill="{FAINT}">{name}</text>"#, y + 17)?;
                }
                Row::Tool(tool) => {
                    draw_tool(report, part, tool, (x, y), out)?;
                    places.insert((part.word(), &tool.server, &tool.tool), (x, y + BOX / 2));
                }
            }
        }
    }
    draw_ways(report, &places, out)?;
    for (sentence, y) in sentences.iter().zip((below + 16..).step_by(22)) {
        writeln!(out, r#"<text x="{MARGIN}" y="{y}" fill="{INK}">{sentence}</text>"#)?;
    }
    writeln!(out, "</svg>")
}

/// A line of a column: a server, then its tools.
enum Row<'a> {
    Server(&'a str),
    Tool(&'a PostureTool),
}

fn rows<'a>(tools: &[&'a PostureTool]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let mut server = None;
    for tool in tools {
        if server != Some(tool.server.as_str()) {
            rows.push(Row::Server(&tool.server));
            server = Some(&tool.server);
        }
        rows.push(Row::Tool(tool));
    }
    rows
}

fn headline(report: &PostureReport) -> &'static str {
    match (report.complete, report.severity.as_deref()) {
        (false, _) => "Private data, untrusted content and a way out do not meet",
        (true, Some("high")) => "Private data, untrusted content and a way to anywhere meet",
        (true, _) => "Private data, untrusted content and a way out to fixed places meet",
    }
}

fn draw_tool(
    report: &PostureReport,
    part: Part,
    tool: &PostureTool,
    (x, y): (usize, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let fill = match part {
        Part::Untrusted => "#fdf3d8",
        Part::Private => "#dcebfa",
        Part::Sender => "#fbe1de",
    };
    let is_breaking = report.is_breaking(&tool.server, &tool.tool);
    let dashes = if is_breaking { r#" stroke-dasharray="5 3""# } else { "" };
    let is_free = part == Part::Sender && tool.can_send.as_deref() == Some("free");
    let (stroke, width) = if is_free { (ALARM, 2) } else { (FAINT, 1) };
    let (whole, name) = (text(&format!("{}/{}", tool.server, tool.tool), LONGEST_NAME), fitting(&tool.tool));
    writeln!(
        out,
        r#"<g><title>{whole}</title><rect x="{x}" y="{y}" width="{COLUMN}" height="{BOX}" rx="4" fill="{fill}" stroke="{stroke}" stroke-width="{width}"{dashes}/><text x="{}" y="{}" font-family="monospace" font-size="12" fill="{INK}">{name}</text></g>"#,
        x + 8,
        y + 16
    )
}

/// The ways of the witnesses; those to a tool that goes wherever a call says are thick.
fn draw_ways(report: &PostureReport, places: &Places<'_>, out: &mut dyn Write) -> io::Result<()> {
    for way in report.ways() {
        let place = |(part, name): (Part, &super::ToolName)| {
            places.get(&(part.word(), name.server.as_str(), name.tool.as_str())).copied()
        };
        let (Some((from_x, from_y)), Some((to_x, to_y))) = (place(way.from), place(way.to)) else { continue };
        let (begin, end) = (from_x + COLUMN, to_x);
        let bend = (begin + end) / 2;
        let (stroke, width) = if way.is_free { (ALARM, 2) } else { (FAINT, 1) };
        writeln!(
            out,
            r#"<path d="M{begin} {from_y} C{bend} {from_y} {bend} {to_y} {end} {to_y}" fill="none" stroke="{stroke}" stroke-width="{width}"/><path d="M{} {} L{end} {to_y} L{} {} Z" fill="{stroke}"/>"#,
            end - 7,
            to_y - 4,
            end - 7,
            to_y + 4
        )?;
    }
    Ok(())
}

/// What the picture cannot show, escaped.
fn sentences(report: &PostureReport) -> Vec<String> {
    let alone = report.single_servers.iter().map(|server| format!("{server} alone has all three."));
    let breaking =
        report.breaking.iter().map(|removal| format!("Without {} they no longer meet.", removal.shown()));
    let all: Vec<String> = alone.chain(breaking).collect();
    let mut sentences: Vec<String> =
        all.iter().take(MOST_SENTENCES).map(|one| text(one, LONGEST_NAME)).collect();
    if all.len() > MOST_SENTENCES {
        sentences.push(format!("… and {} more.", all.len() - MOST_SENTENCES));
    }
    if report.complete {
        let legend =
            "Thick: goes wherever a call says. Dashed: without it, or its server, the three no longer meet.";
        sentences.push(legend.to_owned());
    }
    if report.complete && report.breaking.is_empty() {
        sentences.push("No single removal parts them.".to_owned());
    }
    if report.tools_left_out > 0 {
        sentences.push(format!("{} more tools play a part and are not drawn.", report.tools_left_out));
    }
    sentences
}

/// As much of a name as a box has room for.
fn fitting(name: &str) -> String {
    let shown = escape_line(name, LONGEST_NAME);
    if shown.width() <= FITTING {
        return text(&shown, LONGEST_NAME);
    }
    let mut cut = String::new();
    for character in shown.chars() {
        if cut.width() + character.width().unwrap_or_default() >= FITTING {
            break;
        }
        cut.push(character);
    }
    format!("{}…", text(&cut, LONGEST_NAME))
}

/// A text of others inside an element: visible, cut, and nothing but text.
fn text(text: &str, most: usize) -> String {
    let shown = escape_line(text, most);
    shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
