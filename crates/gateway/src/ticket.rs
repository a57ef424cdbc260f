//! What a session id holds: everything a node needs to serve the session, sealed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use http::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::judge::flows::FlowKey;
use crate::judge::{Party, User, client_name, shows_forms};
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
    /// Whose it is: who opened it, and where.
    #[serde(rename = "a", default)]
    pub(crate) agent: Box<str>,
    /// The flow it shares with other sessions of the same client.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(crate) flow: Option<FlowKey>,
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
    /// Who calls in it, once that was asked: the same for every request.
    #[serde(skip)]
    pub(crate) party: OnceLock<Party>,
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
        FlowKey(self.id).label()
    }

    /// Who calls in it.
    pub(crate) fn party(&self) -> &Party {
        self.party.get_or_init(|| self.new_party())
    }

    fn new_party(&self) -> Party {
        let user = if shows_forms(&self.capabilities) { User::InSession(self.id) } else { User::Unasked };
        let flow = self.flow.unwrap_or(FlowKey(self.id));
        let began_ms = if self.flow.is_some() { 0 } else { self.opened.saturating_mul(1000) };
        let (agent, client) = (Arc::from(&*self.agent), client_name(&self.client));
        Party { session: self.label().into(), flow, began_ms, agent, client, user }
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

/// The ticket a connection showed last. A client shows the same one with every request, and opening it anew would
/// cost more than reading the request.
#[derive(Default)]
pub(crate) struct Shown(Mutex<Option<(Box<str>, Arc<Ticket>)>>);

impl Shown {
    /// The ticket a text holds. Whether its session goes on is another question.
    pub(crate) fn open(&self, seal: &Seal, text: &str) -> Option<Arc<Ticket>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, ticket)) = &*last
            && **known == *text
        {
            return Some(Arc::clone(ticket));
        }
        let ticket = Arc::new(Ticket::open(seal, text)?);
        *last = Some((text.into(), Arc::clone(&ticket)));
        Some(ticket)
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
            agent: "agent@a".into(),
            flow: Some(FlowKey(u128::MAX)),
            version: "2025-06-18".into(),
            opened: 7,
            capabilities: serde_json::json!({"sampling": {}}),
            client: Value::Null,
            means: means.clone(),
            party: OnceLock::new(),
        };
        let sealed = ticket.sealed(&seal).unwrap();
        let opened = Ticket::open(&seal, sealed.to_str().unwrap()).unwrap();
        assert_eq!((opened.id, opened.means), (ticket.id, means));
        assert_eq!(opened.flow, ticket.flow);
        assert!(opened.capabilities.get("sampling").is_some() && !ticket.can("roots/list"));
        assert_eq!(ticket.label(), "pppppppppppppppp");
        assert_eq!(Ticket { id: 0x0123_4567_89ab_cdef << 64, ..ticket }.label(), "abcdefghijklmnop");
        assert!(Ticket::open(&seal, "nonsense").is_none());
    }

    #[test]
    fn only_the_very_ticket_that_was_shown_is_remembered() {
        let seal = Seal::new(&[5; 32]);
        let sealed = |id: u128| {
            let ticket = serde_json::json!({ "i": id, "r": "a", "v": "2025-06-18", "t": 7, "s": {} });
            seal.seal(Purpose::Session, ticket.to_string().as_bytes()).unwrap()
        };
        let (first, second, shown) = (sealed(1), sealed(2), Shown::default());
        let opened = shown.open(&seal, &first).unwrap();
        assert!(Arc::ptr_eq(&opened, &shown.open(&seal, &first).unwrap()));
        assert!(shown.open(&seal, &first[1..]).is_none());
        assert_eq!(shown.open(&seal, &second).map(|ticket| ticket.id), Some(2));
        assert_eq!(shown.open(&seal, &first).map(|ticket| ticket.id), Some(1));
    }
}
