//! What a route is: a pattern, a role, a word about it, and who answers.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, StatusCode};
use serde::de::DeserializeOwned;

use super::access::{Principal, Role};
use super::events::Feed;
use crate::gate::Gate;
use crate::quarantine::Undecided;

/// One route.
pub(super) struct Route {
    pub(super) method: Method,
    /// Below the base; `{name}` stands for one part.
    pub(super) path: &'static str,
    pub(super) role: Role,
    /// What it does, in a sentence.
    pub(super) about: &'static str,
    /// What it takes: members of the body, or of the query for a GET.
    pub(super) takes: &'static [Member],
    pub(super) act: Act,
}

/// Something a request may say.
pub(super) struct Member {
    pub(super) name: &'static str,
    /// The type in the words of JSON Schema.
    pub(super) kind: &'static str,
    pub(super) about: &'static str,
}

/// Who answers.
pub(super) type Act = for<'a> fn(&'a Arc<Gate>, Asked) -> Answering<'a>;
pub(super) type Answering<'a> = Pin<Box<dyn Future<Output = Result<Answer, Refused>> + Send + 'a>>;

impl Route {
    /// The parts the pattern stands for, if the path fits it.
    pub(super) fn fits(&self, path: &str) -> Option<BTreeMap<&'static str, String>> {
        let (pattern, path) = (self.path.split('/'), path.split('/'));
        let mut found = BTreeMap::new();
        if pattern.clone().count() != path.clone().count() {
            return None;
        }
        for (wanted, part) in pattern.zip(path) {
            match wanted.strip_prefix('{').and_then(|wanted| wanted.strip_suffix('}')) {
                None if wanted == part => {}
                None => return None,
                Some(name) => {
                    let part = decoded(part).filter(|part| !part.is_empty())?;
                    if name == "kind" && kind(&part).is_none() {
                        return None;
                    }
                    found.insert(name, part);
                }
            }
        }
        Some(found)
    }
}

/// What a part of a path means by the kind of a definition.
pub(super) fn kind(part: &str) -> Option<portcullis_detect::Kind> {
    use portcullis_detect::Kind;
    match part {
        "tools" => Some(Kind::Tool),
        "prompts" => Some(Kind::Prompt),
        "resources" => Some(Kind::Resource),
        "templates" => Some(Kind::ResourceTemplate),
        "instructions" => Some(Kind::Instructions),
        _ => None,
    }
}

/// A part of a path or query with its percent signs undone; `None` if they are wrong.
pub(crate) fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'%' => {
                let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = rest.get(2..)?;
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok()
}

/// What was asked.
pub struct Asked {
    /// The method.
    pub method: Method,
    /// The path below the base.
    pub path: String,
    /// What follows the question mark.
    pub query: String,
    /// The body.
    pub body: Bytes,
    /// Who asks.
    pub who: Principal,
    pub(super) found: BTreeMap<&'static str, String>,
}

impl Asked {
    /// A request, before its route is known.
    pub fn new(method: Method, path: &str, query: &str, body: Bytes, who: Principal) -> Asked {
        let (path, query) = (path.to_owned(), query.to_owned());
        Asked { method, path, query, body, who, found: BTreeMap::new() }
    }

    /// A part of the path.
    pub(super) fn part(&self, name: &str) -> &str {
        self.found.get(name).map_or("", String::as_str)
    }

    /// The members of the body. A body that is left out has none.
    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        let text: &[u8] = if self.body.is_empty() { b"{}" } else { &self.body };
        serde_json::from_slice(text)
            .map_err(|error| Refused::bad(format!("The body is not as it should be: {error}")))
    }

    /// The members of the query, which may be none but those named.
    pub(super) fn query(&self, known: &[&'static str]) -> Result<BTreeMap<&'static str, String>, Refused> {
        let mut members = BTreeMap::new();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Some(key) = known.iter().find(|known| **known == key) else {
                return Err(Refused::bad(format!("The query may say: {}", known.join(", "))));
            };
            let value = decoded(&value.replace('+', " "));
            members.insert(*key, value.ok_or_else(|| Refused::bad("The query is not well written"))?);
        }
        Ok(members)
    }
}

/// What is answered.
pub enum Answer {
    /// Data, in the usual envelope.
    Data(serde_json::Value),
    /// A text of another type.
    Text(&'static str, Bytes),
    /// What happens, as it happens.
    Feed(Feed),
}

/// Why something is not answered.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// The status of the answer.
    pub status: StatusCode,
    /// What is wrong, and what to do.
    pub message: String,
}

impl Refused {
    fn new(status: StatusCode, message: impl Into<String>) -> Refused {
        Refused { status, message: message.into() }
    }

    pub(crate) fn bad(message: impl Into<String>) -> Refused {
        Refused::new(StatusCode::BAD_REQUEST, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Refused {
        Refused::new(StatusCode::NOT_FOUND, message)
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Refused {
        Refused::new(StatusCode::CONFLICT, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Refused {
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    pub(super) fn forbidden(needed: Role) -> Refused {
        Refused::new(StatusCode::FORBIDDEN, format!("This needs a token of the role {}", needed.as_str()))
    }

    pub(crate) fn method() -> Refused {
        Refused::new(StatusCode::METHOD_NOT_ALLOWED, "This path is not asked like that")
    }

    pub(crate) fn status(status: StatusCode, message: impl Into<String>) -> Refused {
        Refused::new(status, message)
    }
}

impl From<portcullis_store::StoreError> for Refused {
    fn from(error: portcullis_store::StoreError) -> Refused {
        use portcullis_store::StoreError;
        match error {
            StoreError::NoRecord { .. } => Refused::not_found(error.to_string()),
            StoreError::Conflict { .. } => Refused::conflict(error.to_string()),
            _ => Refused::internal(error.to_string()),
        }
    }
}

impl From<Undecided> for Refused {
    fn from(error: Undecided) -> Refused {
        match error {
            Undecided::NoServer | Undecided::NotNoted => Refused::not_found(error.to_string()),
            Undecided::Silent | Undecided::NothingToMark => Refused::bad(error.to_string()),
            Undecided::Refused(portcullis_decide::approval::Refusal::Unknown) => {
                Refused::not_found(error.to_string())
            }
            Undecided::Refused(_) | Undecided::TooMany => Refused::conflict(error.to_string()),
            Undecided::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_undone_once() {
        for (part, expected) in [
            ("a%2Fb", Some("a/b")),
            ("%2541", Some("%41")),
            ("%4", None),
            ("%zz", None),
            ("%ff", None),
            ("x", Some("x")),
        ] {
            assert_eq!(decoded(part).as_deref(), expected, "{part}");
        }
    }
}
