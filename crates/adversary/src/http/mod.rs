//! Speaks over HTTP/1.1: streamable HTTP with sessions and stateless requests, each server at its own path.

mod request;
mod wire;

use crate::perform::{Request, Wire, perform};
use crate::rpc::{self, Client, HEADER_MISMATCH, INVALID_REQUEST, MODERN, Message, PARSE_ERROR};
use crate::scenario::Era;
use crate::stage::{Stage, locked};
use request::Head;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufReader, Error, Result};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wire::Connection;

/// Connections beyond this are closed at once.
const MOST_CONNECTIONS: usize = 512;
/// Sessions beyond this make the oldest forgotten.
const MOST_SESSIONS: usize = 1024;
/// How often a listener with no news is tried, to see whether anyone is there.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Everything that is served at one address.
pub(crate) struct House {
    /// By path.
    stages: BTreeMap<String, Arc<Stage>>,
    /// Clients by session id, the oldest first.
    sessions: Mutex<VecDeque<(String, Client)>>,
    opened: AtomicU64,
    connections: AtomicUsize,
}

impl House {
    pub(crate) fn new(stages: BTreeMap<String, Arc<Stage>>) -> House {
        House {
            stages,
            sessions: Mutex::default(),
            opened: AtomicU64::new(0),
            connections: AtomicUsize::new(0),
        }
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.stages.keys().map(String::as_str)
    }

    /// Remembers a client and gives it the id of its session.
    fn open(&self, client: Client) -> String {
        let id = format!("session-{}", self.opened.fetch_add(1, Ordering::SeqCst) + 1);
        let mut sessions = locked(&self.sessions);
        if sessions.len() == MOST_SESSIONS {
            sessions.pop_front();
        }
        sessions.push_back((id.clone(), client));
        id
    }

    fn client(&self, session: Option<&str>) -> Option<Client> {
        let sessions = locked(&self.sessions);
        sessions.iter().find(|(id, _)| Some(id.as_str()) == session).map(|(_, client)| client.clone())
    }

    fn close(&self, session: Option<&str>) -> bool {
        let mut sessions = locked(&self.sessions);
        let before = sessions.len();
        sessions.retain(|(id, _)| Some(id.as_str()) != session);
        sessions.len() < before
    }
}

/// Serves for ever.
pub(crate) fn serve(house: &Arc<House>, listener: &TcpListener) -> Result<()> {
    loop {
        let (stream, _) = listener.accept()?;
        if house.connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            house.connections.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let house = Arc::clone(house);
        std::thread::spawn(move || {
            // A client that leaves is no concern of ours.
            let _ = converse(&house, &stream);
            house.connections.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// One request after the other, until one side has enough.
fn converse(house: &House, stream: &TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(head) = request::head(&mut reader)? {
        let body = request::body(&mut reader, &head)?;
        let mut connection = Connection::new(stream);
        answer(house, &head, &body, &mut connection)?;
        if !connection.can_go_on() {
            break;
        }
    }
    Ok(())
}

fn answer(house: &House, head: &Head, body: &[u8], connection: &mut Connection) -> Result<()> {
    if !head.is_from_here() {
        return connection.status(403);
    }
    let Some(stage) = house.stages.get(&head.path) else { return connection.status(404) };
    match head.method.as_str() {
        "POST" => post(house, stage, head, body, connection),
        "GET" if house.client(head.session()).is_some() => listen(stage, None, connection),
        "GET" => connection.status(405),
        "DELETE" => connection.status(if house.close(head.session()) { 200 } else { 404 }),
        _ => connection.status(405),
    }
}

fn post(house: &House, stage: &Stage, head: &Head, body: &[u8], connection: &mut Connection) -> Result<()> {
    let message = match Message::parse(body) {
        Ok(message) => message,
        Err(what) => return connection.json(400, &rpc::failure(None, PARSE_ERROR, &what)),
    };
    let (Some(method), Some(id)) = (message.method.clone(), message.id.clone()) else {
        heard(stage, head, message);
        return connection.status(202);
    };
    let is_modern = message.revision().is_some() || head.header("mcp-protocol-version") == Some(MODERN);
    let era = if is_modern { Era::Modern } else { Era::Legacy };
    if is_modern && let Some(what) = disagreement(head, &message, &method) {
        return connection.json(400, &rpc::failure(Some(&id), HEADER_MISMATCH, &what));
    }
    let client = match era {
        Era::Modern => message.client(),
        Era::Legacy if method == "initialize" => {
            connection.open(house.open(message.introduced()));
            message.introduced()
        }
        Era::Legacy => match house.client(head.session()) {
            Some(client) => client,
            None => {
                return connection.json(404, &rpc::failure(Some(&id), INVALID_REQUEST, "no such session"));
            }
        },
    };
    if method == "subscriptions/listen" && is_modern {
        return listen(stage, Some(&id), connection);
    }
    let conversation = head.session().unwrap_or_default().to_owned();
    perform(stage, &Request { conversation, id, method, message, era, client }, connection)
}

/// A notification, or an answer to a request of ours.
fn heard(stage: &Stage, head: &Head, message: Message) {
    match message.method.as_deref() {
        None => stage.answered(message.id.as_deref(), message.outcome),
        Some("notifications/cancelled") => {
            stage.cancel(head.session().unwrap_or_default(), &message.params["requestId"]);
        }
        Some(_) => {}
    }
}

/// How the headers of a stateless request contradict its body.
fn disagreement(head: &Head, message: &Message, method: &str) -> Option<String> {
    let wanted = [
        ("mcp-protocol-version", message.revision()),
        ("mcp-method", Some(method)),
        (
            "mcp-name",
            message.subject().filter(|_| ["tools/call", "prompts/get", "resources/read"].contains(&method)),
        ),
    ];
    let differs =
        |(name, value): &(&str, Option<&str>)| value.is_some() && head.decoded(name).as_deref() != *value;
    wanted
        .iter()
        .find(|wanted| differs(wanted))
        .map(|(name, _)| format!("the header {name} does not agree with the body"))
}

/// Tells of changes until the client leaves.
fn listen(stage: &Stage, subscription: Option<&str>, connection: &mut Connection) -> Result<()> {
    let changes = stage.listen();
    match subscription {
        Some(id) => connection.aside(&rpc::acknowledgement(id))?,
        None => connection.heartbeat()?,
    }
    loop {
        match changes.recv_timeout(HEARTBEAT) {
            Ok(()) => connection.aside(&rpc::news(subscription))?,
            Err(RecvTimeoutError::Timeout) => connection.heartbeat()?,
            Err(RecvTimeoutError::Disconnected) => return Err(Error::other("no news any more")),
        }
    }
}
