//! Any bytes as an event stream: however they are cut, the same events come out, within the limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_wire::sse::{Event, Reader, write};

const MOST: u32 = 512;

fn events(bytes: &[u8], cut: usize) -> Option<Vec<Event>> {
    let mut reader = Reader::new(MOST);
    let mut events = Vec::new();
    for chunk in bytes.chunks(cut.max(1)) {
        reader.feed(chunk.to_vec().into(), &mut |event| events.push(event)).ok()?;
    }
    Some(events)
}

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    let whole = events(bytes, bytes.len());
    if let (Some(whole), Some(parts)) = (&whole, events(bytes, cut.into())) {
        assert_eq!(*whole, parts, "a cut changes the events");
        for event in whole {
            assert!(event.data.as_ref().is_none_or(|data| data.len() <= MOST as usize));
            let again = events(&write(event), usize::MAX).unwrap_or_default();
            assert_eq!(again, [event.clone()], "what is written is not what is read");
        }
    }
});
