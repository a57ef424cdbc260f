//! What a gateway counts, in the words of Prometheus. Labels come from small sets, so that nobody can make us remember
//! names of their choice.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Methods that are counted by name; all others are `other`.
const METHODS: [&str; 16] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    CALL,
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
    "tasks/get",
];

/// Seconds: from what a gateway adds to what a person waits for.
const BUCKETS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 120.0];

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server answered, with a result or an error of its own.
    Answered,
    /// We did not let it pass.
    Refused,
    /// The server did not answer.
    Failed,
}

impl Outcome {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Outcome::Answered => "answered",
            Outcome::Refused => "refused",
            Outcome::Failed => "failed",
        }
    }
}

/// The method nearly all requests have.
pub(crate) const CALL: &str = "tools/call";

/// A method as it is counted.
pub(crate) fn method(name: &str) -> &'static str {
    METHODS.into_iter().find(|known| *known == name).unwrap_or("other")
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Request {
    server: String,
    method: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Server {
    server: String,
}

/// Where the calls of one server are counted that it answers: found once, and not by name every time.
pub(crate) struct Answered {
    calls: Counter,
    seconds: Histogram,
    up: Gauge,
}

/// What is counted only when somebody asks.
pub(crate) struct Now {
    pub(crate) sessions: usize,
    pub(crate) tasks: usize,
    pub(crate) flows: usize,
    pub(crate) flow_bytes: usize,
    pub(crate) leases: usize,
}

/// All that is counted.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    seconds: Family<Server, Histogram, fn() -> Histogram>,
    up: Family<Server, Gauge>,
    sessions: Gauge,
    connections: Gauge,
    in_flight: Gauge,
    tasks: Gauge,
    refused: Counter,
    alerts: Alerted,
    flow_store: Gauge,
    flows: Gauge,
    flow_bytes: Gauge,
    leases: Gauge,
    leased: Leased,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Told {
    outcome: &'static str,
}

/// Counts what becomes of alerts.
#[derive(Clone, Default)]
pub(crate) struct Alerted(Family<Told, Counter>);

impl Alerted {
    pub(crate) fn sent(&self) {
        self.count("sent");
    }

    /// Given up after all attempts.
    pub(crate) fn failed(&self) {
        self.count("failed");
    }

    /// Too many waited.
    pub(crate) fn dropped(&self) {
        self.count("dropped");
    }

    /// Told with others like it.
    pub(crate) fn repeated(&self) {
        self.count("repeated");
    }

    fn count(&self, outcome: &'static str) {
        self.0.get_or_create(&Told { outcome }).inc();
    }
}

/// Counts what becomes of leases: which servers run here for all nodes.
#[derive(Clone, Default)]
pub(crate) struct Leased(Family<Told, Counter>);

impl Leased {
    pub(crate) fn taken(&self) {
        self.count("taken");
    }

    /// The process ended, or was ended.
    pub(crate) fn left(&self) {
        self.count("left");
    }

    /// It could not be renewed in time.
    pub(crate) fn lost(&self) {
        self.count("lost");
    }

    fn count(&self, outcome: &'static str) {
        self.0.get_or_create(&Told { outcome }).inc();
    }
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let histogram: fn() -> Histogram = || Histogram::new(BUCKETS);
        let mut metrics = Metrics {
            registry: Registry::with_prefix("portcullis"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            up: Family::default(),
            sessions: Gauge::default(),
            connections: Gauge::default(),
            in_flight: Gauge::default(),
            tasks: Gauge::default(),
            refused: Counter::default(),
            alerts: Alerted::default(),
            flow_store: Gauge::default(),
            flows: Gauge::default(),
            flow_bytes: Gauge::default(),
            leases: Gauge::default(),
            leased: Leased::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("requests", "Requests by server, method and outcome", metrics.requests.clone());
        let about = "Time from a request to its answer";
        registry.register_with_unit("request", about, Unit::Seconds, metrics.seconds.clone());
        registry.register("server_up", "Whether a server answered last time", metrics.up.clone());
        registry.register("sessions", "Sessions that are remembered", metrics.sessions.clone());
        registry.register("connections", "Connections of agents", metrics.connections.clone());
        registry.register("in_flight", "Requests that are not answered yet", metrics.in_flight.clone());
        registry.register("tasks", "Tasks that are alive", metrics.tasks.clone());
        registry.register("unauthorized", "Requests without a valid token", metrics.refused.clone());
        registry.register("alerts", "Alerts by what became of them", metrics.alerts.0.clone());
        let about = "Whether the store of flows answers; 0 also where there is none";
        registry.register("flow_store_up", about, metrics.flow_store.clone());
        registry.register("flows", "Flows that are remembered", metrics.flows.clone());
        registry.register("flow_bytes", "Memory of all of them", metrics.flow_bytes.clone());
        registry.register("leases", "Servers that run here for all nodes", metrics.leases.clone());
        let about = "Leases of servers by what became of them";
        registry.register("lease_changes", about, metrics.leased.0.clone());
        metrics
    }

    /// Where what becomes of alerts is counted.
    pub(crate) fn alerts(&self) -> Alerted {
        self.alerts.clone()
    }

    /// Where what becomes of leases is counted.
    pub(crate) fn leased(&self) -> Leased {
        self.leased.clone()
    }

    /// Whether flows can be shared.
    pub(crate) fn flow_store(&self, is_there: bool) {
        self.flow_store.set(i64::from(is_there));
    }

    /// A request is on its way.
    pub(crate) fn began(&self) {
        self.in_flight.inc();
    }

    /// Where the calls of a server are counted that it answers.
    pub(crate) fn answered(&self, server: &str) -> Answered {
        let outcome = Outcome::Answered.as_str();
        let labels = Request { server: server.to_owned(), method: CALL, outcome };
        let server = Server { server: server.to_owned() };
        Answered {
            calls: self.requests.get_or_create_owned(&labels),
            seconds: self.seconds.get_or_create_owned(&server),
            up: self.up.get_or_create_owned(&server),
        }
    }

    /// A call was answered.
    pub(crate) fn call_ended(&self, counted: &Answered, took: Duration) {
        self.in_flight.dec();
        counted.calls.inc();
        counted.seconds.observe(took.as_secs_f64());
        counted.up.set(1);
    }

    /// A request has come to its end.
    pub(crate) fn ended(&self, server: &str, method: &'static str, outcome: Outcome, took: Duration) {
        self.in_flight.dec();
        let labels = Request { server: server.to_owned(), method, outcome: outcome.as_str() };
        self.requests.get_or_create(&labels).inc();
        let server = Server { server: server.to_owned() };
        if outcome != Outcome::Refused {
            self.seconds.get_or_create(&server).observe(took.as_secs_f64());
            self.up.get_or_create(&server).set(i64::from(outcome == Outcome::Answered));
        }
    }

    /// Somebody without a valid token came.
    pub(crate) fn turned_away(&self) {
        self.refused.inc();
    }

    pub(crate) fn connected(&self) {
        self.connections.inc();
    }

    pub(crate) fn disconnected(&self) {
        self.connections.dec();
    }

    /// The page Prometheus reads.
    pub(crate) fn page(&self, now: Now) -> String {
        let set = |gauge: &Gauge, number: usize| gauge.set(i64::try_from(number).unwrap_or(i64::MAX));
        set(&self.sessions, now.sessions);
        set(&self.tasks, now.tasks);
        set(&self.flows, now.flows);
        set(&self.flow_bytes, now.flow_bytes);
        set(&self.leases, now.leases);
        let mut page = String::new();
        // Writing to a text cannot fail.
        let _ = encode(&mut page, &self.registry);
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Now = Now { sessions: 7, tasks: 9, flows: 3, flow_bytes: 4096, leases: 2 };

    #[test]
    fn rules_and_dashboards_name_only_what_is_counted() {
        let page = something_of_everything().page(NOW);
        let counted: Vec<&str> = page
            .lines()
            .filter_map(|line| line.split(['{', ' ']).next())
            .filter(|word| *word != "#")
            .collect();
        let files = [
            include_str!("../../../packaging/prometheus/portcullis.rules.yaml"),
            include_str!("../../../packaging/grafana/portcullis.json"),
        ];
        for file in files {
            let words = file.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let names: Vec<&str> = words.filter(|word| word.starts_with("portcullis_")).collect();
            assert!(names.len() > 5);
            for name in names {
                assert!(counted.contains(&name), "{name} is not in\n{page}");
            }
        }
    }

    #[test]
    fn the_page_says_what_happened() {
        let page = something_of_everything().page(NOW);
        for line in [
            r#"portcullis_requests_total{server="git",method="tools/call",outcome="answered"} 1"#,
            r#"portcullis_requests_total{server="git",method="other",outcome="refused"} 1"#,
            r#"portcullis_request_seconds_bucket{le="0.005",server="git"} 1"#,
            r#"portcullis_server_up{server="git"} 1"#,
            r#"portcullis_server_up{server="mail"} 0"#,
            "portcullis_sessions 7",
            "portcullis_connections 1",
            "portcullis_in_flight 2",
            "portcullis_tasks 9",
            "portcullis_unauthorized_total 1",
            "portcullis_flow_store_up 1",
            "portcullis_flows 3",
            "portcullis_flow_bytes 4096",
            r#"portcullis_alerts_total{outcome="sent"} 1"#,
            "portcullis_leases 2",
            r#"portcullis_lease_changes_total{outcome="taken"} 1"#,
        ] {
            assert!(page.lines().any(|found| found == line), "{line} is not in\n{page}");
        }
        assert!(page.ends_with("# EOF\n"));
    }

    fn something_of_everything() -> Metrics {
        let metrics = Metrics::new();
        (0..5).for_each(|_| metrics.began());
        metrics.call_ended(&metrics.answered("git"), Duration::from_millis(3));
        metrics.ended("git", method("evil\"} 1\n"), Outcome::Refused, Duration::ZERO);
        metrics.ended("mail", "tools/list", Outcome::Failed, Duration::from_secs(1));
        metrics.turned_away();
        metrics.connected();
        metrics.alerts().sent();
        metrics.flow_store(true);
        metrics.leased().taken();
        metrics
    }
}
