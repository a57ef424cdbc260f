//! Which formats go where: pairs of `--format` and `--output`, and writing them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::ArgMatches;
use portcullis_decide::Finding;
use portcullis_report::inventory::{self, Inventory};
use portcullis_report::{
    Plain, Scan, Style, concise, json_lines, write_github, write_html, write_json, write_markdown,
    write_sarif,
};

use super::arguments::Format;
use crate::Streams;
use crate::args::Shared;
use crate::exit::{Failure, unless_reader_left};

/// One format and the file it goes to; `None` is stdout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

/// Pairs formats with files: an `--output` takes the last `--format` before it, and a `--format` that no
/// `--output` follows goes to stdout.
///
/// # Errors
/// Two formats would go to stdout.
pub(crate) fn outputs(matches: &ArgMatches) -> Result<Vec<Output>, Failure> {
    let formats = placed::<Format>(matches, "format");
    let files = placed::<PathBuf>(matches, "output");
    let mut outputs: Vec<Output> = Vec::new();
    for (start, format) in &formats {
        let end = formats.iter().map(|(place, _)| *place).filter(|place| place > start).min();
        // What comes before all formats belongs to the first: environment variables have no place in a line.
        let is_first = formats.first().is_some_and(|(place, _)| place == start);
        let own = files
            .iter()
            .filter(|(place, _)| (place > start || is_first) && end.is_none_or(|end| *place < end));
        let before = outputs.len();
        outputs.extend(own.map(|(_, file)| Output { format: *format, file: Some(file.clone()) }));
        if outputs.len() == before {
            outputs.push(Output { format: *format, file: None });
        }
    }
    if outputs.iter().filter(|output| output.file.is_none()).count() > 1 {
        let message = "two formats would go to stdout: put --output FILE after one of them";
        return Err(Failure::Usage(message.into()));
    }
    Ok(outputs)
}

/// The values of an argument with their places on the command line, in order.
fn placed<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Vec<(usize, T)> {
    let places = matches.indices_of(id).into_iter().flatten();
    let values = matches.get_many::<T>(id).into_iter().flatten().cloned();
    let mut placed: Vec<(usize, T)> = places.zip(values).collect();
    placed.sort_by_key(|(place, _)| *place);
    placed
}

/// How plain text looks on this stdout.
pub(crate) fn look(shared: &Shared, streams: &Streams<'_>) -> Plain {
    Plain {
        style: if shared.is_coloured(streams.is_out_coloured) { Style::coloured() } else { Style::plain() },
        width: streams.out_width,
        ..unseen(shared)
    }
}

/// How plain text looks in a file.
fn unseen(shared: &Shared) -> Plain {
    Plain { every_place: shared.verbose > 1, only_counts: shared.quiet > 1, ..Plain::default() }
}

/// Writes a report to every output.
pub(crate) fn write_all(
    outputs: &[Output],
    scan: &Scan<'_>,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    to_each(outputs, shared, streams, |format, plain, out| write(format, scan, plain, out))
}

/// Writes a list of servers to every output; only plain text and JSON can hold one.
pub(crate) fn write_inventory(
    outputs: &[Output],
    listed: &Inventory,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    if outputs.iter().any(|output| !matches!(output.format, Format::Plain | Format::Json)) {
        return Err(Failure::Usage("--inventory is written as plain or json".into()));
    }
    to_each(outputs, shared, streams, |format, plain, out| match format {
        Format::Json => inventory::write_json(listed, out),
        _ => inventory::write_plain(listed, plain.style, out),
    })
}

/// Writes to every output, files first: a report that cannot be kept should fail before it is shown.
fn to_each(
    outputs: &[Output],
    shared: &Shared,
    streams: &mut Streams<'_>,
    write: impl Fn(Format, Plain, &mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    for output in outputs {
        if let Some(path) = &output.file {
            let failure = |error| Failure::Create { path: path.clone(), error };
            let mut file = BufWriter::new(File::create(path).map_err(failure)?);
            write(output.format, unseen(shared), &mut file).and_then(|()| file.flush()).map_err(failure)?;
        }
    }
    let plain = look(shared, streams);
    for output in outputs.iter().filter(|output| output.file.is_none()) {
        unless_reader_left(write(output.format, plain, streams.out).and_then(|()| streams.out.flush()))?;
    }
    Ok(())
}

fn write(format: Format, scan: &Scan<'_>, plain: Plain, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Plain => plain.write(scan, out),
        Format::Concise => concise::write(scan, plain.style, out),
        Format::Json => write_json(scan, out),
        Format::Jsonl => json_lines::write(scan, out),
        Format::Sarif => write_sarif(scan, out),
        Format::Markdown => write_markdown(scan, out),
        Format::Html => write_html(scan, out),
        Format::Github => write_github(scan, out),
    }
}

/// The outputs of a scan whose findings are written as they are found and then forgotten.
pub(crate) struct Running<'a> {
    outputs: Vec<(Format, Option<BufWriter<File>>, Plain)>,
    out: &'a mut dyn Write,
}

impl<'a> Running<'a> {
    /// Opens the outputs, unless one of them needs all findings at once.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn open(
        outputs: &[Output],
        plain: Plain,
        shared: &Shared,
        out: &'a mut dyn Write,
    ) -> Result<Option<Self>, Failure> {
        let can_run = |format| matches!(format, Format::Plain | Format::Concise | Format::Jsonl);
        if !outputs.iter().all(|output| can_run(output.format)) {
            return Ok(None);
        }
        let open = |output: &Output| match &output.file {
            None => Ok((output.format, None, plain)),
            Some(path) => {
                let failure = |error| Failure::Create { path: path.clone(), error };
                let file = BufWriter::new(File::create(path).map_err(failure)?);
                Ok((output.format, Some(file), unseen(shared)))
            }
        };
        let outputs = outputs.iter().map(open).collect::<Result<_, Failure>>()?;
        Ok(Some(Running { outputs, out }))
    }

    /// Writes one finding everywhere.
    pub(crate) fn finding(&mut self, scan: &Scan<'_>, finding: &Finding) -> Result<(), Failure> {
        self.each(|format, plain, out| match format {
            Format::Concise => concise::write_finding(scan, finding, plain.style, out),
            Format::Jsonl => json_lines::write_finding(scan, finding, out),
            _ => plain.finding(scan, finding, out),
        })
    }

    /// Writes what follows the findings.
    pub(crate) fn end(&mut self, scan: &Scan<'_>) -> Result<(), Failure> {
        self.each(|format, plain, out| {
            match format {
                Format::Concise => concise::write_end(scan, plain.style, out)?,
                Format::Jsonl => json_lines::write_end(scan, out)?,
                _ => plain.end(scan, out)?,
            }
            out.flush()
        })
    }

    fn each(
        &mut self,
        mut write: impl FnMut(Format, Plain, &mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        for (format, file, plain) in &mut self.outputs {
            match file {
                Some(file) => write(*format, *plain, file)?,
                None => unless_reader_left(write(*format, *plain, self.out))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;

    fn check(line: &str, expected: &[(Format, Option<&str>)]) {
        let matches = Arguments::definition().try_get_matches_from(line.split(' ')).expect("good arguments");
        let (_, matches) = matches.subcommand().expect("a subcommand");
        let expected: Vec<Output> = expected
            .iter()
            .map(|(format, file)| Output { format: *format, file: file.map(PathBuf::from) })
            .collect();
        assert_eq!(outputs(matches).expect("one stdout"), expected, "{line}");
    }

    #[test]
    fn outputs_belong_to_the_format_before_them() {
        use Format::{Json, Plain, Sarif};
        check("portcullis scan x", &[(Plain, None)]);
        check("portcullis scan x --format json", &[(Json, None)]);
        check("portcullis scan x --output a", &[(Plain, Some("a"))]);
        check("portcullis scan x --output a --format json", &[(Json, Some("a"))]);
        check(
            "portcullis scan x --format plain --format sarif --output s --format json --output j",
            &[(Plain, None), (Sarif, Some("s")), (Json, Some("j"))],
        );
    }

    #[test]
    fn only_one_format_may_go_to_stdout() {
        let line = "portcullis scan x --format plain --format json";
        let matches = Arguments::definition().try_get_matches_from(line.split(' ')).expect("good arguments");
        let (_, matches) = matches.subcommand().expect("a subcommand");
        assert!(matches!(outputs(matches), Err(Failure::Usage(_))));
    }
}
