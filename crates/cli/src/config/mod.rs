//! `portcullis.json`: what was written, checked key by key, and what the gateway is started with.
//!
//! `keys` says what it may hold (the schema for editors is made of the same
//! table), `secret` takes values from the environment, `valid` makes settings of it. Everything that is wrong is said at once,
//! each with its place; no message repeats a value.

mod alerts;
mod key;
mod keys;
mod node;
mod quarantine;
mod scan_part;
mod secret;
mod servers;
mod valid;
mod written;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::document::{Problem, jsonc, report};
use crate::exit::Failure;

pub(crate) use scan_part::scan_part;
pub(crate) use secret::Environment;
pub(crate) use servers::{Configured, better_name};
pub(crate) use valid::Config;

/// The file that is read unless another is named.
pub(crate) const USUAL_FILE: &str = "portcullis.json";

/// Where a gateway listens unless told otherwise.
pub(crate) const USUAL_ADDRESS: &str = "127.0.0.1:8930";

/// Reads a file and makes sure that it means something.
pub(crate) fn load(path: &Path, environment: Environment<'_>) -> Result<Config, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Usage(format!("cannot read {name}: {error}")))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    understood(&text, folder, environment)
        .map_err(|problems| Failure::Usage(format!("this file cannot be used\n{}", report(&name, &problems))))
}

/// The file that was named, or the usual one if it is here, or what holds without any.
pub(crate) fn load_or_usual(named: Option<&Path>, environment: Environment<'_>) -> Result<Config, Failure> {
    match named.map(Path::to_path_buf).or_else(usual_file) {
        Some(path) => load(&path, environment),
        None => without_file(environment),
    }
}

/// The file in a data directory, or what holds without any: nothing a project's folder says.
pub(crate) fn of_user(directory: &Path, environment: Environment<'_>) -> Result<Config, Failure> {
    let path = directory.join(USUAL_FILE);
    if path.exists() { load(&path, environment) } else { without_file(environment) }
}

fn without_file(environment: Environment<'_>) -> Result<Config, Failure> {
    understood("{}", Path::new(""), environment)
        .map_err(|problems| Failure::Usage(report(USUAL_FILE, &problems)))
}

/// The usual file, if it is here.
pub(crate) fn usual_file() -> Option<PathBuf> {
    Some(PathBuf::from(USUAL_FILE)).filter(|path| path.exists())
}

/// The schema editors read.
pub(crate) fn schema() -> String {
    let mut schema = keys::FILE.schema();
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("portcullis.json");
    schema["description"] = json!(
        "What a Portcullis gateway is started with. Comments are allowed. ${env:NAME} in a text is replaced by that environment variable."
    );
    // A Value always has a text.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// A file as plain data, without its comments; nothing in it is judged.
pub(crate) fn plain(text: &str) -> Result<Value, String> {
    let root = jsonc::parse(text).map_err(|problem| report("", &[problem]))?;
    // Variables stay as they are written: nobody needs their values here.
    Ok(secret::resolved(&root, &|name| Some(format!("${{env:{name}}}")), &mut Vec::new()))
}

fn understood(text: &str, folder: &Path, environment: Environment<'_>) -> Result<Config, Vec<Problem>> {
    let root = jsonc::parse(text).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    keys::FILE.check(&root, "", &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    valid::config(&root, folder, environment)
}

#[cfg(test)]
mod tests;
