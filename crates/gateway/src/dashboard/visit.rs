//! One look of somebody who is signed in: everything they see is asked of the API, in their name.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use portcullis_dashboard::overview::Status;
use portcullis_dashboard::{Rights, Theme, Viewer};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::signing;
use crate::api::{self, Answer, Asked, Principal, Refused, Role};
use crate::gate::Gate;
use crate::quarantine::now_ms;

/// Who looks, and at what gateway.
pub(super) struct Visit {
    pub(super) gate: Arc<Gate>,
    pub(super) who: Principal,
    /// The id of what the browser shows, by which it is signed out.
    pub(super) id: String,
    cookie: String,
    theme: Theme,
}

impl Visit {
    pub(super) fn new(gate: &Arc<Gate>, (who, id): (Principal, String), cookie: &str, theme: Theme) -> Visit {
        Visit { gate: Arc::clone(gate), who, id, cookie: cookie.to_owned(), theme }
    }

    /// Whether a change carries what only a page of ours knows.
    pub(super) fn is_meant(&self, shown: &str) -> bool {
        shown == signing::csrf(&self.cookie)
    }

    pub(super) fn may(&self, role: Role) -> bool {
        self.who.role.may(role)
    }

    /// Asks the API for something.
    pub(super) async fn get<T: DeserializeOwned + Default>(&self, path: &str) -> Result<T, Refused> {
        Ok(read(self.ask(Method::GET, path, &Value::Null).await?))
    }

    /// Asks the API to change something.
    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, Refused> {
        self.ask(Method::POST, path, body).await
    }

    pub(super) async fn ask(&self, method: Method, path: &str, body: &Value) -> Result<Value, Refused> {
        match self.answer(method, path, body).await? {
            Answer::Data(value) => Ok(value),
            Answer::Text(..) | Answer::Feed(_) => Err(Refused::internal("The API answers in another form")),
        }
    }

    pub(super) async fn answer(&self, method: Method, path: &str, body: &Value) -> Result<Answer, Refused> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        api::answer(&self.gate, Asked::new(method, path, query, body, self.who.clone())).await
    }

    /// What every page knows of who looks, and how the gateway is.
    pub(super) async fn viewer(&self) -> Result<(Viewer, Status), Refused> {
        let status: Status = self.get("/status").await?;
        let rights = Rights {
            reads_activity: self.may(Role::Auditor),
            decides: self.may(Role::Operator),
            administers: self.may(Role::Admin),
        };
        let viewer = Viewer {
            name: self.who.name.to_string(),
            role: self.who.role.as_str(),
            rights,
            csrf: signing::csrf(&self.cookie),
            theme: self.theme,
            to_review: status.definitions.held,
            to_decide: status.guard.waiting,
            is_stopped: status.guard.stopped,
            now_ms: now_ms(),
        };
        Ok((viewer, status))
    }
}

/// What the API answered, as a page takes it. INVARIANT: every member may be missing, and the API keeps its types.
pub(super) fn read<T: DeserializeOwned + Default>(value: Value) -> T {
    serde_json::from_value(value).unwrap_or_default()
}
