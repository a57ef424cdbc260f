//! Other scanners' findings beside ours: where they agree, and what only one of them says.

use std::io::{self, Write};

use portcullis_decide::Finding;
use portcullis_detect::{Kind, RULES_VERSION, escape_line};
use serde::Serialize;

use crate::place::subject_of;
use crate::safe_json;
use crate::style::Style;
use crate::summary::count;

/// The most characters of another scanner's words that are shown.
const LONGEST: usize = 300;

/// What another scanner found. Nothing of it is to be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// Which scanner, or which part of it.
    pub scanner: String,
    /// The name it has for what it found.
    pub rule: String,
    /// Its own word for how bad it is.
    pub severity: String,
    /// Its message.
    pub message: String,
}

/// One definition that somebody raised.
#[derive(Clone, Debug)]
pub struct Raised<'a> {
    /// The operator's name of the server. May be hostile.
    pub server: &'a str,
    /// What was declared.
    pub kind: Kind,
    /// The declared name. May be hostile.
    pub name: &'a str,
    /// What we found.
    pub ours: Option<&'a Finding>,
    /// What they found.
    pub theirs: Vec<&'a Other>,
}

/// All findings of both sides.
#[derive(Clone, Debug)]
pub struct Agreement<'a> {
    /// How many definitions we looked at.
    pub definitions: usize,
    /// What somebody raised, by server and name.
    pub raised: Vec<Raised<'a>>,
    /// Findings on names we were not given, with the name.
    pub unmatched: Vec<(&'a str, &'a Other)>,
}

/// How many definitions which side raised.
#[derive(Serialize)]
struct Counts {
    definitions: usize,
    both: usize,
    only_ours: usize,
    only_theirs: usize,
    neither: usize,
    unmatched: usize,
}

impl Agreement<'_> {
    fn counts(&self) -> Counts {
        let with = |ours: bool, theirs: bool| {
            let is_it = |one: &&Raised<'_>| one.ours.is_some() == ours && one.theirs.is_empty() != theirs;
            self.raised.iter().filter(is_it).count()
        };
        Counts {
            definitions: self.definitions,
            both: with(true, true),
            only_ours: with(true, false),
            only_theirs: with(false, true),
            neither: self.definitions.saturating_sub(self.raised.len()),
            unmatched: self.unmatched.len(),
        }
    }
}

/// Writes both sides for people.
///
/// # Errors
/// Only those of `out`.
pub fn write_plain(agreement: &Agreement<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { error, warning, note, strong, reset, .. } = style;
    for one in &agreement.raised {
        let (colour, word) = match (one.ours, one.theirs.is_empty()) {
            (Some(_), false) => (error, "both"),
            (Some(_), true) => (warning, "only ours"),
            (None, _) => (note, "only theirs"),
        };
        let subject = subject_of(one.server, one.kind, one.name);
        writeln!(out, "{colour}{word}{reset}{strong}: {subject}{reset}")?;
        if let Some(finding) = one.ours {
            let checks = finding.checks.join(", ");
            writeln!(out, "  portcullis: {} {checks}", finding.severity.as_str())?;
        }
        one.theirs.iter().try_for_each(|other| write_other(other, out))?;
    }
    for (name, other) in &agreement.unmatched {
        writeln!(out, "{note}not ours to judge{reset}{strong}: {}{reset}", escape_line(name, 100))?;
        write_other(other, out)?;
    }
    let Counts { both, only_ours, only_theirs, neither, unmatched, definitions } = agreement.counts();
    let agreed = (both + neither) * 100 / definitions.max(1);
    let unmatched =
        if unmatched == 0 { String::new() } else { format!("; {unmatched} on what we were not given") };
    writeln!(
        out,
        "{}: both raise {both}, only we {only_ours}, only they {only_theirs}, neither {neither} ({agreed} % agreement)\
         {unmatched}, rules {RULES_VERSION}",
        count(definitions, "definition")
    )
}

fn write_other(other: &Other, out: &mut dyn Write) -> io::Result<()> {
    let shown = |text: &str| escape_line(text, LONGEST);
    let message =
        if other.message.is_empty() { String::new() } else { format!(": {}", shown(&other.message)) };
    writeln!(out, "  {}: {} {}{message}", shown(&other.scanner), shown(&other.severity), shown(&other.rule))
}

/// Writes both sides for programs.
///
/// # Errors
/// Only those of `out`.
pub fn write_json(agreement: &Agreement<'_>, out: &mut dyn Write) -> io::Result<()> {
    let raised = agreement.raised.iter().map(|one| JsonRaised {
        server: one.server,
        kind: one.kind.as_str(),
        name: one.name,
        ours: one
            .ours
            .map(|finding| JsonOurs { severity: finding.severity.as_str(), checks: &finding.checks }),
        theirs: one.theirs.iter().map(|other| json_other(other)).collect(),
    });
    let document = Document {
        schema: "portcullis.agreement/1",
        rules_version: RULES_VERSION,
        totals: agreement.counts(),
        raised: raised.collect(),
        unmatched: agreement
            .unmatched
            .iter()
            .map(|(name, other)| JsonUnmatched { name, finding: json_other(other) })
            .collect(),
    };
    safe_json::write(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    rules_version: &'static str,
    totals: Counts,
    raised: Vec<JsonRaised<'a>>,
    unmatched: Vec<JsonUnmatched<'a>>,
}

#[derive(Serialize)]
struct JsonRaised<'a> {
    server: &'a str,
    kind: &'static str,
    name: &'a str,
    ours: Option<JsonOurs<'a>>,
    theirs: Vec<JsonOther<'a>>,
}

#[derive(Serialize)]
struct JsonOurs<'a> {
    severity: &'static str,
    checks: &'a [&'static str],
}

#[derive(Serialize)]
struct JsonOther<'a> {
    scanner: &'a str,
    rule: &'a str,
    severity: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct JsonUnmatched<'a> {
    name: &'a str,
    finding: JsonOther<'a>,
}

fn json_other(other: &Other) -> JsonOther<'_> {
    let Other { scanner, rule, severity, message } = other;
    JsonOther { scanner, rule, severity, message }
}
