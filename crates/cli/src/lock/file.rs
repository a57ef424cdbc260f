//! Reading and writing `portcullis.lock`.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use portcullis_decide::lock::Locked;
use portcullis_report::lock;

use crate::exit::Failure;

/// The entries of a lock, `None` if there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Vec<Locked>>, Failure> {
    let refused =
        |reason: &dyn std::fmt::Display| Failure::Usage(format!("cannot read {}: {reason}", path.display()));
    match fs::read_to_string(path) {
        Ok(text) => lock::read(&text).map(Some).map_err(|bad| refused(&bad)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refused(&error)),
    }
}

pub(super) fn write(path: &Path, entries: &[Locked]) -> Result<(), Failure> {
    replace(path, &lock::write(entries))
}

/// Writes a file whole or not at all: beside it first, then over it.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    let failure = |error| Failure::Create { path: path.to_owned(), error };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let written = fs::File::create(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.map_err(failure)?;
    fs::rename(&beside, path).map_err(failure)
}
