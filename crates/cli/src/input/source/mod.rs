//! Source trees of servers: the definitions in them are found without running anything.

mod declared;
mod tokens;

use std::path::{Path, PathBuf};

use portcullis_decide::Incomplete;
use portcullis_detect::Kind;
use portcullis_report::Origin;
use serde_json::Value;

use super::files::{Text, expand};
use super::gap::{gap, stem};
use crate::document::{self, Format};
use crate::exit::Failure;
use declared::declared;
use tokens::Language;

/// Files that stand at the root of a package, and so make a folder a source tree.
const ROOTS: [&str; 3] = ["package.json", "pyproject.toml", "setup.py"];
const ENDINGS: &[&str] = &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py"];
/// Folders whose files are no part of the server: what others wrote, and what tries it out.
const FOREIGN: [&str; 8] =
    ["node_modules", "site-packages", "venv", "__pycache__", "test", "tests", "__tests__", "examples"];
/// Members of which an answer or a manifest has one.
const ANSWERS: [&str; 6] =
    ["tools", "prompts", "resources", "resourceTemplates", "result", "manifest_version"];
/// A larger file is made by a machine, or hides something.
const LARGEST: u64 = 4 * 1024 * 1024;

/// What was found in a tree.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) definitions: Vec<(Kind, Box<str>, Origin)>,
    pub(super) gaps: Vec<Incomplete>,
}

/// Whether a folder is a source tree.
pub(super) fn is_tree(folder: &Path) -> bool {
    folder.is_dir() && ROOTS.iter().any(|root| folder.join(root).is_file())
}

/// What the package calls itself, or the folder's name.
pub(super) fn name(folder: &Path) -> String {
    let said = |file: &str, format: Format, way: &[&str]| {
        let text = std::fs::read_to_string(folder.join(file)).ok()?;
        let root = document::parse(&text, format).ok()?;
        way.iter().try_fold(&root, |node, name| node.member(name))?.text().map(str::to_owned)
    };
    let named = said("package.json", Format::Json, &["name"])
        .or_else(|| said("pyproject.toml", Format::Toml, &["project", "name"]));
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    named.unwrap_or_else(|| stem(&folder))
}

/// Reads the files of a tree.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn tree(folder: &Path) -> Result<Tree, Failure> {
    let mut tree = Tree::default();
    for path in expand(&[folder.to_owned()], ENDINGS)? {
        if is_foreign(&path, folder) {
            continue;
        }
        let label = path.to_string_lossy().into_owned();
        match std::fs::metadata(&path) {
            Ok(about) if about.len() > LARGEST => {
                tree.gaps.push(gap(&label, None, "it is larger than 4 MB"));
            }
            _ => match std::fs::read(&path) {
                Ok(bytes) => tree.file(&label, bytes),
                Err(error) => tree.gaps.push(gap(&label, None, &format!("cannot read it: {error}"))),
            },
        }
    }
    Ok(tree)
}

/// Whether a file is not the server's own; only folders inside the tree count.
fn is_foreign(path: &Path, folder: &Path) -> bool {
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let is_foreign = |part: &std::ffi::OsStr| FOREIGN.iter().any(|name| part == *name);
    inside.parent().is_some_and(|parent| parent.iter().any(is_foreign))
}

/// Whether a file of a tree holds what a server declares, or says how one is started.
pub(super) fn is_answer(path: &Path, folder: &Path, bytes: &[u8]) -> bool {
    if is_foreign(path, folder) {
        return false;
    }
    if path.extension().is_none_or(|ending| ending != "json") {
        return true;
    }
    let has = |value: &Value, keys: &[&str]| keys.iter().any(|key| value.get(key).is_some());
    match serde_json::from_slice(bytes) {
        Ok(Value::Array(all)) => all.first().is_some_and(|first| has(first, &["inputSchema"])),
        Ok(value) => {
            has(&value, &ANSWERS) || (has(&value, &["packages", "remotes"]) && has(&value, &["$schema"]))
        }
        // A broken one may have been one; settings with comments are none.
        Err(_) => String::from_utf8_lossy(bytes).contains("\"tools\""),
    }
}

/// Whether a file of a bundle is source of the server's own.
pub(super) fn is_source(name: &str) -> bool {
    let path = PathBuf::from(name);
    language(&path).is_some() && !is_foreign(&path, Path::new(""))
}

fn language(path: &Path) -> Option<Language> {
    let ending = path.extension().and_then(|ending| ending.to_str())?;
    ENDINGS.contains(&ending).then_some(if ending == "py" { Language::Python } else { Language::JavaScript })
}

impl Tree {
    /// Adds what one file declares.
    pub(super) fn file(&mut self, label: &str, bytes: Vec<u8>) {
        let Some(language) = language(Path::new(label)) else { return };
        let (found, is_whole) = declared(&Text::of(bytes).text, language);
        if !is_whole {
            self.gaps.push(gap(
                label,
                None,
                "not all of it was followed, it is too tangled; a server is read better while it runs",
            ));
        }
        self.definitions.extend(found.into_iter().map(|one| {
            let origin = Origin { file: label.to_owned(), line: one.line, column: 1 };
            (one.kind, one.json.to_string().into(), origin)
        }));
    }
}
