//! Reading a server whole: everything it declares, when it is first used, when it says that something changed, and
//! from time to time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use portcullis_detect::Kind;
use portcullis_store::StoreError;
use serde_json::{Value, json};
use tracing::{info, warn};

use super::answer::{Page, instructions};
use super::{KINDS, Quarantine, Seen};
use crate::catalogue::Kind as Listed;
use crate::gate::Gate;
use crate::upstream::Upstream;
use crate::wire::{Fault, Field, Kind as MessageKind};

/// Pages of one list.
const MOST_PAGES: usize = 100;
/// Definitions of one server; a server that declares more is incomplete.
const MOST_DEFINITIONS: usize = 20_000;
/// A server that could not be read is left alone for so long.
const PAUSE: Duration = Duration::from_secs(5);

/// How the last reading of a server went.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Outcome {
    /// Nobody has read it yet.
    #[default]
    Never,
    /// All of it was looked at.
    Complete,
    /// Some of it was not, and why.
    Incomplete(String),
    /// None of it was, and why.
    Failed(Fault),
}

/// What is remembered of a server's readings.
#[derive(Default)]
pub(crate) struct Readings {
    /// Counts the news that lists changed.
    news: AtomicU64,
    last: Mutex<Last>,
    turn: tokio::sync::Mutex<()>,
}

#[derive(Clone, Default)]
struct Last {
    at: Option<Instant>,
    /// The news that were known when it began.
    news: u64,
    outcome: Outcome,
    declared: Arc<[Seen]>,
}

impl Readings {
    /// Something the server declares is no longer what it was.
    pub(crate) fn doubt(&self) {
        self.news.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.last().outcome.clone()
    }

    /// What the server declared when it was last read, in its own order.
    pub(crate) fn declared(&self) -> Arc<[Seen]> {
        Arc::clone(&self.last().declared)
    }

    /// Whether the server was read a moment ago, and nothing happened since.
    pub(crate) fn is_recent(&self) -> bool {
        let last = self.last();
        last.news == self.news.load(Ordering::Acquire) && last.at.is_some_and(|at| at.elapsed() < PAUSE)
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known still holds, or it is too early to try again; `None` if the server must be read.
    fn known(&self, recheck: Duration) -> Option<Result<(), Fault>> {
        let last = self.last();
        let age = last.at?.elapsed();
        let is_news = last.news != self.news.load(Ordering::Acquire);
        match &last.outcome {
            Outcome::Failed(fault) if age < PAUSE => Some(Err(fault.clone())),
            Outcome::Complete | Outcome::Incomplete(_) if age < recheck && !is_news => Some(Ok(())),
            _ => None,
        }
    }
}

/// How the last reading went, if the server need not be read now.
pub(crate) fn known(gate: &Gate, upstream: &Upstream) -> Option<Result<(), Fault>> {
    upstream.readings.known(gate.settings.quarantine.recheck)
}

/// Returns when what is known of a server is what it declares now.
pub(crate) async fn fresh(gate: &Arc<Gate>, upstream: &Arc<Upstream>) -> Result<(), Fault> {
    let (readings, recheck) = (&upstream.readings, gate.settings.quarantine.recheck);
    if let Some(known) = readings.known(recheck) {
        return known;
    }
    let _turn = readings.turn.lock().await;
    if let Some(known) = readings.known(recheck) {
        return known;
    }
    let news = readings.news.load(Ordering::Acquire);
    let (outcome, declared) = match read(gate, upstream).await {
        Ok((declared, gaps)) if gaps.is_empty() => (Outcome::Complete, declared),
        Ok((declared, gaps)) => (Outcome::Incomplete(gaps.join("; ")), declared),
        Err(fault) => (Outcome::Failed(fault), Arc::default()),
    };
    report(upstream, &outcome);
    let answer = match &outcome {
        Outcome::Failed(fault) => Err(fault.clone()),
        Outcome::Never | Outcome::Complete | Outcome::Incomplete(_) => Ok(()),
    };
    let mut last = readings.last();
    // What was made of a list stays as long as the list does.
    let declared = if last.declared == declared { Arc::clone(&last.declared) } else { declared };
    *last = Last { at: Some(Instant::now()), news, outcome, declared };
    answer
}

/// Reads a server again whatever is known of it, and scans everything anew. How the reading went is remembered.
pub(crate) async fn anew(gate: &Arc<Gate>, upstream: &Arc<Upstream>) -> Result<(), Fault> {
    upstream.readings.doubt();
    let _ = fresh(gate, upstream).await;
    look(gate, upstream, |quarantine, server| quarantine.rescan_all(server)).await
}

fn report(upstream: &Upstream, outcome: &Outcome) {
    let server = upstream.name.as_str();
    match outcome {
        Outcome::Never | Outcome::Complete => info!(server, "a server was read"),
        Outcome::Incomplete(why) => warn!(server, why, "a server could be read only in part"),
        Outcome::Failed(fault) => warn!(server, why = %fault.message, "a server could not be read"),
    }
}

/// Everything a server declares, and what of it could not be looked at.
async fn read(gate: &Arc<Gate>, upstream: &Arc<Upstream>) -> Result<(Arc<[Seen]>, Vec<String>), Fault> {
    let (mut seen, mut gaps) = (Vec::new(), Vec::new());
    declared(upstream, &mut seen, &mut gaps).await?;
    gaps.extend(see(gate, upstream, seen.clone(), KINDS.to_vec(), None).await?);
    Ok((seen.into(), gaps))
}

/// Asks a server for everything it declares. What was read before something went wrong is in `seen` all the same.
pub(crate) async fn declared(
    upstream: &Upstream,
    seen: &mut Vec<Seen>,
    gaps: &mut Vec<String>,
) -> Result<(), Fault> {
    let opening = upstream.opening().await?;
    let said: Value = serde_json::from_slice(&opening.result).unwrap_or_default();
    if let Some((json, _)) = instructions(&opening.result) {
        seen.push(Seen { kind: Kind::Instructions, name: "".into(), json });
    }
    for kind in Listed::ALL {
        if said["capabilities"].get(kind.capability()).is_some() {
            list(upstream, kind, seen, gaps).await?;
        }
    }
    if seen.len() > MOST_DEFINITIONS {
        gaps.push(format!("it declares more than {MOST_DEFINITIONS} things; the rest is not exposed"));
        seen.truncate(MOST_DEFINITIONS);
    }
    Ok(())
}

async fn list(
    upstream: &Upstream,
    kind: Listed,
    seen: &mut Vec<Seen>,
    gaps: &mut Vec<String>,
) -> Result<(), Fault> {
    let mut params = json!({});
    for _ in 0..MOST_PAGES {
        let answer = upstream.ask(kind.method(), params).await?;
        if answer.kind() == MessageKind::Error {
            // Templates are part of the capability, but many servers have none and do not know the method.
            if answer.raw(Field::ErrorCode) != Some(b"-32601") {
                gaps.push(format!("{} was answered with an error", kind.method()));
            }
            return Ok(());
        }
        if kind == Listed::Tools {
            upstream.learn(&answer);
        }
        let result = answer.shared(Field::Result).unwrap_or_default();
        let Some(page) = Page::read(kind, &result) else {
            gaps.push(format!("{} was answered with no list", kind.method()));
            return Ok(());
        };
        if page.nameless() > 0 {
            gaps.push(format!("{} entries of {} have no name", page.nameless(), kind.method()));
        }
        seen.extend(page.seen());
        let Some(cursor) = page.cursor() else { return Ok(()) };
        params = json!({ "cursor": cursor });
    }
    gaps.push(format!("{} has more than {MOST_PAGES} pages", kind.method()));
    Ok(())
}

/// Looks at what a server declares, to an agent or to the gateway itself, unless nothing of it is new. What cannot be looked
/// at is not shown.
pub(crate) async fn see(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    seen: Vec<Seen>,
    whole: Vec<Kind>,
    shown_to: Option<Box<str>>,
) -> Result<Vec<String>, Fault> {
    let declared = seen.iter().map(|one| (one.kind, &*one.name, &*one.json));
    if gate.quarantine.is_as_before(upstream.name.as_str(), declared, &whole, shown_to.as_deref()) {
        return Ok(Vec::new());
    }
    look(gate, upstream, move |quarantine, server| quarantine.see(server, &seen, &whole, shown_to.as_deref()))
        .await
}

/// Does what looks at a server off the threads that serve others.
async fn look<T: Send + 'static>(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    act: impl FnOnce(&Quarantine, &str) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Fault> {
    let (quarantine, name) = (Arc::clone(&gate.quarantine), upstream.name.clone());
    let looked = tokio::task::spawn_blocking(move || act(&quarantine, name.as_str())).await;
    let unable = || {
        Fault::internal("What the server declares cannot be looked at; the operator must see to the store")
            .with_status(500)
    };
    match looked {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(why)) => {
            warn!(server = upstream.name.as_str(), %why, "what a server declares cannot be kept");
            Err(unable())
        }
        Err(why) => {
            warn!(server = upstream.name.as_str(), %why, "looking at a server failed");
            Err(unable())
        }
    }
}
