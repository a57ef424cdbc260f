//! `activity`: reads the record of what was done, and says whether it can be trusted.

mod arguments;
mod export;
mod place;
mod time;

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

pub(crate) use arguments::ActivityArguments;
use arguments::{ActivityCommand, ListArguments, ShowArguments, SummaryArguments, WatchArguments};
pub(crate) use place::{chosen as data_directory, is_open_to_others};
use portcullis_detect::escape_line;
use portcullis_store::{
    Chain, Cursor, Entry, Filter, Reading, Verdict, json_line, read, read_directory, time_text,
};

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
    let reader = match &arguments.store {
        Some(address) => read(address, &data)?,
        None => read_directory(&data)?,
    };
    let reader = &*reader;
    match &arguments.command {
        ActivityCommand::Verify => return report(&reader.verify()?, streams),
        ActivityCommand::List(arguments) => list(reader, arguments, streams)?,
        ActivityCommand::Show(arguments) => show(reader, arguments, streams)?,
        ActivityCommand::Watch(arguments) => watch(reader, arguments, streams)?,
        ActivityCommand::Summary(arguments) => summary(reader, arguments, streams)?,
        ActivityCommand::Export(arguments) => export::export(reader, arguments, streams)?,
    }
    Ok(Exit::Clean)
}

/// Says of every chain whether it is as it was written.
fn report(chains: &[Chain], streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let mut exit = Exit::Clean;
    for Chain { writer, verdict } in chains {
        let whose = if chains.len() > 1 { format!(" of chain {writer}") } else { String::new() };
        if verdict.bad.is_some() {
            exit = Exit::Findings;
        }
        report_chain(verdict, &whose, streams)?;
    }
    Ok(exit)
}

fn report_chain(verdict: &Verdict, whose: &str, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let Verdict { first, last, redacted, checkpoints, .. } = verdict;
    if let Some(bad) = &verdict.bad {
        writeln!(streams.out, "error[activity.changed]: record {}{whose}: {}", bad.seq, bad.what)?;
        writeln!(streams.out, " --> {}", bad.path.display())?;
        writeln!(streams.out, " = note: records {first} to {last} are as they were written")?;
        return Ok(());
    }
    let count = (last + 1).saturating_sub(*first);
    writeln!(
        streams.out,
        "activity: {count} records{whose} ({first} to {last}) are as they were written; {redacted} redacted, {checkpoints} checkpoints"
    )?;
    if verdict.torn {
        writeln!(
            streams.out,
            " = note: after the last one a writer was stopped in the middle; nobody relied on that"
        )?;
    }
    Ok(())
}

fn list(reader: &dyn Reading, arguments: &ListArguments, streams: &mut Streams<'_>) -> Result<(), Failure> {
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
    reader: &dyn Reading,
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

fn show(reader: &dyn Reading, arguments: &ShowArguments, streams: &mut Streams<'_>) -> Result<(), Failure> {
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

fn watch(reader: &dyn Reading, arguments: &WatchArguments, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let filter = arguments.filter.filter()?;
    let (_, mut cursor) = reader.after(&Filter::default(), &Cursor::default(), 1)?;
    let mut shown = 0;
    while arguments.count.is_none_or(|count| shown < count) {
        let (entries, next) = reader.after(&filter, &cursor, MOST_AT_ONCE)?;
        cursor = next;
        for entry in entries {
            shown += 1;
            write_entry(reader, &entry, arguments.format, streams.out)?;
        }
        streams.out.flush()?;
        sleep(LOOK_EVERY);
    }
    Ok(())
}

fn summary(
    reader: &dyn Reading,
    arguments: &SummaryArguments,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let since_us = arguments.since.map_or(i64::MIN, |time| time.0);
    let until_us = arguments.until.map_or(i64::MAX, |time| time.0);
    let summary = reader.summary(since_us, until_us, &portcullis_store::DIMENSIONS)?;
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
