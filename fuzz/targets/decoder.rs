//! Any text as a description runs through the decoding ladder: nothing panics, what it yields is safe to print.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    portcullis_fuzz::observe(portcullis_fuzz::described(text));
});
