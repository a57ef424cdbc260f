//! Whether a request may come in under the name it uses: a page in a browser must not reach us under a name its author
//! chose.
//!
//! What counts is the address a connection arrived at. `localhost` is a name of ours only for what arrived on the
//! loopback; what arrived elsewhere is addressed to that address, or to a name the operator listed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use http::{StatusCode, Uri};

/// What a browser says about who sends a request; no page can change it.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Where a connection arrived, and what the operator lets in beside the obvious.
pub(crate) struct Place<'a> {
    pub(crate) arrival: SocketAddr,
    pub(crate) hosts: &'a [String],
    pub(crate) origins: &'a [String],
    pub(crate) is_tls: bool,
}

impl Place<'_> {
    /// Refuses a request that is addressed to somebody else, or sent by a page of somebody else.
    pub(crate) fn check(&self, target: &Uri, headers: &HeaderMap) -> Result<(), StatusCode> {
        let host = only(headers, &HOST)?.ok_or(StatusCode::BAD_REQUEST)?;
        // A target that names a host counts for more than the header: whoever reads the other is misled.
        if target.authority().is_some_and(|named| named.as_str() != host) {
            return Err(StatusCode::BAD_REQUEST);
        }
        let is_welcome = match only(headers, &ORIGIN)? {
            Some(origin) => self.is_welcome(origin, host),
            None => only(headers, &SITE)? != Some("cross-site"),
        };
        if is_welcome && self.is_ours(host) { Ok(()) } else { Err(StatusCode::FORBIDDEN) }
    }

    fn is_ours(&self, host: &str) -> bool {
        let Some((name, port)) = parts(host) else { return false };
        let is_listed = |known: &String| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name);
        let is_here = self.is_here(name) && port.is_none_or(|port| port == self.arrival.port());
        is_here || self.hosts.iter().any(is_listed)
    }

    /// Whether this is a name of the address the connection arrived at.
    fn is_here(&self, name: &str) -> bool {
        let arrived = self.arrival.ip().to_canonical();
        let is_near = arrived.is_loopback() && is_loopback(name);
        is_near || address(name) == Some(arrived)
    }

    /// A page of this machine, of ours, or one the operator listed. `null` and schemes of programs are none of them.
    fn is_welcome(&self, origin: &str, host: &str) -> bool {
        if self.origins.iter().any(|known| known == origin) {
            return true;
        }
        let name = match origin.split_once("://") {
            Some(("https", name)) => name,
            // A page without TLS cannot be ours if we have it: somebody on the way wrote it.
            Some(("http", name)) if name != host || !self.is_tls => name,
            _ => return false,
        };
        let is_near = parts(name).is_some_and(|(name, _)| is_loopback(name));
        name == host || (is_near && self.arrival.ip().to_canonical().is_loopback())
    }
}

/// The one value of a header; several are a way to be read differently by somebody else.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, StatusCode> {
    let mut all = headers.get_all(name).iter();
    let Some(first) = all.next() else { return Ok(None) };
    let text = first.to_str().ok().filter(|_| all.next().is_none());
    text.map(Some).ok_or(StatusCode::BAD_REQUEST)
}

/// A name and its port; `None` if there is anything else in it.
fn parts(host: &str) -> Option<(&str, Option<u16>)> {
    let end = if host.starts_with('[') { host.find(']')? + 1 } else { host.find(':').unwrap_or(host.len()) };
    let (name, rest) = host.split_at_checked(end)?;
    let port = match rest.strip_prefix(':') {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
        None if rest.is_empty() => None,
        _ => return None,
    };
    (!name.is_empty()).then_some((name, port))
}

fn is_loopback(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || address(name).is_some_and(|address| address.is_loopback())
}

/// An address in its usual spelling.
fn address(name: &str) -> Option<IpAddr> {
    let v6 = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let parsed = match v6 {
        Some(v6) => v6.parse::<Ipv6Addr>().ok()?.into(),
        None => IpAddr::from(name.parse::<Ipv4Addr>().ok()?),
    };
    Some(parsed.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether somebody who arrived here may use this host, and come from this origin.
    fn check(arrival: &str, host: &str, origin: Option<&str>, expected: bool) {
        let place = Place {
            arrival: arrival.parse().unwrap(),
            hosts: &["gate.example".to_owned(), "far.example:9".to_owned()],
            origins: &["https://page.example".to_owned()],
            is_tls: false,
        };
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        origin.map(|origin| headers.insert(ORIGIN, origin.parse().unwrap()));
        let found = place.check(&Uri::from_static("/mcp"), &headers).is_ok();
        assert_eq!(found, expected, "{host} from {origin:?} at {arrival}");
    }

    #[test]
    fn names_of_this_machine_count_where_it_is_reached_by_itself() {
        for (host, near, far) in [
            ("localhost:3000", true, false),
            ("LocalHost:3000", true, false),
            ("127.0.0.1:3000", true, false),
            ("[::1]:3000", true, false),
            ("192.0.2.7:3000", false, true),
            ("192.0.2.8:3000", false, false),
            ("0.0.0.0:3000", false, false),
            ("[::]:3000", false, false),
            ("gate.example", true, true),
            ("GATE.example:1", true, true),
            ("far.example:9", true, true),
            ("far.example", false, false),
        ] {
            check("127.0.0.1:3000", host, None, near);
            check("[::1]:3000", host, None, near);
            check("[::ffff:127.0.0.1]:3000", host, None, near);
            check("192.0.2.7:3000", host, None, far);
            check("[::ffff:192.0.2.7]:3000", host, None, far);
        }
    }

    #[test]
    fn pages_of_this_machine_count_there_too() {
        for (origin, near, far) in [
            ("http://localhost:5173", true, false),
            ("https://[::1]", true, false),
            ("https://page.example", true, true),
            ("http://page.example", false, false),
            ("https://gate.example", true, true),
            ("http://192.0.2.7:3000", false, false),
            ("null", false, false),
        ] {
            check("127.0.0.1:3000", "gate.example", Some(origin), near);
            check("192.0.2.7:3000", "gate.example", Some(origin), far);
        }
        check("192.0.2.7:3000", "192.0.2.7:3000", Some("http://192.0.2.7:3000"), true);
        check("192.0.2.7:3000", "192.0.2.7:3000", Some("http://192.0.2.7:3001"), false);
    }

    #[test]
    fn a_page_of_ours_without_tls_was_written_on_the_way() {
        let (hosts, origins) = (["gate.example".to_owned()], []);
        let arrival = "192.0.2.7:443".parse().unwrap();
        let place = Place { arrival, hosts: &hosts, origins: &origins, is_tls: true };
        assert!(place.is_welcome("https://gate.example", "gate.example"));
        assert!(!place.is_welcome("http://gate.example", "gate.example"));
    }
}
