//! `portcullis security`: what is held, why, and what a reviewer decides about it.

mod arguments;
pub(crate) mod desk;
mod show;

use portcullis_report::safe_line;
use serde_json::{Value, json};

use crate::Streams;
use crate::args::ListFormat;
use crate::exit::{Exit, Failure};
pub(crate) use arguments::SecurityArguments;
use arguments::{Approve, Named, SecurityCommand};
use desk::{Asking, part};

/// Runs the command.
pub(crate) fn run(arguments: &SecurityArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let desk = arguments.place.open()?;
    let (value, show): (Value, Show) = match &arguments.command {
        SecurityCommand::List { server: None, .. } => (desk.get("/servers")?, show::servers),
        SecurityCommand::List { server: Some(server), kind } => {
            (desk.get(&format!("/servers/{}/{}", part(server), kind.part()))?, show::definitions)
        }
        SecurityCommand::Inspect(named) => (inspect(&desk, named)?, show::inspected),
        SecurityCommand::Scan { server } => {
            if !desk.is_there() {
                let message =
                    "no gateway runs on this data directory: start `portcullis serve`, which reads servers";
                return Err(Failure::Usage(message.to_owned()));
            }
            (desk.post(&format!("/servers/{}/scan", part(server)), &json!({}))?, show::server)
        }
        SecurityCommand::Report { server, sarif } => {
            let format = if *sarif { "sarif" } else { "json" };
            (desk.get(&format!("/servers/{}/scan/report?format={format}", part(server)))?, show::report)
        }
        SecurityCommand::Approve(approve) if approve.all_clean => {
            (approve_clean(&desk, approve)?, show::approved)
        }
        SecurityCommand::Approve(approve) => (approve_one(&desk, approve, streams)?, show::decided),
        SecurityCommand::Reject(one) => {
            (decide(&desk, &one.named, "reject", json!({ "reason": one.reason }))?, show::decided)
        }
        SecurityCommand::Block(one) => {
            (decide(&desk, &one.named, "block", json!({ "reason": one.reason }))?, show::decided)
        }
        SecurityCommand::Unblock(named) => (decide(&desk, named, "unblock", json!({}))?, show::decided),
        SecurityCommand::Enable(named) => (decide(&desk, named, "enable", json!({}))?, show::decided),
        SecurityCommand::Disable(named) => (decide(&desk, named, "disable", json!({}))?, show::decided),
        SecurityCommand::Quarantine { server, reason } => {
            (on_server(&desk, server, "quarantine", &json!({ "reason": reason }))?, show::server)
        }
        SecurityCommand::Unquarantine { server } => {
            (on_server(&desk, server, "unquarantine", &json!({}))?, show::server)
        }
        SecurityCommand::ConfirmLaunch { server } => (confirm_launch(&desk, server)?, show::server),
    };
    match arguments.format {
        ListFormat::Json => writeln!(streams.out, "{}", safe_line(&value))?,
        ListFormat::Plain => show(&value, streams)?,
    }
    Ok(Exit::Clean)
}

/// How an answer is shown to people.
type Show = fn(&Value, &mut Streams<'_>) -> Result<(), Failure>;

fn path_of(named: &Named) -> String {
    format!("/servers/{}/{}/{}", part(&named.server), named.kind.part(), part(&named.name))
}

fn inspect(desk: &Asking, named: &Named) -> Result<Value, Failure> {
    let mut value = desk.get(&path_of(named))?;
    if value["state"] == "rug_pull" {
        value["difference"] = desk.get(&format!("{}/diff", path_of(named)))?;
    }
    Ok(value)
}

fn decide(desk: &Asking, named: &Named, decision: &str, body: Value) -> Result<Value, Failure> {
    desk.post(&format!("{}/{decision}", path_of(named)), &body)
}

fn on_server(desk: &Asking, server: &str, decision: &str, body: &Value) -> Result<Value, Failure> {
    desk.post(&format!("/servers/{}/{decision}", part(server)), body)
}

fn approve_clean(desk: &Asking, approve: &Approve) -> Result<Value, Failure> {
    let path = format!("/servers/{}/{}/approve", part(&approve.server), approve.kind.part());
    desk.post(&path, &json!({ "all_clean": true, "dry_run": approve.dry_run }))
}

/// Without a fingerprint, what is approved is shown first: it is exactly that.
fn approve_one(desk: &Asking, approve: &Approve, streams: &mut Streams<'_>) -> Result<Value, Failure> {
    // INVARIANT: the arguments make sure that there is a name.
    let name = approve.name.clone().unwrap_or_default();
    let named = Named { server: approve.server.clone(), name, kind: approve.kind };
    let fingerprint = match &approve.fingerprint {
        Some(fingerprint) => json!(fingerprint),
        None => {
            let value = inspect(desk, &named)?;
            show::definition(&value, streams.err)?;
            value["fingerprint"].clone()
        }
    };
    let body = json!({ "fingerprint": fingerprint, "accept": approve.accept, "reason": approve.reason });
    decide(desk, &named, "approve", body)
}

/// A launch is confirmed as it is now: the gateway refuses if it changed meanwhile.
fn confirm_launch(desk: &Asking, server: &str) -> Result<Value, Failure> {
    let known = desk.get(&format!("/servers/{}", part(server)))?;
    let launch = known["pending_launch"].as_str().or(known["launch"].as_str()).unwrap_or_default().to_owned();
    on_server(desk, server, "confirm-launch", &json!({ "launch": launch }))
}
