//! `cargo xtask street`: every attack of the adversary and every harmless twin, through the gateway, with an agent before
//! it and an operator beside it. What happens is held against what each scenario says.

mod agent;
mod figures;
mod gate;
mod http;
mod liars;
mod play;
mod scenario;
mod sdk;
mod tally;
mod verdict;

use crate::arguments::Arguments;
use crate::fleet::Fleet;
use crate::shell::{self, say};
use crate::tree;
use anyhow::{Context, Result, bail};
use play::Props;
use scenario::{Scenario, Way};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tally::Played;
use verdict::Verdict;

/// What the page begins with: where it comes from, and what it does not say.
const PREFACE: &str = "<!-- Written by `cargo xtask street --page docs/street.md`. -->\n\n\
    > Whoever writes the checks knows these scenarios, and some checks were changed after meeting them: the rates say what \
    is covered, not how attacks nobody has seen would fare ([benchmarks](benchmarks.md)). What a scenario is, and how it is \
    played: [the adversary](adversary.md).\n\n";
/// Plays at a time. Most of one is waiting for processes to start.
const AT_ONCE: usize = 4;

/// What `ready` plays through several gateways: a definition, a change, a flow, a question, a result, several servers, and
/// the twins of some.
const A_FEW: [&str; 10] = [
    "exfil-split-calls",
    "exfil-split-calls-twin",
    "phish-elicit-password",
    "poison-tagged-ssh-key",
    "result-direct",
    "result-then-act",
    "result-then-act-twin",
    "rug-description",
    "rug-description-twin",
    "shadow-collision",
];

/// What was asked for.
#[derive(Default)]
struct Wishes {
    /// The scenarios; none: all of them, and everything else.
    only: Vec<String>,
    /// Every era over every transport, instead of each once.
    is_thorough: bool,
    /// Where the programs lie, if they are not to be built.
    binaries: Option<PathBuf>,
    /// Where the page is written.
    page: Option<PathBuf>,
    /// How many gateways share everything; none: there is one.
    nodes: Option<usize>,
}

impl Wishes {
    /// Whether a scenario is played.
    fn is_meant(&self, scenario: &Scenario) -> bool {
        self.only.is_empty() || self.only.contains(&scenario.id)
    }
}

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let wishes = Wishes {
        only: arguments.values("--only")?,
        is_thorough: arguments.flag("--thorough"),
        binaries: arguments.value("--binaries")?.map(PathBuf::from),
        page: arguments.value("--page")?.map(PathBuf::from),
        nodes: arguments.value("--nodes")?.map(|count| count.parse()).transpose().context("--nodes")?,
    };
    arguments.end()?;
    if wishes.nodes.is_some() && wishes.page.is_some() {
        bail!("the page is about one gateway: --nodes and --page exclude each other");
    }
    walk(&wishes)
}

/// All of it, as `ready` does.
pub(crate) fn all() -> Result<()> {
    walk(&Wishes::default())
}

/// A few scenarios through three gateways, as `ready` does.
pub(crate) fn a_few_over_nodes() -> Result<()> {
    let only = A_FEW.map(str::to_owned).to_vec();
    walk(&Wishes { only, nodes: Some(3), ..Wishes::default() })
}

fn walk(wishes: &Wishes) -> Result<()> {
    let props = props(wishes)?;
    let began = Instant::now();
    let listed = shell::output(Command::new(&props.adversary).args(["--list", "--json"]))?;
    let scenarios = scenario::read(&listed)?;
    let chosen: Vec<&Scenario> = scenarios.iter().filter(|one| wishes.is_meant(one)).collect();
    if chosen.is_empty() {
        bail!("no such scenario; `portcullis-adversary --list` names them");
    }
    let ways = |one: &&'_ Scenario| one.ways(wishes.is_thorough);
    let plays: Vec<(&Scenario, Way)> =
        chosen.iter().flat_map(|one| ways(one).into_iter().map(|way| (*one, way))).collect();
    let played = play_all(&plays, &props);
    let mut wrong: Vec<String> = played.iter().filter_map(Played::complaint).collect();
    wrong.iter().for_each(|line| say(line));
    let mut lines = tally::lines(&played);
    if wishes.only.is_empty() {
        lines.extend(judged(&props, &mut wrong)?);
    }
    // What has no gateway in it is not another thing with three.
    if wishes.only.is_empty() && wishes.nodes.is_none() {
        lines.extend(beside(&props, &mut wrong)?);
    }
    conclude(&props, wishes, &lines)?;
    let seconds = began.elapsed().as_secs_f64();
    say(&format!("{} plays of {} scenarios in {seconds:.0} s", played.len(), chosen.len()));
    if let Some(fleet) = &props.fleet {
        say(&format!("what one of {} nodes knew, all knew within {:?}", fleet.nodes, fleet.slowest()));
    }
    if !wrong.is_empty() {
        bail!("{} of the street did not go as it is written", wrong.len());
    }
    Ok(())
}

fn props(wishes: &Wishes) -> Result<Props> {
    let target = tree::target()?;
    let folder = match &wishes.binaries {
        Some(folder) => folder.to_owned(),
        None => {
            shell::build_as_tested(&["portcullis", "portcullis-adversary"])?;
            target.join("debug")
        }
    };
    let binary = |name: &str| {
        let file = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        file.canonicalize().with_context(|| format!("{} is not there", file.display()))
    };
    Ok(Props {
        portcullis: binary("portcullis")?,
        adversary: binary("portcullis-adversary")?,
        folder: target.join(if wishes.nodes.is_some() { "street-nodes" } else { "street" }),
        sdks: sdk::Sdks::installed()?,
        fleet: wishes.nodes.map(|nodes| Fleet::start("street", nodes)).transpose()?,
    })
}

/// What the guard is tried with beside the scenarios: agents that lie, and the policy's words.
fn judged(props: &Props, wrong: &mut Vec<String>) -> Result<Vec<Value>> {
    let lies = liars::lie(props)?;
    let (cells, misplaced) = liars::policy_matrix(props)?;
    say(&format!("policy matrix: {} of {cells} cells as the policy says", cells - misplaced.len()));
    misplaced.iter().for_each(|line| say(line));
    wrong.extend(misplaced);
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let (precision, recall) =
        (share(lies.found, lies.found + lies.false_alarms), share(lies.found, lies.found + lies.missed));
    let words = (lies.found + lies.missed + lies.false_alarms + lies.true_words) as u64;
    Ok(vec![
        figure("contradiction_precision", precision, words),
        figure("contradiction_recall", recall, words),
    ])
}

/// What is tried without a gateway of ours: the demo, and samples with labels.
fn beside(props: &Props, wrong: &mut Vec<String>) -> Result<Vec<Value>> {
    // The demo is played on the same street; it fails by itself if it is not as it tells.
    let demo = shell::output(Command::new(&props.portcullis).args(["demo", "--fast", "--color", "never"]));
    wrong.extend(demo.err().map(|error| format!("portcullis demo: {error:#}")));
    let (accuracy, tools) = figures::classification(&props.portcullis, &props.folder)?;
    let (f1, values) = figures::personal(&props.portcullis, &props.folder)?;
    Ok(vec![figure("classification_accuracy", accuracy, tools), figure("pii_f1", f1, values)])
}

fn figure(name: &str, value: f64, of: u64) -> Value {
    json!({ "figure": name, "value": value, "of": of })
}

/// Writes what was measured, and shows the report of it.
fn conclude(props: &Props, wishes: &Wishes, lines: &[Value]) -> Result<()> {
    let file = props.folder.join("outcomes.jsonl");
    fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>())?;
    let report = shell::output(Command::new(&props.adversary).arg("report").arg(&file))?;
    if let Some(page) = &wishes.page {
        // How fast the build is shows in the times.
        let build = props.portcullis.parent().and_then(Path::file_name).unwrap_or_default();
        let build = format!("Times are those of the {} build.\n\n", build.to_string_lossy());
        fs::write(page, format!("{PREFACE}{build}{report}"))?;
    }
    say(report.trim_end());
    Ok(())
}

/// Plays everything, several at a time, and gives it back in order.
fn play_all<'a>(plays: &[(&'a Scenario, Way)], props: &Props) -> Vec<Played<'a>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((scenario, way)) = plays.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict =
                        play::play(scenario, *way, props).map(|story| Verdict::of(scenario, &story));
                    let played = Played { scenario, way: *way, verdict };
                    done.lock().unwrap_or_else(PoisonError::into_inner).push(played);
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by(|one, other| (&one.scenario.id, one.way).cmp(&(&other.scenario.id, other.way)));
    done
}
