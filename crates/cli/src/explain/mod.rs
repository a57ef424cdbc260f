//! `portcullis explain`: the page of a check, from the binary itself.

mod distance;
mod pager;

pub(crate) use distance::nearest;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_detect::{Facts, Guard, GuardSettings, escape_line};

use crate::Streams;
use crate::args::ExplainArguments;
use crate::exit::{Exit, Failure};
use crate::rules;

/// Runs the command.
pub(crate) fn run(arguments: &ExplainArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let detector = rules::detector(&arguments.rules)?;
    let guard = Guard::new(GuardSettings::default(), SensitiveData::new());
    let checks: Vec<&Facts> = detector.facts().chain(guard.facts()).collect();
    let Some(id) = arguments.check.as_deref() else {
        for facts in &checks {
            writeln!(streams.out, "{:<32} {:<5} {}", facts.id, facts.tier.as_str(), facts.title)?;
        }
        return Ok(Exit::Clean);
    };
    let Some(facts) = checks.iter().find(|facts| facts.id == id) else {
        return Err(Failure::Usage(unknown(id, checks.iter().map(|facts| facts.id))));
    };
    let page = format!("{}\n", facts.page.trim_end());
    let is_watched = streams.out_width.is_some() && !arguments.no_pager;
    if !is_watched || !pager::show(&page) {
        write!(streams.out, "{page}")?;
    }
    Ok(Exit::Clean)
}

/// What to say to somebody who misspelt a check.
pub(crate) fn unknown<'a>(id: &str, known: impl Iterator<Item = &'a str>) -> String {
    let shown = escape_line(id, 60);
    let advice = match nearest(id, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`portcullis explain --list` names all checks".into(),
    };
    format!("no check is called `{shown}`; {advice}")
}
