//! The difference between two versions of a definition, for people and for programs.
//!
//! Every run of words stands on a line of its own behind a sign: the server's text cannot imitate one.

use std::io::{self, Write};

use portcullis_decide::difference::{Change, Difference, Rescan, RunKind, What, Word};
use portcullis_decide::lock::{Drift, DriftKind};
use portcullis_detect::json::Json;
use portcullis_detect::{Kind, escape_line};
use serde::Serialize;

use crate::accepted;
use crate::place::subject_of;
use crate::safe_json;
use crate::style::Style;

/// The most characters of one run or value that are shown; of words that stayed, fewer.
const LONGEST: usize = 2000;
const LONGEST_SAME: usize = 60;

/// One definition that changed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The operator's name of the server. May be hostile.
    pub server: Box<str>,
    /// What was declared.
    pub kind: Kind,
    /// The declared name. May be hostile.
    pub name: Box<str>,
    /// What changed.
    pub difference: Difference,
    /// What the checks say of it now and said before.
    pub rescan: Rescan,
}

/// What definitions were compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The lock: of what changed it knows only the parts.
    Lock,
    /// An earlier list.
    Earlier,
}

/// Writes what differs from a lock or an earlier list: what came, went or is only known to differ, then the changes.
///
/// # Errors
/// Only those of `out`.
pub fn write_plain(
    against: Against,
    drift: &[Drift],
    changed: &[Changed],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    drift.iter().try_for_each(|drift| match against {
        Against::Lock => accepted::write_drift(drift, style, out),
        Against::Earlier => write_unmatched(drift, style, out),
    })?;
    changed.iter().try_for_each(|changed| write_changed(changed, style, out))?;
    match drift.len() + changed.len() {
        0 => writeln!(out, "no differences"),
        1 => writeln!(out, "1 difference"),
        count => writeln!(out, "{count} differences"),
    }
}

/// A definition that only one of two lists has.
fn write_unmatched(drift: &Drift, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { warning, strong, reset, .. } = style;
    let (word, explained) = match &drift.what {
        DriftKind::Unknown => ("new", "was not there before".to_owned()),
        DriftKind::Renamed { from } => ("renamed", format!("was {}", escape_line(from, LONGEST_SAME))),
        DriftKind::Vanished => ("gone", "is no longer declared".to_owned()),
        DriftKind::Changed { .. } => ("changed", drift.what.explain()),
    };
    let subject = subject_of(&drift.server, drift.kind, &drift.name);
    writeln!(out, "{warning}{word}{reset}{strong}: {subject} {explained}{reset}\n")
}

fn write_changed(changed: &Changed, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { warning, frame, strong, reset, .. } = style;
    let subject = subject_of(&changed.server, changed.kind, &changed.name);
    let class = changed.difference.class().map_or("none", |class| class.as_str());
    writeln!(out, "{warning}changed[{class}]{reset}{strong}: {subject}{reset}")?;
    for change in &changed.difference.changes {
        let pointer = escape_line(&change.pointer, LONGEST);
        writeln!(out, " {frame}-->{reset} {subject}#{pointer} ({})", change.class.as_str())?;
        write_change(change, style, out)?;
    }
    if changed.difference.unlisted > 0 {
        writeln!(out, "  {frame}={reset} {strong}note{reset}: and {} more", changed.difference.unlisted)?;
    }
    if changed.difference.is_coarse {
        let note = "a text was too long to compare by words";
        writeln!(out, "  {frame}={reset} {strong}note{reset}: {note}")?;
    }
    write_rescan(&changed.rescan, style, out)?;
    writeln!(out)
}

fn write_rescan(rescan: &Rescan, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { error, warning, frame, strong, reset, .. } = style;
    let (came, stayed, went) = (&rescan.came, &rescan.stayed, &rescan.went);
    for (words, what) in [(came, "found since the change"), (stayed, "found before and after the change")] {
        for Word { check, is_hard } in words {
            let (colour, tier) = if *is_hard { (error, "hard") } else { (warning, "soft") };
            writeln!(out, "  {frame}={reset} {colour}{check}{reset}: {what} ({tier})")?;
        }
    }
    went.iter().try_for_each(|word| {
        writeln!(out, "  {frame}={reset} {strong}{}{reset}: no longer found", word.check)
    })
}

fn write_change(change: &Change, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { error, note, frame, reset, .. } = style;
    let value = |value: &Json| escape_line(value.canonical().text(), LONGEST);
    match &change.what {
        What::Removed(before) => writeln!(out, "  {error}-{reset} {}", value(before)),
        What::Replaced { before, after } => {
            writeln!(out, "  {error}-{reset} {}", value(before))?;
            writeln!(out, "  {note}+{reset} {}", value(after))
        }
        What::Added(after) => writeln!(out, "  {note}+{reset} {}", value(after)),
        What::Reordered => writeln!(out, "  {frame}|{reset} the same items in another order"),
        What::Reworded(runs) => runs.iter().try_for_each(|run| match run.kind {
            RunKind::Same => writeln!(out, "  {frame}|{reset} {}", ends(&run.text)),
            RunKind::Removed => writeln!(out, "  {error}-{reset} {}", escape_line(&run.text, LONGEST)),
            RunKind::Added => writeln!(out, "  {note}+{reset} {}", escape_line(&run.text, LONGEST)),
        }),
    }
}

/// The two ends of a text that stayed, escaped.
fn ends(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST_SAME {
        return escape_line(text, LONGEST_SAME);
    }
    let head: String = text.chars().take(LONGEST_SAME / 2).collect();
    let tail: String = text.chars().skip(count - LONGEST_SAME / 2).collect();
    format!("{} … {}", escape_line(&head, LONGEST_SAME), escape_line(&tail, LONGEST_SAME))
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    drift: Vec<JsonDrift<'a>>,
    changed: Vec<JsonChanged<'a>>,
}

/// A definition that is not what the lock says.
#[derive(Serialize)]
pub(crate) struct JsonDrift<'a> {
    server: &'a str,
    kind: &'static str,
    name: &'a str,
    what: &'static str,
    parts: Vec<&'static str>,
    from: Option<&'a str>,
}

impl<'a> JsonDrift<'a> {
    pub(crate) fn of(drift: &'a Drift) -> Self {
        use portcullis_decide::lock::DriftKind as K;
        let (parts, from) = match &drift.what {
            K::Changed { parts } => (parts.iter().map(|part| part.as_str()).collect(), None),
            K::Renamed { from } => (Vec::new(), Some(&**from)),
            K::Unknown | K::Vanished => (Vec::new(), None),
        };
        let (server, kind, name) = (&*drift.server, drift.kind.as_str(), &*drift.name);
        JsonDrift { server, kind, name, what: drift.what.as_str(), parts, from }
    }
}

#[derive(Serialize)]
struct JsonChanged<'a> {
    server: &'a str,
    kind: &'static str,
    name: &'a str,
    class: Option<&'static str>,
    changes: Vec<JsonChange<'a>>,
    unlisted: usize,
    coarse: bool,
    checks: JsonRescan,
}

/// The checks on the new version and the old one.
#[derive(Serialize)]
struct JsonRescan {
    came: Vec<JsonWord>,
    stayed: Vec<JsonWord>,
    went: Vec<JsonWord>,
}

#[derive(Serialize)]
struct JsonWord {
    check: &'static str,
    hard: bool,
}

#[derive(Serialize)]
struct JsonChange<'a> {
    part: &'static str,
    pointer: &'a str,
    class: &'static str,
    #[serde(flatten)]
    what: JsonWhat<'a>,
}

/// Values are canonical JSON as text: a number keeps its digits in every reader.
#[derive(Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
enum JsonWhat<'a> {
    Added { after: String },
    Removed { before: String },
    Replaced { before: String, after: String },
    Reworded { runs: Vec<JsonRun<'a>> },
    Reordered,
}

#[derive(Serialize)]
struct JsonRun<'a> {
    kind: &'static str,
    text: &'a str,
}

/// Writes the same as JSON, schema `portcullis.diff/1`.
///
/// # Errors
/// Only those of `out`.
pub fn write_json(drift: &[Drift], changed: &[Changed], out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: "portcullis.diff/1",
        drift: drift.iter().map(JsonDrift::of).collect(),
        changed: changed.iter().map(json_changed).collect(),
    };
    safe_json::write(&document, out)
}

fn json_changed(changed: &Changed) -> JsonChanged<'_> {
    JsonChanged {
        server: &changed.server,
        kind: changed.kind.as_str(),
        name: &changed.name,
        class: changed.difference.class().map(|class| class.as_str()),
        changes: changed.difference.changes.iter().map(json_change).collect(),
        unlisted: changed.difference.unlisted,
        coarse: changed.difference.is_coarse,
        checks: json_rescan(&changed.rescan),
    }
}

fn json_rescan(rescan: &Rescan) -> JsonRescan {
    let words = |words: &[Word]| -> Vec<JsonWord> {
        words.iter().map(|word| JsonWord { check: word.check, hard: word.is_hard }).collect()
    };
    JsonRescan { came: words(&rescan.came), stayed: words(&rescan.stayed), went: words(&rescan.went) }
}

fn json_change(change: &Change) -> JsonChange<'_> {
    let text = |value: &Json| value.canonical().text().to_owned();
    let what = match &change.what {
        What::Added(after) => JsonWhat::Added { after: text(after) },
        What::Removed(before) => JsonWhat::Removed { before: text(before) },
        What::Replaced { before, after } => JsonWhat::Replaced { before: text(before), after: text(after) },
        What::Reworded(runs) => {
            let runs = runs.iter().map(|run| JsonRun { kind: word(run.kind), text: &run.text });
            JsonWhat::Reworded { runs: runs.collect() }
        }
        What::Reordered => JsonWhat::Reordered,
    };
    JsonChange { part: change.part.as_str(), pointer: &change.pointer, class: change.class.as_str(), what }
}

fn word(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Same => "same",
        RunKind::Removed => "removed",
        RunKind::Added => "added",
    }
}
