//! Reads inputs of any size piece by piece: JSON lines in runs of whole lines, everything else as one piece.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use serde::de::IgnoredAny;

use super::files::{Text, expand};
use super::gap::{gap, stem};
use super::load::{ENDINGS, Loaded, Source, is_bundle, load};
use super::place::{Place, Places};
use super::source;
use crate::exit::Failure;

/// How much is read before it is looked at: enough to make the work around a piece small.
const PIECE: usize = 256 * 1024;
/// A longer line is no definition; a definition has a limit of its own far below.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Reads `paths` and hands over what each piece holds; `-` reads `input`.
///
/// # Errors
/// A path that does not exist, and whatever `look` returns. Everything else is a gap of a piece.
pub(crate) fn each(
    paths: &[PathBuf],
    input: &mut dyn Read,
    look: &mut dyn FnMut(Loaded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for path in paths {
        if path.as_os_str() == "-" {
            Pieces::new("-".into(), "stdin".into(), false, &mut *input).each(look)?;
            continue;
        }
        if source::is_tree(path) {
            look(load(std::slice::from_ref(path), &mut io::empty())?)?;
            continue;
        }
        for file in expand(std::slice::from_ref(path), ENDINGS)? {
            if is_bundle(&file) {
                look(load(&[file], &mut io::empty())?)?;
                continue;
            }
            let label = file.to_string_lossy().into_owned();
            match File::open(&file) {
                Ok(opened) => Pieces::new(label, stem(&file), true, opened).each(look)?,
                Err(error) => look(unreadable(&label, &error))?,
            }
        }
    }
    Ok(())
}

fn unreadable(label: &str, error: &io::Error) -> Loaded {
    let mut loaded = Loaded::default();
    loaded.gaps.push(gap(label, None, &format!("cannot read it: {error}")));
    loaded
}

/// One input, piece by piece.
struct Pieces<R> {
    label: String,
    server: String,
    is_file: bool,
    reader: BufReader<R>,
    line: usize,
}

impl<R: Read> Pieces<R> {
    fn new(label: String, server: String, is_file: bool, input: R) -> Self {
        Pieces { label, server, is_file, reader: BufReader::with_capacity(PIECE, input), line: 1 }
    }

    fn each(mut self, look: &mut dyn FnMut(Loaded) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut piece = Vec::new();
        let outcome = self.fill(&mut piece, 1);
        // One document may be spread over many lines: only lines that stand for themselves can be cut apart.
        let is_lines = serde_json::from_slice::<IgnoredAny>(&piece).is_ok();
        let mut outcome = match outcome {
            Ok(true) if !is_lines => self.reader.read_to_end(&mut piece).map(|_| false),
            Ok(true) => self.fill(&mut piece, PIECE),
            other => other,
        };
        loop {
            let (has_more, failure) = match outcome {
                Ok(has_more) => (has_more, None),
                Err(error) => (false, Some(unreadable(&self.label, &error))),
            };
            look(self.piece(std::mem::take(&mut piece)))?;
            failure.map_or(Ok(()), &mut *look)?;
            if !has_more {
                return Ok(());
            }
            outcome = self.fill(&mut piece, PIECE);
            if matches!(outcome, Ok(false)) && piece.is_empty() {
                return Ok(());
            }
        }
    }

    /// Adds whole lines until there are `wanted` bytes; whether there may be more.
    fn fill(&mut self, piece: &mut Vec<u8>, wanted: usize) -> io::Result<bool> {
        while piece.len() < wanted {
            let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', piece)?;
            if read == 0 {
                return Ok(false);
            }
            if piece.last() != Some(&b'\n') && read as u64 == LONGEST_LINE {
                return Err(io::Error::other("a line is longer than 64 MB"));
            }
        }
        Ok(true)
    }

    fn piece(&mut self, bytes: Vec<u8>) -> Loaded {
        let first_line = self.line;
        self.line += line_count(&bytes);
        let text = Text::of(bytes);
        let bad = text.bad_byte.map(|offset| Places::from_line(&text.text, first_line).at(offset));
        let (label, server, is_file) = (self.label.clone(), self.server.clone(), self.is_file);
        let mut loaded = Loaded::of(Source { label, server, is_file, first_line, text: text.text });
        loaded.gaps.extend(
            bad.map(|place: Place| gap(&self.label, Some(place), "not UTF-8; the bad bytes were replaced")),
        );
        loaded
    }
}

fn line_count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a text as `names, gaps`.
    fn check(text: &str, expected: &[&str], gaps: &[&str]) {
        let (mut names, mut found) = (Vec::new(), Vec::new());
        let mut look = |loaded: Loaded| {
            let definitions = loaded.servers.iter().flat_map(|server| &server.definitions);
            names.extend(
                definitions.map(|definition| format!("{}/{}", definition.server(), definition.name())),
            );
            found.extend(loaded.gaps.iter().map(|gap| format!("{} {}", gap.subject, gap.reason)));
            Ok(())
        };
        let outcome = each(&["-".into()], &mut text.as_bytes(), &mut look);
        assert!(outcome.is_ok());
        assert_eq!(
            (names, found),
            (
                expected.iter().map(ToString::to_string).collect(),
                gaps.iter().map(ToString::to_string).collect::<Vec<_>>()
            )
        );
    }

    #[test]
    fn lines_and_whole_documents_are_read() {
        check("{\"name\":\"a\"}\n{\"name\":\"b\"}\n", &["stdin/a", "stdin/b"], &[]);
        check("{\n\"tools\":[\n{\"name\":\"a\"}]}\n", &["stdin/a"], &[]);
        check("{\"server\":\"s\",\"tools\":[{\"name\":\"a\"}]}", &["s/a"], &[]);
        check("", &[], &["-:1:1 the input is empty"]);
    }

    #[test]
    fn later_pieces_keep_their_places() {
        let filler = format!("{{\"name\":\"a\",\"description\":\"{}\"}}\n", "x".repeat(1000));
        let text = format!("{}nonsense\n{{\"name\":\"z\"}}\n", filler.repeat(600));
        let mut expected = vec!["stdin/a"; 600];
        expected.push("stdin/z");
        check(&text, &expected, &["-:601:2 expected ident"]);
    }
}
