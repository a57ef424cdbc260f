//! The part of `portcullis.json` that `scan` reads: each key is the default of the flag of the same name.

use std::path::Path;

use serde_json::Value;

use super::key::Key;
use super::key::Kind::{Bool, Choice, Text};
use super::keys;
use super::secret::{Environment, resolved};
use crate::document::{Problem, jsonc, report};
use crate::exit::Failure;

/// The keys of `scan`. What names a file is relative to the settings file.
pub(super) const SCAN: &[Key] = &[
    Key {
        name: "persona",
        kind: Choice(&["regular", "pedantic", "auditor"]),
        about: "Which findings are shown. Default: regular.",
    },
    Key {
        name: "fail_on",
        kind: Choice(&["critical", "hard", "unscanned", "soft", "info", "never"]),
        about: "Which findings lead to exit code 1. Default: hard.",
    },
    Key {
        name: "allow_incomplete",
        kind: Bool,
        about: "Do not exit with 3 when something could not be looked at.",
    },
    Key { name: "locked", kind: Bool, about: "Fail when a definition is not what the lock says." },
    Key { name: "lock", kind: Text, about: "The lock. Default: portcullis.lock in the current folder." },
    Key {
        name: "suppressions",
        kind: Text,
        about: "The suppressions. Default: portcullis.suppress in the current folder.",
    },
    Key {
        name: "baseline",
        kind: Text,
        about: "What an earlier scan saw; only what is new since then fails.",
    },
    Key { name: "new_only", kind: Bool, about: "Show only what is new since the baseline." },
    Key {
        name: "sandbox",
        kind: Choice(&["never", "try", "required"]),
        about: "Whether servers are started without network and without a way to change files. Default: never.",
    },
    Key { name: "rules_version", kind: Text, about: "Refuse to run with rules of another version." },
    Key {
        name: "docs_url",
        kind: Text,
        about: "Where the pages of checks are published; {check} stands for the id.",
    },
];

/// The keys that name files, of `scan` and of the whole.
const PATHS: [&str; 4] = ["lock", "suppressions", "baseline", "rules"];

/// What the file at `path` says about scans: flags by the names clap knows them by, with their values.
///
/// # Errors
/// The file cannot be read, or something in it is wrong.
pub(crate) fn scan_part(
    path: &Path,
    environment: Environment<'_>,
) -> Result<Vec<(&'static str, Vec<String>)>, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read {name}: {error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let refused = |problems: Vec<Problem>| {
        Failure::Usage(format!("this file cannot be used\n{}", report(&name, &problems)))
    };
    let root = jsonc::parse(&text).map_err(|problem| refused(vec![problem]))?;
    let mut problems = Vec::new();
    keys::FILE.check(&root, "", &mut problems);
    let mut values: Vec<(&'static str, Vec<String>)> = Vec::new();
    let scan = root.member("scan");
    let keys = SCAN.iter().filter_map(|key| Some((key.name, scan?.member(key.name)?)));
    for (name, node) in keys.chain(root.member("rules").map(|node| ("rules", node))) {
        let written = texts(&resolved(node, environment, &mut problems));
        let is_path = PATHS.contains(&name);
        let written = written.into_iter().map(|text| if is_path { below(folder, &text) } else { text });
        values.push((name, written.collect()));
    }
    if !problems.is_empty() {
        return Err(refused(problems));
    }
    values.retain(|(_, written)| !written.is_empty());
    Ok(values)
}

/// A value as a flag would get it.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Bool(value) => vec![value.to_string()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Null | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn below(folder: &Path, file: &str) -> String {
    folder.join(file).to_string_lossy().into_owned()
}
