//! The few requests signing in needs: documents fetched, forms and documents posted.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderValue, Method, StatusCode, Uri};
use serde_json::Value;

use super::SignInError;
use crate::settings::{Credential, Remote};
use crate::upstream::{Ask, Pool, Reach, Unreached, path, refused};

/// Documents of authorization servers are small.
const MOST_BYTES: u32 = 1 << 20;

/// How long such a server may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The way to authorization servers: the same authorities and proxy as to the server they protect.
pub(super) struct Web {
    model: Remote,
}

/// An answer: its status, and its JSON or null.
pub(super) type Answer = (StatusCode, Value);

impl Web {
    pub(super) fn like(remote: &Remote) -> Web {
        let model = Remote { headers: Vec::new(), credential: Credential::None, ..remote.clone() };
        Web { model }
    }

    /// Refuses an address that leads further inside than the server that named it.
    pub(super) fn check(&self, url: &Uri) -> Result<(), SignInError> {
        let addresses = self.model.addresses.beyond(&self.model.url, url);
        addresses.check(url).map_err(SignInError::Address)
    }

    pub(super) async fn get(&self, url: &Uri) -> Result<Answer, SignInError> {
        self.send(Method::GET, url, None, Bytes::new()).await
    }

    pub(super) async fn post_json(&self, url: &Uri, document: &Value) -> Result<Answer, SignInError> {
        let body = Bytes::from(document.to_string());
        self.send(Method::POST, url, Some(("application/json", None)), body).await
    }

    /// `authorization` is for clients that show their secret in a header.
    pub(super) async fn post_form(
        &self,
        url: &Uri,
        fields: &[(&str, &str)],
        authorization: Option<HeaderValue>,
    ) -> Result<Answer, SignInError> {
        let body = Bytes::from(super::text::form(fields));
        self.send(Method::POST, url, Some(("application/x-www-form-urlencoded", authorization)), body).await
    }

    async fn send(
        &self,
        method: Method,
        url: &Uri,
        content: Option<(&'static str, Option<HeaderValue>)>,
        body: Bytes,
    ) -> Result<Answer, SignInError> {
        let unreached =
            || SignInError::Unreached(url.authority().map(ToString::to_string).unwrap_or_default());
        self.check(url)?;
        let addresses = self.model.addresses.beyond(&self.model.url, url);
        let remote = Remote { url: url.clone(), addresses, ..self.model.clone() };
        let reach = Reach::new(&remote, PATIENCE).map_err(|_| unreached())?;
        let target = if reach.is_read_by_proxy() { url.to_string() } else { path(url) };
        let host = url.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
        let mut ask = Ask::new(&method, &target);
        ask.put(&HOST, &host.ok_or_else(unreached)?);
        ask.put(&ACCEPT, &HeaderValue::from_static("application/json"));
        let ask = match content {
            None => ask.without(),
            Some((kind, authorization)) => {
                ask.put(&CONTENT_TYPE, &HeaderValue::from_static(kind));
                authorization.iter().for_each(|value| ask.put(&AUTHORIZATION, value));
                ask.with(body)
            }
        };
        let exchange = async {
            let mut exchange = Arc::new(Pool::new(reach)).send(ask).await.map_err(|error| match error {
                Unreached::Connect(error) => refused(&error).map_or_else(unreached, SignInError::Address),
                Unreached::Broken(_) => unreached(),
            })?;
            let body = exchange.whole(MOST_BYTES).await.map_err(|_| unreached())?.unwrap_or_default();
            Ok((exchange.status, serde_json::from_slice(&body).unwrap_or_default()))
        };
        tokio::time::timeout(PATIENCE, exchange).await.map_err(|_| unreached())?
    }
}
