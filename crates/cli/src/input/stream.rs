//! Reads inputs of any size piece by piece: JSON lines in runs of whole lines, everything else as one piece.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use portcullis_decide::Incomplete;
use serde::de::IgnoredAny;

use super::files::{Text, expand};
use super::found::is_bundle;
use super::gap::{gap, stem};
use super::load::{ENDINGS, GOES_ON, Loaded, Source, load};
use super::place::{Place, Places};
use super::source;
use crate::exit::Failure;

/// How much is read before it is looked at: enough to make the work around a piece small.
const PIECE: usize = 256 * 1024;
/// A longer line is no definition; a definition has a limit of its own far below.
pub(super) const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Reads `paths` and hands over what each piece holds; `-` reads `input`.
///
/// # Errors
/// A path that does not exist, and whatever `look` returns. Everything else is a gap of a piece.
pub(crate) fn each(
    paths: &[PathBuf],
    input: &mut dyn Read,
    look: &mut dyn FnMut(Loaded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // Each definition is judged for itself: which server it belongs to is told, and nothing hangs on it.
    let none = BTreeSet::new();
    for path in paths {
        if path.as_os_str() == "-" {
            in_pieces(Pieces::new("-".into(), "stdin".into(), false, &mut *input), &none, look)?;
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
                Ok(opened) => in_pieces(Pieces::new(label, stem(&file), true, opened), &none, look)?,
                Err(error) => look(unreadable(&label, &error))?,
            }
        }
    }
    Ok(())
}

/// Hands over what each piece declares. `shared` are the names that servers of other inputs have too.
///
/// # Errors
/// Whatever `look` returns.
pub(super) fn in_pieces<R: Read>(
    pieces: Pieces<R>,
    shared: &BTreeSet<String>,
    look: &mut dyn FnMut(Loaded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (label, mut unfinished) = (pieces.label.clone(), BTreeSet::new());
    for piece in pieces {
        let loaded = match piece {
            Ok(piece) => piece.load(shared),
            Err(error) => unreadable(&label, &error),
        };
        // The other pages of a list may come in a later piece.
        for server in &loaded.servers {
            match server.has_more {
                true => unfinished.insert(server.name.clone()),
                false => unfinished.remove(&server.name),
            };
        }
        look(loaded)?;
    }
    look(Loaded::lacking(unfinished.iter().map(|_| gap(&label, None, GOES_ON)).collect()))
}

pub(super) fn unreadable(label: &str, error: &io::Error) -> Loaded {
    Loaded::lacking(vec![gap(label, None, &format!("cannot read it: {error}"))])
}

/// A run of whole lines, or a whole document.
pub(super) struct Piece {
    pub(super) source: Source,
    /// Where in the input it begins, in bytes.
    pub(super) offset: u64,
    /// The first bytes of the input that were no text, if they are in here.
    bad: Option<Incomplete>,
}

impl Piece {
    fn load(self, shared: &BTreeSet<String>) -> Loaded {
        let mut loaded = Loaded::of(self.source, shared);
        loaded.gaps.extend(self.bad);
        loaded
    }
}

/// One input, piece by piece; what could not be read comes last.
pub(super) struct Pieces<R> {
    label: String,
    server: String,
    is_file: bool,
    reader: BufReader<R>,
    is_lines: bool,
    has_bad: bool,
    line: usize,
    offset: u64,
    state: State,
}

/// What comes next of an input.
enum State {
    First,
    Further,
    Failure(io::Error),
    End,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(label: String, server: String, is_file: bool, input: R) -> Self {
        Pieces {
            label,
            server,
            is_file,
            reader: BufReader::with_capacity(PIECE, input),
            is_lines: false,
            has_bad: false,
            line: 1,
            offset: 0,
            state: State::First,
        }
    }

    /// The first piece: one document may be spread over many lines, and only lines that stand for themselves can be cut
    /// apart.
    fn begin(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let has_more = self.fill(bytes, 1)?;
        self.is_lines = serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
        match (has_more, self.is_lines) {
            (false, _) => Ok(false),
            (true, true) => self.fill(bytes, PIECE),
            (true, false) => self.reader.read_to_end(bytes).map(|_| false),
        }
    }

    /// Adds whole lines until there are `wanted` bytes; whether there may be more.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) -> io::Result<bool> {
        while bytes.len() < wanted {
            let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', bytes)?;
            if read == 0 {
                return Ok(false);
            }
            if bytes.last() != Some(&b'\n') && read as u64 == LONGEST_LINE {
                return Err(io::Error::other("a line is longer than 64 MB"));
            }
        }
        Ok(true)
    }

    fn piece(&mut self, bytes: Vec<u8>, is_first: bool) -> Piece {
        let (first_line, offset) = (self.line, self.offset);
        self.line += bytes.iter().filter(|byte| **byte == b'\n').count();
        self.offset += bytes.len() as u64;
        // Only the beginning of an input says how it is encoded.
        let Text { text, bad_byte } = if is_first { Text::of(bytes) } else { Text::utf8(bytes) };
        let bad = bad_byte.filter(|_| !self.has_bad).map(|offset| {
            let place: Place = Places::from_line(&text, first_line).at(offset);
            gap(&self.label, Some(place), "not UTF-8; the bad bytes were replaced")
        });
        self.has_bad |= bad.is_some();
        let (label, server) = (self.label.clone(), self.server.clone());
        let (is_file, is_lines) = (self.is_file, self.is_lines);
        Piece { source: Source { label, server, is_file, is_lines, first_line, text }, offset, bad }
    }
}

impl<R: Read> Iterator for Pieces<R> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<io::Result<Piece>> {
        let (mut bytes, state) = (Vec::new(), std::mem::replace(&mut self.state, State::End));
        let is_first = matches!(state, State::First);
        let outcome = match state {
            State::First => self.begin(&mut bytes),
            State::Further => self.fill(&mut bytes, PIECE),
            State::Failure(error) => return Some(Err(error)),
            State::End => return None,
        };
        self.state = match outcome {
            Ok(true) => State::Further,
            Ok(false) => State::End,
            Err(error) => State::Failure(error),
        };
        // An empty input is a piece too: somebody must say that it is empty.
        if bytes.is_empty() && !is_first { self.next() } else { Some(Ok(self.piece(bytes, is_first))) }
    }
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

    #[test]
    fn what_is_said_of_pieces_is_said_of_the_whole() {
        let page = |tool: &str, more: &str| {
            let filler = "x".repeat(PIECE);
            format!(r#"{{"tools":[{{"name":"{tool}","description":"{filler}"}}]{more}}}"#)
        };
        let (goes_on, ends) = (page("a", r#","nextCursor":"2""#), page("b", ""));
        check(&format!("{goes_on}\n{ends}\n"), &["stdin/a", "stdin/b"], &[]);
        check(&format!("{ends}\n{goes_on}\n"), &["stdin/b", "stdin/a"], &[&format!("- {GOES_ON}")]);
        // Two values in a line of a later piece are as wrong as in the first, and so is nothing but a blank line right.
        let two = format!("{ends}\n{{\"name\":\"c\"}} {{\"name\":\"d\"}}\n");
        check(&two, &["stdin/b"], &["-:2:14 trailing characters"]);
        check(&format!("{ends}\n\n"), &["stdin/b"], &[]);
    }
}
