//! Signing in to a server that is scanned: only where somebody named its address, and only if it asks.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::HeaderValue;
use portcullis_gateway::oauth::{OAuth, SignIn};
use portcullis_gateway::settings::{Credential, Remote, Tokens};
use portcullis_store::Vault;

use crate::serve::sign_in;

/// How long somebody may take in the browser, beside what the server takes.
pub(super) const SIGN_IN: Duration = Duration::from_secs(300);

/// Tokens of a server, and why there were none at last.
#[derive(Clone)]
pub(super) struct Entry {
    tokens: Arc<OAuth>,
    why: Arc<Mutex<Option<String>>>,
}

impl Entry {
    /// Lets somebody sign in to this server when it asks; what that brings is kept where a gateway keeps it.
    pub(super) fn open(name: &str, remote: &mut Remote, data: &Path) -> Entry {
        let sign_in = SignIn { is_on_demand: true, ..SignIn::default() };
        let opener = sign_in::opener(name.to_owned());
        let tokens = OAuth::new(remote, sign_in, Vault::of_tokens(data), opener);
        let entry = Entry { tokens: Arc::new(tokens), why: Arc::default() };
        remote.credential = Credential::Renewed(Arc::new(entry.clone()));
        entry
    }

    /// Why nobody is signed in, if somebody tried.
    pub(super) fn trouble(&self) -> Option<String> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Tokens for Entry {
    fn authorization<'a>(
        &'a self,
        refused: Option<&'a HeaderValue>,
    ) -> Pin<Box<dyn Future<Output = Result<Option<HeaderValue>, String>> + Send + 'a>> {
        Box::pin(async move {
            let outcome = self.tokens.authorization(refused).await;
            *self.why.lock().unwrap_or_else(PoisonError::into_inner) = outcome.as_ref().err().cloned();
            outcome
        })
    }
}
