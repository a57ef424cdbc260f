//! `portcullis completions` and `portcullis man`: made from the argument definitions, so they never lag behind.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::Streams;
use crate::args::{Arguments, Shared};
use crate::exit::{Exit, Failure};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write a page for every command into this folder, instead of the first page to stdout.
    #[arg(long, value_name = "DIR", env = "PORTCULLIS_MAN_DIR")]
    dir: Option<PathBuf>,
}

/// Writes the completions of a shell.
pub(crate) fn completions(
    arguments: &CompletionsArguments,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    // The generator panics where its writer fails; a text in memory takes everything.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::definition(), "portcullis", &mut script);
    streams.out.write_all(&script)?;
    Ok(Exit::Clean)
}

/// Writes the manual.
pub(crate) fn pages(
    arguments: &ManArguments,
    shared: &Shared,
    streams: &mut Streams<'_>,
) -> Result<Exit, Failure> {
    let mut command = Arguments::definition().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &arguments.dir else {
        Man::new(command).render(streams.out)?;
        return Ok(Exit::Clean);
    };
    fs::create_dir_all(folder).map_err(|error| Failure::Create { path: folder.clone(), error })?;
    let mut pages = Vec::new();
    collect(command, "portcullis", &mut pages);
    for (name, text) in &pages {
        let path = folder.join(format!("{name}.1"));
        fs::write(&path, text).map_err(|error| Failure::Create { path, error })?;
    }
    if !shared.is_quiet() {
        writeln!(streams.err, "wrote {} pages into {}", pages.len(), folder.display())?;
    }
    Ok(Exit::Clean)
}

/// The page of a command and those of its subcommands, by name.
fn collect(command: Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) {
    for subcommand in command.get_subcommands() {
        collect(subcommand.clone(), &format!("{name}-{}", subcommand.get_name()), pages);
    }
    let mut text = Vec::new();
    let command = command.display_name(name.to_owned());
    // INVARIANT: a text in memory takes everything.
    if Man::new(command).title(name.to_owned()).render(&mut text).is_ok() {
        pages.push((name.to_owned(), text));
    }
}
