//! The scanners that are compared: how each is installed, run, and understood.

use super::cases::{Case, listed};
use crate::{python, shell, tree};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wait4::Wait4;

const CISCO: &str = "4.8.7";
const AUDITOR: &str = "1.10.2";
const MCPSCAN: &str = "0.21.0";
const ARMOR: &str = "0.8.2";

/// What one of them says about a name.
#[derive(Default)]
pub(super) struct Said {
    /// Tools it says anything about.
    pub(super) raised: BTreeSet<String>,
    /// Tools it would stop, or calls high or worse.
    pub(super) severe: BTreeSet<String>,
    /// How many tools it failed on.
    pub(super) failed_on: usize,
}

impl Said {
    fn add(&mut self, name: &str, is_severe: bool) {
        self.raised.insert(name.to_owned());
        if is_severe {
            self.severe.insert(name.to_owned());
        }
    }
}

/// What a run cost.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) seconds: f64,
    pub(super) megabytes: f64,
}

/// A scanner that is ready to run.
pub(super) struct Scanner {
    pub(super) name: String,
    /// The command as one would type it.
    pub(super) line: &'static str,
    program: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Portcullis,
    Cisco,
    Auditor,
    Mcpscan,
    Armor,
}

/// All of them; one that cannot be installed is named and left out.
pub(super) fn installed(portcullis: PathBuf) -> Result<Vec<Scanner>> {
    let folder = tree::target()?.join("comparison");
    let version = shell::output(Command::new(&portcullis).arg("--version"))?;
    let own = Scanner {
        name: version.trim().to_owned(),
        line: "portcullis scan --format json tools.json",
        program: portcullis,
        kind: Kind::Portcullis,
    };
    let mut scanners = vec![own];
    let of_pypi = |package: &str, version: &str, program: &str| -> Result<PathBuf> {
        let environment = folder.join(package);
        python::install(&environment, &[format!("{package}=={version}")])?;
        Ok(python::program(&environment, program))
    };
    let others = [
        (
            format!("cisco-ai-mcp-scanner {CISCO}, YARA"),
            "mcp-scanner --analyzers yara --format raw static --tools tools.json",
            Kind::Cisco,
            of_pypi("cisco-ai-mcp-scanner", CISCO, "mcp-scanner"),
        ),
        (
            format!("mcp-armor {ARMOR}"),
            "mcp-armor mcp-control, armor_scan_tools_list",
            Kind::Armor,
            shell::installed(&folder, "mcp-armor", ARMOR),
        ),
        (
            format!("mcp-tool-auditor {AUDITOR}"),
            "mcp-tool-auditor scan import tools.json --format json",
            Kind::Auditor,
            of_pypi("mcp-tool-auditor", AUDITOR, "mcp-tool-auditor"),
        ),
        (
            format!("mcpscan-cli {MCPSCAN}"),
            "mcpscan --json DIR, one file for each tool",
            Kind::Mcpscan,
            of_pypi("mcpscan-cli", MCPSCAN, "mcpscan"),
        ),
    ];
    for (name, line, kind, program) in others {
        match program {
            Ok(program) => scanners.push(Scanner { name, line, program, kind }),
            Err(error) => shell::say(&format!("{name} is left out: {error:#}")),
        }
    }
    Ok(scanners)
}

impl Scanner {
    /// Has it look at these cases, written into `folder` in the form it takes. A list it fails on is halved, so that one
    /// tool it cannot read does not cost it all the others.
    pub(super) fn look(&self, cases: &[Case], folder: &Path) -> Result<(Said, Cost)> {
        match self.run(cases, folder) {
            Ok(told) => Ok(told),
            Err(error) if cases.is_empty() || self.kind == Kind::Portcullis => Err(error),
            Err(_) if cases.len() == 1 => {
                Ok((Said { failed_on: 1, ..Said::default() }, Cost { seconds: 0.0, megabytes: 0.0 }))
            }
            Err(_) => {
                let (first, second) = cases.split_at(cases.len() / 2);
                let ((mut said, mut cost), (more, further)) =
                    (self.look(first, folder)?, self.look(second, folder)?);
                said.raised.extend(more.raised);
                said.severe.extend(more.severe);
                said.failed_on += more.failed_on;
                cost.seconds += further.seconds;
                cost.megabytes = cost.megabytes.max(further.megabytes);
                Ok((said, cost))
            }
        }
    }

    fn run(&self, cases: &[Case], folder: &Path) -> Result<(Said, Cost)> {
        let folder = folder.join(self.kind.folder());
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let mut command = Command::new(&self.program);
        // Settings and caches of whoever runs this have no part in it.
        command.current_dir(&folder).env("HOME", &folder).stderr(Stdio::null());
        let input = self.kind.prepare(cases, &folder, &mut command)?;
        let (output, cost) = measured(command.stdin(input))?;
        let said = self.kind.understand(&output, cases);
        let said = said.with_context(|| format!("{} wrote something else than expected", self.name))?;
        Ok((said, cost))
    }
}

/// Runs a command to its end: what it wrote and what it cost. What it found may be told by its exit code.
fn measured(command: &mut Command) -> Result<(String, Cost)> {
    let name = command.get_program().to_owned();
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", name.display()))?;
    let mut output = Vec::new();
    child.stdout.take().context("stdout is a pipe")?.read_to_end(&mut output)?;
    let used = child.wait4()?;
    let seconds = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    let cost = Cost { seconds, megabytes: used.rusage.maxrss as f64 / 1e6 };
    Ok((String::from_utf8_lossy(&output).into_owned(), cost))
}

impl Kind {
    fn folder(self) -> &'static str {
        match self {
            Kind::Portcullis => "portcullis",
            Kind::Cisco => "cisco",
            Kind::Auditor => "auditor",
            Kind::Mcpscan => "mcpscan",
            Kind::Armor => "armor",
        }
    }

    /// Writes the cases in the form it takes; what it gets on stdin.
    fn prepare(self, cases: &[Case], folder: &Path, command: &mut Command) -> Result<Stdio> {
        let file = folder.join("tools.json");
        let listed = listed(cases);
        match self {
            Kind::Portcullis => {
                fs::write(&file, listed.to_string())?;
                command.args(["scan", "--format", "json"]).arg(&file);
            }
            Kind::Cisco => {
                fs::write(&file, listed.to_string())?;
                command.args(["--analyzers", "yara", "--format", "raw", "static", "--tools"]).arg(&file);
            }
            Kind::Auditor => {
                fs::write(&file, listed["tools"].to_string())?;
                command.args(["--no-log-file", "--no-metrics", "scan", "import"]).arg(&file);
                command.args(["--format", "json"]);
            }
            Kind::Mcpscan => {
                let tools = folder.join("tools");
                fs::create_dir_all(&tools)?;
                for (number, case) in cases.iter().enumerate() {
                    let one = json!({"tools": [case.tool]});
                    fs::write(tools.join(format!("{number:05}.json")), one.to_string())?;
                }
                command.arg("--json").arg(tools);
            }
            Kind::Armor => {
                command.arg("mcp-control");
                return asked(&file, &listed);
            }
        }
        Ok(Stdio::null())
    }

    /// What it said about which tool.
    fn understand(self, output: &str, cases: &[Case]) -> Result<Said> {
        let mut said = Said::default();
        match self {
            Kind::Portcullis => {
                let report: Value = serde_json::from_str(output)?;
                for finding in list(&report["findings"])? {
                    said.add(text(&finding["name"])?, finding["action"] == "quarantine");
                }
            }
            Kind::Cisco => {
                // A line for people follows the document.
                let mut documents = serde_json::Deserializer::from_str(output).into_iter::<Value>();
                let report = documents.next().context("there is no document")??;
                for result in
                    list(&report["scan_results"])?.iter().filter(|result| result["is_safe"] == false)
                {
                    let severity =
                        result["findings"]["yara_analyzer"]["severity"].as_str().unwrap_or_default();
                    said.add(text(&result["tool_name"])?, is_severe(severity));
                }
            }
            Kind::Auditor => {
                let report: Value = serde_json::from_str(output)?;
                let servers = report["servers"].as_object().context("no servers")?;
                for server in servers.values() {
                    for finding in list(&server["findings"])? {
                        // A finding about no tool is about the file.
                        let Some(name) = finding["tool_name"].as_str() else { continue };
                        said.add(name, is_severe(text(&finding["severity"])?));
                    }
                }
            }
            Kind::Mcpscan => {
                let report: Value = serde_json::from_str(output)?;
                for finding in list(&report["findings"])? {
                    let number = text(&finding["path"])?
                        .trim_end_matches(".json")
                        .rsplit('/')
                        .next()
                        .unwrap_or_default();
                    let case = cases.get(number.parse::<usize>()?).context("no case has this number")?;
                    said.add(case.name(), is_severe(text(&finding["severity"])?));
                }
            }
            Kind::Armor => {
                for answer in output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
                    let Some(told) = answer["result"]["content"][0]["text"].as_str() else { continue };
                    let told: Value = serde_json::from_str(told)?;
                    for finding in list(&told["findings"])? {
                        said.add(text(&finding["tool"])?, is_severe(text(&finding["severity"])?));
                    }
                }
            }
        }
        Ok(said)
    }
}

/// The questions for a server on stdio, as its stdin.
fn asked(file: &Path, listed: &Value) -> Result<Stdio> {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "comparison", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    // Larger lists than this are refused by it, so it is asked several times.
    const TOOLS_AT_A_TIME: usize = 200;
    let mut lines = format!("{hello}\n{ready}\n");
    for (number, some) in list(&listed["tools"])?.chunks(TOOLS_AT_A_TIME).enumerate() {
        let call = json!({"jsonrpc": "2.0", "id": number + 2, "method": "tools/call", "params": {
            "name": "armor_scan_tools_list", "arguments": {"tools_list": {"jsonrpc": "2.0", "id": 1, "result": {"tools": some}}}}});
        lines.push_str(&format!("{call}\n"));
    }
    fs::write(file, lines)?;
    Ok(fs::File::open(file)?.into())
}

fn list(value: &Value) -> Result<&[Value]> {
    value.as_array().map(Vec::as_slice).context("a list is missing")
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().context("a text is missing")
}

fn is_severe(severity: &str) -> bool {
    matches!(severity.to_ascii_lowercase().as_str(), "high" | "critical")
}
