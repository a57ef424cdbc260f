//! `portcullis explain`: the page of a check, from the binary itself.

mod distance;

pub(crate) use distance::nearest;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_detect::{Detector, Facts, Guard, GuardSettings, escape_line};

use crate::Streams;
use crate::args::ExplainArguments;
use crate::exit::{Exit, Failure};

/// Runs the command.
pub(crate) fn run(arguments: &ExplainArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let detector = Detector::new();
    let guard = Guard::new(GuardSettings::default(), SensitiveData::new());
    let checks: Vec<&Facts> = detector.facts().chain(guard.facts()).collect();
    let Some(id) = arguments.check.as_deref() else {
        for facts in &checks {
            writeln!(streams.out, "{:<32} {:<5} {}", facts.id, facts.tier.as_str(), facts.title)?;
        }
        return Ok(Exit::Clean);
    };
    match checks.iter().find(|facts| facts.id == id) {
        Some(facts) => {
            writeln!(streams.out, "{}", facts.page.trim_end())?;
            Ok(Exit::Clean)
        }
        None => Err(Failure::Usage(unknown(id, &checks))),
    }
}

fn unknown(id: &str, checks: &[&Facts]) -> String {
    let shown = escape_line(id, 60);
    let advice = match nearest(id, checks.iter().map(|facts| facts.id)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`portcullis explain --list` names all checks".into(),
    };
    format!("no check is called `{shown}`; {advice}")
}
