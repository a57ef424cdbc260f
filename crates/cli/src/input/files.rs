//! Which files were meant, and their text: folders are walked in sorted order, bytes become UTF-8.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// The files behind `paths`: files as named, folders as all `extensions` below them in sorted order.
///
/// # Errors
/// A path that does not exist is a mistake of the caller, found before any work is done.
pub(crate) fn expand(paths: &[PathBuf], extensions: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let about = fs::metadata(path).map_err(|error| usage(path, &error))?;
        if about.is_dir() {
            walk(path, extensions, &mut files).map_err(|error| usage(path, &error))?;
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn usage(path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("cannot read {}: {error}", path.display()))
}

/// Symbolic links to folders are not followed: a loop of them would never end.
fn walk(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if entry.file_type()?.is_dir() {
            if !is_hidden {
                walk(&path, extensions, files)?;
            }
        } else if path.extension().is_some_and(|end| extensions.iter().any(|wanted| end == *wanted)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Text read from a file or a stream, and what was wrong with its bytes.
pub(crate) struct Text {
    pub(crate) text: String,
    /// The byte offset in `text` of the first byte that was not UTF-8.
    pub(crate) bad_byte: Option<usize>,
}

impl Text {
    /// Reads UTF-8 with or without a byte order mark, and UTF-16 with one (some shells redirect into that).
    pub(crate) fn of(bytes: Vec<u8>) -> Text {
        match bytes.as_slice() {
            [0xef, 0xbb, 0xbf, rest @ ..] => Text::utf8(rest.to_vec()),
            [0xff, 0xfe, rest @ ..] => Text::utf16(rest, u16::from_le_bytes),
            [0xfe, 0xff, rest @ ..] => Text::utf16(rest, u16::from_be_bytes),
            _ => Text::utf8(bytes),
        }
    }

    /// What is not UTF-8 becomes a replacement character, so that the rest can still be looked at.
    pub(crate) fn utf8(bytes: Vec<u8>) -> Text {
        match String::from_utf8(bytes) {
            Ok(text) => Text { text, bad_byte: None },
            Err(error) => {
                let bad_byte = Some(error.utf8_error().valid_up_to());
                Text { text: String::from_utf8_lossy(error.as_bytes()).into_owned(), bad_byte }
            }
        }
    }

    fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Text {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let text = String::from_utf16_lossy(&pairs.iter().map(|pair| unit(*pair)).collect::<Vec<_>>());
        let bad_byte = (!rest.is_empty()).then_some(text.len());
        Text { text, bad_byte }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str, bad_byte: Option<usize>) {
        let text = Text::of(bytes.to_vec());
        assert_eq!((text.text.as_str(), text.bad_byte), (expected, bad_byte));
    }

    #[test]
    fn byte_order_marks_choose_the_encoding() {
        check(b"{}", "{}", None);
        check(b"\xef\xbb\xbf{}", "{}", None);
        check(b"\xff\xfe{\0}\0", "{}", None);
        check(b"\xfe\xff\0{\0}", "{}", None);
    }

    #[test]
    fn bytes_that_are_not_text_are_replaced_and_named() {
        check(b"ab\xffcd", "ab\u{fffd}cd", Some(2));
        check(b"\xff\xfe{\0}", "{", Some(1));
    }

    #[test]
    fn a_missing_path_is_a_usage_error() {
        let error = expand(&[PathBuf::from("no/such/file.json")], &["json"]);
        assert!(matches!(error, Err(Failure::Usage(message)) if message.contains("no/such/file.json")));
    }
}
