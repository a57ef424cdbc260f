//! `portcullis eval`: judges labelled definitions, prints a scorecard, and holds it against the gate.
//!
//! The map: `corpus` and `lines` read entries, `setup` says whom an entry is judged among, `judging` does it,
//! `data` measures sensitive data, `tally` counts, `scorecard` is the JSON, `gate` the limits.

mod category;
mod corpus;
mod data;
mod entry;
mod gate;
mod judging;
mod lines;
mod operations;
mod scorecard;
mod setup;
mod tally;

use portcullis_detect::Detector;

use crate::Streams;
use crate::args::{EvalArguments, Shared};
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::progress::Progress;
use entry::Corpus;
use gate::Limits;
use judging::Judging;
use tally::Tally;

pub(crate) use setup::Setup;

/// Runs the command.
pub(crate) fn run(
    arguments: &EvalArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let detector = Detector::new();
    let corpus = corpus::read(&arguments.corpus)?;
    if let Some(id) = &arguments.explain {
        return judging::explain(&detector, &corpus, id, shared, streams);
    }
    let tally = judge(&detector, &corpus, arguments, streams.is_progress_visible && !shared.is_quiet())?;
    let checks: Vec<&str> = detector.facts().map(|facts| facts.id).collect();
    let data_rows = data::rows(&corpus.samples);
    let operations = operations::measure(&corpus.annotated);
    let scorecard = scorecard::of(&tally, data_rows, operations, arguments, &checks);
    let written = serde_json::to_writer_pretty(&mut *streams.out, &scorecard).map_err(std::io::Error::from);
    unless_reader_left(written.and_then(|()| writeln!(streams.out)).and_then(|()| streams.out.flush()))?;
    for gap in tally.gaps.iter().filter(|_| !shared.is_quiet()) {
        writeln!(streams.err, "incomplete: {}: {}", gap.subject, gap.reason)?;
    }
    conclude(&tally, arguments, &checks, streams)
}

fn judge(
    detector: &Detector,
    corpus: &Corpus,
    arguments: &EvalArguments,
    is_visible: bool,
) -> Result<Tally, Failure> {
    let judging = Judging { detector, persona: arguments.persona.into() };
    let mut tally = Tally { gaps: corpus.gaps.clone(), ..Tally::default() };
    match arguments.registry {
        Setup::Each => {
            let mut progress = Progress::new(corpus.entries().count(), "judging entries", is_visible);
            for entry in corpus.entries() {
                tally.record(entry, judging.among_peers(entry));
                progress.step();
            }
        }
        Setup::Together => {
            let mut progress = Progress::new(corpus.entries().count(), "judging entries", is_visible);
            for file in &corpus.files {
                judging.together(file, |entry, outcome| {
                    tally.record(entry, outcome);
                    progress.step();
                });
            }
        }
        Setup::Random(size) => {
            let draws = usize::try_from(arguments.draws).unwrap_or(usize::MAX);
            let mut progress = Progress::new(draws, "drawing set-ups", is_visible);
            let mut lot = setup::Lot::new(corpus, size, arguments.seed)?;
            for _ in 0..draws {
                judging.drawn(&lot.draw(), |entry, outcome| tally.record(entry, outcome));
                progress.step_now();
            }
        }
    }
    tally.finish();
    Ok(tally)
}

fn conclude(
    tally: &Tally,
    arguments: &EvalArguments,
    checks: &[&str],
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    if arguments.gate {
        let limits = Limits {
            min_recall: arguments.min_recall,
            min_held: arguments.min_held,
            max_fp: arguments.max_fp,
            max_raised: arguments.max_raised,
        };
        let verdict = gate::hold(tally, limits, checks);
        writeln!(streams.err, "{verdict}")?;
        if !verdict.is_passed() {
            return Ok(Exit::Gate);
        }
    }
    Ok(if tally.gaps.is_empty() { Exit::Clean } else { Exit::Incomplete })
}
