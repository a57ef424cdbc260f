//! The servers a client's document names: which, where they stand, how each is started.

use portcullis_detect::fingerprint::{Fingerprint, Launch, Transport};

use super::recipe::headers_of;
use super::table::{Client, Kept};
use crate::document::{Member, Node, Place, Tree};

/// Servers in one file: more than any person uses, few enough to look at one by one.
pub(crate) const MOST_SERVERS: usize = 2048;

/// One server of a client.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// What the client calls it.
    pub(crate) name: String,
    pub(crate) at: Place,
    /// The names on the way from the root to its entry; `None` in a list, which has no names.
    pub(crate) way: Option<Vec<String>>,
    pub(crate) is_disabled: bool,
    pub(crate) start: Start,
}

/// How a server is started or reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Command {
        command: String,
        arguments: Vec<String>,
        /// Names only: values are secrets.
        environment: Vec<String>,
        spelling: Spelling,
    },
    Remote {
        transport: Transport,
        url: String,
        /// Names only: values are secrets.
        headers: Vec<String>,
        /// The key that holds the address.
        key: &'static str,
    },
    /// Already through the gate.
    Gated,
    /// Nothing we could read as a start; why.
    Unknown(&'static str),
}

/// How a client writes a command down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `command` and `args`.
    Apart,
    /// One list called `command`.
    OneList,
    /// An object called `command`, with `path` and `args`.
    Nested,
}

/// The keys an address may stand under.
const ADDRESSES: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];

impl Server {
    /// What the launch is recognised by; `None` if there is none to be recognised.
    pub(crate) fn launch(&self) -> Option<Fingerprint> {
        let launch = match &self.start {
            Start::Command { command, arguments, environment, .. } => Launch {
                transport: Transport::Stdio,
                command,
                arguments: &borrowed(arguments),
                environment: &borrowed(environment),
                url: "",
            }
            .fingerprint(),
            Start::Remote { transport, url, .. } => {
                Launch { transport: *transport, command: "", arguments: &[], environment: &[], url }
                    .fingerprint()
            }
            Start::Gated | Start::Unknown(_) => return None,
        };
        Some(launch)
    }
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// All servers of a document, section by section in its order; one more than may be says that there are more.
pub(crate) fn all(root: &Node, client: &Client, kept: &Kept) -> Vec<Server> {
    let mut servers = Vec::new();
    for section in kept.sections {
        walk(root, section, &mut Vec::new(), &mut |node, way| {
            for (member, way) in entries(node, way) {
                // A section inside a section is not one of its servers.
                let is_section = way.as_ref().is_some_and(|way| {
                    kept.sections.iter().any(|other| other.iter().copied().eq(way.iter().map(String::as_str)))
                });
                if !is_section && servers.len() <= MOST_SERVERS {
                    servers.push(server(member, way, client));
                }
            }
        });
    }
    servers
}

/// An entry with its name, and the way to it.
type Entry<'a> = ((String, Place, &'a Node), Option<Vec<String>>);

fn walk<'a>(
    node: &'a Node,
    section: &[&str],
    way: &mut Vec<String>,
    give: &mut dyn FnMut(&'a Node, &[String]),
) {
    let Some((next, rest)) = section.split_first() else { return give(node, way) };
    for member in node.members().iter().filter(|member| *next == "*" || member.name == *next) {
        way.push(member.name.clone());
        walk(&member.node, rest, way, give);
        way.pop();
    }
}

fn entries<'a>(section: &'a Node, way: &[String]) -> Vec<Entry<'a>> {
    let named = section.members().iter().map(|Member { at, name, node, .. }| {
        let way = way.iter().chain([name]).cloned().collect();
        ((name.clone(), *at, node), Some(way))
    });
    let listed = section.elements().iter().map(|node| {
        let name = node.member("name").and_then(Node::text).unwrap_or("unnamed");
        // One old spelling wraps the start once more.
        (
            (
                name.to_owned(),
                node.at,
                node.member("transport").filter(|inner| !inner.members().is_empty()).unwrap_or(node),
            ),
            None,
        )
    });
    named.chain(listed).collect()
}

fn server((name, at, node): (String, Place, &Node), way: Option<Vec<String>>, client: &Client) -> Server {
    let says = |key: &str| node.member(key).and_then(Node::bool);
    let is_disabled = says("disabled") == Some(true) || says("enabled") == Some(false);
    Server { name, at, way, is_disabled, start: start(node, client) }
}

fn start(entry: &Node, client: &Client) -> Start {
    let found = match entry.member("command") {
        Some(command) => command_of(entry, command),
        None => remote(entry, client),
    };
    match found {
        Start::Command { ref command, ref arguments, .. } if is_ours(command, arguments) => Start::Gated,
        found => found,
    }
}

/// Whether a command is our own relay.
fn is_ours(command: &str, arguments: &[String]) -> bool {
    let program = command.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(program, "portcullis" | "portcullis.exe")
        && arguments.first().is_some_and(|first| first == "wrap")
}

fn command_of(entry: &Node, command: &Node) -> Start {
    let holder = if command.members().is_empty() { entry } else { command };
    let (spelling, program) = match &command.value {
        Tree::Text(program) => (Spelling::Apart, Some(program.as_str())),
        Tree::List(parts) => (Spelling::OneList, parts.first().and_then(Node::text)),
        Tree::Map(_) => (Spelling::Nested, command.member("path").and_then(Node::text)),
        _ => (Spelling::Apart, None),
    };
    let written = match spelling {
        Spelling::OneList => texts(command).map(|all| all.into_iter().skip(1).collect()),
        _ => holder.member("args").map_or(Some(Vec::new()), texts),
    };
    let (Some(program), Some(arguments)) = (program, written) else {
        return Start::Unknown("its command cannot be read");
    };
    let environment =
        holder.member("env").or_else(|| entry.member("environment")).map(names).unwrap_or_default();
    Start::Command { command: program.to_owned(), arguments, environment, spelling }
}

fn remote(entry: &Node, client: &Client) -> Start {
    let found = ADDRESSES.iter().find_map(|key| Some((*key, entry.member(key)?.text()?)));
    let Some((key, url)) = found else {
        return Start::Unknown("it has neither a command nor an address");
    };
    let said = entry.member("type").or_else(|| entry.member("transport")).and_then(Node::text);
    let transport = match (said, key) {
        (Some("sse"), _) => Transport::Sse,
        (Some(_), _) | (None, "httpUrl") => Transport::Http,
        (None, _) => client.plain_url,
    };
    let headers = headers_of(entry, client);
    Start::Remote { transport, url: url.to_owned(), headers: headers.map(names).unwrap_or_default(), key }
}

/// The texts of a list, if it is a list of texts.
fn texts(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Tree::List(nodes) => nodes.iter().map(|node| node.text().map(str::to_owned)).collect(),
        _ => None,
    }
}

fn names(node: &Node) -> Vec<String> {
    node.members().iter().map(|member| member.name.clone()).collect()
}
