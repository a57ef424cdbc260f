//! `portcullis uninstall`: gives clients their files back.

use std::path::Path;

use portcullis_detect::escape_line;

use super::arguments::UninstallArguments;
use super::file::{self, Content};
use super::ledger::{Ledger, Record};
use super::own::Own;
use super::rewrite::{self, Rewrite};
use super::{preview, shown};
use crate::Streams;
use crate::activity::data_directory;
use crate::exit::{Exit, Failure};

/// Runs the command.
pub(crate) fn uninstall(arguments: &UninstallArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let place = &arguments.place;
    let clients = place.clients()?;
    let data = data_directory(place.data.as_deref())?;
    let mut ledger = if place.dry_run { Ledger::look(&data)? } else { Ledger::open(&data)? };
    let is_meant = |record: &&Record| clients.iter().any(|client| client.id == record.client);
    let records: Vec<Record> = ledger.records().iter().filter(is_meant).cloned().collect();
    if records.is_empty() {
        writeln!(streams.out, "nothing of these clients was changed by install")?;
    }
    let mut exit = Exit::Clean;
    let mut undone = Vec::new();
    for record in &records {
        let path = Path::new(&record.file);
        match file(&mut ledger, record, path, place.dry_run, streams)? {
            Ok(entries) => undone.extend(entries),
            Err(reason) => {
                writeln!(streams.err, "error: {}: {reason}", shown(path))?;
                exit = Exit::Incomplete;
            }
        }
    }
    if !place.dry_run && !dismiss(&ledger, &data, &undone, streams)? {
        exit = Exit::Incomplete;
    }
    Ok(exit)
}

/// Revokes the tokens of entries that are gone, and removes the servers nothing leads to any more; `false` if not all.
fn dismiss(
    ledger: &Ledger,
    data: &Path,
    entries: &[Rewrite],
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    let remote: Vec<_> = entries.iter().filter_map(|entry| Some((entry, entry.token.as_deref()?))).collect();
    if remote.is_empty() {
        return Ok(true);
    }
    let (own, mut is_whole) = (Own::as_it_is(data)?, true);
    for (index, (entry, token)) in remote.iter().enumerate() {
        let mut others = remote.iter().skip(index + 1);
        let is_last = !ledger.leads_to(&entry.name) && !others.any(|(other, _)| other.name == entry.name);
        if let Err(reason) = own.dismiss(&entry.name, token, is_last) {
            is_whole = false;
            writeln!(
                streams.err,
                "warning: the gateway still has what was made for {}: {reason}",
                entry.name
            )?;
        }
    }
    Ok(is_whole)
}

/// How a file is put back.
struct Restored {
    text: String,
    left: Vec<Rewrite>,
    how: &'static str,
}

/// Puts one file back; the entries that lead nowhere of ours any more.
fn file(
    ledger: &mut Ledger,
    record: &Record,
    path: &Path,
    is_dry: bool,
    streams: &mut Streams<'_>,
) -> Result<Result<Vec<Rewrite>, String>, Failure> {
    let place = shown(path);
    if !path.exists() {
        writeln!(streams.out, "{place}: is gone; there is nothing to put back")?;
        if !is_dry {
            writeln!(streams.out, "  what it was is in {}", shown(&ledger.backup_path(record)))?;
            ledger.forget(record, true)?;
        }
        return Ok(Ok(record.entries.clone()));
    }
    let content = match file::read(path) {
        Ok(content) => content,
        Err(reason) => return Ok(Err(reason)),
    };
    let restored = match restored(ledger, record, &content) {
        Ok(restored) => restored,
        Err(reason) => return Ok(Err(reason)),
    };
    writeln!(streams.out, "{place}: {}", restored.how)?;
    for rewrite in &restored.left {
        let name = rewrite.way.last().map(|name| escape_line(name, super::LONGEST_NAME)).unwrap_or_default();
        writeln!(
            streams.out,
            "  {name}: left, somebody changed it since; what it was is in {}",
            shown(&ledger.backup_path(record))
        )?;
    }
    if is_dry {
        write!(streams.out, "{}", preview::difference(&place, &content.text, &restored.text, record.format))?;
        return Ok(Ok(Vec::new()));
    }
    if restored.text != content.text
        && let Err(reason) = file::replace(&content, &restored.text)
    {
        return Ok(Err(reason));
    }
    ledger.forget(record, !restored.left.is_empty())?;
    let is_left = |entry: &&Rewrite| restored.left.iter().any(|left| left.way == entry.way);
    Ok(Ok(record.entries.iter().filter(|entry| !is_left(entry)).cloned().collect()))
}

fn restored(ledger: &Ledger, record: &Record, content: &Content) -> Result<Restored, String> {
    let now = file::hash(&content.text);
    if now == record.before {
        let text = content.text.clone();
        return Ok(Restored { text, left: Vec::new(), how: "is as it was before install" });
    }
    if now == record.after
        && let Some(text) = ledger.backup(record)
    {
        return Ok(Restored { text, left: Vec::new(), how: "restored byte for byte" });
    }
    let undone = rewrite::undo(&content.text, record.format, &record.entries)
        .map_err(|problem| problem.to_string())?;
    let how = "changed since install: only our entries were undone";
    Ok(Restored { text: undone.text, left: undone.left, how })
}
