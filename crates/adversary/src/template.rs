//! Texts with places to fill: `{{call_count}}`, `{{base64:…}}`, `{{secret:aws_key}}`. `{cut}` is taken out.

use crate::mistake;
use crate::{encode, secret};
use serde_json::Value;

/// What a template may use of the moment it is filled in.
#[derive(Debug, Default, Clone)]
pub(crate) struct Moment {
    pub(crate) scenario: String,
    /// The request's id as it was spelt.
    pub(crate) id: String,
    pub(crate) client: String,
    pub(crate) calls: u64,
    pub(crate) lists: u64,
    pub(crate) arguments: Value,
    /// What the client answered to our own questions, by their keys.
    pub(crate) answers: Value,
}

/// Where the text goes: into a JSON string, or into a frame as bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    Text,
    Frame,
}

/// No text grows beyond this; what should never end is `endless`.
const MOST_BYTES: usize = 256 << 20;

/// What can stand between braces without an argument.
const VALUES: [&str; 7] = ["id", "next_id", "scenario", "client", "call_count", "list_count", "arguments"];
/// What needs an argument.
const MAKERS: [&str; 7] = ["argument", "answer", "repeat", "deep", "secret", "bytes", "literal"];

/// Says what is wrong with a template.
pub(crate) fn check(text: &str, target: Target) -> Result<(), String> {
    let rendered = fill(text, &Moment::default(), Mode::Check)?;
    if target == Target::Text && std::str::from_utf8(&rendered).is_err() {
        return Err("`bytes` can only stand in `raw`".to_owned());
    }
    Ok(())
}

/// The text with all places filled. A template that was checked always can be.
pub(crate) fn render(text: &str, moment: &Moment) -> Vec<u8> {
    fill(text, moment, Mode::Serve).unwrap_or_default()
}

/// The same for a text that is served inside JSON.
pub(crate) fn render_text(text: &str, moment: &Moment) -> String {
    String::from_utf8_lossy(&render(text, moment)).into_owned()
}

/// While checking, nothing is made long.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Check,
    Serve,
}

fn fill(text: &str, moment: &Moment, mode: Mode) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.extend(before.as_bytes());
        if let Some(after) = from.strip_prefix("{cut}") {
            rest = after;
        } else if let Some(inner) = from.strip_prefix("{{") {
            let end = closing(inner).ok_or("`{{` without `}}`")?;
            out.extend(place(&inner[..end], moment, mode)?);
            rest = &inner[end + 2..];
        } else {
            out.push(b'{');
            rest = &from[1..];
        }
        if out.len() > MOST_BYTES {
            return Err(format!("a text of more than {MOST_BYTES} bytes"));
        }
    }
    out.extend(rest.as_bytes());
    Ok(out)
}

/// Where the braces close that were opened before this text. Inside, braces may nest.
fn closing(inner: &str) -> Option<usize> {
    let bytes = inner.as_bytes();
    let (mut depth, mut at) = (1, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"{{" => (depth, at) = (depth + 1, at + 2),
            b"}}" if depth == 1 => return Some(at),
            b"}}" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    None
}

fn place(inner: &str, moment: &Moment, mode: Mode) -> Result<Vec<u8>, String> {
    let Some((name, argument)) = inner.split_once(':') else {
        return value(inner.trim(), moment).map(String::into_bytes);
    };
    let name = name.trim();
    match name {
        "literal" => return Ok(["{{", argument, "}}"].concat().into_bytes()),
        "bytes" => return bytes(argument),
        "repeat" => return repeat(argument, moment, mode),
        "deep" => return deep(argument, mode),
        _ => {}
    }
    let argument = String::from_utf8_lossy(&fill(argument, moment, mode)?).into_owned();
    let made = match name {
        "argument" => path(&moment.arguments, &argument),
        "answer" => path(&moment.answers, &argument),
        "secret" => secret::make(&argument, &moment.scenario)
            .ok_or_else(|| mistake::unknown("secret", &argument, &secret::KINDS))?,
        _ => encode::encode(name, &argument).ok_or_else(|| unknown(name))?,
    };
    Ok(made.into_bytes())
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = [&VALUES[..], &MAKERS[..], &encode::NAMES[..]].concat();
    mistake::unknown("template", name, &known)
}

fn value(name: &str, moment: &Moment) -> Result<String, String> {
    Ok(match name {
        "id" => moment.id.clone(),
        "next_id" => next(&moment.id),
        "scenario" => moment.scenario.clone(),
        "client" => moment.client.clone(),
        "call_count" => moment.calls.to_string(),
        "list_count" => moment.lists.to_string(),
        "arguments" => moment.arguments.to_string(),
        other => return Err(unknown(other)),
    })
}

/// An id that was not asked with: one more, or another word.
fn next(id: &str) -> String {
    match id.parse::<i64>() {
        Ok(number) => number.wrapping_add(1).to_string(),
        Err(_) => "\"another\"".to_owned(),
    }
}

/// What stands at `a.b.c`: a text as it is, anything else as JSON, nothing as nothing.
fn path(value: &Value, path: &str) -> String {
    let found = path.split('.').try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    });
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// `{{bytes:ff fe}}`: bytes that need not be text.
fn bytes(argument: &str) -> Result<Vec<u8>, String> {
    let byte = |word: &str| {
        u8::from_str_radix(word, 16).map_err(|_| format!("`{}` is no byte", word.escape_debug()))
    };
    argument.split_whitespace().map(byte).collect()
}

/// `{{repeat:1000:text}}`; `{{n}}` in the text is the number of the copy.
fn repeat(argument: &str, moment: &Moment, mode: Mode) -> Result<Vec<u8>, String> {
    let (count, text) = counted(argument)?;
    let copy = |number: usize| fill(&text.replace("{{n}}", &number.to_string()), moment, mode);
    let first = copy(0)?;
    if first.len().saturating_mul(count) > MOST_BYTES {
        return Err(format!("a text of more than {MOST_BYTES} bytes"));
    }
    match mode {
        Mode::Check => Ok(first),
        Mode::Serve if text.contains("{{n}}") => {
            (0..count).map(copy).collect::<Result<Vec<_>, _>>().map(|all| all.concat())
        }
        Mode::Serve => Ok(first.repeat(count)),
    }
}

/// `{{deep:1000:[:]}}`: the first text so many times, then the second as often.
fn deep(argument: &str, mode: Mode) -> Result<Vec<u8>, String> {
    let (count, texts) = counted(argument)?;
    let (open, close) = texts.rsplit_once(':').ok_or("`deep` needs two texts: {{deep:100:[:]}}")?;
    let count = if mode == Mode::Check { 1 } else { count };
    Ok([open.repeat(count), close.repeat(count)].concat().into_bytes())
}

fn counted(argument: &str) -> Result<(usize, &str), String> {
    let (count, text) = argument.split_once(':').ok_or("a count and a text: {{repeat:100:text}}")?;
    let count = count.trim().parse().map_err(|_| format!("`{}` is no count", count.escape_debug()))?;
    if count > MOST_BYTES {
        return Err(format!("a count of more than {MOST_BYTES}"));
    }
    Ok((count, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn moment() -> Moment {
        Moment {
            scenario: "s".to_owned(),
            id: "7".to_owned(),
            client: "agent".to_owned(),
            calls: 3,
            lists: 1,
            arguments: json!({ "path": "/etc", "deep": { "list": [1, "two"] } }),
            answers: json!({ "login": { "password": "x" } }),
        }
    }

    fn check_renders(text: &str, expected: &str) {
        assert_eq!(check(text, Target::Text), Ok(()), "{text}");
        assert_eq!(render_text(text, &moment()), expected, "{text}");
    }

    #[test]
    fn fills_every_kind_of_place() {
        check_renders(
            "{{id}} {{next_id}} {{call_count}}.{{ list_count }} {{client}} {{scenario}}",
            "7 8 3.1 agent s",
        );
        check_renders(
            "{{argument:path}}|{{argument:deep.list.1}}|{{argument:no}}|{{argument:deep.list}}",
            "/etc|two||[1,\"two\"]",
        );
        check_renders("{{answer:login.password}}", "x");
        check_renders("AB{cut}CD {not} {", "ABCD {not} {");
        check_renders("{{base64:{{hex:Hi}}}}", "NDg2OQ==");
        check_renders("{{base64:{{argument:path}}}}", "L2V0Yw==");
        check_renders("{{repeat:3:{{n}},}}", "0,1,2,");
        check_renders("{{repeat:3:ab}}{{deep:2:[:]}}{{literal:name}}", "ababab[[]]{{name}}");
        assert_eq!(render("a{{bytes:ff 00}}", &moment()), [b'a', 0xff, 0]);
    }

    #[test]
    fn names_what_is_wrong() {
        let wrong = |text: &str| check(text, Target::Text).unwrap_err();
        assert_eq!(wrong("{{bse64:x}}"), "no template is called `bse64`; did you mean `base64`?");
        assert_eq!(wrong("{{call_cuont}}"), "no template is called `call_cuont`; did you mean `call_count`?");
        assert_eq!(wrong("{{id"), "`{{` without `}}`");
        assert!(wrong("{{secret:aws}}").starts_with("no secret is called `aws`"));
        assert!(wrong("{{repeat:x:y}}").contains("no count"));
        assert!(wrong("{{repeat:200000000:ab}}").contains("more than"));
        assert_eq!(wrong("{{bytes:ff}}"), "`bytes` can only stand in `raw`");
        assert_eq!(check("{{bytes:ff}}", Target::Frame), Ok(()));
        assert!(wrong("{{bytes:fff}}").contains("no byte"));
    }

    #[test]
    fn another_id_is_never_the_same() {
        assert_eq!(next("-1"), "0");
        assert_eq!(next("\"a\""), "\"another\"");
    }
}
