//! Logs to stderr, and traces to a collector if the operator names one.

use std::io::{self, Write};

pub use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry, fmt};

use portcullis_detect::escape_line;

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
        true => fmt::layer().json().with_writer(|| Lines).with_filter(telemetry.level).boxed(),
        false => fmt::layer().with_ansi(false).with_writer(|| Lines).with_filter(telemetry.level).boxed(),
    };
    let (spans, exporter) = telemetry.collector.clone().map(Exporter::new).unzip();
    tracing_subscriber::registry().with(lines).with(spans).try_init()?;
    Ok(exporter)
}

/// Writes each event to stderr as one line in which nothing is raw: what it quotes may be a server's own words.
struct Lines;

impl Write for Lines {
    /// INVARIANT: an event comes whole, with the end of its line.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        io::stderr().lock().write_all(line(event).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

fn line(event: &[u8]) -> String {
    let text = String::from_utf8_lossy(event);
    let mut line = escape_line(text.strip_suffix('\n').unwrap_or(&text), usize::MAX);
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_with_nothing_raw() {
        let event = "WARN why=a\nINFO forged \u{1b}[2J\u{9b}31m\u{202e}b\n".as_bytes();
        assert_eq!(line(event), "WARN why=a INFO forged U+001B[2JU+009B31mU+202Eb\n");
    }
}
