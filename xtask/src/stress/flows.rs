//! What many flows cost that all hold something: counted and resident, against the bound on all of them.

use crate::Figures;
use crate::client::Client;
use crate::subject::{Gateway, Process, Tools};
use anyhow::{Context, Result};
use serde_json::json;
use tokio::task::JoinSet;

/// The bound on all flows together, in bytes.
const BOUND: u64 = 64 << 20;
/// Flows that call at a time.
const AT_ONCE: usize = 16;
/// Calls of a flow, and words of each that no other call has.
const CALLS: usize = 3;
const WORDS: usize = 200;

/// Opens so many flows, one after the other, each with calls that leave something behind.
pub(crate) async fn run(tools: &Tools, count: u32, figures: &mut Figures) -> Result<()> {
    let upstream = Process::fixture(tools, "127.0.0.1:0")?;
    let gateway = Gateway::start(
        tools,
        json!({
            "security": {
                "tool_quarantine": { "auto_quarantine_new_tools": false },
                "flows": { "most": count, "bytes": BOUND },
            },
            "mcpServers": { "http": { "url": upstream.url } },
        }),
    )?;
    gateway.warm(&["http"]).await?;
    gateway.forget_peak()?;
    let (empty, _) = gateway.memory()?;
    let url = gateway.server("http");
    let (mut running, mut most) = (JoinSet::new(), 0);
    for number in 0..count {
        if running.len() >= AT_ONCE {
            running.join_next().await.context("some run")???;
            most = most.max(gateway.metric("portcullis_flow_bytes").await?);
        }
        running.spawn(flow(url.clone(), number));
    }
    while let Some(one) = running.join_next().await {
        one??;
    }
    most = most.max(gateway.metric("portcullis_flow_bytes").await?);
    let (_, peak) = gateway.memory()?;
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    figures.told("flows", f64::from(count), "flows");
    figures.told("flows remembered", gateway.metric("portcullis_flows").await? as f64, "flows");
    figures.at_most("memory of all flows, as counted, at most", megabytes(most), "MB", megabytes(BOUND));
    // What is not a flow's, as sessions and the buffers of the log, is in this as well.
    let grown = megabytes(peak.saturating_sub(empty));
    figures.at_most("memory of the process grown by, at most", grown, "MB", 2.0 * megabytes(BOUND));
    Ok(())
}

/// One session, which is one flow, and its calls.
async fn flow(url: String, number: u32) -> Result<()> {
    let mut client = Client::open(&url).await?;
    for call in 0..CALLS {
        let words: Vec<String> = (0..WORDS).map(|word| format!("w{number}c{call}x{word}")).collect();
        client.call("echo", json!({ "text": words.join(" ") })).await?.result()?;
    }
    Ok(())
}
