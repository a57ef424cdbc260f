//! Definitions in source, by the ways the common SDKs declare them. Nothing is run, so what is put together while a
//! server runs is not seen.

use portcullis_detect::Kind;
use serde_json::{Value, json};

use super::tokens::{Language, Placed, Token, tokens};

/// A definition that was found.
#[derive(Debug, PartialEq)]
pub(super) struct Declared {
    pub(super) kind: Kind,
    pub(super) line: usize,
    pub(super) json: Value,
}

/// How far a declaration is followed: a call holds its function too.
const FARTHEST: usize = 4000;
/// Places of one file that are followed.
const MOST_CANDIDATES: usize = 10_000;
/// How much may be found, as a multiple of the file: objects in objects tell their texts again, up to a depth no honest
/// file has.
const MOST_RETOLD: usize = 8;
/// The name of a tool stands near the beginning of its object.
const NAME_WITHIN: usize = 40;
/// Members that make an object with a name and a description a tool.
const SCHEMAS: [&str; 5] = ["inputSchema", "input_schema", "parameters", "outputSchema", "annotations"];

/// All definitions of one file, and whether all of it was looked at.
pub(super) fn declared(text: &str, language: Language) -> (Vec<Declared>, bool) {
    let (tokens, is_whole) = tokens(text, language);
    let (mut found, mut candidates) = (Vec::new(), 0);
    let mut room = text.len().saturating_mul(MOST_RETOLD);
    for place in 0..tokens.len() {
        let here = tokens.get(place..).unwrap_or_default();
        if !may_begin(here) {
            continue;
        }
        candidates += 1;
        if candidates > MOST_CANDIDATES {
            return (found, false);
        }
        let decorator = if language == Language::Python { decorated(here) } else { None };
        let one = decorator.or_else(|| call(here)).or_else(|| constructed(here)).or_else(|| object(here));
        let Some(one) = one else { continue };
        match room.checked_sub(one.json.to_string().len()) {
            Some(left) => room = left,
            None => return (found, false),
        }
        found.push(one);
    }
    (found, is_whole)
}

/// Whether a definition may begin here: few places are worth following.
fn may_begin(tokens: &[Placed<'_>]) -> bool {
    let is_key = |place: usize| {
        matches!(tokens.get(place), Some((Token::Word(_) | Token::Text(_), _)))
            && is_mark(tokens.get(place + 1), ':')
    };
    let is_name = |place: usize| match tokens.get(place) {
        Some((Token::Word(word), _)) => *word == "name",
        Some((Token::Text(text), _)) => text == "name",
        _ => false,
    };
    match tokens.first() {
        Some((Token::Mark('.'), _)) => {
            is_mark(tokens.get(2), '(') && word(tokens.get(1)).and_then(kind_of).is_some()
        }
        Some((Token::Mark('@'), _)) => true,
        Some((Token::Word("Tool" | "Prompt"), _)) => is_mark(tokens.get(1), '('),
        Some((Token::Mark('{'), _)) => {
            is_key(1) && (1..NAME_WITHIN).any(|place| is_name(place) && is_key(place))
        }
        _ => false,
    }
}

fn word<'a>(token: Option<&Placed<'a>>) -> Option<&'a str> {
    match token {
        Some((Token::Word(word), _)) => Some(word),
        _ => None,
    }
}

fn is_mark(token: Option<&Placed<'_>>, mark: char) -> bool {
    matches!(token, Some((Token::Mark(found), _)) if *found == mark)
}

fn kind_of(word: &str) -> Option<Kind> {
    Some(match word {
        "tool" | "registerTool" | "add_tool" => Kind::Tool,
        "prompt" | "registerPrompt" => Kind::Prompt,
        "resource" | "registerResource" => Kind::Resource,
        _ => return None,
    })
}

/// Texts that are joined by `+`, or by standing beside each other; and how many tokens they take.
fn joined(tokens: &[Placed<'_>]) -> Option<(String, usize)> {
    let (mut text, mut taken) = (String::new(), 0);
    let mut is_text = false;
    loop {
        match tokens.get(taken) {
            Some((Token::Text(part), _)) => {
                text.push_str(part);
                is_text = true;
            }
            Some((Token::Mark('+'), _)) if is_text => {}
            // Long texts are often put in brackets, to be broken into lines.
            Some((Token::Mark('('), _)) if !is_text => {}
            _ => return is_text.then_some((text, taken)),
        }
        taken += 1;
    }
}

/// `server.tool("name", "description", …)` and `server.registerTool("name", { description: … }, …)`.
fn call(tokens: &[Placed<'_>]) -> Option<Declared> {
    if !is_mark(tokens.first(), '.') || !is_mark(tokens.get(2), '(') {
        return None;
    }
    let kind = kind_of(word(tokens.get(1))?)?;
    let (name, taken) = joined(tokens.get(3..)?)?;
    let mut rest = tokens.get(3 + taken..)?;
    let mut description = None;
    if is_mark(rest.first(), ',') {
        description = joined(rest.get(1..)?);
    }
    if let Some((_, taken)) = &description {
        rest = rest.get(1 + taken..)?;
    }
    let inner = enclosed(rest, 1);
    let members = members(inner);
    let said = description.map(|(text, _)| text);
    Some(definition(kind, tokens, Some(name), said, inner, &members))
}

/// `@server.tool()` over a function, whose first text describes it.
fn decorated(tokens: &[Placed<'_>]) -> Option<Declared> {
    if !is_mark(tokens.first(), '@') {
        return None;
    }
    let dotted = tokens
        .iter()
        .skip(1)
        .take_while(|token| word(Some(token)).is_some() || is_mark(Some(token), '.'))
        .count();
    let last = word(tokens.get(dotted))?;
    let kind = kind_of(last).filter(|_| dotted > 1)?;
    let after = tokens.get(dotted + 1..)?;
    let inner = if is_mark(after.first(), '(') { enclosed(after.get(1..)?, 1) } else { &[] };
    let start = after.iter().take(FARTHEST).position(|token| word(Some(token)) == Some("def"))?;
    let function = word(after.get(start + 1))?;
    let parameters = enclosed(after.get(start + 3..)?, 1);
    let body = after.get(start + 3 + parameters.len() + 1..)?;
    let colon = body.iter().position(|token| is_mark(Some(token), ':'))?;
    let doc = joined(body.get(colon + 1..)?).map(|(text, _)| text);
    let members = members(inner);
    // A resource is known by its address, which stands first.
    let address = joined(inner).map(|(text, _)| text).filter(|_| kind == Kind::Resource);
    let name = address.or_else(|| Some(function.to_owned()));
    Some(definition(kind, tokens, name, doc, parameters, &members))
}

/// `Tool(name="…", description="…")`.
fn constructed(tokens: &[Placed<'_>]) -> Option<Declared> {
    let kind = match word(tokens.first())? {
        "Tool" => Kind::Tool,
        "Prompt" => Kind::Prompt,
        _ => return None,
    };
    let inner = enclosed(tokens.get(2..).filter(|_| is_mark(tokens.get(1), '('))?, 1);
    let members = members(inner);
    named(&members).map(|_| definition(kind, tokens, None, None, inner, &members))
}

/// `{ name: "…", description: "…", inputSchema: … }`.
fn object(tokens: &[Placed<'_>]) -> Option<Declared> {
    let inner = enclosed(tokens.get(1..).filter(|_| is_mark(tokens.first(), '{'))?, 1);
    let members = members(inner);
    let has = |key: &str| members.iter().any(|(name, _)| *name == key);
    let is_tool = named(&members).is_some() && has("description") && SCHEMAS.iter().any(|key| has(key));
    is_tool.then(|| definition(Kind::Tool, tokens, None, None, inner, &members))
}

/// What stands inside brackets that are open already.
fn enclosed<'t, 'a>(tokens: &'t [Placed<'a>], open: usize) -> &'t [Placed<'a>] {
    let mut depth = open;
    for (place, (token, _)) in tokens.iter().enumerate().take(FARTHEST) {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return tokens.get(..place).unwrap_or_default();
        }
    }
    tokens.get(..tokens.len().min(FARTHEST)).unwrap_or_default()
}

/// The members of an object or the named arguments of a call, each with its text if it is one. An object that is the
/// next argument of a call counts as its own members.
fn members<'t>(tokens: &'t [Placed<'_>]) -> Vec<(&'t str, Option<String>)> {
    let mut members = Vec::new();
    let (mut depth, mut floor) = (0usize, 0usize);
    for (place, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Mark('{') if depth == 0 && place <= 1 => (depth, floor) = (1, 1),
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Mark(':' | '=') if depth == floor => {
                let key = match place.checked_sub(1).and_then(|before| tokens.get(before)) {
                    Some((Token::Word(word), _)) => *word,
                    Some((Token::Text(text), _)) => text.as_str(),
                    _ => continue,
                };
                let value = tokens.get(place + 1..).and_then(joined).map(|(text, _)| text);
                members.push((key, value));
            }
            _ => {}
        }
    }
    members
}

fn named(members: &[(&str, Option<String>)]) -> Option<String> {
    members.iter().find(|(key, _)| *key == "name").and_then(|(_, value)| value.clone())
}

/// Every text that describes something inside: `.describe("…")`, `description: "…"`, `Field(description="…")`.
fn described(tokens: &[Placed<'_>]) -> Vec<String> {
    let mut texts = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let key = match token {
            (Token::Word(word), _) => *word,
            (Token::Text(text), _) => text.as_str(),
            _ => continue,
        };
        let opens = tokens.get(place + 1);
        let is_said = match key {
            "describe" => is_mark(opens, '('),
            "description" | "title" | "default" => is_mark(opens, ':') || is_mark(opens, '='),
            _ => false,
        };
        texts.extend(tokens.get(place + 2..).filter(|_| is_said).and_then(joined).map(|(text, _)| text));
    }
    texts
}

fn definition(
    kind: Kind,
    tokens: &[Placed<'_>],
    name: Option<String>,
    said: Option<String>,
    inner: &[Placed<'_>],
    members: &[(&str, Option<String>)],
) -> Declared {
    let member =
        |key: &str| members.iter().find(|(name, _)| *name == key).and_then(|(_, value)| value.clone());
    let mut json = json!({ "name": member("name").or(name).unwrap_or_default() });
    for (key, value) in [("description", member("description").or(said)), ("title", member("title"))] {
        json.as_object_mut().into_iter().for_each(|json| {
            value.iter().for_each(|text| drop(json.insert(key.to_owned(), text.as_str().into())));
        });
    }
    let mut texts = described(inner);
    texts.retain(|text| json["description"] != **text && json["title"] != **text);
    if !texts.is_empty() {
        json["inputSchema"] = json!({ "texts": texts });
    }
    Declared { kind, line: tokens.first().map_or(1, |(_, line)| *line), json }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, language: Language, expected: &[Value]) {
        let (found, is_whole) = declared(text, language);
        assert!(is_whole);
        assert_eq!(found.into_iter().map(|one| one.json).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn work_is_bounded() {
        let (found, is_whole) = declared(&"{name:".repeat(50_000), Language::JavaScript);
        assert!(found.is_empty() && !is_whole);
        let object = |number: usize| format!("{{name:'a',description:'{number:0100}',inputSchema:");
        let nested: String = (0..2000).map(object).collect();
        let (found, is_whole) = declared(&nested, Language::JavaScript);
        let told: usize = found.iter().map(|one| one.json.to_string().len()).sum();
        assert!(!is_whole && told <= nested.len() * MOST_RETOLD, "{told}");
    }

    #[test]
    fn calls_of_the_typescript_sdk() {
        check(
            "server.tool('add', 'Adds ' + \"two\", { a: z.number().describe('The first') }, async () => ({}))",
            Language::JavaScript,
            &[json!({"name":"add","description":"Adds two","inputSchema":{"texts":["The first"]}})],
        );
        check(
            "server.registerTool(\n \"add\", { title: 'Add', description: `Adds\ntwo`, inputSchema: { a: z.string() } }, f)",
            Language::JavaScript,
            &[json!({"name":"add","title":"Add","description":"Adds\ntwo"})],
        );
        check("log.tool(name)", Language::JavaScript, &[]);
    }

    #[test]
    fn objects_and_constructors() {
        check(
            "const TOOLS = [{ name: 'a', description: 'Does a.', inputSchema: { properties: { q: { description: 'Q.' } } } }]",
            Language::JavaScript,
            &[json!({"name":"a","description":"Does a.","inputSchema":{"texts":["Q."]}})],
        );
        check("x = { name: 'a', description: 'No tool.' }", Language::JavaScript, &[]);
        check(
            "types.Tool(name=\"a\", description=(\"x\"), inputSchema={})\nTool(name='b', description='Does ' 'b.')",
            Language::Python,
            &[json!({"name":"a","description":"x"}), json!({"name":"b","description":"Does b."})],
        );
    }

    #[test]
    fn decorators_of_the_python_sdk() {
        check(
            "@mcp.tool()\nasync def add(a: int = Field(description='The first')) -> int:\n    \"\"\"Adds.\"\"\"\n    return a\n",
            Language::Python,
            &[json!({"name":"add","description":"Adds.","inputSchema":{"texts":["The first"]}})],
        );
        check(
            "@mcp.tool(name='plus', description='Adds')\ndef add(a):\n  return a\n",
            Language::Python,
            &[json!({"name":"plus","description":"Adds"})],
        );
        check("@tool\ndef f(): pass\n", Language::Python, &[]);
    }
}
