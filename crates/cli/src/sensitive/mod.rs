//! `portcullis sensitive` and `portcullis redact`: what secrets and personal data stand in a document, and the
//! document without them. Both read any size in bounded memory.

mod listing;
mod patterns;
mod redaction;
mod source;

use crate::Streams;
use crate::args::{DocumentArguments, RedactArguments, SensitiveArguments, Shared};
use crate::exit::{Exit, Failure};
pub(crate) use patterns::Detection;
use portcullis_detect::sensitive::{Hit, Reading};
use source::Source;

/// Lists what is in a document.
pub(crate) fn list(
    arguments: &SensitiveArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let data = patterns::compile(&arguments.document)?;
    let mut listing = listing::Listing::new(arguments, &data);
    let is_visible = streams.is_progress_visible && !shared.is_quiet();
    let (input, out) = (&mut *streams.input, &mut *streams.out);
    let source = Source { document: &arguments.document, is_visible, data: &data };
    let reading = source.read(input, |_| true, &mut |piece| listing.take(piece, out))?;
    streams.out.flush()?;
    if !shared.is_quiet() {
        listing.conclude(streams.err)?;
    }
    let exit = conclude(reading, &arguments.document, shared, streams)?;
    Ok(if listing.fails() { Exit::Findings } else { exit })
}

/// Writes a document with every value masked.
pub(crate) fn redact(
    arguments: &RedactArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let data = patterns::compile(&arguments.document)?;
    let mut redaction = redaction::Redaction::default();
    let is_visible = streams.is_progress_visible && !shared.is_quiet();
    let (input, out) = (&mut *streams.input, &mut *streams.out);
    let source = Source { document: &arguments.document, is_visible, data: &data };
    let is_wanted = |hit: &Hit| redaction::is_masked(arguments, hit);
    let reading = source.read(input, is_wanted, &mut |piece| redaction.take(piece, out))?;
    streams.out.flush()?;
    if shared.is_verbose() {
        writeln!(streams.err, "{} values masked", redaction.masked())?;
    }
    conclude(reading, &arguments.document, shared, streams)
}

/// Says what could not be read as it should be.
fn conclude(
    reading: Reading,
    document: &DocumentArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let name = portcullis_detect::escape_line(&document.name(), 200);
    if let Some(offset) = reading.broken_at
        && !shared.is_quiet()
    {
        writeln!(
            streams.err,
            "note: {name} is not JSON from byte {offset} on; it was read on, but paths after it may be wrong \
             (--as text reads it as plain text)"
        )?;
    }
    if !reading.is_cut {
        return Ok(Exit::Clean);
    }
    writeln!(
        streams.err,
        "incomplete: {name}: more encoded text than is decoded; what it hides was not looked at"
    )?;
    Ok(Exit::Incomplete)
}
