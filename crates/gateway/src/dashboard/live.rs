//! The stream that tells a page to look again. It says that something happened, never what.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Response};
use portcullis_store::Filter;
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;

use super::form::Form;
use super::visit::Visit;
use crate::api::{Answer, Role};
use crate::downstream::body::{Body, Told, Work};
use crate::downstream::telling::{empty, listening};
use crate::gate::Gate;

/// How often it is looked whether something was recorded or decided elsewhere.
const LOOK: Duration = Duration::from_secs(1);

/// The stream for a page; records are looked for only if it shows any.
pub(super) async fn stream(visit: &Visit, query: &Form) -> Response<Body> {
    let feed = match visit.answer(Method::GET, "/events", &Value::Null).await {
        Ok(Answer::Feed(feed)) => feed,
        Ok(_) => return empty(http::StatusCode::NOT_FOUND),
        Err(refused) => return empty(refused.status),
    };
    let has_records = query.get("activity") == "1" && visit.may(Role::Auditor);
    let gate = Arc::clone(&visit.gate);
    let work = Work::new(move |teller| async move {
        let (gate, mut feed) = (gate, feed.0);
        let mut known = look(&gate, has_records).await;
        let mut ticks = tokio::time::interval(LOOK);
        loop {
            let is_new = tokio::select! {
                heard = feed.recv() => match heard {
                    Ok(_) | Err(RecvError::Lagged(_)) => true,
                    Err(RecvError::Closed) => return,
                },
                _ = ticks.tick() => {
                    let now = look(&gate, has_records).await;
                    std::mem::replace(&mut known, now) != now
                }
            };
            if is_new && teller.send(Told::Other(Bytes::from_static(b"{}"), None)).await.is_err() {
                return;
            }
        }
    });
    listening(&visit.gate, work, None)
}

/// What changes when somebody decides, on any node, and when something is recorded.
async fn look(gate: &Arc<Gate>, has_records: bool) -> (u64, u64) {
    let version = gate.quarantine.picture().version;
    if !has_records {
        return (version, 0);
    }
    let store = Arc::clone(&gate.settings.store);
    let newest = tokio::task::spawn_blocking(move || store.list(&Filter::default(), None, 1)).await;
    let newest =
        newest.ok().and_then(Result::ok).and_then(|page| page.entries.first().map(|entry| entry.seq));
    (version, newest.unwrap_or_default())
}
