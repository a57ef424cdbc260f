//! What a fingerprint promises: every change shows, no boundary can be moved, and spelling does not matter.

use super::*;
use proptest::prelude::*;

const TOOL: &str = r#"{"name":"read_file","title":"Read","description":"Reads 1 file.","inputSchema":{"type":"object",
    "properties":{"path":{"type":"string","maxLength":4096}},"required":["path"]},"outputSchema":{"type":"string"},
    "annotations":{"readOnlyHint":true},"_meta":{"k":[1,2.5,null]},"icons":[{"src":"a"}]}"#;

fn identity(json: &str) -> Identity {
    Identity::parse("files", Kind::Tool, json).expect("good JSON")
}

fn check_same(a: &str, b: &str) {
    assert_eq!(identity(a), identity(b), "{a} {b}");
}

fn check_different(a: &str, b: &str, parts: &[Part]) {
    let (a_identity, b_identity) = (identity(a), identity(b));
    assert_ne!(a_identity.fingerprint(), b_identity.fingerprint(), "{a} {b}");
    assert_eq!(a_identity.differs_in(&b_identity), parts, "{a} {b}");
}

#[test]
fn a_fingerprint_stays_what_it_was_when_this_was_written() {
    // Locks and approvals hold these. If this fails, the scheme's number must change.
    let fingerprint = identity(TOOL).fingerprint().to_string();
    assert_eq!(fingerprint, "a4875cdb78db07e898ca815f76d64916c9ce27db84e17a3a25d97274fdd2acc0");
    assert_eq!(Fingerprint::from_hex(&fingerprint), Some(identity(TOOL).fingerprint()));
    assert_eq!(Fingerprint::from_hex("ab"), None);
    assert_eq!(Fingerprint::from_hex(&fingerprint.to_uppercase()), None);
}

#[test]
fn spelling_does_not_count() {
    check_same(r#"{"name":"a","description":"d"}"#, "{ \"description\" : \"\\u0064\",\n\t\"name\":\"a\" }");
    check_same(r#"{"inputSchema":{"a":1.0,"b":[10]}}"#, r#"{"inputSchema":{"b":[1e1],"a":1}}"#);
    check_same(r#"{"_meta":{},"icons":[]}"#, r#"{"icons":[],"_meta":{}}"#);
}

#[test]
fn each_part_shows_where_the_change_is() {
    check_different(r#"{"name":"a"}"#, r#"{"name":"b"}"#, &[Part::Name]);
    check_different(r#"{"title":"a"}"#, r#"{"title":"b"}"#, &[Part::Title]);
    check_different(r#"{"description":"a"}"#, r#"{"description":"a "}"#, &[Part::Description]);
    check_different(r#"{"inputSchema":{"a":[1,2]}}"#, r#"{"inputSchema":{"a":[2,1]}}"#, &[Part::InputSchema]);
    check_different(r#"{"outputSchema":true}"#, r#"{"outputSchema":false}"#, &[Part::OutputSchema]);
    check_different(r#"{"annotations":{"a":1}}"#, r#"{"annotations":{"a":2}}"#, &[Part::Annotations]);
    check_different(r#"{"x":1}"#, r#"{"y":1}"#, &[Part::Other]);
    let (a, b) = (Identity::parse("a", Kind::Tool, TOOL), Identity::parse("b", Kind::Tool, TOOL));
    assert_eq!(a.expect("good").differs_in(&b.expect("good")), [Part::Server]);
}

#[test]
fn boundaries_cannot_be_moved() {
    check_different(
        r#"{"title":"ab"}"#,
        r#"{"title":"a","description":"b"}"#,
        &[Part::Title, Part::Description],
    );
    check_different(r#"{"title":"","description":"a"}"#, r#"{"description":"a"}"#, &[Part::Title]);
    check_different(r#"{"description":null}"#, "{}", &[Part::Description]);
    check_different(r#"{"description":"null"}"#, r#"{"description":null}"#, &[Part::Description]);
    check_different(
        r#"{"inputSchema":{}}"#,
        r#"{"outputSchema":{}}"#,
        &[Part::InputSchema, Part::OutputSchema],
    );
    check_different(r#"{"description":"{}"}"#, r#"{"description":{}}"#, &[Part::Description]);
    check_different("{}", "[]", &[Part::Other]);
    let kinds = [Kind::Tool, Kind::Prompt, Kind::Resource, Kind::ResourceTemplate]
        .map(|kind| Identity::parse("s", kind, TOOL).expect("good JSON").fingerprint());
    assert!(kinds.iter().all(|one| kinds.iter().filter(|other| *other == one).count() == 1));
}

#[test]
fn documents_stricter_readers_refuse() {
    let twice = r#"{"description":"a","description":"b"}"#;
    check_different(twice, r#"{"description":"b"}"#, &[Part::Description]);
    check_different(twice, r#"{"description":"b","description":"a"}"#, &[Part::Description]);
    check_different(r#"{"x":{"k":1,"k":2}}"#, r#"{"x":{"k":2,"k":1}}"#, &[Part::Other]);
    check_different(r#"{"x":9007199254740993}"#, r#"{"x":9007199254740992}"#, &[Part::Other]);
    check_different(r#"{"x":[0.1,9007199254740993]}"#, r#"{"x":[0.1,9007199254740991]}"#, &[Part::Other]);
    check_different(r#"{"x":1e-400}"#, r#"{"x":0}"#, &[Part::Other]);
    for refused in [r#"{"x":1e400}"#, r#"{"x":"\ud800"}"#, "{", ""] {
        assert!(Identity::parse("s", Kind::Tool, refused).is_err(), "{refused}");
    }
}

#[test]
fn a_renamed_tool_is_known_by_its_content() {
    let renamed = identity(&TOOL.replace("read_file", "load_file"));
    assert!(identity(TOOL).is_renamed_as(&renamed));
    assert!(!identity(TOOL).is_renamed_as(&identity(TOOL)));
    assert!(!identity(TOOL).is_renamed_as(&identity(&TOOL.replace("Reads", "Sends"))));
}

/// Changes one character of `json`. If that is still JSON and another value, the fingerprint must be another.
fn check_mutation(json: &str, at: usize, change: u8, with: char) {
    let characters: Vec<char> = json.chars().collect();
    let mut changed = characters.clone();
    match change % 3 {
        0 => changed[at] = with,
        1 => drop(changed.remove(at)),
        _ => changed.insert(at, with),
    }
    let changed: String = changed.into_iter().collect();
    let Ok(other) = Identity::parse("files", Kind::Tool, &changed) else { return };
    let value = |text: &str| Json::parse(text).map(sorted);
    let is_same_value = value(json) == value(&changed);
    let is_same = identity(json).fingerprint() == other.fingerprint();
    assert_eq!(is_same, is_same_value, "{json}\n{changed}");
}

/// The value without what does not count, made in another way than the canonical form is.
fn sorted(value: Json) -> Json {
    match value {
        Json::Number(spelling) => Json::Number(plain_decimal(&spelling).into()),
        Json::Array(items) => Json::Array(items.into_iter().map(sorted).collect()),
        Json::Object(members) => {
            let mut members: Vec<_> = members.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(members)
        }
        other => other,
    }
}

/// A number written out in full, `-12.5` for `-1.25e1`; absurd powers stay as they are.
fn plain_decimal(spelling: &str) -> String {
    let (mantissa, power) = spelling.split_once(['e', 'E']).unwrap_or((spelling, "0"));
    let Some(power) = power.parse::<i32>().ok().filter(|power| power.abs() < 500) else {
        return spelling.into();
    };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{whole}{fraction}{}", "0".repeat(600), "0".repeat(600));
    let point = usize::try_from(600 + power + i32::try_from(whole.len()).unwrap_or(0)).unwrap_or(0);
    let (whole, fraction) = digits.split_at(point);
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    if whole.is_empty() && fraction.is_empty() { "0".into() } else { format!("{sign}{whole}.{fraction}") }
}

#[test]
fn every_single_character_counts() {
    for at in 0..TOOL.chars().count() {
        for with in ['x', '0', '"', ' ', '\\', '\u{200b}', ',', '-', '.'] {
            for change in 0..3 {
                check_mutation(TOOL, at, change, with);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_character_anywhere_counts(at in 0..TOOL.len(), change in 0u8..3, with in any::<char>()) {
        check_mutation(TOOL, at, change, with);
    }

    #[test]
    fn any_texts_keep_their_boundaries(a in "\\PC{0,6}", b in "\\PC{0,6}", c in "\\PC{0,6}", d in "\\PC{0,6}") {
        let tool = |title: &str, description: &str| {
            let text = |text: &str| Json::String(text.into());
            Json::Object(vec![("title".into(), text(title)), ("description".into(), text(description))])
        };
        let fingerprint = |title: &str, text: &str| Identity::of("s", Kind::Tool, &tool(title, text)).fingerprint();
        prop_assert_eq!(fingerprint(&a, &b) == fingerprint(&c, &d), (&a, &b) == (&c, &d));
        let server = |server: &str, title: &str| Identity::of(server, Kind::Tool, &tool(title, "")).fingerprint();
        prop_assert_eq!(server(&a, &b) == server(&c, &d), (&a, &b) == (&c, &d));
    }
}
