//! Alerts: what somebody should know now, told to a webhook and on the desktop.
//!
//! The map: `raised` is what is told, `rules` whether it is, `repeats` how often, `webhook` and `desktop` where. Whoever
//! raises an alert never waits: it goes into a queue, and one that is full drops it, which is counted and recorded.

mod desktop;
mod raised;
mod repeats;
mod rules;
mod webhook;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use portcullis_detect::escape_line;
use portcullis_store::{Draft, Kind as Recorded, Status, Store, masked_text};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tracing::warn;

use crate::api::http::ascii;
use crate::judge::Sought;
use crate::metrics::Alerted;
use crate::session::now_us;
pub use desktop::{Desktop, Notifier};
use raised::Told;
pub(crate) use raised::{Raised, What};
use repeats::Repeats;
pub use rules::AlertRules;
pub use webhook::Webhook;
use webhook::{Answered, Unposted};

/// Alerts that wait to be told; more are dropped.
const MOST_WAITING: usize = 256;
/// How often an alert is posted before it is given up.
const MOST_ATTEMPTS: u32 = 6;
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How often windows are looked at whose time may be over.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The most that is shown of a receiver's answer.
const LONGEST_ANSWER: usize = 200;

/// Where alerts are raised.
pub(crate) struct Alerts {
    rules: RwLock<Arc<AlertRules>>,
    /// What is masked in whatever is told.
    sought: RwLock<Sought>,
    repeats: Mutex<Repeats>,
    store: Arc<dyn Store>,
    counted: Alerted,
    to_post: Queue,
    to_show: Queue,
}

/// Alerts on their way to one place.
struct Queue {
    sender: Sender<Arc<Told>>,
    /// Until somebody runs.
    receiver: Mutex<Option<Receiver<Arc<Told>>>>,
    /// Dropped since the last that was told.
    dropped: AtomicU64,
}

impl Queue {
    fn new() -> Queue {
        let (sender, receiver) = channel(MOST_WAITING);
        Queue { sender, receiver: Mutex::new(Some(receiver)), dropped: AtomicU64::new(0) }
    }

    fn take(&self) -> Option<Receiver<Arc<Told>>> {
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Alerts {
    pub(crate) fn new(rules: AlertRules, sought: Sought, store: Arc<dyn Store>, counted: Alerted) -> Alerts {
        let (rules, sought) = (RwLock::new(Arc::new(rules)), RwLock::new(sought));
        let (to_post, to_show) = (Queue::new(), Queue::new());
        Alerts { rules, sought, repeats: Mutex::default(), store, counted, to_post, to_show }
    }

    /// Tells others from now on.
    pub(crate) fn follow(&self, rules: AlertRules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
    }

    /// Masks other values from now on.
    pub(crate) fn mask_by(&self, sought: Sought) {
        *self.sought.write().unwrap_or_else(PoisonError::into_inner) = sought;
    }

    fn rules(&self) -> Arc<AlertRules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn sought(&self) -> Sought {
        self.sought.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn repeats(&self) -> std::sync::MutexGuard<'_, Repeats> {
        self.repeats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever wants to know, unless the same was told a moment ago.
    pub(crate) fn raise(&self, raised: &Raised) {
        let rules = self.rules();
        if !rules.want(raised) {
            return;
        }
        if self.repeats().is_first(raised, Instant::now(), rules.window) {
            self.queue(&rules, raised, 1);
        } else {
            self.counted.repeated();
        }
    }

    fn queue(&self, rules: &AlertRules, raised: &Raised, count: u64) {
        let told = Arc::new(Told::new(raised, count, self.sought().masked()));
        let places = [(rules.webhook.is_some(), &self.to_post), (rules.desktop.is_some(), &self.to_show)];
        for (_, queue) in places.into_iter().filter(|(is_wanted, _)| *is_wanted) {
            if queue.sender.try_send(Arc::clone(&told)).is_err() {
                self.counted.dropped();
                if queue.dropped.fetch_add(1, Ordering::AcqRel) == 0 {
                    self.record(
                        &told,
                        json!({ "why": "too many alerts wait to be told; this one is dropped" }),
                    );
                }
            }
        }
    }

    /// Tells what is queued, as long as somebody can raise anything.
    pub(crate) fn run(self: &Arc<Self>) {
        if let Some(receiver) = self.to_post.take() {
            tokio::spawn(posting(Arc::downgrade(self), receiver));
        }
        if let Some(receiver) = self.to_show.take() {
            tokio::spawn(showing(Arc::downgrade(self), receiver));
        }
        let alerts = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(alerts) = alerts.upgrade() {
                let (rules, over) = (alerts.rules(), alerts.repeats().over(Instant::now()));
                over.iter().for_each(|(raised, again)| alerts.queue(&rules, raised, *again));
                drop(alerts);
                tokio::time::sleep(LOOK_EVERY).await;
            }
        });
    }

    /// Tells a test at once, everywhere, and says how that went; `None` if nobody is told anything.
    pub(crate) async fn test(&self) -> Option<Value> {
        let rules = self.rules();
        let told = Told::new(&Raised::about(What::Test, "", ""), 1, self.sought().masked());
        let posted = match &rules.webhook {
            Some(webhook) => Some(self.tried(webhook.post(&told.id, &body(&told)).await)),
            None => None,
        };
        let shown = match &rules.desktop {
            Some(desktop) => Some(match desktop.show(&told, 0).await {
                Ok(()) => json!({ "delivered": true }),
                Err(why) => json!({ "delivered": false, "why": why }),
            }),
            None => None,
        };
        (posted.is_some() || shown.is_some())
            .then(|| json!({ "id": told.id, "webhook": posted, "desktop": shown }))
    }

    /// How a test went, with what the receiver said.
    fn tried(&self, posted: Result<Answered, Unposted>) -> Value {
        match posted {
            Ok(answered) => {
                let said = masked_text(self.sought().masked(), &answered.body, |_| true).0;
                json!({
                    "delivered": answered.taken().is_ok(), "status": answered.status.as_u16(),
                    "why": answered.taken().err().map(|unposted| unposted.why),
                    "answer": escape_line(&said, LONGEST_ANSWER),
                })
            }
            Err(unposted) => json!({ "delivered": false, "why": unposted.why }),
        }
    }

    /// Posts an alert, again after a pause if that may help. Receivers know one they have seen by its id.
    async fn post(&self, told: &Told) {
        let body = body(told);
        let mut attempt = 1;
        loop {
            let rules = self.rules();
            let Some(webhook) = &rules.webhook else { return };
            let posted = webhook.post(&told.id, &body).await.and_then(|answered| answered.taken());
            match posted {
                Ok(()) => return self.counted.sent(),
                Err(unposted) if unposted.is_passing && attempt < MOST_ATTEMPTS => {
                    tokio::time::sleep(pause(rules.pause, attempt)).await;
                    attempt += 1;
                }
                Err(unposted) => {
                    self.counted.failed();
                    self.record(told, json!({ "why": unposted.why, "attempts": attempt }));
                    return;
                }
            }
        }
    }

    /// Records that an alert was not told.
    fn record(&self, told: &Told, mut note: Value) {
        warn!(alert = told.what.as_str(), note = %ascii(&note), "an alert was not delivered");
        note["alert"] = json!("not_delivered");
        note["what"] = json!(told.what.as_str());
        note["id"] = json!(told.id);
        let note = note.to_string();
        let draft = Draft { note: Some(&note), ..Draft::new(Recorded::Alert, Status::Failed, now_us()) };
        if let Err(why) = self.store.append(&draft) {
            warn!(%why, "that an alert was not delivered cannot be recorded");
        }
    }

    /// Records how many were dropped, once there is room again.
    fn record_dropped(&self, queue: &Queue, told: &Told) {
        let dropped = queue.dropped.swap(0, Ordering::AcqRel);
        if dropped > 1 {
            self.record(told, json!({ "why": "so many were dropped before this one", "dropped": dropped }));
        }
    }
}

fn body(told: &Told) -> Bytes {
    Bytes::from(ascii(&told.body))
}

/// Twice the pause before, up to the longest; and less by chance, so that many gateways do not come at once.
fn pause(first: Duration, attempt: u32) -> Duration {
    let whole = first.saturating_mul(2u32.saturating_pow(attempt - 1)).min(LONGEST_PAUSE);
    let mut byte = [0];
    // Without chance the pause is the longest.
    let _ = getrandom::fill(&mut byte);
    whole - whole.mul_f64(f64::from(byte[0]) / 512.0)
}

async fn posting(alerts: Weak<Alerts>, mut receiver: Receiver<Arc<Told>>) {
    while let Some(told) = receiver.recv().await {
        let Some(alerts) = alerts.upgrade() else { return };
        alerts.post(&told).await;
        alerts.record_dropped(&alerts.to_post, &told);
    }
}

/// What comes while one must wait for the next is counted, and the worst of it shown.
async fn showing(alerts: Weak<Alerts>, mut receiver: Receiver<Arc<Told>>) {
    let mut waiting = Vec::new();
    while receiver.recv_many(&mut waiting, MOST_WAITING).await > 0 {
        let Some(alerts) = alerts.upgrade() else { return };
        let others = waiting.len() - 1;
        let worst =
            waiting.drain(..).reduce(|one, other| if other.severity > one.severity { other } else { one });
        let (Some(worst), Some(desktop)) = (worst, alerts.rules().desktop.clone()) else { continue };
        match desktop.show(&worst, others).await {
            Ok(()) => alerts.counted.sent(),
            Err(why) => {
                alerts.counted.failed();
                alerts.record(&worst, json!({ "why": why }));
            }
        }
        alerts.record_dropped(&alerts.to_show, &worst);
        drop(alerts);
        tokio::time::sleep(desktop.spacing).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_to_their_limit_and_vary() {
        for attempt in 1..40 {
            let whole =
                Duration::from_secs(1).saturating_mul(2u32.saturating_pow(attempt - 1)).min(LONGEST_PAUSE);
            for _ in 0..20 {
                let pause = pause(Duration::from_secs(1), attempt);
                assert!(pause <= whole && pause >= whole / 2, "{attempt}: {pause:?}");
            }
        }
        let all: std::collections::BTreeSet<_> = (0..50).map(|_| pause(Duration::from_secs(1), 3)).collect();
        assert!(all.len() > 1, "they never differ");
    }

    /// A program that writes down what it was started with.
    #[cfg(unix)]
    #[tokio::test]
    async fn the_desktop_shows_one_at_a_time_and_how_many_came_meanwhile() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("portcullis-desktop-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (program, log) = (folder.join("show"), folder.join("shown"));
        std::fs::write(&program, format!("#!/bin/sh\necho \"$5\" >> '{}'\n", log.display())).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let store =
            portcullis_store::open(&format!("sqlite:{}", folder.display()), &folder, &Default::default());
        let desktop = Desktop::stand_in(program, Duration::from_secs(2));
        let rules = AlertRules { desktop: Some(desktop), ..AlertRules::default() };
        let alerts = Alerts::new(rules, Sought::default(), Arc::from(store.unwrap()), Alerted::default());
        let alerts = Arc::new(alerts);
        alerts.run();
        let lines = || {
            std::fs::read_to_string(&log).unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let shown = async |count: usize| {
            let until = Instant::now() + Duration::from_secs(20);
            while lines().len() < count {
                assert!(Instant::now() < until, "{:?}", lines());
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        alerts.raise(&Raised::about(What::ApprovalRequested, "s", "a"));
        shown(1).await;
        for what in [What::ApprovalRequested, What::RugPull, What::ApprovalRequested] {
            alerts.raise(&Raised::about(what, "s", "b"));
            alerts.raise(&Raised::about(what, "s", "<b>"));
        }
        shown(2).await;
        let expected = [
            "An agent asks for something to be approved: s/a",
            "A tool changed after it was approved: s/b (and 3 more)",
        ];
        assert_eq!(lines(), expected);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
