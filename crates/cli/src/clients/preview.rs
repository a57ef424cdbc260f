//! The difference a change would make, without the secrets that stand around it.

use portcullis_detect::escape_line;
use portcullis_detect::sensitive::{Format as TextFormat, Piece, SensitiveData, Stream};
use similar::TextDiff;

use super::splice::{Edit, apply};
use crate::document::{self, Format, Node};

/// Characters of a line that are shown: a file of one line would fill the screen.
const LONGEST_LINE: usize = 400;
/// Keys whose values are nobody's business.
const SECRET: [&str; 5] = ["env", "environment", "headers", "http_headers", "requestOptions"];

/// A unified difference of two versions of a document.
pub(crate) fn difference(name: &str, before: &str, after: &str, format: Format) -> String {
    let data = SensitiveData::new();
    let [before, after] = [before, after].map(|text| masked(text, format, &data));
    let difference = TextDiff::from_lines(before.as_str(), after.as_str());
    let text = difference.unified_diff().context_radius(2).header(name, name).to_string();
    let lines = text.lines().map(|line| escape_line(line.trim_end_matches('\r'), LONGEST_LINE) + "\n");
    lines.collect()
}

/// The text with values of environments and headers, and everything else that looks like a secret, masked.
fn masked(text: &str, format: Format, data: &SensitiveData) -> String {
    let mut edits = Vec::new();
    if let Ok(root) = document::parse(text, format) {
        hide(&root, false, format, &mut edits);
    }
    let text = apply(text, edits);
    let mut out = Vec::new();
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Clean(bytes) => out.extend_from_slice(bytes),
        Piece::Found(located) => out.extend_from_slice(located.masked.as_bytes()),
    };
    let mut stream = Stream::new(data, TextFormat::Text, |hit| hit.doubt.is_none());
    stream.feed(text.as_bytes(), &mut take);
    stream.finish(&mut take);
    String::from_utf8_lossy(&out).into_owned()
}

fn hide(node: &Node, is_secret: bool, format: Format, edits: &mut Vec<Edit>) {
    if is_secret && node.text().is_some() {
        let mask = super::splice::quoted("********", format);
        edits.extend(node.span.clone().map(|span| Edit { span, text: mask }));
    }
    for member in node.members() {
        hide(&member.node, is_secret || SECRET.contains(&member.name.as_str()), format, edits);
    }
    node.elements().iter().for_each(|node| hide(node, is_secret, format, edits));
}
