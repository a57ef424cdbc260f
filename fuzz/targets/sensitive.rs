//! Any bytes as JSON and as text: nothing panics, hits lie in order inside the document, a bound value is one alone too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_detect::sensitive::{Family, Format, Located, SensitiveData, Strength};
use std::sync::LazyLock;

static DATA: LazyLock<SensitiveData> = LazyLock::new(SensitiveData::new);

fuzz_target!(|bytes: &[u8]| {
    for format in [Format::Json, Format::Text] {
        let mut end = 0;
        for located in DATA.in_document(bytes, format).hits {
            let hit = &located.hit;
            assert!(
                end <= hit.start && hit.start < hit.end && hit.end <= bytes.len(),
                "{hit:?} is out of place"
            );
            end = hit.end;
            stands_alone(&bytes[hit.start..hit.end], format, &located);
        }
    }
});

/// A secret by its structure needs nothing around it: cut out, it is still found. What only its name or the words
/// beside it tell (a vendor's key, a national id, a phone) does.
fn stands_alone(value: &[u8], format: Format, located: &Located) {
    let facts = DATA.facts(located.hit.row);
    let is_structural = facts.family == Family::Secret
        && facts.strength == Strength::Bound
        && located.hit.doubt.is_none()
        && located.hit.encoding.is_none();
    if is_structural {
        let alone = DATA.in_document(value, format).hits;
        assert!(!alone.is_empty(), "{} is found in the document and not alone", facts.id);
    }
}
