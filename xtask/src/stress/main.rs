//! Tries the gateway where it hurts: many sessions, clients and servers that hang, results of 100 MB, things that die.
//!
//! One JSON line per figure: {"figure", "value", "unit", "bar", "ok"}; a figure over its bar is a failure.

mod chaos;
mod client;
#[path = "../../../crates/store/tests/it/cluster.rs"]
#[allow(dead_code, reason = "the tests of the store need more of a server than this")]
mod cluster;
mod crowd;
mod dashboard;
mod flood;
mod flows;
mod gate;
mod half_open;
mod large;
mod nodes;
#[path = "../ports.rs"]
mod ports;
mod random;
mod sessions;
mod subject;
#[path = "../../../crates/store/tests/it/valkey.rs"]
#[allow(dead_code, reason = "the tests of the store need more of a server than this")]
mod valkey;

use anyhow::{Context, Result, bail};
use serde_json::json;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use subject::Tools;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |what: &str| arguments.next().with_context(|| format!("which {what}?"));
    let tools = Tools {
        fixture: next("fixture")?.into(),
        portcullis: next("portcullis")?.into(),
        folder: next("folder")?.into(),
    };
    let which = next("trial")?;
    let count: u32 = next("number")?.parse()?;
    let mut figures = Figures::default();
    match which.as_str() {
        "sessions" => sessions::run(&tools, count, &mut figures).await?,
        "flows" => flows::run(&tools, count, &mut figures).await?,
        "half-open" => half_open::run(&tools, count, &mut figures).await?,
        "large" => large::run(&tools, u64::from(count) * 1_000_000, &mut figures).await?,
        "chaos" => chaos::run(&tools, Duration::from_secs(count.into()), &mut figures).await?,
        "nodes" => {
            let seed = seed(arguments.next())?;
            nodes::run(&tools, Duration::from_secs(count.into()), seed, &mut figures).await?;
        }
        "nodes-chaos" => {
            let seed = seed(arguments.next())?;
            nodes::chaos(&tools, Duration::from_secs(count.into()), seed, &mut figures).await?;
        }
        "nodes-speed" => nodes::speed(&tools, &mut figures).await?,
        "gate" => gate::run(&tools, count, &mut figures).await?,
        "dashboard" => dashboard::run(&tools, count, &mut figures).await?,
        other => bail!("no trial is called {other}"),
    }
    figures.judge()
}

/// The seed that was asked for, or another one every second; it is told, so that a run can be had again.
fn seed(asked: Option<String>) -> Result<u64> {
    let of_the_clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    let seed = asked.map_or_else(|| Ok(of_the_clock()), |seed| seed.parse())?;
    say(&json!({ "figure": "seed", "value": seed }).to_string());
    Ok(seed)
}

/// What was measured.
#[derive(Default)]
pub(crate) struct Figures {
    missed: Vec<String>,
}

impl Figures {
    /// A figure that may be at most so much.
    pub(crate) fn at_most(&mut self, figure: &str, value: f64, unit: &str, bar: f64) {
        if value > bar {
            self.missed.push(figure.to_owned());
        }
        self.speed(figure, value, unit, bar);
    }

    /// A speed: told beside its bar, but no reason to fail, because a busy machine is none.
    pub(crate) fn speed(&mut self, figure: &str, value: f64, unit: &str, bar: f64) {
        let (is_ok, value) = (value <= bar, (value * 100.0).round() / 100.0);
        say(&json!({ "figure": figure, "value": value, "unit": unit, "bar": bar, "ok": is_ok }).to_string());
    }

    /// A figure that is only told.
    pub(crate) fn told(&mut self, figure: &str, value: f64, unit: &str) {
        let value = (value * 100.0).round() / 100.0;
        say(&json!({ "figure": figure, "value": value, "unit": unit }).to_string());
    }

    fn judge(self) -> Result<()> {
        if self.missed.is_empty() { Ok(()) } else { bail!("over the bar: {}", self.missed.join(", ")) }
    }
}

fn say(line: &str) {
    // A reader who went away is no reason to stop measuring.
    let _ = writeln!(std::io::stdout(), "{line}");
}
