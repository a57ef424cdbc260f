//! The page that shows the comparison: what was done, the tables, and what they do not say.

use super::cases::{Case, Cases};
use super::{Row, Start};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const HEAD: &str = "\
# Beside other scanners

What portcullis and other scanners of tool definitions say about the same tools, in the same run, on the same machine. Only
scanners that install from a public registry and work offline are here; none of them is given a model or a key.

```sh
cargo xtask compare --write                                        # the corpus of this project
cargo xtask compare --write --data DIR/dev_malicious.jsonl --data DIR/dev_benign.jsonl
```

Each scanner gets the same list of tools in the form it takes, with its settings as they come. *Raised* is a tool it says anything
about; *severe* is one it calls high or critical, for portcullis one it would hold. A scanner that fails on the list gets it in
halves until it is known on which tools it fails. Tools that share a name are numbered, because scanners name a tool by its name
alone.
";

const NOTES: &str = "
## What this does not say

- We wrote the corpus, and portcullis is developed with it in view. The others have never seen it. The second table is on tools and
  attacks other people wrote, which we develop with too. Expect less of everyone on text nobody has read.
- The others do more than this: Cisco's scanner has analysers that ask a model or a service, mcp-tool-auditor probes servers while
  they run, mcpscan-cli reads source code and client settings first of all, mcp-armor wraps a server and watches its calls.
- Attacks on another server's tools come without that server, and changed tools are left out: of these scanners only portcullis takes
  more than one list. Most of the attacks others wrote give orders about a tool of another server, so it does worse here than beside
  that server: [the benchmarks](benchmarks.md) have what `portcullis eval` finds when each case comes with its servers.
- Processor time and memory are those of the whole process, its start included.
";

/// The whole page.
pub(super) fn page(
    authored: &Cases,
    rows: &[Row],
    starts: &[Start],
    foreign: Option<&(Cases, Vec<Row>)>,
) -> String {
    let mut text = HEAD.to_owned();
    let _ = write!(text, "\n## The corpus of this project\n\n{}", about(authored));
    text.push_str(&verdicts(authored, rows));
    let _ = write!(text, "\nAttacks raised, by category:\n\n{}", by_category(authored, rows));
    if let Some((cases, rows)) = foreign {
        let _ = write!(text, "\n## Tools and attacks written by others\n\n{}", about(cases));
        text.push_str(&verdicts(cases, rows));
    }
    let _ =
        write!(text, "\n## Start-up\n\nOne honest tool, the least of three runs.\n\n{}", start_table(starts));
    let _ = write!(text, "\n## The commands\n\n{}", commands(rows));
    text + NOTES
}

fn about(cases: &Cases) -> String {
    let attacks = cases.all.iter().filter(|case| case.is_attack).count();
    let left_out = match cases.left_out {
        0 => String::new(),
        count => format!(" {count} others are two versions of one tool and are left out."),
    };
    format!("{attacks} attacks and {} honest tools.{left_out}\n\n", cases.all.len() - attacks)
}

/// A share in percent; of nothing there is no share.
fn share(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}

fn hits<'a>(cases: impl Iterator<Item = &'a Case>, names: &BTreeSet<String>) -> (usize, usize) {
    cases.fold((0, 0), |(hit, all), case| (hit + usize::from(names.contains(case.name())), all + 1))
}

fn verdicts(cases: &Cases, rows: &[Row]) -> String {
    let mut text = "| scanner | attacks raised | attacks severe | honest tools raised | honest tools severe | failed on | processor time | memory |\n\
                    |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for row in rows {
        let cell = |is_attack: bool, names: &BTreeSet<String>| {
            let (hit, all) = hits(cases.all.iter().filter(|case| case.is_attack == is_attack), names);
            share(hit, all)
        };
        let (raised, severe) = (&row.said.raised, &row.said.severe);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.2} s | {:.0} MB |",
            row.name,
            cell(true, raised),
            cell(true, severe),
            cell(false, raised),
            cell(false, severe),
            row.said.failed_on,
            row.cost.seconds,
            row.cost.megabytes
        );
    }
    text
}

fn by_category(cases: &Cases, rows: &[Row]) -> String {
    let mut categories: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in cases.all.iter().filter(|case| case.is_attack) {
        categories.entry(&case.category).or_default().push(case);
    }
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let mut text =
        format!("| category | attacks | {} |\n|---|---|{}\n", names.join(" | "), "---|".repeat(rows.len()));
    for (category, attacks) in categories {
        let cell = |row: &Row| {
            let (hit, all) = hits(attacks.iter().copied(), &row.said.raised);
            share(hit, all)
        };
        let cells: Vec<String> = rows.iter().map(cell).collect();
        let _ = writeln!(text, "| {category} | {} | {} |", attacks.len(), cells.join(" | "));
    }
    text
}

fn start_table(starts: &[Start]) -> String {
    let mut text = "| scanner | processor time | memory |\n|---|---|---|\n".to_owned();
    for Start { name, cost } in starts {
        let _ = writeln!(text, "| {name} | {:.0} ms | {:.0} MB |", cost.seconds * 1e3, cost.megabytes);
    }
    text
}

fn commands(rows: &[Row]) -> String {
    let mut text = "| scanner | command |\n|---|---|\n".to_owned();
    for row in rows {
        let _ = writeln!(text, "| {} | `{}` |", row.name, row.line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::scanners::{Cost, Said};
    use super::*;
    use serde_json::json;

    fn case(name: &str, is_attack: bool) -> Case {
        Case { is_attack, category: "poison".to_owned(), tool: json!({"name": name}) }
    }

    #[test]
    fn shares_are_of_attacks_and_of_honest_tools() {
        let all = vec![case("bad", true), case("worse", true), case("good", false)];
        let said = Said {
            raised: ["bad".to_owned(), "good".to_owned()].into(),
            severe: ["bad".to_owned()].into(),
            failed_on: 0,
        };
        let cost = Cost { seconds: 0.5, megabytes: 12.3 };
        let rows = [Row { name: "some 1".to_owned(), line: "some tools.json", said, cost }];
        let cases = Cases { all, left_out: 2 };
        let text = page(&cases, &rows, &[Start { name: "some 1".to_owned(), cost }], None);
        assert!(
            text.contains("| some 1 | 50.0 % | 50.0 % | 100.0 % | 0.0 % | 0 | 0.50 s | 12 MB |"),
            "{text}"
        );
        assert!(text.contains("| poison | 2 | 50.0 % |") && text.contains("2 others are"), "{text}");
    }
}
