//! What is declared and what is decided, over a real store.

use portcullis_decide::approval::server::{ServerEvent, ServerHold};
use portcullis_decide::approval::{Actor, Event, Hold, Settings, State, TrustMode};
use portcullis_decide::suppression::Suppression;
use portcullis_detect::rules;
use portcullis_store::{Filter, ItemName, Kind as Recorded};
use tokio::sync::mpsc::UnboundedReceiver;

use super::*;

const HONEST: &str = r#"{"name":"add","description":"Adds two numbers and returns their sum.","inputSchema":{"type":"object"}}"#;
const CHANGED: &str = r#"{"name":"add","description":"Adds two numbers, rounded, and returns their sum.","inputSchema":{"type":"object"}}"#;
const HIDDEN: &str =
    r#"{"name":"add","description":"Adds two\u200b\u202e\u2060 numbers.","inputSchema":{"type":"object"}}"#;

/// A quarantine over a store of its own, with one server.
struct World {
    quarantine: Quarantine,
    exposures: UnboundedReceiver<Exposure>,
    folder: std::path::PathBuf,
}

impl World {
    fn new(name: &str, rules: Rules) -> World {
        let folder =
            std::env::temp_dir().join(format!("portcullis-quarantine-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        World::over(folder, rules)
    }

    fn over(folder: std::path::PathBuf, rules: Rules) -> World {
        let address = format!("sqlite:{}", folder.display());
        let store = portcullis_store::open(&address, &folder, &Default::default()).unwrap();
        let (told, exposures) = mpsc::unbounded_channel();
        let store: Arc<dyn Store> = Arc::from(store);
        let metrics = crate::metrics::Metrics::new();
        let (rules_of_alerts, sought) = Default::default();
        let alerts = Alerts::new(rules_of_alerts, sought, Arc::clone(&store), metrics.alerts());
        let quarantine = Quarantine::open(store, rules, told, Arc::new(alerts)).unwrap();
        let world = World { quarantine, exposures, folder };
        world.launch(1);
        world
    }

    fn launch(&self, byte: u8) {
        let launch = Fingerprint::from_bytes([byte; 32]);
        self.quarantine.attach(&[Attached { name: "s", launch, trust: None }]).unwrap();
    }

    fn see(&self, definitions: &[&str]) -> Vec<String> {
        self.show(definitions, None)
    }

    /// The server declares this to an agent, or to the gateway itself.
    fn show(&self, definitions: &[&str], shown_to: Option<&str>) -> Vec<String> {
        let seen = |json: &&str| {
            let value: serde_json::Value = serde_json::from_str(json).unwrap();
            Seen { kind: Kind::Tool, name: value["name"].as_str().unwrap().into(), json: (*json).into() }
        };
        let seen = definitions.iter().map(seen).collect::<Vec<_>>();
        self.quarantine.see("s", &seen, &[Kind::Tool], shown_to).unwrap()
    }

    fn standing(&self) -> Standing {
        self.quarantine.standing("s", Kind::Tool, "add")
    }

    fn state(&self) -> State {
        self.quarantine.item(&add()).unwrap().record.state
    }

    fn decide(&self, event: impl FnOnce(Fingerprint) -> Event) -> Result<(), Undecided> {
        let seen = self.quarantine.item(&add()).unwrap().record.seen;
        self.quarantine.decide(&add(), &event(seen))
    }

    fn approve(&self) {
        self.decide(|fingerprint| approved(fingerprint, &[])).unwrap();
    }

    fn exposed(&mut self) -> usize {
        std::iter::from_fn(|| self.exposures.try_recv().ok()).count()
    }

    fn recorded(&self, kind: Recorded) -> usize {
        self.quarantine.store.flush().unwrap();
        let filter = Filter { kinds: vec![kind], ..Filter::default() };
        self.quarantine.store.list(&filter, None, 100).unwrap().entries.len()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn add() -> ItemName {
    ItemName { server: "s".into(), kind: Kind::Tool, name: "add".into() }
}

fn ann() -> Actor {
    Actor::Operator("ann".into())
}

fn approved(fingerprint: Fingerprint, accepted: &[&str]) -> Event {
    let accepted = accepted.iter().map(|check| (*check).into()).collect();
    Event::Approved { fingerprint, by: ann(), accepted, reason: Some("read it".into()) }
}

#[test]
fn a_tool_is_held_until_somebody_approves_what_they_read() {
    let mut world = World::new("held", Rules::default());
    assert_eq!(world.standing(), Standing::Unknown);
    assert_eq!(world.see(&[HONEST]), Vec::<String>::new());
    assert_eq!((world.standing(), world.exposed()), (Standing::Held(Hold::Quarantined), 0));
    let stale = world.decide(|_| approved(Fingerprint::from_bytes([9; 32]), &[]));
    assert!(matches!(stale, Err(Undecided::Refused(_))));
    world.approve();
    assert_eq!((world.standing(), world.exposed()), (Standing::Exposed, 1));
    assert!(world.quarantine.shows("s", Kind::Tool, "add", HONEST));
    assert!(
        world.quarantine.shows("s", Kind::Tool, "add", &HONEST.replace(':', " : ")),
        "spaces are no change"
    );
    assert!(
        !world.quarantine.shows("s", Kind::Tool, "add", CHANGED),
        "another definition is not what was approved"
    );
}

#[test]
fn a_rug_pull_is_held_alerted_and_undone_by_the_exact_version() {
    let mut world = World::new("rug", Rules::default());
    world.see(&[HONEST]);
    world.approve();
    world.exposed();
    world.see(&[CHANGED]);
    assert_eq!((world.standing(), world.exposed()), (Standing::Held(Hold::RugPull), 1));
    assert_eq!((world.recorded(Recorded::RugPull), world.recorded(Recorded::Alert)), (1, 1));
    world.see(&[HONEST]);
    assert_eq!((world.standing(), world.exposed()), (Standing::Exposed, 1));
}

#[test]
fn a_hard_finding_holds_whatever_the_settings_say_of_new_tools() {
    let approval = Settings { auto_quarantine_new_tools: false, ..Settings::default() };
    let world = World::new("hard", Rules { approval, ..Rules::default() });
    world.see(&[HIDDEN]);
    assert!(matches!(world.standing(), Standing::Held(Hold::HardFinding(_))), "{:?}", world.standing());
    assert_eq!(world.recorded(Recorded::Alert), 1);
    let refused = world.decide(|fingerprint| approved(fingerprint, &[]));
    assert!(matches!(refused, Err(Undecided::Refused(_))));
    world.decide(|fingerprint| approved(fingerprint, &["unicode.hidden"])).unwrap();
    assert_eq!(world.standing(), Standing::Exposed);
}

#[test]
fn what_vanished_comes_back_as_it_was_or_under_another_name() {
    let world = World::new("vanished", Rules::default());
    world.see(&[HONEST]);
    world.approve();
    world.see(&[]);
    assert_eq!(world.standing(), Standing::Held(Hold::Vanished));
    world.see(&[&HONEST.replace("\"add\"", "\"sum\"")]);
    let renamed = world.quarantine.standing("s", Kind::Tool, "sum");
    assert_eq!(renamed, Standing::Held(Hold::Quarantined), "a new name is a new tool");
    world.see(&[HONEST]);
    assert_eq!(world.standing(), Standing::Exposed);
}

#[test]
fn only_what_is_not_as_before_is_looked_at() {
    let world = World::new("before", Rules::default());
    let is_as_before = |definitions: &[&str], whole: &[Kind]| {
        let declared = definitions.iter().map(|json| (Kind::Tool, "add", *json));
        world.quarantine.is_as_before("s", declared, whole, None)
    };
    assert!(!is_as_before(&[HONEST], &[]), "nobody has seen it");
    world.see(&[HONEST]);
    assert!(is_as_before(&[HONEST], &[Kind::Tool]) && is_as_before(&[HONEST], &[]));
    assert!(is_as_before(&[], &[]) && !is_as_before(&[], &[Kind::Tool]), "it vanished");
    assert!(!is_as_before(&[CHANGED], &[]) && !is_as_before(&[HONEST, HONEST], &[]));
    world.see(&[]);
    assert!(!is_as_before(&[HONEST], &[]), "it is back again");
}

#[test]
fn of_two_definitions_with_one_name_the_first_counts() {
    let world = World::new("twice", Rules::default());
    assert_eq!(world.see(&[HONEST, CHANGED]).len(), 1, "the second is a gap");
    world.approve();
    world.see(&[HONEST, CHANGED]);
    assert!(world.quarantine.shows("s", Kind::Tool, "add", HONEST));
    assert!(!world.quarantine.shows("s", Kind::Tool, "add", CHANGED));
}

#[test]
fn a_changed_launch_holds_the_server_until_it_is_confirmed() {
    let world = World::new("launch", Rules::default());
    world.see(&[HONEST]);
    world.approve();
    world.launch(2);
    assert_eq!(world.standing(), Standing::Held(Hold::Server(ServerHold::LaunchChanged)));
    let launch = Fingerprint::from_bytes([2; 32]);
    let by_agent = ServerEvent::LaunchConfirmed { launch, by: Actor::Agent("a".into()) };
    assert!(world.quarantine.decide_server("s", &by_agent).is_err());
    world.quarantine.decide_server("s", &ServerEvent::LaunchConfirmed { launch, by: ann() }).unwrap();
    assert_eq!((world.standing(), world.state()), (Standing::Exposed, State::Approved));
}

#[test]
fn an_agent_tightens_and_never_loosens() {
    let world = World::new("agent", Rules::default());
    world.see(&[HONEST]);
    let agent = || Actor::Agent("a".into());
    let approval =
        |fingerprint| Event::Approved { fingerprint, by: agent(), accepted: Vec::new(), reason: None };
    assert!(matches!(world.decide(approval), Err(Undecided::Refused(_))));
    world.approve();
    world.decide(|_| Event::Rejected { by: agent(), reason: "odd".into() }).unwrap();
    assert_eq!(world.standing(), Standing::Held(Hold::Quarantined));
}

#[test]
fn what_was_decided_outlives_the_process() {
    let world = World::new("again", Rules::default());
    world.see(&[HONEST]);
    world.approve();
    let copy = world.folder.with_extension("kept");
    let folder = world.folder.clone();
    std::fs::rename(&folder, &copy).unwrap();
    drop(world);
    let world = World::over(copy, Rules::default());
    assert_eq!(world.standing(), Standing::Exposed);
}

#[test]
fn a_tool_named_as_anothers_is_the_later_ones_fault() {
    let world = World::new("shadow", Rules::default());
    let distinctive = HONEST.replace("\"add\"", "\"frobnicate_ledger\"");
    world.see(&[&distinctive]);
    let name = ItemName { name: "frobnicate_ledger".into(), ..add() };
    let seen = world.quarantine.item(&name).unwrap().record.seen;
    world.quarantine.decide(&name, &approved(seen, &[])).unwrap();
    let launch = Fingerprint::from_bytes([3; 32]);
    world.quarantine.attach(&[Attached { name: "t", launch, trust: Some(TrustMode::Scan) }]).unwrap();
    let json = distinctive.replace("sum", "total").into();
    let copy = Seen { kind: Kind::Tool, name: "frobnicate_ledger".into(), json };
    world.quarantine.see("t", &[copy], &[Kind::Tool], None).unwrap();
    let later = world.quarantine.standing("t", Kind::Tool, "frobnicate_ledger");
    assert!(matches!(later, Standing::Held(Hold::HardFinding(_))), "{later:?}");
    world.quarantine.rescan(&name).unwrap();
    assert_eq!(world.quarantine.standing("s", Kind::Tool, "frobnicate_ledger"), Standing::Exposed);
}

#[test]
fn other_rules_look_again_at_what_was_approved() {
    let rules = |content: Option<Fingerprint>| {
        let accepted = content.map(|content| Suppression {
            check: "unicode.hidden".into(),
            subject: "s/add".into(),
            content,
            reason: "seen".into(),
            expires: None,
        });
        Rules { suppressions: accepted.into_iter().collect(), ..Rules::default() }
    };
    let world = World::new("rules", rules(None));
    world.see(&[HIDDEN]);
    let seen = world.quarantine.item(&add()).unwrap().record.seen;
    let again = |world: World, name: &str, rules: Rules| {
        let copy = world.folder.with_extension(name);
        std::fs::rename(&world.folder, &copy).unwrap();
        drop(world);
        World::over(copy, rules)
    };
    let world = again(world, "accepted", rules(Some(seen)));
    world.see(&[HIDDEN]);
    world.approve();
    assert_eq!(world.standing(), Standing::Exposed);
    let world = again(world, "same", rules(Some(seen)));
    assert!(world.quarantine.is_ruled("s"), "the same rules need not look again");
    let alerts = world.recorded(Recorded::Alert);
    let world = again(world, "others", rules(None));
    let declared = || std::iter::once((Kind::Tool, "add", HIDDEN));
    assert!(!world.quarantine.is_as_before("s", declared(), &[], None), "the rules are others");
    world.see(&[HIDDEN]);
    assert!(matches!(world.standing(), Standing::Held(Hold::HardFinding(_))), "{:?}", world.standing());
    assert_eq!(world.recorded(Recorded::Alert), alerts + 1);
    assert!(world.quarantine.is_as_before("s", declared(), &[], None));
}

#[test]
fn rules_of_the_operators_own_hold_and_look_again() {
    let texts = |text: &str, count: u8| {
        (0..count).map(|number| rules::Example::Text(format!("{number}: {text}"))).collect()
    };
    let written = rules::WrittenRule {
        id: "acme.sums".to_owned(),
        title: "Sums are not ours to make".to_owned(),
        pattern: "returns their sum".to_owned(),
        tier: "hard".to_owned(),
        confidence: 900,
        should_match: texts("It returns their sum.", 3),
        should_not_match: texts("It returns a product.", 10),
        ..rules::WrittenRule::default()
    };
    let own =
        rules::Rules::new(&[written]).ok().map(|own| OwnRules { rules: Arc::new(own), print: "1".into() });
    assert!(own.is_some(), "a good rule");
    let world = World::new("own", Rules::default());
    world.see(&[HONEST]);
    world.approve();
    let copy = world.folder.with_extension("ruled");
    std::fs::rename(&world.folder, &copy).unwrap();
    drop(world);
    let world = World::over(copy, Rules { own, ..Rules::default() });
    assert!(!world.quarantine.is_ruled("s"), "the rules are others");
    world.see(&[HONEST]);
    assert!(matches!(world.standing(), Standing::Held(Hold::HardFinding(_))), "{:?}", world.standing());
}

#[test]
fn a_face_that_only_reviewers_see_lifts_nothing() {
    let world = World::new("faces", Rules::default());
    world.see(&[HONEST]);
    world.approve();
    world.show(&[CHANGED], Some("agent"));
    assert_eq!(world.standing(), Standing::Held(Hold::RugPull));
    world.see(&[HONEST]);
    world.show(&[HONEST], Some("another"));
    assert_eq!(world.standing(), Standing::Held(Hold::RugPull));
    let item = world.quarantine.item(&add()).unwrap();
    assert_eq!((&*item.current, item.approved.as_deref()), (CHANGED, Some(HONEST)));
    world.show(&[HONEST], Some("agent"));
    assert_eq!(world.standing(), Standing::Exposed);

    world.show(&[CHANGED], Some("agent"));
    world.see(&[CHANGED]);
    world.see(&[HONEST]);
    assert_eq!(world.standing(), Standing::Exposed, "it changed for everybody, and back");
}
