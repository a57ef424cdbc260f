//! Which addresses may be reached: the one place that says what leads inside, and who may lead there.
//!
//! A name is resolved once, every address it has is checked, and only one that was checked is connected to: a name that
//! means something else a moment later gains nothing. What an address in IPv6 carries of IPv4 is what it means.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use http::Uri;

/// Where clouds tell a machine its secrets. Whoever gets there has the machine's account.
const METADATA: [IpAddr; 6] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// Networks nobody reaches from outside: RFC 6890 and its successors.
const PRIVATE: &[Network] = &[
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v6(0x64, 0xff9b, 1, 48),
    v6(0x2001, 0xdb8, 0, 32),
    v6(0xfc00, 0, 0, 7),
    v6(0xfec0, 0, 0, 10),
];

/// Addresses that are no single machine's: multicast, broadcast and what is reserved.
const NOBODY: &[Network] = &[v4(224, 0, 0, 0, 4), v4(240, 0, 0, 0, 4), v6(0xff00, 0, 0, 8)];
const LINK_LOCAL: &[Network] = &[v4(169, 254, 0, 0, 16), v6(0xfe80, 0, 0, 10)];
/// Systems take these for the loopback.
const UNSPECIFIED: &[Network] = &[v4(0, 0, 0, 0, 8), v6(0, 0, 0, 128)];

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    bits: u32,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u32) -> Network {
    Network { base: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), bits }
}

const fn v6(a: u16, b: u16, c: u16, bits: u32) -> Network {
    Network { base: IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)), bits }
}

impl Network {
    /// A range as `10.0.0.0/8`, or one address.
    pub fn parse(text: &str) -> Option<Network> {
        let (base, bits) = text.split_once('/').map_or((text, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().ok()?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Some(most), |bits| bits.parse().ok())?;
        (bits <= most).then_some(Network { base, bits })
    }

    fn holds(&self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                (base.to_bits() ^ address.to_bits()).checked_shr(32 - self.bits).unwrap_or(0) == 0
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                (base.to_bits() ^ address.to_bits()).checked_shr(128 - self.bits).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

/// What may be reached beside what is outside anyway.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    listed: Arc<[Network]>,
    /// Whether this machine, under its own names.
    is_loopback: bool,
    /// Whether private networks.
    is_private: bool,
}

impl Addresses {
    /// For an address the operator wrote: this machine and private networks are theirs to name.
    pub fn written(listed: Arc<[Network]>) -> Addresses {
        Addresses { listed, is_loopback: true, is_private: true }
    }

    /// For an address somebody else named: nothing inside but what the operator listed.
    pub fn named(listed: Arc<[Network]>) -> Addresses {
        Addresses { listed, is_loopback: false, is_private: false }
    }

    /// For an address that a server names: on the same host what holds for the server, elsewhere nothing inside. Two
    /// servers on this machine may name each other.
    pub(crate) fn beyond(&self, server: &Uri, named: &Uri) -> Addresses {
        let host = |url: &Uri| url.host().unwrap_or_default().to_ascii_lowercase();
        if host(server) == host(named) {
            return self.clone();
        }
        let is_near = Host::of(server).is_ok_and(|host| host.is_loopback());
        Addresses { is_loopback: self.is_loopback && is_near, is_private: false, ..self.clone() }
    }

    /// Refuses what can be told from the text alone.
    pub fn check(&self, url: &Uri) -> Result<(), Refused> {
        if url.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(Refused::User);
        }
        match Host::of(url)? {
            Host::Address(address) => self.admit(address),
            host if host.is_loopback() => self.admit(Ipv4Addr::LOCALHOST.into()),
            Host::Name(_) => Ok(()),
        }
    }

    /// The addresses of a host that may be reached. A name that only turns out to be this machine was pointed here by
    /// whoever owns it.
    pub(crate) async fn resolve(&self, url: &Uri, port: u16) -> io::Result<Vec<SocketAddr>> {
        self.check(url)?;
        let is_loopback = self.is_loopback && Host::of(url)?.is_loopback();
        let host = url.host().unwrap_or_default().trim_matches(['[', ']']);
        let found = tokio::net::lookup_host((host, port)).await?;
        Addresses { is_loopback, ..self.clone() }.allowed(found)
    }

    fn allowed(&self, found: impl Iterator<Item = SocketAddr>) -> io::Result<Vec<SocketAddr>> {
        let (mut allowed, mut refused) = (Vec::new(), None);
        for address in found {
            match self.admit(address.ip()) {
                Ok(()) => allowed.push(address),
                Err(why) => refused = Some(why),
            }
        }
        match refused {
            Some(why) if allowed.is_empty() => Err(why.into()),
            _ => Ok(allowed),
        }
    }

    fn admit(&self, address: IpAddr) -> Result<(), Refused> {
        let meant = meant(address);
        if self.listed.iter().any(|network| network.holds(address) || network.holds(meant)) {
            return Ok(());
        }
        let is_in = |networks: &[Network]| networks.iter().any(|network| network.holds(meant));
        let what = if METADATA.contains(&meant) {
            "a cloud's metadata service"
        } else if is_in(LINK_LOCAL) {
            "link-local"
        } else if is_in(NOBODY) || is_in(UNSPECIFIED) {
            "no machine's own address"
        } else if meant.is_loopback() && !self.is_loopback {
            "this machine"
        } else if is_in(PRIVATE) && !self.is_private {
            "in a private network"
        } else {
            return Ok(());
        };
        Err(Refused::Inside(address, what))
    }
}

/// Why an address is not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A user stands before the host, where it is easily taken for the host.
    User,
    /// A spelling that others may read differently.
    Spelling,
    /// It leads inside.
    Inside(IpAddr, &'static str),
}

impl Refused {
    /// The same for whoever may not know our networks.
    pub(crate) fn outline(&self) -> String {
        match self {
            Refused::Inside(..) => "its address leads inside, which its operator can allow".to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::User => {
                f.write_str("a user before the host is not taken: a credential belongs in `headers`")
            }
            Refused::Spelling => {
                f.write_str("its host is neither a name nor an address in the usual spelling")
            }
            Refused::Inside(address, what) => write!(
                f,
                "{address} is {what}, where this address may not lead: `security.allow_private_addresses` can list it"
            ),
        }
    }
}

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, refused)
    }
}

/// A host as a URL has it.
enum Host<'a> {
    Address(IpAddr),
    Name(&'a str),
}

impl Host<'_> {
    fn of(url: &Uri) -> Result<Host<'_>, Refused> {
        let text = url.host().unwrap_or_default();
        if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            let address = inner.parse::<Ipv6Addr>();
            return address.map(|address| Host::Address(address.into())).map_err(|_| Refused::Spelling);
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Ok(Host::Address(address.into()));
        }
        let name = text.strip_suffix('.').unwrap_or(text);
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_name = name.split('.').all(|label| !label.is_empty() && label.bytes().all(is_letter));
        // Resolvers take what ends in a number for an address: 127.1, 0x7f.1, 2130706433, 0177.0.0.1.
        let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let is_number = match last.strip_prefix("0x") {
            Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
            None => last.bytes().all(|byte| byte.is_ascii_digit()),
        };
        if is_name && !is_number { Ok(Host::Name(name)) } else { Err(Refused::Spelling) }
    }

    fn is_loopback(&self) -> bool {
        match self {
            Host::Address(address) => meant(*address).is_loopback(),
            Host::Name(name) => {
                let name = name.to_ascii_lowercase();
                name == "localhost" || name.ends_with(".localhost")
            }
        }
    }
}

/// The IPv4 address that an IPv6 address carries, however it does; any other as it is.
fn meant(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else { return address };
    let carried =
        |high: u16, low: u16| IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match v6.segments() {
        // Neither of these carries one.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => address,
        // Mapped, compatible and translated.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => carried(high, low),
        // NAT64 and 6to4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => carried(high, low),
        // Teredo, whose bits are turned.
        [0x2001, 0, .., high, low] => carried(!high, !low),
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(networks: &[&str]) -> Arc<[Network]> {
        networks.iter().map(|text| Network::parse(text).unwrap()).collect()
    }

    #[test]
    fn ranges_hold_what_they_say() {
        for (range, address, expected) in [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false),
            ("0.0.0.0/0", "203.0.113.1", true),
            ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false),
            ("::/0", "10.0.0.1", false),
        ] {
            let network = Network::parse(range).unwrap();
            assert_eq!(network.holds(address.parse().unwrap()), expected, "{range} {address}");
        }
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "a/8", "10.0.0.0/", "10.0.0.0/-1"] {
            assert_eq!(Network::parse(text), None, "{text}");
        }
    }

    /// Whether a name with these addresses is reached, and where.
    #[test]
    fn only_what_was_checked_is_connected_to() {
        let found =
            |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<SocketAddr>>();
        let mixed = found(&["10.0.0.1:1", "93.184.216.34:1", "169.254.169.254:1", "[::1]:1"]);
        let allowed = |addresses: &Addresses| addresses.allowed(mixed.iter().copied()).unwrap();
        assert_eq!(allowed(&Addresses::default()), found(&["93.184.216.34:1"]));
        let written = Addresses::written(listed(&[]));
        assert_eq!(allowed(&written), found(&["10.0.0.1:1", "93.184.216.34:1", "[::1]:1"]));
        let some = Addresses::named(listed(&["10.0.0.0/24", "169.254.169.254"]));
        assert_eq!(allowed(&some), found(&["10.0.0.1:1", "93.184.216.34:1", "169.254.169.254:1"]));
        let inside = Addresses::default().allowed(found(&["10.0.0.1:1", "[::1]:1"]).into_iter());
        assert_eq!(inside.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn a_server_leads_no_further_inside_than_it_is() {
        let named = |server: &'static str, named: &'static str| {
            let (server, named) = (Uri::from_static(server), Uri::from_static(named));
            Addresses::written(listed(&[])).beyond(&server, &named).check(&named).is_ok()
        };
        assert!(named("https://10.0.0.1/mcp", "https://10.0.0.1:8443/token"));
        assert!(!named("https://10.0.0.1/mcp", "https://10.0.0.2/token"));
        assert!(!named("https://server.example/mcp", "https://127.0.0.1/token"));
        assert!(!named("https://server.example/mcp", "https://localhost./token"));
        assert!(named("http://127.0.0.1:1/mcp", "http://localhost:2/token"));
        assert!(!named("http://127.0.0.1:1/mcp", "https://10.0.0.2/token"));
        assert!(named("https://server.example/mcp", "https://login.example/token"));
    }
}
