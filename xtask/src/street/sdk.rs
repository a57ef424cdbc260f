//! Official SDKs as agents: a process of theirs does one step after another, and says what came of each.

use super::agent::{Actor, Came, keep_texts};
use super::scenario::Era;
use crate::peers::Kit;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const SCRIPTS: [(&str, &str); 2] = [
    ("agent.py", include_str!("../../street/agent.py")),
    ("agent.mjs", include_str!("../../street/agent.mjs")),
];

/// The SDKs, installed.
pub(super) struct Sdks {
    kit: Kit,
}

impl Sdks {
    pub(super) fn installed() -> Result<Sdks> {
        let kit = Kit::installed()?;
        for (name, text) in SCRIPTS {
            fs::write(kit.folder.join(name), text)?;
        }
        Ok(Sdks { kit })
    }

    /// The Python SDK for sessions, the TypeScript SDK for the stateless era.
    fn program(&self, era: Era) -> (PathBuf, PathBuf) {
        match era {
            Era::Legacy => (self.kit.python(1, "python"), self.kit.folder.join("agent.py")),
            Era::Modern => (self.kit.node(), self.kit.folder.join("agent.mjs")),
        }
    }
}

/// An agent that is a client of an SDK.
pub(super) struct SdkAgent<'a> {
    sdks: &'a Sdks,
    era: Era,
    url: String,
    can_be_asked: bool,
    answer: Option<Value>,
    process: Option<Process>,
    asked: Vec<String>,
    heard: String,
}

struct Process {
    child: Child,
    steps: ChildStdin,
    said: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends by itself when nothing more can come; a client that hangs does not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> SdkAgent<'a> {
    pub(super) fn new(sdks: &'a Sdks, url: String, era: Era, can_be_asked: bool) -> SdkAgent<'a> {
        let (answer, process, asked, heard) = Default::default();
        SdkAgent { sdks, era, url, can_be_asked, answer, process, asked, heard }
    }

    fn start(&self, name: &str) -> Result<Process> {
        let (program, script) = self.sdks.program(self.era);
        let plan = json!({ "url": self.url, "name": name, "can_be_asked": self.can_be_asked,
            "revision": super::agent::MODERN });
        let mut command = Command::new(&program);
        command.arg(script).arg(plan.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{} cannot be run", program.display()))?;
        let (steps, said) = child.stdin.take().zip(child.stdout.take()).context("a process without pipes")?;
        Ok(Process { child, steps, said: BufReader::new(said) })
    }

    /// Does one step, and keeps what it says.
    fn take(&mut self, step: &Value) -> Result<Came> {
        let process = self.process.as_mut().context("the agent has not come yet")?;
        writeln!(process.steps, "{step}").context("the agent has gone")?;
        let mut line = String::new();
        if process.said.read_line(&mut line)? == 0 {
            bail!("the agent of the SDK ended at {step}");
        }
        let mut said: Value = serde_json::from_str(&line)?;
        let asked = said["asked"].as_array().into_iter().flatten();
        self.asked.extend(asked.filter_map(|one| one["method"].as_str()).map(str::to_owned));
        self.heard.push_str(&line);
        keep_texts(&said, &mut self.heard);
        Ok(match said.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(said["ok"].take()),
        })
    }
}

impl Actor for SdkAgent<'_> {
    fn open(&mut self, name: &str) -> Result<Came> {
        self.process = Some(self.start(name)?);
        let opened = self.take(&json!({ "do": "open" }))?;
        if let Some(answer) = self.answer.clone() {
            self.take(&json!({ "do": "answer", "with": answer }))?.ok();
        }
        Ok(opened)
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Came> {
        let mut step = match method {
            "prompts/get" => json!({ "do": "get_prompt" }),
            "resources/read" => json!({ "do": "read" }),
            "tools/list" => json!({ "do": "list", "kind": "tools" }),
            other => bail!("no agent of an SDK asks {other}"),
        };
        for (key, value) in params.as_object().into_iter().flatten() {
            step[key] = value.clone();
        }
        self.take(&step)
    }

    fn call(&mut self, tool: &str, arguments: &Value, intent: &Value) -> Result<Came> {
        let mut meta = json!({});
        if intent.is_object() {
            meta["portcullis/intent"] = intent.clone();
        }
        self.take(&json!({ "do": "call", "name": tool, "arguments": arguments, "meta": meta }))
    }

    fn call_and_cancel(&mut self, tool: &str, _arguments: &Value) -> Result<Came> {
        bail!("no agent of an SDK takes back a call of {tool}")
    }

    fn list(&mut self, kind: &str) -> Result<Came> {
        self.take(&json!({ "do": "list", "kind": kind }))
    }

    fn answer_with(&mut self, answer: Value) -> Result<()> {
        self.answer = Some(answer.clone());
        if self.process.is_some() {
            self.take(&json!({ "do": "answer", "with": answer }))?.ok();
        }
        Ok(())
    }

    fn heard(&mut self) -> (Vec<String>, String) {
        (std::mem::take(&mut self.asked), std::mem::take(&mut self.heard))
    }
}
