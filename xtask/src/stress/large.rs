//! Messages of 100 MB, and such as never end: they pass, or are refused by the limit, and memory is bounded by it.

use crate::client::{Answer, Client};
use crate::subject::{Gateway, Tools, text};
use crate::{Figures, flood};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The limit of a gateway that was not told another: 64 MiB.
const USUAL_LIMIT: u64 = 64 << 20;
/// How many times the limit a gateway may grow by one message: a buffer grows by doubling, is copied to the larger one,
/// and the allocator gives back what it held before with some delay.
const BAR_TIMES: f64 = 4.0;
/// How long one trial may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// What is sent, and how.
#[derive(Clone, Copy)]
enum Trial {
    /// A tool of the server that floods.
    Flood(&'static str),
    /// A long result of a child process.
    Child,
    /// A child process that writes a line without end.
    EndlessChild,
    /// A long request, to the child process.
    Request,
    /// The same, without saying how long it will be.
    ChunkedRequest,
}

const TRIALS: [(&str, Trial); 8] = [
    ("result as JSON over HTTP", Trial::Flood("json")),
    ("result as an event over HTTP", Trial::Flood("event")),
    ("result over stdio", Trial::Child),
    ("request", Trial::Request),
    ("request in chunks", Trial::ChunkedRequest),
    ("event without end", Trial::Flood("endless line")),
    ("events without end", Trial::Flood("endless events")),
    ("line without end over stdio", Trial::EndlessChild),
];
/// The first so many come to an end, and pass where the limit allows.
const FINITE: usize = 5;

/// Sends messages of this size with the limit below it and above it.
pub(crate) async fn run(tools: &Tools, size: u64, figures: &mut Figures) -> Result<()> {
    let flood = flood::start().await?;
    for (name, trial) in TRIALS {
        let is_passed = one(tools, &flood, (name, trial), size, USUAL_LIMIT, figures).await?;
        if is_passed && size > USUAL_LIMIT {
            bail!("{name}: {size} bytes passed a limit of {USUAL_LIMIT}");
        }
    }
    let limit = size * 3 / 2;
    for (name, trial) in TRIALS.into_iter().take(FINITE) {
        let is_passed = one(tools, &flood, (name, trial), size, limit, figures).await?;
        if !is_passed {
            bail!("{name}: {size} bytes did not pass a limit of {limit}");
        }
    }
    Ok(())
}

/// One message through a gateway of its own; whether it passed.
async fn one(
    tools: &Tools,
    flood: &str,
    (name, trial): (&str, Trial),
    size: u64,
    limit: u64,
    figures: &mut Figures,
) -> Result<bool> {
    let endless = format!("head -c {size} /dev/zero | tr '\\0' x; sleep 60");
    let gateway = Gateway::start(
        tools,
        json!({
            "limits": { "message_bytes": limit },
            "timing": { "start_ms": 10_000, "answer_ms": 30_000 },
            "mcpServers": {
                "flood": { "url": flood },
                "child": { "command": text(&tools.fixture), "args": ["--stdio", "--era", "legacy"] },
                "endless": { "command": "sh", "args": ["-c", endless] },
            },
        }),
    )?;
    gateway.warm(&["child"]).await?;
    let (before, _) = gateway.memory()?;
    gateway.forget_peak()?;
    let began = Instant::now();
    let outcome = tokio::time::timeout(PATIENCE, tried(&gateway, trial, size)).await;
    let is_passed = outcome.with_context(|| format!("{name}: no end"))??;
    let (_, peak) = gateway.memory()?;
    let word = if is_passed { "passed" } else { "refused" };
    let limit_mb = limit >> 20;
    let figure =
        format!("{name}, limit {limit_mb} MB, {word} in {:.1} s: grew by", began.elapsed().as_secs_f64());
    figures.at_most(&figure, peak.saturating_sub(before) as f64 / limit as f64, "times the limit", BAR_TIMES);
    gateway.warm(&["child"]).await.with_context(|| format!("after {name}"))?;
    Ok(is_passed)
}

async fn tried(gateway: &Gateway, trial: Trial, size: u64) -> Result<bool> {
    match trial {
        Trial::Flood("endless events") => {
            endless_events(gateway, size).await?;
            Ok(false)
        }
        Trial::Flood(tool) => called(gateway, "flood", tool, json!({ "count": size })).await,
        Trial::Child => called(gateway, "child", "bytes", json!({ "count": size })).await,
        Trial::EndlessChild => Ok(Client::open(&gateway.server("endless")).await.is_ok()),
        Trial::Request => {
            let pad = "x".repeat(usize::try_from(size)?);
            called(gateway, "child", "slow", json!({ "milliseconds": 0, "pad": pad })).await
        }
        Trial::ChunkedRequest => chunked(gateway, size).await,
    }
}

async fn called(gateway: &Gateway, server: &str, tool: &str, arguments: Value) -> Result<bool> {
    let mut client = Client::open(&gateway.server(server)).await?;
    // A gateway that refuses may close before everything is sent.
    Ok(client.call(tool, arguments).await.is_ok_and(|answer| is_result(&answer)))
}

/// Large answers are not parsed: the trial must not be what takes the time.
fn is_result(answer: &Answer) -> bool {
    let head = answer.body.get(..200.min(answer.body.len())).unwrap_or_default();
    let head = String::from_utf8_lossy(head);
    answer.status == 200 && head.contains("\"result\"") && !head.contains("\"isError\":true")
}

async fn chunked(gateway: &Gateway, size: u64) -> Result<bool> {
    let mut client = Client::open(&gateway.server("child")).await?;
    let begin =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"pad":""#;
    client
        .send("Transfer-Encoding: chunked\r\n", format!("{:x}\r\n{begin}\r\n", begin.len()).as_bytes())
        .await?;
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    for _ in 0..size / 0x10000 {
        if client.send_raw(piece.as_bytes()).await.is_err() {
            return Ok(false);
        }
    }
    let end = r#""}}}"#;
    let last = format!("{:x}\r\n{end}\r\n0\r\n\r\n", end.len());
    if client.send_raw(last.as_bytes()).await.is_err() {
        return Ok(false);
    }
    Ok(client.answer().await.is_ok_and(|answer| is_result(&answer)))
}

/// Reads so much of a stream that has no end, and leaves.
async fn endless_events(gateway: &Gateway, size: u64) -> Result<()> {
    let mut client = Client::open(&gateway.server("flood")).await?;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"endless events"}}"#;
    client.send(&format!("Content-Length: {}\r\n", body.len()), body.as_bytes()).await?;
    client.begin_chunks().await?;
    let (mut chunk, mut read) = (Vec::new(), 0);
    while read < size && client.read_chunk(&mut chunk).await? {
        read += chunk.len() as u64;
        chunk.clear();
    }
    Ok(())
}
