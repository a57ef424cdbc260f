//! How many tools a second of one processor scans, beside what the machine could do at best with the same bytes.

use crate::figures::{Bar, Figures};
use crate::input::Tools;
use anyhow::Result;
use cpu_time::ThreadTime;
use portcullis_decide::judge;
use portcullis_detect::{Definition, Detector, Kind, Registry};
use serde::de::IgnoredAny;
use std::hint::black_box;

const GROUP: &str = "speed: one thread, JSON parsing included";

/// How many tools are scanned in all; what was given is repeated.
pub(crate) const TOOLS: usize = 50_000;

pub(crate) fn measure(tools: &Tools, figures: &mut Figures) -> Result<()> {
    let count: usize = tools.values().map(Vec::len).sum();
    let passes = TOOLS.div_ceil(count);
    let scanned = (passes * count) as f64;
    let megabytes = tools.values().flatten().map(String::len).sum::<usize>() as f64 * passes as f64 / 1e6;
    let detector = Detector::new();
    // The first pass builds tables that are built on first use; it is not counted.
    pass(&detector, tools)?;
    let scan = seconds(|| (0..passes).try_for_each(|_| pass(&detector, tools).map(|_| ())))?;
    let parse =
        seconds(|| (0..passes).try_for_each(|_| tools.values().flatten().try_for_each(|json| ignore(json))))?;
    let look = seconds(|| {
        (0..passes).for_each(|_| tools.values().flatten().for_each(|json| look(json)));
        Ok(())
    })?;
    figures.add(GROUP, "tools", scanned, "tools", Bar::None);
    figures.add(GROUP, "tools per processor second", scanned / scan, "tools/s", Bar::AtLeast(40_000.0));
    figures.add(GROUP, "bytes per processor second", megabytes / scan, "MB/s", Bar::None);
    figures.add(GROUP, "searching the same bytes for one byte", megabytes / look, "MB/s", Bar::None);
    figures.add(GROUP, "scan / search", scan / look, "times", Bar::None);
    figures.add(GROUP, "parsing the same JSON and dropping it", megabytes / parse, "MB/s", Bar::None);
    figures.add(GROUP, "scan / parse", scan / parse, "times", Bar::None);
    Ok(())
}

/// Processor seconds this thread spends on `work`.
pub(crate) fn seconds(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let started = ThreadTime::now();
    work()?;
    Ok(started.elapsed().as_secs_f64())
}

/// Scans every tool once, in one registry; how many findings there were.
fn pass(detector: &Detector, tools: &Tools) -> Result<usize> {
    let mut registry = Registry::new();
    for (server, tools) in tools {
        let definitions = tools.iter().map(|json| Definition::parse(server, Kind::Tool, json));
        registry.insert_server(server, definitions.collect::<Result<_, _>>()?);
    }
    Ok(observe_all(detector, &registry))
}

/// Observes and judges every definition of a registry; how many findings there were.
pub(crate) fn observe_all(detector: &Detector, registry: &Registry) -> usize {
    let findings =
        registry.ids().filter_map(|id| judge(registry.definition(id)?, detector.observe(registry, id)));
    findings.count()
}

fn ignore(json: &str) -> Result<()> {
    let _: IgnoredAny = black_box(serde_json::from_str(json)?);
    Ok(())
}

/// A byte that is not there makes the search walk over all others.
fn look(json: &str) {
    black_box(memchr::memchr(0, json.as_bytes()));
}
