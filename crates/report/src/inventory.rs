//! Which servers a machine has: from which client, how each is started, and what about that is worth a look. Schema
//! `portcullis.inventory/1`; fields may be added, none changes its meaning or goes.

use std::collections::BTreeSet;
use std::io::{self, Write};

use portcullis_decide::Incomplete;
use portcullis_detect::escape_line;
use serde::Serialize;

use crate::json::{Gap, gap};
use crate::safe_json;
use crate::style::Style;
use crate::summary::count;

/// Characters shown of a name, of a path, and of how a server is started.
const LONGEST_NAME: usize = 120;
const LONGEST_PATH: usize = 400;
const LONGEST_START: usize = 400;

/// All servers that were found.
#[derive(Debug, Default)]
pub struct Inventory {
    /// In the order in which they were found.
    pub servers: Vec<Listed>,
    /// Files that could not be read, and why.
    pub incomplete: Vec<Incomplete>,
}

/// One server, as a client's file has it. Nothing in it is a secret: values are masked before they come here.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// What the client calls it.
    pub server: String,
    /// What people call the client.
    pub client: String,
    /// The file it stands in.
    pub file: String,
    /// The line it stands on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
    /// Whose file that is: `user`, `project` or `windows`.
    pub level: &'static str,
    /// How it is reached: `stdio`, `http`, `sse` or `unknown`.
    pub transport: &'static str,
    /// The command line or the address, masked.
    pub start: String,
    /// The package it is fetched as, if it is one.
    pub package: Option<Package>,
    /// What the client does with it: `used`, `disabled` or `gated`.
    pub state: &'static str,
    /// What is worth a look.
    pub remarks: Vec<Remark>,
}

/// What is fetched when a server is started.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Where it comes from: `npm`, `pypi`, `oci` or `git`.
    pub registry: &'static str,
    /// Its name.
    pub name: String,
    /// The version that is asked for, if one is.
    pub version: Option<String>,
    /// Whether tomorrow's start runs what today's does: `exact`, `tag` (of an image; its owner can move it), `latest` or
    /// `none`.
    pub pin: &'static str,
}

/// Something about a start that is worth a look.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// What kind it is, such as `launch.unpinned`.
    pub id: &'static str,
    /// What is so, and what to do about it.
    pub text: String,
}

/// Writes the list for people.
///
/// # Errors
/// Only those of `out`.
pub fn write_plain(inventory: &Inventory, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Style { error, warning, strong, reset, .. } = style;
    for listed in &inventory.servers {
        let (server, file) =
            (escape_line(&listed.server, LONGEST_NAME), escape_line(&listed.file, LONGEST_PATH));
        let state = if listed.state == "used" { String::new() } else { format!(", {}", listed.state) };
        writeln!(
            out,
            "{strong}{server}{reset}  {} ({}{state})  {file}:{}:{}",
            listed.client, listed.level, listed.line, listed.column
        )?;
        writeln!(out, "  {}: {}", listed.transport, escape_line(&listed.start, LONGEST_START))?;
        if let Some(package) = &listed.package {
            let version = package.version.as_deref().unwrap_or("no version");
            let (name, version) =
                (escape_line(&package.name, LONGEST_NAME), escape_line(version, LONGEST_NAME));
            writeln!(out, "  {}: {name}, {version} (pin: {})", package.registry, package.pin)?;
        }
        for remark in &listed.remarks {
            writeln!(
                out,
                "  {warning}warning[{}]{reset}: {}",
                remark.id,
                escape_line(&remark.text, LONGEST_START)
            )?;
        }
    }
    for gap in &inventory.incomplete {
        let (subject, reason) =
            (escape_line(&gap.subject, LONGEST_PATH), escape_line(&gap.reason, LONGEST_PATH));
        writeln!(out, "{error}incomplete{reset}: {subject}: {reason}")?;
    }
    writeln!(out, "{}", last_line(inventory))
}

fn last_line(inventory: &Inventory) -> String {
    let clients: BTreeSet<&str> = inventory.servers.iter().map(|listed| listed.client.as_str()).collect();
    let remarkable = inventory.servers.iter().filter(|listed| !listed.remarks.is_empty()).count();
    let doubt = match inventory.incomplete.len() {
        0 => String::new(),
        gaps => format!("incomplete: {} not read; ", count(gaps, "file")),
    };
    format!(
        "{doubt}{} of {}, {remarkable} worth a look",
        count(inventory.servers.len(), "server"),
        count(clients.len(), "client"),
    )
}

/// Writes the list for programs.
///
/// # Errors
/// Only those of `out`.
pub fn write_json(inventory: &Inventory, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a> {
        schema: &'static str,
        complete: bool,
        servers: &'a [Listed],
        incomplete: Vec<Gap<'a>>,
    }
    let document = Document {
        schema: "portcullis.inventory/1",
        complete: inventory.incomplete.is_empty(),
        servers: &inventory.servers,
        incomplete: inventory.incomplete.iter().map(gap).collect(),
    };
    safe_json::write(&document, out)
}
