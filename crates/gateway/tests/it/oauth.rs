//! Signing in, against an authorization server of our own that can be told to misbehave.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use portcullis_gateway::oauth::{OAuth, Opener, SignIn};
use portcullis_gateway::settings::{Addresses, Credential, Remote, Tokens};
use portcullis_store::Vault;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does wrong, if anything.
#[derive(Clone, Copy, Default)]
struct Manners {
    forgets_pkce: bool,
    forgets_to_name_itself: bool,
    names_another: bool,
    is_about_another: bool,
    refuses: bool,
    expires_at_once: bool,
    gives_nothing: bool,
}

/// A protected server and its authorization server in one.
struct World {
    address: String,
    manners: Manners,
    /// What was posted, and the queries of the browser.
    seen: Mutex<Vec<String>>,
    registrations: AtomicU32,
    sign_ins: AtomicU32,
    tokens: AtomicU32,
}

impl World {
    async fn start(manners: Manners) -> Arc<World> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (seen, registrations, sign_ins, tokens) = Default::default();
        let world = Arc::new(World { address, manners, seen, registrations, sign_ins, tokens });
        let served = Arc::clone(&world);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let world = Arc::clone(&served);
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        let world = Arc::clone(&world);
                        async move { Ok::<_, Infallible>(world.answer(request).await) }
                    });
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        world
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, body) = request.into_parts();
        let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        let authorization = head.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let json = |value: Value| Response::new(Full::new(Bytes::from(value.to_string())));
        let note = |text: String| self.seen.lock().unwrap().push(text);
        match head.uri.path() {
            "/.well-known/oauth-protected-resource/mcp" => json(self.resource()),
            "/.well-known/oauth-authorization-server/as" => json(self.issuer()),
            "/register" => {
                self.registrations.fetch_add(1, Ordering::SeqCst);
                json(json!({ "client_id": "registered", "token_endpoint_auth_method": "none" }))
            }
            "/authorize" => {
                note(head.uri.query().unwrap_or_default().to_owned());
                self.sign_ins.fetch_add(1, Ordering::SeqCst);
                self.send_back(head.uri.query().unwrap_or_default())
            }
            "/token" if self.manners.gives_nothing => json(json!({ "error": "invalid_client" })),
            "/token" => {
                note(format!("{body} {}", authorization.unwrap_or_default()));
                let number = self.tokens.fetch_add(1, Ordering::SeqCst);
                let seconds = if self.manners.expires_at_once { 0 } else { 3600 };
                json(json!({ "access_token": format!("token-{number}"), "token_type": "Bearer",
                    "expires_in": seconds, "refresh_token": format!("refresh-{number}") }))
            }
            _ => {
                let mut missing = json(json!({}));
                *missing.status_mut() = http::StatusCode::NOT_FOUND;
                missing
            }
        }
    }

    fn resource(&self) -> Value {
        let path = if self.manners.is_about_another { "/other" } else { "/mcp" };
        json!({ "resource": format!("{}{path}", self.address), "authorization_servers": [format!("{}/as", self.address)],
            "scopes_supported": ["read", "write"] })
    }

    fn issuer(&self) -> Value {
        let methods = if self.manners.forgets_pkce { json!(["plain"]) } else { json!(["S256"]) };
        json!({ "issuer": format!("{}/as", self.address), "authorization_endpoint": format!("{}/authorize", self.address),
            "token_endpoint": format!("{}/token", self.address), "registration_endpoint": format!("{}/register", self.address),
            "code_challenge_methods_supported": methods, "authorization_response_iss_parameter_supported": true })
    }

    /// The address the browser is sent back to.
    fn send_back(&self, query: &str) -> Response<Full<Bytes>> {
        let redirect = field(query, "redirect_uri").replace("%3A", ":").replace("%2F", "/");
        let issuer = if self.manners.names_another {
            "https://evil.example".into()
        } else {
            format!("{}/as", self.address)
        };
        let issuer =
            if self.manners.forgets_to_name_itself { String::new() } else { format!("&iss={issuer}") };
        let outcome = if self.manners.refuses { "error=access_denied" } else { "code=the-code" };
        let mut response = Response::new(Full::default());
        *response.status_mut() = http::StatusCode::FOUND;
        let place = format!("{redirect}?{outcome}&state={}{issuer}", field(query, "state"));
        response.headers_mut().insert("location", HeaderValue::from_str(&place).unwrap());
        response
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// A field of a form, still encoded.
fn field(query: &str, name: &str) -> String {
    let pair = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    pair.unwrap_or_default().to_owned()
}

/// Fetches an address as a browser does, and follows where it is sent.
async fn browse(url: &str) {
    let uri: Uri = url.parse().unwrap();
    let mut stream = TcpStream::connect(uri.authority().unwrap().as_str()).await.unwrap();
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        uri.path_and_query().unwrap(),
        uri.authority().unwrap()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let location = answer.lines().find_map(|line| line.strip_prefix("location: "));
    if let Some(location) = location {
        Box::pin(browse(location)).await;
    }
}

/// A sign-in with a browser that does what it is told, and a vault of its own.
struct Attempt {
    oauth: OAuth,
    root: PathBuf,
}

impl Attempt {
    fn new(world: &World, name: &str, sign_in: SignIn) -> Attempt {
        let root = std::env::temp_dir().join(format!("portcullis-oauth-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        Attempt { oauth: oauth(world, &root, sign_in), root }
    }

    async fn token(&self, refused: Option<&str>) -> Result<String, String> {
        let refused = refused.map(|text| HeaderValue::from_str(text).unwrap());
        let value = self.oauth.authorization(refused.as_ref()).await?;
        Ok(value.map_or_else(String::new, |value| value.to_str().unwrap().to_owned()))
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn oauth(world: &World, root: &std::path::Path, sign_in: SignIn) -> OAuth {
    let remote = Remote {
        url: format!("{}/mcp", world.address).parse().unwrap(),
        headers: Vec::new(),
        credential: Credential::None,
        authorities: None,
        proxy: None,
        addresses: Addresses::written(Arc::default()),
    };
    let open: Opener = Arc::new(|url: &str| {
        let url = url.to_owned();
        tokio::spawn(async move { browse(&url).await });
    });
    OAuth::new(&remote, sign_in, Vault::of_tokens(root), open)
}

#[tokio::test]
async fn signs_in_once_and_remembers() {
    let world = World::start(Manners::default()).await;
    let attempt = Attempt::new(&world, "once", SignIn::default());
    assert_eq!(attempt.token(None).await.unwrap(), "Bearer token-0");
    assert_eq!(attempt.token(None).await.unwrap(), "Bearer token-0");
    // Another process finds the token where this one kept it.
    let later = oauth(&world, &attempt.root, SignIn::default());
    assert_eq!(later.authorization(None).await.unwrap().unwrap(), "Bearer token-0");
    assert_eq!(world.sign_ins.load(Ordering::SeqCst), 1);
    let seen = world.seen();
    let (asked, traded) = (&seen[0], &seen[1]);
    assert_eq!(field(asked, "scope"), "read%20write");
    assert_eq!(field(asked, "code_challenge_method"), "S256");
    assert_eq!(field(asked, "client_id"), "registered");
    let resource = format!("{}%2Fmcp", world.address.replace(':', "%3A").replace('/', "%2F"));
    assert_eq!(
        (field(asked, "resource"), field(traded, "resource").trim().to_owned()),
        (resource.clone(), resource)
    );
    assert!(!field(traded, "code_verifier").is_empty());
    let file = std::fs::read_dir(attempt.root.join("tokens")).unwrap().next().unwrap().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    drop(file);
}

#[tokio::test]
async fn who_signs_in_on_demand_is_refused_first() {
    let world = World::start(Manners::default()).await;
    let attempt = Attempt::new(&world, "on-demand", SignIn { is_on_demand: true, ..SignIn::default() });
    assert_eq!(attempt.token(None).await.unwrap(), "");
    assert_eq!(world.sign_ins.load(Ordering::SeqCst), 0);
    assert_eq!(attempt.token(Some("Bearer")).await.unwrap(), "Bearer token-0");
    assert_eq!(attempt.token(None).await.unwrap(), "Bearer token-0");
}

#[tokio::test]
async fn what_runs_out_or_is_refused_is_renewed() {
    let world = World::start(Manners { expires_at_once: true, ..Manners::default() }).await;
    let attempt = Attempt::new(&world, "renewed", SignIn::default());
    assert_eq!(attempt.token(None).await.unwrap(), "Bearer token-0");
    assert_eq!(attempt.token(None).await.unwrap(), "Bearer token-1");
    assert!(world.seen()[2].starts_with("grant_type=refresh_token&refresh_token=refresh-0"));
    let world = World::start(Manners::default()).await;
    let attempt = Attempt::new(&world, "refused", SignIn::default());
    attempt.token(None).await.unwrap();
    assert_eq!(attempt.token(Some(r#"Bearer error="invalid_token""#)).await.unwrap(), "Bearer token-1");
    assert_eq!(world.sign_ins.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn more_is_asked_for_when_more_is_needed() {
    let world = World::start(Manners::default()).await;
    let attempt = Attempt::new(&world, "more", SignIn::default());
    attempt.token(Some(r#"Bearer scope="read""#)).await.unwrap();
    attempt.token(Some(r#"Bearer error="insufficient_scope", scope="admin""#)).await.unwrap();
    let asked: Vec<String> = world.seen().iter().map(|seen| field(seen, "scope")).collect();
    assert_eq!((asked[0].as_str(), asked[2].as_str()), ("read", "admin"));
}

#[tokio::test]
async fn every_sign_in_is_by_the_same_client() {
    let world = World::start(Manners::default()).await;
    let attempt = Attempt::new(&world, "same", SignIn::default());
    let more = HeaderValue::from_static(r#"Bearer error="insufficient_scope", scope="admin""#);
    attempt.token(None).await.unwrap();
    // Another process signs in by the same client, and comes back to the address it was registered with.
    let later = oauth(&world, &attempt.root, SignIn::default());
    later.authorization(Some(&more)).await.unwrap();
    assert_eq!(world.sign_ins.load(Ordering::SeqCst), 2);
    assert_eq!(world.registrations.load(Ordering::SeqCst), 1);
    let seen = world.seen();
    assert_eq!(field(&seen[0], "redirect_uri"), field(&seen[2], "redirect_uri"));
}

#[tokio::test]
async fn a_client_the_server_may_have_forgotten_is_registered_again() {
    let world = World::start(Manners { gives_nothing: true, ..Manners::default() }).await;
    let attempt = Attempt::new(&world, "forgotten", SignIn::default());
    for registrations in 1..3 {
        assert!(attempt.token(None).await.unwrap_err().contains("no usable token"));
        assert_eq!(world.registrations.load(Ordering::SeqCst), registrations);
    }
}

#[tokio::test]
async fn a_client_registered_beforehand_shows_its_secret() {
    let world = World::start(Manners::default()).await;
    let sign_in = SignIn {
        client_id: Some("mine".into()),
        client_secret: Some("s3cret".into()),
        scopes: vec!["only".into()],
        callback_port: 0,
        is_on_demand: false,
    };
    let attempt = Attempt::new(&world, "secret", sign_in);
    attempt.token(None).await.unwrap();
    let seen = world.seen();
    assert_eq!((field(&seen[0], "client_id").as_str(), field(&seen[0], "scope").as_str()), ("mine", "only"));
    assert!(seen[1].ends_with(" Basic bWluZTpzM2NyZXQ="), "{}", seen[1]);
}

#[tokio::test]
async fn two_calls_need_one_sign_in() {
    let world = World::start(Manners::default()).await;
    let attempt = Attempt::new(&world, "two", SignIn::default());
    let (one, other) = tokio::join!(attempt.token(None), attempt.token(None));
    assert_eq!(one, other);
    assert_eq!(world.sign_ins.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_that_misbehaves_gets_nothing() {
    let no = Manners::default();
    for (name, manners, expected, sign_ins) in [
        ("pkce", Manners { forgets_pkce: true, ..no }, "PKCE", 0),
        ("about", Manners { is_about_another: true, ..no }, "another address", 0),
        ("mute", Manners { forgets_to_name_itself: true, ..no }, "another authorization server", 1),
        ("mixed", Manners { names_another: true, ..no }, "another authorization server", 1),
        ("denied", Manners { refuses: true, ..no }, "refused: access_denied", 1),
    ] {
        let world = World::start(manners).await;
        let attempt = Attempt::new(&world, name, SignIn::default());
        let error = attempt.token(None).await.unwrap_err();
        assert!(error.contains(expected), "{name}: {error}");
        assert_eq!(world.sign_ins.load(Ordering::SeqCst), sign_ins, "{name}");
        assert_eq!(world.tokens.load(Ordering::SeqCst), 0, "{name}");
    }
}
