//! How long the guard takes over a call and over a result, in a flow that has seen something, and what a flow holds.

use crate::data::{best, records};
use crate::figures::{Bar, Figures};
use crate::synthesis;
use anyhow::{Context, Result};
use portcullis_detect::call::{Call, Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_detect::{Departure, Flow, Guard, GuardSettings};
use std::hint::black_box;

const CALLS: &str = "calls: one thread, arguments parsed";
const RESULTS: &str = "results: one thread, traces worked out and remembered";
const STATE: &str = "state of a flow";

pub(crate) fn measure() -> Result<Figures> {
    let mut figures = Figures::default();
    let guard = Guard::new(GuardSettings::default(), SensitiveData::new());
    let mut flow = Flow::new(1);
    let read = ToolProfile::of_call("read_file", &["path"], &Override::default());
    let nothing = Json::Null;
    let reading = Call { server: "files", tool: "read_file", arguments: &nothing, intent: None, at_ms: 0 };
    for _ in 0..4 {
        take_in(&guard, &reading, &read, &text(10_000), &mut flow);
    }
    let send = ToolProfile::of_call("send_email", &["to", "body"], &Override::default());
    let arguments =
        Json::parse(&format!(r#"{{"to":"ann@tide.example","body":"{}"}}"#, synthesis::prose(960)))
            .context("the arguments are JSON")?;
    let sending = Call { server: "mail", tool: "send_email", arguments: &arguments, intent: None, at_ms: 0 };
    let call = best(1_000, || {
        black_box(guard.observe_call(black_box(&sending), &send, &flow, None));
    })?;
    figures.add(CALLS, "1 KB of arguments", call * 1e6, "µs", Bar::AtMost(25.0));
    for (name, bytes, bar) in
        [("10 KB of prose", 10_000, Bar::AtMost(150.0)), ("1 MB of prose", 1_000_000, Bar::AtMost(15_000.0))]
    {
        result(&guard, &reading, &read, name, &text(bytes), bar, &mut figures)?;
    }
    let json = Json::String(records(1_000_000).into());
    result(&guard, &reading, &read, "1 MB of JSON records", &json, Bar::AtMost(15_000.0), &mut figures)?;
    state(&guard, &reading, &read, &mut figures)?;
    Ok(figures)
}

/// Flows filled to their bounds: what they say they hold, and what the process holds for them.
fn state(guard: &Guard, call: &Call<'_>, profile: &ToolProfile, figures: &mut Figures) -> Result<()> {
    const FLOWS: usize = 64;
    let mut full = Flow::new(1);
    for number in 0..60u64 {
        take_in(guard, call, profile, &unlike(number), &mut full);
    }
    figures.add(STATE, "at its bounds, counted", full.bytes() as f64 / 1e6, "MB", Bar::AtMost(2.0));
    let before = resident()?;
    let many: Vec<Flow> = (0..FLOWS).map(|_| black_box(&full).clone()).collect();
    let held = (resident()? - before) / FLOWS as f64;
    figures.add(STATE, "at its bounds, resident", held / 1e6, "MB", Bar::AtMost(2.0));
    let counted = many.iter().map(Flow::bytes).sum::<usize>() as f64 / FLOWS as f64;
    figures.add(STATE, "resident / counted", held / counted, "times", Bar::AtMost(1.1));
    Ok(())
}

/// Bytes of memory this process holds.
fn resident() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("this figure needs Linux")?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS in the status")?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().context("VmRSS is a number")?;
    Ok(kilobytes * 1024.0)
}

fn text(bytes: usize) -> Json {
    Json::String(synthesis::prose(bytes).into())
}

/// A result that shares nothing with any other: only such fill a flow to its bounds.
fn unlike(number: u64) -> Json {
    let words = (0..20_000u64)
        .map(|word| format!("{:x}", (number * 20_000 + word).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    Json::String(words.collect::<Vec<_>>().join(" ").into())
}

fn take_in(guard: &Guard, call: &Call<'_>, profile: &ToolProfile, result: &Json, flow: &mut Flow) {
    let seen = guard.observe_result(call, profile, flow, result);
    // The call said nothing: there is only its result to remember.
    guard.remember(call, &Departure::default(), result, seen.memory, flow);
}

fn result(
    guard: &Guard,
    call: &Call<'_>,
    profile: &ToolProfile,
    name: &str,
    json: &Json,
    bar: Bar,
    figures: &mut Figures,
) -> Result<()> {
    let bytes = if name.starts_with('1') && name.contains("MB") { 1_000_000 } else { 10_000 };
    let taken = best(bytes, || {
        let mut flow = Flow::new(1);
        take_in(guard, call, profile, black_box(json), &mut flow);
        black_box(flow.calls());
    })?;
    figures.add(RESULTS, name, taken * 1e6, "µs", bar);
    Ok(())
}
