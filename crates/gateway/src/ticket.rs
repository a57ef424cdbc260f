//! What a session id holds: everything a node needs to serve the session, sealed.

use std::collections::BTreeMap;

use http::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::seal::{Purpose, Seal};
use crate::settings::ROUTER;
use crate::upstream::http::Session;
use crate::upstream::link::Caller;
use crate::version;

/// A session of the revisions with `initialize`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ticket {
    /// Which session it is.
    #[serde(rename = "i")]
    pub(crate) id: Caller,
    /// The path it was opened on.
    #[serde(rename = "r")]
    pub(crate) route: String,
    /// The revision that was agreed on.
    #[serde(rename = "v")]
    pub(crate) version: String,
    /// When it was opened, in seconds since 1970.
    #[serde(rename = "t")]
    pub(crate) opened: u64,
    /// What the client can do.
    #[serde(rename = "c", default, skip_serializing_if = "Value::is_null")]
    pub(crate) capabilities: Value,
    /// Who the client says it is.
    #[serde(rename = "n", default, skip_serializing_if = "Value::is_null")]
    pub(crate) client: Value,
    /// How each server is spoken to.
    #[serde(rename = "s")]
    pub(crate) means: BTreeMap<String, Means>,
}

/// How a server is spoken to within a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Means {
    /// In a session that the client has with the server, through us.
    #[serde(rename = "o")]
    Own(Option<String>),
    /// In the conversation that all sessions share.
    #[serde(rename = "s")]
    Shared,
    /// Without sessions: each request stands alone.
    #[serde(rename = "m")]
    Modern,
}

impl Ticket {
    pub(crate) fn sealed(&self, seal: &Seal) -> Option<HeaderValue> {
        let text = seal.seal(Purpose::Session, &serde_json::to_vec(self).ok()?)?;
        HeaderValue::from_str(&text).ok()
    }

    pub(crate) fn open(seal: &Seal, text: &str) -> Option<Ticket> {
        serde_json::from_slice(&seal.open(Purpose::Session, text)?).ok()
    }

    /// Whether the session is one of the search for tools.
    pub(crate) fn is_router(&self) -> bool {
        self.route == ROUTER
    }

    /// Whether the session has several servers behind it.
    pub(crate) fn is_of_all(&self) -> bool {
        self.route.is_empty() || self.is_router()
    }

    /// The name of the session in records.
    pub(crate) fn label(&self) -> String {
        format!("{:016x}", self.id >> 64)
    }

    /// The session the client has with a server, as that server's headers.
    pub(crate) fn session(&self, id: Option<&str>) -> Session {
        Session {
            id: id.and_then(|id| HeaderValue::from_str(id).ok()),
            version: version::legacy(&self.version).map(HeaderValue::from_static),
        }
    }

    /// Whether the client can do what a server's request asks for.
    pub(crate) fn can(&self, method: &str) -> bool {
        match method {
            "sampling/createMessage" => self.capabilities.get("sampling").is_some(),
            "elicitation/create" => self.capabilities.get("elicitation").is_some(),
            "roots/list" => self.capabilities.get("roots").is_some(),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_survives_its_seal() {
        let seal = Seal::new(&[5; 32]);
        let means =
            BTreeMap::from([("a".to_owned(), Means::Own(Some("x".into()))), ("b".to_owned(), Means::Shared)]);
        let ticket = Ticket {
            id: u128::MAX - 1,
            route: "a".into(),
            version: "2025-06-18".into(),
            opened: 7,
            capabilities: serde_json::json!({"sampling": {}}),
            client: Value::Null,
            means: means.clone(),
        };
        let sealed = ticket.sealed(&seal).unwrap();
        let opened = Ticket::open(&seal, sealed.to_str().unwrap()).unwrap();
        assert_eq!((opened.id, opened.means), (ticket.id, means));
        assert!(opened.capabilities.get("sampling").is_some() && !ticket.can("roots/list"));
        assert!(Ticket::open(&seal, "nonsense").is_none());
    }
}
