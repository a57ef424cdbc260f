//! `portcullis lock` and `portcullis diff`: what was expected of servers, written down, and what differs from it.

mod arguments;
mod comparison;
mod file;

use portcullis_decide::lock::{Drift, DriftKind, Locked, drift};
use portcullis_decide::suppression::is_match;
use portcullis_detect::escape_line;

use crate::Streams;
use crate::args::Shared;
use crate::exit::{Exit, Failure};
use crate::input::load::{Loaded, load};

pub(crate) use arguments::{DiffArguments, LockArguments, LockPlace};
pub(crate) use comparison::run as diff;
pub(crate) use file::replace;

impl LockPlace {
    /// The entries of the lock, which must be there.
    pub(crate) fn read(&self) -> Result<Vec<Locked>, Failure> {
        let missing = || {
            let path = self.lock.display();
            Failure::Usage(format!(
                "there is no {path}: portcullis lock FILE… writes one, --lock names another"
            ))
        };
        file::read(&self.lock)?.ok_or_else(missing)
    }
}

/// What a lock would say of what was loaded.
pub(crate) fn entries(loaded: &Loaded) -> Vec<Locked> {
    let of_server = |server: &crate::input::load::Server| -> Vec<Locked> {
        let pairs = server.definitions.iter().zip(&server.details);
        pairs.map(|(d, detail)| Locked::new(d.server(), d.kind(), d.name(), &detail.identity)).collect()
    };
    loaded.servers.iter().flat_map(of_server).collect()
}

pub(crate) fn server_names(loaded: &Loaded) -> Vec<Box<str>> {
    loaded.servers.iter().map(|server| server.name.as_str().into()).collect()
}

/// Runs `lock`.
pub(crate) fn run(
    arguments: &LockArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let path = &arguments.place.lock;
    let loaded = load(&arguments.inputs, streams.input)?;
    if write_gaps(&loaded, streams)? {
        writeln!(streams.err, "error: {} was not written: it would not hold everything", path.display())?;
        return Ok(Exit::Incomplete);
    }
    let known = file::read(path)?;
    let (seen, servers) = (entries(&loaded), server_names(&loaded));
    let drifts = drift(known.as_deref().unwrap_or_default(), &seen, &servers);
    let is_new = known.is_none();
    if !is_new && !arguments.update {
        if drifts.is_empty() {
            return Ok(Exit::Clean);
        }
        let path = path.display();
        let message = format!(
            "{path} says otherwise: portcullis diff shows where, portcullis lock --update accepts it"
        );
        return Err(Failure::Usage(message));
    }
    let selection = Selection { only: &arguments.only };
    selection.check(known.as_deref().unwrap_or_default(), &seen)?;
    let merged = selection.merged(known.unwrap_or_default(), seen, &servers);
    file::write(path, &merged)?;
    if !shared.is_quiet() {
        let chosen = drifts.iter().filter(|drift| !is_new && selection.takes(&drift.server, &drift.name));
        chosen.into_iter().try_for_each(|drift| write_accepted(drift, streams))?;
        writeln!(streams.err, "wrote {}: {} definitions", path.display(), merged.len())?;
    }
    Ok(Exit::Clean)
}

/// Says what was not looked at, and whether there was anything.
fn write_gaps(loaded: &Loaded, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    for gap in &loaded.gaps {
        let (subject, reason) = (escape_line(&gap.subject, 200), escape_line(&gap.reason, 400));
        writeln!(streams.err, "incomplete: {subject}: {reason}")?;
    }
    Ok(!loaded.gaps.is_empty())
}

fn write_accepted(drift: &Drift, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let (server, name) = (escape_line(&drift.server, 100), escape_line(&drift.name, 100));
    let done = match &drift.what {
        DriftKind::Changed { parts } => {
            let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
            format!("accepted the change of {}", parts.join(", "))
        }
        DriftKind::Unknown => "added".to_owned(),
        DriftKind::Renamed { from } => format!("added, renamed from {}", escape_line(from, 100)),
        DriftKind::Vanished => "removed".to_owned(),
    };
    Ok(writeln!(streams.err, "{server}/{name}: {done}")?)
}

/// Which entries an update touches: those of `--only`, or all of the servers that were read.
struct Selection<'a> {
    only: &'a [String],
}

impl Selection<'_> {
    fn takes(&self, server: &str, name: &str) -> bool {
        let subject = format!("{server}/{name}");
        self.only.is_empty() || self.only.iter().any(|pattern| is_match(pattern, &subject))
    }

    /// A pattern that names nothing is a slip of the finger.
    fn check(&self, known: &[Locked], seen: &[Locked]) -> Result<(), Failure> {
        let names = |pattern: &&String| {
            let is_it = |entry: &Locked| is_match(pattern, &format!("{}/{}", entry.server, entry.name));
            !known.iter().chain(seen).any(is_it)
        };
        match self.only.iter().find(names) {
            Some(pattern) => Err(Failure::Usage(format!("--only {pattern} names no definition"))),
            None => Ok(()),
        }
    }

    /// The lock with the selected entries of the servers that were read as they are now.
    fn merged(&self, known: Vec<Locked>, seen: Vec<Locked>, servers: &[Box<str>]) -> Vec<Locked> {
        let is_replaced =
            |entry: &Locked| servers.contains(&entry.server) && self.takes(&entry.server, &entry.name);
        let kept = known.into_iter().filter(|entry| !is_replaced(entry));
        let fresh = seen.into_iter().filter(|entry| self.takes(&entry.server, &entry.name));
        kept.chain(fresh).collect()
    }
}
