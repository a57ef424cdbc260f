//! Changes some bytes of a document and leaves all others: comments, order, indentation and line ends stay.

use std::ops::Range;

use crate::document::{Format, Member, Node};

/// Bytes to be replaced.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) span: Range<usize>,
    pub(crate) text: String,
}

/// The document with all edits made.
pub(crate) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Edit { span, text: new } in edits {
        out.push_str(text.get(at..span.start).unwrap_or_default());
        out.push_str(&new);
        at = span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// A text as the format writes it.
pub(crate) fn quoted(text: &str, format: Format) -> String {
    let json = serde_json::Value::from(text).to_string();
    match format {
        // The one character JSON writes as it is and TOML does not.
        Format::Toml => json.replace('\u{7f}', "\\u007F"),
        Format::Json | Format::Yaml => json,
    }
}

/// Texts as elements of a list.
pub(crate) fn quoted_list(texts: &[&str], format: Format) -> String {
    texts.iter().map(|text| quoted(text, format)).collect::<Vec<_>>().join(", ")
}

/// A member of an object with one text.
pub(crate) fn quoted_object(name: &str, value: &str, format: Format) -> String {
    match format {
        Format::Toml => format!("{{ {name} = {} }}", quoted(value, format)),
        Format::Json | Format::Yaml => format!("{{ {}: {} }}", quoted(name, format), quoted(value, format)),
    }
}

/// A list as written, with more elements before its own.
pub(crate) fn extended(list: &Node, text: &str, more: &[&str], format: Format) -> Option<String> {
    let span = list.span.clone()?;
    let more = quoted_list(more, format);
    let edit = match list.elements().first() {
        Some(first) => {
            let at = first.span.clone()?.start;
            Edit { span: at..at, text: format!("{more}, ") }
        }
        None => Edit { span: span.start + 1..span.start + 1, text: more },
    };
    let shifted = edit.span.start - span.start..edit.span.end - span.start;
    Some(apply(text.get(span)?, vec![Edit { span: shifted, ..edit }]))
}

/// Adds a member after another one of the same object, on a line of its own if that one has one.
pub(crate) fn insert_after(
    object: &Node,
    anchor: &Member,
    (name, value): (&str, &str),
    text: &str,
    format: Format,
) -> Option<Edit> {
    let key = anchor.span.clone()?;
    let end = anchor.node.span.clone()?.end;
    let head = line_head(text, key.start);
    let line_end = line_end(text);
    if format == Format::Toml && object.span.is_none() {
        // Below a header a line is a member; what follows the value on its line is a comment at most. A dotted name
        // before the key belongs to every line.
        let rest = text.get(end..)?;
        let at = end
            + rest
                .find('\n')
                .map_or(rest.len(), |at| rest.get(..at).unwrap_or_default().trim_end_matches('\r').len());
        return Some(Edit { span: at..at, text: format!("{line_end}{head}{name} = {value}") });
    }
    let member = match format {
        Format::Toml => format!("{name} = {value}"),
        Format::Json | Format::Yaml => format!("{}: {value}", quoted(name, format)),
    };
    let has_own_line = head.chars().all(char::is_whitespace) && format == Format::Json;
    let space = if has_own_line { format!("{line_end}{head}") } else { " ".to_owned() };
    Some(Edit { span: end..end, text: format!(",{space}{member}") })
}

/// Takes a member out, as `insert_after` put it in: with the comma or the line end before it.
pub(crate) fn remove(object: &Node, name: &str, text: &str, format: Format) -> Option<Vec<Edit>> {
    let index = object.members().iter().position(|member| member.name == name)?;
    let member = object.members().get(index)?;
    let (start, end) = (member.span.clone()?.start, member.node.span.clone()?.end);
    let gone = |span: Range<usize>| Edit { span, text: String::new() };
    if format == Format::Toml && object.span.is_none() {
        let line = start - line_head(text, start).len();
        let before = text.get(..line)?;
        let kept = before.strip_suffix('\n').map_or(before, |kept| kept.strip_suffix('\r').unwrap_or(kept));
        return Some(vec![gone(kept.len()..end)]);
    }
    let before = index.checked_sub(1).and_then(|before| object.members().get(before));
    // The comma before it; the first member has only one behind it.
    let comma = match before {
        Some(before) => comma_after(text, before.node.span.clone()?.end, format)?,
        None => match comma_after(text, end, format) {
            Some(comma) => comma,
            None => return Some(vec![gone(start..end)]),
        },
    };
    let (low, high) =
        if comma < start { (comma..comma + 1, start..end) } else { (start..end, comma..comma + 1) };
    // Only space between them goes too: a comment stays.
    let is_space = text.get(low.end..high.start)?.chars().all(char::is_whitespace);
    Some(if is_space { vec![gone(low.start..high.end)] } else { vec![gone(low), gone(high)] })
}

/// The comma that follows an element, with space and comments before it at most.
fn comma_after(text: &str, mut at: usize, format: Format) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let space = rest.len() - rest.trim_start().len();
        at += space;
        let rest = rest.get(space..)?;
        let line = if format == Format::Toml { "#" } else { "//" };
        if rest.starts_with(',') {
            return Some(at);
        } else if rest.starts_with(line) {
            at += rest.find('\n')?;
        } else if format == Format::Json && rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            return None;
        }
    }
}

/// What stands on a line before a place.
fn line_head(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let head = before.rsplit('\n').next().unwrap_or_default();
    head.trim_start_matches('\u{feff}')
}

/// How lines end in this document.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
