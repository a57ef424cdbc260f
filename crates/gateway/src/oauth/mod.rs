//! Signing in to servers by OAuth 2.1: discovery, PKCE, a callback on this machine, tokens that are renewed.
//!
//! The browser belongs to the operator; we only open an address in it. What signing in brings lies in a file that only
//! its owner may read, and is shown to no server but the one it is for.

mod callback;
mod discovery;
mod grant;
mod registration;
mod text;
mod web;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use http::HeaderValue;
use portcullis_store::Vault;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tracing::{info, warn};

use crate::settings::{Refused, Remote, Tokens};
use callback::Callback;
use grant::{Client, Grant, Source};
use registration::Register;
use web::Web;

/// How long a person may take in the browser.
const PATIENCE: Duration = Duration::from_secs(300);

/// How to sign in to one server.
#[derive(Clone, Default)]
pub struct SignIn {
    /// A client registered beforehand, or the address of its metadata document; without one we register ourselves.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<String>,
    /// What to ask for; empty for what the server names.
    pub scopes: Vec<String>,
    /// Where the browser comes back to; 0 for any free port.
    pub callback_port: u16,
    /// Nobody signs in before the server has refused a request.
    pub is_on_demand: bool,
}

impl std::fmt::Debug for SignIn {
    /// The secret is one.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

/// Shows an address to the person who is to sign in.
pub type Opener = Arc<dyn Fn(&str) + Send + Sync>;

/// Why nobody is signed in, in words for the operator.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// No connection, or no sense in what came.
    #[error("{0} cannot be reached to sign in")]
    Unreached(String),
    /// The metadata is about another server.
    #[error("the server's metadata is about another address: `url` and its `resource` must agree")]
    OtherResource,
    /// No authorization server is named or answers.
    #[error("no authorization server could be found for this server")]
    NoIssuer,
    /// An answer of somebody else.
    #[error("the answer came from another authorization server than the one that was asked")]
    OtherIssuer,
    /// Without it, codes can be stolen.
    #[error("the authorization server does not know PKCE with S256, which OAuth 2.1 needs")]
    NoPkce,
    /// An address a server named, and may not have.
    #[error("an address to sign in at is refused: {0}")]
    Address(Refused),
    /// Secrets would be readable on the way.
    #[error("an address to sign in at is not https")]
    Insecure,
    /// Nobody to sign in as.
    #[error("this client could not be registered: set `oauth.client_id`")]
    NoClient,
    /// The person or the server said no.
    #[error("signing in was refused: {0}")]
    Refused(String),
    /// The browser brought nothing.
    #[error("the browser came back without a code")]
    NoCode,
    /// The server gave no token.
    #[error("the authorization server gave no usable token")]
    NoToken,
    /// Nobody signed in.
    #[error("nobody signed in within five minutes")]
    Late,
    /// The callback's port is taken, or the file cannot be written.
    #[error("signing in needs {0}")]
    Local(String),
    /// No random numbers.
    #[error("the machine gives no random numbers")]
    Random,
}

/// The tokens of one server.
pub struct OAuth {
    inner: Arc<Inner>,
}

struct Inner {
    remote: Remote,
    /// The server's address as it is named to the authorization server (RFC 8707).
    resource: String,
    sign_in: SignIn,
    vault: Vault,
    open: Opener,
    web: Web,
    grant: Arc<Mutex<Option<Grant>>>,
}

impl OAuth {
    /// Tokens for this server, kept in this vault.
    pub fn new(remote: &Remote, sign_in: SignIn, vault: Vault, open: Opener) -> OAuth {
        let url = remote.url.to_string();
        let resource = url.split('#').next().unwrap_or_default().trim_end_matches('/').to_owned();
        let web = Web::like(remote);
        let inner =
            Inner { remote: remote.clone(), resource, sign_in, vault, open, web, grant: Arc::default() };
        OAuth { inner: Arc::new(inner) }
    }
}

impl Tokens for OAuth {
    fn authorization<'a>(
        &'a self,
        refused: Option<&'a HeaderValue>,
    ) -> Pin<Box<dyn Future<Output = Result<Option<HeaderValue>, String>> + Send + 'a>> {
        let (inner, refused) = (Arc::clone(&self.inner), refused.cloned());
        // A task of its own: who asked may lose patience, the person in the browser must not notice.
        let task = tokio::spawn(async move { inner.authorization(refused.as_ref()).await });
        Box::pin(async move {
            let ended = task.await.map_err(|_| "signing in broke off".to_owned())?;
            ended.map_err(|error| error.to_string())
        })
    }
}

impl Inner {
    /// One at a time: two calls need one sign-in.
    async fn authorization(&self, refused: Option<&HeaderValue>) -> Result<Option<HeaderValue>, SignInError> {
        let mut held = self.grant.lock().await;
        if held.is_none() {
            *held = self.kept();
        }
        let challenge = refused.map(|value| value.to_str().unwrap_or_default());
        let wants_more = challenge
            .and_then(|challenge| text::parameter(challenge, "error"))
            .is_some_and(|error| error == "insufficient_scope");
        if let Some(grant) = held.as_ref()
            && !wants_more
        {
            if refused.is_none() && grant.is_fresh() {
                return grant.header().map(Some);
            }
            if grant.can_be_renewed() {
                match grant.renewed(&self.web).await {
                    Ok(renewed) => return self.keep(&mut held, renewed).map(Some),
                    Err(error) => info!(%error, "a token could not be renewed; signing in again"),
                }
            }
        }
        if refused.is_none() && self.sign_in.is_on_demand {
            return Ok(None);
        }
        let before = held.as_ref().map(|grant| grant.scope.clone()).unwrap_or_default();
        let grant = self.signed_in(challenge, &before).await?;
        self.keep(&mut held, grant).map(Some)
    }

    fn name(&self) -> String {
        HEXLOWER.encode(&Sha256::digest(self.resource.as_bytes()))
    }

    fn kept(&self) -> Option<Grant> {
        match self.vault.read(&self.name()) {
            Ok(text) => Grant::read(&text?, &self.resource),
            Err(error) => {
                warn!(%error, "kept tokens cannot be read");
                None
            }
        }
    }

    fn keep(&self, held: &mut Option<Grant>, grant: Grant) -> Result<HeaderValue, SignInError> {
        let kept = self.vault.write(&self.name(), &grant.text());
        kept.map_err(|error| SignInError::Local(error.to_string()))?;
        let header = grant.header();
        *held = Some(grant);
        header
    }

    /// The whole way through the browser. `before` is what an earlier grant covered.
    async fn signed_in(&self, challenge: Option<&str>, before: &str) -> Result<Grant, SignInError> {
        let resource = discovery::resource(&self.web, &self.remote.url, challenge).await?;
        let issuer = discovery::issuer(&self.web, &resource.issuer, &self.remote.url).await?;
        let callback = self.callback(&issuer).await?;
        let client = self.client(&issuer, &callback.url()).await?;
        let scope = self.scope(challenge, before, &resource, &issuer);
        let grant = self.granted(&issuer, &client, &callback, &scope).await;
        if matches!(grant, Err(SignInError::Late | SignInError::NoToken)) {
            self.register().forget();
        }
        grant
    }

    /// Sends a person to the browser and trades what it brings back.
    async fn granted(
        &self,
        issuer: &discovery::Issuer,
        client: &Client,
        callback: &Callback,
        scope: &str,
    ) -> Result<Grant, SignInError> {
        let redirect = callback.url();
        let (verifier, state) = (text::random_word()?, text::random_word()?);
        let pkce = text::challenge(&verifier);
        let mut fields = vec![
            ("response_type", "code"),
            ("client_id", &client.id),
            ("redirect_uri", &redirect),
            ("code_challenge", &pkce),
            ("code_challenge_method", "S256"),
            ("state", &state),
            ("resource", &self.resource),
        ];
        if !scope.is_empty() {
            fields.push(("scope", scope));
        }
        let joint = if issuer.authorization.query().is_some() { '&' } else { '?' };
        (self.open)(&format!("{}{joint}{}", issuer.authorization, text::form(&fields)));
        let returned = tokio::time::timeout(PATIENCE, callback.wait(&state)).await;
        let code = returned.map_err(|_| SignInError::Late)??.code(&issuer.name, issuer.names_itself)?;
        let source = Source { resource: &self.resource, issuer: &issuer.name, token: &issuer.token, client };
        Grant::of_code(&self.web, &source, &code, &verifier, &redirect).await
    }

    async fn client(&self, issuer: &discovery::Issuer, redirect: &str) -> Result<Client, SignInError> {
        if let Some(id) = &self.sign_in.client_id {
            let is_in_form = grant::is_in_form(&issuer.methods);
            return Ok(Client { id: id.clone(), secret: self.sign_in.client_secret.clone(), is_in_form });
        }
        let endpoint = issuer.registration.as_ref().ok_or(SignInError::NoClient)?;
        self.register().client(&self.web, endpoint, &issuer.name, redirect).await
    }

    fn register(&self) -> Register<'_> {
        Register { vault: &self.vault, name: format!("{}-client", self.name()) }
    }

    /// Where the browser comes back to: the port the operator chose, else the one a kept client was registered with,
    /// else any.
    async fn callback(&self, issuer: &discovery::Issuer) -> Result<Callback, SignInError> {
        let taken = |error| SignInError::Local(format!("its callback port: {error}"));
        let chosen = self.sign_in.callback_port;
        if chosen == 0
            && let Some(port) = self.register().kept(&issuer.name).and_then(|kept| kept.port())
            && let Ok(callback) = Callback::open(port).await
        {
            return Ok(callback);
        }
        Callback::open(chosen).await.map_err(taken)
    }

    /// What to ask for: what the operator says, else what the server asks for beside what we had, else all it knows.
    fn scope(
        &self,
        challenge: Option<&str>,
        before: &str,
        resource: &discovery::Resource,
        issuer: &discovery::Issuer,
    ) -> String {
        let asked = challenge.and_then(|challenge| text::parameter(challenge, "scope"));
        let mut scopes: Vec<String> = match (&self.sign_in.scopes, asked) {
            (configured, _) if !configured.is_empty() => configured.clone(),
            (_, Some(asked)) => asked.split(' ').chain(before.split(' ')).map(str::to_owned).collect(),
            (_, None) => resource.scopes.clone(),
        };
        // Without it some servers give nothing to renew with.
        let offline = "offline_access".to_owned();
        if issuer.scopes.contains(&offline) {
            scopes.push(offline);
        }
        let mut seen = std::collections::BTreeSet::new();
        scopes.retain(|scope| !scope.is_empty() && seen.insert(scope.clone()));
        scopes.join(" ")
    }
}
