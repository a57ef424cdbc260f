//! `cargo xtask phone-plans`: derives the table of telephone numbering plans from published metadata.
//!
//! The metadata is `metadata.max.json` of the npm package `libphonenumber-js` (made from Google's libphonenumber,
//! Apache-2.0). Of it only what a plan allows is kept: lengths, leading digits, and how its numbers are grouped.

mod pattern;

use crate::arguments::Arguments;
use crate::{shell, tree};
use anyhow::{Context, Result};
use pattern::Pattern;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const PLACE: &str = "crates/detect/data/phone-plans.txt";
const HEADER: &str = "\
# Telephone numbering plans, by calling code: code, regions, trunk prefix, leading three digits by length, groupings.
# Derived by `cargo xtask phone-plans` from the metadata of libphonenumber (Copyright The Libphonenumber Authors,
# Apache License 2.0), as packaged by libphonenumber-js. Only this summary is kept. Do not edit.
";
/// Longer national numbers are those of machines and conference bridges.
const LONGEST: usize = 12;

/// What is kept of the regions that share a calling code.
#[derive(Default)]
struct Plan {
    regions: Vec<String>,
    trunk: String,
    /// By length: which of the thousand leading triples occur.
    leading: BTreeMap<usize, BTreeSet<u16>>,
    groupings: BTreeSet<Vec<usize>>,
}

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let from = arguments.value("--from")?.context("say where metadata.max.json is: --from FILE")?;
    arguments.end()?;
    let text = std::fs::read_to_string(&from).with_context(|| format!("cannot read {from}"))?;
    let metadata: Value = serde_json::from_str(&text).with_context(|| format!("{from} is not JSON"))?;
    let table = table_of(&metadata)?;
    std::fs::write(tree::root().join(PLACE), table).with_context(|| format!("cannot write {PLACE}"))?;
    shell::say(&format!("wrote {PLACE}"));
    Ok(())
}

fn table_of(metadata: &Value) -> Result<String> {
    let regions = metadata["countries"].as_object().context("no `countries`")?;
    let mut plans: BTreeMap<u16, Plan> = BTreeMap::new();
    for (region, facts) in regions {
        let code = facts[0].as_str().context("a region without a calling code")?.parse()?;
        plans.entry(code).or_default().add(region, facts)?;
    }
    let mut table = HEADER.to_owned();
    for (code, plan) in &plans {
        plan.write(*code, &mut table)?;
    }
    Ok(table)
}

impl Plan {
    fn add(&mut self, region: &str, facts: &Value) -> Result<()> {
        self.regions.push(region.to_owned());
        if let Some(trunk) = facts[5].as_str().filter(|_| self.trunk.is_empty()) {
            trunk.clone_into(&mut self.trunk);
        }
        let pattern = Pattern::new(facts[2].as_str().context("a region without a pattern")?)?;
        for length in facts[3].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            let length = usize::try_from(length)?;
            if !(4..=LONGEST).contains(&length) {
                continue;
            }
            let triples = (0..1000).filter(|&triple| pattern.allows(triple, length));
            self.leading.entry(length).or_default().extend(triples);
        }
        for format in facts[4].as_array().into_iter().flatten() {
            self.groupings.extend(groupings(format));
        }
        Ok(())
    }

    fn write(&self, code: u16, table: &mut String) -> Result<()> {
        let trunk = if self.trunk.is_empty() { "-" } else { &self.trunk };
        let leading: Vec<String> = self
            .leading
            .iter()
            .filter(|(_, triples)| !triples.is_empty())
            .map(|(length, triples)| format!("{length}:{}", ranges(triples)))
            .collect();
        let groupings: Vec<String> = self
            .groupings
            .iter()
            .map(|groups| groups.iter().map(usize::to_string).collect::<Vec<_>>().join("."))
            .collect();
        let groupings = if groupings.is_empty() { "-".to_owned() } else { groupings.join(",") };
        writeln!(table, "{code} {} {trunk} {} {groupings}", self.regions.join(","), leading.join(";"))?;
        Ok(())
    }
}

/// `200-399,500`, as short as it gets.
fn ranges(triples: &BTreeSet<u16>) -> String {
    let mut spans: Vec<(u16, u16)> = Vec::new();
    for &triple in triples {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == triple => *last = triple,
            _ => spans.push((triple, triple)),
        }
    }
    let shown =
        spans.iter().map(
            |&(first, last)| {
                if first == last { format!("{first:03}") } else { format!("{first:03}-{last:03}") }
            },
        );
    shown.collect::<Vec<_>>().join(",")
}

/// How many digits stand in each group of a national format, with the trunk prefix and without.
fn groupings(format: &Value) -> Vec<Vec<usize>> {
    let (Some(pattern), Some(shown)) = (format[0].as_str(), format[1].as_str()) else { return Vec::new() };
    let has_own_digits =
        shown.char_indices().any(|(at, character)| character.is_ascii_digit() && !shown[..at].ends_with('$'));
    if has_own_digits {
        return Vec::new();
    }
    let mut all = vec![Vec::new()];
    for group in pattern.split('(').skip(1) {
        let Some((least, most)) = counts(group.trim_end_matches(')')) else { return Vec::new() };
        all = all
            .iter()
            .flat_map(|head: &Vec<usize>| {
                (least..=most).map(move |count| head.iter().copied().chain([count]).collect())
            })
            .collect();
    }
    let rule = format[3].as_str().unwrap_or_default();
    let before = rule.split('$').next().unwrap_or_default();
    let trunk = before.chars().filter(char::is_ascii_digit).count();
    let with_trunk = |groups: &Vec<usize>| match groups.split_first() {
        Some(_) if before.ends_with(' ') => [&[trunk], groups.as_slice()].concat(),
        Some((first, rest)) => [&[first + trunk], rest].concat(),
        None => Vec::new(),
    };
    if trunk > 0 {
        all.extend(all.iter().map(with_trunk).collect::<Vec<_>>());
    }
    all.retain(|groups| groups.len() > 1 && (6..=LONGEST).contains(&groups.iter().sum()));
    all
}

/// The least and most digits of `\d`, `\d{4}` or `\d{4,5}`; a group with fixed digits is not a plain one.
fn counts(group: &str) -> Option<(usize, usize)> {
    let rest = group.strip_prefix("\\d")?;
    if rest.is_empty() {
        return Some((1, 1));
    }
    let inside = rest.strip_prefix('{')?.strip_suffix('}')?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
    Some((least.parse().ok()?, most.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_region_becomes_one_line() {
        let metadata = json!({"countries": {"XX": ["99", "00", "[1-3]\\d{5}|9\\d{7}", [6, 8],
            [["(\\d{2})(\\d{4})", "$1 $2", ["[1-3]"], "0$1"], ["(\\d{3})(\\d{2,3})(\\d{2})", "$1 $2 $3", [], "0 $1"]],
            "0"]}});
        let table = table_of(&metadata).unwrap();
        assert_eq!(
            table.lines().last(),
            Some("99 XX 0 6:100-399;8:900-999 1.3.2.2,1.3.3.2,2.4,3.2.2,3.3.2,3.4")
        );
    }
}
