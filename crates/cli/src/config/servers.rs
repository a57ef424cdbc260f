//! The servers of a file, in its order: how each is started or reached.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue, Uri};
use portcullis_decide::approval::TrustMode;
use portcullis_gateway::oauth::SignIn;
use portcullis_gateway::settings::{
    Addresses, Credential, Launch, Network, ROUTER, Remote, Server, ServerName, Transport,
};

use super::secret::{Environment, resolved};
use super::valid::{parsed, place};
use super::written::{self, OAuth};
use crate::document::{Member, Node, Problem};

/// A server, and how to sign in where it asks for that.
#[derive(Debug)]
pub(crate) struct Configured {
    pub(crate) server: Server,
    pub(crate) sign_in: Option<SignIn>,
}

/// All servers that are not disabled.
pub(super) fn all(
    root: &Node,
    folder: &Path,
    environment: Environment<'_>,
    networks: &Arc<[Network]>,
    problems: &mut Vec<Problem>,
) -> Vec<Configured> {
    let members = root.member("mcpServers").map(Node::members).unwrap_or_default();
    let one =
        |member: &Member, problems: &mut Vec<Problem>| one(member, folder, environment, networks, problems);
    members.iter().filter_map(|member| one(member, problems)).collect()
}

fn one(
    member: &Member,
    folder: &Path,
    environment: Environment<'_>,
    networks: &Arc<[Network]>,
    problems: &mut Vec<Problem>,
) -> Option<Configured> {
    // What the environment lacks was said when the whole file was resolved.
    let value = resolved(&member.node, environment, &mut Vec::new());
    let written: written::Server = parsed(&member.node, value, problems);
    if written.disabled {
        return None;
    }
    let mut failed = |key: &str, message: String| {
        problems.push(Problem::at(place(&member.node, key), message));
    };
    let Some(name) = ServerName::parse(&member.name) else {
        let message = match member.name.as_str() {
            ROUTER => {
                format!("`{ROUTER}` is the path where agents search for tools: call the server otherwise")
            }
            name => format!(
                "a server's name is made of small letters, digits and hyphens; `{}` would do",
                better_name(name)
            ),
        };
        problems.push(Problem::at(member.at, message));
        return None;
    };
    let transport = match (&written.command, &written.url) {
        (Some(command), None) => Ok(Transport::Stdio(launch(command, &written, folder))),
        (None, Some(url)) => remote(url, &written, folder, networks).map(match written.kind.as_deref() {
            Some("sse") => Transport::Sse,
            _ => Transport::Http,
        }),
        (Some(_), Some(_)) => Err(("url", "a server has either `command` or `url`".to_owned())),
        (None, None) => Err(("", "a server needs `command`, or `url`".to_owned())),
    };
    let transport = transport.map_err(|(key, message)| failed(key, message)).ok()?;
    if let Some(key) = misplaced(&transport, &written) {
        failed(key, format!("`{key}` does not go with how this server is reached"));
    }
    let (each_node, sign_in) = (written.each_node, sign_in(written.oauth));
    let answer = written.timeout_ms.map(Duration::from_millis);
    // The words were checked with the keys.
    let trust = written.trust.as_deref().and_then(trust);
    Some(Configured { server: Server { name, transport, answer, trust, each_node }, sign_in })
}

fn launch(command: &str, written: &written::Server, folder: &Path) -> Launch {
    Launch {
        command: command.to_owned(),
        arguments: written.args.clone(),
        directory: written.cwd.as_deref().map(|path| folder.join(path)),
        environment: written.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        inherited: None,
    }
}

/// A key and what is wrong with it.
type Wrong = (&'static str, String);

fn remote(
    url: &str,
    written: &written::Server,
    folder: &Path,
    networks: &Arc<[Network]>,
) -> Result<Remote, Wrong> {
    let url = address("url", url)?;
    let addresses = Addresses::written(Arc::clone(networks));
    addresses.check(&url).map_err(|why| ("url", format!("`url` is refused: {why}")))?;
    let mut headers = Vec::new();
    let mut credential = Credential::None;
    for (name, value) in &written.headers {
        let wrong = |what: &str| ("headers", format!("the {what} of the header `{name}` is not one"));
        let parsed = HeaderName::try_from(name.as_str()).map_err(|_| wrong("name"))?;
        let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| wrong("value"))?;
        value.set_sensitive(true);
        if parsed == http::header::AUTHORIZATION {
            credential = Credential::Fixed(value);
        } else {
            headers.push((parsed, value));
        }
    }
    let proxy = written.proxy.as_deref().map(|text| address("proxy", text)).transpose()?;
    Ok(Remote {
        url,
        headers,
        credential,
        authorities: written.ca_file.as_deref().map(|path| folder.join(path)),
        proxy,
        addresses,
    })
}

fn address(key: &'static str, text: &str) -> Result<Uri, Wrong> {
    let wrong = || (key, format!("`{key}` is an address that starts with http:// or https://"));
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some();
    if is_web { Ok(uri) } else { Err(wrong()) }
}

/// A key that belongs to the other way of reaching a server.
fn misplaced(transport: &Transport, written: &written::Server) -> Option<&'static str> {
    let is_child = matches!(transport, Transport::Stdio(_));
    let has_fixed = matches!(
        transport,
        Transport::Http(remote) | Transport::Sse(remote) if matches!(remote.credential, Credential::Fixed(_))
    );
    let wants_oauth = !matches!(written.oauth, OAuth::Wanted(false));
    let says = [
        ("type", written.kind.as_deref().is_some_and(|kind| (kind == "stdio") != is_child)),
        ("args", !is_child && !written.args.is_empty()),
        ("env", !is_child && !written.env.is_empty()),
        ("each_node", !is_child && written.each_node),
        ("cwd", !is_child && written.cwd.is_some()),
        ("headers", is_child && !written.headers.is_empty()),
        ("ca_file", is_child && written.ca_file.is_some()),
        ("proxy", is_child && written.proxy.is_some()),
        ("oauth", wants_oauth && (is_child || has_fixed)),
    ];
    says.into_iter().find(|(_, is_misplaced)| *is_misplaced).map(|(key, _)| key)
}

fn sign_in(written: OAuth) -> Option<SignIn> {
    match written {
        OAuth::Wanted(false) => None,
        OAuth::Wanted(true) => Some(SignIn::default()),
        OAuth::How(client) => Some(SignIn {
            client_id: client.client_id,
            client_secret: client.client_secret,
            scopes: client.scopes,
            callback_port: client.callback_port.unwrap_or_default(),
            is_on_demand: false,
        }),
    }
}

fn trust(word: &str) -> Option<TrustMode> {
    [TrustMode::Manual, TrustMode::Scan, TrustMode::Pinned].into_iter().find(|mode| mode.as_str() == word)
}

/// A name as it could be written.
pub(crate) fn better_name(name: &str) -> String {
    let mut better = String::new();
    for c in name.chars().flat_map(char::to_lowercase).take(64) {
        let c = if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
        if c != '-' || !(better.is_empty() || better.ends_with('-')) {
            better.push(c);
        }
    }
    let better = better.trim_end_matches('-');
    if better.is_empty() { "server".to_owned() } else { better.to_owned() }
}
