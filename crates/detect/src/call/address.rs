//! Addresses in arguments: links, hosts and mail addresses; whether they lead outside, and whether they hide it.

use crate::prelude::*;
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use once_cell::race::OnceBox;

const COLLECTORS: &str = include_str!("../../data/collectors.txt");

/// What an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressKind {
    Link,
    Mail,
    Host,
    Phone,
}

/// One address of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) kind: AddressKind,
    /// The host in lower case, without port and user.
    pub(crate) host: String,
    /// What stands behind the host.
    pub(crate) rest: String,
    /// A spelling chosen to look like something else, in words.
    pub(crate) disguise: Option<&'static str>,
    /// Leads to this machine, a private network or a metadata service.
    pub(crate) is_internal: bool,
}

impl Address {
    /// A telephone number; it has no host.
    pub(crate) fn phone() -> Address {
        Address {
            kind: AddressKind::Phone,
            host: "a telephone number".to_owned(),
            rest: String::new(),
            disguise: None,
            is_internal: false,
        }
    }

    /// Whether the host leads to a machine behind a tunnel: developers use them, and so do thieves.
    pub(crate) fn is_tunnel(&self) -> bool {
        const TUNNELS: [&str; 10] = [
            "ngrok.io",
            "ngrok.app",
            "ngrok-free.app",
            "ngrok-free.dev",
            "localtunnel.me",
            "loca.lt",
            "serveo.net",
            "trycloudflare.com",
            "localhost.run",
            "bore.pub",
        ];
        suffixes(&self.host).any(|suffix| TUNNELS.contains(&suffix))
    }

    /// Whether the host is known to catch what is sent to it.
    pub(crate) fn is_collector(&self) -> bool {
        static TABLE: OnceBox<HashSet<&'static str, FixedState>> = OnceBox::new();
        let table = TABLE.get_or_init(|| {
            Box::new(COLLECTORS.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect())
        });
        suffixes(&self.host).any(|suffix| table.contains(suffix))
    }
}

/// `a.b.c`, `b.c`, `c`.
fn suffixes(host: &str) -> impl Iterator<Item = &str> {
    let starts = host.char_indices().filter(|(_, c)| *c == '.').map(|(at, _)| at + 1);
    core::iter::once(0).chain(starts).filter_map(|start| host.get(start..))
}

/// Whether `://` stands in a text.
pub(crate) fn has_scheme(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b':', bytes).any(|at| bytes.get(at + 1..at + 3) == Some(b"//"))
}

/// Addresses looked at in one text.
const MOST: usize = 64;

/// All addresses of a text, in order.
pub(crate) fn all(text: &str) -> Vec<Address> {
    let is_end = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ',' | ';' | '|' | '`' | '{' | '}')
    };
    let mut found = Vec::new();
    let mut behind = 0;
    // Without one of these a chunk is a word.
    for sign in memchr::memchr3_iter(b'.', b'@', b':', text.as_bytes()) {
        if sign < behind || found.len() >= MOST {
            continue;
        }
        let (before, rest) =
            (text.get(behind..sign).unwrap_or_default(), text.get(sign..).unwrap_or_default());
        let start = before
            .char_indices()
            .rfind(|(_, c)| is_end(*c))
            .map_or(behind, |(at, c)| behind + at + c.len_utf8());
        let end = rest.find(is_end).map_or(text.len(), |at| sign + at);
        behind = end;
        let chunk = text.get(start..end).unwrap_or_default();
        if chunk.len() > 3 {
            let chunk = trim(chunk);
            let may_be_address = chunk.bytes().any(|byte| matches!(byte, b'.' | b'@' | b':'));
            found.extend(may_be_address.then(|| read(chunk)).flatten());
        }
    }
    found
}

fn trim(chunk: &str) -> &str {
    chunk.trim_start_matches(['(', '[', '!', '*']).trim_end_matches([')', '.', ':', '!', '?', '*', ']'])
}

fn read(chunk: &str) -> Option<Address> {
    // A link in Markdown: `[text](https://…`.
    let chunk = match chunk.bytes().any(|byte| byte == b']') {
        true => chunk.rsplit_once("](").map_or(chunk, |(_, link)| link),
        false => chunk,
    };
    if has_scheme(chunk)
        && let Some((scheme, rest)) = chunk.split_once("://")
    {
        let is_scheme = scheme.chars().all(|c| c.is_ascii_alphanumeric()) && !scheme.is_empty();
        return if is_scheme { link(rest) } else { None };
    }
    if let Some((user, host)) = chunk.rsplit_once('@') {
        let user = user.strip_prefix("mailto:").unwrap_or(user);
        let is_mail = !user.is_empty() && is_host(host) && !user.contains('/');
        return is_mail.then(|| Address::new(AddressKind::Mail, host, "", None));
    }
    let (host, rest) = chunk.split_at(chunk.find(['/', '?', '#']).unwrap_or(chunk.len()));
    let host = without_port(host);
    let is_named = is_host(host) && !is_file_like(host) && (host.contains('.') && host.len() > 4);
    is_named.then(|| Address::new(AddressKind::Host, host, rest, None))
}

fn link(rest: &str) -> Option<Address> {
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    let (host, has_user) = match authority.rsplit_once('@') {
        Some((_, host)) => (host, true),
        None => (authority, false),
    };
    let host = without_port(host);
    if host.is_empty() {
        return None;
    }
    let disguise = has_user.then_some("the part before the @ is not the host");
    Some(Address::new(AddressKind::Link, host, path, disguise))
}

fn without_port(host: &str) -> &str {
    if let Some(bracketed) = host.strip_prefix('[') {
        return bracketed.split(']').next().unwrap_or_default();
    }
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_host(host: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_numeric = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    host.split('.').count() > 1
        && host.split('.').all(is_label)
        && (last.chars().all(char::is_alphabetic) && last.chars().count() > 1
            || is_numeric && ipv4(host).is_some())
}

fn is_file_like(host: &str) -> bool {
    const ENDINGS: [&str; 30] = [
        "txt", "md", "pdf", "doc", "docx", "xls", "xlsx", "csv", "json", "xml", "html", "htm", "png", "jpg",
        "jpeg", "gif", "zip", "log", "py", "js", "ts", "rs", "go", "java", "yaml", "yml", "toml", "sql",
        "ini", "env",
    ];
    let last = host.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    ENDINGS.contains(&last.as_str()) && host.matches('.').count() == 1
}

impl Address {
    fn new(kind: AddressKind, host: &str, rest: &str, disguise: Option<&'static str>) -> Address {
        let host = host.trim_end_matches('.').to_lowercase();
        let plain = ipv4(&host);
        let odd = if plain.is_none() { odd_ipv4(&host) } else { None };
        let mapped = host.rsplit_once(':').and_then(|(head, tail)| {
            let is_mapped = head.trim_matches(':').is_empty() || head.ends_with("ffff");
            is_mapped.then(|| ipv4(tail)).flatten()
        });
        let number = plain.or(odd).or(mapped);
        let is_internal = number.is_some_and(is_private) || is_private_name(&host) || is_private_v6(&host);
        let disguise = if odd.is_some() {
            Some("a number spelt so that it does not look like an address")
        } else if mapped.is_some_and(is_private) {
            Some("a private address inside an IPv6 address")
        } else if is_internal && is_rebinding(&host) {
            Some("a public name that stands for a private address")
        } else {
            disguise
        };
        Address { kind, host, rest: rest.to_owned(), disguise, is_internal }
    }
}

fn ipv4(host: &str) -> Option<u32> {
    let mut value = 0u32;
    let mut parts = 0;
    for part in host.split('.') {
        let is_plain = !part.is_empty() && part.len() <= 3 && (part == "0" || !part.starts_with('0'));
        let number: u32 = part.parse().ok().filter(|number| *number < 256 && is_plain)?;
        value = value << 8 | number;
        parts += 1;
    }
    (parts == 4).then_some(value)
}

/// `2130706433`, `0x7f000001`, `0177.0.0.1`, `127.1`: spellings that libraries accept and readers do not see.
fn odd_ipv4(host: &str) -> Option<u32> {
    let number = |part: &str| -> Option<u64> {
        if let Some(hex) = part.strip_prefix("0x") {
            return u64::from_str_radix(hex, 16).ok();
        }
        match part.strip_prefix('0') {
            Some(octal) if !octal.is_empty() => u64::from_str_radix(octal, 8).ok(),
            _ => part.parse().ok(),
        }
    };
    let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if parts.len() > 4 || first.iter().any(|part| *part > 255) {
        return None;
    }
    let shift = 8 * (4 - first.len());
    let head = first.iter().fold(0u64, |sum, part| sum << 8 | part) << shift.min(63);
    let head = if first.is_empty() { 0 } else { head };
    (*last < 1 << shift).then(|| u32::try_from(head + last).ok()).flatten()
}

fn is_private(address: u32) -> bool {
    let [a, b, ..] = address.to_be_bytes();
    matches!((a, b), (10 | 127 | 0, _) | (192, 168) | (169, 254) | (172, 16..=31) | (100, 64..=127))
}

fn is_private_v6(host: &str) -> bool {
    host.contains(':')
        && (host == "::1"
            || host == "::"
            || ["fc", "fd", "fe8", "fe9", "fea", "feb"].iter().any(|start| host.starts_with(start)))
}

fn is_private_name(host: &str) -> bool {
    const ENDINGS: [&str; 8] =
        [".local", ".internal", ".lan", ".corp", ".home.arpa", ".localdomain", ".intranet", ".localhost"];
    host == "localhost" || ENDINGS.iter().any(|ending| host.ends_with(ending)) || is_rebinding(host)
}

/// `10.0.0.1.nip.io` and its kind answer with the address in their name.
fn is_rebinding(host: &str) -> bool {
    const SERVICES: [&str; 4] = ["nip.io", "sslip.io", "xip.io", "localtest.me"];
    SERVICES
        .iter()
        .any(|service| host.strip_suffix(service).is_some_and(|head| head.is_empty() || head.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<String> {
        all(text).into_iter().map(|address| address.host).collect()
    }

    #[test]
    fn links_hosts_and_mail_addresses_are_found() {
        assert_eq!(
            hosts("to ann@tide.example, see https://u@Docs.Tide.example:8443/a?b"),
            ["tide.example", "docs.tide.example"]
        );
        assert_eq!(hosts("[x](https://a.example/p) and www.b.example/q."), ["a.example", "www.b.example"]);
        assert_eq!(hosts("notes.txt, 3.14, e.g. and v1.2"), [""; 0]);
    }

    #[test]
    fn internal_addresses_are_known_in_any_spelling() {
        for host in [
            "10.1.2.3",
            "127.0.0.1",
            "0x7f000001",
            "2130706433",
            "0177.0.0.1",
            "127.1",
            "[::ffff:127.0.0.1]",
            "[::1]",
            "169.254.169.254",
            "db.corp",
            "localhost:8080",
            "10.0.0.1.nip.io",
        ] {
            let found = all(&format!("http://{host}/x"));
            assert!(found.iter().any(|address| address.is_internal), "{host}: {found:?}");
        }
        for host in ["8.8.8.8", "tide.example", "172.32.0.1"] {
            assert!(all(&format!("http://{host}/x")).iter().all(|address| !address.is_internal), "{host}");
        }
    }

    #[test]
    fn disguises_are_named() {
        for link in ["http://2130706433/", "http://bank.example@evil.example/", "http://[::ffff:10.0.0.1]/"] {
            assert!(all(link).iter().any(|address| address.disguise.is_some()), "{link}");
        }
        assert!(all("https://tide.example/@ann").iter().all(|address| address.disguise.is_none()));
    }

    #[test]
    fn collectors_are_known_with_their_subdomains() {
        assert!(all("https://abc.webhook.site/1").iter().all(Address::is_collector));
        assert!(!all("https://mywebhook.site.example/1").iter().any(Address::is_collector));
    }
}
