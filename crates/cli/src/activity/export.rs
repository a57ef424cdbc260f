//! `activity export`: records for other programs, in clear or encrypted.

use std::fs;
use std::io::{self, BufWriter, Write};

use portcullis_store::{CSV_HEADER, Encrypted, Entry, Filter, Reading, StoreError, csv_line, json_line};

use super::arguments::{ExportArguments, ExportFormat};
use super::place;
use crate::Streams;
use crate::exit::Failure;

/// Where a passphrase may stand if no file is named.
const PASSPHRASE: &str = "PORTCULLIS_PASSPHRASE";

pub(super) fn export(
    reader: &dyn Reading,
    arguments: &ExportArguments,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let filter = arguments.filter.filter()?;
    let passphrase = if arguments.encrypt { Some(passphrase(arguments)?) } else { None };
    let mut file = None;
    let out: &mut dyn Write = match &arguments.output {
        None => &mut *streams.out,
        Some(path) => {
            let created = place::create_private(path);
            let created = created.map_err(|error| Failure::Create { path: path.clone(), error })?;
            file.insert(BufWriter::new(created))
        }
    };
    match passphrase {
        None => write_export(reader, &filter, arguments.format, out)?,
        Some(passphrase) => {
            let mut sealed = Encrypted::new(&mut *out, &passphrase)?;
            write_export(reader, &filter, arguments.format, &mut sealed)?;
            sealed.finish()?;
        }
    }
    Ok(out.flush()?)
}

/// The passphrase; it is never an argument, because others see those.
fn passphrase(arguments: &ExportArguments) -> Result<String, Failure> {
    let text = match &arguments.passphrase_file {
        Some(path) => fs::read_to_string(path)
            .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", path.display())))?,
        None => std::env::var(PASSPHRASE).unwrap_or_default(),
    };
    match text.lines().next() {
        Some(passphrase) if !passphrase.is_empty() => Ok(passphrase.to_owned()),
        _ => Err(Failure::Usage(format!(
            "--encrypt needs a passphrase: --passphrase-file FILE or {PASSPHRASE}"
        ))),
    }
}

fn write_export(
    reader: &dyn Reading,
    filter: &Filter,
    format: ExportFormat,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if format == ExportFormat::Csv {
        writeln!(out, "{CSV_HEADER}")?;
    }
    let mut outcome: io::Result<()> = Ok(());
    reader.visit(1, &mut |record| -> Result<bool, StoreError> {
        if filter.admits(&Entry::from(&record)) {
            outcome = match format {
                ExportFormat::Jsonl => writeln!(out, "{}", json_line(&record)),
                ExportFormat::Csv => writeln!(out, "{}", csv_line(&record)),
            };
        }
        Ok(outcome.is_ok())
    })?;
    Ok(outcome?)
}
