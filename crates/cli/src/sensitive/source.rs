//! Feeds a file or stdin through a stream, block by block.

use crate::args::{DocumentArguments, ReadAs};
use crate::exit::Failure;
use crate::progress::Progress;
use portcullis_detect::sensitive::{Format, Hit, Piece, Reading, SensitiveData, Stream};
use std::fs::File;
use std::io::{self, Read};

/// What is read at once; also the step of the progress bar.
const BLOCK: usize = 1 << 20;

/// A document to read, and what to look for in it.
pub(super) struct Source<'a> {
    pub(super) document: &'a DocumentArguments,
    pub(super) is_visible: bool,
    pub(super) data: &'a SensitiveData,
}

impl Source<'_> {
    /// Reads the document to its end and hands every piece to `take`; the first error of `take` ends it.
    pub(super) fn read(
        &self,
        stdin: &mut dyn Read,
        is_wanted: impl Fn(&Hit) -> bool,
        take: &mut dyn FnMut(Piece<'_>) -> io::Result<()>,
    ) -> Result<Reading, Failure> {
        let mut file;
        let (input, length): (&mut dyn Read, u64) = match self.document.path() {
            None => (stdin, 0),
            Some(path) => {
                file = File::open(path).map_err(|error| self.unreadable(&error))?;
                let length = file.metadata().map_or(0, |about| about.len());
                (&mut file, length)
            }
        };
        let blocks = usize::try_from(length.div_ceil(BLOCK as u64)).unwrap_or(usize::MAX);
        let mut progress = Progress::new(blocks, "reading megabytes", self.is_visible && length > 0);
        let mut block = Vec::with_capacity(BLOCK);
        fill(input, &mut block).map_err(|error| self.unreadable(&error))?;
        // A byte order mark is no part of JSON; it is passed on as it stands.
        let (mark, first) = block.split_at(if block.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 });
        take(Piece::Clean(mark))?;
        let mut stream = Stream::new(self.data, self.format(first)?, is_wanted);
        let mut outcome = Ok(());
        let mut give = |piece: Piece<'_>| {
            if outcome.is_ok() {
                outcome = take(piece);
            }
        };
        stream.feed(first, &mut give);
        while !block.is_empty() {
            progress.step_now();
            fill(input, &mut block).map_err(|error| self.unreadable(&error))?;
            stream.feed(&block, &mut give);
        }
        let reading = stream.finish(&mut give);
        outcome?;
        Ok(reading)
    }

    fn format(&self, beginning: &[u8]) -> Result<Format, Failure> {
        if matches!(beginning, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            let name = self.document.name();
            return Err(Failure::Usage(format!(
                "{name} is UTF-16; convert it to UTF-8 first (iconv -t utf-8)"
            )));
        }
        Ok(match self.document.read_as {
            ReadAs::Auto => Format::guess(beginning),
            ReadAs::Json => Format::Json,
            ReadAs::Text => Format::Text,
        })
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        Failure::Usage(format!("cannot read {}: {error}", self.document.name()))
    }
}

/// Fills the block from the start, as far as there is input.
fn fill(input: &mut dyn Read, block: &mut Vec<u8>) -> io::Result<()> {
    block.clear();
    input.take(BLOCK as u64).read_to_end(block)?;
    Ok(())
}
