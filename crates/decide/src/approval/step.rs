//! The steps of the table: each takes what is known and what happened, and makes the transition.

use super::event::{Actor, Event, Sighting, ordered};
use super::record::{Approval, Approver, Record, Rejection, State};
use super::setting::{Settings, TrustMode};
use super::table::Step;
use super::transition::{Notice, Refusal, Transition};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use portcullis_detect::fingerprint::Fingerprint;

/// The first sighting of a tool; nothing else can happen to one nobody has seen.
pub(super) fn first(
    event: &Event,
    trust: TrustMode,
    settings: &Settings,
    now: u64,
) -> Result<Transition, Refusal> {
    let (sighting, mut notices) = match event {
        Event::Seen(sighting) => (sighting, vec![Notice::NewTool]),
        Event::Renamed { from, sighting } => (sighting, vec![Notice::Renamed { from: from.clone() }]),
        Event::Vanished
        | Event::Approved { .. }
        | Event::Rejected { .. }
        | Event::Blocked { .. }
        | Event::Unblocked { .. }
        | Event::Enabled { .. }
        | Event::Disabled { .. }
        | Event::HardFinding { .. }
        | Event::RulesUpdated { .. }
        | Event::LaunchChanged
        | Event::LaunchConfirmed { .. }
        | Event::TrustModeChanged { .. } => return Err(Refusal::Unknown),
    };
    let mut record = Record {
        state: State::Quarantined,
        is_enabled: true,
        is_present: true,
        seen: sighting.fingerprint,
        hard: sighting.scan.hard_checks(),
        approval: None,
        rejection: None,
        shown_to: None,
    };
    let by_setting =
        || (trust != TrustMode::Pinned && !settings.auto_quarantine_new_tools).then_some(Approver::Setting);
    if let Some(by) = approver(sighting, trust).or_else(by_setting) {
        approve_unasked(&mut record, by, now);
    }
    record.state = record.settled();
    notices.extend(notices_of(None, &record, settings));
    let kind = event.kind(None);
    Ok(Transition { event: kind, before: None, is_change: true, record, notices, by: None, at: now })
}

/// Takes one step of a known tool.
pub(super) fn take(
    step: Step,
    known: &Record,
    event: &Event,
    trust: TrustMode,
    settings: &Settings,
    now: u64,
) -> Result<Transition, Refusal> {
    let mut record = known.clone();
    let mut notices = Vec::new();
    match step {
        Step::Keep => {}
        Step::Look | Step::LookBlocked => look(&mut record, event, trust, now, &mut notices),
        Step::Vanish => {
            record.is_present = false;
            notices.extend(known.is_present.then_some(Notice::Vanished));
        }
        Step::Approve => approve(&mut record, event, trust, now)?,
        Step::Reject => reject(&mut record, event, now),
        Step::Block => {
            reject(&mut record, event, now);
            record.approval = None;
            record.state = State::Blocked;
        }
        Step::Unblock => {
            record.rejection = None;
            record.state = State::Quarantined;
        }
        Step::Enable => record.is_enabled = true,
        Step::Disable => record.is_enabled = false,
        Step::Weigh | Step::WeighBlocked => weigh(&mut record, event),
        Step::Trust => change_trust(&mut record, event, trust, now),
        Step::RefuseBlocked => return Err(Refusal::Blocked),
        Step::RefuseUnblocked => return Err(Refusal::NotBlocked),
    }
    if record.state != State::Blocked {
        record.state = record.settled();
    }
    if record.state != State::RugPull {
        record.shown_to = None;
    }
    notices.extend(notices_of(Some(known), &record, settings));
    Ok(Transition {
        event: event.kind(Some(known)),
        before: Some(known.state),
        is_change: record != *known,
        record,
        notices,
        by: event.actor().cloned(),
        at: now,
    })
}

fn look(record: &mut Record, event: &Event, trust: TrustMode, now: u64, notices: &mut Vec<Notice>) {
    let sighting = match event {
        Event::Seen(sighting) => sighting,
        Event::Renamed { from, sighting } => {
            notices.push(Notice::Renamed { from: from.clone() });
            sighting
        }
        // INVARIANT: the table sends only sightings here.
        _ => return,
    };
    if record.is_other_face(sighting.fingerprint, sighting.shown_to.as_deref()) {
        return;
    }
    let is_changed = record.seen != sighting.fingerprint;
    record.shown_to = match (record.shown_to.take(), &sighting.shown_to) {
        // The gateway is shown it too: the tool changed for everybody, and may change back for everybody.
        (Some(_), None) if !is_changed => None,
        // Whoever was first shown another tool is the one to whom it must be the approved one again.
        (Some(agent), _) => Some(agent),
        (None, agent) => agent.clone().filter(|_| is_changed),
    };
    notices.extend((!record.is_present).then_some(Notice::Returned));
    record.is_present = true;
    record.seen = sighting.fingerprint;
    record.hard = sighting.scan.hard_checks();
    if record.state == State::Blocked {
        return;
    }
    if trust == TrustMode::Pinned {
        // A new version in the lock answers the rejection of the one before it.
        record.rejection =
            record.rejection.take().filter(|_| !is_changed || sighting.locked != Some(record.seen));
        return pin(record, sighting.locked, now);
    }
    let is_open = is_changed && record.rejection.is_none() && record.settled() != State::Approved;
    if let Some(by) = approver(sighting, trust).filter(|_| is_open) {
        approve_unasked(record, by, now);
    }
}

/// Who approves a new or changed tool without a human: nobody in `manual`.
fn approver(sighting: &Sighting, trust: TrustMode) -> Option<Approver> {
    match trust {
        TrustMode::Manual => None,
        TrustMode::Scan => sighting.scan.is_clean().then_some(Approver::Scan),
        TrustMode::Pinned => (sighting.locked == Some(sighting.fingerprint)).then_some(Approver::Lock),
    }
}

/// No machine accepts a hard finding.
fn approve_unasked(record: &mut Record, by: Approver, now: u64) {
    if record.hard.is_empty() {
        let fingerprint = record.seen;
        record.approval = Some(Approval { fingerprint, by, at: now, accepted: Vec::new(), reason: None });
    }
}

/// A pinned tool is approved when the lock names what is seen; an approval of anything the lock does not name goes.
fn pin(record: &mut Record, locked: Option<Fingerprint>, now: u64) {
    let approved = record.approval.as_ref().map(|approval| approval.fingerprint);
    if locked.is_none() {
        record.approval = None;
    } else if approved != locked && locked == Some(record.seen) && record.rejection.is_none() {
        record.approval = None;
        approve_unasked(record, Approver::Lock, now);
    } else if approved != locked && approved == Some(record.seen) {
        record.approval = None;
    }
}

fn approve(record: &mut Record, event: &Event, trust: TrustMode, now: u64) -> Result<(), Refusal> {
    let Event::Approved { fingerprint, by, accepted, reason } = event else { return Ok(()) };
    if trust == TrustMode::Pinned {
        return Err(Refusal::Pinned);
    }
    if *fingerprint != record.seen {
        return Err(Refusal::StaleFingerprint { seen: record.seen });
    }
    let checks: Vec<Box<str>> =
        record.hard.iter().filter(|check| !accepted.contains(check)).cloned().collect();
    if !checks.is_empty() {
        return Err(Refusal::HardFinding { checks });
    }
    let reason = reason.clone().filter(|reason| !reason.trim().is_empty());
    if !record.hard.is_empty() && reason.is_none() {
        return Err(Refusal::ReasonMissing);
    }
    record.rejection = None;
    record.approval = Some(Approval {
        fingerprint: *fingerprint,
        by: Approver::Operator(by.name().into()),
        at: now,
        // What is not against it today is not accepted for tomorrow.
        accepted: record.hard.clone(),
        reason,
    });
    Ok(())
}

/// The approval of an earlier version stays: the server may return to it.
fn reject(record: &mut Record, event: &Event, now: u64) {
    let (Event::Rejected { by, reason } | Event::Blocked { by, reason }) = event else { return };
    record.rejection = Some(Rejection { by: name(by), at: now, reason: reason.clone() });
    if record.approval.as_ref().is_some_and(|approval| approval.fingerprint == record.seen) {
        record.approval = None;
    }
}

fn name(by: &Actor) -> Box<str> {
    by.name().into()
}

fn weigh(record: &mut Record, event: &Event) {
    match event {
        Event::HardFinding { checks } => {
            record.hard = ordered([record.hard.as_slice(), checks].concat());
        }
        Event::RulesUpdated { scan } => record.hard = scan.hard_checks(),
        // INVARIANT: the table sends only these two here.
        _ => {}
    }
}

/// Leaving `pinned` keeps what the lock approved; entering it asks the lock. `scan` does not look back.
fn change_trust(record: &mut Record, event: &Event, trust: TrustMode, now: u64) {
    if let (TrustMode::Pinned, Event::TrustModeChanged { locked, .. }) = (trust, event) {
        pin(record, *locked, now);
    }
}

fn notices_of(before: Option<&Record>, after: &Record, settings: &Settings) -> Vec<Notice> {
    let mut notices = Vec::new();
    let was = before.map(|record| record.state);
    let is_other = before.is_none_or(|record| record.seen != after.seen);
    match (&after.approval, after.state) {
        (Some(approval), State::RugPull) if is_other || was != Some(State::RugPull) => {
            notices.push(Notice::RugPull { approved: approval.fingerprint, seen: after.seen });
            let holds = settings.quarantine_server_on_rug_pull && settings.rug_pull_detection;
            notices.extend((holds && settings.tool_quarantine).then_some(Notice::HoldServer));
        }
        (Some(approval), State::Approved) if before.and_then(|r| r.approval.as_ref()) != Some(approval) => {
            let is_unasked = !matches!(approval.by, Approver::Operator(_));
            notices.extend(is_unasked.then_some(Notice::ApprovedByItself));
        }
        (Some(_), State::Approved) => {
            notices.extend((was != Some(State::Approved)).then_some(Notice::Restored));
        }
        (_, State::Quarantined | State::Approved | State::RugPull | State::Blocked) => {}
    }
    let checks = after.unaccepted();
    if !checks.is_empty() && before.is_none_or(|record| record.unaccepted() != checks) {
        notices.push(Notice::HardFinding { checks });
    }
    notices
}
