//! Tokens: which there are, new ones, and their end.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::access::{Role, Token};
use super::{Answer, Asked, Refused, data, stored};
use crate::dashboard::LINK_LIVES;
use crate::gate::Gate;
use crate::quarantine::now_ms;

/// A name longer than this is none.
const LONGEST_NAME: usize = 100;

/// `GET /tokens`.
pub(super) async fn list(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let gate = Arc::clone(gate);
    stored(move || {
        let tokens: Vec<Value> = gate.tokens.all()?.iter().map(shown).collect();
        data(json!({ "tokens": tokens }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: String,
    role: Role,
    days: Option<u64>,
}

/// `POST /tokens`.
pub(super) async fn create(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let wanted: Wanted = asked.body()?;
    if wanted.name.trim().is_empty() || wanted.name.chars().count() > LONGEST_NAME {
        return Err(Refused::bad("`name` says whose the token is, in at most 100 characters"));
    }
    let gate = Arc::clone(gate);
    stored(move || {
        let expires = wanted.days.map(|days| now_ms().saturating_add(days.saturating_mul(86_400_000)));
        let (token, text) = gate.tokens.create(&wanted.name, wanted.role, expires)?;
        let mut value = shown(&token);
        value["token"] = text.into();
        data(value)
    })
    .await
}

/// `DELETE /tokens/{id}`.
pub(super) async fn revoke(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (gate, id) = (Arc::clone(gate), asked.part("id").to_owned());
    stored(move || match gate.tokens.revoke(&id)? {
        true => data(json!({ "revoked": id })),
        false => Err(Refused::not_found("There is no such token")),
    })
    .await
}

/// `POST /sign-in-links`.
pub(super) async fn sign_in_link(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    let link = gate
        .sign_in_link()
        .ok_or_else(|| Refused::conflict("No gateway runs: `portcullis serve` starts it"))?;
    data(json!({ "link": link, "seconds": LINK_LIVES.as_secs() }))
}

/// A token without what would open anything.
fn shown(token: &Token) -> Value {
    json!({
        "id": token.id, "name": token.name, "role": token.role.as_str(),
        "created": token.created, "expires": token.expires, "signed_in": token.signed_in_with.is_some(),
    })
}
