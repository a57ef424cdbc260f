//! Which page an address is, and what of the API is on it.

use http::{Method, StatusCode};
use portcullis_dashboard::activity::{Entries, Wanted as Recorded};
use portcullis_dashboard::difference::{Difference, Layout};
use portcullis_dashboard::held::Held;
use portcullis_dashboard::overview::{Overview, Status};
use portcullis_dashboard::queue::{Items, Wanted as Queued};
use portcullis_dashboard::review::{Beside, Reviewed};
use portcullis_dashboard::servers::{Server, Wanted as Sought};
use portcullis_dashboard::trial::Tried;
use portcullis_dashboard::{
    Page, Viewer, about, activity, baseline, held, href, overview, policy, posture, queue, review, server,
    servers, sessions, settings,
};
use serde_json::{Value, json};

use super::days;
use super::form::Form;
use super::visit::{Visit, read};
use crate::api::{Refused, Role};

/// Decisions whose rules are counted there.
const LATELY: usize = 20;
/// Records in the history of one definition, and of one session.
const HISTORY: usize = 12;
const RECORDS: usize = 100;
/// Definitions that are approved at once, at most.
const MOST_CLEAN: usize = 500;

/// The page at these parts of a path, which are as they came.
pub(super) async fn find(
    visit: &Visit,
    viewer: &Viewer,
    status: Status,
    parts: &[&str],
    query: &Form,
) -> Result<Page, Refused> {
    match parts {
        [""] => Ok(overview::page(&gathered(visit, status).await?, viewer)),
        ["review"] => queued(visit, query).await,
        ["held"] => Ok(held::page(&calls(visit).await?, viewer)),
        ["servers"] => {
            let wanted =
                Sought { seek: text(query, "q"), show: text(query, "show"), after: text(query, "after") };
            Ok(servers::page(&all_servers(visit).await?, &wanted))
        }
        ["servers", name] => one_server(visit, viewer, name, query).await,
        ["servers", name, "report"] => {
            let told = visit.get(&format!("/servers/{name}/scan/report")).await?;
            Ok(server::report(&crate::api::decoded(name).unwrap_or_default(), &told))
        }
        ["servers", name, "approve-clean", kind] => clean(visit, viewer, name, kind).await,
        ["servers", _, _, _] => reviewed(visit, viewer, &format!("/{}", parts.join("/")), query).await,
        ["activity"] => recorded(visit, query).await,
        ["activity", "chain"] => Ok(activity::chain(&visit.get("/activity/verify").await?)),
        ["activity", seq] => Ok(activity::record(&visit.get(&format!("/activity/{seq}")).await?)),
        ["sessions"] => Ok(sessions::page(&visit.get("/sessions").await?)),
        ["sessions", session] => one_session(visit, session).await,
        ["posture"] => Ok(posture::page(known(visit.get("/posture").await)?.as_ref())),
        ["policy"] => Ok(policy::page(&visit.get("/policy").await?, &asked_about(query), viewer)),
        ["baseline"] => {
            let told: Value = visit.get("/baseline").await?;
            Ok(baseline::page(&read::<Vec<_>>(told["baselines"].clone()), viewer))
        }
        ["settings"] => configured(visit, viewer, None).await,
        ["about"] => {
            let report: Value = visit.get("/checks").await?;
            Ok(about::page(&status, &read::<Vec<_>>(report["checks"].clone())))
        }
        _ => Err(Refused::not_found("There is nothing at this address")),
    }
}

/// What a link wants to have tried: a tool, or the next call of a session.
fn asked_about(query: &Form) -> Tried {
    Tried {
        server: text(query, "server"),
        tool: text(query, "tool"),
        session: text(query, "session"),
        ..Tried::default()
    }
}

/// Settings, with a token that was just made.
pub(super) async fn configured(visit: &Visit, viewer: &Viewer, made: Option<&str>) -> Result<Page, Refused> {
    if !visit.may(Role::Operator) {
        return Err(Refused::not_found("There is nothing here for your role"));
    }
    if !visit.may(Role::Admin) {
        return Ok(settings::page(None, None, viewer));
    }
    let told: Value = visit.get("/tokens").await?;
    Ok(settings::page(Some(&read::<Vec<_>>(told["tokens"].clone())), made, viewer))
}

/// What scans clean of a server, and what does not.
pub(super) async fn clean_and_left(
    visit: &Visit,
    server: &str,
    kind: &str,
) -> Result<(Value, Value), Refused> {
    let asked = json!({ "all_clean": true, "dry_run": true });
    let mut told = visit.post(&format!("/servers/{server}/{kind}/approve"), &asked).await?;
    Ok((told["approved"].take(), told["left"].take()))
}

fn text(query: &Form, name: &str) -> String {
    query.get(name).to_owned()
}

/// What is not there is nothing; everything else that goes wrong does.
fn known<T>(answer: Result<T, Refused>) -> Result<Option<T>, Refused> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(refused) if refused.status == StatusCode::NOT_FOUND => Ok(None),
        Err(refused) => Err(refused),
    }
}

async fn all_servers(visit: &Visit) -> Result<Vec<Server>, Refused> {
    let mut told: Value = visit.get("/servers").await?;
    Ok(read(told["servers"].take()))
}

async fn calls(visit: &Visit) -> Result<Vec<Held>, Refused> {
    let mut told: Value = visit.get("/approvals").await?;
    Ok(read(told["approvals"].take()))
}

async fn gathered(visit: &Visit, status: Status) -> Result<Overview, Refused> {
    let calls = if visit.may(Role::Operator) { calls(visit).await? } else { Vec::new() };
    let is_auditor = visit.may(Role::Auditor);
    let days = if is_auditor { days::counted(visit).await? } else { Vec::new() };
    let rules = if is_auditor { rules(visit).await? } else { Vec::new() };
    Ok(Overview { status, servers: all_servers(visit).await?, calls, days, rules })
}

/// The rules of the last decisions, the most frequent first.
async fn rules(visit: &Visit) -> Result<Vec<(String, u64)>, Refused> {
    let decisions: Entries = visit.get(&format!("/activity?kind=policy_decision&limit={LATELY}")).await?;
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    let oldest = decisions.records.iter().map(|entry| entry.seq).min().unwrap_or_default();
    for entry in decisions.records {
        let rules = match visit.gate.past.rules.get(entry.seq) {
            Some(rules) => rules,
            None => {
                let rules = rules_of(visit, entry.seq).await?;
                visit.gate.past.rules.keep(entry.seq, rules.clone(), &oldest);
                rules
            }
        };
        for rule in rules {
            *counts.entry(rule).or_default() += 1;
        }
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(8);
    Ok(counts)
}

/// The rules one decision names; none if its record is gone.
async fn rules_of(visit: &Visit, seq: u64) -> Result<Vec<String>, Refused> {
    let record = known(visit.get::<Value>(&format!("/activity/{seq}")).await)?.unwrap_or_default();
    let note = record["note"]["text"].as_str().unwrap_or_default();
    let note: Value = serde_json::from_str(note).unwrap_or_default();
    let rules = note["rules"].as_array().into_iter().flatten();
    Ok(rules.filter_map(Value::as_str).map(str::to_owned).collect())
}

async fn queued(visit: &Visit, query: &Form) -> Result<Page, Refused> {
    let held = if query.get("held").is_empty() { "true" } else { query.get("held") };
    let shown = Queued {
        server: text(query, "server"),
        kind: text(query, "kind"),
        state: text(query, "state"),
        held: held.to_owned(),
        seek: text(query, "q"),
        after: text(query, "after"),
    };
    let asked = Queued { held: if held == "any" { String::new() } else { held.to_owned() }, ..shown.clone() };
    let items: Items = visit.get(&format!("/definitions{}", asked.query(&asked.after))).await?;
    Ok(queue::page(&items, &shown))
}

async fn one_server(visit: &Visit, viewer: &Viewer, name: &str, query: &Form) -> Result<Page, Refused> {
    let told: Server = visit.get(&format!("/servers/{name}")).await?;
    let kind = if query.get("kind").is_empty() { "tools" } else { query.get("kind") };
    let members = [("server", told.name.as_str()), ("kind", kind), ("after", query.get("after"))];
    let items: Items = visit.get(&format!("/definitions{}", href::query(&members))).await?;
    Ok(server::page(&told, &items, kind, viewer))
}

async fn clean(visit: &Visit, viewer: &Viewer, name: &str, kind: &str) -> Result<Page, Refused> {
    let (approved, left) = clean_and_left(visit, name, kind).await?;
    let mut clean: Vec<queue::Item> = read(approved);
    clean.truncate(MOST_CLEAN);
    let server = crate::api::decoded(name).unwrap_or_default();
    Ok(server::clean(&server, kind, &clean, &read::<Vec<_>>(left), viewer))
}

/// One definition; the address of its page is that of the API.
pub(super) async fn reviewed(
    visit: &Visit,
    viewer: &Viewer,
    path: &str,
    query: &Form,
) -> Result<Page, Refused> {
    let told: Reviewed = visit.get(path).await?;
    let has_changed =
        told.approval.as_ref().is_some_and(|approval| approval.fingerprint != told.item.fingerprint);
    let difference: Option<Difference> = match has_changed {
        true => known(visit.get(&format!("{path}/diff")).await)?,
        false => None,
    };
    let layout = if query.get("view") == "sides" { Layout::Sides } else { Layout::Unified };
    let history = match visit.may(Role::Auditor) {
        true => {
            let members = [
                ("server", told.item.server.as_str()),
                ("tool", &told.item.name),
                ("kind", "quarantine_change,rug_pull,alert"),
                ("limit", &HISTORY.to_string()),
            ];
            visit.get::<Entries>(&format!("/activity{}", href::query(&members))).await?.records
        }
        false => Vec::new(),
    };
    Ok(review::page(&told, &Beside { difference, layout, history }, viewer))
}

/// What of the activity an address asks for.
pub(super) fn wanted(query: &Form) -> Recorded {
    Recorded {
        kind: text(query, "kind"),
        status: text(query, "status"),
        server: text(query, "server"),
        tool: text(query, "tool"),
        session: text(query, "session"),
        risk: text(query, "risk"),
        before: text(query, "before"),
    }
}

async fn recorded(visit: &Visit, query: &Form) -> Result<Page, Refused> {
    let wanted = wanted(query);
    let asked = wanted.query(&[("before", &wanted.before)]);
    Ok(activity::page(&visit.get(&format!("/activity{asked}")).await?, &wanted))
}

async fn one_session(visit: &Visit, session: &str) -> Result<Page, Refused> {
    let flow = known(visit.ask(Method::GET, &format!("/sessions/{session}/flow"), &Value::Null).await)?;
    let entries = visit.get(&format!("/activity?session={session}&limit={RECORDS}")).await?;
    let name = crate::api::decoded(session).unwrap_or_default();
    Ok(sessions::one(&name, flow.map(read).as_ref(), &entries))
}
