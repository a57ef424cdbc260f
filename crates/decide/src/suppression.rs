//! Findings an operator accepted: which check, on what, for how long, and why.
//!
//! A suppression names the content it was seen on, so a changed tool un-suppresses itself.

use alloc::boxed::Box;
use alloc::format;
use portcullis_detect::Signal;
use portcullis_detect::fingerprint::Fingerprint;

use crate::Finding;

/// One accepted finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The check, by id.
    pub check: Box<str>,
    /// Which `server/tool`; `*` stands for any run of characters.
    pub subject: Box<str>,
    /// The content it was seen on.
    pub content: Fingerprint,
    /// Why it is accepted.
    pub reason: Box<str>,
    /// The first moment it no longer counts, in milliseconds since 1970.
    pub expires: Option<u64>,
}

impl Suppression {
    /// Whether its time is over.
    pub fn is_expired(&self, now: u64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether it speaks of a check on this finding, expired or not.
    pub(crate) fn is_about(&self, finding: &Finding, check: &str) -> bool {
        let subject = || format!("{}/{}", finding.server, finding.name);
        *self.check == *check
            && finding.fingerprint == Some(self.content)
            && is_match(&self.subject, &subject())
    }
}

/// A check's word on one definition that was suppressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// The finding with only the suppressed check in it.
    pub finding: Finding,
    /// Its strongest signal.
    pub signal: Signal,
    /// What suppressed it.
    pub by: Suppression,
}

/// Why a suppression did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// Its time is over.
    Expired,
    /// Nothing it speaks of was found.
    Unused,
}

impl Idle {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Idle::Expired => "expired",
            Idle::Unused => "unused",
        }
    }
}

/// Whether a text is what a pattern says; `*` stands for any run of characters.
pub fn is_match(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return text.ends_with(piece);
        }
        // Taking the first place is enough: what follows a star may start anywhere after it.
        let Some((_, after)) = text.split_once(piece) else { return false };
        text = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_run() {
        for (pattern, text) in [
            ("*", ""),
            ("a/*", "a/b"),
            ("*/b", "a/b"),
            ("a*b*c", "axxbyybc"),
            ("a/b", "a/b"),
            ("**", "x"),
            ("*a", "aa"),
        ] {
            assert!(is_match(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("a/*", "b/a/"), ("a*b*c", "acb"), ("a", "ab"), ("", "a"), ("*ab", "b"), ("ab*ba", "aba")]
        {
            assert!(!is_match(pattern, text), "{pattern} {text}");
        }
    }
}
