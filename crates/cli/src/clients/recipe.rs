//! How a server of a client's file is started or reached, with the values its entry holds: what a gateway needs to do it.

use std::collections::BTreeMap;

use http::Uri;
use portcullis_detect::escape_line;
use portcullis_detect::fingerprint::{Fingerprint, Launch, Transport};
use serde_json::{Value, json};

use super::LONGEST_NAME;
use super::server::{Server, Start};
use super::table::Client;
use crate::config::Environment;
use crate::document::{Node, Tree};

/// Words between `${` and `}` that only an editor can fill in.
const OF_EDITORS: [&str; 7] =
    ["input:", "command:", "config:", "workspaceFolder", "userHome", "pathSeparator", "/"];

/// A server with everything needed to use it. There is no Debug: it holds secrets.
#[derive(Clone)]
pub(crate) enum Recipe {
    Command {
        command: String,
        arguments: Vec<String>,
        environment: BTreeMap<String, String>,
        directory: Option<String>,
    },
    Remote {
        transport: Transport,
        url: String,
        headers: BTreeMap<String, String>,
    },
}

impl Recipe {
    /// Reads an entry whole; why not, in words for its owner, without any value.
    pub(crate) fn of(
        server: &Server,
        root: &Node,
        client: &Client,
        environment: Environment<'_>,
    ) -> Result<Recipe, String> {
        let entry =
            server.way.as_deref().and_then(|way| way.iter().try_fold(root, |node, name| node.member(name)));
        let fill = |text: &str| filled(text, client.has_plain_variables, environment);
        let values = |names: &[String], node: Option<&Node>| match node {
            // The entries of a list have no way to them, so their values were not looked at.
            None if !names.is_empty() => {
                Err("its file is a list, whose values cannot be taken over".to_owned())
            }
            None => Ok(BTreeMap::new()),
            Some(node) => {
                node.members().iter().map(|one| Ok((one.name.clone(), fill(&value(&one.node)?)?))).collect()
            }
        };
        match &server.start {
            Start::Command { command, arguments, environment: names, .. } => Ok(Recipe::Command {
                command: fill(command)?,
                arguments: arguments.iter().map(|argument| fill(argument)).collect::<Result<_, _>>()?,
                environment: values(names, entry.and_then(environment_of))?,
                directory: entry.and_then(directory).map(fill).transpose()?,
            }),
            Start::Remote { transport, url, headers: names, .. } => {
                let has = |key: &&str| entry.is_some_and(|entry| entry.member(key).is_some());
                if client.credentials.iter().any(has) {
                    return Err("the client adds a credential of its own; take that out of the entry first"
                        .to_owned());
                }
                let headers = values(names, entry.and_then(|entry| headers_of(entry, client)))?;
                Ok(Recipe::Remote { transport: *transport, url: fill(url)?, headers })
            }
            Start::Gated => Err("it goes through the gate already".to_owned()),
            Start::Unknown(reason) => Err((*reason).to_owned()),
        }
    }

    /// The body of the request that adds it.
    pub(crate) fn body(&self, name: &str) -> Value {
        match self {
            Recipe::Command { command, arguments, environment, directory } => json!({
                "name": name, "command": command, "args": arguments, "env": environment, "cwd": directory,
            }),
            Recipe::Remote { transport, url, headers } => {
                json!({ "name": name, "type": transport.as_str(), "url": url, "headers": headers })
            }
        }
    }

    /// What the gateway recognises its launch by.
    pub(crate) fn launch(&self) -> Fingerprint {
        match self {
            Recipe::Command { command, arguments, environment, .. } => Launch {
                transport: Transport::Stdio,
                command,
                arguments: &arguments.iter().map(String::as_str).collect::<Vec<_>>(),
                environment: &environment.keys().map(String::as_str).collect::<Vec<_>>(),
                url: "",
            }
            .fingerprint(),
            Recipe::Remote { transport, url, .. } => {
                // The gateway knows an address as it is asked for: a missing path is a slash.
                let url = url.parse::<Uri>().map_or_else(|_| url.clone(), |uri| uri.to_string());
                Launch { transport: *transport, command: "", arguments: &[], environment: &[], url: &url }
                    .fingerprint()
            }
        }
    }
}

pub(super) fn environment_of(entry: &Node) -> Option<&Node> {
    let nested = entry.member("command").filter(|command| !command.members().is_empty());
    nested.unwrap_or(entry).member("env").or_else(|| entry.member("environment"))
}

pub(super) fn headers_of<'a>(entry: &'a Node, client: &Client) -> Option<&'a Node> {
    entry.member(client.headers).or_else(|| entry.member("requestOptions")?.member("headers"))
}

fn directory(entry: &Node) -> Option<&str> {
    ["cwd", "working_directory"].iter().find_map(|key| entry.member(key)?.text())
}

/// A value of an environment or a header, as a process or a server gets it.
fn value(node: &Node) -> Result<String, String> {
    match &node.value {
        Tree::Text(text) => Ok(text.clone()),
        Tree::Number(number) => Ok(number.to_string()),
        Tree::Bool(bool) => Ok(bool.to_string()),
        Tree::Null | Tree::List(_) | Tree::Map(_) => {
            Err("a value of its environment or headers is no text".to_owned())
        }
    }
}

/// The text with the variables replaced that clients replace. Some take `${NAME}` for one, all of them `${env:NAME}`.
fn filled(text: &str, has_plain: bool, environment: Environment<'_>) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("${").into_iter().chain(rest.find("{env:")).min() {
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let Some((inner, after)) = from.trim_start_matches('$').trim_start_matches('{').split_once('}')
        else {
            rest = from;
            break;
        };
        let whole = from.get(..from.len() - after.len()).unwrap_or_default();
        let named =
            inner.strip_prefix("env:").or_else(|| Some(inner).filter(|name| has_plain && is_plain(name)));
        match named {
            Some(name) => out.push_str(&variable(name, environment)?),
            None if OF_EDITORS.iter().any(|word| inner.starts_with(word)) => {
                return Err(format!(
                    "it needs {}, which only its client knows",
                    escape_line(whole, LONGEST_NAME)
                ));
            }
            None => out.push_str(whole),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Whether this may be a variable's name, perhaps with what holds without it.
fn is_plain(text: &str) -> bool {
    let name = text.split(":-").next().unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn variable(text: &str, environment: Environment<'_>) -> Result<String, String> {
    let (name, usual) = text.split_once(":-").map_or((text, None), |(name, usual)| (name, Some(usual)));
    environment(name).or_else(|| usual.map(str::to_owned)).ok_or_else(|| {
        format!(
            "it needs the environment variable {}, which is not set here",
            escape_line(name, LONGEST_NAME)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_those_of_the_client() {
        let environment = |name: &str| (name == "KEY").then(|| "secret".to_owned());
        let check = |text: &str, has_plain: bool, expected: Result<&str, &str>| {
            let found = filled(text, has_plain, &environment);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
        };
        check("Bearer ${env:KEY}.", false, Ok("Bearer secret."));
        check("{env:KEY}", false, Ok("secret"));
        check("${KEY} ${OTHER:-usual}", true, Ok("secret usual"));
        check("${KEY}", false, Ok("${KEY}"));
        check("echo ${x", true, Ok("echo ${x"));
        check("${env:GONE}", false, Err("it needs the environment variable GONE, which is not set here"));
        check("${input:key}", false, Err("it needs ${input:key}, which only its client knows"));
        check(
            "${workspaceFolder}/x",
            true,
            Err("it needs the environment variable workspaceFolder, which is not set here"),
        );
    }
}
