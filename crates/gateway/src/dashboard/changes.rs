//! What forms change, each through the API in the name of who sent it.

use http::Method;
use serde_json::{Value, json};

use super::form::Form;
use super::pages::clean_and_left;
use super::visit::{Visit, read};
use crate::api::{Refused, decoded};

/// What can be decided or noted about one definition.
const DECISIONS: [&str; 9] =
    ["approve", "reject", "block", "unblock", "enable", "disable", "suppress", "unsuppress", "volatile"];

/// What became of a change.
pub(super) struct Changed {
    /// The page that shows it.
    pub(super) back: String,
    /// A word for what was done, of those `said` knows.
    pub(super) done: &'static str,
}

/// What is said at the top of the page after a change.
pub(super) fn said(done: &str) -> Option<&'static str> {
    let text = match done {
        "approve" => "Approved. Agents see it from now on.",
        "approve-some" => "Approved.",
        "some-changed" => "Approved, but for what changed or no longer scans clean.",
        "reject" => "Rejected. It stays held.",
        "block" => "Blocked.",
        "unblock" => "The block is lifted; it waits for a decision.",
        "enable" => "Switched on.",
        "disable" => "Switched off.",
        "suppress" => "Suppressed, for exactly this text.",
        "unsuppress" => "The finding counts again.",
        "volatile" => "Noted. Agents see it if it is what was approved but for such spans.",
        "scan" => "Read again.",
        "quarantine" => "The server is held.",
        "unquarantine" => "The hold is lifted.",
        "confirm-launch" => "The launch is confirmed.",
        "trust" => "Changed.",
        "decided" => "Decided.",
        "stop-calls" => "Done. It is recorded.",
        "revoke" => "The token is revoked.",
        "ratify" => "Accepted as usual.",
        "reset" => "It begins anew.",
        _ => return None,
    };
    Some(text)
}

/// Makes the change an address names; `None` if there is none of this name.
pub(super) async fn make(visit: &Visit, parts: &[&str], form: &Form) -> Option<Result<Changed, Refused>> {
    Some(match parts {
        ["servers", name, "approve-clean", kind] => approve_clean(visit, name, kind, form).await,
        ["servers", name, act] => server(visit, name, act, form).await?,
        ["servers", name, kind, definition, act] => {
            let base = format!("/servers/{name}/{kind}/{definition}");
            decided(visit, base, act, form).await?
        }
        ["held", id] => {
            let asked = json!({ "decision": form.get("decision") });
            posted(visit, format!("/approvals/{id}/decide"), asked, "/held", "decided").await
        }
        ["stop-calls"] => {
            let asked = json!({ "stopped": form.get("stopped") == "true" });
            posted(visit, "/stop-calls".to_owned(), asked, "/settings", "stop-calls").await
        }
        ["settings", "tokens", id, "revoke"] => {
            let answer = visit.ask(Method::DELETE, &format!("/tokens/{id}"), &Value::Null).await;
            answer.map(|_| Changed { back: "/settings".to_owned(), done: "revoke" })
        }
        ["baseline", _, act] => {
            let done = word(act, &["ratify", "reset"])?;
            posted(visit, format!("/{}", parts.join("/")), json!({}), "/baseline", done).await
        }
        _ => return None,
    })
}

fn word(act: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().copied().find(|known| *known == act)
}

async fn posted(
    visit: &Visit,
    path: String,
    body: Value,
    back: &str,
    done: &'static str,
) -> Result<Changed, Refused> {
    visit.post(&path, &body).await.map(|_| Changed { back: back.to_owned(), done })
}

async fn server(visit: &Visit, name: &str, act: &str, form: &Form) -> Option<Result<Changed, Refused>> {
    let done = word(act, &["scan", "quarantine", "unquarantine", "confirm-launch", "trust"])?;
    let back = format!("/servers/{name}");
    let (method, path, body) = match done {
        "trust" => (Method::PATCH, back.clone(), json!({ "trust": form.get("trust") })),
        "quarantine" => (Method::POST, format!("{back}/{done}"), json!({ "reason": form.get("reason") })),
        "confirm-launch" => (Method::POST, format!("{back}/{done}"), json!({ "launch": form.get("launch") })),
        _ => (Method::POST, format!("{back}/{done}"), json!({})),
    };
    Some(visit.ask(method, &path, &body).await.map(|_| Changed { back, done }))
}

async fn decided(visit: &Visit, base: String, act: &str, form: &Form) -> Option<Result<Changed, Refused>> {
    let done = word(act, &DECISIONS)?;
    let reason = form.get("reason");
    let body = match done {
        "approve" => json!({
            "fingerprint": form.get("fingerprint"), "accept": form.all("accept").collect::<Vec<_>>(),
            "reason": (!reason.is_empty()).then_some(reason),
        }),
        "reject" | "block" => json!({ "reason": reason }),
        "suppress" => json!({
            "check": form.get("check"), "fingerprint": form.get("fingerprint"), "reason": reason,
            "days": form.get("days").parse::<u64>().ok(),
        }),
        "unsuppress" => json!({ "check": form.get("check") }),
        "volatile" => json!({
            "pointer": decoded(form.get("pointer")).unwrap_or_default(), "spans": form.get("spans"), "fingerprint": form.get("fingerprint"),
        }),
        _ => json!({}),
    };
    let path = format!("{base}/{done}");
    Some(posted(visit, path, body, &base, done).await)
}

/// A line of what scans clean.
#[derive(Default, serde::Deserialize)]
struct Clean {
    name: String,
    fingerprint: String,
}

/// Approves what was ticked, each by the fingerprint that was shown; what changed meanwhile is left.
async fn approve_clean(visit: &Visit, server: &str, kind: &str, form: &Form) -> Result<Changed, Refused> {
    let (clean, _) = clean_and_left(visit, server, kind).await?;
    let (mut ticked, mut approved) = (0, 0);
    let clean: Vec<Clean> = read(clean);
    for fingerprint in form.all("approve") {
        ticked += 1;
        let Some(one) = clean.iter().find(|one| one.fingerprint == fingerprint) else { continue };
        let path =
            format!("/servers/{server}/{kind}/{}/approve", portcullis_dashboard::href::part(&one.name));
        let asked = json!({ "fingerprint": fingerprint, "reason": "it scanned clean" });
        approved += usize::from(visit.post(&path, &asked).await.is_ok());
    }
    let done = if approved == ticked { "approve-some" } else { "some-changed" };
    // A server's name is checked by the API; an address that cannot be read never came so far.
    let back = format!("/servers/{}", portcullis_dashboard::href::part(&decoded(server).unwrap_or_default()));
    Ok(Changed { back, done })
}
