//! The HTML page: one file, nothing fetched, nothing of the scanned text alive.

use crate::fixture::Fixture;
use data_encoding::BASE64;
use portcullis_decide::Persona;
use portcullis_report::write_html;
use sha2::{Digest, Sha256};

fn page(fixture: &Fixture) -> String {
    fixture.written(write_html)
}

#[test]
fn the_policy_names_the_style_sheet_that_is_there() {
    let page = page(&Fixture::clean());
    let style =
        page.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>")).expect("a style").0;
    let digest = format!("style-src 'sha256-{}'", BASE64.encode(&Sha256::digest(style)));
    assert!(page.contains(&digest), "write {digest} into the page's policy");
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn nothing_is_fetched_and_nothing_runs() {
    let page = page(&Fixture::new(Persona::Auditor));
    for word in ["<script", "<img", "<link", "<iframe", "url(", "@import", " src=", " style=", " on"] {
        let allowed = word == " on" && !page.contains(" onclick") && !page.contains(" onload");
        assert!(allowed || !page.contains(word), "{word}");
    }
    assert!(!page.contains("href=\"http"), "without --docs-url no link leaves the page");
}

#[test]
fn hostile_text_is_text() {
    let mut fixture = Fixture::new(Persona::Auditor);
    let hostile = "</style><script>alert(1)</script>\"' onload=x \u{202e}";
    fixture.report.findings[0].name = hostile.into();
    fixture.report.findings[0].server = hostile.into();
    fixture.report.findings[0].signals[0].detail = hostile.replace('\u{202e}', "");
    fixture.report.incomplete[0].subject = hostile.into();
    fixture.report.incomplete[0].reason = hostile.into();
    let page = page(&fixture);
    assert!(!page.contains("<script>"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; onload=x U+202E"), "{page}");
    assert!(!page.contains('\u{202e}'));
    // A quote inside a tag would end an attribute: outside of tags of ours there is none.
    let quotes: String = page.split('>').filter_map(|rest| rest.split('<').next()).collect();
    assert!(!quotes.split("</style").next().unwrap_or_default().contains("\"' onload"));
}

#[test]
fn the_verdict_is_the_first_thing_said() {
    let verdict = |fixture: &Fixture| {
        let page = page(fixture);
        let rest = page.split_once("<strong>").expect("a verdict").1;
        rest.split_once("</strong>").expect("its end").0.to_owned()
    };
    assert_eq!(
        verdict(&Fixture::new(Persona::Regular)),
        "1 definition should not be used until somebody has read it."
    );
    assert_eq!(verdict(&Fixture::clean()), "Nothing was found.");
    let mut quiet = Fixture::new(Persona::Pedantic);
    quiet.report.findings.remove(0);
    assert_eq!(verdict(&quiet), "Not everything could be looked at.");
    quiet.report.incomplete.clear();
    assert_eq!(verdict(&quiet), "Nothing must be held, but somebody should look at 1 definition.");
}

#[test]
fn findings_link_to_their_check_on_the_same_page() {
    let page = page(&Fixture::new(Persona::Regular));
    assert!(page.contains("<a href=\"#unicode.hidden\">"));
    assert!(page.contains("<div id=\"unicode.hidden\">"));
}

#[test]
fn many_servers_share_a_bar() {
    let mut fixture = Fixture::new(Persona::Regular);
    let one = fixture.report.findings[0].clone();
    fixture.report.findings = (0..40)
        .map(|number| {
            let mut finding = one.clone();
            finding.server = format!("server-{number:02}").into();
            finding
        })
        .collect();
    assert!(page(&fixture).contains(">29 others</text>"));
}
