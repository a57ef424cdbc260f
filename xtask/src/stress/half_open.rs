//! Clients that begin a request and do not end it: others must not notice, and they must be ended.

use crate::Figures;
use crate::client::Client;
use crate::subject::{Gateway, Process, Tools, open_files};
use anyhow::Result;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How much slower an honest client may be, at the middle: the machine is shared with the trial itself.
const BAR_RATIO: f64 = 2.0;
/// How long a request may take to arrive.
const REQUEST: Duration = Duration::from_secs(4);
/// What comes on top until a timer fires and the other side hears of it.
const MARGIN: Duration = Duration::from_secs(3);
/// How long an honest client calls.
const TIME: Duration = Duration::from_secs(2);

pub(crate) async fn run(tools: &Tools, count: u32, figures: &mut Figures) -> Result<()> {
    open_files();
    let upstream = Process::fixture(tools, "127.0.0.1:0")?;
    let timing = json!({ "request_ms": REQUEST.as_millis() as u64 });
    let config = json!({ "timing": timing, "mcpServers": { "http": { "url": upstream.url } } });
    let gateway = Gateway::start(tools, config)?;
    let url = gateway.server("http");
    gateway.warm(&["http"]).await?;
    let alone = honest(&url).await?;
    let mut hanging = JoinSet::new();
    let began = Instant::now();
    for number in 0..count {
        let client = hang(&url, number).await?;
        hanging.spawn(wait(client, number));
    }
    figures.told(
        "half-open connections",
        gateway.metric("portcullis_connections").await? as f64,
        "connections",
    );
    let beside = honest(&url).await?;
    figures.told("honest client alone, p50", alone, "us");
    figures.told("honest client beside them, p50", beside, "us");
    figures.at_most("slowed down", beside / alone, "times", BAR_RATIO);
    let mut longest = Duration::ZERO;
    let most = REQUEST + MARGIN;
    while let Ok(Some(ended)) = tokio::time::timeout(Duration::from_secs(60), hanging.join_next()).await {
        ended?;
        longest = began.elapsed();
    }
    let left = hanging.len() as f64;
    figures.at_most("half-open connections left", left, "connections", 0.0);
    figures.at_most("the last was ended after", longest.as_secs_f64(), "s", most.as_secs_f64());
    Ok(())
}

/// A third sends half a head, a third a head without its body, a third a byte now and then.
async fn hang(url: &str, number: u32) -> Result<Client> {
    let mut client = Client::connect(url).await?;
    match number % 3 {
        0 => {
            let head = client.head("POST", "Content-Length: 100\r\n");
            client.send_raw(head.as_bytes().get(..head.len() / 2).unwrap_or_default()).await?;
        }
        _ => client.send("Content-Length: 100\r\n", b"{").await?,
    }
    Ok(client)
}

async fn wait(mut client: Client, number: u32) {
    if number % 3 == 2 {
        for _ in 0..8 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            if client.send_raw(b" ").await.is_err() {
                return;
            }
        }
    }
    client.closed().await;
}

/// The middle of how long a call takes, in microseconds.
async fn honest(url: &str) -> Result<f64> {
    let mut client = Client::open(url).await?;
    let mut times = Vec::new();
    let until = Instant::now() + TIME;
    while Instant::now() < until {
        let began = Instant::now();
        client.call("echo", json!({ "a": 1 })).await?.result()?;
        times.push(began.elapsed().as_micros() as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}
