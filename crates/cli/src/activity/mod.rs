//! `activity` and `doctor`: reads the record of what was done, and says whether it can be trusted.

mod arguments;
mod export;
mod place;
mod time;

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

pub(crate) use arguments::{ActivityArguments, DoctorArguments};
use arguments::{ActivityCommand, ListArguments, ShowArguments, SummaryArguments, WatchArguments};
use portcullis_detect::escape_line;
use portcullis_store::{ActivityReader, Entry, Filter, Verdict, json_line, time_text, verify};

use crate::Streams;
use crate::args::ListFormat;
use crate::exit::{Exit, Failure};

/// How often `watch` looks.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Records `watch` shows at most of those that came since it last looked.
const MOST_AT_ONCE: usize = 10_000;
/// Characters of names shown on a line.
const LONGEST_LINE: usize = 200;
/// Characters of a value shown: more than is stored of one.
const LONGEST_VALUE: usize = 8_192;
/// Values of one dimension in a summary for people.
const MOST_IN_SUMMARY: usize = 10;

pub(crate) fn run(arguments: &ActivityArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let data = place::chosen(arguments.data.as_deref())?;
    if let ActivityCommand::Verify = arguments.command {
        return report(&verify(&data)?, streams);
    }
    let reader = ActivityReader::open(&data)?;
    match &arguments.command {
        ActivityCommand::Verify => {}
        ActivityCommand::List(arguments) => list(&reader, arguments, streams)?,
        ActivityCommand::Show(arguments) => show(&reader, arguments, streams)?,
        ActivityCommand::Watch(arguments) => watch(&reader, arguments, streams)?,
        ActivityCommand::Summary(arguments) => summary(&reader, arguments, streams)?,
        ActivityCommand::Export(arguments) => export::export(&reader, arguments, streams)?,
    }
    Ok(Exit::Clean)
}

/// Looks at everything about the data directory that could be wrong.
pub(crate) fn doctor(arguments: &DoctorArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let data = place::chosen(arguments.data.as_deref())?;
    writeln!(streams.out, "data directory: {}", data.display())?;
    let reader = ActivityReader::open(&data)?;
    match reader.holder() {
        Some(holder) => writeln!(streams.out, "written by: process {holder}")?,
        None => writeln!(streams.out, "written by: nobody now")?,
    }
    for (path, mode) in
        [(data.clone(), "700"), (data.join("keys"), "700"), (data.join("keys/chain.key"), "600")]
    {
        if place::is_open_to_others(&path) {
            writeln!(streams.out, "warning: others may read it; chmod {mode} {}", path.display())?;
        }
    }
    match reader.index_fault()? {
        Some(fault) => writeln!(
            streams.out,
            "warning: the index is damaged ({fault}); it is built anew when a gateway starts"
        )?,
        None => writeln!(streams.out, "index: {} records behind", reader.lag()?)?,
    }
    report(&verify(&data)?, streams)
}

fn report(verdict: &Verdict, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if let Some(bad) = &verdict.bad {
        writeln!(streams.out, "error[activity.changed]: record {}: {}", bad.seq, bad.what)?;
        writeln!(streams.out, " --> {}", bad.path.display())?;
        writeln!(
            streams.out,
            " = note: records {} to {} are as they were written",
            verdict.first, verdict.last
        )?;
        return Ok(Exit::Findings);
    }
    let Verdict { first, last, redacted, checkpoints, .. } = verdict;
    let count = (last + 1).saturating_sub(*first);
    writeln!(
        streams.out,
        "activity: {count} records ({first} to {last}) are as they were written; {redacted} redacted, {checkpoints} checkpoints"
    )?;
    if verdict.torn {
        writeln!(
            streams.out,
            " = note: after the last one a writer was stopped in the middle; nobody relied on that"
        )?;
    }
    Ok(Exit::Clean)
}

fn list(
    reader: &ActivityReader,
    arguments: &ListArguments,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let page = reader.list(&arguments.filter.filter()?, arguments.before, arguments.limit)?;
    for entry in &page.entries {
        write_entry(reader, entry, arguments.format, streams.out)?;
    }
    if let Some(next) = page.next {
        writeln!(streams.err, "more: --before {next}")?;
    }
    Ok(())
}

fn write_entry(
    reader: &ActivityReader,
    entry: &Entry,
    format: ListFormat,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match format {
        ListFormat::Json => writeln!(out, "{}", json_line(&reader.record(entry.seq)?))?,
        ListFormat::Plain => writeln!(out, "{}", plain(entry))?,
    }
    Ok(())
}

/// One line for people; names come from servers and agents, so nothing in them may reach the terminal raw.
fn plain(entry: &Entry) -> String {
    let mut line = format!(
        "{:>8}  {}  {:<17} {:<8} risk {:>3}",
        entry.seq,
        time_text(entry.at_us),
        entry.kind.word(),
        entry.status.word(),
        entry.risk
    );
    let names = [("", &entry.server), ("/", &entry.tool), (" in ", &entry.session)];
    let names: String = names
        .iter()
        .filter(|(_, name)| !name.is_empty())
        .map(|(lead, name)| format!("{lead}{name}"))
        .collect();
    if !names.is_empty() {
        line.push_str("  ");
        line.push_str(&escape_line(&names, LONGEST_LINE));
    }
    if !entry.sensitive.is_empty() {
        line.push_str(&escape_line(&format!("  [{}]", entry.sensitive.join(", ")), LONGEST_LINE));
    }
    line
}

fn show(
    reader: &ActivityReader,
    arguments: &ShowArguments,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let record = reader.record(arguments.seq)?;
    if arguments.format == ListFormat::Json {
        return Ok(writeln!(streams.out, "{}", json_line(&record))?);
    }
    writeln!(streams.out, "{}", plain(&Entry::from(&record)))?;
    let Some(body) = &record.body else {
        return Ok(writeln!(streams.out, "its body was redacted")?);
    };
    let values = [("arguments", &body.arguments), ("result", &body.result), ("note", &body.note)];
    for (name, value) in values {
        if let Some(value) = value {
            let cut = value.length.map(|length| format!(" (cut, {length} bytes in all)")).unwrap_or_default();
            writeln!(streams.out, "{name}{cut}: {}", escape_line(&value.text, LONGEST_VALUE))?;
        }
    }
    Ok(())
}

fn watch(
    reader: &ActivityReader,
    arguments: &WatchArguments,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let filter = arguments.filter.filter()?;
    let newest = reader.list(&Filter::default(), None, 1)?;
    let mut seen = newest.entries.first().map_or(0, |entry| entry.seq);
    let mut shown = 0;
    while arguments.count.is_none_or(|count| shown < count) {
        for entry in reader.after(&filter, seen, MOST_AT_ONCE)? {
            seen = entry.seq;
            shown += 1;
            write_entry(reader, &entry, arguments.format, streams.out)?;
        }
        streams.out.flush()?;
        sleep(LOOK_EVERY);
    }
    Ok(())
}

fn summary(
    reader: &ActivityReader,
    arguments: &SummaryArguments,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let since_us = arguments.since.map_or(i64::MIN, |time| time.0);
    let until_us = arguments.until.map_or(i64::MAX, |time| time.0);
    let summary = reader.summary(since_us, until_us)?;
    if arguments.format == ListFormat::Json {
        let counts = summary.counts.iter().map(|(dimension, values)| {
            let values =
                values.iter().map(|(value, count)| serde_json::json!({"value": value, "count": count}));
            (dimension.clone(), values.collect())
        });
        let counts: serde_json::Map<String, serde_json::Value> = counts.collect();
        let line = serde_json::json!({"schema": "portcullis.activity.summary/1", "records": summary.records, "counts": counts});
        return Ok(writeln!(streams.out, "{line}")?);
    }
    writeln!(streams.out, "{} records", summary.records)?;
    for (dimension, values) in &summary.counts {
        writeln!(streams.out, "{dimension}")?;
        for (value, count) in values.iter().take(MOST_IN_SUMMARY) {
            writeln!(streams.out, "  {count:>10}  {}", escape_line(value, LONGEST_LINE))?;
        }
        if let Some(others) = values.len().checked_sub(MOST_IN_SUMMARY).filter(|others| *others > 0) {
            writeln!(streams.out, "              and {others} more")?;
        }
    }
    Ok(())
}
