//! What a reviewer sees. Names and texts are servers' own: nothing of them reaches the terminal unescaped.

use std::io::Write;

use portcullis_detect::escape_line;
use portcullis_report::write_safe;
use serde_json::Value;

use crate::Streams;
use crate::exit::Failure;

/// Characters of a name or sentence on a line.
const LONGEST_LINE: usize = 300;
/// Characters of a definition.
const LONGEST_TEXT: usize = 20_000;
/// Digits of a fingerprint that tell two versions apart in a list.
const DIGITS: usize = 12;

/// A text of the answer, fit to be shown.
fn text(value: &Value) -> String {
    escape_line(value.as_str().unwrap_or_default(), LONGEST_LINE)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// All servers, a line each.
pub(super) fn servers(value: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let mut is_empty = true;
    for server in list(&value["servers"]) {
        is_empty = false;
        server_line(server, streams.out)?;
    }
    if is_empty {
        writeln!(streams.err, "no server is known yet")?;
    }
    Ok(())
}

/// One server.
pub(super) fn server(value: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    server_line(value, streams.out)?;
    if let Some(pending) = value["pending_launch"].as_str() {
        writeln!(streams.out, "  it would be launched as {}", escape_line(pending, LONGEST_LINE))?;
        let name = text(&value["name"]);
        writeln!(
            streams.out,
            "  read how in the configuration, then: portcullis security confirm-launch {name}"
        )?;
    }
    Ok(())
}

fn server_line(server: &Value, out: &mut dyn Write) -> Result<(), Failure> {
    let states = server["definitions"].as_object().into_iter().flatten();
    let states: Vec<String> = states.map(|(state, count)| format!("{count} {state}")).collect();
    let scan = &server["scan"];
    let status = match scan["status"].as_str() {
        Some("complete") => "read".to_owned(),
        Some("never") => "never read".to_owned(),
        _ => format!("{}: {}", text(&scan["status"]), text(&scan["why"])),
    };
    write!(out, "{}  {}  {status}", text(&server["name"]), text(&server["trust"]))?;
    if !states.is_empty() {
        write!(out, "  {}", states.join(", "))?;
    }
    if let Some(asked) = server["definitions_requested"].as_u64().filter(|count| *count > 0) {
        write!(out, "  {asked} requested")?;
    }
    if let Some(node) = server["node"].as_str() {
        write!(out, "  runs on {}", escape_line(node, LONGEST_LINE))?;
    }
    match server["held"].as_str() {
        Some(hold) => writeln!(out, "  HELD: {}", escape_line(hold, LONGEST_LINE))?,
        None => writeln!(out)?,
    }
    request_line(&server["requested"], out)
}

/// What an agent asked a human for.
fn request_line(request: &Value, out: &mut dyn Write) -> Result<(), Failure> {
    if request.is_object() {
        writeln!(out, "  {} asks for approval: {}", text(&request["by"]), text(&request["reason"]))?;
    }
    Ok(())
}

/// What a server declares, a line each.
pub(super) fn definitions(value: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let mut held = 0;
    for item in list(&value["items"]) {
        definition_line(item, streams.out)?;
        held += usize::from(!item["held"].is_null());
    }
    if held > 0 {
        let server = text(&value["server"]);
        writeln!(streams.err, "{held} held; portcullis security inspect {server} NAME shows why")?;
    }
    Ok(())
}

fn definition_line(item: &Value, out: &mut dyn Write) -> Result<(), Failure> {
    let print: String = text(&item["fingerprint"]).chars().take(DIGITS).collect();
    write!(out, "{}  {}  {print}", text(&item["name"]), text(&item["state"]))?;
    let checks: Vec<String> = list(&item["hard"]).map(text).collect();
    if !checks.is_empty() {
        write!(out, "  [{}]", checks.join(", "))?;
    }
    match item["held"].as_str() {
        Some(hold) => writeln!(out, "  held: {}", escape_line(hold, LONGEST_LINE))?,
        None => writeln!(out)?,
    }
    request_line(&item["requested"], out)
}

/// One definition in full.
pub(super) fn definition(value: &Value, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "{}/{}  {}", text(&value["server"]), text(&value["name"]), text(&value["state"]))?;
    writeln!(out, "  fingerprint {}", text(&value["fingerprint"]))?;
    if let Some(hold) = value["held"].as_str() {
        writeln!(out, "  held: {}", escape_line(hold, LONGEST_LINE))?;
    }
    if let Some(reason) = value["rejection"]["reason"].as_str() {
        let by = text(&value["rejection"]["by"]);
        writeln!(out, "  rejected by {by}: {}", escape_line(reason, LONGEST_LINE))?;
    }
    if value["shown_to"].is_string() {
        writeln!(out, "  shown so to {}, and not to the gateway itself", text(&value["shown_to"]))?;
    }
    let approval = &value["approval"];
    if approval.is_object() {
        writeln!(out, "  approved by {} as {}", text(&approval["by"]), text(&approval["fingerprint"]))?;
    }
    let definition = serde_json::to_string_pretty(&value["definition"]).unwrap_or_default();
    for line in definition.lines() {
        writeln!(out, "  | {}", escape_line(line, LONGEST_TEXT))?;
    }
    for finding in list(&value["findings"]["findings"]) {
        for signal in list(&finding["signals"]) {
            writeln!(out, "  {}: {}", text(&signal["check"]), text(&signal["detail"]))?;
        }
    }
    for change in list(&value["difference"]["changed"]).flat_map(|changed| list(&changed["changes"])) {
        writeln!(out, "  changed at {}: {}", text(&change["pointer"]), text(&change["class"]))?;
    }
    Ok(())
}

/// One definition in full, as the answer.
pub(super) fn inspected(value: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    definition(value, streams.out)
}

/// What a decision led to.
pub(super) fn decided(value: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    definition_line(value, streams.out)
}

/// What was approved together, and what was not.
pub(super) fn approved(value: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let word = if value["dry_run"] == true { "would approve" } else { "approved" };
    for one in list(&value["approved"]) {
        writeln!(streams.out, "{word} {}  {}", text(&one["name"]), text(&one["fingerprint"]))?;
    }
    for one in list(&value["left"]) {
        writeln!(streams.out, "left {}: it does not scan clean", text(&one["name"]))?;
    }
    let count = |key: &str| list(&value[key]).count();
    writeln!(streams.err, "{} clean, {} need you", count("approved"), count("left"))?;
    Ok(())
}

/// A report for programs, as it is.
pub(super) fn report(value: &Value, streams: &mut Streams<'_>) -> Result<(), Failure> {
    match value {
        Value::String(text) => writeln!(streams.out, "{text}")?,
        other => write_safe(other, streams.out)?,
    }
    Ok(())
}
