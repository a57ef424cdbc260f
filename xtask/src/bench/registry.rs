//! A hundred thousand tools in one registry: what it costs to build, to change one server, to observe all.

use crate::figures::{Bar, Figures};
use crate::input;
use crate::speed::{observe_all, seconds};
use crate::synthesis::Lot;
use anyhow::{Result, bail};
use portcullis_detect::{Definition, Detector, Kind, Registry};
use serde_json::{Value, json};
use std::path::Path;

const GROUP: &str = "registry: 100,000 tools recombined from the corpus, 100 to a server";
const SERVERS: usize = 1_000;
const TOOLS_EACH: usize = 100;
const CHANGES: usize = 50;

pub(crate) fn measure(corpus: &Path) -> Result<Figures> {
    let parts = Parts::of(&input::corpus(corpus)?)?;
    let mut lot = Lot::new(3);
    let servers: Vec<Vec<String>> =
        (0..SERVERS).map(|_| (0..TOOLS_EACH).map(|_| parts.tool(&mut lot)).collect()).collect();
    let mut figures = Figures::default();
    let mut parsed = Vec::new();
    let parse = seconds(|| {
        parsed = servers.iter().enumerate().map(|(n, tools)| definitions(n, tools)).collect::<Result<_>>()?;
        Ok(())
    })?;
    let mut registry = Registry::new();
    let build = seconds(|| {
        parsed.into_iter().enumerate().for_each(|(n, tools)| registry.insert_server(&name(n), tools));
        Ok(())
    })?;
    figures.add(GROUP, "parsing the definitions", parse * 1e3, "ms", Bar::None);
    figures.add(GROUP, "full build", build * 1e3, "ms", Bar::AtMost(2000.0));
    figures.add(GROUP, "full build with parsing", (build + parse) * 1e3, "ms", Bar::None);
    let change = change(&mut registry, &servers, &parts)?;
    figures.add(
        GROUP,
        "one server's change, mean of 50, parsing included",
        change * 1e3,
        "ms",
        Bar::AtMost(10.0),
    );
    let detector = Detector::new();
    let mut findings = 0;
    let observe = seconds(|| {
        findings = observe_all(&detector, &registry);
        Ok(())
    })?;
    figures.add(GROUP, "observing all", observe * 1e3, "ms", Bar::None);
    figures.note(&format!("{findings} findings"));
    Ok(figures)
}

/// Mean processor seconds to replace one server whose every tool may be new.
fn change(registry: &mut Registry, servers: &[Vec<String>], parts: &Parts) -> Result<f64> {
    let mut lot = Lot::new(5);
    let mut total = 0.0;
    for _ in 0..CHANGES {
        let number = lot.below(servers.len());
        let mut tools = servers[number].clone();
        let changed = lot.below(tools.len());
        tools[changed] = parts.tool(&mut lot);
        total += seconds(|| {
            registry.insert_server(&name(number), definitions(number, &tools)?);
            Ok(())
        })?;
    }
    Ok(total / CHANGES as f64)
}

fn name(number: usize) -> String {
    format!("server-{number}")
}

fn definitions(number: usize, tools: &[String]) -> Result<Vec<Definition>> {
    let server = name(number);
    Ok(tools.iter().map(|json| Definition::parse(&server, Kind::Tool, json)).collect::<Result<_, _>>()?)
}

/// What tools are made of: words of names, sentences of descriptions, schemas.
struct Parts {
    words: Vec<String>,
    sentences: Vec<String>,
    schemas: Vec<Value>,
}

impl Parts {
    fn of(entries: &[Value]) -> Result<Self> {
        let mut parts = Parts { words: Vec::new(), sentences: Vec::new(), schemas: Vec::new() };
        for tool in entries.iter().filter(|entry| entry["label"] == "benign").map(input::nested_tool) {
            let text = |field: &str| tool[field].as_str().unwrap_or_default();
            parts.words.extend(text("name").split('_').filter(|word| !word.is_empty()).map(str::to_owned));
            parts.sentences.extend(text("description").split_inclusive(". ").map(str::to_owned));
            parts.schemas.push(tool["inputSchema"].clone());
        }
        if parts.words.is_empty() || parts.sentences.is_empty() {
            bail!("the corpus holds no honest tools to recombine");
        }
        Ok(parts)
    }

    fn tool(&self, lot: &mut Lot) -> String {
        let name =
            (0..2 + lot.below(3)).map(|_| lot.pick(&self.words).as_str()).collect::<Vec<_>>().join("_");
        let description: String = (0..1 + lot.below(3)).map(|_| lot.pick(&self.sentences).as_str()).collect();
        json!({"name": name, "description": description, "inputSchema": lot.pick(&self.schemas)}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recombines_honest_tools_only() {
        let honest =
            json!({"label": "benign", "tool": {"name": "list_notes", "description": "Lists. Notes."}});
        let hostile = json!({"label": "malicious", "tool": {"name": "evil", "description": "Evil."}});
        let parts = Parts::of(&[honest, hostile.clone()]).unwrap();
        assert_eq!(
            (parts.words, parts.sentences),
            (vec!["list".into(), "notes".into()], vec!["Lists. ".into(), "Notes.".into()])
        );
        assert!(Parts::of(&[hostile]).is_err());
    }
}
