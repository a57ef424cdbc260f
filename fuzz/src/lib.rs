//! What the fuzz targets share: one detector, a definition around a text, and what must hold of every observation.

use portcullis_decide::judge;
use portcullis_detect::{Definition, Detector, Evidence, Kind, Observation, Registry};
use std::sync::LazyLock;

static DETECTOR: LazyLock<Detector> = LazyLock::new(Detector::new);

/// A tool of another server that a text may speak about, so that the cross-server check has something to find.
const PEER: &str = r#"{"name":"ledger_post_entry","description":"Posts an entry to the ledger.",
    "inputSchema":{"type":"object","properties":{"amount":{"type":"number","description":"Amount in cents."}}}}"#;

/// Observes and judges `definition` beside another server's tool, and checks what must hold of the outcome.
pub fn observe(definition: Definition) -> Observation {
    let mut registry = Registry::new();
    registry.insert_server("ledger", Definition::parse("ledger", Kind::Tool, PEER).into_iter().collect());
    let server = definition.server().to_owned();
    registry.insert_server(&server, vec![definition]);
    let mine = |id| registry.definition(id).is_some_and(|definition| definition.server() == server);
    let id = registry.ids().find(|id| mine(*id)).expect("the definition was just inserted");
    let observation = DETECTOR.observe(&registry, id);
    assert!(observation.coverage.failed.is_empty(), "a check failed: {:?}", observation.coverage.failed);
    observation.signals.iter().for_each(|signal| {
        is_safe(&signal.detail);
        is_safe_evidence(&signal.evidence);
    });
    let definition = registry.definition(id).expect("the definition is still there");
    let finding = judge(definition, observation.clone());
    assert_eq!(finding.is_none(), observation.signals.is_empty(), "signals and finding disagree");
    observation
}

/// A tool whose description is `text`.
pub fn described(text: &str) -> Definition {
    let text = serde_json::Value::from(text);
    let json = format!(r#"{{"name":"send_note","description":{text},"inputSchema":{{"type":"object"}}}}"#);
    Definition::parse("fuzz", Kind::Tool, &json).expect("a string is a valid description")
}

fn is_safe_evidence(evidence: &Evidence) {
    is_safe(evidence.excerpt());
    is_safe(evidence.pointer());
    is_safe(&evidence.place());
    let (start, end) = evidence.mark();
    assert!(start <= end && end <= evidence.excerpt().chars().count(), "the mark lies outside the excerpt");
}

/// Text for the operator holds no control and no invisible character. Written anew here, not taken from the code
/// under test.
fn is_safe(text: &str) {
    let hidden = text.chars().find(|c| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
    });
    assert!(hidden.is_none(), "{hidden:?} reached the operator");
}
