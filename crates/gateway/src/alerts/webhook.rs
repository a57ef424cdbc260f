//! Where alerts are posted: signed, to an address that was checked, and never further than that.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT};
use http::{Method, StatusCode, Uri};
use sha2::Sha256;

use crate::GatewayError;
use crate::settings::{Addresses, Credential, Network, Remote};
use crate::upstream::{Ask, Pool, Reach, Unreached, always, path, refused};

/// When it was sent, in seconds since 1970; part of what is signed, so that nobody can send it again later.
const TIMESTAMP: HeaderName = HeaderName::from_static("portcullis-timestamp");
/// The HMAC-SHA256 of the timestamp, a full stop and the body.
const SIGNATURE: HeaderName = HeaderName::from_static("portcullis-signature");
/// Which alert it is; the same in every attempt.
const ID: HeaderName = HeaderName::from_static("portcullis-alert");

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most that is read of its answer.
const MOST_OF_ANSWER: u32 = 64 << 10;

/// Where alerts are posted.
#[derive(Clone)]
pub struct Webhook {
    remote: Remote,
    pool: Arc<Pool>,
    secret: Option<Arc<str>>,
}

/// What a receiver answered.
pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

/// Why an alert did not arrive.
pub(super) struct Unposted {
    pub(super) why: String,
    /// Whether another attempt may go better.
    pub(super) is_passing: bool,
}

impl Webhook {
    /// A receiver at this address. It leads nowhere inside but where `networks` says; `secret` signs what is posted.
    pub fn new(
        url: Uri,
        secret: Option<&str>,
        networks: Arc<[Network]>,
        authorities: Option<PathBuf>,
    ) -> Result<Webhook, GatewayError> {
        let (headers, credential, proxy) = (Vec::new(), Credential::None, None);
        let remote =
            Remote { url, headers, credential, authorities, proxy, addresses: Addresses::named(networks) };
        let pool = Arc::new(Pool::new(Reach::new(&remote, PATIENCE)?));
        Ok(Webhook { remote, pool, secret: secret.map(Arc::from) })
    }

    /// Posts once.
    pub(super) async fn post(&self, id: &str, body: &Bytes) -> Result<Answered, Unposted> {
        let passing = |why: &str| Unposted { why: why.to_owned(), is_passing: true };
        let request = self.request(id, body).ok_or_else(|| passing("its address makes no request"))?;
        let exchange = async {
            let mut exchange = self.pool.send(request).await.map_err(|error| match error {
                Unreached::Connect(error) => match refused(&error) {
                    Some(refused) => Unposted { why: refused.to_string(), is_passing: false },
                    None => Unposted { why: format!("it cannot be reached: {error}"), is_passing: true },
                },
                Unreached::Broken(error) => passing(&format!("the connection broke: {error}")),
            })?;
            let body = exchange.whole(MOST_OF_ANSWER).await.ok().flatten().unwrap_or_default();
            Ok(Answered { status: exchange.status, body })
        };
        let late = |_| passing("it did not answer in time");
        tokio::time::timeout(PATIENCE, exchange).await.map_err(late)?
    }

    fn request(&self, id: &str, body: &Bytes) -> Option<Ask> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().to_string();
        let mut ask = Ask::new(&Method::POST, &path(&self.remote.url));
        always(&self.remote, false).iter().for_each(|(name, value)| ask.put(name, value));
        ask.put(&CONTENT_TYPE, &HeaderValue::from_static("application/json"));
        ask.put(&USER_AGENT, &HeaderValue::from_static(concat!("portcullis/", env!("CARGO_PKG_VERSION"))));
        ask.put(&ID, &id.parse().ok()?);
        if let Some(secret) = &self.secret {
            ask.put(&SIGNATURE, &signature(secret, &now, body)?.parse().ok()?);
        }
        ask.put(&TIMESTAMP, &now.parse().ok()?);
        Some(ask.with(body.clone()))
    }
}

/// What a receiver compares.
fn signature(secret: &str, timestamp: &str, body: &[u8]) -> Option<String> {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(format!("sha256={}", HEXLOWER.encode(&mac.finalize().into_bytes())))
}

impl Answered {
    /// Whether it was taken; why not, if it was not. A redirect is not followed: it would lead where nobody looked.
    pub(super) fn taken(&self) -> Result<(), Unposted> {
        if self.status.is_success() {
            return Ok(());
        }
        let is_passing = self.status.is_server_error()
            || matches!(self.status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
        let hint = if self.status.is_redirection() { ", a redirect, which is not followed" } else { "" };
        Err(Unposted { why: format!("it answered {}{hint}", self.status.as_u16()), is_passing })
    }
}

impl fmt::Debug for Webhook {
    /// The address often is a secret itself, and the other one always is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("is_signed", &self.secret.is_some()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is expected was made with `openssl dgst -sha256 -hmac`.
    #[test]
    fn the_signature_is_the_usual_one() {
        let expected = "sha256=52473df5e868f8424cc9c503e6ca6a2de8fda52b356b166d974f8cf482104e77";
        assert_eq!(signature("swordfish-swordfish", "1700000000", b"{}").as_deref(), Some(expected));
    }
}
