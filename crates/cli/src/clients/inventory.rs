//! Which servers this machine has, and what about their starts is worth a look. Nothing is started or contacted.

use std::net::IpAddr;

use http::Uri;
use http::uri::Scheme;
use portcullis_decide::Incomplete;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_report::inventory::{Inventory, Listed, Remark};

use super::finder::{Document, Found};
use super::package::{inside_shell, package, program};
use super::places::Level;
use super::recipe::{environment_of, headers_of};
use super::secrets::Secrets;
use super::server::{Server, Start};
use super::shown;
use crate::document::{Node, Place};

/// Everything that stands in these files.
pub(crate) fn inventory(files: &[Found]) -> Inventory {
    let data = SensitiveData::new();
    let secrets = Secrets::new(&data);
    let mut inventory = Inventory::default();
    for found in files {
        match &found.read {
            Ok(document) => {
                inventory
                    .servers
                    .extend(document.servers.iter().map(|server| listed(found, document, server, &secrets)));
            }
            Err(reason) => inventory.incomplete.push(unread(found, reason)),
        }
    }
    inventory
}

/// A file that could not be read, as a gap; the reason may begin with the place in it.
pub(crate) fn unread(found: &Found, reason: &str) -> Incomplete {
    let (place, reason) = reason.split_once(": ").unwrap_or(("", reason));
    Incomplete { subject: format!("{}{place}", shown(&found.path)), reason: reason.to_owned() }
}

fn listed(found: &Found, document: &Document, server: &Server, secrets: &Secrets<'_>) -> Listed {
    let Place { line, column } = server.at;
    let entry = entry(&document.root, server);
    let (transport, start, package) = match &server.start {
        Start::Command { command, arguments, .. } => {
            ("stdio", secrets.command_line(command, arguments), package(command, arguments))
        }
        Start::Remote { transport, url, .. } => (transport.as_str(), secrets.address(url), None),
        Start::Gated => ("stdio", "portcullis wrap".to_owned(), None),
        Start::Unknown(reason) => ("unknown", (*reason).to_owned(), None),
    };
    let state = match server.start {
        _ if server.is_disabled => "disabled",
        Start::Gated => "gated",
        _ => "used",
    };
    let mut remarks = remarks(&server.start, secrets);
    remarks.extend(package.as_ref().filter(|one| matches!(one.pin, "none" | "latest")).map(|one| Remark {
        id: "launch.unpinned",
        text: format!(
            "{} is fetched in whatever version is there when it starts; name an exact one",
            one.name
        ),
    }));
    remarks.extend(entry.into_iter().flat_map(|entry| values(entry, found, secrets)));
    let level = match found.level {
        Level::User => "user",
        Level::Project => "project",
        Level::Windows => "windows",
    };
    let (server, client, file) =
        (server.name.clone(), found.client.name.to_owned(), found.path.display().to_string());
    Listed { server, client, file, line, column, level, transport, start, package, state, remarks }
}

/// What the command line or the address itself shows.
fn remarks(start: &Start, secrets: &Secrets<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut remark = |id, text: String| remarks.push(Remark { id, text });
    match start {
        Start::Command { command, arguments, .. } => {
            if inside_shell(command, arguments).is_some() {
                let text =
                    format!("{} interprets the command line; start the program itself", program(command));
                remark("launch.shell", text);
            }
            if secrets.command_line(command, arguments) != plain_line(command, arguments) {
                let text = "a secret stands among the arguments, where every program of this machine sees it; \
                            use the environment";
                remark("launch.secret_argument", text.to_owned());
            }
        }
        Start::Remote { url, .. } => {
            if is_plain_http(url) {
                let text = "whoever is on the way reads and changes what passes; use https";
                remark("launch.plain_http", text.to_owned());
            }
            if secrets.address(url) != *url {
                remark(
                    "launch.secret_address",
                    "a secret stands in the address, which is logged; use a header".to_owned(),
                );
            }
        }
        Start::Gated | Start::Unknown(_) => {}
    }
    remarks
}

fn plain_line(command: &str, arguments: &[String]) -> String {
    std::iter::once(command).chain(arguments.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// What the values of the environment and of headers show.
fn values(entry: &Node, found: &Found, secrets: &Secrets<'_>) -> Vec<Remark> {
    let environment = environment_of(entry).map(|node| ("launch.secret_environment", node));
    let headers = headers_of(entry, found.client).map(|node| ("launch.secret_header", node));
    let mut remarks = Vec::new();
    for (id, node) in environment.into_iter().chain(headers) {
        for member in node.members() {
            let Some(masked) = member.node.text().and_then(|value| secrets.value(&member.name, value)) else {
                continue;
            };
            let text = format!(
                "{}={masked} stands in the file; let the client fill it in from its own store or the environment",
                member.name
            );
            remarks.push(Remark { id, text });
        }
    }
    remarks
}

/// The entry of a server; one of a list is known by its place.
pub(super) fn entry<'a>(root: &'a Node, server: &Server) -> Option<&'a Node> {
    match &server.way {
        Some(way) => way.iter().try_fold(root, |node, name| node.member(name)),
        None => at(root, server.at),
    }
}

fn at(node: &Node, place: Place) -> Option<&Node> {
    let inner = node.members().iter().map(|member| &member.node).chain(node.elements());
    inner.filter(|inner| !inner.members().is_empty() || !inner.elements().is_empty()).find_map(|inner| {
        if inner.at == place && !inner.members().is_empty() { Some(inner) } else { at(inner, place) }
    })
}

/// Whether what passes can be read on the way: not encrypted, and not on this machine.
fn is_plain_http(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    uri.scheme() == Some(&Scheme::HTTP) && !is_here
}

#[cfg(test)]
mod tests {
    use super::is_plain_http;

    #[test]
    fn only_this_machine_may_be_spoken_to_in_the_clear() {
        for far in
            ["http://a.example/mcp", "HTTP://a.example", "http://127.0.0.1.a.example", "http://10.0.0.1"]
        {
            assert!(is_plain_http(far), "{far}");
        }
        for near in
            ["https://a.example", "http://localhost:80/", "http://127.0.0.2/mcp", "http://[::1]:8080", "no"]
        {
            assert!(!is_plain_http(near), "{near}");
        }
    }
}
