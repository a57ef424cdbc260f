//! Writes an answer's bytes as the scenario wants them: at once, in drops, cut short, or without an end.

use crate::perform::Delivery;
use std::io::{Error, ErrorKind, Result, Write};
use std::time::Duration;

/// Even what has no end stops here, should nobody leave before.
const MOST_ENDLESS: usize = 1 << 30;
/// How much of an endless text is written at once.
const ENDLESS_PIECE: usize = 64 << 10;

/// Writes one frame. An error of kind `ConnectionAborted` says that the connection is now to be cut.
pub(crate) fn write(out: &mut dyn Write, frame: &[u8], delivery: &Delivery) -> Result<()> {
    let cut = delivery.hang_up_after.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let kept = frame.get(..cut.unwrap_or(frame.len())).unwrap_or(frame);
    match delivery.pieces {
        None => out.write_all(kept)?,
        Some((bytes, pause_ms)) => {
            for piece in kept.chunks(usize::try_from(bytes).unwrap_or(usize::MAX)) {
                out.write_all(piece)?;
                out.flush()?;
                std::thread::sleep(Duration::from_millis(pause_ms));
            }
        }
    }
    if let Some(text) = delivery.endless.as_ref().filter(|text| !text.is_empty()) {
        let piece = text.repeat(ENDLESS_PIECE.div_ceil(text.len()));
        for _ in 0..MOST_ENDLESS.div_ceil(piece.len()) {
            out.write_all(&piece)?;
        }
    }
    out.flush()?;
    if cut.is_some() || delivery.endless.is_some() {
        return Err(Error::new(ErrorKind::ConnectionAborted, "the scenario hangs up"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_as_it_is_told() {
        let check = |delivery: Delivery, expected: &[u8], is_cut: bool| {
            let mut out = Vec::new();
            assert_eq!(write(&mut out, b"abcdef", &delivery).is_err(), is_cut);
            assert_eq!(out, expected);
        };
        check(Delivery::default(), b"abcdef", false);
        check(Delivery { pieces: Some((4, 0)), ..Delivery::default() }, b"abcdef", false);
        check(Delivery { hang_up_after: Some(2), ..Delivery::default() }, b"ab", true);
        check(Delivery { hang_up_after: Some(9), ..Delivery::default() }, b"abcdef", true);
    }

    #[test]
    fn what_has_no_end_ends_when_nobody_listens() {
        struct Deaf(usize);
        impl Write for Deaf {
            fn write(&mut self, bytes: &[u8]) -> Result<usize> {
                self.0 += bytes.len();
                if self.0 > 1 << 20 { Err(ErrorKind::BrokenPipe.into()) } else { Ok(bytes.len()) }
            }
            fn flush(&mut self) -> Result<()> {
                Ok(())
            }
        }
        let endless = Delivery { endless: Some(b"x".to_vec()), ..Delivery::default() };
        let error = write(&mut Deaf(0), b"abc", &endless).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    }
}
