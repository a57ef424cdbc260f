//! Where a definition was read, and how a place inside one is written.

use std::collections::BTreeMap;

use portcullis_decide::{Finding, Incomplete};
use portcullis_detect::{Kind, escape_line};

/// The longest part of a hostile name that is shown to people.
pub(crate) const LONGEST_NAME: usize = 100;
/// The longest part of a note that is shown to people.
pub(crate) const LONGEST_NOTE: usize = 1000;

/// The file a definition stands in, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The path as the caller named it.
    pub file: String,
    /// 1-based.
    pub line: usize,
    /// 1-based, in characters.
    pub column: usize,
}

impl Origin {
    /// `file:line:column`, safe to print.
    pub fn shown(&self) -> String {
        format!("{}:{}:{}", escape_line(&self.file, 200), self.line, self.column)
    }
}

/// What was not looked at, and why, on one line and safe to print.
pub(crate) fn told(gap: &Incomplete) -> String {
    format!("{}: {}", escape_line(&gap.subject, 200), escape_line(&gap.reason, 400))
}

/// The origins of findings; what came from a stream has none.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    places: BTreeMap<(Box<str>, Kind, Box<str>), Origin>,
}

impl Origins {
    /// Remembers where a definition stands. Of two with one name the first stays.
    pub fn insert(&mut self, server: &str, kind: Kind, name: &str, origin: Origin) {
        self.places.entry((server.into(), kind, name.into())).or_insert(origin);
    }

    /// Where the finding's definition stands.
    pub fn of(&self, finding: &Finding) -> Option<&Origin> {
        self.places.get(&(finding.server.clone(), finding.kind, finding.name.clone()))
    }
}

/// `server/tool`, safe to print; other kinds say what they are.
pub(crate) fn subject(finding: &Finding) -> String {
    subject_of(&finding.server, finding.kind, &finding.name)
}

/// The same for any definition.
pub(crate) fn subject_of(server: &str, kind: Kind, name: &str) -> String {
    let (server, name) = (escape_line(server, LONGEST_NAME), escape_line(name, LONGEST_NAME));
    match kind {
        Kind::Tool | Kind::Instructions => format!("{server}/{name}"),
        Kind::Prompt => format!("{server}/prompts/{name}"),
        Kind::Resource => format!("{server}/resources/{name}"),
        Kind::ResourceTemplate => format!("{server}/templates/{name}"),
    }
}
