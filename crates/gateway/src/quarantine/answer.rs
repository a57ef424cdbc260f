//! Answers on their way to an agent: what is held is taken out of lists, held instructions out of openings. Every
//! other byte stays.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use portcullis_decide::Standing;
use portcullis_detect::Kind;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{Quarantine, Seen, reading};
use crate::catalogue::Kind as Listed;
use crate::gate::Gate;
use crate::judge::Party;
use crate::upstream::Upstream;
use crate::upstream::opening::Opening;
use crate::upstream::reply::Reply;
use crate::wire::{Fault, Field, Kind as MessageKind, Limits, Message, Span, Splice};

/// What an answer shows of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// A list, or a page of one.
    List {
        kind: Listed,
        /// Whether the request asked for the list from its beginning.
        is_first: bool,
    },
    /// The server itself.
    Opening,
    /// The same, to a client that will have a session and hear of changes in it.
    Session,
}

impl Shows {
    /// What the answer to a request will show.
    pub(crate) fn of(request: &Message) -> Option<Shows> {
        if request.kind() != MessageKind::Request {
            return None;
        }
        let method = request.method();
        match (Listed::listed_by(&method), &*method) {
            (Some(kind), _) => Some(Shows::List { kind, is_first: !request.has(Field::Cursor) }),
            (None, "initialize") => Some(Shows::Session),
            (None, "server/discover") => Some(Shows::Opening),
            (None, _) => None,
        }
    }
}

/// The member of `_meta` that says the news are the gateway's own.
const OURS: &str = "portcullis/reason";

/// The news that lists are others now, because of what was decided here.
pub(crate) fn list_changed(kinds: &BTreeSet<Kind>) -> Vec<Message> {
    let lists: BTreeSet<&str> = kinds
        .iter()
        .filter_map(|kind| match kind {
            Kind::Tool => Some("tools"),
            Kind::Prompt => Some("prompts"),
            Kind::Resource | Kind::ResourceTemplate => Some("resources"),
            // Said once, when a session begins.
            Kind::Instructions => None,
        })
        .collect();
    let message = |list: &&str| {
        let text = json!({
            "jsonrpc": "2.0", "method": format!("notifications/{list}/list_changed"),
            "params": { "_meta": { OURS: "review" } },
        });
        Message::one(Bytes::from(text.to_string()), Limits::default()).ok()
    };
    lists.iter().filter_map(message).collect()
}

/// Whether news are of our own making.
pub(crate) fn is_ours(news: &Message) -> bool {
    news.value(Field::Meta).is_some_and(|meta| meta.get(OURS).is_some())
}

/// Takes out of an answer what may not be shown, after what is new was looked at.
pub(crate) async fn hide(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    shows: Shows,
    party: &Party,
    reply: &mut Reply,
) -> Result<(), Fault> {
    let Some(result) = reply.message.shared(Field::Result) else { return Ok(()) };
    let start = reply.message.place(Field::Result).range().start;
    let shown_to = Some(party.audience());
    let mut edits = Vec::new();
    match shows {
        Shows::List { kind, is_first } => {
            edits.extend(list(gate, upstream, kind, is_first, &result, shown_to).await?);
        }
        Shows::Opening => edits.extend(opening(gate, upstream, &result, shown_to).await?),
        Shows::Session => {
            edits.extend(opening(gate, upstream, &result, shown_to).await?);
            edits.extend(tells_of_lists(&result));
        }
    }
    for (range, text) in edits {
        reply.replace(Span::new(start + range.start, start + range.end), text);
    }
    Ok(())
}

/// What a server says of itself to clients whom the gateway tells of lists, without instructions that are held.
pub(crate) async fn shown_opening(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    said: &Opening,
) -> Result<Opening, Fault> {
    let mut splice = Splice::new();
    // It was said to the gateway itself, once for all clients.
    let hidden = opening(gate, upstream, &said.result, None).await?;
    for (range, text) in hidden.into_iter().chain(tells_of_lists(&said.result)) {
        splice.replace(Span::new(range.start, range.end), text);
    }
    Ok(Opening { result: splice.applied(&said.result), ..said.clone() })
}

/// A place in a result, and what is to be written there.
type Edit = (Range<usize>, Bytes);

async fn list(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    kind: Listed,
    is_first: bool,
    result: &Bytes,
    shown_to: Option<Box<str>>,
) -> Result<Option<Edit>, Fault> {
    let Some(page) = Page::read(kind, result) else { return Ok(None) };
    let is_whole = is_first && page.cursor.is_none();
    let whole: &[Kind] = if is_whole { &[kind.declared()] } else { &[] };
    reading::see(gate, upstream, page.seen(), whole.to_vec(), shown_to).await?;
    let mut names = BTreeSet::new();
    let mut is_shown = |entry: &Entry<'_>| {
        let name = entry.name.as_deref().unwrap_or_default();
        let is_shown = gate.quarantine.shows(upstream.name.as_str(), kind.declared(), name, entry.raw);
        is_shown && names.insert(name.to_owned())
    };
    let shown: Vec<&str> =
        page.entries.iter().filter(|entry| is_shown(entry)).map(|entry| entry.raw).collect();
    if shown.len() == page.entries.len() {
        return Ok(None);
    }
    Ok(Some((page.place.clone(), Bytes::from(format!("[{}]", shown.join(","))))))
}

async fn opening(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    result: &Bytes,
    shown_to: Option<Box<str>>,
) -> Result<Option<Edit>, Fault> {
    let Some((json, place)) = instructions(result) else { return Ok(None) };
    let seen = Seen { kind: Kind::Instructions, name: "".into(), json: json.clone() };
    reading::see(gate, upstream, vec![seen], Vec::new(), shown_to).await?;
    let is_shown = gate.quarantine.shows(upstream.name.as_str(), Kind::Instructions, "", &json);
    Ok((!is_shown).then(|| (member(result, place), Bytes::new())))
}

/// The members of an object, as they are written.
type Object<'a> = BTreeMap<String, &'a RawValue>;

/// Where it must be said that lists may change: whatever the server does, the gateway tells when what is exposed does.
fn tells_of_lists(result: &[u8]) -> Vec<Edit> {
    let said: Object<'_> = serde_json::from_slice(result).unwrap_or_default();
    let capabilities = said.get("capabilities").map_or("{}", |raw| raw.get());
    let capabilities: Object<'_> = serde_json::from_str(capabilities).unwrap_or_default();
    let lists = ["tools", "prompts", "resources"].into_iter().filter_map(|list| capabilities.get(list));
    let edit = |raw: &&RawValue| {
        let object: Object<'_> = serde_json::from_str(raw.get()).ok()?;
        match object.get("listChanged") {
            Some(value) if value.get() == "true" => None,
            Some(value) => Some((place(result, value.get()), Bytes::from_static(b"true"))),
            None => {
                let first = place(result, raw.get()).start + 1;
                let comma = if object.is_empty() { "" } else { "," };
                Some((first..first, Bytes::from(format!(r#""listChanged":true{comma}"#))))
            }
        }
    };
    lists.filter_map(edit).collect()
}

impl Quarantine {
    /// Whether exactly this definition may be shown.
    pub(crate) fn shows(&self, server: &str, kind: Kind, name: &str, json: &str) -> bool {
        if self.standing(server, kind, name) != Standing::Exposed {
            return false;
        }
        let picture = self.picture();
        let item = picture.server(server).and_then(|known| known.item(kind, name));
        let Some((seen, is_same)) = item.map(|item| (item.record.seen, *item.current == *json)) else {
            return false;
        };
        drop(picture);
        is_same || self.fingerprint(server, kind, name, json) == Some(seen)
    }
}

/// One entry of a list.
pub(crate) struct Entry<'a> {
    /// `None` if it has none; such an entry is never shown.
    name: Option<Cow<'a, str>>,
    raw: &'a str,
}

/// One page of a list.
pub(crate) struct Page<'a> {
    kind: Listed,
    entries: Vec<Entry<'a>>,
    /// Where the list is in the result.
    place: Range<usize>,
    cursor: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Lists<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    prompts: Option<&'a RawValue>,
    #[serde(borrow)]
    resources: Option<&'a RawValue>,
    #[serde(borrow, rename = "resourceTemplates")]
    templates: Option<&'a RawValue>,
    #[serde(borrow, rename = "nextCursor")]
    cursor: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Called<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "uriTemplate")]
    template: Option<Cow<'a, str>>,
}

impl<'a> Page<'a> {
    /// Reads the result of a request for a list; `None` if there is none in it.
    pub(crate) fn read(kind: Listed, result: &'a [u8]) -> Option<Page<'a>> {
        let lists: Lists<'a> = serde_json::from_slice(result).ok()?;
        let list = match kind {
            Listed::Tools => lists.tools,
            Listed::Prompts => lists.prompts,
            Listed::Resources => lists.resources,
            Listed::Templates => lists.templates,
        }?;
        let entries: Vec<&'a RawValue> = serde_json::from_str(list.get()).ok()?;
        let entry = |raw: &'a RawValue| {
            let called = serde_json::from_str::<Called<'a>>(raw.get()).ok();
            let name = called.and_then(|called| match kind {
                Listed::Tools | Listed::Prompts => called.name,
                Listed::Resources => called.uri,
                Listed::Templates => called.template,
            });
            Entry { name, raw: raw.get() }
        };
        Some(Page {
            kind,
            entries: entries.into_iter().map(entry).collect(),
            place: place(result, list.get()),
            cursor: lists.cursor,
        })
    }

    /// What the page declares.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        let seen = |entry: &Entry<'_>| {
            let name = entry.name.as_deref()?.into();
            Some(Seen { kind: self.kind.declared(), name, json: entry.raw.into() })
        };
        self.entries.iter().filter_map(seen).collect()
    }

    /// Where the next page begins.
    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Entries without a name, which nobody can look at.
    pub(crate) fn nameless(&self) -> usize {
        self.entries.iter().filter(|entry| entry.name.is_none()).count()
    }
}

/// Where a part of a text is in it. INVARIANT: the part was borrowed from the text.
fn place(text: &[u8], part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(borrow)]
    instructions: Option<&'a RawValue>,
    #[serde(borrow, rename = "serverInfo")]
    info: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/serverInfo")]
    info: Option<&'a RawValue>,
}

/// The instructions in what a server says of itself, as they are looked at, and where they are.
pub(crate) fn instructions(result: &[u8]) -> Option<(Box<str>, Range<usize>)> {
    let said: Said<'_> = serde_json::from_slice(result).ok()?;
    let instructions = said.instructions.filter(|raw| raw.get() != "null")?;
    let info = said.info.or(said.meta.and_then(|meta| meta.info)).map_or("null", RawValue::get);
    let json = format!(r#"{{"instructions":{},"serverInfo":{info}}}"#, instructions.get());
    Some((json.into(), place(result, instructions.get())))
}

/// A member of an object with its key and one comma, from the place of its value.
fn member(object: &[u8], value: Range<usize>) -> Range<usize> {
    let before = object.get(..value.start).unwrap_or_default();
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let end_of = |bytes: &[u8]| bytes.iter().rposition(|byte| !blank(byte)).map_or(0, |last| last + 1);
    let key_end = end_of(before.get(..end_of(before).saturating_sub(1)).unwrap_or_default());
    let quoted = before.get(..key_end.saturating_sub(1)).unwrap_or_default();
    let start = quoted.iter().rposition(|byte| *byte == b'"').unwrap_or_default();
    let after = object.get(value.end..).unwrap_or_default();
    match after.iter().position(|byte| !blank(byte)) {
        Some(next) if after.get(next) == Some(&b',') => start..value.end + next + 1,
        _ => {
            let comma = end_of(before.get(..start).unwrap_or_default());
            let has_comma = comma > 0 && before.get(comma - 1) == Some(&b',');
            (if has_comma { comma - 1 } else { start })..value.end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_goes_with_its_comma() {
        for (text, expected) in [
            (r#"{"a":1,"instructions":"x","b":2}"#, r#"{"a":1,"b":2}"#),
            (r#"{"instructions" : "x" , "b":2}"#, r#"{ "b":2}"#),
            (r#"{"a":1 , "instructions":"x"}"#, r#"{"a":1 }"#),
            (r#"{"instructions":"x"}"#, "{}"),
            (r#"{"a":"\"instructions\":1","\u0069nstructions":"x"}"#, r#"{"a":"\"instructions\":1"}"#),
        ] {
            let (_, place) = instructions(text.as_bytes()).unwrap();
            let range = member(text.as_bytes(), place);
            assert_eq!(format!("{}{}", &text[..range.start], &text[range.end..]), expected);
        }
    }

    #[test]
    fn a_server_is_said_to_tell_of_its_lists() {
        for (text, expected) in [
            (r#"{"capabilities":{"tools":{}}}"#, r#"{"capabilities":{"tools":{"listChanged":true}}}"#),
            (
                r#"{"capabilities":{"tools":{ "x":1.0}}}"#,
                r#"{"capabilities":{"tools":{"listChanged":true, "x":1.0}}}"#,
            ),
            (
                r#"{"capabilities":{"prompts" : {"listChanged" : false},"resources":{"subscribe":true},"logging":{}}}"#,
                r#"{"capabilities":{"prompts" : {"listChanged" : true},"resources":{"listChanged":true,"subscribe":true},"logging":{}}}"#,
            ),
            (
                r#"{"capabilities":{"tools":{"listChanged":null}}}"#,
                r#"{"capabilities":{"tools":{"listChanged":true}}}"#,
            ),
            (
                r#"{"capabilities":{"tools":{"listChanged": true}}}"#,
                r#"{"capabilities":{"tools":{"listChanged": true}}}"#,
            ),
            (r#"{"capabilities":{"tools":7}}"#, r#"{"capabilities":{"tools":7}}"#),
            (r#"{"tools":{}}"#, r#"{"tools":{}}"#),
        ] {
            let mut splice = Splice::new();
            for (range, new) in tells_of_lists(text.as_bytes()) {
                splice.replace(Span::new(range.start, range.end), new);
            }
            assert_eq!(splice.applied(&Bytes::from_static(text.as_bytes())), expected);
        }
    }

    #[test]
    fn a_page_knows_its_entries_and_where_they_are() {
        let text = br#"{"x":[1], "tools": [ {"name":"a"} ,{"title":"b"}, 7],"nextCursor":"2"}"#;
        let page = Page::read(Listed::Tools, text).unwrap();
        assert_eq!(&text[page.place.clone()], br#"[ {"name":"a"} ,{"title":"b"}, 7]"#);
        assert_eq!((page.entries.len(), page.nameless(), page.cursor().is_some()), (3, 2, true));
        assert_eq!(page.seen()[0].json.as_ref(), r#"{"name":"a"}"#);
        assert!(Page::read(Listed::Prompts, text).is_none());
    }
}
