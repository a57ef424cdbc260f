//! `cargo xtask conformance REVISION`: the public MCP suite against the gateway with our fixture behind it, against several
//! that share everything, or against the fixture alone.

mod scorecard;
mod subject;
mod suite;

use crate::arguments::Arguments;
use crate::shell::say;
use anyhow::{Context, Result, bail};
use scorecard::Scorecard;
use subject::Subject;

/// A revision of MCP, and the scenarios we ask for beyond those the suite scores.
struct Revision {
    name: &'static str,
    beyond: &'static [&'static str],
}

/// The suite has these three for the older revision but does not score them: they came late, or its own server fails.
const REVISIONS: [Revision; 2] = [
    Revision {
        name: "2025-11-25",
        beyond: &["server-session-lifecycle", "json-schema-2020-12", "server-sse-polling"],
    },
    Revision { name: "2026-07-28", beyond: &[] },
];

/// Both revisions through the gateway.
pub(crate) fn all() -> Result<()> {
    both(&Subject::gateway()?)
}

/// Both revisions through three gateways that share everything.
pub(crate) fn all_over_nodes() -> Result<()> {
    both(&Subject::nodes(3)?)
}

fn both(subject: &Subject) -> Result<()> {
    REVISIONS.iter().try_for_each(|revision| judge(revision.name, subject))
}

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let url = arguments.value("--url")?;
    let is_direct = arguments.flag("--direct");
    let nodes = arguments.value("--nodes")?.map(|count| count.parse()).transpose().context("--nodes")?;
    let name = arguments.word().context("which revision? cargo xtask conformance 2025-11-25|2026-07-28")?;
    arguments.end()?;
    let subject = match (url, is_direct, nodes) {
        (Some(url), false, None) => Subject::at(url),
        (None, true, None) => Subject::fixture()?,
        (None, false, Some(count)) => Subject::nodes(count)?,
        (None, false, None) => Subject::gateway()?,
        _ => bail!("--url, --direct and --nodes exclude each other"),
    };
    judge(&name, &subject)
}

/// Runs the suite and prints a line per scenario; an error unless all that are required pass.
fn judge(name: &str, subject: &Subject) -> Result<()> {
    let revision = REVISIONS.iter().find(|revision| revision.name == name);
    let revision = revision.with_context(|| format!("the suite knows no revision {name}"))?;
    let suite = suite::installed()?;
    let results = suite.run(revision.name, subject.url())?;
    let required = suite.scored(revision.name)?.into_iter();
    let required = required.chain(revision.beyond.iter().map(|name| (*name).to_owned())).collect();
    let card = Scorecard::read(&results, required)?;
    say(&card.table());
    let summary = format!("{name}: {}", card.summary());
    if !card.is_passed() {
        bail!("{summary}; details in {}", crate::tree::shown(&results));
    }
    say(&summary);
    Ok(())
}
