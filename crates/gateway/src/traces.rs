//! Traces by OTLP over HTTP, in its JSON form: spans that ended are gathered and posted every few seconds.
//!
//! Our own, because the usual exporter brings forty crates for one kind of document. What cannot be delivered is
//! dropped and counted: telemetry never holds a call up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderValue, Method, Uri};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Subscriber, debug};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::settings::{Addresses, Credential, Remote};
use crate::upstream::{Ask, Pool, Reach};

/// The name of spans that are exported; others stay here.
pub(crate) const TARGET: &str = "portcullis::trace";

/// Spans that wait for the next post; more are dropped.
const MOST_WAITING: usize = 4096;

/// Spans in one post.
const MOST_AT_ONCE: usize = 512;

/// How often posts are made.
const EVERY: Duration = Duration::from_secs(2);

/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A collector of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector(Uri);

impl Collector {
    /// A collector at an address like `http://127.0.0.1:4318`; the usual path is added.
    pub fn parse(text: &str) -> Option<Collector> {
        let url: Uri = format!("{}/v1/traces", text.trim_end_matches('/')).parse().ok()?;
        let is_web = matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some();
        is_web.then_some(Collector(url))
    }
}

/// Gathers spans.
pub(crate) struct Spans {
    sender: Sender<Value>,
    dropped: Arc<AtomicU64>,
}

/// Posts what was gathered, as long as it runs.
pub struct Exporter {
    collector: Collector,
    receiver: Receiver<Value>,
    dropped: Arc<AtomicU64>,
}

/// What is remembered of an open span.
struct Open {
    trace: [u8; 16],
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    began: SystemTime,
    attributes: Vec<Value>,
}

impl Exporter {
    pub(crate) fn new(collector: Collector) -> (Spans, Exporter) {
        let (sender, receiver) = channel(MOST_WAITING);
        let dropped = Arc::<AtomicU64>::default();
        let spans = Spans { sender, dropped: Arc::clone(&dropped) };
        (spans, Exporter { collector, receiver, dropped })
    }

    /// Posts for ever.
    pub async fn run(mut self) {
        let remote = Remote {
            url: self.collector.0.clone(),
            headers: Vec::new(),
            credential: Credential::None,
            authorities: None,
            proxy: None,
            addresses: Addresses::written(Arc::default()),
        };
        let Ok(reach) = Reach::new(&remote, PATIENCE) else { return };
        let pool = Arc::new(Pool::new(reach));
        let mut spans = Vec::new();
        while self.receiver.recv_many(&mut spans, MOST_AT_ONCE).await > 0 {
            let count = spans.len();
            let body = document(std::mem::take(&mut spans));
            if !self.post(&pool, body).await {
                let dropped = self.dropped.fetch_add(u64::try_from(count).unwrap_or(1), Ordering::Relaxed);
                debug!(dropped, "traces could not be delivered");
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    async fn post(&self, pool: &Arc<Pool>, body: Value) -> bool {
        let url = &self.collector.0;
        let host = url.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
        let Some(host) = host else { return false };
        let mut ask = Ask::new(&Method::POST, url.path());
        ask.put(&HOST, &host);
        ask.put(&CONTENT_TYPE, &HeaderValue::from_static("application/json"));
        let ask = ask.with(Bytes::from(body.to_string()));
        let sent = tokio::time::timeout(PATIENCE, async {
            let mut exchange = pool.send(ask).await.ok()?;
            exchange.whole(1 << 20).await.ok()?;
            Some(exchange.status.is_success())
        });
        sent.await.ok().flatten().unwrap_or(false)
    }
}

/// Spans in the form collectors read.
fn document(spans: Vec<Value>) -> Value {
    json!({ "resourceSpans": [{
        "resource": { "attributes": [
            attribute("service.name", "portcullis"),
            attribute("service.version", env!("CARGO_PKG_VERSION")),
        ] },
        "scopeSpans": [{ "scope": { "name": "portcullis" }, "spans": spans }],
    }] })
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

impl<S> Layer<S> for Spans
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|span| span.metadata().target() == TARGET) else { return };
        let parent = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            extensions.get::<Open>().map(|open| (open.trace, open.id))
        });
        let mut bytes = [0; 24];
        if getrandom::fill(&mut bytes).is_err() {
            return;
        }
        let (trace, id) = bytes.split_at(16);
        let (Ok(trace), Ok(id)) = (trace.try_into(), id.try_into()) else { return };
        let mut open = Open {
            trace: parent.map_or(trace, |(trace, _)| trace),
            id,
            parent: parent.map(|(_, id)| id),
            began: SystemTime::now(),
            attributes: Vec::new(),
        };
        attributes.record(&mut open);
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
        {
            values.record(open);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<Open>() else { return };
        if self.sender.try_send(open.closed(span.name())).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Open {
    fn closed(self, name: &str) -> Value {
        let mut span = json!({
            "traceId": HEXLOWER.encode(&self.trace),
            "spanId": HEXLOWER.encode(&self.id),
            "name": name,
            // A server's span, in the numbers of the protocol.
            "kind": 2,
            "startTimeUnixNano": nanoseconds(self.began),
            "endTimeUnixNano": nanoseconds(SystemTime::now()),
            "attributes": self.attributes,
        });
        if let Some(parent) = self.parent {
            span["parentSpanId"] = json!(HEXLOWER.encode(&parent));
        }
        span
    }
}

/// 64-bit numbers are texts in the protocol's JSON.
fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

impl Visit for Open {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.attributes.push(attribute(field.name(), value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.attributes.push(json!({ "key": field.name(), "value": { "intValue": value.to_string() } }));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.attributes.push(json!({ "key": field.name(), "value": { "intValue": value.to_string() } }));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.attributes.push(json!({ "key": field.name(), "value": { "boolValue": value } }));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.attributes.push(attribute(field.name(), &format!("{value:?}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    #[test]
    fn spans_are_gathered_with_their_parents() {
        let collector = Collector::parse("http://127.0.0.1:4318/").unwrap();
        let (spans, mut exporter) = Exporter::new(collector);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(spans), || {
            let outer = tracing::info_span!(target: TARGET, "request", server = "git", status = tracing::field::Empty);
            outer.in_scope(|| drop(tracing::info_span!(target: TARGET, "call", count = 3)));
            outer.record("status", 200);
            drop(tracing::info_span!("elsewhere"));
        });
        let inner = exporter.receiver.try_recv().unwrap();
        let outer = exporter.receiver.try_recv().unwrap();
        assert!(exporter.receiver.try_recv().is_err());
        assert_eq!((&inner["name"], &outer["name"]), (&json!("call"), &json!("request")));
        assert_eq!((&inner["traceId"], &inner["parentSpanId"]), (&outer["traceId"], &outer["spanId"]));
        assert_eq!(outer["attributes"][0], attribute("server", "git"));
        assert_eq!(outer["attributes"][1]["value"]["intValue"], "200");
        let document = document(vec![inner, outer]);
        assert_eq!(document["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_collector_is_an_address() {
        assert_eq!(Collector::parse("http://a:1/").unwrap().0, "http://a:1/v1/traces");
        assert!(Collector::parse("a:1").is_none());
        assert!(Collector::parse("").is_none());
    }
}
