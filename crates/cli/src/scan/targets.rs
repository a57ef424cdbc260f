//! What a scan is asked to look at: files, servers to start or to reach, and servers that were merely found.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use portcullis_decide::Incomplete;
use portcullis_detect::fingerprint::{Fingerprint, Transport};
use portcullis_report::Origin;

use super::arguments::ScanArguments;
use crate::clients::{self, FoundServer, Recipe};
use crate::exit::Failure;

/// Everything a scan looks at, and what it found and leaves alone.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) files: Vec<PathBuf>,
    /// The texts of files that were read to see that they are no client's.
    pub(super) texts: BTreeMap<PathBuf, String>,
    pub(super) servers: Vec<Target>,
    pub(super) never_scanned: Vec<Incomplete>,
    pub(super) gaps: Vec<Incomplete>,
}

/// A server that is read now.
pub(super) struct Target {
    pub(super) name: String,
    /// Where it stands, if a file names it.
    pub(super) origin: Option<Origin>,
    pub(super) recipe: Recipe,
}

/// Why a server that was found is left alone.
const NOT_ASKED: &str = "it was only found; --run-servers starts it and reads what it declares";

/// Sorts out what was asked for; without any input the files of all clients are.
pub(super) fn targets(arguments: &ScanArguments) -> Result<Targets, Failure> {
    let mut targets = Targets::default();
    for input in &arguments.inputs {
        match address(input) {
            Some(url) => targets.servers.push(remote(url, &arguments.header)?),
            None => match clients::config_file(input) {
                Ok(found) => targets.found(&[found], arguments.run_servers),
                Err(text) => {
                    targets.texts.extend(text.map(|text| (input.clone(), text)));
                    targets.files.push(input.clone());
                }
            },
        }
    }
    if let [command, rest @ ..] = arguments.command.as_slice() {
        targets.servers.push(Target {
            name: program(command),
            origin: None,
            recipe: Recipe::Command {
                command: command.clone(),
                arguments: rest.to_vec(),
                environment: BTreeMap::new(),
                directory: None,
            },
        });
    }
    if arguments.inputs.is_empty() && arguments.command.is_empty() {
        let here = std::env::current_dir()?;
        targets.found(&clients::everywhere(&here), arguments.run_servers);
    }
    Ok(targets)
}

/// An input that is the address of a server.
pub(super) fn address(input: &Path) -> Option<&str> {
    input.to_str().filter(|text| text.starts_with("http://") || text.starts_with("https://"))
}

impl Targets {
    fn found(&mut self, files: &[clients::Found], is_run: bool) {
        let (servers, unread) = clients::found_servers(files);
        self.gaps.extend(unread);
        // One server in the files of several clients is one server; several of one name are told apart.
        let mut launches: BTreeMap<String, Vec<Fingerprint>> = BTreeMap::new();
        for FoundServer { name, client, origin, recipe, rests } in servers {
            let subject = format!("{name} of {client} ({})", origin.shown());
            let recipe = match (rests, recipe) {
                (Some(reason), _) => {
                    self.never_scanned.push(Incomplete { subject, reason: reason.to_owned() });
                    continue;
                }
                (None, _) if !is_run => {
                    self.never_scanned.push(Incomplete { subject, reason: NOT_ASKED.to_owned() });
                    continue;
                }
                (None, Err(reason)) => {
                    self.gaps.push(Incomplete { subject, reason });
                    continue;
                }
                (None, Ok(recipe)) => recipe,
            };
            let (launch, known) = (recipe.launch(), launches.entry(name.clone()).or_default());
            if known.contains(&launch) {
                continue;
            }
            let name = if known.is_empty() { name } else { format!("{name}@{client}") };
            known.push(launch);
            self.servers.push(Target { name, origin: Some(origin), recipe });
        }
    }
}

fn remote(url: &str, headers: &[String]) -> Result<Target, Failure> {
    let pair = |header: &String| {
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| Failure::Usage("--header takes a name, a colon and a value".into()))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    let headers = headers.iter().map(pair).collect::<Result<_, Failure>>()?;
    let host = url.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or(url);
    // Who stands before the host signs in there; that is nobody's name.
    let name = host.rsplit('@').next().unwrap_or(host).to_owned();
    Ok(Target {
        name,
        origin: None,
        recipe: Recipe::Remote { transport: Transport::Http, url: url.to_owned(), headers },
    })
}

fn program(command: &str) -> String {
    Path::new(command)
        .file_stem()
        .map_or_else(|| command.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Arguments, Command};
    use crate::input::load::load_holding;
    use clap::Parser;

    #[test]
    fn a_file_that_is_no_clients_is_read_once() {
        let path = std::env::temp_dir().join(format!("portcullis-once-{}.json", std::process::id()));
        let write =
            |tool: &str| std::fs::write(&path, format!(r#"{{"tools":[{{"name":"{tool}","mcp":1}}]}}"#));
        write("first").expect("a file can be written");
        let line = ["portcullis".as_ref(), "scan".as_ref(), path.as_os_str()];
        let Ok(Arguments { command: Command::Scan(arguments), .. }) = Arguments::try_parse_from(line) else {
            panic!("good arguments");
        };
        let targets = targets(&arguments);
        write("second").expect("a file can be written");
        let loaded =
            targets.and_then(|found| load_holding(0, &found.files, found.texts, &mut std::io::empty()));
        std::fs::remove_file(&path).expect("it is there");
        let servers = loaded.expect("it can be read").servers;
        assert_eq!(servers[0].definitions[0].name(), "first");
    }
}
