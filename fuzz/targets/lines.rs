//! Any bytes as lines: however they are cut, the same lines come out; what is written is one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_wire::lines::{Line, Reader, write};

fn lines(bytes: &[u8], cut: usize) -> Vec<Line> {
    let mut reader = Reader::new(64);
    let mut lines = Vec::new();
    for chunk in bytes.chunks(cut.max(1)) {
        reader.room().extend_from_slice(chunk);
        while let Some(line) = reader.next_line() {
            lines.push(line);
        }
    }
    lines
}

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    assert_eq!(lines(bytes, cut.into()), lines(bytes, bytes.len()), "a cut changes the lines");
    let line = write(&bytes.to_vec().into());
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
});
