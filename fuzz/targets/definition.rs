//! Any bytes, read as a definition of each kind, observed and judged: nothing panics, evidence is safe to print; what the
//! scan reads has an identity, and nothing else has.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_detect::fingerprint::Identity;
use portcullis_detect::{Definition, Kind};

const KINDS: [Kind; 5] =
    [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate, Kind::Instructions];

fuzz_target!(|bytes: &[u8]| {
    let Ok(json) = std::str::from_utf8(bytes) else { return };
    for kind in KINDS {
        let definition = Definition::parse("fuzz", kind, json);
        assert_eq!(definition.is_ok(), Identity::parse("fuzz", kind, json).is_ok());
        if let Ok(definition) = definition {
            portcullis_fuzz::observe(definition);
        }
    }
});
