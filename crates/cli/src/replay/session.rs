//! One recorded session as a line of JSON: what the guard may see, and the label it may not.

use portcullis_detect::call::{Intent, Operation};
use portcullis_detect::json::Json;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A line of a recording; fields not named here are ground truth and are not even read.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    session: String,
    #[serde(default)]
    label: String,
    #[serde(borrow, default)]
    tools: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    calls: Vec<CallLine<'a>>,
}

#[derive(Deserialize)]
struct CallLine<'a> {
    #[serde(default)]
    server: String,
    #[serde(default)]
    tool: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    ts: Option<String>,
    #[serde(default)]
    is_error: bool,
    intent: Option<IntentLine>,
}

/// What the agent declared: an operation alone, or an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum IntentLine {
    Operation(String),
    Whole {
        #[serde(alias = "operation_type")]
        operation: Option<String>,
        data_sensitivity: Option<String>,
        reason: Option<String>,
    },
}

/// A recorded session.
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) label: String,
    /// Definitions as raw JSON, with the server each names.
    pub(crate) tools: Vec<(String, String)>,
    pub(crate) calls: Vec<RecordedCall>,
}

/// A recorded call.
pub(crate) struct RecordedCall {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) arguments: Json,
    pub(crate) result: Json,
    pub(crate) at_ms: u64,
    pub(crate) is_error: bool,
    pub(crate) intent: Option<Intent>,
}

#[derive(Deserialize)]
struct ServerOf {
    #[serde(default)]
    server: String,
}

impl Session {
    /// Reads one line.
    pub(crate) fn read(line: &str) -> Result<Session, String> {
        // Whole credential shapes are not committed anywhere; the mark that breaks them is taken out here.
        let line = line.replace("{cut}", "");
        let read: Line<'_> = serde_json::from_str(&line).map_err(|error| error.to_string())?;
        let tools = read.tools.iter().map(|tool| {
            let server = serde_json::from_str::<ServerOf>(tool.get()).map(|of| of.server).unwrap_or_default();
            (server, tool.get().to_owned())
        });
        let tools = tools.collect();
        let calls = read.calls.into_iter().map(RecordedCall::of).collect::<Result<_, _>>()?;
        Ok(Session { name: read.session, label: read.label, tools, calls })
    }

    /// Reads a session, or one call that stands alone.
    pub(crate) fn read_call(text: &str) -> Result<Session, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match value.get("calls") {
            Some(_) => Session::read(text),
            None => Session::read(&format!(r#"{{"calls":[{text}]}}"#)),
        }
    }
}

impl RecordedCall {
    fn of(line: CallLine<'_>) -> Result<RecordedCall, String> {
        let json = |raw: Option<&RawValue>| match raw {
            Some(raw) => Json::parse(raw.get()).map_err(|error| error.to_string()),
            None => Ok(Json::Null),
        };
        Ok(RecordedCall {
            server: line.server,
            tool: line.tool,
            arguments: json(line.arguments)?,
            result: json(line.result)?,
            at_ms: line.ts.as_deref().and_then(milliseconds).unwrap_or_default(),
            is_error: line.is_error,
            intent: line.intent.map(IntentLine::into_intent),
        })
    }
}

impl IntentLine {
    fn into_intent(self) -> Intent {
        let named = |word: &str| Operation::named(&word.to_lowercase());
        match self {
            IntentLine::Operation(word) => Intent { operation: named(&word), ..Intent::default() },
            IntentLine::Whole { operation, data_sensitivity, reason } => {
                Intent { operation: operation.as_deref().and_then(named), data_sensitivity, reason }
            }
        }
    }
}

/// Milliseconds since 1970 of `2024-06-01T10:00:03Z`, fractions and offsets left out.
fn milliseconds(text: &str) -> Option<u64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    // Days since 1970 by the count of days in 400-year eras that begin in March.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    u64::try_from((days * 86_400 + hour * 3600 + minute * 60 + second) * 1000).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_to_the_second() {
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(milliseconds("2024-06-01T10:00:03Z"), Some(1_717_236_003_000));
        assert_eq!(milliseconds("soon"), None);
    }

    #[test]
    fn only_what_the_guard_may_see_is_kept() {
        let line = r#"{"session":"s","label":"benign","user_prompt":"x","calls":[{"server":"a","tool":"b",
            "arguments":{"q":1},"result":"r","_malicious_call":true,"intent":"read"}]}"#;
        let session = Session::read(line).expect("a session");
        assert_eq!((session.label.as_str(), session.calls.len()), ("benign", 1));
        let intent = session.calls[0].intent.as_ref().and_then(|intent| intent.operation);
        assert_eq!(intent, Some(Operation::Read));
    }
}
