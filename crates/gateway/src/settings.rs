//! What a gateway is started with: plain, validated data. How it is written in a file is the command line's business.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};
use portcullis_decide::approval::TrustMode;
use portcullis_detect::fingerprint::{self, Fingerprint};
use portcullis_store::{FlowStore, Store};

use crate::alerts::AlertRules;
use crate::judge::JudgeRules;
use crate::quarantine::Rules;
use crate::tls::Tls;
pub use crate::upstream::address::{Addresses, Network, Refused};
use crate::wire;

/// Everything a gateway needs to know.
#[derive(Clone)]
pub struct Settings {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Who we are towards agents; without it connections are not encrypted.
    pub tls: Option<Tls>,
    /// The servers, in the order in which their tools are listed.
    pub servers: Vec<Server>,
    /// What starts servers that are processes, and ends them when we cannot.
    pub launcher: Option<Launcher>,
    /// Where activity is recorded.
    pub store: Arc<dyn Store>,
    /// Where flows are shared with other nodes; without it this one keeps its own.
    pub flow_store: Option<Arc<FlowStore>>,
    /// Who may call.
    pub access: Access,
    /// Where the door for this machine's operator is: a Unix socket in a private folder.
    pub door: Option<PathBuf>,
    /// Seals session ids and request states; the same on every node.
    pub seal_key: [u8; 32],
    /// Where other nodes with the same store reach this one. Without it every node runs the processes of its servers.
    pub node: Option<NodeAddress>,
    /// Addresses inside that servers may have which are not in the configuration, and that servers may name.
    pub networks: Arc<[Network]>,
    /// Host names a request may be addressed to, beside those of the loopback.
    pub hosts: Vec<String>,
    /// Origins that may call from a browser, beside those of the loopback.
    pub origins: Vec<String>,
    /// Whether a call may pass that could not be recorded.
    pub passes_unrecorded: bool,
    /// Whether recording waits for the disk, so that it must not hold up other work.
    pub record_waits: bool,
    /// What is held until a human decides.
    pub quarantine: Rules,
    /// What calls and results are judged by.
    pub judge: Arc<JudgeRules>,
    /// Who is told what somebody should know.
    pub alerts: AlertRules,
    /// How much of everything.
    pub limits: Limits,
    /// How long everything may take.
    pub timing: Timing,
}

impl Settings {
    /// What speaking to the servers takes.
    pub(crate) fn means(&self) -> Means {
        Means { launcher: self.launcher.clone(), limits: self.limits, timing: self.timing }
    }
}

/// Where other nodes reach this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeAddress {
    /// Where it listens, without TLS.
    Listening,
    /// Here: http or https and a host, nothing else.
    At(Uri),
}

/// What speaking to a server takes, with a gate before it or without.
#[derive(Clone, Debug, Default)]
pub struct Means {
    /// What starts servers that are processes, and ends them when we cannot.
    pub launcher: Option<Launcher>,
    /// How much of everything.
    pub limits: Limits,
    /// How long everything may take.
    pub timing: Timing,
}

/// Who may call `/mcp` and what is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody who reaches the port.
    Open,
    /// Who shows one of these tokens.
    Tokens(Vec<String>),
}

/// How much of everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// One message.
    pub message: wire::Limits,
    /// Sessions that are remembered on this node at a time.
    pub sessions: usize,
    /// Calls one server may have in flight.
    pub calls: usize,
    /// Connections at a time.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { message: wire::Limits::default(), sessions: 20_000, calls: 4096, connections: 20_000 }
    }
}

/// How long everything may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Reaching a server.
    pub connect: Duration,
    /// The first answer of a server that was started, which may have to be fetched before.
    pub start: Duration,
    /// The silence of a server that owes an answer; progress breaks it.
    pub answer: Duration,
    /// A client's headers, or its body if that does not come at a reasonable pace.
    pub request: Duration,
    /// A client that does not take what it is sent.
    pub unread: Duration,
    /// A session nobody uses.
    pub session: Duration,
    /// The silence after which an open stream gets a comment.
    pub keep_alive: Duration,
    /// Calls in flight when the gateway stops.
    pub drain: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            connect: Duration::from_secs(10),
            start: Duration::from_secs(30),
            answer: Duration::from_secs(300),
            request: Duration::from_secs(20),
            unread: Duration::from_secs(60),
            session: Duration::from_secs(1800),
            keep_alive: Duration::from_secs(15),
            drain: Duration::from_secs(10),
        }
    }
}

/// The path under `/mcp` where agents search for tools; no server may be called so.
pub const ROUTER: &str = "router";

/// Where an agent comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// All servers as one.
    All,
    /// A search for tools, and ways to call what it finds.
    Router,
    /// One server, as it is.
    Server(ServerName),
}

impl Entrance {
    /// The entrance a word names: `all`, `router`, or a server's name.
    pub fn parse(text: &str) -> Option<Entrance> {
        match text {
            "all" => Some(Entrance::All),
            ROUTER => Some(Entrance::Router),
            name => ServerName::parse(name).map(Entrance::Server),
        }
    }
}

/// A server's name: small letters, digits and hyphens, so that it can stand in a path and before `__`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Arc<str>);

impl ServerName {
    /// The name, if it is one.
    pub fn parse(text: &str) -> Option<ServerName> {
        let is_name = !text.is_empty()
            && text.len() <= 64
            && text != ROUTER
            && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        is_name.then(|| ServerName(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One MCP server.
#[derive(Clone, Debug)]
pub struct Server {
    /// What the operator calls it.
    pub name: ServerName,
    /// How it is reached.
    pub transport: Transport,
    /// Its silence when it owes an answer, if not the general one.
    pub answer: Option<Duration>,
    /// How its tools come to be approved; `None` leaves it as it was decided before.
    pub trust: Option<TrustMode>,
    /// Whether every node runs a process of its own, where one could do it for all.
    pub each_node: bool,
}

impl Server {
    /// Whether nothing about it is different, so that it may go on as it is.
    pub(crate) fn is_same(&self, other: &Server) -> bool {
        let is_same = match (&self.transport, &other.transport) {
            (Transport::Stdio(one), Transport::Stdio(other)) => one == other,
            (Transport::Http(one), Transport::Http(other)) | (Transport::Sse(one), Transport::Sse(other)) => {
                one.is_same(other)
            }
            _ => false,
        };
        is_same
            && self.each_node == other.each_node
            && (&self.name, self.answer, self.trust) == (&other.name, other.answer, other.trust)
    }

    /// The fingerprint of how it is started or reached.
    pub fn launch(&self) -> Fingerprint {
        match &self.transport {
            Transport::Stdio(launch) => launch.fingerprint(),
            Transport::Http(remote) => remote.launch(fingerprint::Transport::Http),
            Transport::Sse(remote) => remote.launch(fingerprint::Transport::Sse),
        }
    }
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Transport {
    /// As a child process, over its standard input and output.
    Stdio(Launch),
    /// Over streamable HTTP.
    Http(Remote),
    /// Over the HTTP with server-sent events of 2024-11-05.
    Sse(Remote),
}

/// How a child process is started. Nothing of our own environment reaches it but what a process needs to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs, if not here.
    pub directory: Option<PathBuf>,
    /// Its environment beside the usual.
    pub environment: Vec<(String, String)>,
    /// What is usual, if it is not what of our own environment a process needs to run; no part of the launch's identity.
    pub inherited: Option<Vec<(String, String)>>,
}

impl Launch {
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        fingerprint::Launch {
            transport: fingerprint::Transport::Stdio,
            command: &self.command,
            arguments: &self.arguments.iter().map(String::as_str).collect::<Vec<_>>(),
            environment: &self.environment.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            url: "",
        }
        .fingerprint()
    }
}

/// How long a process has to end after its input was closed.
pub const GRACE: Duration = Duration::from_secs(2);

/// A program that starts another: its arguments, then the other program with its own. It ends the other when its input is
/// closed for longer than [`GRACE`], with everything that one started.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// What comes before the other program.
    pub arguments: Vec<String>,
}

/// A server somewhere else.
#[derive(Clone)]
pub struct Remote {
    /// Where it is: http or https, with a host.
    pub url: Uri,
    /// What is sent with every request.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// What we show to be let in.
    pub credential: Credential,
    /// Certificates of authorities in PEM, beside the machine's own.
    pub authorities: Option<PathBuf>,
    /// The HTTP proxy on the way.
    pub proxy: Option<Uri>,
    /// Which addresses that may lead to.
    pub addresses: Addresses,
}

impl Remote {
    fn launch(&self, transport: fingerprint::Transport) -> Fingerprint {
        let url = self.url.to_string();
        fingerprint::Launch { transport, command: "", arguments: &[], environment: &[], url: &url }
            .fingerprint()
    }

    fn is_same(&self, other: &Remote) -> bool {
        let is_same_credential = match (&self.credential, &other.credential) {
            (Credential::None, Credential::None) | (Credential::Renewed(_), Credential::Renewed(_)) => true,
            (Credential::Fixed(one), Credential::Fixed(other)) => one == other,
            _ => false,
        };
        is_same_credential
            && (&self.url, &self.headers, &self.authorities, &self.proxy, &self.addresses)
                == (&other.url, &other.headers, &other.authorities, &other.proxy, &other.addresses)
    }
}

/// What a server is shown. A client's own credential is never among it.
#[derive(Clone)]
pub enum Credential {
    /// Nothing.
    None,
    /// A value of `Authorization` that stays.
    Fixed(HeaderValue),
    /// One that is renewed.
    Renewed(Arc<dyn Tokens>),
}

/// Where a token comes from that is renewed.
pub trait Tokens: Send + Sync {
    /// The value of `Authorization` for the next request, `None` to try without; `refused` is the challenge of an answer
    /// that asked for another.
    fn authorization<'a>(
        &'a self,
        refused: Option<&'a HeaderValue>,
    ) -> Pin<Box<dyn Future<Output = Result<Option<HeaderValue>, String>> + Send + 'a>>;
}

impl std::fmt::Debug for Remote {
    /// Headers and credentials are secrets: only the place is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("host", &self.url.authority()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_stand_in_a_path() {
        for (text, expected) in [
            ("git-hub2", true),
            ("", false),
            ("a_b", false),
            ("A", false),
            ("router", false),
            ("a/b", false),
            (&"x".repeat(65), false),
        ] {
            assert_eq!(ServerName::parse(text).is_some(), expected, "{text}");
        }
    }
}
