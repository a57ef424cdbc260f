//! Finding who may let us in: the server's own metadata (RFC 9728), then that of its authorization server (RFC 8414).

use http::{StatusCode, Uri};
use serde_json::Value;

use super::SignInError;
use super::text::parameter;
use super::web::Web;

/// What a protected server says of itself.
pub(super) struct Resource {
    pub(super) issuer: String,
    pub(super) scopes: Vec<String>,
}

/// What an authorization server says of itself.
pub(super) struct Issuer {
    pub(super) name: String,
    pub(super) authorization: Uri,
    pub(super) token: Uri,
    pub(super) registration: Option<Uri>,
    pub(super) scopes: Vec<String>,
    /// How clients may show their secret.
    pub(super) methods: Vec<String>,
    /// Whether it promises to name itself when it sends a user back (RFC 9207).
    pub(super) names_itself: bool,
}

/// Asks the server who protects it. One that says nothing protects itself, as the first revision had it.
pub(super) async fn resource(web: &Web, url: &Uri, challenge: Option<&str>) -> Result<Resource, SignInError> {
    let named = challenge.and_then(|challenge| parameter(challenge, "resource_metadata"));
    let places = match named {
        Some(named) => vec![address(&named, url)?],
        None => well_known(url, "oauth-protected-resource")?,
    };
    for place in &places {
        let (status, document) = web.get(place).await?;
        if status != StatusCode::OK || !document.is_object() {
            continue;
        }
        if !is_about(document["resource"].as_str().unwrap_or_default(), url) {
            return Err(SignInError::OtherResource);
        }
        let issuer = document["authorization_servers"][0].as_str().ok_or(SignInError::NoIssuer)?;
        return Ok(Resource { issuer: issuer.to_owned(), scopes: texts(&document["scopes_supported"]) });
    }
    Ok(Resource { issuer: origin(url), scopes: Vec::new() })
}

/// Asks the authorization server how to sign in; it must be the one it says it is, and know PKCE.
pub(super) async fn issuer(web: &Web, name: &str, resource: &Uri) -> Result<Issuer, SignInError> {
    let url = address(name, resource)?;
    let mut places = well_known(&url, "oauth-authorization-server")?.into_iter().take(1).collect::<Vec<_>>();
    places.extend(well_known(&url, "openid-configuration")?.into_iter().take(1));
    if url.path() != "/" {
        let appended = format!("{}/.well-known/openid-configuration", name.trim_end_matches('/'));
        places.push(address(&appended, resource)?);
    }
    for place in &places {
        let (status, document) = web.get(place).await?;
        if status == StatusCode::OK && document.is_object() {
            let issuer = described(&document, name, resource)?;
            // All of them, before anybody is sent to one.
            for named in [&issuer.authorization, &issuer.token].into_iter().chain(&issuer.registration) {
                web.check(named)?;
            }
            return Ok(issuer);
        }
    }
    Err(SignInError::NoIssuer)
}

fn described(document: &Value, name: &str, resource: &Uri) -> Result<Issuer, SignInError> {
    // Another name in the document is the mark of a mix-up; comparison is exact, as RFC 8414 wants it.
    if document["issuer"].as_str() != Some(name) {
        return Err(SignInError::OtherIssuer);
    }
    if !texts(&document["code_challenge_methods_supported"]).iter().any(|method| method == "S256") {
        return Err(SignInError::NoPkce);
    }
    let endpoint = |key: &str| document[key].as_str().map(|text| address(text, resource)).transpose();
    Ok(Issuer {
        name: name.to_owned(),
        authorization: endpoint("authorization_endpoint")?.ok_or(SignInError::NoIssuer)?,
        token: endpoint("token_endpoint")?.ok_or(SignInError::NoIssuer)?,
        registration: endpoint("registration_endpoint")?,
        scopes: texts(&document["scopes_supported"]),
        methods: texts(&document["token_endpoint_auth_methods_supported"]),
        names_itself: document["authorization_response_iss_parameter_supported"] == Value::Bool(true),
    })
}

/// An address a document names. Secrets go there, so it is https, or on this machine if the server itself is.
fn address(text: &str, resource: &Uri) -> Result<Uri, SignInError> {
    let url: Uri = text.parse().map_err(|_| SignInError::Insecure)?;
    let is_local = |url: &Uri| matches!(url.host(), Some("127.0.0.1" | "localhost" | "[::1]"));
    let is_safe = match url.scheme_str() {
        Some("https") => url.host().is_some(),
        Some("http") => is_local(&url) && is_local(resource),
        _ => false,
    };
    if is_safe { Ok(url) } else { Err(SignInError::Insecure) }
}

/// Where a document about this address may lie: with its path after the well-known part, then without.
fn well_known(url: &Uri, what: &str) -> Result<Vec<Uri>, SignInError> {
    let (origin, path) = (origin(url), url.path().trim_end_matches('/'));
    let mut places = vec![format!("{origin}/.well-known/{what}{path}")];
    if !path.is_empty() {
        places.push(format!("{origin}/.well-known/{what}"));
    }
    places.iter().map(|place| place.parse().map_err(|_| SignInError::Insecure)).collect()
}

fn origin(url: &Uri) -> String {
    let authority = url.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    format!("{}://{authority}", url.scheme_str().unwrap_or("https"))
}

/// Whether metadata for this resource is about our address: the same origin, and our path is below its path.
fn is_about(resource: &str, url: &Uri) -> bool {
    let Ok(named) = resource.parse::<Uri>() else { return false };
    let path = named.path().trim_end_matches('/');
    let is_below = url.path() == path || url.path().starts_with(&format!("{path}/"));
    origin(&named).eq_ignore_ascii_case(&origin(url)) && is_below
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_must_be_about_our_address() {
        let url = Uri::from_static("https://a.example/x/mcp");
        for (resource, expected) in [
            ("https://a.example/x/mcp", true),
            ("https://A.example/x/", true),
            ("https://a.example", true),
            ("https://a.example/x/m", false),
            ("https://b.example/x/mcp", false),
            ("http://a.example/x/mcp", false),
            ("", false),
        ] {
            assert_eq!(is_about(resource, &url), expected, "{resource}");
        }
    }

    #[test]
    fn secrets_go_only_where_nobody_listens() {
        let far = Uri::from_static("https://a.example/mcp");
        let near = Uri::from_static("http://127.0.0.1:1/mcp");
        assert!(address("https://b.example/token", &far).is_ok());
        assert!(address("http://b.example/token", &far).is_err());
        assert!(address("http://127.0.0.1:2/token", &far).is_err());
        assert!(address("http://127.0.0.1:2/token", &near).is_ok());
        assert!(address("javascript:alert(1)", &near).is_err());
    }

    #[test]
    fn well_known_places_have_the_path_after_them() {
        let places = |url: &'static str| well_known(&Uri::from_static(url), "x").unwrap();
        assert_eq!(
            places("https://a.example/p/q/"),
            ["https://a.example/.well-known/x/p/q", "https://a.example/.well-known/x"]
        );
        assert_eq!(places("https://a.example"), ["https://a.example/.well-known/x"]);
    }
}
