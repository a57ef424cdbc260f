//! Reads one JSON object as a server's answer: lists of definitions, servers by name, and everything else.
//!
//! One streaming visitor for all of it, so that what stands before a syntax error is kept, and so that of two
//! equal keys both are seen.

use std::fmt;

use portcullis_detect::Kind;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What one server declares in one answer.
#[derive(Debug, Default)]
pub(crate) struct Part<'a> {
    /// The name the text gives the server, if it does.
    pub(crate) server: Option<String>,
    pub(crate) definitions: Vec<(Kind, &'a RawValue)>,
    /// All other members of the answer: instructions, server info, and what we do not know.
    pub(crate) words: Vec<(String, &'a RawValue)>,
    /// The answer says that more pages follow.
    pub(crate) has_more: bool,
}

/// The members of one object, sorted out.
#[derive(Debug, Default)]
pub(crate) struct Answer<'a> {
    pub(crate) part: Part<'a>,
    /// The servers of a map of servers.
    pub(crate) servers: Vec<Part<'a>>,
    /// Well-known keys whose value is not what it should be.
    pub(crate) odd: Vec<&'static str>,
    /// Some well-known list or map was there, be it empty.
    is_container: bool,
    is_rpc: bool,
    /// Reading inside `result`: these are the server's words, those outside are the operator's.
    is_inside: bool,
}

impl<'a> Answer<'a> {
    /// Reads `json`; what was read before an error stays.
    pub(crate) fn read(&mut self, json: &'a str) -> serde_json::Result<()> {
        let mut reader = serde_json::Deserializer::from_str(json);
        Member { answer: self, role: Role::Top }.deserialize(&mut reader)?;
        reader.end()
    }

    /// Whether the object holds definitions rather than being one.
    pub(crate) fn is_container(&self) -> bool {
        self.is_container || self.has_word(|key| matches!(key, "instructions" | "serverInfo"))
    }

    /// Whether the object is itself a tool.
    pub(crate) fn is_tool(&self) -> bool {
        self.has_word(|key| matches!(key, "name" | "description" | "inputSchema"))
    }

    /// Whether the object is a registry's entry of a server.
    pub(crate) fn is_registry_entry(&self) -> bool {
        let has = |wanted: &str| self.has_word(|key| key == wanted);
        has("name") && has("version") && (has("packages") || has("remotes")) && !has("inputSchema")
    }

    /// A JSON-RPC request or notification, and nothing more than that.
    pub(crate) fn is_request(&self) -> bool {
        self.is_rpc && self.has_only(|key| matches!(key, "method" | "params"))
    }

    /// A JSON-RPC error, and nothing more than that.
    pub(crate) fn is_error(&self) -> bool {
        self.is_rpc && self.has_only(|key| key == "error")
    }

    fn has_word(&self, is_it: impl Fn(&str) -> bool) -> bool {
        self.part.words.iter().any(|(key, _)| is_it(key))
    }

    fn has_only(&self, is_it: impl Fn(&str) -> bool) -> bool {
        !self.part.words.is_empty() && self.part.words.iter().all(|(key, _)| is_it(key))
    }

    fn word(&mut self, key: String, raw: &'a RawValue) {
        match key.as_str() {
            "jsonrpc" => self.is_rpc = true,
            "id" if self.is_rpc => {}
            "nextCursor" => self.part.has_more = !matches!(raw.get(), "null" | "\"\""),
            // Who a server is, is the operator's word: an answer may not call itself another server.
            "server" if !self.is_inside && raw.get().starts_with('"') => {
                self.part.server = serde_json::from_str(raw.get()).ok();
            }
            _ => self.part.words.push((key, raw)),
        }
    }
}

/// What a value should be.
#[derive(Clone, Copy)]
enum Role {
    /// The object itself.
    Top,
    /// The result of a JSON-RPC answer.
    Result,
    /// A map from server names to answers.
    Servers,
    /// A list of definitions.
    List(Kind),
}

impl Role {
    fn of(key: &str) -> Option<(&'static str, Role)> {
        Some(match key {
            "result" => ("result", Role::Result),
            "servers" => ("servers", Role::Servers),
            "tools" => ("tools", Role::List(Kind::Tool)),
            "prompts" => ("prompts", Role::List(Kind::Prompt)),
            "resources" => ("resources", Role::List(Kind::Resource)),
            "resourceTemplates" => ("resourceTemplates", Role::List(Kind::ResourceTemplate)),
            _ => return None,
        })
    }
}

/// Reads one value in its role. The outcome says whether the value was what it should be.
struct Member<'f, 'a> {
    answer: &'f mut Answer<'a>,
    role: Role,
}

impl<'a> DeserializeSeed<'a> for Member<'_, 'a> {
    type Value = bool;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Member<'_, 'a> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut members: A) -> Result<bool, A::Error> {
        match self.role {
            Role::Top => answer(self.answer, members),
            Role::Result => {
                self.answer.is_container = true;
                self.answer.is_inside = true;
                let outcome = answer(self.answer, members);
                self.answer.is_inside = false;
                outcome
            }
            Role::Servers => servers(self.answer, members),
            Role::List(_) => {
                while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(false)
            }
        }
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<bool, A::Error> {
        let Role::List(kind) = self.role else {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(false);
        };
        self.answer.is_container = true;
        while let Some(raw) = items.next_element()? {
            self.answer.part.definitions.push((kind, raw));
        }
        Ok(true)
    }

    /// Null is an empty list.
    fn visit_unit<E>(self) -> Result<bool, E> {
        self.answer.is_container |= matches!(self.role, Role::List(_));
        Ok(matches!(self.role, Role::List(_)))
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }
}

fn answer<'a, A: MapAccess<'a>>(answer: &mut Answer<'a>, mut members: A) -> Result<bool, A::Error> {
    while let Some(key) = members.next_key::<String>()? {
        match Role::of(&key) {
            Some((key, role)) => {
                if !members.next_value_seed(Member { answer, role })? {
                    answer.odd.push(key);
                }
            }
            None => answer.word(key, members.next_value()?),
        }
    }
    Ok(true)
}

fn servers<'a, A: MapAccess<'a>>(answer: &mut Answer<'a>, mut members: A) -> Result<bool, A::Error> {
    answer.is_container = true;
    while let Some(name) = members.next_key::<String>()? {
        let mut one = Answer { is_inside: true, ..Answer::default() };
        let outcome = members.next_value_seed(Member { answer: &mut one, role: Role::Top });
        answer.servers.push(Part { server: Some(name), ..one.part });
        answer.odd.append(&mut one.odd);
        if !outcome? {
            answer.odd.push("servers");
        }
    }
    Ok(true)
}
