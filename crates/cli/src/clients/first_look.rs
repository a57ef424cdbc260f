//! What `install` ends with: the servers that were put behind the gate are started there once and read, and what scans
//! clean may be approved at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use http::Method;
use portcullis_detect::escape_line;
use portcullis_gateway::Wrapped;
use portcullis_gateway::api::Desk;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::LONGEST_NAME;
use super::own::Own;
use super::recipe::Recipe;
use crate::Streams;
use crate::exit::Failure;
use crate::security::desk::{Asking, part};

/// How long a server may take to start and to be read: it may have to be fetched first.
const PATIENCE: Duration = Duration::from_secs(90);
/// Servers that are started at a time.
const AT_A_TIME: usize = 8;
/// Kinds of things a server declares, as paths and `--kind` name them.
const KINDS: [&str; 5] = ["tools", "prompts", "resources", "templates", "instructions"];
/// Commands that are shown.
const MOST_COMMANDS: usize = 20;

/// What is done with what scans clean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Somebody said beforehand that it is approved.
    Approve,
    /// Somebody is asked, if somebody is there.
    Ask,
}

/// What of one kind a server declares waits.
struct Waiting {
    server: String,
    kind: &'static str,
    clean: usize,
    left: usize,
}

/// A server that is kept in use until the look is over, so that all are compared with each other.
type Kept = Option<relay::Relay>;

/// Reads the servers through the gateway and offers to approve what scans clean; how many could not be read.
pub(super) fn look(
    own: &Own,
    servers: Vec<(String, Result<Recipe, String>)>,
    answer: Answer,
    streams: &mut Streams<'_>,
) -> Result<usize, Failure> {
    let desk = own.desk().map_err(Failure::Usage)?;
    let count = servers.len();
    writeln!(
        streams.err,
        "starting {count} servers behind the gate, to read what they declare (--no-scan leaves that out)"
    )?;
    let read = desk.at_once(|desk| read_all(desk, own.door(), servers));
    let mut unread = 0;
    for (name, outcome) in &read {
        if let Err(why) = outcome {
            unread += 1;
            let why = escape_line(why, super::LONGEST_PATH);
            writeln!(streams.err, "not read: {}: {why}", escape_line(name, LONGEST_NAME))?;
        }
    }
    let mut waiting = Vec::new();
    for (name, _) in read.iter().filter(|(_, outcome)| outcome.is_ok()) {
        for kind in KINDS {
            let (clean, left) = settle(desk, name, kind, true)?;
            waiting.push(Waiting { server: name.clone(), kind, clean, left });
        }
    }
    waiting.retain(|one| one.clean + one.left > 0);
    conclude(desk, &waiting, answer, streams)?;
    Ok(unread)
}

/// Says how many of each there are, and approves the clean ones if somebody says so.
fn conclude(
    desk: &Asking,
    waiting: &[Waiting],
    answer: Answer,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let clean: usize = waiting.iter().map(|one| one.clean).sum();
    let left: usize = waiting.iter().map(|one| one.left).sum();
    writeln!(streams.out, "{clean} clean, {left} need you")?;
    let is_approved = clean > 0
        && match answer {
            Answer::Approve => true,
            Answer::Ask => streams.can_answer && is_yes("approve the clean ones? [y/N] ", streams)?,
        };
    if is_approved {
        let mut approved = 0;
        for one in waiting.iter().filter(|one| one.clean > 0) {
            approved += settle(desk, &one.server, one.kind, false)?.0;
        }
        writeln!(streams.out, "{approved} approved")?;
    }
    let commands = waiting.iter().filter_map(|one| {
        let (server, kind) = (&one.server, one.kind);
        let kind = if kind == "tools" { String::new() } else { format!(" --kind {kind}") };
        match one.left {
            _ if one.clean > 0 && !is_approved => {
                Some(format!("portcullis security approve {server}{kind} --all-clean"))
            }
            0 => None,
            _ => Some(format!("portcullis security list {server}{kind}")),
        }
    });
    for command in commands.take(MOST_COMMANDS) {
        writeln!(streams.out, "  {command}")?;
    }
    Ok(())
}

fn is_yes(question: &str, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    write!(streams.err, "{question}")?;
    streams.err.flush()?;
    let mut line = String::new();
    BufReader::new(&mut *streams.input).read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// How many of a kind are clean, and how many are not; the clean ones are approved unless it is only a look.
fn settle(desk: &Asking, server: &str, kind: &str, is_look: bool) -> Result<(usize, usize), Failure> {
    let path = format!("/servers/{}/{kind}/approve", part(server));
    let answer = desk.post(&path, &json!({ "all_clean": true, "dry_run": is_look }))?;
    let count = |key: &str| answer[key].as_array().map_or(0, Vec::len);
    Ok((count("approved"), count("left")))
}

/// Starts and reads all of them, a few at a time.
async fn read_all(
    desk: &Desk,
    door: &Path,
    servers: Vec<(String, Result<Recipe, String>)>,
) -> Vec<(String, Result<Kept, String>)> {
    let mut outcomes = Vec::new();
    let mut servers = servers.into_iter().peekable();
    while servers.peek().is_some() {
        let some: Vec<_> = servers.by_ref().take(AT_A_TIME).collect();
        let mut began = Vec::new();
        for (name, recipe) in some {
            let begun = recipe.map(|recipe| begin(door, &name, recipe));
            began.push((name, begun));
        }
        for (name, begun) in began {
            let read = async {
                let kept = match begun? {
                    Some(opening) => Some(opening.await.map_err(|error| error.to_string())??),
                    None => None,
                };
                read(desk, &name).await.map(|()| kept)
            };
            let late = || Err(format!("it was not read within {} seconds", PATIENCE.as_secs()));
            let outcome = tokio::time::timeout(PATIENCE, read).await.unwrap_or_else(|_| late());
            outcomes.push((name, outcome));
        }
    }
    outcomes
}

/// Hands a server that is a process to the gateway, as its client will; a remote one is there already.
fn begin(door: &Path, name: &str, recipe: Recipe) -> Option<JoinHandle<Result<relay::Relay, String>>> {
    let Recipe::Command { command, arguments, environment, directory } = recipe else { return None };
    let mut all: std::collections::BTreeMap<String, String> = std::env::vars().collect();
    all.extend(environment);
    let here = std::env::current_dir().unwrap_or_default();
    let directory = directory.map_or(here.clone(), |directory| here.join(directory));
    let wrapped =
        Wrapped { name: name.to_owned(), command, arguments, directory, environment: all, client: None };
    Some(tokio::spawn(relay::Relay::begin(door, wrapped).opened()))
}

async fn read(desk: &Desk, name: &str) -> Result<(), String> {
    let path = format!("/servers/{}/scan", part(name));
    let answer = desk.ask(Method::POST, &path, &json!({})).await.map_err(|refused| refused.message)?;
    let scan = &answer["scan"];
    match scan["status"].as_str() {
        Some("complete") => Ok(()),
        _ => Err(scan["why"].as_str().unwrap_or("nothing could be read").to_owned()),
    }
}

/// A client of the gateway that only begins a conversation.
mod relay {
    use super::*;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

    /// More than the beginning of a conversation takes.
    const BUFFER: usize = 256 << 10;

    /// A server in use; it is left when this goes.
    pub(super) struct Relay {
        stream: BufReader<DuplexStream>,
        carrying: JoinHandle<std::io::Result<()>>,
    }

    impl Relay {
        pub(super) fn begin(door: &Path, wrapped: Wrapped) -> Relay {
            let (ours, theirs) = tokio::io::duplex(BUFFER);
            let (input, output) = tokio::io::split(theirs);
            let door = door.to_owned();
            let carrying = tokio::spawn(async move { carry(&door, &wrapped, input, output).await });
            Relay { stream: BufReader::new(ours), carrying }
        }

        /// Opens the conversation; the server has started by then, or says why not.
        pub(super) async fn opened(mut self) -> Result<Relay, String> {
            let opening = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "portcullis install", "version": env!("CARGO_PKG_VERSION") } } });
            let broken = |error: std::io::Error| error.to_string();
            self.stream.get_mut().write_all(format!("{opening}\n").as_bytes()).await.map_err(broken)?;
            loop {
                let mut line = String::new();
                if self.stream.read_line(&mut line).await.map_err(broken)? == 0 {
                    let why = (&mut self.carrying).await.ok().and_then(Result::err);
                    return Err(why.map_or("the gateway left".to_owned(), |why| why.to_string()));
                }
                let answer: Value = serde_json::from_str(&line).unwrap_or_default();
                match (answer["id"] == 1, answer["error"]["message"].as_str()) {
                    (true, Some(why)) => return Err(why.to_owned()),
                    (true, None) => return Ok(self),
                    (false, _) => {}
                }
            }
        }
    }

    #[cfg(unix)]
    use portcullis_gateway::relay as carry;

    #[cfg(not(unix))]
    async fn carry<I, O>(_door: &Path, _wrapped: &Wrapped, _input: I, _output: O) -> std::io::Result<()> {
        Err(std::io::Error::other("this system has no doors"))
    }
}
