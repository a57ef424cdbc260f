//! `portcullis uninstall`: gives clients their files back.

use std::path::Path;

use portcullis_detect::escape_line;

use super::arguments::UninstallArguments;
use super::file::{self, Content};
use super::ledger::{Ledger, Record};
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
    for record in &records {
        let path = Path::new(&record.file);
        if let Err(reason) = file(&mut ledger, record, path, place.dry_run, streams)? {
            writeln!(streams.err, "error: {}: {reason}", shown(path))?;
            exit = Exit::Incomplete;
        }
    }
    Ok(exit)
}

/// How a file is put back.
struct Restored {
    text: String,
    left: Vec<Rewrite>,
    how: &'static str,
}

fn file(
    ledger: &mut Ledger,
    record: &Record,
    path: &Path,
    is_dry: bool,
    streams: &mut Streams<'_>,
) -> Result<Result<(), String>, Failure> {
    let place = shown(path);
    if !path.exists() {
        writeln!(streams.out, "{place}: is gone; there is nothing to put back")?;
        if !is_dry {
            writeln!(streams.out, "  what it was is in {}", shown(&ledger.backup_path(record)))?;
            ledger.forget(record, true)?;
        }
        return Ok(Ok(()));
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
        return Ok(Ok(()));
    }
    if restored.text != content.text
        && let Err(reason) = file::replace(&content, &restored.text)
    {
        return Ok(Err(reason));
    }
    ledger.forget(record, !restored.left.is_empty())?;
    Ok(Ok(()))
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
