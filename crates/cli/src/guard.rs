//! `portcullis approvals`, `baseline`, `stop-calls` and `canary`: what people do about a guard at work.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use portcullis_detect::escape_line;
use portcullis_store::time_text;
use serde_json::{Value, json};

use crate::Streams;
use crate::exit::{Exit, Failure};
use crate::security::desk::{Asking, DeskPlace, part};

/// Characters of a text on a line.
const LONGEST: usize = 400;
/// How often calls that wait are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(crate) struct ApprovalsArguments {
    #[command(flatten)]
    place: DeskPlace,
    #[command(subcommand)]
    command: ApprovalsCommand,
}

#[derive(Debug, Subcommand)]
enum ApprovalsCommand {
    /// List the calls that wait for a human, with why.
    List,
    /// Show calls as they are held, and ring.
    Watch,
    /// Decide a call that waits.
    Decide {
        /// The call's id, as `list` shows it.
        id: String,
        /// What becomes of it.
        decision: Decision,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Decision {
    /// It may pass, once.
    AllowOnce,
    /// It may pass, and so may others of this session with this tool to the same places.
    AllowDestination,
    /// It may not pass.
    Deny,
}

impl Decision {
    fn word(self) -> &'static str {
        match self {
            Decision::AllowOnce => "allow_once",
            Decision::AllowDestination => "allow_destination",
            Decision::Deny => "deny",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct BaselineArguments {
    #[command(flatten)]
    place: DeskPlace,
    #[command(subcommand)]
    command: BaselineCommand,
}

#[derive(Debug, Subcommand)]
enum BaselineCommand {
    /// Show what is known of each agent's habits.
    Show,
    /// Accept an agent's habits as they are: what is new is asked about from now on.
    Ratify {
        /// The agent, as `show` names it.
        agent: String,
    },
    /// Forget an agent's habits and learn them anew.
    Reset {
        /// The agent, as `show` names it.
        agent: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct StopArguments {
    #[command(flatten)]
    place: DeskPlace,
    /// Let calls pass again.
    #[arg(long, env = "PORTCULLIS_RESUME")]
    resume: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CanaryArguments {
    #[command(subcommand)]
    command: CanaryCommand,
}

#[derive(Debug, Subcommand)]
enum CanaryCommand {
    /// Make a token that looks worth stealing; where it turns up, somebody stole it.
    Create,
}

/// Runs `approvals`.
pub(crate) fn approvals(arguments: &ApprovalsArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let desk = arguments.place.running()?;
    match &arguments.command {
        ApprovalsCommand::List => {
            for held in waiting(&desk)? {
                show(&held, streams)?;
            }
        }
        ApprovalsCommand::Watch => watch(&desk, streams)?,
        ApprovalsCommand::Decide { id, decision } => {
            let path = format!("/approvals/{}/decide", part(id));
            desk.post(&path, &json!({ "decision": decision.word() }))?;
            writeln!(streams.err, "{}: {}", escape_line(id, LONGEST), decision.word())?;
        }
    }
    Ok(Exit::Clean)
}

fn waiting(desk: &Asking) -> Result<Vec<Value>, Failure> {
    let mut answer = desk.get("/approvals")?;
    let all = answer["approvals"].as_array_mut().map(std::mem::take).unwrap_or_default();
    Ok(all.into_iter().filter(|held| held["ruling"].is_null()).collect())
}

/// Shows each call once, until the gateway ends or we are interrupted.
fn watch(desk: &Asking, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let mut shown: Vec<Value> = Vec::new();
    loop {
        let waiting = waiting(desk)?;
        shown.retain(|id| waiting.iter().any(|held| held["id"] == *id));
        for held in &waiting {
            if !shown.contains(&held["id"]) {
                // The bell: somebody may be looking at another window.
                write!(streams.err, "\x07")?;
                show(held, streams)?;
                shown.push(held["id"].clone());
            }
        }
        streams.out.flush()?;
        std::thread::sleep(LOOK_EVERY);
    }
}

fn show(held: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let text = |key: &str| escape_line(held[key].as_str().unwrap_or_default(), LONGEST);
    let until = held["expires"].as_i64().map(|at| time_text(at.saturating_mul(1000))).unwrap_or_default();
    let id = text("id");
    writeln!(streams.out, "{id}  {}/{}  risk {}  until {until}", text("server"), text("tool"), held["risk"])?;
    for why in held["why"].as_array().into_iter().flatten() {
        writeln!(streams.out, "  {}", escape_line(why.as_str().unwrap_or_default(), LONGEST))?;
    }
    writeln!(streams.out, "  arguments {}", text("arguments"))?;
    writeln!(streams.out, "  portcullis approvals decide {id} allow-once|allow-destination|deny")?;
    Ok(())
}

/// Runs `baseline`.
pub(crate) fn baseline(arguments: &BaselineArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let desk = arguments.place.open()?;
    match &arguments.command {
        BaselineCommand::Show => {
            let answer = desk.get("/baseline")?;
            for one in answer["baselines"].as_array().into_iter().flatten() {
                let agent = escape_line(one["agent"].as_str().unwrap_or_default(), LONGEST);
                let state = match (one["ratified"].as_bool(), one["learning"].as_bool()) {
                    (Some(true), _) => "ratified",
                    (_, Some(true)) => "learning",
                    _ => "learnt",
                };
                let (sessions, things) = (&one["sessions"], &one["things"]);
                writeln!(streams.out, "{agent}  {state}  {sessions} clean sessions, {things} habits")?;
            }
        }
        BaselineCommand::Ratify { agent } => {
            desk.post(&format!("/baseline/{}/ratify", part(agent)), &json!({}))?;
            writeln!(streams.err, "ratified: what is new for this agent is asked about from now on")?;
        }
        BaselineCommand::Reset { agent } => {
            desk.post(&format!("/baseline/{}/reset", part(agent)), &json!({}))?;
            writeln!(streams.err, "reset: this agent's habits are learnt anew")?;
        }
    }
    Ok(Exit::Clean)
}

/// Runs `stop-calls`.
pub(crate) fn stop(arguments: &StopArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let desk = arguments.place.open()?;
    desk.post("/stop-calls", &json!({ "stopped": !arguments.resume }))?;
    let said = if arguments.resume { "calls pass again" } else { "no call passes until --resume" };
    writeln!(streams.err, "{said}")?;
    Ok(Exit::Clean)
}

/// Runs `canary`. The token is all there is on stdout, so that a script can plant it.
pub(crate) fn canary(arguments: &CanaryArguments, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let CanaryCommand::Create = arguments.command;
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(|error| Failure::Usage(format!("no random numbers: {error}")))?;
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let body: String =
        bytes.iter().map(|byte| char::from(letters[usize::from(*byte) % letters.len()])).collect();
    writeln!(streams.out, "pcn_{body}")?;
    writeln!(
        streams.err,
        "plant it where nobody has honest business, and list it in `security.canaries` of portcullis.json"
    )?;
    Ok(Exit::Clean)
}
