//! Everything the approval of a tool promises, sentence by sentence, and properties over random histories.

use super::server::{Server, ServerEvent, ServerHold};
use super::*;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::Fingerprint;

fn print(number: u8) -> Fingerprint {
    Fingerprint::from_bytes([number; 32])
}

fn ann() -> Actor {
    Actor::Operator("ann".into())
}

fn names(checks: &[&str]) -> Vec<Box<str>> {
    checks.iter().map(|check| (*check).into()).collect()
}

fn sighting(number: u8, hard: &[&str]) -> Sighting {
    let scan = Scan { hard: names(hard), ..Scan::default() };
    Sighting { fingerprint: print(number), scan, locked: None, shown_to: None }
}

fn seen(number: u8, hard: &[&str]) -> Event {
    Event::Seen(sighting(number, hard))
}

fn locked(number: u8, lock: Option<u8>) -> Event {
    Event::Seen(Sighting { locked: lock.map(print), ..sighting(number, &[]) })
}

fn shown(number: u8, agent: &str) -> Event {
    Event::Seen(Sighting { shown_to: Some(agent.into()), ..sighting(number, &[]) })
}

fn approve(number: u8, accepted: &[&str], reason: &str) -> Event {
    let reason = (!reason.is_empty()).then(|| reason.into());
    Event::Approved { fingerprint: print(number), by: ann(), accepted: names(accepted), reason }
}

fn reject() -> Event {
    Event::Rejected { by: ann(), reason: "no".into() }
}

fn block() -> Event {
    Event::Blocked { by: ann(), reason: "never".into() }
}

/// One tool and the choices around it.
#[derive(Default)]
struct Story {
    record: Option<Record>,
    trust: TrustMode,
    settings: Settings,
    clock: u64,
}

impl Story {
    fn of(events: &[Event]) -> Self {
        Story::default().then(events)
    }

    fn trusting(trust: TrustMode) -> Self {
        Story { trust, ..Story::default() }
    }

    #[track_caller]
    fn then(mut self, events: &[Event]) -> Self {
        for event in events {
            self.step(event).expect("the story may happen");
        }
        self
    }

    fn step(&mut self, event: &Event) -> Result<Transition, Refusal> {
        self.clock += 1;
        let transition = apply(self.record.as_ref(), event, self.trust, &self.settings, self.clock)?;
        self.record = Some(transition.record().clone());
        Ok(transition)
    }

    #[track_caller]
    fn is(self, state: State) -> Self {
        assert_eq!(self.record.as_ref().map(|record| record.state), Some(state));
        self
    }

    #[track_caller]
    fn refuses(mut self, event: &Event, refusal: Refusal) -> Self {
        let before = self.record.clone();
        assert_eq!(self.step(event), Err(refusal));
        assert_eq!(self.record, before);
        self
    }

    #[track_caller]
    fn notices(mut self, event: &Event, notices: &[Notice]) -> Self {
        assert_eq!(self.step(event).expect("the event may happen").notices(), notices);
        self
    }

    #[track_caller]
    fn holds(self, hold: Option<Hold>) -> Self {
        let server = Server::new(print(0), self.trust);
        let record = self.record.as_ref().expect("the tool was seen");
        assert_eq!(super::hold(Kind::Tool, record, &server, &self.settings), hold);
        self
    }
}

#[test]
fn the_table_on_the_page_is_the_table_in_the_code() {
    let header: String = State::ALL.map(|state| format!(" {} |", state.as_str())).concat();
    let mut table = format!("| event |{header}\n|---|---|---|---|---|\n");
    for (kind, word) in EventKind::ALL {
        let steps: String = State::ALL.map(|state| format!(" {} |", step_of(state, kind).as_str())).concat();
        table.push_str(&format!("| `{word}` |{steps}\n"));
    }
    let page = include_str!("../../../../../docs/approvals.md");
    assert!(page.contains(&table), "docs/approvals.md should hold:\n{table}");
}

#[test]
fn a_new_tool_waits_in_quarantine() {
    Story::default()
        .notices(&seen(1, &[]), &[Notice::NewTool])
        .is(State::Quarantined)
        .holds(Some(Hold::Quarantined));
}

#[test]
fn approval_names_a_fingerprint_who_and_when() {
    let story = Story::of(&[seen(1, &[]), approve(1, &[], "")]).is(State::Approved).holds(None);
    let approval = story.record.and_then(|record| record.approval).expect("approved");
    assert_eq!(
        (approval.fingerprint, approval.by, approval.at),
        (print(1), Approver::Operator("ann".into()), 2)
    );
    Story::of(&[seen(1, &[]), seen(2, &[])])
        .refuses(&approve(1, &[], ""), Refusal::StaleFingerprint { seen: print(2) })
        .is(State::Quarantined);
}

#[test]
fn seen_unchanged_changes_nothing() {
    let mut story = Story::of(&[seen(1, &[]), approve(1, &[], "")]);
    let transition = story.step(&seen(1, &[])).expect("seen");
    assert!(!transition.is_change() && transition.notices().is_empty());
    assert_eq!((transition.event(), transition.before()), (EventKind::SeenUnchanged, Some(State::Approved)));
}

#[test]
fn a_change_after_approval_is_a_rug_pull_and_only_the_exact_return_restores() {
    Story::of(&[seen(1, &[]), approve(1, &[], "")])
        .notices(&seen(2, &[]), &[Notice::RugPull { approved: print(1), seen: print(2) }])
        .is(State::RugPull)
        .holds(Some(Hold::RugPull))
        // Some parts went back, not all of them.
        .notices(&seen(3, &[]), &[Notice::RugPull { approved: print(1), seen: print(3) }])
        .is(State::RugPull)
        .notices(&seen(3, &[]), &[])
        .notices(&seen(1, &[]), &[Notice::Restored])
        .is(State::Approved)
        .holds(None);
    Story::of(&[seen(1, &[]), approve(1, &[], ""), seen(2, &[]), approve(2, &[], ""), seen(1, &[])])
        .is(State::RugPull);
}

#[test]
fn a_rejected_tool_stays_held_with_a_reason() {
    let story = Story::of(&[seen(1, &[]), reject()]).is(State::Quarantined);
    assert_eq!(&*story.record.clone().and_then(|r| r.rejection).expect("rejected").reason, "no");
    story.then(&[approve(1, &[], "")]).is(State::Approved);
    Story::of(&[seen(1, &[]), approve(1, &[], ""), reject(), seen(1, &[])]).is(State::Quarantined);
    // A rejected change does not take the approval of the version before it away.
    let approved = [seen(1, &[]), approve(1, &[], ""), seen(2, &[]), reject()];
    Story::of(&approved).is(State::RugPull).then(&[seen(1, &[])]).is(State::Approved);
}

#[test]
fn a_hard_finding_is_accepted_by_id_and_reason_only() {
    let hard = &["unicode.hidden", "payload.decoded"];
    Story::of(&[seen(1, hard)])
        .refuses(
            &approve(1, &[], "x"),
            Refusal::HardFinding { checks: names(&["payload.decoded", "unicode.hidden"]) },
        )
        .refuses(
            &approve(1, &["unicode.hidden"], "x"),
            Refusal::HardFinding { checks: names(&["payload.decoded"]) },
        )
        .refuses(&approve(1, hard, ""), Refusal::ReasonMissing)
        .refuses(&approve(1, hard, "  "), Refusal::ReasonMissing)
        .then(&[approve(1, hard, "our own test server")])
        .is(State::Approved)
        .holds(None)
        .then(&[seen(1, hard)])
        .is(State::Approved);
}

#[test]
fn an_accepted_finding_holds_for_that_fingerprint_and_those_checks() {
    let accepted =
        [seen(1, &["unicode.hidden"]), approve(1, &["unicode.hidden", "payload.decoded"], "known")];
    let updated = |hard: &[&str]| {
        let scan = Scan { hard: names(hard), ..Scan::default() };
        Event::RulesUpdated { scan }
    };
    Story::of(&accepted).then(&[updated(&["unicode.hidden"])]).is(State::Approved);
    // A check that was not against it then is not accepted, even if somebody named it in advance.
    Story::of(&accepted)
        .notices(
            &updated(&["payload.decoded", "unicode.hidden"]),
            &[Notice::HardFinding { checks: names(&["payload.decoded"]) }],
        )
        .is(State::Quarantined)
        .holds(Some(Hold::HardFinding(names(&["payload.decoded"]))))
        .notices(&updated(&["unicode.hidden"]), &[Notice::Restored]);
    Story::of(&accepted)
        .then(&[seen(2, &["unicode.hidden"])])
        .is(State::RugPull)
        .refuses(&approve(2, &[], ""), Refusal::HardFinding { checks: names(&["unicode.hidden"]) });
    let shadowed = Event::HardFinding { checks: names(&["shadowing.cross_server"]) };
    Story::of(&accepted).then(&[shadowed]).is(State::Quarantined);
}

#[test]
fn blocked_stays_blocked_until_unblocked_and_then_waits() {
    let unblock = Event::Unblocked { by: ann() };
    Story::of(&[seen(1, &[]), approve(1, &[], ""), block()])
        .is(State::Blocked)
        .refuses(&approve(1, &[], ""), Refusal::Blocked)
        .refuses(&reject(), Refusal::Blocked)
        .then(&[
            seen(2, &[]),
            seen(1, &[]),
            Event::Vanished,
            seen(1, &[]),
            Event::Enabled { by: ann() },
            block(),
        ])
        .is(State::Blocked)
        .holds(Some(Hold::Blocked))
        .then(&[unblock.clone(), seen(1, &[])])
        .is(State::Quarantined)
        .refuses(&unblock, Refusal::NotBlocked);
}

#[test]
fn the_switch_stands_beside_the_state() {
    let (on, off) = (Event::Enabled { by: ann() }, Event::Disabled { by: ann() });
    Story::of(&[seen(1, &[]), approve(1, &[], ""), off])
        .is(State::Approved)
        .holds(Some(Hold::Disabled))
        .then(&[on])
        .holds(None);
}

#[test]
fn a_tool_may_vanish_and_return() {
    Story::of(&[seen(1, &[]), approve(1, &[], "")])
        .notices(&Event::Vanished, &[Notice::Vanished])
        .is(State::Approved)
        .holds(Some(Hold::Vanished))
        .notices(&Event::Vanished, &[])
        .notices(&seen(1, &[]), &[Notice::Returned])
        .holds(None)
        .then(&[Event::Vanished, seen(2, &[])])
        .is(State::RugPull);
}

#[test]
fn a_renamed_tool_is_reported_and_held_as_a_new_one() {
    let renamed = Event::Renamed { from: "read".into(), sighting: sighting(2, &[]) };
    Story::default().notices(&renamed, &[Notice::Renamed { from: "read".into() }]).is(State::Quarantined);
}

#[test]
fn nothing_but_a_sighting_can_happen_to_a_tool_nobody_saw() {
    let by = ann;
    for event in [
        Event::Vanished,
        approve(1, &[], ""),
        reject(),
        block(),
        Event::Unblocked { by: by() },
        Event::Enabled { by: by() },
        Event::Disabled { by: by() },
        Event::HardFinding { checks: vec![] },
        Event::RulesUpdated { scan: Scan::default() },
        Event::LaunchChanged,
        Event::LaunchConfirmed { by: by() },
        Event::TrustModeChanged { by: by(), locked: None },
    ] {
        Story::default().refuses(&event, Refusal::Unknown);
    }
}

#[test]
fn trust_by_scan_approves_first_lists_and_changes_that_are_clean() {
    Story::trusting(TrustMode::Scan)
        .notices(&seen(1, &[]), &[Notice::NewTool, Notice::ApprovedByItself])
        .is(State::Approved)
        .notices(&seen(2, &[]), &[Notice::ApprovedByItself])
        .then(&[seen(3, &["unicode.hidden"])])
        .is(State::RugPull);
    for unclean in [
        Scan { soft: names(&["secret.embedded"]), ..Scan::default() },
        Scan { is_incomplete: true, ..Scan::default() },
        Scan { hard: names(&["unicode.hidden"]), ..Scan::default() },
    ] {
        let event = Event::Seen(Sighting { scan: unclean, ..sighting(1, &[]) });
        Story::trusting(TrustMode::Scan).then(&[event]).is(State::Quarantined);
    }
    // A human's no is not overruled by a scan.
    Story::trusting(TrustMode::Scan).then(&[seen(1, &[]), reject(), seen(2, &[])]).is(State::Quarantined);
}

#[test]
fn a_pinned_server_exposes_only_what_the_lock_says() {
    Story::trusting(TrustMode::Pinned).then(&[locked(1, None)]).is(State::Quarantined);
    Story::trusting(TrustMode::Pinned).then(&[locked(1, Some(2))]).is(State::Quarantined);
    Story::trusting(TrustMode::Pinned)
        .then(&[locked(1, Some(1))])
        .is(State::Approved)
        .then(&[locked(2, Some(1))])
        .is(State::RugPull)
        .refuses(&approve(2, &[], ""), Refusal::Pinned)
        .then(&[locked(2, Some(2))])
        .is(State::Approved)
        .then(&[locked(2, None)])
        .is(State::Quarantined);
    Story::trusting(TrustMode::Pinned)
        .then(&[locked(1, Some(1)), reject(), locked(1, Some(1))])
        .is(State::Quarantined)
        .then(&[locked(2, Some(2))])
        .is(State::Approved);
    let hard = Event::Seen(Sighting { locked: Some(print(1)), ..sighting(1, &["unicode.hidden"]) });
    Story::trusting(TrustMode::Pinned).then(&[hard]).is(State::Quarantined);
}

#[test]
fn another_trust_mode_asks_the_lock_or_changes_nothing() {
    let approved = || Story::of(&[seen(1, &[]), approve(1, &[], "")]);
    let change = |locked: Option<u8>| Event::TrustModeChanged { by: ann(), locked: locked.map(print) };
    let to = |trust, story: Story, locked| Story { trust, ..story }.then(&[change(locked)]);
    to(TrustMode::Pinned, approved(), None).is(State::Quarantined);
    to(TrustMode::Pinned, approved(), Some(2)).is(State::Quarantined);
    to(TrustMode::Pinned, approved(), Some(1)).is(State::Approved);
    to(TrustMode::Scan, approved(), None).is(State::Approved);
    to(TrustMode::Scan, Story::of(&[seen(1, &[])]), None).is(State::Quarantined);
}

#[test]
fn settings_open_what_they_say_and_no_more() {
    let with = |settings| Story { settings, ..Story::default() };
    let on_sight = Settings { auto_quarantine_new_tools: false, ..Settings::default() };
    with(on_sight).then(&[seen(1, &[])]).is(State::Approved).then(&[seen(2, &[])]).is(State::RugPull);
    with(on_sight).then(&[seen(1, &["unicode.hidden"])]).is(State::Quarantined);
    let pinned = Story { trust: TrustMode::Pinned, settings: on_sight, ..Story::default() };
    pinned.then(&[locked(1, None)]).is(State::Quarantined);

    let unheld = Settings { tool_quarantine: false, ..Settings::default() };
    with(unheld)
        .then(&[seen(1, &["unicode.hidden"])])
        .holds(None)
        .then(&[block()])
        .holds(Some(Hold::Blocked));
    with(unheld)
        .then(&[seen(1, &[]), approve(1, &[], "")])
        .notices(&seen(2, &[]), &[Notice::RugPull { approved: print(1), seen: print(2) }])
        .holds(None);

    let unwatched = Settings { rug_pull_detection: false, ..Settings::default() };
    let changed = with(unwatched).then(&[seen(1, &[]), approve(1, &[], ""), seen(2, &[])]);
    changed.is(State::RugPull).holds(None).then(&[reject()]).holds(Some(Hold::RugPull));
    with(unwatched).then(&[seen(1, &[])]).holds(Some(Hold::Quarantined));
    let hard = with(unwatched).then(&[seen(1, &[]), approve(1, &[], ""), seen(2, &["unicode.hidden"])]);
    hard.holds(Some(Hold::HardFinding(names(&["unicode.hidden"]))));

    assert_eq!((Settings::default().warnings().len(), unheld.warnings().len()), (0, 1));
    assert!(unwatched.warnings()[0].contains("rug_pull_detection"));
}

#[test]
fn a_rug_pull_may_hold_the_whole_server() {
    let settings = Settings { quarantine_server_on_rug_pull: true, ..Settings::default() };
    let story = Story { settings, ..Story::default() }.then(&[seen(1, &[]), approve(1, &[], "")]);
    story.notices(
        &seen(2, &[]),
        &[Notice::RugPull { approved: print(1), seen: print(2) }, Notice::HoldServer],
    );
}

#[test]
fn an_agent_can_tighten_and_never_loosen() {
    let agent = || Actor::Agent("bot".into());
    let story = Story::of(&[seen(1, &[])]);
    let by_agent = Event::Approved { fingerprint: print(1), by: agent(), accepted: vec![], reason: None };
    let story = story.refuses(&by_agent, Refusal::OnlyForOperators);
    let story = [
        Event::Unblocked { by: agent() },
        Event::Enabled { by: agent() },
        Event::Disabled { by: agent() },
        Event::Blocked { by: agent(), reason: "x".into() },
        Event::LaunchConfirmed { by: agent() },
        Event::TrustModeChanged { by: agent(), locked: None },
    ]
    .iter()
    .fold(story, |story, event| story.refuses(event, Refusal::OnlyForOperators));
    let held = Event::Rejected { by: agent(), reason: "odd".into() };
    story.then(&[approve(1, &[], ""), held]).is(State::Quarantined);
}

#[test]
fn a_changed_launch_holds_the_server_until_a_human_confirms_it() {
    let server = Server::new(print(1), TrustMode::Manual);
    let step =
        |server: &Server, event: ServerEvent| server.apply(&event, 5).map(|step| step.server().clone());
    assert_eq!(step(&server, ServerEvent::LaunchSeen(print(1))), Ok(server.clone()));
    let changed = step(&server, ServerEvent::LaunchSeen(print(2))).expect("seen");
    assert_eq!(changed.hold(), Some(ServerHold::LaunchChanged));
    let confirm = |number, by| ServerEvent::LaunchConfirmed { launch: print(number), by };
    assert_eq!(step(&changed, confirm(3, ann())), Err(Refusal::StaleFingerprint { seen: print(2) }));
    assert_eq!(step(&changed, confirm(2, Actor::Agent("bot".into()))), Err(Refusal::OnlyForOperators));
    assert_eq!(step(&changed, confirm(2, ann())).expect("confirmed").hold(), None);
    assert_eq!(step(&changed, ServerEvent::LaunchSeen(print(1))).expect("back").hold(), None);
    // Approvals of tools stay.
    let (changed, confirmed) = (Event::LaunchChanged, Event::LaunchConfirmed { by: ann() });
    Story::of(&[seen(1, &[]), approve(1, &[], ""), changed, confirmed]).is(State::Approved);
}

#[test]
fn a_server_can_be_held_of_its_own() {
    let server = Server::new(print(1), TrustMode::Manual);
    let agent = Actor::Agent("bot".into());
    let held =
        server.apply(&ServerEvent::Quarantined { by: agent.clone(), reason: "odd".into() }, 1).expect("held");
    assert_eq!(held.server().hold(), Some(ServerHold::Quarantined));
    let lift = |by| held.server().apply(&ServerEvent::Unquarantined { by }, 2);
    assert_eq!(lift(agent.clone()), Err(Refusal::OnlyForOperators));
    assert_eq!(lift(ann()).expect("lifted").server().hold(), None);
    let pulled = server.apply(&ServerEvent::RugPull { tool: "read".into() }, 1).expect("held");
    assert_eq!(pulled.server().hold(), Some(ServerHold::Quarantined));
    let trust = |by| server.apply(&ServerEvent::TrustModeChanged { by, trust: TrustMode::Scan }, 1);
    assert_eq!(trust(agent), Err(Refusal::OnlyForOperators));
    assert_eq!(trust(ann()).expect("changed").server().trust, TrustMode::Scan);
}

#[test]
fn refusals_say_what_the_operator_can_do() {
    let refusal = Refusal::HardFinding { checks: names(&["unicode.hidden"]) }.to_string();
    assert!(refusal.contains("unicode.hidden") && refusal.contains("reason"));
    assert!(Refusal::StaleFingerprint { seen: print(1) }.to_string().contains(&"01".repeat(32)));
    assert!(Refusal::Blocked.to_string().contains("Unblock"));
}

/// Every kind of event, picked by number.
fn any_event(pick: u32) -> Event {
    let number = u8::try_from(pick / 16 % 3).unwrap_or_default();
    let hard: &[&str] = if (pick / 48).is_multiple_of(3) { &["unicode.hidden"] } else { &[] };
    let locked = (pick / 144).is_multiple_of(2).then(|| print(number));
    let sighting = Sighting { locked, ..sighting(number, hard) };
    match pick % 16 {
        0..=3 => Event::Seen(sighting),
        4 => Event::Vanished,
        5 => Event::Renamed { from: "x".into(), sighting },
        6 | 7 => approve(number, hard, "known"),
        8 => reject(),
        9 => block(),
        10 => Event::Unblocked { by: ann() },
        11 => Event::Enabled { by: ann() },
        12 => Event::Disabled { by: ann() },
        13 => Event::HardFinding { checks: names(hard) },
        14 => Event::RulesUpdated { scan: sighting.scan },
        _ => Event::TrustModeChanged { by: ann(), locked },
    }
}

#[test]
fn no_history_leads_round_an_approval() {
    // A fixed sequence of pseudo-random numbers: the same histories every time.
    let mut random: u32 = 1;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 8
    };
    for round in 0..3000 {
        let trust = [TrustMode::Manual, TrustMode::Scan, TrustMode::Pinned][round % 3];
        let mut story = Story::trusting(trust);
        for _ in 0..20 {
            let event = any_event(next());
            let before = story.record.clone();
            let Ok(transition) = story.step(&event) else { continue };
            let after = transition.record();
            let was = before.as_ref().map(|record| record.state);
            if after.state == State::Approved {
                let approval = after.approval.as_ref().expect("approved means there is an approval");
                assert_eq!(approval.fingerprint, after.seen);
                assert!(after.unaccepted().is_empty());
                let is_human = matches!(approval.by, Approver::Operator(_));
                assert!(is_human || trust != TrustMode::Manual);
                assert_ne!(was, Some(State::Blocked), "a block is lifted to quarantine");
            }
            if was == Some(State::Blocked) && transition.event() != EventKind::Unblocked {
                assert_eq!(after.state, State::Blocked);
            }
            assert_eq!(transition.is_change(), before.as_ref() != Some(after));
        }
    }
}

/// What an agent was shown holds until that agent is shown what was approved.
#[test]
fn the_other_face_of_a_server_lifts_nothing() {
    let held = || {
        let events = [seen(1, &[]), approve(1, &[], ""), shown(2, "a")];
        Story::of(&events).is(State::RugPull)
    };
    held().notices(&seen(1, &[]), &[]).is(State::RugPull);
    held().notices(&shown(1, "b"), &[]).is(State::RugPull);
    held().notices(&shown(1, "a"), &[Notice::Restored]).is(State::Approved);
    // A third version does not make the first agent's the gateway's.
    held().then(&[seen(3, &[]), seen(1, &[])]).is(State::RugPull);
    held()
        .then(&[shown(3, "b"), shown(1, "b")])
        .is(State::RugPull)
        .then(&[shown(1, "a")])
        .is(State::Approved);
}

#[test]
fn what_changed_for_everybody_changes_back_for_everybody() {
    let events = [seen(1, &[]), approve(1, &[], ""), shown(2, "a"), seen(2, &[])];
    Story::of(&events).is(State::RugPull).then(&[seen(1, &[])]).is(State::Approved);
    let events = [seen(1, &[]), approve(1, &[], ""), seen(2, &[]), shown(2, "a")];
    Story::of(&events).is(State::RugPull).then(&[seen(1, &[])]).is(State::Approved);
}

#[test]
fn an_operator_ends_the_wait_for_an_agent_that_never_comes() {
    let events = [seen(1, &[]), approve(1, &[], ""), shown(2, "a")];
    let story = Story::of(&events).then(&[block(), Event::Unblocked { by: ann() }, seen(1, &[])]);
    let story = story.is(State::Quarantined).then(&[approve(1, &[], "")]).is(State::Approved);
    assert_eq!(story.record.and_then(|record| record.shown_to), None);
    Story::of(&events).then(&[reject(), seen(1, &[])]).is(State::RugPull);
    Story::of(&events)
        .then(&[approve(2, &[], "")])
        .is(State::Approved)
        .then(&[seen(1, &[])])
        .is(State::RugPull);
}
