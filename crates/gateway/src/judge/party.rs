//! Who calls, and in which flow: the connections of one client may share one.

use std::sync::Arc;

use super::flows::FlowKey;
use crate::settings::ROUTER;
use crate::upstream::link::Caller;
use crate::wire::{Field, Message};

/// Who calls, and in which flow.
#[derive(Clone, Debug)]
pub(crate) struct Party {
    /// The name of the session in records; empty where there is none.
    pub(crate) session: Arc<str>,
    pub(crate) flow: FlowKey,
    /// When the flow began at the earliest, in milliseconds since 1970; 0 if nobody can tell.
    pub(crate) began_ms: u64,
    /// Whose habits it shows.
    pub(crate) agent: Arc<str>,
    /// What the client calls itself, to servers too; empty if it does not.
    pub(crate) client: Arc<str>,
    pub(crate) user: User,
}

/// The most of a client's name that is kept.
const LONGEST_NAME: usize = 64;

/// How the user behind an agent can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// They cannot, or were already.
    Unasked,
    /// In the client's session.
    InSession(Caller),
    /// By a result that asks for input.
    ByResult,
}

/// Whether a client that says so can show its user a form. An empty word means forms, as the revisions have it.
pub(crate) fn shows_forms(capabilities: &serde_json::Value) -> bool {
    let Some(can) = capabilities["elicitation"].as_object() else { return false };
    can.is_empty() || can.contains_key("form")
}

/// Who calls, by its credential or by the way it came in.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) name: Box<str>,
    /// Which client it is, where that can be told: one that is connected to several servers, each by itself, is one
    /// agent, and what it reads here it may send there.
    pub(crate) client: Option<FlowKey>,
}

impl Who {
    /// Somebody of whom nothing tells which of its connections belong together.
    pub(crate) fn named(name: &str) -> Who {
        Who { name: name.into(), client: None }
    }

    /// A client that is known by something it has alone: a token, or a process.
    pub(crate) fn known(name: &str, by: &str, what: &[u8]) -> Who {
        Who { name: name.into(), client: Some(FlowKey::of(&[by.as_bytes(), what])) }
    }

    /// The flow all its connections to single servers share. Where one connection has all servers, that is the flow.
    pub(crate) fn flow(&self, route: &str) -> Option<FlowKey> {
        self.client.filter(|_| !route.is_empty() && route != ROUTER)
    }

    /// Its name in habits and reviews: who calls, and where.
    pub(crate) fn agent(&self, route: &str) -> Box<str> {
        let route = if route.is_empty() { "all" } else { route };
        format!("{}@{route}", self.name).into()
    }
}

impl Party {
    /// Somebody without a session: a client, or an agent on a route, and the trace it says the request belongs to.
    pub(crate) fn without_session(who: &Who, route: &str, message: &Message) -> Party {
        let agent = who.agent(route);
        let trace = trace(message).unwrap_or_default();
        let flow = match who.flow(route) {
            Some(client) => FlowKey::of(&[&client.0.to_le_bytes(), trace.as_bytes()]),
            None => FlowKey::of(&[agent.as_bytes(), trace.as_bytes()]),
        };
        let can = message.value(Field::MetaClientCapabilities).unwrap_or_default();
        let user = if shows_forms(&can) { User::ByResult } else { User::Unasked };
        let client = client_name(&message.value(Field::MetaClientInfo).unwrap_or_default());
        Party { session: Arc::default(), flow, began_ms: 0, agent: agent.into(), client, user }
    }

    /// Who is shown what a server declares, as far as the server and we can tell: which client of whom.
    pub(crate) fn audience(&self) -> Box<str> {
        let name: String = self.client.chars().take(LONGEST_NAME).collect();
        format!("{name} of {}", self.agent).into()
    }
}

/// What a client calls itself.
pub(crate) fn client_name(info: &serde_json::Value) -> Arc<str> {
    info["name"].as_str().unwrap_or_default().into()
}

/// The trace id in `_meta`, as W3C trace context writes it: version, id, parent, flags.
fn trace(message: &Message) -> Option<String> {
    let meta = message.raw(Field::Meta)?;
    memchr::memmem::find(meta, b"\"traceparent\"")?;
    let value = message.value(Field::Meta)?;
    let mut parts = value["traceparent"].as_str()?.split('-');
    parts.nth(1).filter(|id| id.len() == 32).map(str::to_owned)
}
