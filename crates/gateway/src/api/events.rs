//! What happens, as it happens: one line of JSON each, for whoever listens.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::{Answer, Asked, Refused};
use crate::gate::Gate;

/// Lines that wait for a slow listener.
const MOST_WAITING: usize = 256;

/// Where it is told.
pub(crate) struct Happening(broadcast::Sender<Arc<str>>);

/// Where it is heard.
pub struct Feed(pub(crate) broadcast::Receiver<Arc<str>>);

impl Happening {
    pub(crate) fn new() -> Happening {
        Happening(broadcast::channel(MOST_WAITING).0)
    }

    /// Tells whoever listens; nothing is made ready for nobody.
    pub(crate) fn tell(&self, what: &str, server: &str, more: impl FnOnce() -> Value) {
        if self.0.receiver_count() == 0 {
            return;
        }
        let line = json!({ "event": what, "server": server, "data": more() });
        // The last one may have left.
        let _ = self.0.send(super::http::ascii(&line).into());
    }
}

/// `GET /events`.
pub(super) async fn feed(gate: &Arc<Gate>, _asked: Asked) -> Result<Answer, Refused> {
    Ok(Answer::Feed(Feed(gate.happening.0.subscribe())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_ready_for_nobody() {
        let happening = Happening::new();
        happening.tell("alert", "git", || unreachable!("nobody listens"));
        let mut feed = happening.0.subscribe();
        happening.tell("alert", "git", || json!(7));
        assert_eq!(&*feed.try_recv().unwrap(), r#"{"data":7,"event":"alert","server":"git"}"#);
    }
}
