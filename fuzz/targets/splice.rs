//! Any message with its id and token written anew: still a message, and only those two are different.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_wire::{Field, Limits, Message, Splice};

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 16, depth: 64 };
    let Ok(message) = Message::one(bytes.to_vec().into(), limits) else { return };
    let mut splice = Splice::new();
    let replaced = [Field::Id, Field::MetaProgressToken].into_iter().filter(|field| message.has(*field));
    let replaced: Vec<Field> = replaced.collect();
    replaced.iter().for_each(|field| splice.replace(message.place(*field), "4711"));
    if let Some(raw) = message.raw(Field::Params) {
        splice.add_members(message.place(Field::Params), raw, "\"portcullis/added\":1");
    }
    let wide = Limits { bytes: 1 << 17, depth: 64 };
    let Ok(changed) = message.clone().spliced(splice, wide) else {
        // Only a message that has the added key already is refused.
        return assert!(String::from_utf8_lossy(bytes).contains("added"));
    };
    assert_eq!(changed.kind(), message.kind());
    for field in [Field::Method, Field::Name, Field::Arguments, Field::Meta, Field::Result, Field::Error] {
        if field != Field::Meta || !message.has(Field::MetaProgressToken) {
            assert_eq!(changed.raw(field), message.raw(field), "{field:?}");
        }
    }
    replaced.iter().for_each(|field| assert_eq!(changed.raw(*field), Some(&b"4711"[..])));
});
