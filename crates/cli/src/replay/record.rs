//! `replay --record`: turns an export of the activity into sessions that can be replayed, and says what it lacks.
//!
//! A record has no number of its call, so a result belongs to the oldest call of its session, server and tool that still
//! waits for one.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use portcullis_detect::Kind;
use portcullis_report::safe_line;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::Streams;
use crate::exit::{Exit, Failure, unless_reader_left};
use crate::input::load::load_with_text;

/// A line of an export; what is not named here is not needed.
#[derive(Deserialize)]
struct Record {
    schema: String,
    seq: u64,
    time: String,
    kind: String,
    status: String,
    server: String,
    tool: String,
    session: String,
    redacted: bool,
    sensitive: Vec<String>,
    arguments: Option<Stored>,
    result: Option<Stored>,
    note: Option<Stored>,
}

/// A value as records keep it.
#[derive(Deserialize)]
struct Stored {
    text: String,
    length: Option<u64>,
}

/// What can be read back of an export.
const SCHEMA: &str = "portcullis.activity/1";

/// What a recording lacks, by kind.
#[derive(Default)]
struct Lacking {
    /// Calls and results whose bodies are gone.
    bodies: u64,
    /// Values that were cut.
    cut: u64,
    /// Records in which something was masked.
    masked: u64,
    /// Calls without an answer.
    unanswered: u64,
    /// Results without a call.
    strays: u64,
}

/// The calls of one session, and which of them wait for a result.
#[derive(Default)]
struct Recorded {
    calls: Vec<Value>,
    waiting: BTreeMap<(String, String), VecDeque<usize>>,
}

/// Definitions by server and tool.
type Definitions = BTreeMap<(String, String), Value>;

/// Runs the command.
pub(super) fn run(export: &Path, tools: &[PathBuf], streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    let definitions = definitions(tools, streams)?;
    let text = super::read(export)?;
    let mut sessions: Vec<(String, Recorded)> = Vec::new();
    let mut lacking = Lacking::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: String| Failure::Usage(format!("{}:{}: {why}", export.display(), number + 1));
        let record: Record = serde_json::from_str(line).map_err(|error| {
            wrong(format!("{error}: --record reads the JSON lines of `portcullis activity export`"))
        })?;
        if record.schema != SCHEMA {
            return Err(wrong(format!("it is `{}`, not {SCHEMA}", record.schema)));
        }
        if record.kind != "tool_call" || record.server.is_empty() {
            continue;
        }
        let place = sessions.iter().position(|(name, _)| *name == record.session).unwrap_or_else(|| {
            sessions.push((record.session.clone(), Recorded::default()));
            sessions.len() - 1
        });
        if let Some((_, recorded)) = sessions.get_mut(place) {
            recorded.take(record, &mut lacking).map_err(wrong)?;
        }
    }
    for (name, recorded) in &sessions {
        lacking.unanswered += recorded.waiting.values().map(|calls| calls.len() as u64).sum::<u64>();
        let line = safe_line(&recorded.line(name, &definitions));
        unless_reader_left(writeln!(streams.out, "{line}"))?;
    }
    lacking.tell(&sessions, &definitions, streams)?;
    Ok(Exit::Clean)
}

fn definitions(tools: &[PathBuf], streams: &mut Streams<'_>) -> Result<Definitions, Failure> {
    let mut definitions = Definitions::new();
    if tools.is_empty() {
        return Ok(definitions);
    }
    for server in load_with_text(tools, streams.input)?.servers {
        for (definition, detail) in server.definitions.iter().zip(&server.details) {
            let json = detail.json.as_deref().filter(|_| definition.kind() == Kind::Tool);
            let Some(Ok(mut value)) = json.map(serde_json::from_str::<Value>) else { continue };
            value["server"] = json!(server.name);
            definitions.insert((server.name.clone(), definition.name().to_owned()), value);
        }
    }
    Ok(definitions)
}

impl Recorded {
    fn take(&mut self, record: Record, lacking: &mut Lacking) -> Result<(), String> {
        lacking.bodies += u64::from(record.redacted);
        lacking.masked += u64::from(!record.sensitive.is_empty());
        let key = (record.server.clone(), record.tool.clone());
        match record.status.as_str() {
            "sent" | "refused" => {
                let is_refused = record.status == "refused";
                lacking.bodies += u64::from(!record.redacted && record.arguments.is_none());
                let mut call = json!({
                    "server": record.server, "tool": record.tool, "ts": record.time, "seq": record.seq,
                    "arguments": record.arguments.as_ref().map(|stored| stored.value(lacking)),
                    // What was refused did not leave: replay takes a failed call as one that sent nothing.
                    "is_error": is_refused,
                });
                if let Some(intent) = record.note.as_ref().and_then(Stored::intent) {
                    call["intent"] = intent;
                }
                if !is_refused {
                    self.waiting.entry(key).or_default().push_back(self.calls.len());
                }
                self.calls.push(call);
            }
            "answered" | "failed" => {
                let waiting = self.waiting.get_mut(&key).and_then(VecDeque::pop_front);
                let Some(call) = waiting.and_then(|place| self.calls.get_mut(place)) else {
                    lacking.strays += 1;
                    return Ok(());
                };
                call["result"] = record.result.as_ref().map_or(Value::Null, |stored| stored.value(lacking));
                call["is_error"] = json!(record.status == "failed");
            }
            other => return Err(format!("a call that is `{other}` cannot be replayed")),
        }
        Ok(())
    }

    /// The session as one line of a recording.
    fn line(&self, name: &str, definitions: &Definitions) -> Value {
        let tools: Vec<&Value> = self.names().filter_map(|name| definitions.get(&name)).collect();
        json!({ "session": name, "label": "", "tools": tools, "calls": self.calls })
    }

    /// The tools that were called, each once.
    fn names(&self) -> impl Iterator<Item = (String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let names = self.calls.iter().map(move |call| (text(&call["server"]), text(&call["tool"])));
        names.collect::<std::collections::BTreeSet<_>>().into_iter()
    }
}

impl Stored {
    /// The value; what was cut is no JSON any more and becomes a text.
    fn value(&self, lacking: &mut Lacking) -> Value {
        lacking.cut += u64::from(self.length.is_some());
        serde_json::from_str(&self.text).unwrap_or_else(|_| json!(self.text))
    }

    /// What the agent declared, in the note of a record.
    fn intent(&self) -> Option<Value> {
        let note: BTreeMap<String, &RawValue> = serde_json::from_str(&self.text).ok()?;
        serde_json::from_str(note.get("intent")?.get()).ok()
    }
}

impl Lacking {
    /// Says what a replay of this cannot know.
    fn tell(
        &self,
        sessions: &[(String, Recorded)],
        definitions: &Definitions,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let calls: usize = sessions.iter().map(|(_, recorded)| recorded.calls.len()).sum();
        writeln!(streams.err, "{} sessions with {calls} calls", sessions.len())?;
        let names: std::collections::BTreeSet<_> =
            sessions.iter().flat_map(|(_, recorded)| recorded.names()).collect();
        let unknown = names.iter().filter(|name| !definitions.contains_key(*name)).count() as u64;
        let has_nameless = sessions.iter().any(|(name, _)| name.is_empty());
        for (count, what) in [
            (self.bodies, "records have no body: they were redacted, or nothing was kept of them"),
            (self.masked, "records had values masked: what rests on those values is judged otherwise"),
            (self.cut, "values were cut at 4 KB: what stood behind is not seen"),
            (self.unanswered, "calls have no result in this export"),
            (self.strays, "results have no call in this export: it begins after it"),
            (unknown, "tools have no definition: they are known by their names only (--tools FILE)"),
            (u64::from(has_nameless), "session is made of all calls without one"),
        ] {
            if count > 0 {
                writeln!(streams.err, "missing: {count} {what}")?;
            }
        }
        Ok(())
    }
}
