//! `portcullis serve --import`: the servers of this machine's clients, added to the gateway as if somebody had added them
//! over REST. Everything they declare is held.

use std::io::Write;

use http::Method;
use portcullis_detect::escape_line;
use portcullis_gateway::api::Desk;
use serde_json::Value;

use super::finder::{self, Found};
use super::names::Names;
use super::places::{Level, Machine};
use super::recipe::Recipe;
use super::server::{Server, Start};
use super::{LONGEST_NAME, shown, table};
use crate::exit::Failure;

/// What became of the servers that were found.
#[derive(Default)]
struct Tally {
    imported: usize,
    known: usize,
    left: usize,
}

/// Adds every server that was found and is not there yet. Values of environments and headers go to the gateway, which
/// seals them, and nowhere else.
pub(crate) async fn import(desk: &Desk, err: &mut dyn Write) -> Result<(), Failure> {
    let clients: Vec<_> = table::CLIENTS.iter().collect();
    let mut tally = Tally::default();
    let mut names = Names::default();
    let listed = asked(desk, Method::GET, "/servers", &Value::Null).await.map_err(Failure::Usage)?;
    let mut used = Vec::new();
    for server in listed["servers"].as_array().into_iter().flatten() {
        let (name, launch) = (&server["name"], &server["launch"]);
        names.take(name.as_str().unwrap_or_default(), launch.as_str().unwrap_or_default());
        used.extend(name.as_str().filter(|_| server["used"] == true).map(str::to_owned));
    }
    for found in finder::found(&Machine::here(None), &clients) {
        let document = match &found.read {
            Ok(document) => document,
            Err(reason) => {
                writeln!(err, "warning: {}: {}{reason}", found.client.name, shown(&found.path))?;
                continue;
            }
        };
        for server in document.servers.iter().filter(|server| server.start != Start::Gated) {
            let called = escape_line(&server.name, LONGEST_NAME);
            let client = found.client.name;
            match one(desk, &found, server, &mut names, &mut used).await {
                Ok(Some(name)) => {
                    tally.imported += 1;
                    writeln!(err, "imported {called} of {client} as {name}")?;
                }
                Ok(None) => tally.known += 1,
                Err(reason) => {
                    tally.left += 1;
                    writeln!(err, "left {called} of {client}: {reason}")?;
                }
            }
        }
    }
    let Tally { imported, known, left } = tally;
    writeln!(err, "{imported} imported, {known} already here, {left} left")?;
    if imported > 0 {
        writeln!(
            err,
            "all of them are held: `portcullis security scan NAME` reads one, `security list` shows them"
        )?;
    }
    Ok(())
}

/// Adds one server; `None` if it is used already.
async fn one(
    desk: &Desk,
    found: &Found,
    server: &Server,
    names: &mut Names,
    used: &mut Vec<String>,
) -> Result<Option<String>, String> {
    if server.is_disabled {
        return Err("it is disabled".to_owned());
    }
    if found.level == Level::Windows {
        return Err("its client runs on Windows".to_owned());
    }
    let document = found.read.as_ref().map_err(Clone::clone)?;
    let environment = |name: &str| std::env::var(name).ok();
    let recipe = Recipe::of(server, &document.root, found.client, &environment)?;
    let name = names.name(&server.name, &recipe.launch().to_string());
    if used.contains(&name) {
        return Ok(None);
    }
    asked(desk, Method::POST, "/servers", &recipe.body(&name)).await?;
    used.push(name.clone());
    Ok(Some(name))
}

async fn asked(desk: &Desk, method: Method, path: &str, body: &Value) -> Result<Value, String> {
    desk.ask(method, path, body).await.map_err(|refused| refused.message)
}
