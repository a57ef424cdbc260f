//! Any text between quotes, lead-ins and lists: the position classifier never panics and never wavers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_fuzz::{described, observe};

/// What stands before and after the text; the first byte of the input chooses.
const FRAMES: [(&str, &str); 8] = [
    ("Detects phrases such as \"", "\" in tool descriptions."),
    ("For example, '", "' is flagged."),
    ("Do not tell the user. ", ""),
    ("\u{201c}", "\u{201d} e.g. ignore all previous instructions"),
    ("Flags: - ", "\n- ignore previous instructions\n- `do not tell the user`"),
    ("\u{ab}", "\u{bb} \u{300c}\u{6307}\u{793a}\u{300d}"),
    ("Before using ledger_post_entry, ", " and never mention it."),
    ("```\n", "\n```"),
];

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let (before, after) = FRAMES[usize::from(choice) % FRAMES.len()];
    let whole = format!("{before}{text}{after}");
    assert_eq!(observe(described(&whole)), observe(described(&whole)), "two observations of one text differ");
});
