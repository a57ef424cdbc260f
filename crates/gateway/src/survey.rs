//! A server read once, without a gate: for those who only want to know what it declares. Nothing of it is left running.

use std::time::Duration;

use portcullis_detect::Kind;

use crate::quarantine::reading::declared;
use crate::settings::{Means, Server};
use crate::upstream::{NOT_LET_IN, Upstream};

/// What a server declared.
#[derive(Debug, Default)]
pub struct Survey {
    /// Each definition as it came, in the server's own order.
    pub definitions: Vec<(Kind, Box<str>)>,
    /// What could not be read, and why. A server that could not be reached has only this.
    pub gaps: Vec<String>,
    /// Whether it wants a credential, or another one.
    pub is_refused: bool,
}

/// Starts or reaches a server and reads everything it declares, for as long as `patience` lasts and nobody says `stop`.
/// Returns when the server was ended with everything it started.
pub async fn survey(
    server: &Server,
    means: &Means,
    patience: Duration,
    stop: impl Future<Output = ()>,
) -> Survey {
    let upstream = match Upstream::new(server, means, None) {
        Ok(upstream) => upstream,
        Err(why) => return Survey { gaps: vec![why.to_string()], ..Survey::default() },
    };
    let mut is_refused = false;
    let (mut seen, mut gaps) = (Vec::new(), Vec::new());
    let read = tokio::select! {
        biased;
        () = stop => None,
        read = tokio::time::timeout(patience, declared(&upstream, &mut seen, &mut gaps)) => Some(read),
    };
    match read {
        Some(Ok(Ok(()))) => {}
        Some(Ok(Err(fault))) => {
            is_refused = fault.message == NOT_LET_IN;
            gaps.push(fault.message.into_owned());
        }
        Some(Err(_)) => gaps.push(format!("it was not read within {} seconds", patience.as_secs_f32())),
        None => gaps.push("the scan was stopped before it was read".to_owned()),
    }
    upstream.end();
    upstream.ended().await;
    Survey { definitions: seen.into_iter().map(|one| (one.kind, one.json)).collect(), gaps, is_refused }
}
