//! Network addresses, of both versions; not version numbers, sections or times.

use super::Kind;
use super::context::{self, Words};
use super::number::runs_in;
use crate::sensitive::scan::Sink;

/// What four dotted numbers are when they are no address.
const OTHER_WORDS: Words = Words::new(&[
    "version*",
    "ver",
    "v",
    "release*",
    "build",
    "firmware",
    "driver",
    "section",
    "chapter",
    "clause",
    "paragraph",
    "oid",
    "revision",
    "rev",
    "upgrade*",
    "update*",
    "package",
    "bios",
]);

const ADDRESS_WORDS: Words = Words::new(&["ip", "ipv4", "address*", "host", "from", "client*", "server"]);

/// Four numbers up to 255 with dots between, beginning at `start`.
pub(super) fn look_v4(bytes: &[u8], start: usize, sink: &mut Sink) {
    let Some((octets, end)) = octets(bytes, start) else { return };
    let mut before = bytes.get(..start).unwrap_or_default().iter().rev();
    let is_part = match (before.next(), before.next()) {
        // A user agent's `Chrome/120.0.0.0`, a pin's `==1.2.3.4`, a subscript.
        (Some(b'/' | b'-' | b'^' | b'~'), Some(further)) => {
            further.is_ascii_alphanumeric() || *further == b'"'
        }
        (Some(b'='), Some(further)) => matches!(further, b'=' | b'>' | b'<' | b'~'),
        _ => runs_in(bytes, start),
    };
    if is_part || goes_on(bytes, end) || is_version(bytes, start) {
        return;
    }
    let doubt = match octets {
        [127, ..] | [0, ..] | [255, 255, ..] => {
            Some("not an address of anyone: loopback, unspecified or a mask")
        }
        [.., 0] if bytes.get(end) == Some(&b'/') => Some("a network, not an address in it"),
        _ => None,
    };
    sink.push_personal(Kind::Ip, start, end, 900, doubt);
}

fn octets(bytes: &[u8], start: usize) -> Option<([u32; 4], usize)> {
    let mut octets = [0; 4];
    let mut at = start;
    for (index, octet) in octets.iter_mut().enumerate() {
        if index > 0 {
            bytes.get(at).filter(|byte| **byte == b'.')?;
            at += 1;
        }
        let rest = bytes.get(at..)?;
        let size = rest.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        *octet = rest.iter().take(size).fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        if size == 0 || *octet > 255 || size > 1 && rest.first() == Some(&b'0') {
            return None;
        }
        at += size;
    }
    Some((octets, at))
}

fn goes_on(bytes: &[u8], end: usize) -> bool {
    let mut after = bytes.get(end..).unwrap_or_default().iter();
    match (after.next(), after.next()) {
        (Some(b'.'), Some(further)) => further.is_ascii_alphanumeric(),
        (Some(b'-'), Some(further)) => further.is_ascii_alphabetic(),
        (Some(near), _) => near.is_ascii_alphanumeric() || *near == b'_',
        (None, _) => false,
    }
}

fn is_version(bytes: &[u8], start: usize) -> bool {
    // The word must be the nearest one: "update failed from 10.1.2.3" speaks of an address.
    let near = start.saturating_sub(16);
    let window = bytes.get(near..start).unwrap_or_default();
    context::before(window, window.len(), &OTHER_WORDS) && !context::before(bytes, start, &ADDRESS_WORDS)
}

/// Hexadecimal groups with colons between; `at` is a colon of them.
pub(super) fn look_v6(bytes: &[u8], at: usize, sink: &mut Sink) {
    // Most colons stand after a time's hour or a key: neither is followed by another group.
    if !bytes.get(at + 1).is_some_and(|byte| byte.is_ascii_hexdigit() || *byte == b':') {
        return;
    }
    let before = bytes.get(..at).unwrap_or_default();
    let first = before.iter().rev().take(5).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let start = match before.get(..at - first).and_then(<[u8]>::last) {
        // `::1`, seen at its second colon.
        Some(b':') if first == 0 => at - 1,
        // Not the first colon: it was looked at before.
        Some(b':') => return,
        _ => at - first,
    };
    let is_glued = start
        .checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-' | b'%'));
    if first > 4 || is_glued {
        return;
    }
    if let Some(end) = groups(bytes, start) {
        sink.push_personal(Kind::Ip, start, end, 950, None);
    }
}

/// The end of an address: eight groups, or fewer and one `::` with groups enough that no code looks like it.
fn groups(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut count, mut gaps, mut has_digit) = (start, 0, 0, false);
    let mut pairs = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let size = rest.iter().take(5).take_while(|byte| byte.is_ascii_hexdigit()).count();
        if size > 4 {
            return None;
        }
        if size > 0 {
            has_digit |= rest.iter().take(size).any(u8::is_ascii_digit);
            count += 1;
            pairs += usize::from(size == 2);
            at += size;
        }
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b':'), Some(b':')) => {
                gaps += 1;
                at += 2;
            }
            (Some(b':'), Some(next)) if size > 0 && next.is_ascii_hexdigit() => at += 1,
            // The last groups may be written as a version 4 address.
            (Some(b'.'), _) if size > 0 && count > 1 => {
                if let Some((_, end)) = octets(bytes, at - size) {
                    at = end;
                    count += 1;
                }
                break;
            }
            _ => break,
        }
        if count > 8 || gaps > 1 {
            return None;
        }
    }
    let is_whole = match gaps {
        // Eight pairs are the name of a device.
        0 => count == 8 && pairs < 8,
        1 => (3..8).contains(&count),
        _ => false,
    };
    (is_whole && has_digit && !goes_on(bytes, at)).then_some(at)
}

#[cfg(test)]
pub(super) const EXAMPLES: super::Examples = super::Examples {
    kind: "ip",
    yes: &[
        "from 203.0.113.24",
        "http://198.51.100.7:8080/x",
        "10.1.2.3/24",
        "update failed from 41.173.96.26.",
        "|106.31.73.20|",
        "address 2001:db8:85a3::8a2e:370:7334 blocked",
        "[6e40:4041:c617:e898:c11:40d2:c669:2eb4]:443",
        "::ffff:203.0.113.24 x fe80::1ff:fe23:4567:890a",
        "{\"ip\":\"8.8.8.8\"}",
    ],
    no: &[
        "version 1.2.3.4",
        "v1.2.3.4",
        "{\"version\":\"10.0.19041.1\"}",
        "\"ver\": \"2.14.0.1\"",
        "Chrome/120.0.0.0 Safari",
        "1.2.3.4.5",
        "256.1.1.1",
        "10.01.2.3",
        "app-1.2.3.4.tar",
        "pkg==1.2.3.4",
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.0/16",
        "section 4.2.1.3",
        "12:34:56",
        "00:1A:2B:3C:4D:5E",
        "wwn 50:06:01:60:3b:20:19:ab",
        "bed::fs a::b",
        "abc::def",
        "2024-05-13T12:34:56",
        "1.2.3.4-beta",
    ],
};
