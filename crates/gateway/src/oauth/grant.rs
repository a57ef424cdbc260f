//! What signing in brought: tokens, and what is needed to renew them. Kept in a file only its owner may read.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::BASE64;
use http::{HeaderValue, StatusCode, Uri};
use serde::{Deserialize, Serialize};

use super::SignInError;
use super::text::encoded;
use super::web::Web;

/// A token is renewed this long before it runs out, so that none runs out on the way.
const MARGIN_SECONDS: u64 = 30;

/// A client as an authorization server knows it.
#[derive(Clone, Default, Deserialize, Serialize)]
pub(super) struct Client {
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
    /// Whether the secret goes into the form instead of a header.
    #[serde(default)]
    pub(super) is_in_form: bool,
}

/// What is kept.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Grant {
    /// The version of this file.
    version: u32,
    resource: String,
    issuer: String,
    token_endpoint: String,
    client: Client,
    access_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// Seconds since 1970; absent if the server did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(default)]
    pub(super) scope: String,
}

/// Where tokens come from, and for what.
pub(super) struct Source<'a> {
    pub(super) resource: &'a str,
    pub(super) issuer: &'a str,
    pub(super) token: &'a Uri,
    pub(super) client: &'a Client,
}

impl Grant {
    /// A kept grant, if it is one and for this server.
    pub(super) fn read(text: &str, resource: &str) -> Option<Grant> {
        let grant: Grant = serde_json::from_str(text).ok()?;
        (grant.version == 1 && grant.resource == resource).then_some(grant)
    }

    pub(super) fn text(&self) -> String {
        // A struct of texts and numbers always has a text.
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(super) fn is_fresh(&self) -> bool {
        self.expires_at.is_none_or(|expires| expires > now() + MARGIN_SECONDS)
    }

    pub(super) fn can_be_renewed(&self) -> bool {
        self.refresh_token.is_some()
    }

    pub(super) fn header(&self) -> Result<HeaderValue, SignInError> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.access_token))
            .map_err(|_| SignInError::NoToken)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Trades a code for tokens.
    pub(super) async fn of_code(
        web: &Web,
        source: &Source<'_>,
        code: &str,
        verifier: &str,
        redirect: &str,
    ) -> Result<Grant, SignInError> {
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("code_verifier", verifier),
            ("redirect_uri", redirect),
        ];
        request(web, source, &fields, None).await
    }

    /// A fresh grant for a stale one.
    pub(super) async fn renewed(&self, web: &Web) -> Result<Grant, SignInError> {
        let refresh = self.refresh_token.as_deref().ok_or(SignInError::NoToken)?;
        let token = self.token_endpoint.parse().map_err(|_| SignInError::NoToken)?;
        let source =
            Source { resource: &self.resource, issuer: &self.issuer, token: &token, client: &self.client };
        request(web, &source, &[("grant_type", "refresh_token"), ("refresh_token", refresh)], Some(self))
            .await
    }
}

/// Asks for tokens. What the answer leaves out stays as it was in the grant before.
async fn request(
    web: &Web,
    source: &Source<'_>,
    fields: &[(&str, &str)],
    before: Option<&Grant>,
) -> Result<Grant, SignInError> {
    let client = source.client;
    let mut fields = fields.to_vec();
    fields.push(("resource", source.resource));
    let mut authorization = None;
    match &client.secret {
        Some(secret) if !client.is_in_form => authorization = Some(basic(&client.id, secret)?),
        Some(secret) => {
            fields.extend([("client_id", client.id.as_str()), ("client_secret", secret.as_str())])
        }
        None => fields.push(("client_id", &client.id)),
    }
    let (status, answer) = web.post_form(source.token, &fields, authorization).await?;
    let is_bearer = answer["token_type"].as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"));
    let token = answer["access_token"].as_str().filter(|token| !token.is_empty());
    let (StatusCode::OK, true, Some(token)) = (status, is_bearer, token) else {
        return Err(SignInError::NoToken);
    };
    let text = |name: &str| answer[name].as_str().map(str::to_owned);
    Ok(Grant {
        version: 1,
        resource: source.resource.to_owned(),
        issuer: source.issuer.to_owned(),
        token_endpoint: source.token.to_string(),
        client: client.clone(),
        access_token: token.to_owned(),
        refresh_token: text("refresh_token").or_else(|| before?.refresh_token.clone()),
        expires_at: answer["expires_in"].as_u64().map(|seconds| now().saturating_add(seconds)),
        scope: text("scope").or_else(|| before.map(|before| before.scope.clone())).unwrap_or_default(),
    })
}

fn basic(id: &str, secret: &str) -> Result<HeaderValue, SignInError> {
    let pair = BASE64.encode(format!("{}:{}", encoded(id), encoded(secret)).as_bytes());
    let mut value = HeaderValue::from_str(&format!("Basic {pair}")).map_err(|_| SignInError::NoToken)?;
    value.set_sensitive(true);
    Ok(value)
}

/// How this client shows its secret: in a header unless the server wants it in the form.
pub(super) fn is_in_form(methods: &[String]) -> bool {
    let knows = |name: &str| methods.iter().any(|method| method == name);
    knows("client_secret_post") && !knows("client_secret_basic")
}

/// Registers a client (RFC 7591) that comes back to this address and has no secret.
pub(super) async fn registered(web: &Web, endpoint: &Uri, redirect: &str) -> Result<Client, SignInError> {
    let document = serde_json::json!({
        "client_name": "Portcullis",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    });
    let (status, answer) = web.post_json(endpoint, &document).await?;
    let id = answer["client_id"].as_str().filter(|_| status.is_success()).ok_or(SignInError::NoClient)?;
    Ok(Client {
        id: id.to_owned(),
        secret: answer["client_secret"].as_str().map(str::to_owned),
        is_in_form: answer["token_endpoint_auth_method"] == "client_secret_post",
    })
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
