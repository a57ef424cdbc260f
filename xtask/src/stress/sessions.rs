//! What an idle session costs: its connection kept open, and for some of them the stream servers speak on.

use crate::Figures;
use crate::client::Client;
use crate::subject::{Gateway, Process, Tools, open_files, settles, text};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::time::Duration;
use tokio::task::JoinSet;

/// The most a session may cost, in KB of 1,024 bytes.
const BAR_KB: f64 = 32.0;
/// One session in so many has its stream open as well.
const ONE_IN: usize = 5;
/// Sessions that are opened at a time.
const AT_ONCE: usize = 64;
/// Files that are open beside connections.
const BESIDE: u64 = 200;

/// Opens so many sessions on the routes there are, and weighs them.
pub(crate) async fn run(tools: &Tools, count: u32, figures: &mut Figures) -> Result<()> {
    let count = count as usize;
    let needed = (count + count / ONE_IN) as u64 + BESIDE;
    let may_open = open_files();
    if may_open < needed {
        bail!("{count} sessions need {needed} open files, and {may_open} are allowed: raise `ulimit -n`");
    }
    let upstream = Process::fixture(tools, "127.0.0.1:0")?;
    let gateway = gateway(tools, &upstream.url)?;
    gateway.warm(&["http", "child"]).await?;
    let routes = [gateway.server("http"), gateway.server("child"), gateway.url.clone()];
    let (empty, _) = gateway.memory()?;
    let clients = many(count, |number| {
        let url = routes.get(number % routes.len()).cloned().unwrap_or_default();
        async move { Client::open(&url).await }
    })
    .await?;
    let (full, _) = gateway.memory()?;
    let each = |bytes: u64, of: usize| bytes as f64 / of as f64 / 1024.0;
    figures.told("sessions", clients.len() as f64, "sessions");
    figures.at_most("idle session", each(full.saturating_sub(empty), count), "KB", BAR_KB);
    let of = count / ONE_IN;
    let ids: Vec<(String, Option<String>)> = clients
        .iter()
        .enumerate()
        .take(of)
        .map(|(number, client)| {
            (routes.get(number % routes.len()).cloned().unwrap_or_default(), client.session.clone())
        })
        .collect();
    let streams = many(of, |number| {
        let (url, session) = ids.get(number).cloned().unwrap_or_default();
        async move {
            let mut client = Client::connect(&url).await?;
            client.session = session;
            client.listen().await?;
            Ok(client)
        }
    })
    .await?;
    let (listening, _) = gateway.memory()?;
    figures.told("streams open", streams.len() as f64, "streams");
    figures.told("stream of a session", each(listening.saturating_sub(full), of), "KB");
    let all = each(listening.saturating_sub(empty), count);
    figures.told("idle session, one in five with its stream", all, "KB");
    drop((clients, streams));
    let is_quiet = settles(Duration::from_secs(20), async || {
        gateway.metric("portcullis_connections").await.is_ok_and(|connections| connections <= 1)
    });
    figures.at_most("connections left", if is_quiet.await { 0.0 } else { 1.0 }, "connections", 0.0);
    Ok(())
}

fn gateway(tools: &Tools, upstream: &str) -> Result<Gateway> {
    Gateway::start(
        tools,
        json!({
            // Connections without requests stay for the time of the trial.
            "timing": { "request_ms": 600_000 },
            "mcpServers": {
                "http": { "url": upstream },
                "child": { "command": text(&tools.fixture), "args": ["--stdio", "--era", "legacy"] },
            },
        }),
    )
}

/// Makes many things, some at a time.
async fn many<F>(count: usize, make: impl Fn(usize) -> F) -> Result<Vec<Client>>
where
    F: Future<Output = Result<Client>> + Send + 'static,
{
    let (mut running, mut made) = (JoinSet::new(), Vec::with_capacity(count));
    for number in 0..count {
        if running.len() >= AT_ONCE {
            made.push(running.join_next().await.context("some run")???);
        }
        let making = make(number);
        running.spawn(async move { anyhow::Ok((number, making.await?)) });
    }
    while let Some(one) = running.join_next().await {
        made.push(one??);
    }
    made.sort_by_key(|(number, _)| *number);
    Ok(made.into_iter().map(|(_, client)| client).collect())
}
