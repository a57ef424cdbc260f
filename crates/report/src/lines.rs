//! Files of ours that people read and merge: a first line that says what they are, then one JSON object a line.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::safe_json;

/// Why a file of ours was not read. The message says what the operator can do.
#[derive(Debug, PartialEq, Eq)]
pub enum BadFile {
    /// It is no such file.
    NotOurs {
        /// What its first line should be.
        header: String,
    },
    /// A newer version wrote it.
    Newer {
        /// The version it has.
        version: u64,
    },
    /// A line is not what it should be.
    Line {
        /// Which, 1-based.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

impl std::fmt::Display for BadFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadFile::NotOurs { header } => write!(f, "its first line should be {header}"),
            BadFile::Newer { version } => {
                write!(f, "a newer portcullis wrote it (version {version}); update this one to read it")
            }
            BadFile::Line { line, reason } => write!(f, "line {line}: {reason}"),
        }
    }
}

impl std::error::Error for BadFile {}

fn header(format: &str, version: u64) -> String {
    format!("{{\"{format}\":{version}}}")
}

/// The entries of a file, each with its line.
pub(crate) fn read<T: DeserializeOwned>(
    text: &str,
    format: &str,
    version: u64,
) -> Result<Vec<(usize, T)>, BadFile> {
    let not_ours = || BadFile::NotOurs { header: header(format, version) };
    let mut lines = text.lines().enumerate();
    let first = lines.next().map(|(_, line)| line).unwrap_or_default();
    let first: serde_json::Value = serde_json::from_str(first).map_err(|_| not_ours())?;
    let found = first.get(format).and_then(serde_json::Value::as_u64).ok_or_else(not_ours)?;
    if found > version {
        return Err(BadFile::Newer { version: found });
    }
    if found != version {
        return Err(not_ours());
    }
    let mut entries = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let bad = |reason: &str| BadFile::Line { line: index + 1, reason: reason.into() };
        if ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark)) {
            return Err(bad("a merge conflict was left in it"));
        }
        let entry = serde_json::from_str(line).map_err(|error| {
            let text = error.to_string();
            bad(text.split(" at line ").next().unwrap_or(&text))
        })?;
        entries.push((index + 1, entry));
    }
    Ok(entries)
}

/// The text of a file.
pub(crate) fn write<T: Serialize>(format: &str, version: u64, entries: impl Iterator<Item = T>) -> String {
    lines(header(format, version), entries)
}

/// The text of a file whose first line says more than its format.
pub(crate) fn write_under<T: Serialize>(head: &impl Serialize, entries: impl Iterator<Item = T>) -> String {
    lines(safe_json::line(head), entries)
}

fn lines<T: Serialize>(head: String, entries: impl Iterator<Item = T>) -> String {
    let mut text = head;
    text.push('\n');
    for entry in entries {
        text.push_str(&safe_json::line(&entry));
        text.push('\n');
    }
    text
}
