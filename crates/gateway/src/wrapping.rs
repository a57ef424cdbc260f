//! Servers that clients start through us: a relay hands over how, and this user's gateway starts them behind the gate.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::GatewayError;
use crate::downstream::stdio::STARTER;
use crate::gate::Gate;
use crate::judge::Who;
use crate::settings::{Launch, Server, ServerName, Transport};
use crate::upstream::Upstream;

/// Variables that decide what a program does before it does anything: they belong to how a server is launched. Others
/// come and go with terminals and desktops.
const DECISIVE: [&str; 20] = [
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5LIB",
    "PERL5OPT",
    "RUBYLIB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "BASH_ENV",
    "ENV",
    "GIT_SSH_COMMAND",
    "npm_config_registry",
    "PIP_INDEX_URL",
];
/// Digits of a launch's fingerprint that tell it from another of the same name.
const DIGITS: usize = 6;
/// The longest name, so that the digits still fit.
const LONGEST_NAME: usize = 56;

/// What a relay hands over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrapped {
    /// What the server should be called.
    pub name: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
    /// The client's environment.
    pub environment: BTreeMap<String, String>,
    /// The client's process: relays that it started belong together.
    #[serde(default)]
    pub client: Option<u32>,
}

impl Wrapped {
    /// Who calls through the relay.
    pub(crate) fn who(&self) -> Who {
        match self.client {
            Some(process) => Who::known(STARTER, "process", &process.to_le_bytes()),
            None => Who::named(STARTER),
        }
    }

    /// The server, if it can have the name.
    pub fn server(&self) -> Option<Server> {
        let is_decisive = |(name, _): &(&String, &String)| DECISIVE.contains(&name.as_str());
        let owned = |(name, value): (&String, &String)| (name.clone(), value.clone());
        let (environment, inherited): (Vec<_>, Vec<_>) = self.environment.iter().partition(is_decisive);
        let launch = Launch {
            command: self.command.clone(),
            arguments: self.arguments.clone(),
            directory: Some(self.directory.clone()),
            environment: environment.into_iter().map(owned).collect(),
            inherited: Some(inherited.into_iter().map(owned).collect()),
        };
        let name = ServerName::parse(&self.name).filter(|name| name.as_str().len() <= LONGEST_NAME)?;
        Some(Server { name, transport: Transport::Stdio(launch), answer: None, trust: None, each_node: true })
    }
}

/// A server that is used as long as its client is there.
pub(crate) struct Held {
    gate: Arc<Gate>,
    pub(crate) upstream: Arc<Upstream>,
}

impl Gate {
    /// Begins to use a server for one client. Each client has a process of its own; what was approved counts for all
    /// that are launched alike.
    pub(crate) fn wrap(self: &Arc<Self>, mut server: Server) -> Result<Held, GatewayError> {
        let launch = server.launch();
        if self.launched(server.name.as_str()).is_some_and(|running| running != launch) {
            let digits: String = launch.to_string().chars().take(DIGITS).collect();
            // INVARIANT: the name is short enough for the digits, and they are what names are made of.
            let name = ServerName::parse(&format!("{}-{digits}", server.name.as_str()));
            server.name = name.unwrap_or(server.name);
        }
        let upstream = self.take_beside(&server)?;
        self.hear_one(&upstream);
        self.wraps.send_modify(|count| *count += 1);
        Ok(Held { gate: Arc::clone(self), upstream })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.upstream.end();
        self.gate.leave(&self.upstream);
        self.gate.wraps.send_modify(|count| *count = count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_what_runs_belongs_to_the_launch() {
        let wrapped = |environment: &[(&str, &str)]| Wrapped {
            name: "files".into(),
            command: "npx".into(),
            arguments: vec!["files".into()],
            directory: "/".into(),
            environment: environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            client: None,
        };
        let launch = |environment: &[(&str, &str)]| wrapped(environment).server().unwrap().launch();
        assert_eq!(launch(&[("TERM", "xterm")]), launch(&[("DISPLAY", ":0")]));
        assert_ne!(launch(&[]), launch(&[("LD_PRELOAD", "/x.so")]));
        let long = Wrapped { name: "x".repeat(60), ..wrapped(&[]) };
        assert!(long.server().is_none());
    }
}
