//! Recognises the shapes definitions come in and takes them out as raw JSON, so that unknown fields stay.
//!
//! Known: a `tools/list` answer with or without its JSON-RPC envelope, lists of prompts, resources and
//! templates beside it, the server's own words, a registry's `server.json` and answers,
//! `{"servers": {name: …}}`, an array of tools,
//! one tool, and streams and lines of all these.

use portcullis_detect::Kind;
use serde::Deserialize;
use serde::de::{DeserializeSeed, IgnoredAny};
use serde_json::value::RawValue;

use super::answer::{Answer, Part};
use super::elements::Elements;

/// Something in the text that could not be read.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    /// The slice of the text it was noticed in.
    pub(crate) slice: &'a str,
    /// Line inside the slice, 1-based, 0 for its start.
    pub(crate) line: usize,
    /// Column inside that line, in bytes, 1-based.
    pub(crate) column: usize,
    pub(crate) reason: String,
}

/// Everything found in one text.
#[derive(Debug, Default)]
pub(crate) struct Shapes<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) problems: Vec<Problem<'a>>,
    /// Entries of registries: they say how a server is started, not what it declares.
    pub(crate) unread: Vec<Problem<'a>>,
}

/// Reads a whole text: one document, several in a row, or one per line.
pub(crate) fn read(text: &str) -> Shapes<'_> {
    let mut shapes = Shapes::default();
    if text.trim().is_empty() {
        shapes.problem(text, "the input is empty");
    } else if is_lines(text) {
        shapes = read_lines(text);
    } else {
        shapes.stream(text);
    }
    shapes
}

/// Reads a text, or a part of one, whose every line stands for itself.
pub(crate) fn read_lines(text: &str) -> Shapes<'_> {
    let mut shapes = Shapes::default();
    text.lines().filter(|line| !line.trim().is_empty()).for_each(|line| shapes.document(line));
    shapes
}

/// Whether each line stands for itself: one of the first two is a whole value although the text is not.
fn is_lines(text: &str) -> bool {
    let is_value = |line: &str| serde_json::from_str::<IgnoredAny>(line).is_ok();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (first, second) = (lines.next(), lines.next());
    second.is_some() && (first.is_some_and(is_value) || second.is_some_and(is_value)) && !is_value(text)
}

/// The entries in an answer of a registry: `{"server": {…}}`, or `{"servers": […]}` of such or of bare ones.
fn wrapped(json: &str) -> Option<Vec<&RawValue>> {
    #[derive(Deserialize)]
    struct Wrapper<'a> {
        #[serde(borrow)]
        server: Option<&'a RawValue>,
        #[serde(borrow)]
        servers: Option<Vec<&'a RawValue>>,
    }
    let Wrapper { server, servers } = serde_json::from_str(json).ok()?;
    let entries: Vec<_> = server.into_iter().chain(servers.into_iter().flatten()).collect();
    (!entries.is_empty()).then_some(entries)
}

impl<'a> Shapes<'a> {
    /// Documents one after another, however they are broken into lines.
    fn stream(&mut self, text: &'a str) {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        loop {
            let start = values.byte_offset();
            match values.next() {
                None => return,
                Some(Ok(raw)) => self.document(raw.get()),
                // The rest is broken; what stands before the break is still taken, and the break is named.
                Some(Err(_)) => return self.document(text.get(start..).unwrap_or(text)),
            }
        }
    }

    /// One JSON value: an array of tools or answers, an answer, or a tool.
    fn document(&mut self, json: &'a str) {
        if !json.trim_start().starts_with('[') {
            return self.object(json, true);
        }
        let mut found = Vec::new();
        let mut reader = serde_json::Deserializer::from_str(json);
        let outcome = Elements { found: &mut found }.deserialize(&mut reader).and_then(|()| reader.end());
        found.iter().for_each(|raw| self.object(raw.get(), false));
        match outcome {
            // An empty list is an answer too: a server without tools.
            Ok(()) if found.is_empty() => self.parts.push(Part::default()),
            Ok(()) => {}
            Err(error) => self.broken(json, &error),
        }
    }

    /// One object. Only one that stands alone may be a registry's entry: a tool in a list cannot pass for one.
    fn object(&mut self, json: &'a str, is_alone: bool) {
        let mut answer = Answer::default();
        if let Err(error) = answer.read(json) {
            self.broken(json, &error);
            // Of a broken answer all that is whole is taken; a broken tool is not, it is named instead.
            if answer.is_container() {
                self.container(json, answer);
            }
        } else if answer.is_container() {
            self.container(json, answer);
        } else if answer.is_request() {
            // Recorded traffic holds requests too; they declare nothing.
        } else if is_alone && answer.is_registry_entry() {
            let reason =
                "a registry's entry: how a server is started, not what it declares; it was not started"
                    .into();
            self.unread.push(Problem { slice: json, line: 0, column: 0, reason });
            self.parts.push(answer.part);
        } else if answer.is_tool() {
            self.tool(json);
        } else if answer.is_error() {
            self.problem(json, "the server answered with an error, not with definitions");
        } else if let Some(entries) = wrapped(json) {
            entries.iter().for_each(|entry| self.object(entry.get(), true));
        } else if let Some(key) = answer.odd.first() {
            self.problem(json, &format!("`{key}` does not hold what it should"));
        } else {
            self.problem(json, "no tools, prompts, resources or instructions in it");
        }
    }

    fn container(&mut self, json: &'a str, mut answer: Answer<'a>) {
        for key in &answer.odd {
            self.problem(json, &format!("`{key}` does not hold what it should"));
        }
        let is_map_alone =
            !answer.servers.is_empty() && answer.part.definitions.is_empty() && answer.part.words.is_empty();
        self.parts.append(&mut answer.servers);
        if !is_map_alone {
            self.parts.push(answer.part);
        }
    }

    fn tool(&mut self, json: &'a str) {
        match serde_json::from_str::<&RawValue>(json) {
            Ok(raw) => self.parts.push(Part { definitions: vec![(Kind::Tool, raw)], ..Part::default() }),
            Err(error) => self.broken(json, &error),
        }
    }

    fn problem(&mut self, slice: &'a str, reason: &str) {
        self.problems.push(Problem { slice, line: 0, column: 0, reason: reason.into() });
    }

    fn broken(&mut self, slice: &'a str, error: &serde_json::Error) {
        let (line, column, reason) = (error.line(), error.column(), error.to_string());
        self.problems.push(Problem { slice, line, column, reason });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Describes each part as `server: kind name …; words …`.
    fn described(text: &str) -> (Vec<String>, Vec<String>) {
        let shapes = read(text);
        let name = |raw: &RawValue| {
            let value: serde_json::Value = serde_json::from_str(raw.get()).expect("raw JSON is JSON");
            value["name"].as_str().unwrap_or("?").to_owned()
        };
        let part = |part: &Part<'_>| {
            let definitions =
                part.definitions.iter().map(|(kind, raw)| format!("{} {}", kind.as_str(), name(raw)));
            let words = part.words.iter().map(|(key, _)| key.as_str());
            let server = part.server.as_deref().unwrap_or("-");
            let parts: Vec<String> = definitions.chain(words.map(|word| format!("+{word}"))).collect();
            format!("{server}: {}", parts.join(", "))
        };
        (shapes.parts.iter().map(part).collect(), shapes.problems.into_iter().map(|p| p.reason).collect())
    }

    fn check(text: &str, expected: &[&str]) {
        let (parts, problems) = described(text);
        assert_eq!(parts, expected, "{text}");
        assert_eq!(problems, Vec::<String>::new(), "{text}");
    }

    fn check_problem(text: &str, expected: &[&str], problem: &str) {
        let (parts, problems) = described(text);
        assert_eq!(parts, expected, "{text}");
        assert!(problems.len() == 1 && problems[0].contains(problem), "{text}: {problems:?}");
    }

    #[test]
    fn answers_with_and_without_their_envelope() {
        check(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}"#, &["-: tool a"]);
        check(r#"{"tools":[{"name":"a"},{"name":"b"}]}"#, &["-: tool a, tool b"]);
        check(r#"{"server":"s","tools":[{"name":"a"}]}"#, &["s: tool a"]);
        check(r#"{"tools":[]}"#, &["-: "]);
        check(r#"{"tools":null}"#, &["-: "]);
    }

    #[test]
    fn all_kinds_beside_each_other() {
        check(
            r#"{"prompts":[{"name":"p"}],"resources":[{"name":"r"}],"resourceTemplates":[{"name":"t"}],
               "instructions":"Be kind.","serverInfo":{"name":"s"},"_meta":{}}"#,
            &["-: prompt p, resource r, resource_template t, +instructions, +serverInfo, +_meta"],
        );
        check(r#"{"instructions":"Be kind."}"#, &["-: +instructions"]);
    }

    #[test]
    fn arrays_lines_and_single_tools() {
        check(r#"[{"name":"a"},{"name":"b"}]"#, &["-: tool a", "-: tool b"]);
        check("[]", &["-: "]);
        check(r#"{"name":"a","inputSchema":{}}"#, &["-: tool a"]);
        check("{\"name\":\"a\"}\n\n{\"name\":\"b\"}\n", &["-: tool a", "-: tool b"]);
        check("{\n\"name\":\"a\"}\n{\n\"name\":\"b\"}", &["-: tool a", "-: tool b"]);
    }

    #[test]
    fn maps_of_servers_name_them() {
        check(
            r#"{"servers":{"x":{"tools":[{"name":"a"}]},"y":{"server":"x","tools":[{"name":"b"}]}}}"#,
            &["x: tool a", "y: tool b, +server"],
        );
    }

    #[test]
    fn recorded_traffic_is_read_past_its_requests() {
        check(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}\n\
             {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\"}]}}\n",
            &["-: tool a"],
        );
    }

    #[test]
    fn a_tool_cannot_talk_its_way_out_of_the_scan() {
        check(r#"[{"name":"a","jsonrpc":"2.0","method":"m"}]"#, &["-: tool a"]);
        check(r#"[{"name":"a","jsonrpc":"2.0","error":"e"}]"#, &["-: tool a"]);
        check(r#"[{"name":"a","result":"r","servers":1,"tools":"t"}]"#, &["-: tool a"]);
        check(r#"{"name":"a","description":"d","tools":[]}"#, &["-: +name, +description"]);
        check(r#"{"result":{"server":"github","tools":[{"name":"a"}]}}"#, &["-: tool a, +server"]);
        check(r#"{"tools":[{"name":"a"}],"tools":[{"name":"b"}]}"#, &["-: tool a, tool b"]);
    }

    #[test]
    fn what_stands_before_a_syntax_error_is_kept() {
        check_problem(r#"{"result":{"tools":[{"name":"a"},{"name" 1}]}}"#, &["-: tool a"], "expected `:`");
        check_problem(r#"[{"name":"a"},{"name":"b"}"#, &["-: tool a", "-: tool b"], "EOF");
        check_problem(
            "{\"name\":\"a\"}\nnonsense\n{\"name\":\"b\"}",
            &["-: tool a", "-: tool b"],
            "expected",
        );
        check_problem(
            r#"{"servers":{"x":{"tools":[{"name":"a"}]},"y":{"tools":[{"name":"b"},}}}"#,
            &["x: tool a", "y: tool b"],
            "expected",
        );
    }

    #[test]
    fn unknown_shapes_are_named() {
        check_problem("", &[], "empty");
        check_problem("{}", &[], "no tools");
        check_problem("3", &[], "no tools");
        check_problem(r#"{"tools":{"a":{}}}"#, &[], "`tools` does not hold");
        check_problem(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1}}"#, &[], "answered with an error");
        check_problem(r#"{"mcpServers":{}}"#, &[], "no tools");
    }
}
