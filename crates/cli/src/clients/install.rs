//! `portcullis install`: every server of a client goes through the gate.

use std::io::Write;
use std::path::Path;

use portcullis_detect::escape_line;

use super::arguments::InstallArguments;
use super::file;
use super::finder::{self, Document, Found};
use super::first_look::{self, Answer};
use super::gate::{Gate, Way};
use super::ledger::Ledger;
use super::names::Names;
use super::own::Own;
use super::places::{Level, Machine};
use super::plan::{Fate, Front, Plan, plan};
use super::recipe::Recipe;
use super::server::{Server, Start};
use super::{preview, rewrite, shown};
use crate::Streams;
use crate::activity::data_directory;
use crate::args::Shared;
use crate::exit::{Exit, Failure};

/// Runs the command.
pub(crate) fn install(
    arguments: &InstallArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let place = &arguments.place;
    let clients = place.clients()?;
    let program = program(arguments.portcullis.as_deref())?;
    let data = data_directory(place.data.as_deref())?;
    let named = Gate::named(arguments.gateway_url.as_deref(), arguments.token_file.as_deref())?;
    let way = match named {
        Some(gate) => Way::Named(gate),
        None if place.dry_run => Way::Look,
        None => Way::Own(Own::started(&data)?),
    };
    let ledger = if place.dry_run { Ledger::look(&data)? } else { Ledger::open(&data)? };
    let mut names = Names::default();
    for entry in ledger.records().iter().flat_map(|record| &record.entries) {
        names.take(&entry.name, &entry.launch);
    }
    let found = finder::found(&Machine::here(arguments.project.as_deref()), &clients);
    if let Way::Own(own) = &way
        && found.iter().any(has_remote)
        && let Err(reason) = own.take_names(&mut names)
    {
        writeln!(streams.err, "warning: {reason}")?;
    }
    let front = Front { program: &program, way: &way };
    let is_dry = place.dry_run;
    let mut work = Work { ledger, names, front, is_dry, tally: Tally::default(), recipes: Vec::new() };
    for found in &found {
        work.file(found, &arguments.servers, streams)?;
    }
    if found.is_empty() {
        writeln!(streams.out, "no file of these clients was found")?;
    }
    let recipes = std::mem::take(&mut work.recipes);
    let exit = work.conclude(&arguments.servers, shared, streams)?;
    let answer = if arguments.approve_clean { Answer::Approve } else { Answer::Ask };
    if is_dry || arguments.no_scan || recipes.is_empty() {
        return Ok(exit);
    }
    let unread = match &way {
        Way::Own(own) => first_look::look(own, recipes, answer, streams)?,
        // Servers that are processes go through the user's own gateway whichever the remote ones go through.
        Way::Named(_) | Way::Look => {
            let is_command =
                |(_, recipe): &(String, Result<Recipe, String>)| matches!(recipe, Ok(Recipe::Command { .. }));
            let recipes: Vec<_> = recipes.into_iter().filter(is_command).collect();
            if recipes.is_empty() {
                0
            } else {
                first_look::look(&Own::started(&data)?, recipes, answer, streams)?
            }
        }
    };
    Ok(if unread > 0 { Exit::Incomplete } else { exit })
}

/// Whether a file has a server that would go to a gateway by its address.
fn has_remote(found: &Found) -> bool {
    let is_remote = |server: &Server| matches!(server.start, Start::Remote { .. }) && !server.is_disabled;
    found.read.as_ref().is_ok_and(|document| document.servers.iter().any(is_remote))
}

/// What is carried from file to file.
struct Work<'a> {
    ledger: Ledger,
    names: Names,
    front: Front<'a>,
    is_dry: bool,
    tally: Tally,
    /// How the servers are started that were changed.
    recipes: Vec<(String, Result<Recipe, String>)>,
}

/// What is said at the end.
#[derive(Default)]
struct Tally {
    changed: usize,
    left: usize,
    failed: usize,
    has_project: bool,
    has_token: bool,
    seen: Vec<String>,
}

impl Work<'_> {
    fn file(&mut self, found: &Found, only: &[String], streams: &mut Streams<'_>) -> Result<(), Failure> {
        let place = shown(&found.path);
        let document = match &found.read {
            Ok(document) => document,
            Err(reason) => return self.fail(&format!("{place}{reason}"), streams),
        };
        let wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
        let record = self.ledger.record(&document.content.path);
        let mut plan = match plan(found, document, record, &wanted, (&self.front, &mut self.names)) {
            Ok(plan) => plan,
            Err(reason) => return self.fail(&format!("{place}: {reason}"), streams),
        };
        self.tally.seen.extend(plan.fates.iter().map(|(server, _)| server.name.clone()));
        let changes = !plan.entries.is_empty();
        // First the deed, then the word.
        if changes
            && !self.is_dry
            && let Err(reason) = self.carry_out(found, document, &plan)?
        {
            self.take_back(&plan);
            return self.fail(&format!("{place}: {reason}"), streams);
        }
        if !plan.fates.is_empty() {
            writeln!(streams.out, "{}: {place}", found.client.name)?;
        }
        self.say(&plan, streams.out)?;
        if changes && self.is_dry {
            let text = &document.content.text;
            write!(streams.out, "{}", preview::difference(&place, text, &plan.after, found.kept.format))?;
        }
        self.tally.changed += plan.entries.len();
        self.tally.has_token |= plan.entries.iter().any(|entry| entry.token.is_some());
        self.recipes.append(&mut plan.recipes);
        self.tally.has_project |= changes && found.level == Level::Project;
        Ok(())
    }

    fn fail(&mut self, what: &str, streams: &mut Streams<'_>) -> Result<(), Failure> {
        self.tally.failed += 1;
        Ok(writeln!(streams.err, "error: {what}")?)
    }

    /// A line for every server.
    fn say(&mut self, plan: &Plan, out: &mut dyn Write) -> Result<(), Failure> {
        for (server, fate) in &plan.fates {
            let line = match fate {
                Fate::Changed(name) if *name == server.name => "through the gate".to_owned(),
                Fate::Changed(name) => format!("through the gate, as {name}"),
                Fate::Already => "through the gate already".to_owned(),
                Fate::Left(reason) => {
                    self.tally.left += 1;
                    format!("left: {reason}")
                }
            };
            writeln!(out, "  {}: {} ({line})", server.at, escape_line(&server.name, super::LONGEST_NAME))?;
        }
        Ok(())
    }

    /// What was made for entries that were not written after all is of no use.
    fn take_back(&self, plan: &Plan) {
        let Way::Own(own) = self.front.way else { return };
        for entry in &plan.entries {
            if let Some(token) = &entry.token {
                // INVARIANT: a token nobody was told opens nothing; the server is held.
                let _ = own.dismiss(&entry.name, token, !self.ledger.leads_to(&entry.name));
            }
        }
    }

    /// Backup, ledger, file: in this order, so that a crash in between loses nothing.
    fn carry_out(
        &mut self,
        found: &Found,
        document: &Document,
        plan: &Plan,
    ) -> Result<Result<(), String>, Failure> {
        let content = &document.content;
        let (original, mut entries) = match self.ledger.record(&content.path) {
            None => (content.text.clone(), Vec::new()),
            Some(record) => match self.ledger.backup(record) {
                Some(backup) if file::hash(&content.text) == record.after => (backup, record.entries.clone()),
                // The file went on without us: what it would be without our entries is what we go back to.
                _ => match rewrite::undo(&content.text, found.kept.format, &record.entries) {
                    Ok(undone) => {
                        let is_left = |way: &[String]| undone.left.iter().any(|left| left.way == way);
                        let ours = record.entries.iter().filter(|entry| !is_left(&entry.way));
                        (undone.text, ours.cloned().collect())
                    }
                    Err(problem) => return Ok(Err(problem.to_string())),
                },
            },
        };
        entries.retain(|old| !plan.entries.iter().any(|new| new.way == old.way));
        entries.extend(plan.entries.iter().cloned());
        self.ledger.write_down(
            &content.path,
            (found.client.id, found.kept.format),
            (&original, &plan.after),
            entries,
        )?;
        Ok(file::replace(content, &plan.after))
    }

    fn conclude(self, only: &[String], shared: &Shared, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
        let Tally { changed, left, failed, has_project, has_token, seen } = self.tally;
        let verb = if self.is_dry { "would go" } else { "now go" };
        writeln!(streams.out, "{changed} {verb} through the gate, {left} left as they are")?;
        if changed > 0 && !self.is_dry && !shared.is_quiet() {
            writeln!(streams.err, "note: restart the clients; portcullis uninstall puts everything back")?;
        }
        if has_token && !shared.is_quiet() {
            writeln!(
                streams.err,
                "note: remote servers are reached as long as the gateway runs; `portcullis service install` starts it with your session"
            )?;
        }
        if has_project && !shared.is_quiet() {
            writeln!(
                streams.err,
                "note: a project's file now names a program of this machine; do not commit it"
            )?;
        }
        if let Some(missing) = only.iter().find(|name| !seen.contains(name)) {
            let name = escape_line(missing, super::LONGEST_NAME);
            return Err(Failure::Usage(format!("no file that was found has a server called {name}")));
        }
        Ok(if failed > 0 { Exit::Incomplete } else { Exit::Clean })
    }
}

/// The program that clients start. They have another working directory and another PATH, so it is named whole.
fn program(named: Option<&Path>) -> Result<String, Failure> {
    // A link that was named stays one: what it leads to may move with the next update.
    let found = named.map_or_else(std::env::current_exe, std::path::absolute);
    let wrong = |reason: &str| Failure::Usage(format!("{reason}; say --portcullis PATH"));
    let path = found.ok().filter(|path| path.is_file()).ok_or_else(|| wrong("there is no such program"))?;
    path.into_os_string().into_string().map_err(|_| wrong("the program's path is no UTF-8"))
}
