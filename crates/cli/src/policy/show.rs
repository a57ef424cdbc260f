//! What a policy says, and what it would do about one call, as people read it.

use std::io::{self, Write};

use portcullis_detect::escape_line;
use serde_json::Value;

/// Characters of an expression or a sentence on a line.
const LONGEST: usize = 200;

fn text(value: &Value) -> String {
    escape_line(value.as_str().unwrap_or_default(), LONGEST)
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn words(value: &Value) -> String {
    each(value).map(text).collect::<Vec<_>>().join(", ")
}

/// Every entry, the level that counts most first.
pub(super) fn outline(policy: &Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "profile {}", text(&policy["profile"]))?;
    for rule in each(&policy["arguments"]) {
        let whose = format!("{}/{}", text(&rule["server"]), text(&rule["tool"]));
        let what = format!("{whose} {}={}", text(&rule["parameter"]), text(&rule["value"]));
        writeln!(out, "  argument  {what:<32} {}", text(&rule["act"]))?;
    }
    for rule in each(&policy["tools"]) {
        let name = format!("{}/{}", text(&rule["server"]), text(&rule["tool"]));
        writeln!(out, "  tool      {name:<32} {}", text(&rule["act"]))?;
    }
    for rule in each(&policy["conditions"]) {
        let (id, act, when) = (text(&rule["id"]), text(&rule["act"]), text(&rule["when"]));
        writeln!(out, "  condition {id:<32} {act} when {when}")?;
    }
    for rule in each(&policy["servers"]) {
        writeln!(out, "  server    {:<32} {}", text(&rule["server"]), text(&rule["act"]))?;
    }
    let levels = ["rules", "operations", "results"].map(|key| (key.trim_end_matches('s'), &policy[key]));
    for (level, members) in levels {
        for (name, act) in members.as_object().into_iter().flatten() {
            writeln!(out, "  {level:<9} {:<32} {}", escape_line(name, LONGEST), text(act))?;
        }
    }
    writeln!(out, "  degraded  {:<32} {}", "", text(&policy["degraded"]))?;
    writeln!(out, "  flows away {:<31} {}", "", text(&policy["flows_away"]))?;
    for limit in each(&policy["rate_limits"]) {
        let name = format!("{}/{}", text(&limit["server"]), text(&limit["tool"]));
        writeln!(out, "  rate      {name:<32} {} calls in {} s", limit["calls"], limit["seconds"])?;
    }
    if let Some(risk) = policy["risk"].as_object() {
        let (ask, flag) = (&risk["require_approval_threshold"], &risk["auto_flag_threshold"]);
        let critical =
            if risk["block_on_critical"] == true { format!(", deny from {flag}") } else { String::new() };
        writeln!(out, "  risk      flag from {flag}, approve from {ask}{critical}")?;
    }
    Ok(())
}

/// What would become of one call, which entry decides, and why the others do not.
pub(super) fn trial(trial: &Value, out: &mut dyn Write) -> io::Result<()> {
    let facts = &trial["facts"];
    let by = words(&trial["rules"]);
    let by = if by.is_empty() { String::new() } else { format!(" by {by}") };
    writeln!(
        out,
        "{}/{}: {}{by} (risk {}, {})",
        text(&facts["server"]),
        text(&facts["tool"]),
        text(&trial["verdict"]),
        trial["risk"],
        text(&trial["band"])
    )?;
    let way = if facts["outward"] == true { "goes outside" } else { "stays inside" };
    writeln!(out, "  {}, {way}, labels: {}", text(&facts["operation"]), words(&facts["labels"]))?;
    if each(&facts["destinations"]).next().is_some() {
        writeln!(out, "  to {}", words(&facts["destinations"]))?;
    }
    for signal in each(&trial["signals"]) {
        let (check, pointer) = (text(&signal["check"]), text(&signal["pointer"]));
        writeln!(out, "  {check} {pointer}: {} [{}]", text(&signal["detail"]), signal["confidence"])?;
    }
    writeln!(out, "entries, what counts most first:")?;
    for entry in each(&trial["entries"]) {
        let why = text(&entry["why"]);
        let why = if why.is_empty() { why } else { format!(": {why}") };
        let by = if entry["written"] == true { "" } else { " (profile)" };
        writeln!(
            out,
            "  {:<9} {:<9} {:<32} {:<8}{by}{why}",
            text(&entry["outcome"]),
            text(&entry["level"]),
            text(&entry["entry"]),
            text(&entry["act"])
        )?;
    }
    Ok(())
}
