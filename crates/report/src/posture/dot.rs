//! A posture as a graph in the language of Graphviz.

use std::io::{self, Write};

use portcullis_detect::escape_line;

use super::{Part, PostureReport};

/// Characters of a name in the graph.
const LONGEST_NAME: usize = 80;

/// Writes the graph: a box of tools for each of the three parts, and the ways between them.
pub fn write(report: &PostureReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph posture {{")?;
    writeln!(out, "  rankdir=LR; node [shape=box, fontname=\"sans-serif\"]; compound=true;")?;
    for part in Part::ALL {
        writeln!(out, "  subgraph cluster_{} {{ label={};", part.word(), quoted(part.heading()))?;
        for tool in report.column(part) {
            let label = quoted(&format!("{}/{}", tool.server, tool.tool));
            let style = if report.is_breaking(&tool.server, &tool.tool) { ", style=dashed" } else { "" };
            writeln!(out, "    {} [label={label}{style}];", id(part, &tool.server, &tool.tool))?;
        }
        writeln!(out, "  }}")?;
    }
    for way in report.ways() {
        let [from, to] = [way.from, way.to].map(|(part, name)| id(part, &name.server, &name.tool));
        let style = if way.is_free { " [color=red, penwidth=2]" } else { "" };
        writeln!(out, "  {from} -> {to}{style};")?;
    }
    writeln!(out, "}}")
}

/// A name for a node that no other node has: whatever a tool is called, it stays inside its quotes.
fn id(part: Part, server: &str, tool: &str) -> String {
    quoted_whole(&format!("{} {}/{}", part.word(), server, tool))
}

fn quoted(text: &str) -> String {
    quoted_whole(&escape_line(text, LONGEST_NAME))
}

fn quoted_whole(text: &str) -> String {
    let visible = escape_line(text, usize::MAX);
    format!("\"{}\"", visible.replace('\\', "\\\\").replace('"', "\\\""))
}
