//! What the binary costs as a process: processor time and memory, from start to end.

use crate::figures::{Bar, Figures};
use crate::input::Tools;
use crate::speed::TOOLS;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use wait4::Wait4;

/// A small file with one hidden character, so that there is a first finding.
const SMALL: &str = r#"{"tools":[{"name":"add_note","description":"Adds a note to the notebook of the sig\u200bned-in user.",
    "inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"The text of the note."}}}}]}"#;

/// How often the small file is scanned; the least of them is what the program needs, the rest is the machine's mood.
const STARTS: usize = 20;

/// What one process cost.
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    megabytes: f64,
}

pub(crate) fn start_up(scanner: &Path, figures: &mut Figures) -> Result<()> {
    const GROUP: &str = "start-up to the first finding, one small file";
    let file = Temporary::write("portcullis-bench-small.json", SMALL)?;
    let costs = (0..STARTS).map(|_| cost(scanner, &file.0, Some(1))).collect::<Result<Vec<_>>>()?;
    let least = costs.iter().map(|cost| cost.seconds).fold(f64::INFINITY, f64::min);
    let most = costs.iter().map(|cost| cost.megabytes).fold(0.0, f64::max);
    figures.add(GROUP, "processor time, least of 20", least * 1e3, "ms", Bar::AtMost(15.0));
    figures.add(GROUP, "resident memory, most of 20", most, "MB", Bar::AtMost(25.0));
    Ok(())
}

pub(crate) fn whole_scan(scanner: &Path, tools: &Tools, figures: &mut Figures) -> Result<()> {
    const GROUP: &str = "the binary on one file, repeated servers side by side in one registry";
    let file = Temporary::named("portcullis-bench-large.json");
    // Written piece by piece: what we hold ourselves would count as the child's memory.
    let count = repeat_into(tools, BufWriter::new(File::create(&file.0)?))?;
    let cost = cost(scanner, &file.0, None)?;
    figures.add(GROUP, "tools per processor second", count as f64 / cost.seconds, "tools/s", Bar::None);
    figures.add(GROUP, "resident memory", cost.megabytes, "MB", Bar::None);
    Ok(())
}

/// Writes all servers, each as many times as it takes to reach the number of tools; how many tools there are.
fn repeat_into(tools: &Tools, mut out: impl Write) -> Result<usize> {
    let one: usize = tools.values().map(Vec::len).sum();
    let passes = TOOLS.div_ceil(one);
    let mut comma = "";
    write!(out, "{{\"servers\":{{")?;
    for pass in 0..passes {
        for (server, tools) in tools {
            let name = serde_json::Value::from(format!("{server} {pass}"));
            write!(out, "{comma}{name}:{{\"tools\":[{}]}}", tools.join(","))?;
            comma = ",";
        }
    }
    write!(out, "}}}}")?;
    out.flush()?;
    Ok(one * passes)
}

fn cost(scanner: &Path, file: &Path, expected: Option<i32>) -> Result<Cost> {
    let (cost, status) = spent(Command::new(scanner).arg("scan").arg(file))?;
    let code = status.code();
    // Without an expectation any verdict will do, but not an error of usage.
    if code.is_none() || code == Some(2) || expected.is_some_and(|expected| code != Some(expected)) {
        bail!("`portcullis scan {}` ended with {status}", file.display());
    }
    Ok(cost)
}

/// Runs a program to its end, its output thrown away.
pub(crate) fn spent(command: &mut Command) -> Result<(Cost, ExitStatus)> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let name = command.get_program().to_owned();
    let mut child = command.spawn().with_context(|| format!("cannot start {}", name.display()))?;
    let used = child.wait4()?;
    let seconds = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Ok((Cost { seconds, megabytes: used.rusage.maxrss as f64 / 1e6 }, used.status))
}

/// A file that is gone when we are.
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(name: &str, text: &str) -> Result<Self> {
        let file = Temporary::named(name);
        std::fs::write(&file.0, text).with_context(|| format!("cannot write {}", file.0.display()))?;
        Ok(file)
    }

    fn named(name: &str) -> Self {
        Temporary(std::env::temp_dir().join(format!("{}-{name}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_servers_until_there_are_enough_tools() {
        let tools = Tools::from([("a".to_owned(), vec!["{}".to_owned(); 30_000])]);
        let mut text = Vec::new();
        assert_eq!(repeat_into(&tools, &mut text).unwrap(), 60_000);
        let parsed: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(parsed["servers"]["a 1"]["tools"].as_array().unwrap().len(), 30_000);
    }
}
