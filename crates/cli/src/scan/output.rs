//! Which formats go where: pairs of `--format` and `--output`, and writing them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::ArgMatches;
use portcullis_report::{Plain, Scan, Style, write_json, write_sarif};

use crate::Streams;
use crate::args::{Format, Shared};
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

/// Writes every output, files first: a report that cannot be kept should fail before it is shown.
pub(crate) fn write_all(
    outputs: &[Output],
    scan: &Scan<'_>,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    for output in outputs {
        if let Some(path) = &output.file {
            let failure = |error| Failure::Create { path: path.clone(), error };
            let mut file = BufWriter::new(File::create(path).map_err(failure)?);
            write(output.format, scan, Style::plain(), &mut file).map_err(failure)?;
            file.flush().map_err(failure)?;
        }
    }
    let style = if shared.is_coloured(streams.is_out_coloured) { Style::coloured() } else { Style::plain() };
    for output in outputs.iter().filter(|output| output.file.is_none()) {
        unless_reader_left(
            write(output.format, scan, style, streams.out).and_then(|()| streams.out.flush()),
        )?;
    }
    Ok(())
}

fn write(format: Format, scan: &Scan<'_>, style: Style, out: &mut dyn Write) -> std::io::Result<()> {
    match format {
        Format::Plain => Plain { style, ..Plain::default() }.write(scan, out),
        Format::Json => write_json(scan, out),
        Format::Sarif => write_sarif(scan, out),
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
