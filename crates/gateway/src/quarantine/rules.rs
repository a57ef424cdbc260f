//! What an operator wrote down about quarantine.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use portcullis_decide::approval::Settings;
use portcullis_decide::lock::Locked;
use portcullis_decide::suppression::{Suppression, is_match};
use portcullis_detect::fingerprint::{Fingerprint, Volatile};
use portcullis_detect::{Detector, Kind, rules};

/// How long a server's definitions are taken to be the same without a word from it.
const RECHECK: Duration = Duration::from_secs(60);

/// What an operator wrote down about quarantine.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What is held.
    pub approval: Settings,
    /// What the lock says, for servers that are pinned to it.
    pub lock: Vec<Locked>,
    /// Findings that were accepted.
    pub suppressions: Vec<Suppression>,
    /// Spans that may change from day to day.
    pub volatile: Vec<VolatileMark>,
    /// How long a server's definitions are taken to be the same without a word from it.
    pub recheck: Duration,
    /// Whether an agent may hold a whole server, until a human lifts that.
    pub agents_may_quarantine: bool,
    /// Checks of the operator's own, beside the shipped ones.
    pub own: Option<OwnRules>,
}

/// Checks of the operator's own.
#[derive(Clone)]
pub struct OwnRules {
    /// Ready to run, and proved by their examples.
    pub rules: Arc<rules::Rules>,
    /// What they are recognised by: when it differs, what was scanned before is scanned again.
    pub print: String,
}

impl fmt::Debug for OwnRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnRules").field("print", &self.print).finish_non_exhaustive()
    }
}

/// A span of a definition that may change from day to day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolatileMark {
    /// Which `server/tool`; `*` stands for any run of characters.
    pub subject: Box<str>,
    /// Where in it, and what.
    pub mark: Volatile,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            approval: Settings::default(),
            lock: Vec::new(),
            suppressions: Vec::new(),
            volatile: Vec::new(),
            recheck: RECHECK,
            agents_may_quarantine: true,
            own: None,
        }
    }
}

impl Rules {
    /// The shipped checks, and the operator's own.
    pub(crate) fn detector(&self) -> Detector {
        match &self.own {
            Some(own) => own.rules.added_to(Detector::new()),
            None => Detector::new(),
        }
    }

    pub(crate) fn volatile(&self, server: &str, name: &str) -> Vec<Volatile> {
        let subject = format!("{server}/{name}");
        let marks = self.volatile.iter().filter(|mark| is_match(&mark.subject, &subject));
        marks.map(|mark| mark.mark.clone()).collect()
    }

    /// What the lock says a definition is.
    pub(crate) fn locked(&self, server: &str, kind: Kind, name: &str) -> Option<Fingerprint> {
        let is_it = |entry: &&Locked| *entry.server == *server && entry.kind == kind && *entry.name == *name;
        self.lock.iter().find(is_it).map(|entry| entry.fingerprint)
    }
}
