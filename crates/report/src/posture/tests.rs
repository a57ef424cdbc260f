//! Pictures and texts of a posture, with names that would like to be more than names.

use super::*;
use portcullis_decide::posture::posture;

const HOSTILE: &str = "x\"];</text><script>\u{202e}\u{1b}[2J\\";

fn report() -> PostureReport {
    let member = |server, tool, reads_private, sees_untrusted, sends| Member {
        server,
        tool,
        reads_private,
        sees_untrusted,
        sends,
    };
    let members = [
        member("files", HOSTILE, true, false, None),
        member("web", "fetch", false, true, Some(Reach::Free)),
        member("chat", "notify", false, false, Some(Reach::Fixed)),
        member("clock", "now", false, false, None),
    ];
    PostureReport::of(&members, &posture(&members))
}

fn written(write: fn(&PostureReport, &mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&report(), &mut out).expect("a buffer takes everything");
    String::from_utf8(out).expect("it is text")
}

#[test]
fn the_json_reads_back_and_names_the_tools_that_play_a_part() {
    let report = report();
    assert_eq!((report.complete, report.severity.as_deref()), (true, Some("high")));
    assert_eq!(report.tools.len(), 3, "a clock plays no part");
    let text = crate::safe_line(&report);
    assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}'), "{text}");
    assert_eq!(serde_json::from_str::<PostureReport>(&text).expect("it reads back"), report);
}

#[test]
fn a_name_stays_a_name_in_every_format() {
    for text in [written(write_svg), written(write_dot), written(PostureReport::write_plain)] {
        assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}'), "{text}");
    }
    let svg = written(write_svg);
    assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"), "{svg}");
    // Every quote of a name is escaped: without the escapes, quotes come in pairs.
    let dot = written(write_dot);
    let bare = dot.replace("\\\\", "").replace("\\\"", "");
    assert!(bare.lines().all(|line| line.matches('"').count() % 2 == 0), "{dot}");
}

#[test]
fn the_picture_fetches_nothing_and_shows_what_weighs_most() {
    let svg = written(write_svg);
    let addresses = svg.matches("http").count();
    assert_eq!(addresses, 1, "only the namespace: {svg}");
    assert!(["href", "<style", "<image", "url("].iter().all(|part| !svg.contains(part)), "{svg}");
    assert!(svg.contains("a way to anywhere meet") && svg.contains("Without web/fetch"), "{svg}");
    assert!(svg.contains(r##"stroke="#c0392b" stroke-width="2""##), "{svg}");
}

#[test]
fn people_read_where_it_leads_and_what_parts_it() {
    let text = written(PostureReport::write_plain);
    assert!(text.contains("web/fetch to any place a call names, led by web/fetch"), "{text}");
    assert!(text.contains("chat/notify to a fixed place"), "{text}");
    assert!(text.contains("without web they no longer meet"), "{text}");
}
