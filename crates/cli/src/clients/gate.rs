//! The gateway that remote servers are put behind, as far as a client's file needs to know it.

use std::fmt;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use http::Uri;

use super::own::Own;
use super::recipe::Recipe;
use crate::config::USUAL_ADDRESS;
use crate::exit::Failure;

/// How long a gateway on this machine may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The start of an answer: its first line is all we read.
const FIRST_LINE: u64 = 64;

/// Where remote servers go.
pub(crate) enum Way {
    /// To a gateway somebody named, which knows them already.
    Named(Gate),
    /// To the user's own, which is told of them.
    Own(Own),
    /// Nowhere: somebody only wants to see what would happen.
    Look,
}

/// What an entry needs to lead to a server through a gateway. There is no Debug: it holds a secret.
pub(crate) struct Pass {
    pub(crate) address: String,
    pub(crate) authorization: String,
    /// The id of the token, if it was made for this entry.
    pub(crate) token: Option<String>,
}

impl Way {
    /// Makes sure that a client can reach a server under this name.
    pub(crate) fn admit(&self, name: &str, recipe: Option<&Recipe>, client: &str) -> Result<Pass, String> {
        match (self, recipe) {
            (Way::Named(gate), _) => {
                gate.knows(name)?;
                Ok(gate.pass(name))
            }
            (Way::Own(own), Some(recipe)) => own.admit(name, recipe, client),
            (Way::Own(_), None) => Err("how it is reached is not known".to_owned()),
            (Way::Look, _) => Ok(Pass {
                address: format!("http://{USUAL_ADDRESS}/mcp/{name}"),
                authorization: "Bearer …".to_owned(),
                token: None,
            }),
        }
    }

    /// The gateway somebody named.
    pub(crate) fn named(&self) -> Option<&Gate> {
        match self {
            Way::Named(gate) => Some(gate),
            Way::Own(_) | Way::Look => None,
        }
    }
}

/// Where the gateway listens, and the token that lets an agent in.
pub(crate) struct Gate {
    /// Such as `http://127.0.0.1:8930`, no slash at its end.
    base_url: String,
    address: SocketAddr,
    token: String,
}

impl fmt::Debug for Gate {
    /// The token is a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl Gate {
    /// A gateway on this machine. Anywhere else the token would travel in clear.
    pub(crate) fn new(base_url: &str, token: &str) -> Result<Gate, String> {
        let wrong = || "the gateway's address is http://127.0.0.1:PORT".to_owned();
        let uri: Uri = base_url.parse().map_err(|_| wrong())?;
        let is_plain =
            uri.scheme_str() == Some("http") && matches!(uri.path(), "" | "/") && uri.query().is_none();
        let authority = uri.authority().filter(|_| is_plain).ok_or_else(wrong)?;
        let addresses =
            (authority.host().trim_matches(['[', ']']), authority.port_u16().unwrap_or(80)).to_socket_addrs();
        let address = addresses.ok().and_then(|mut all| all.find(|address| address.ip().is_loopback()));
        let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token {
            return Err("a token is one line of letters, digits and punctuation".to_owned());
        }
        Ok(Gate {
            base_url: base_url.trim_end_matches('/').to_owned(),
            address: address.ok_or_else(wrong)?,
            token: token.to_owned(),
        })
    }

    /// The gateway two options name, if they do.
    pub(crate) fn named(url: Option<&str>, token: Option<&Path>) -> Result<Option<Gate>, Failure> {
        let (Some(url), Some(token)) = (url, token) else { return Ok(None) };
        let text = std::fs::read_to_string(token)
            .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", token.display())))?;
        Gate::new(url, text.trim()).map(Some).map_err(Failure::Usage)
    }

    /// How a client reaches a server through the gateway, and what it shows to be let in.
    pub(crate) fn pass(&self, name: &str) -> Pass {
        let address = format!("{}/mcp/{name}", self.base_url);
        Pass { address, authorization: self.authorization(), token: None }
    }

    fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Whether an address leads to this gateway already.
    pub(crate) fn is_behind(&self, url: &str) -> bool {
        url.strip_prefix(&self.base_url).is_some_and(|rest| rest.starts_with("/mcp/"))
    }

    /// Asks the gateway whether it knows a server; a client that is sent to one it does not know has lost it.
    pub(crate) fn knows(&self, name: &str) -> Result<(), &'static str> {
        match self.status(name).as_deref() {
            Some("404") => Err("the gateway does not know it; add it there first"),
            Some("401" | "403") => Err("the gateway does not take this token"),
            Some(status) if !status.starts_with('5') => Ok(()),
            _ => Err("the gateway does not answer; start it with portcullis serve"),
        }
    }

    /// The status of a request that does nothing.
    fn status(&self, name: &str) -> Option<String> {
        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        stream.set_write_timeout(Some(PATIENCE)).ok()?;
        let request = format!(
            "OPTIONS /mcp/{name} HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nConnection: close\r\n\r\n",
            self.address,
            self.authorization()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.take(FIRST_LINE).read_to_end(&mut answer).ok()?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        answer.strip_prefix("HTTP/1.1 ")?.get(..3).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_gateway_on_this_machine_gets_the_token() {
        for (url, expected) in [
            ("http://127.0.0.1:8930", true),
            ("http://127.0.0.1:8930/", true),
            ("http://[::1]:8930", true),
            ("http://192.0.2.1:8930", false),
            ("https://127.0.0.1:8930", false),
            ("http://127.0.0.1:8930/mcp", false),
            ("127.0.0.1:8930", false),
        ] {
            assert_eq!(Gate::new(url, "token").is_ok(), expected, "{url}");
        }
        assert!(Gate::new("http://127.0.0.1:1", "two lines\n").is_err());
        let gate = Gate::new("http://127.0.0.1:8930/", "secret").unwrap();
        assert_eq!(gate.pass("a").address, "http://127.0.0.1:8930/mcp/a");
        assert!(
            gate.is_behind("http://127.0.0.1:8930/mcp/a") && !gate.is_behind("http://127.0.0.1:89301/mcp/a")
        );
        assert!(!format!("{gate:?}").contains("secret"));
    }
}
