//! A hostile MCP server: it performs the attacks that scenario files describe, so that anyone can see a gate work.
//!
//! It shares no code with the rest and writes every frame itself, so that it can break every rule of the protocol.

mod arguments;
mod clock;
mod declared;
mod delivery;
mod describe;
mod encode;
mod fields;
mod http;
mod library;
mod mistake;
mod node;
mod perform;
mod pointer;
mod report;
mod rpc;
mod scenario;
mod secret;
mod stage;
mod stdio;
mod template;
mod yaml;

use arguments::{Arguments, Command, Serve};
use clap::Parser;
use library::Library;
use scenario::{Era, Scenario, Server, Transport};
use stage::Stage;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Outcome<()> {
    let library = Library::load(&arguments.dir).map_err(|mistakes| {
        let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        format!("{} in scenarios:\n{}", mistakes_in_words(lines.len()), lines.join("\n"))
    })?;
    match &arguments.command {
        Some(Command::Definitions { id, version }) => {
            say(&describe::definitions(library.find(id)?, *version)?)
        }
        Some(Command::Report { files }) => {
            let text = |path: &std::path::PathBuf| -> Outcome<(String, String)> {
                let name = path.display().to_string();
                let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
                Ok((name, text))
            };
            let texts = files.iter().map(text).collect::<Outcome<Vec<_>>>()?;
            say(&report::report(&library, &texts)?)
        }
        None => show_or_serve(&library, &arguments.serve),
    }
}

fn mistakes_in_words(count: usize) -> String {
    if count == 1 { "a mistake".to_owned() } else { format!("{count} mistakes") }
}

fn say(text: &str) -> Outcome<()> {
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

fn show_or_serve(library: &Library, wishes: &Serve) -> Outcome<()> {
    if wishes.list {
        let all = &library.scenarios;
        return say(&if wishes.json {
            all.iter().map(describe::json).collect()
        } else {
            describe::list(all)
        });
    }
    if let Some(id) = &wishes.describe {
        let scenario = library.find(id)?;
        let attack = scenario.twin_of.as_deref().map(|id| library.find(id)).transpose()?;
        return say(&if wishes.json {
            describe::json(scenario)
        } else {
            describe::describe(scenario, attack)
        });
    }
    let chosen: Vec<&Scenario> = if wishes.all {
        library.scenarios.iter().collect()
    } else {
        wishes.scenario.iter().map(|id| library.find(id)).collect::<Result<_, String>>()?
    };
    match (&wishes.http, wishes.stdio, &chosen[..]) {
        (_, _, []) => Err("which scenario? --list shows them; --scenario ID or --all serves them".into()),
        (Some(address), _, _) => serve_http(&chosen, address, wishes),
        (None, true, [scenario]) => serve_stdio(scenario, wishes),
        (None, true, _) => {
            Err("a pipe has one server at its end: one --scenario with --stdio, or --http for several".into())
        }
        (None, false, _) => Err("--stdio or --http ADDRESS says how to serve".into()),
    }
}

fn serve_stdio(scenario: &Scenario, wishes: &Serve) -> Outcome<()> {
    if !scenario.transports.contains(&Transport::Stdio) {
        return Err(format!("{} is for --http only", scenario.id).into());
    }
    let server = match &wishes.peer {
        None => &scenario.server,
        Some(name) => {
            let known: Vec<&str> = scenario.peers.iter().map(|peer| peer.name.as_str()).collect();
            let peer = scenario.peers.iter().find(|peer| peer.name == *name);
            peer.ok_or_else(|| mistake::unknown("peer", name, &known))?
        }
    };
    stdio::serve(&on_stage(scenario, server, wishes));
    Ok(())
}

fn serve_http(chosen: &[&Scenario], address: &str, wishes: &Serve) -> Outcome<()> {
    let addresses: Vec<SocketAddr> =
        address.to_socket_addrs().map_err(|error| format!("{address} is no address: {error}"))?.collect();
    if !wishes.i_know && addresses.iter().any(|address| !address.ip().is_loopback()) {
        return Err(format!(
            "{address} can be reached from other machines, and this server attacks whoever connects; \
             use 127.0.0.1, or say --i-know"
        )
        .into());
    }
    let mut stages = BTreeMap::new();
    for scenario in chosen.iter().filter(|scenario| scenario.transports.contains(&Transport::Http)) {
        let stage = |server: &Server| on_stage(scenario, server, wishes);
        stages.insert(format!("/{}/mcp", scenario.id), stage(&scenario.server));
        for peer in &scenario.peers {
            stages.insert(format!("/{}/{}/mcp", scenario.id, peer.name), stage(peer));
        }
    }
    if stages.is_empty() {
        return Err("none of these scenarios is for --http".into());
    }
    let listener = TcpListener::bind(&addresses[..])?;
    let here = listener.local_addr()?;
    let house = Arc::new(http::House::new(stages));
    let lines: String = house.paths().map(|path| format!("http://{here}{path}\n")).collect();
    say(&lines)?;
    Ok(http::serve(&house, &listener)?)
}

fn on_stage(scenario: &Scenario, server: &Server, wishes: &Serve) -> Arc<Stage> {
    let clock = Arc::new(clock::Running::start(wishes.speed));
    let is_wished = |era: &&Era| wishes.era.as_deref().is_none_or(|wish| wish == era.as_str());
    let eras = scenario.eras.iter().filter(is_wished).copied().collect();
    Arc::new(Stage::new(&scenario.id, eras, server.clone(), clock))
}
