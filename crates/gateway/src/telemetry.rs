//! Logs to stderr, and traces to a collector if the operator names one.

use std::io;

pub use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry, fmt};

use crate::traces::{Collector, Exporter};

/// What the operator wants to see, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telemetry {
    /// The least important level that is written to stderr.
    pub level: LevelFilter,
    /// Whether lines are JSON.
    pub is_json: bool,
    /// Where traces go by OTLP over HTTP; nowhere if absent.
    pub collector: Option<Collector>,
}

/// Starts logging for the whole process. The exporter has to be run for traces to leave; it ends when the process
/// does.
pub fn start(telemetry: &Telemetry) -> Result<Option<Exporter>, TryInitError> {
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match telemetry.is_json {
        true => fmt::layer().json().with_writer(io::stderr).with_filter(telemetry.level).boxed(),
        false => fmt::layer().with_ansi(false).with_writer(io::stderr).with_filter(telemetry.level).boxed(),
    };
    let (spans, exporter) = telemetry.collector.clone().map(Exporter::new).unzip();
    tracing_subscriber::registry().with(lines).with(spans).try_init()?;
    Ok(exporter)
}
