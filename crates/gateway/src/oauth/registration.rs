//! The client an authorization server registered for us, kept so that every sign-in is by the same one.

use http::Uri;
use portcullis_store::Vault;
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::SignInError;
use super::grant::{self, Client};
use super::web::Web;

/// A client, and the address it was registered to come back to.
#[derive(Deserialize, Serialize)]
pub(super) struct Registration {
    /// The version of this file.
    version: u32,
    issuer: String,
    redirect: String,
    client: Client,
}

/// Where the registration for one server is kept.
pub(super) struct Register<'a> {
    pub(super) vault: &'a Vault,
    pub(super) name: String,
}

impl Register<'_> {
    /// What was kept, if it was this issuer that registered it.
    pub(super) fn kept(&self, issuer: &str) -> Option<Registration> {
        let text = match self.vault.read(&self.name) {
            Ok(text) => text?,
            Err(error) => {
                warn!(%error, "a kept registration cannot be read");
                return None;
            }
        };
        let kept: Registration = serde_json::from_str(&text).ok()?;
        (kept.version == 1 && kept.issuer == issuer).then_some(kept)
    }

    /// The client for this address: the one that was kept for it, else a new one, which is kept.
    pub(super) async fn client(
        &self,
        web: &Web,
        endpoint: &Uri,
        issuer: &str,
        redirect: &str,
    ) -> Result<Client, SignInError> {
        if let Some(kept) = self.kept(issuer).filter(|kept| kept.redirect == redirect) {
            return Ok(kept.client);
        }
        let client = grant::registered(web, endpoint, redirect).await?;
        let (issuer, redirect) = (issuer.to_owned(), redirect.to_owned());
        let kept = Registration { version: 1, issuer, redirect, client };
        // A struct of texts always has a text.
        let text = serde_json::to_string(&kept).unwrap_or_default();
        self.vault.write(&self.name, &text).map_err(|error| SignInError::Local(error.to_string()))?;
        Ok(kept.client)
    }

    /// Signing in failed. The server may have forgotten the client, which it tells the browser and not us: the next
    /// sign-in is by a new one.
    pub(super) fn forget(&self) {
        if let Err(error) = self.vault.remove(&self.name) {
            warn!(%error, "a kept registration cannot be removed");
        }
    }
}

impl Registration {
    /// The port to come back to.
    pub(super) fn port(&self) -> Option<u16> {
        self.redirect.parse::<Uri>().ok()?.port_u16()
    }
}
