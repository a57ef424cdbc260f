//! Mail addresses: a mailbox, `@`, a host with a top-level domain.
//!
//! `git@github.com:org/repo` and `https://user@host/` are not reported: they name a remote, not a mailbox. Addresses
//! at `example.com` are, since test data in a document is what its author put in place of people; only what asks to be
//! replaced (`your.name@…`) is doubted.

use super::Kind;
use crate::sensitive::scan::Sink;

const LONGEST_LOCAL: usize = 64;
const LONGEST_HOST: usize = 253;
/// Ends of file names that stand after an `@`, as in `icon@2x.png`.
const FILE_ENDS: [&str; 20] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "css", "json", "html", "htm", "xml",
    "yml", "yaml", "zip", "tgz", "txt", "pdf",
];
/// Mailboxes that ask to be replaced.
const FILLERS: [&str; 9] =
    ["your", "you", "youremail", "yourname", "your-email", "your_email", "your.email", "your.name", "xxx"];

/// Looks around the `@` at `at`.
pub(super) fn look(bytes: &[u8], at: usize, sink: &mut Sink) {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let is_mailbox = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.') || !byte.is_ascii()
    };
    if !before.is_some_and(is_mailbox) {
        return;
    }
    let Some(end) = host_end(bytes, at + 1) else { return };
    let Some(start) = local_start(bytes, at) else { return };
    if is_remote(bytes, start, end) {
        return;
    }
    let local = bytes.get(start..at).unwrap_or_default();
    let is_filler = FILLERS.iter().any(|filler| local.eq_ignore_ascii_case(filler.as_bytes()));
    sink.push_personal(Kind::Email, start, end, 950, is_filler.then_some("asks to be replaced"));
}

/// Where the mailbox begins: letters, digits and the marks that addresses use in practice, no dot at either end.
fn local_start(bytes: &[u8], at: usize) -> Option<usize> {
    let before = bytes.get(at.saturating_sub(LONGEST_LOCAL + 1)..at)?;
    let mut local = before;
    while let Some((&last, rest)) = local.split_last() {
        let is_mark = matches!(last, b'.' | b'_' | b'%' | b'+' | b'-' | b'\'');
        if !last.is_ascii_alphanumeric() && !is_mark {
            let Some(longer) = strip_letter(local) else { break };
            local = longer;
        } else {
            local = rest;
        }
    }
    let mut start = at - (before.len() - local.len());
    // The letter of an escape is not the mailbox's.
    if bytes.get(..start)?.ends_with(b"\\") && matches!(bytes.get(start), Some(b'n' | b'r' | b't')) {
        start += 1;
    }
    let mut name = bytes.get(start..at)?;
    if let Some(escape) = name.iter().rposition(|byte| *byte == b'%') {
        // `%20someone@…`, `%3Csomeone@…`.
        name = name.get(escape + 3..)?;
    }
    while let Some((b'.' | b'-' | b'+' | b'\'' | b'_', rest)) = name.split_first() {
        name = rest;
    }
    let is_whole = !name.is_empty()
        && name.len() <= LONGEST_LOCAL
        && name.last() != Some(&b'.')
        && !name.windows(2).any(|pair| pair == b"..");
    is_whole.then_some(at - name.len())
}

/// `text` without the letter or digit beyond ASCII that it ends with, if it ends with one.
fn strip_letter(text: &[u8]) -> Option<&[u8]> {
    (2..=4).find_map(|size| {
        let (rest, last) = text.split_at_checked(text.len().checked_sub(size)?)?;
        let letter = core::str::from_utf8(last).ok()?;
        letter.chars().all(char::is_alphanumeric).then_some(rest)
    })
}

/// Where the host ends: labels with dots between, the last one a top-level domain.
fn host_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = bytes.get(start..)?;
    let rest = rest.get(..LONGEST_HOST + 1).unwrap_or(rest);
    let mut host = rest.iter().take_while(|byte| is_host_byte(**byte)).count();
    if let Some(strange) = rest.get(..host)?.iter().position(|byte| !byte.is_ascii()) {
        host = strange + letters_and_dots(rest.get(strange..host)?);
    }
    let mut name = rest.get(..host)?;
    while let Some((b'.' | b'-', shorter)) = name.split_last() {
        name = shorter;
    }
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let (labels, top) = (name.get(..dot)?, name.get(dot + 1..)?);
    let labels_fit = labels.split(|byte| *byte == b'.').all(|label| {
        !label.is_empty() && label.len() <= 63 && label.first() != Some(&b'-') && label.last() != Some(&b'-')
    });
    let top_fits = match top {
        [b'x' | b'X', b'n' | b'N', b'-', b'-', ..] => top.len() > 4,
        _ => {
            top.len() >= 2
                && top.len() <= 24
                && top.iter().all(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        }
    };
    let is_file = FILE_ENDS.iter().any(|end| top.eq_ignore_ascii_case(end.as_bytes()));
    (labels_fit && top_fits && !is_file).then_some(start + name.len())
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') || !byte.is_ascii()
}

/// How many bytes of `text` are letters, digits, dots and dashes of any script; a quotation mark ends a host.
fn letters_and_dots(text: &[u8]) -> usize {
    let valid = match core::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            text.get(..error.valid_up_to()).and_then(|text| core::str::from_utf8(text).ok()).unwrap_or("")
        }
    };
    valid
        .char_indices()
        .find(|(_, character)| !character.is_alphanumeric() && !matches!(character, '.' | '-'))
        .map_or(valid.len(), |(at, _)| at)
}

/// Whether the address is the user of a URL or of a remote copy: `ssh://git@host/`, `git@host:path`.
fn is_remote(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = bytes.get(start.saturating_sub(80)..start).unwrap_or_default();
    let word = before
        .iter()
        .rev()
        .take_while(|byte| !matches!(byte, b' ' | b'"' | b'\n' | b'<' | b'?' | b'&'))
        .count();
    let word = before.get(before.len() - word..).unwrap_or_default();
    let authority = word.windows(3).rposition(|mark| mark == b"://").and_then(|mark| word.get(mark + 3..));
    let mut after = bytes.get(end..).unwrap_or_default().iter();
    let has_path = after.next() == Some(&b':')
        && after.next().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'/');
    authority.is_some_and(|authority| !authority.contains(&b'/'))
        || has_path && bytes.get(start..start + 4) == Some(b"git@")
}

#[cfg(test)]
pub(super) const EXAMPLES: super::Examples = super::Examples {
    kind: "email",
    yes: &[
        "write to jane.doe+news@mail.example.co.uk.",
        "<o'neil@example.org>",
        "mailto:jane@example.com?subject=x",
        "{\"email\":\"jane@example.com\"}",
        "josé@exämple.de",
        "jane@xn--exmple-cua.de",
        "\u{201c}jane@example.com\u{201d}",
        "https://example.com/?to=jane@example.com",
        "%20jane@example.com",
        "(jane_doe-1@example.museum)",
    ],
    no: &[
        "user@localhost",
        "@scope/pkg",
        "git@github.com:org/repo.git",
        "ssh://git@example.com/repo",
        "https://user@example.com/",
        "https://user:word@example.com/",
        "icon@2x.png",
        "lodash@4.17.21",
        "actions/checkout@v4.1",
        "a..b@example.com@",
        "jane@example.c",
        "jane@-example.com",
        "your.email@example.com",
        "jane@.com",
    ],
};
