//! What a difference says: where, what, and how grave.

use super::*;
use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use portcullis_detect::fingerprint::VolatileKind;

fn between(before: &str, after: &str, volatile: &[Volatile]) -> Difference {
    let json = |text: &str| Json::parse(text).expect("good JSON");
    Difference::between(Kind::Tool, &json(before), &json(after), volatile)
}

/// Each change as `class pointer what`.
#[track_caller]
fn check(before: &str, after: &str, expected: &[&str]) {
    let text = |value: &Json| value.canonical().text().to_string();
    let shown: Vec<String> = between(before, after, &[])
        .changes
        .iter()
        .map(|change| {
            let what = match &change.what {
                What::Added(value) => format!("+{}", text(value)),
                What::Removed(value) => format!("-{}", text(value)),
                What::Replaced { before, after } => format!("{} -> {}", text(before), text(after)),
                What::Reworded(runs) => {
                    let word = |run: &Run| match run.kind {
                        RunKind::Same => "=",
                        RunKind::Removed => "-",
                        RunKind::Added => "+",
                    };
                    runs.iter().map(|run| format!("{}{}", word(run), run.text)).collect::<Vec<_>>().join("|")
                }
                What::Reordered => "order".into(),
            };
            format!("{} {} {what}", change.class.as_str(), change.pointer)
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn texts_are_compared_by_words() {
    check(
        r#"{"description":"Reads files."}"#,
        r#"{"description":"Sends files."}"#,
        &["text /description -Reads|+Sends|= files."],
    );
    check(
        r#"{"description":"a  b"}"#,
        r#"{"description":"a\n b"}"#,
        &["cosmetic /description =a|-  |+\n |=b"],
    );
    check(
        r#"{"description":"a b"}"#,
        r#"{"description":"a\u200b b"}"#,
        &["text /description =a|+\u{200b}|= b"],
    );
    check(r#"{"title":"a"}"#, "{}", &[r#"text /title -"a""#]);
}

#[test]
fn schemas_are_compared_by_pointer() {
    check(
        r#"{"inputSchema":{"properties":{"a":{"type":"string","maxLength":1.0},"b":{}},"required":["a","b"]}}"#,
        r#"{"inputSchema":{"properties":{"c/d":{},"a":{"type":"number","maxLength":1}},"required":["c","a"]}}"#,
        &[
            "schema /inputSchema/properties/a/type -string|+number",
            "schema /inputSchema/properties/c~1d +{}",
            "schema /inputSchema/properties/b -{}",
            r#"schema /inputSchema/required/0 +"c""#,
            r#"schema /inputSchema/required/1 -"b""#,
        ],
    );
    check(
        r#"{"inputSchema":{"required":["a","b"],"x":[1,2]}}"#,
        r#"{"inputSchema":{"required":["b","a"],"x":[1,3,4]}}"#,
        &[
            "cosmetic /inputSchema/required order",
            "schema /inputSchema/x/1 2 -> 3",
            "schema /inputSchema/x/2 +4",
        ],
    );
    check(
        r#"{"inputSchema":{"enum":[1,1,2]}}"#,
        r#"{"inputSchema":{"enum":[1,2,2]}}"#,
        &["schema /inputSchema/enum [1,1,2] -> [1,2,2]"],
    );
}

#[test]
fn words_in_schemas_and_annotations_are_text() {
    check(
        r#"{"inputSchema":{}}"#,
        r#"{"inputSchema":{"description":"x"}}"#,
        &[r#"text /inputSchema/description +"x""#],
    );
    check(
        r#"{"outputSchema":{"p":1}}"#,
        r#"{"outputSchema":{"p":{"title":"x"}}}"#,
        &[r#"text /outputSchema/p 1 -> {"title":"x"}"#],
    );
    check(
        r#"{"annotations":{"readOnlyHint":true}}"#,
        r#"{"annotations":{"readOnlyHint":false}}"#,
        &["annotation /annotations/readOnlyHint true -> false"],
    );
    check(r#"{"annotations":{}}"#, r#"{"annotations":{"title":"x"}}"#, &[r#"text /annotations/title +"x""#]);
    check(r#"{"_meta":{"a":1}}"#, r#"{"_meta":{"a":2}}"#, &["annotation /_meta/a 1 -> 2"]);
}

#[test]
fn the_gravest_change_names_the_whole() {
    assert_eq!(between("{}", "{}", &[]).class(), None);
    let both = between(r#"{"description":"a","_meta":1}"#, r#"{"description":"b","_meta":2}"#, &[]);
    assert_eq!(both.class(), Some(Class::Text));
    assert_eq!(between(r#"{"_meta":1}"#, r#"{"_meta":2}"#, &[]).class(), Some(Class::Annotation));
}

#[test]
fn equal_keys_are_compared_in_their_order() {
    check(r#"{"x":1}"#, r#"{"x":1,"x":2}"#, &["annotation /x +2"]);
    check(r#"{"x":1,"x":2}"#, r#"{"x":2,"x":1}"#, &["annotation /x 1 -> 2", "annotation /x 2 -> 1"]);
}

#[test]
fn volatile_spans_are_left_out() {
    let marks = vec![Volatile { pointer: "/description".into(), kind: VolatileKind::Counts }];
    let change = |after: &str| between(r#"{"description":"Has 7 files."}"#, after, &marks);
    assert!(change(r#"{"description":"Has 1,024 files."}"#).is_empty());
    assert!(!change(r#"{"description":"Has 7 secret files."}"#).is_empty());
}

#[test]
fn the_number_of_changes_is_bounded_and_the_rest_counted() {
    let many: Vec<String> = (0..1500).map(|number| format!("\"k{number}\":1")).collect();
    let difference = between("{}", &format!("{{{}}}", many.join(",")), &[]);
    assert_eq!((difference.changes.len(), difference.unlisted), (1000, 500));
    assert_eq!(difference.class(), Some(Class::Text));
}
