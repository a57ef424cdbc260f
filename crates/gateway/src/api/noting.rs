//! What operators note about a definition beside their decisions: findings they accept, spans that may change.

use std::sync::Arc;

use portcullis_detect::fingerprint::{Volatile, VolatileKind};
use serde::Deserialize;

use super::definitions::{after, fingerprint, named, operator};
use super::{Answer, Asked, Refused, stored};
use crate::gate::Gate;
use crate::quarantine::noted::Accepting;
use crate::quarantine::now_ms;

const DAY_MS: u64 = 86_400_000;
/// Longer than this is a decision for good.
const MOST_DAYS: u64 = 3_650;
/// Bytes of a reason that are kept.
const LONGEST_REASON: usize = 2_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suppressing {
    check: Box<str>,
    fingerprint: String,
    reason: Box<str>,
    #[serde(default)]
    days: Option<u64>,
}

/// `POST /servers/{server}/{kind}/{name}/suppress`.
pub(super) async fn suppress(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let said: Suppressing = asked.body()?;
    let read = fingerprint(Some(&said.fingerprint))?;
    if said.reason.trim().is_empty() || said.reason.len() > LONGEST_REASON {
        return Err(Refused::bad("`reason` says why, in at most 2,000 bytes, for whoever reads it later"));
    }
    if said.days.is_some_and(|days| days == 0 || days > MOST_DAYS) {
        return Err(Refused::bad("`days` is how long it counts: 1 to 3,650"));
    }
    let expires = said.days.map(|days| now_ms().saturating_add(days.saturating_mul(DAY_MS)));
    let accepting = Accepting { check: said.check, reason: said.reason, expires };
    let (name, by, quarantine) = (named(&asked)?, operator(&asked), Arc::clone(&gate.quarantine));
    stored(move || {
        quarantine.accept(&name, read, accepting, &by)?;
        after(&quarantine, &name)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unsuppressing {
    check: Box<str>,
}

/// `POST /servers/{server}/{kind}/{name}/unsuppress`.
pub(super) async fn unsuppress(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let said: Unsuppressing = asked.body()?;
    let (name, by, quarantine) = (named(&asked)?, operator(&asked), Arc::clone(&gate.quarantine));
    stored(move || {
        quarantine.accept_no_more(&name, &said.check, &by)?;
        after(&quarantine, &name)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marking {
    pointer: Box<str>,
    spans: String,
    fingerprint: String,
}

/// `POST /servers/{server}/{kind}/{name}/volatile`.
pub(super) async fn mark(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let Marking { pointer, spans, fingerprint: read } = asked.body()?;
    let read = fingerprint(Some(&read))?;
    let kind = match spans.as_str() {
        "none" => None,
        word => {
            Some(VolatileKind::named(word).ok_or_else(|| Refused::bad("`spans` is counts, dates or none"))?)
        }
    };
    let (name, by, quarantine) = (named(&asked)?, operator(&asked), Arc::clone(&gate.quarantine));
    stored(move || {
        match kind {
            Some(kind) => quarantine.mark(&name, read, Volatile { pointer, kind }, &by)?,
            None => quarantine.unmark(&name, read, &pointer, &by)?,
        }
        after(&quarantine, &name)
    })
    .await
}
