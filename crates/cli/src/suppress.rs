//! `portcullis suppress`: writes down that a finding is accepted, on exactly this content, and why.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use portcullis_decide::suppression::Suppression;
use portcullis_detect::fingerprint::Fingerprint;
use portcullis_report::suppressions::{self, read_date};

use crate::Streams;
use crate::args::Shared;
use crate::exit::{Exit, Failure};
use crate::explain::unknown;
use crate::lock::replace;
use crate::rules;

/// Where suppressions are unless somebody says otherwise.
const DEFAULT: &str = "portcullis.suppress";

/// Where the suppressions are.
#[derive(Debug, Args)]
pub(crate) struct SuppressionPlace {
    /// The suppressions: findings that were accepted, to be committed [default: portcullis.suppress].
    #[arg(long, value_name = "FILE", env = "PORTCULLIS_SUPPRESSIONS")]
    pub(crate) suppressions: Option<PathBuf>,
}

impl SuppressionPlace {
    fn path(&self) -> &Path {
        self.suppressions.as_deref().unwrap_or(Path::new(DEFAULT))
    }

    /// What is suppressed. A file that was named must be there, the default need not.
    pub(crate) fn read(&self) -> Result<Vec<Suppression>, Failure> {
        match (self.read_if_there()?, &self.suppressions) {
            (Some(entries), _) => Ok(entries),
            (None, None) => Ok(Vec::new()),
            (None, Some(path)) => Err(Failure::Usage(format!("there is no {}", path.display()))),
        }
    }

    fn read_if_there(&self) -> Result<Option<Vec<Suppression>>, Failure> {
        let path = self.path();
        let refused = |reason: &dyn std::fmt::Display| {
            Failure::Usage(format!("cannot read {}: {reason}", path.display()))
        };
        match fs::read_to_string(path) {
            Ok(text) => suppressions::read(&text).map(Some).map_err(|bad| refused(&bad)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused(&error)),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SuppressArguments {
    /// The fingerprint of the finding, CHECK@CONTENT, as `scan` shows it.
    #[arg(value_name = "FINGERPRINT")]
    pub(crate) fingerprint: String,
    /// Why the finding is accepted.
    #[arg(long, value_name = "TEXT", env = "PORTCULLIS_REASON")]
    pub(crate) reason: String,
    /// The first day on which it counts again, as 2030-01-31 (UTC).
    #[arg(long, value_name = "DATE", env = "PORTCULLIS_EXPIRES")]
    pub(crate) expires: Option<String>,
    /// Which server/tool it is for; * stands for any run of characters. The content binds it in any case.
    #[arg(long, value_name = "GLOB", default_value = "*", env = "PORTCULLIS_SUBJECT")]
    pub(crate) subject: String,
    /// Also know the rules in this file of your own.
    #[arg(long, value_name = "FILE", value_delimiter = ',', env = "PORTCULLIS_RULES")]
    pub(crate) rules: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) place: SuppressionPlace,
}

/// The clock of suppressions, in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Runs the command.
pub(crate) fn run(
    arguments: &SuppressArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let entry = suppression(arguments).map_err(Failure::Usage)?;
    let mut entries = arguments.place.read_if_there()?.unwrap_or_default();
    let is_same = |known: &Suppression| {
        (&known.check, &known.subject, known.content) == (&entry.check, &entry.subject, entry.content)
    };
    entries.retain(|known| !is_same(known));
    entries.push(entry);
    let order = |entry: &Suppression| (entry.check.clone(), entry.subject.clone(), *entry.content.as_bytes());
    entries.sort_by_cached_key(order);
    let path = arguments.place.path();
    replace(path, &suppressions::write(&entries))?;
    if !shared.is_quiet() {
        writeln!(streams.err, "wrote {}: {} suppressions", path.display(), entries.len())?;
    }
    Ok(Exit::Clean)
}

fn suppression(arguments: &SuppressArguments) -> Result<Suppression, String> {
    let (check, content) = arguments
        .fingerprint
        .split_once('@')
        .and_then(|(check, content)| Some((check, Fingerprint::from_hex(content)?)))
        .ok_or("a fingerprint is CHECK@ and 64 hexadecimal digits, as scan shows it")?;
    let detector = rules::detector(&arguments.rules).map_err(|failure| failure.to_string())?;
    if !detector.facts().any(|facts| facts.id == check) {
        return Err(unknown(check, detector.facts().map(|facts| facts.id)));
    }
    if arguments.reason.trim().is_empty() {
        return Err("a suppression needs a reason".into());
    }
    let expires = match &arguments.expires {
        Some(date) => Some(read_date(date).ok_or("--expires should be a date like 2030-01-31")?),
        None => None,
    };
    Ok(Suppression {
        check: check.into(),
        subject: arguments.subject.as_str().into(),
        content,
        reason: arguments.reason.as_str().into(),
        expires,
    })
}
