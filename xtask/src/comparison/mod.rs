//! `cargo xtask compare`: other scanners of tool definitions and ours on the same file, and the page that shows it.

mod cases;
mod page;
mod scanners;

use crate::arguments::Arguments;
use crate::{shell, tree};
use anyhow::Result;
use cases::{Case, Cases};
use scanners::{Cost, Said, Scanner};
use std::path::Path;

/// Where the page is written.
const PAGE: &str = "docs/comparison.md";
/// How often a start is measured; the least is what the program needs.
const STARTS: usize = 3;

/// What one scanner did with one set of cases.
struct Row {
    name: String,
    line: &'static str,
    said: Said,
    cost: Cost,
}

/// What it costs to look at one tool: mostly the start.
struct Start {
    name: String,
    cost: Cost,
}

pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let others = arguments.values("--data")?;
    let is_written = arguments.flag("--write");
    arguments.end()?;
    let scanners = scanners::installed(tree::portcullis_to_measure()?)?;
    let target = tree::target()?;
    let folder = target.join("tmp").join("comparison");
    let authored = cases::authored()?;
    let authored_rows = rows(&scanners, &authored, &folder)?;
    let starts = starts(&scanners, &authored, &folder)?;
    let foreign = match others.is_empty() {
        true => None,
        false => {
            let foreign = cases::written_by_others(&others)?;
            let rows = rows(&scanners, &foreign, &folder)?;
            Some((foreign, rows))
        }
    };
    let text = page::page(&authored, &authored_rows, &starts, foreign.as_ref());
    if is_written {
        std::fs::write(tree::root().join(PAGE), text)?;
        shell::say(&format!("wrote {PAGE}"));
    } else {
        shell::say(&text);
    }
    Ok(())
}

fn rows(scanners: &[Scanner], cases: &Cases, folder: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for scanner in scanners {
        shell::say(&format!("{} looks at {} tools", scanner.name, cases.all.len()));
        let (said, cost) = scanner.look(&cases.all, folder)?;
        rows.push(Row { name: scanner.name.clone(), line: scanner.line, said, cost });
    }
    Ok(rows)
}

fn starts(scanners: &[Scanner], cases: &Cases, folder: &Path) -> Result<Vec<Start>> {
    let honest = |case: &&Case| !case.is_attack;
    let one: Vec<Case> = cases.all.iter().filter(honest).take(1).cloned().collect();
    let mut starts = Vec::new();
    for scanner in scanners {
        let mut least = Cost { seconds: f64::INFINITY, megabytes: f64::INFINITY };
        for _ in 0..STARTS {
            let (_, cost) = scanner.look(&one, folder)?;
            least.seconds = least.seconds.min(cost.seconds);
            least.megabytes = least.megabytes.min(cost.megabytes);
        }
        starts.push(Start { name: scanner.name.clone(), cost: least });
    }
    Ok(starts)
}
