//! Nothing sensitive reaches a file of the data directory, in whatever way it is written there.

use crate::world::{NOON, World};
use portcullis_store::{Draft, Filter, Kind, Status};
use std::fs;

/// Values by number, none of them real: personal data, and credentials of several makers.
fn secret(number: usize) -> String {
    let letters = |count: usize, alphabet: &[u8]| -> String {
        let mut state = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            char::from(alphabet[(state % alphabet.len() as u64) as usize])
        };
        (0..count).map(|_| next()).collect()
    };
    let mixed = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789";
    let capitals = b"ABCDEFGHJKLMNPQRSTUVWXYZ234567";
    match number % 8 {
        0 => format!("person{number}.surname@company{number}.example.org"),
        1 => card(number),
        2 => format!("gh{}_{}", "p", letters(36, mixed)),
        3 => format!("AK{}{}", "IA", letters(16, capitals)),
        4 => format!("{}-{}-{}", 512 + number % 100, 20 + number % 70, 4_100 + number),
        5 => format!("sk_{}_{}", "live", letters(24, mixed)),
        6 => format!(
            "xo{}-{}-{}-{}",
            "xb",
            210_000_000_000 + number,
            310_000_000_000 + number,
            letters(24, mixed)
        ),
        _ => format!("+49 30 {} {}", 9_018 + number % 50, 20_000 + number),
    }
}

/// A number with the right check digit.
fn card(number: usize) -> String {
    let body = format!("453957876{number:06}");
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0') * if place % 2 == 0 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

#[test]
fn two_hundred_secrets_leave_no_trace() {
    let world = World::new();
    let log = world.log();
    let secrets: Vec<String> = (0..200).map(secret).collect();
    for (number, secret) in secrets.iter().enumerate() {
        let text = match number % 2 {
            0 => format!("{{\"note\":\"the value is {secret} \\u0021\",\"n\":{number}}}"),
            _ => format!("the value is {secret} and that is all"),
        };
        let draft = Draft {
            server: "server",
            tool: "tool",
            arguments: Some(text.as_bytes()),
            result: Some(text.as_bytes()),
            note: Some(&text),
            ..Draft::new(Kind::ToolCall, Status::Sent, NOON)
        };
        log.append(&draft).unwrap();
    }
    drop(log);
    let files: Vec<Vec<u8>> = world.files().iter().map(|file| fs::read(file).unwrap()).collect();
    for secret in &secrets {
        for form in forms(secret) {
            assert!(!files.iter().any(|file| holds(file, &form)), "{secret}");
        }
    }
    let found = |kind: &str| {
        let filter = Filter { sensitive: Some(kind.into()), ..Filter::default() };
        world.reader().list(&filter, None, 300).unwrap().entries.len()
    };
    assert_eq!((found("email"), found("card")), (25, 25));
}

/// The ways a value could stand in a file.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let wide: Vec<u8> = secret.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let base64 = (0..3).map(|shift| {
        let text = data_encoding::BASE64_NOPAD.encode(format!("{}{secret}", "x".repeat(shift)).as_bytes());
        // The letters that depend on what stands before and after are left out.
        text.as_bytes()[4..text.len() - 4].to_vec()
    });
    let wide_be: Vec<u8> = secret.encode_utf16().flat_map(u16::to_be_bytes).collect();
    [secret.as_bytes().to_vec(), hex.clone().into_bytes(), hex.to_uppercase().into_bytes(), wide, wide_be]
        .into_iter()
        .chain(base64)
        .collect()
}

fn holds(file: &[u8], form: &[u8]) -> bool {
    file.windows(form.len()).any(|window| window == form)
}
