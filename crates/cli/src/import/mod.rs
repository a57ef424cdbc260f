//! `portcullis import`: another scanner's findings beside ours, and where the two agree.

mod cisco;
mod sarif;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use portcullis_decide::{Finding, Persona, judge};
use portcullis_detect::{Definition, Detector, Kind, Registry, escape_line};
use portcullis_report::Style;
use portcullis_report::agreement::{Agreement, Other, Raised, write_json, write_plain};
use serde_json::Value;

use crate::Streams;
use crate::args::{ListFormat, PersonaArgument, Shared};
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::input::load::{Loaded, load};

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The definitions both looked at, as for scan; without them only the other scanner's findings are shown.
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// What Cisco's mcp-scanner wrote with --format raw; may be repeated.
    #[arg(
        long,
        required_unless_present = "sarif",
        value_name = "FILE",
        value_delimiter = ',',
        env = "PORTCULLIS_CISCO"
    )]
    cisco: Vec<PathBuf>,
    /// What any scanner wrote as SARIF 2.1.0; may be repeated.
    #[arg(long, value_name = "FILE", value_delimiter = ',', env = "PORTCULLIS_SARIF")]
    sarif: Vec<PathBuf>,
    /// Which of our findings count.
    #[arg(long, value_enum, default_value_t = PersonaArgument::Regular, env = "PORTCULLIS_PERSONA")]
    persona: PersonaArgument,
    /// How to write both.
    #[arg(long, value_enum, default_value_t = ListFormat::Plain, env = "PORTCULLIS_IMPORT_FORMAT")]
    format: ListFormat,
}

/// What another scanner says of one definition.
struct Foreign {
    /// The name of the definition, if the scanner names one.
    name: Option<String>,
    /// The file and line it points at, if any.
    place: Option<(String, usize)>,
    what: Other,
}

/// Runs the command.
pub(crate) fn run(
    arguments: &ImportArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let mut foreign = Vec::new();
    for path in &arguments.cisco {
        foreign.extend(
            cisco::findings(&document(path)?)
                .ok_or_else(|| refused(path, "no results of mcp-scanner in it"))?,
        );
    }
    for path in &arguments.sarif {
        foreign
            .extend(sarif::findings(&document(path)?).ok_or_else(|| refused(path, "it is no SARIF 2.1.0"))?);
    }
    let loaded = load(&arguments.inputs, streams.input)?;
    // Without inputs there is nothing we did not look at.
    let gaps = if arguments.inputs.is_empty() { &[][..] } else { &loaded.gaps };
    for gap in gaps {
        let (subject, reason) = (escape_line(&gap.subject, 200), escape_line(&gap.reason, 400));
        writeln!(streams.err, "incomplete: {subject}: {reason}")?;
    }
    let is_complete = gaps.is_empty();
    let places = Places::of(&loaded);
    let side = Side::new(loaded, arguments.persona.into());
    let agreement = side.beside(&foreign, &places);
    let style = if shared.is_coloured(streams.is_out_coloured) { Style::coloured() } else { Style::plain() };
    unless_reader_left(match arguments.format {
        ListFormat::Plain => write_plain(&agreement, style, streams.out),
        ListFormat::Json => write_json(&agreement, streams.out),
    })?;
    Ok(if is_complete { Exit::Clean } else { Exit::Incomplete })
}

fn refused(path: &Path, reason: &str) -> Failure {
    Failure::Usage(format!("cannot read {}: {reason}", path.display()))
}

fn document(path: &Path) -> Result<Value, Failure> {
    let bytes = fs::read(path).map_err(|error| refused(path, &error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| refused(path, &error.to_string()))
}

/// Where definitions stand, so that a finding on a line finds its definition.
struct Places {
    /// By file: the line each definition begins at, and which it is.
    by_file: BTreeMap<String, Vec<(usize, usize)>>,
}

impl Places {
    fn of(loaded: &Loaded) -> Self {
        let mut by_file: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let details = loaded.servers.iter().flat_map(|server| &server.details);
        for (index, detail) in details.enumerate() {
            let Some(origin) = &detail.origin else { continue };
            by_file.entry(origin.file.replace('\\', "/")).or_default().push((origin.line, index));
        }
        by_file.values_mut().for_each(|lines| lines.sort_unstable());
        Places { by_file }
    }

    /// The definition the line belongs to: the last that begins at or before it.
    fn find(&self, (file, line): &(String, usize)) -> Option<usize> {
        let is_same = |known: &str| {
            known == file || known.ends_with(&format!("/{file}")) || file.ends_with(&format!("/{known}"))
        };
        let lines = self.by_file.iter().find(|(known, _)| is_same(known)).map(|(_, lines)| lines)?;
        let after = lines.partition_point(|(start, _)| start <= line);
        lines.get(after.checked_sub(1)?).map(|(_, index)| *index)
    }
}

/// Our own view: the definitions in their fixed order, and what we found on each.
struct Side {
    registry: Registry,
    findings: Vec<Option<Finding>>,
}

impl Side {
    fn new(loaded: Loaded, persona: Persona) -> Self {
        let detector = Detector::new();
        let mut registry = Registry::new();
        for server in loaded.servers {
            registry.insert_server(&server.name, server.definitions);
        }
        let found = registry.ids().map(|id| {
            let finding = judge(registry.definition(id)?, detector.observe(&registry, id))?;
            persona.wants(&finding).then_some(finding)
        });
        let findings = found.collect();
        Side { registry, findings }
    }

    fn beside<'a>(&'a self, foreign: &'a [Foreign], places: &Places) -> Agreement<'a> {
        let definitions: Vec<&Definition> =
            self.registry.ids().filter_map(|id| self.registry.definition(id)).collect();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, definition) in definitions.iter().enumerate() {
            by_name.entry(definition.name()).or_default().push(index);
        }
        let mut theirs: BTreeMap<usize, Vec<&Other>> = BTreeMap::new();
        let mut unmatched = Vec::new();
        for one in foreign {
            let named = one.name.as_deref().and_then(|name| by_name.get(name)).cloned();
            let placed = || one.place.as_ref().and_then(|place| places.find(place)).map(|index| vec![index]);
            match named.or_else(placed) {
                Some(found) => {
                    found.iter().for_each(|index| theirs.entry(*index).or_default().push(&one.what))
                }
                None => unmatched.push((one.name.as_deref().unwrap_or("?"), &one.what)),
            }
        }
        let raised = definitions.iter().enumerate().filter_map(|(index, definition)| {
            let ours = self.findings.get(index).and_then(Option::as_ref);
            let theirs = theirs.remove(&index).unwrap_or_default();
            let (server, kind, name): (&str, Kind, &str) =
                (definition.server(), definition.kind(), definition.name());
            (ours.is_some() || !theirs.is_empty()).then_some(Raised { server, kind, name, ours, theirs })
        });
        let raised = raised.collect();
        Agreement { definitions: definitions.len(), raised, unmatched }
    }
}
