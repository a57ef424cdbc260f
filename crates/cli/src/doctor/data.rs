//! The data directory, or the database that stands in for it: who may enter, who writes, whether all is as it was written.

use std::path::Path;

use portcullis_detect::escape_line;
use portcullis_store::{ActivityReader, Chain, Filter, StoreError, health, read, read_directory};

use super::Line;
use crate::activity::is_open_to_others;

/// Below this a gateway has a day or so left; below the second, calls are about to be refused.
const LITTLE_SPACE: u64 = 1 << 30;
const NO_SPACE: u64 = 64 << 20;
/// Clocks of machines that share a database differ by a little.
const SKEW_US: i64 = 300 * 1_000_000;
/// Characters of what a database says about itself.
const LONGEST_LINE: usize = 200;

/// Everything about a data directory.
pub(super) fn directory(data: &Path) -> Vec<Line> {
    let place = data.display();
    if !data.exists() {
        return vec![Line::warn("data", format!("{place} is not there yet"), "`portcullis serve` makes it")];
    }
    let mut lines = vec![Line::ok("data", place.to_string())];
    for (path, mode) in
        [(data.to_owned(), "700"), (data.join("keys"), "700"), (data.join("keys/chain.key"), "600")]
    {
        if is_open_to_others(&path) {
            let message = format!("others may read {}", path.display());
            lines.push(Line::warn("permissions", message, format!("chmod {mode} {}", path.display())));
        }
    }
    lines.extend(space(data));
    let reader = match ActivityReader::open(data) {
        Ok(reader) => reader,
        Err(StoreError::Absent { .. }) => {
            lines.push(Line::ok("store", "nothing was recorded yet"));
            return lines;
        }
        Err(error) => {
            lines.push(Line::fail(
                "store",
                error.to_string(),
                "see docs/storage.md, \"When something is wrong\"",
            ));
            return lines;
        }
    };
    lines.push(match reader.holder() {
        Some(holder) => Line::ok("lock", format!("process {holder} writes here")),
        None => Line::ok("lock", "nobody writes here now"),
    });
    lines.push(index(&reader));
    lines.extend(clock(&reader));
    lines.extend(chains(read_directory(data).and_then(|reader| reader.verify())));
    lines
}

/// Everything about a store in a database.
pub(super) fn database(address: &str, data: &Path) -> Vec<Line> {
    let health = match health(address, data) {
        Ok(health) => health,
        Err(error) => return vec![Line::fail("store", error.to_string(), "see docs/storage.md")],
    };
    let encryption = if health.is_encrypted { "encrypted, server verified" } else { "not encrypted" };
    let server = escape_line(&health.server, LONGEST_LINE);
    let mut lines = vec![Line::ok("store", format!("{} ({encryption}), PostgreSQL {server}", health.place))];
    lines.push(Line::ok("keys", data.join("postgres").join("keys").display().to_string()));
    lines.extend(
        health
            .writers
            .iter()
            .map(|(writer, last)| Line::ok("chain", format!("{writer}: {last} records written"))),
    );
    lines.push(match health.registry {
        Some(rows) => Line::ok("registry", format!("{rows} rows, all sealed")),
        None => {
            Line::warn("registry", "not checked, chain.key is not here", "run doctor where a gateway runs")
        }
    });
    let warned = health.warnings.iter().map(|warning| {
        Line::warn("database", warning.to_string(), "see docs/storage.md for what a database must promise")
    });
    lines.extend(warned);
    lines.extend(chains(read(address, data).and_then(|reader| reader.verify())));
    lines
}

fn index(reader: &ActivityReader) -> Line {
    match reader.index_fault() {
        Ok(Some(fault)) => {
            Line::warn("index", format!("it is damaged ({fault})"), "a gateway that starts builds it anew")
        }
        Ok(None) => match reader.lag() {
            Ok(lag) => Line::ok("index", format!("{lag} records behind")),
            Err(error) => Line::fail("index", error.to_string(), "start a gateway, which builds it anew"),
        },
        Err(error) => Line::fail("index", error.to_string(), "start a gateway, which builds it anew"),
    }
}

/// A clock that was set back makes times of records lie, and tokens live longer.
fn clock(reader: &ActivityReader) -> Option<Line> {
    let newest = reader.list(&Filter::default(), None, 1).ok()?.entries.first()?.at_us;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    let now = i64::try_from(now.as_micros()).ok()?;
    let line = match newest.saturating_sub(now) {
        ahead if ahead > SKEW_US => {
            let message =
                format!("it was {} seconds later when the last record was written", ahead / 1_000_000);
            Line::warn("clock", message, "set the clock, for example by `timedatectl set-ntp true`")
        }
        _ => Line::ok("clock", "not before the last record"),
    };
    Some(line)
}

/// A line for every chain.
fn chains(verified: Result<Vec<Chain>, StoreError>) -> Vec<Line> {
    let line = |Chain { writer, verdict }: &Chain| match &verdict.bad {
        Some(bad) => {
            let message =
                format!("record {} of chain {writer}: {} ({})", bad.seq, bad.what, bad.path.display());
            Line::fail(
                "activity",
                message,
                "somebody changed the record: `portcullis activity verify` says what still holds",
            )
        }
        None => {
            let count = (verdict.last + 1).saturating_sub(verdict.first);
            Line::ok("activity", format!("{count} records of chain {writer} are as they were written"))
        }
    };
    match verified {
        Ok(chains) => chains.iter().map(line).collect(),
        Err(error) => vec![Line::fail("activity", error.to_string(), "see docs/activity.md")],
    }
}

#[cfg(unix)]
fn space(data: &Path) -> Option<Line> {
    let about = rustix::fs::statvfs(data).ok()?;
    let free = about.f_bavail.saturating_mul(about.f_frsize);
    let message = format!("{} MB are free", free >> 20);
    let advice = "make room, or keep records for a shorter time; calls that cannot be recorded are refused";
    Some(match free {
        ..NO_SPACE => Line::fail("space", message, advice),
        NO_SPACE..LITTLE_SPACE => Line::warn("space", message, advice),
        _ => Line::ok("space", message),
    })
}

#[cfg(not(unix))]
fn space(_data: &Path) -> Option<Line> {
    None
}
