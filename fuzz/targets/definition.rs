//! Any bytes, read as a definition of each kind, observed and judged: nothing panics, evidence is safe to print.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_detect::{Definition, Kind};

const KINDS: [Kind; 5] =
    [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate, Kind::Instructions];

fuzz_target!(|bytes: &[u8]| {
    let Ok(json) = std::str::from_utf8(bytes) else { return };
    for kind in KINDS {
        if let Ok(definition) = Definition::parse("fuzz", kind, json) {
            portcullis_fuzz::observe(definition);
        }
    }
});
