//! Signing in: links that work once, and the cookie a browser shows afterwards.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use http::HeaderMap;
use http::header::{COOKIE, HOST, HeaderName, ORIGIN};
use sha2::{Digest, Sha256};

use crate::gate::Gate;

/// Where somebody signs in.
pub(crate) const SIGN_IN: &str = "/sign-in";
/// How long a link works.
pub(crate) const LINK_LIVES: Duration = Duration::from_secs(600);
/// How long somebody stays signed in.
pub(super) const STAYS: Duration = Duration::from_secs(12 * 3600);
/// Links that are open at a time.
const MOST_LINKS: usize = 64;
const SESSION: &str = "portcullis_session";
const THEME: &str = "portcullis_theme";
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Links that were made and not used. Only their hashes are kept.
#[derive(Default)]
pub(crate) struct SignIns(Mutex<HashMap<[u8; 32], Instant>>);

impl SignIns {
    /// What a new link carries; `None` if there are no random numbers, or too many links are open.
    fn make(&self) -> Option<String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        let once = BASE64URL_NOPAD.encode(&bytes);
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|_, made| made.elapsed() < LINK_LIVES);
        if links.len() >= MOST_LINKS {
            return None;
        }
        links.insert(Sha256::digest(&once).into(), Instant::now());
        Some(once)
    }

    /// Uses a link up; `false` if it is none.
    pub(super) fn take(&self, once: &str) -> bool {
        let hash: [u8; 32] = Sha256::digest(once).into();
        let made = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&hash);
        made.is_some_and(|made| made.elapsed() < LINK_LIVES)
    }
}

impl Gate {
    /// A link that signs an admin in, once; `None` if nobody listens.
    pub(crate) fn sign_in_link(&self) -> Option<String> {
        let mut address = *self.address.get()?;
        // Who listens everywhere is reached on the loopback.
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let scheme = if self.settings.tls.is_some() { "https" } else { "http" };
        Some(format!("{scheme}://{address}{SIGN_IN}?once={}", self.sign_ins.make()?))
    }
}

/// What a browser shows of itself.
pub(super) fn shown(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, SESSION)
}

/// How somebody wants pages to look.
pub(super) fn theme(headers: &HeaderMap) -> portcullis_dashboard::Theme {
    portcullis_dashboard::Theme::named(cookie(headers, THEME).unwrap_or_default())
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// A cookie that signs in, or out if it says nothing. Scripts do not see it, and no other site makes a browser send it.
pub(super) fn session_cookie(text: &str, is_tls: bool) -> String {
    let lives = if text.is_empty() { 0 } else { STAYS.as_secs() };
    let secure = if is_tls { "; Secure" } else { "" };
    format!("{SESSION}={text}; Path=/; HttpOnly; SameSite=Strict; Max-Age={lives}{secure}")
}

pub(super) fn theme_cookie(word: &str) -> String {
    format!("{THEME}={word}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000")
}

/// What a change must carry: only a page of ours knows it, and it says nothing about the cookie.
pub(super) fn csrf(cookie: &str) -> String {
    HEXLOWER.encode(&Sha256::new().chain_update("csrf ").chain_update(cookie).finalize())
}

/// Whether a change comes from a page of ours. Other pages of this machine are let in elsewhere, not here.
pub(super) fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_own_origin =
        text(&ORIGIN).is_none_or(|origin| origin.split_once("://").map(|(_, host)| host) == text(&HOST));
    is_own_origin && text(&SITE).is_none_or(|site| matches!(site, "same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once_and_few_are_open() {
        let links = SignIns::default();
        let once = links.make().unwrap_or_default();
        assert!(!links.take("other") && links.take(&once) && !links.take(&once));
        let made = (0..MOST_LINKS + 1).filter(|_| links.make().is_some()).count();
        assert_eq!(made, MOST_LINKS);
    }

    #[test]
    fn cookies_are_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.insert(
            COOKIE,
            http::HeaderValue::from_static("a=b; portcullis_session=x=y; portcullis_theme=dark"),
        );
        assert_eq!(shown(&headers), Some("x=y"));
        assert_eq!(theme(&headers), portcullis_dashboard::Theme::Dark);
    }

    #[test]
    fn other_pages_change_nothing() {
        for (origin, site, expected) in [
            (None, None, true),
            (Some("http://127.0.0.1:3000"), Some("same-origin"), true),
            (Some("http://127.0.0.1:5173"), Some("same-site"), false),
            (Some("null"), None, false),
            (None, Some("cross-site"), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, http::HeaderValue::from_static("127.0.0.1:3000"));
            origin.map(|origin| headers.insert(ORIGIN, http::HeaderValue::from_static(origin)));
            site.map(|site| headers.insert(SITE, http::HeaderValue::from_static(site)));
            assert_eq!(is_own(&headers), expected, "{origin:?} {site:?}");
        }
    }
}
