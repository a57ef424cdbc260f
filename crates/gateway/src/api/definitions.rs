//! What servers declare: lists, one of them in full, what changed, and what people decide about it.

use std::sync::Arc;

use portcullis_decide::Report;
use portcullis_decide::approval::{Actor, Approval, Approver, Event, Hold};
use portcullis_decide::difference::{Difference, Rescan};
use portcullis_detect::Kind;
use portcullis_detect::fingerprint::{Fingerprint, Volatile};
use portcullis_detect::json::Json;
use portcullis_report::difference::{Changed, write_json as write_difference};
use portcullis_report::{Origins, Scan as Scanned, write_json};
use portcullis_store::{Item, ItemName};
use serde::Deserialize;
use serde_json::{Value, json};

use super::route::kind;
use super::{Answer, Asked, Refused, data, stored};
use crate::gate::Gate;
use crate::quarantine::Quarantine;
use crate::review::request::{Request, Requests};

/// What instructions are called, which have no name of their own.
const INSTRUCTIONS: &str = "instructions";

/// Which definition a path names.
pub(super) fn named(asked: &Asked) -> Result<ItemName, Refused> {
    let kind = kind(asked.part("kind")).ok_or_else(|| Refused::not_found("There is nothing at this path"))?;
    let name = match (kind, asked.part("name")) {
        (Kind::Instructions, INSTRUCTIONS) => "",
        (_, name) => name,
    };
    Ok(ItemName { server: asked.part("server").to_owned(), kind, name: name.to_owned() })
}

/// `GET /servers/{server}/{kind}`.
pub(super) async fn list(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (name, gate) = (named(&asked)?, Arc::clone(gate));
    stored(move || {
        let requests = Requests::read(&gate)?;
        let picture = gate.quarantine.picture();
        let known =
            picture.server(&name.server).ok_or_else(|| Refused::not_found("No such server is known"))?;
        let items = known.items.get(&name.kind).into_iter().flat_map(|items| items.values());
        let one = |item: &Item| {
            let hold = known.hold(item, gate.quarantine.settings());
            let mut value = shown(item, hold.as_ref());
            value["requested"] = hold.and_then(|_| requests.of(item)).map(requested).into();
            value
        };
        data(json!({ "server": name.server, "items": items.map(one).collect::<Vec<_>>() }))
    })
    .await
}

/// What an agent asked for.
pub(super) fn requested(request: &Request) -> Value {
    json!({ "by": request.by, "at": request.at, "reason": request.reason })
}

/// `GET /servers/{server}/{kind}/{name}`.
pub(super) async fn inspect(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (name, gate) = (named(&asked)?, Arc::clone(gate));
    stored(move || {
        let quarantine = &gate.quarantine;
        let item = quarantine.item(&name).ok_or_else(unknown)?;
        let hold = quarantine.hold(&name);
        let mut value = shown(&item, hold.as_ref());
        value["requested"] = hold.and_then(|_| Requests::read(&gate).ok()?.of(&item).map(requested)).into();
        value["labels"] = gate.judge.labels(quarantine, &name).into();
        value["definition"] = parsed(&item.current);
        value["approved_definition"] = item.approved.as_deref().map(parsed).into();
        value["findings"] = findings(quarantine, &name)?;
        value["noted"] = noted(quarantine, &name);
        data(value)
    })
    .await
}

/// `GET /servers/{server}/{kind}/{name}/diff`.
pub(super) async fn difference(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (name, quarantine) = (named(&asked)?, Arc::clone(&gate.quarantine));
    stored(move || {
        let item = quarantine.item(&name).ok_or_else(unknown)?;
        let approved = item
            .approved
            .as_deref()
            .ok_or_else(|| Refused::not_found("It was never approved, so nothing changed"))?;
        let (before, after) = (Json::parse(approved).ok(), Json::parse(&item.current).ok());
        let (before, after) =
            before.zip(after).ok_or_else(|| Refused::internal("A stored definition is damaged"))?;
        let difference = Difference::between(name.kind, &before, &after, &[]);
        let finding = quarantine.finding(&name).and_then(|(finding, _)| finding);
        let rescan = Rescan::between(None, finding.as_ref());
        let (server, kind, called) = (name.server.as_str().into(), name.kind, name.name.as_str().into());
        let changed = Changed { server, kind, name: called, difference, rescan };
        written(|out| write_difference(&[], &[changed], out))
    })
    .await
}

/// What an operator says with a decision.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Said {
    fingerprint: Option<String>,
    accept: Vec<Box<str>>,
    reason: Option<Box<str>>,
}

/// `POST /servers/{server}/{kind}/{name}/approve`.
pub(super) async fn approve(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let said: Said = asked.body()?;
    let fingerprint = fingerprint(said.fingerprint.as_deref())?;
    let (accepted, reason) = (said.accept, said.reason);
    decide(gate, &asked, |by| Event::Approved { fingerprint, by, accepted, reason }).await
}

/// `POST /servers/{server}/{kind}/{name}/reject`.
pub(super) async fn reject(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let reason = reason(&asked)?;
    decide(gate, &asked, |by| Event::Rejected { by, reason }).await
}

/// `POST /servers/{server}/{kind}/{name}/block`.
pub(super) async fn block(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let reason = reason(&asked)?;
    decide(gate, &asked, |by| Event::Blocked { by, reason }).await
}

/// `POST /servers/{server}/{kind}/{name}/unblock`.
pub(super) async fn unblock(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    decide(gate, &asked, |by| Event::Unblocked { by }).await
}

/// `POST /servers/{server}/{kind}/{name}/enable`.
pub(super) async fn enable(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    decide(gate, &asked, |by| Event::Enabled { by }).await
}

/// `POST /servers/{server}/{kind}/{name}/disable`.
pub(super) async fn disable(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    decide(gate, &asked, |by| Event::Disabled { by }).await
}

/// What somebody says they read.
pub(super) fn fingerprint(said: Option<&str>) -> Result<Fingerprint, Refused> {
    said.and_then(Fingerprint::from_hex).ok_or_else(|| {
        Refused::bad(
            "`fingerprint` names exactly what was read: take it from the list, or from one definition",
        )
    })
}

pub(super) fn reason(asked: &Asked) -> Result<Box<str>, Refused> {
    let said: Said = asked.body()?;
    let reason = said.reason.filter(|reason| !reason.trim().is_empty());
    reason.ok_or_else(|| Refused::bad("`reason` says why, for whoever reads it later"))
}

pub(super) fn operator(asked: &Asked) -> Actor {
    Actor::Operator(asked.who.name.clone())
}

/// One definition after something was decided about it.
pub(super) fn after(quarantine: &Quarantine, name: &ItemName) -> Result<Answer, Refused> {
    let item = quarantine.item(name).ok_or_else(unknown)?;
    data(shown(&item, quarantine.hold(name).as_ref()))
}

async fn decide(
    gate: &Arc<Gate>,
    asked: &Asked,
    event: impl FnOnce(Actor) -> Event,
) -> Result<Answer, Refused> {
    let (name, event, quarantine) = (named(asked)?, event(operator(asked)), Arc::clone(&gate.quarantine));
    stored(move || {
        quarantine.decide(&name, &event)?;
        after(&quarantine, &name)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bulk {
    all_clean: bool,
    #[serde(default)]
    dry_run: bool,
}

/// `POST /servers/{server}/{kind}/approve`: everything that waits and scans clean, now.
pub(super) async fn approve_clean(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let bulk: Bulk = asked.body()?;
    if !bulk.all_clean {
        return Err(Refused::bad("Many are approved at once only with `all_clean`: true"));
    }
    let (name, by, quarantine) = (named(&asked)?, operator(&asked), Arc::clone(&gate.quarantine));
    stored(move || {
        let waiting = quarantine.waiting(&name.server, name.kind).ok_or_else(unknown)?;
        let (mut approved, mut left) = (Vec::new(), Vec::new());
        for item in waiting {
            let is_clean = quarantine.finding(&item.name).is_some_and(|(_, scan)| scan.is_clean());
            let line = json!({ "name": item.name.name, "fingerprint": item.record.seen.to_string() });
            if !is_clean {
                left.push(line);
                continue;
            }
            if !bulk.dry_run {
                let reason = Some("it scanned clean".into());
                let (fingerprint, by, accepted) = (item.record.seen, by.clone(), Vec::new());
                quarantine.decide(&item.name, &Event::Approved { fingerprint, by, accepted, reason })?;
            }
            approved.push(line);
        }
        data(json!({ "approved": approved, "left": left, "dry_run": bulk.dry_run }))
    })
    .await
}

fn unknown() -> Refused {
    Refused::not_found("Nothing of that name was ever seen on this server")
}

/// One definition, without its text.
pub(super) fn shown(item: &Item, hold: Option<&Hold>) -> Value {
    let record = &item.record;
    let name = if item.name.kind == Kind::Instructions { INSTRUCTIONS } else { item.name.name.as_str() };
    json!({
        "server": item.name.server, "kind": item.name.kind.as_str(), "name": name,
        "state": record.state.as_str(), "enabled": record.is_enabled, "present": record.is_present,
        "fingerprint": record.seen.to_string(), "hard": record.hard,
        "held": hold.map(ToString::to_string),
        "approval": record.approval.as_ref().map(approval),
        "rejection": record.rejection.as_ref().map(|one| json!({ "by": one.by, "at": one.at, "reason": one.reason })),
        "shown_to": record.shown_to,
    })
}

fn approval(approval: &Approval) -> Value {
    let by = match &approval.by {
        Approver::Operator(name) => name,
        Approver::Setting => "auto_quarantine_new_tools",
        Approver::Scan => "trust mode scan",
        Approver::Lock => "the lock",
    };
    json!({
        "fingerprint": approval.fingerprint.to_string(), "by": by, "at": approval.at,
        "accepted": approval.accepted, "reason": approval.reason,
    })
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

/// What the checks say now, in the format of `scan`.
fn findings(quarantine: &Quarantine, name: &ItemName) -> Result<Value, Refused> {
    let mut report = Report { definitions: 1, ..Report::default() };
    report.findings.extend(quarantine.finding(name).and_then(|(finding, _)| finding));
    scanned(quarantine, &report)
}

/// What operators noted about it, and what the configuration says of its texts.
fn noted(quarantine: &Quarantine, name: &ItemName) -> Value {
    let about = quarantine.noted().about(name);
    let accepted = about.accepted.iter().map(
        |one| json!({ "check": one.check, "reason": one.reason, "expires": one.expires, "by": one.by, "at": one.at }),
    );
    let is_noted = |mark: &Volatile| about.marked.iter().any(|one| one.pointer == mark.pointer);
    let marks = quarantine.volatile(name);
    let marks = marks.iter().map(
        |mark| json!({ "pointer": mark.pointer, "spans": mark.kind.as_str(), "configured": !is_noted(mark) }),
    );
    json!({ "suppressed": accepted.collect::<Vec<_>>(), "volatile": marks.collect::<Vec<_>>() })
}

/// A report in the format of `scan --format json`.
pub(super) fn scanned(quarantine: &Quarantine, report: &Report) -> Result<Value, Refused> {
    let (checks, origins) = (quarantine.checks(), Origins::default());
    let scan = Scanned { report, checks: &checks, origins: &origins, is_registry_used: true, pages: None };
    let Answer::Data(value) = written(|out| write_json(&scan, out))? else { return Ok(Value::Null) };
    Ok(value)
}

/// What a format of ours writes, as data.
fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> Result<Answer, Refused> {
    let mut text = Vec::new();
    let failed = |_| Refused::internal("The answer cannot be written");
    write(&mut text).map_err(failed)?;
    serde_json::from_slice(&text)
        .map(Answer::Data)
        .map_err(|_| Refused::internal("The answer cannot be written"))
}
