//! Shows a long text with the reader's pager, as git does.

use std::io::Write;
use std::process::{Command, Stdio};

/// Hands `text` to the pager; false if there is none, so that the caller writes it itself.
pub(super) fn show(text: &str) -> bool {
    let wanted = std::env::var("PORTCULLIS_PAGER").or_else(|_| std::env::var("PAGER"));
    let wanted = wanted.unwrap_or_else(|_| "less".to_owned());
    let mut words = wanted.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    // A page that fits on the screen is only shown, and stays there.
    command
        .args(words)
        .stdin(Stdio::piped())
        .env("LESS", std::env::var("LESS").unwrap_or_else(|_| "FRX".into()));
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A reader who leaves early has seen enough.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
