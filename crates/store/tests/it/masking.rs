//! Nothing sensitive reaches a file of the data directory, in whatever way it is written there.

use crate::world::{NOON, World};
use portcullis_store::{Draft, Filter, Kind, Status};
use std::fs;

/// Values by number: mail addresses, cards and tokens, none of them real.
fn secret(number: usize) -> String {
    match number % 3 {
        0 => format!("person{number}.surname@company{number}.example.org"),
        1 => card(number),
        _ => format!("gh{}_{}{number:03}", "p", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYz"),
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
            result: (number % 5 == 0).then_some(text.as_bytes()),
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
    assert_eq!((found("email"), found("card")), (67, 67));
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
    [secret.as_bytes().to_vec(), hex.clone().into_bytes(), hex.to_uppercase().into_bytes(), wide]
        .into_iter()
        .chain(base64)
        .collect()
}

fn holds(file: &[u8], form: &[u8]) -> bool {
    file.windows(form.len()).any(|window| window == form)
}
