//! Normalising twice is normalising once: what a check compares does not depend on how often it was prepared.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_detect::normalise;

fuzz_target!(|text: &str| {
    let once = normalise(text);
    assert_eq!(normalise(&once), once, "normalising twice is not once");
});
