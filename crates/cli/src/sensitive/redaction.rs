//! Writes a document back with its values masked; what was JSON stays JSON.

use crate::args::{RedactArguments, StrengthArgument};
use portcullis_detect::sensitive::{Hit, Located, Piece, Strength};
use std::io::{self, Write};

/// Whether a hit is masked: placeholders open nothing and stay; so does what the operator did not ask for.
pub(super) fn is_masked(arguments: &RedactArguments, hit: &Hit) -> bool {
    let is_bound = hit.strength == Strength::Bound;
    hit.doubt.is_none() && (is_bound || arguments.strength == StrengthArgument::Any)
}

/// Takes the pieces of a document and writes them, masked where something was found.
#[derive(Default)]
pub(super) struct Redaction {
    masked: usize,
}

impl Redaction {
    /// How many values were masked.
    pub(super) fn masked(&self) -> usize {
        self.masked
    }

    pub(super) fn take(&mut self, piece: Piece<'_>, out: &mut dyn Write) -> io::Result<()> {
        match piece {
            Piece::Clean(bytes) => out.write_all(bytes),
            Piece::Found(located) => {
                self.masked += 1;
                write(&located, out)
            }
        }
    }
}

fn write(located: &Located, out: &mut dyn Write) -> io::Result<()> {
    if located.pointer.is_none() {
        return out.write_all(located.masked.as_bytes());
    }
    let quoted = serde_json::to_string(&located.masked)?;
    // Inside a string only the text is replaced; a bare number becomes a string, or it would not be JSON.
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or_default();
    out.write_all(if located.in_string { inner } else { &quoted }.as_bytes())
}
