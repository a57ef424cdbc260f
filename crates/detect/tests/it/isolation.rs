//! A check that panics is recorded, and what the others saw is kept.

use crate::stage::{Scene, detector};
use portcullis_detect::{Confidence, Context, Detector, Evidence, Facts, Signal, Threat, Tier, ToolCheck};

static PANICS: Facts = Facts {
    id: "test.panics",
    tier: Tier::Hard,
    owasp: "none",
    title: "Panics on every tool whose name says so",
    page: "",
};

static SEES: Facts =
    Facts { id: "test.sees", tier: Tier::Soft, owasp: "none", title: "Sees every tool", page: "" };

struct Panics;

impl ToolCheck for Panics {
    fn facts(&self) -> &'static Facts {
        &PANICS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        assert!(!context.definition().name().starts_with("panic"), "a check may have a bug");
        Vec::new()
    }
}

struct Sees;

impl ToolCheck for Sees {
    fn facts(&self) -> &'static Facts {
        &SEES
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        let name = context.definition().name();
        vec![Signal {
            check: SEES.id,
            tier: Tier::Soft,
            threat: Threat::Uncategorized,
            confidence: Confidence::new(500),
            escalated: false,
            evidence: Evidence::new("/name", &[], name, 0, name.len()),
            detail: "a tool".to_owned(),
            discount: None,
        }]
    }
}

#[test]
fn a_panicking_check_is_recorded_and_the_others_survive() {
    let scene = Scene::alone(r#"{"name": "panic_room", "description": "Opens the room\u200b next door."}"#);
    let shipped = scene.observe(detector()).expect("the scene can be read");
    assert!(!shipped.signals.is_empty(), "the scene must have a signal to lose");

    let broken = Detector::new().with_check(Box::new(Panics)).with_check(Box::new(Sees));
    let observation = scene.observe(&broken).expect("the scene can be read");

    assert_eq!(observation.coverage.failed, [PANICS.id]);
    assert_eq!(observation.coverage.checks_run, detector().facts().count() + 1);
    assert!(!observation.coverage.is_complete());
    let (last, before) = observation.signals.split_last().expect("the check behind the broken one ran");
    assert_eq!(last.check, SEES.id);
    assert_eq!(before, shipped.signals);
}

#[test]
fn a_check_that_panicked_once_runs_again_on_the_next_tool() {
    let broken = Detector::new().with_check(Box::new(Panics));
    let failing = Scene::alone(r#"{"name": "panic_room"}"#).observe(&broken).expect("the scene can be read");
    assert_eq!(failing.coverage.failed, [PANICS.id]);
    let working = Scene::alone(r#"{"name": "list_rooms"}"#).observe(&broken).expect("the scene can be read");
    assert!(working.coverage.is_complete());
    assert_eq!(working.coverage.checks_run, broken.facts().count());
}
