//! Addresses that lead inside, in every spelling, wherever somebody can name one: servers that are added, places a server
//! sends us to, and what it says about signing in.

use super::client::{Session, send};
use super::world::{World, remote};
use bytes::Bytes;
use http::HeaderValue;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use portcullis_gateway::api::Role;
use portcullis_gateway::oauth::{OAuth, Opener, SignIn};
use portcullis_gateway::settings::{Addresses, Network, Server, Tokens, Transport};
use portcullis_store::Vault;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// Hosts that are this machine, a private network, a cloud's metadata, or try to be read as one of them.
const INSIDE: &[&str] = &[
    // This machine.
    "127.0.0.2",
    "127.255.255.254",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "0.0.0.0",
    "0.1.2.3",
    "[::]",
    // Numbers that resolvers take for addresses.
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "127.1",
    "127.0.1",
    "127.0.0.1.",
    "0",
    "3232235777",
    "0xa9fea9fe",
    "2852039166",
    // Private networks.
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "198.18.0.1",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fec0::1]",
    // Links, clouds, and nobody.
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "168.63.129.16",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "224.0.0.1",
    "255.255.255.255",
    "[ff02::1]",
    // IPv4 inside IPv6.
    "[::ffff:127.0.0.2]",
    "[::ffff:7f00:2]",
    "[::ffff:a9fe:a9fe]",
    "[::10.0.0.1]",
    "[::ffff:0:10.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::1]",
    "[2002:a00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:1:2:3:4:f5ff:fffe]",
    // Names, users, and characters that are not what they look like.
    "a.localhost",
    "A.LOCALHOST.",
    "server.example@10.0.0.1",
    "server.example%40@10.0.0.1",
    "10.0.0.1%2f@server.example",
    "server.example:80@10.0.0.1:80",
    "127.0.0.1%2eserver.example",
    "%31%30.0.0.1",
    "\u{2460}\u{2461}\u{2466}.0.0.1",
    "\u{ff11}\u{ff10}.0.0.1",
    "10\u{3002}0\u{3002}0\u{3002}1",
    "10.0.0.1\\@server.example",
    "server..example",
    "",
];

/// Addresses that are no server's at all.
const NO_SERVER: &[&str] = &[
    "file:///etc/passwd",
    "gopher://10.0.0.1:6379/_INFO",
    "ftp://server.example/mcp",
    "unix:/run/docker.sock",
    "javascript:alert(1)",
    "data:application/json,{}",
    "ws://server.example/mcp",
    "//10.0.0.1/mcp",
    "/mcp",
    "10.0.0.1",
];

fn networks() -> Arc<[Network]> {
    Arc::from([Network::parse("127.0.0.1").unwrap()])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_added_does_not_lead_inside() {
    let world = World::new(Vec::new()).await;
    let token = format!("Bearer {}", world.token(Role::Admin));
    let add = async |url: String| {
        let body = json!({ "name": "late", "url": url }).to_string();
        send(world.address, "POST", "/api/v1/servers", &[("authorization", &token)], body).await
    };
    let hosts = INSIDE.iter().copied().chain(["127.0.0.1", "localhost", "LOCALHOST", "localhost."]);
    let urls =
        hosts.map(|host| format!("http://{host}/mcp")).chain(NO_SERVER.iter().map(|url| (*url).into()));
    for url in urls {
        let answer = add(url.clone()).await;
        assert_eq!(answer.status, 400, "{url}: {:?}", answer.body);
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.starts_with("`url` "), "{url}: {error}");
    }
    let told = add("http://10.1.2.3/mcp".to_owned()).await.json();
    let told = told["error"].as_str().unwrap();
    assert!(told.contains("10.1.2.3") && told.contains("`security.allow_private_addresses`"), "{told}");
    assert!(world.store.registry().documents("server").unwrap().is_empty());
    // What leads outside, or was listed, is taken.
    assert_eq!(add("https://93.184.216.34/mcp".to_owned()).await.status, 200);
    let listing = World::with(Vec::new(), |settings| settings.networks = networks()).await;
    let token = format!("Bearer {}", listing.token(Role::Admin));
    let body = json!({ "name": "late", "url": "http://127.0.0.1:9/mcp" }).to_string();
    let taken = send(listing.address, "POST", "/api/v1/servers", &[("authorization", &token)], body).await;
    assert_eq!(taken.status, 200, "{:?}", taken.body);
}

/// Answers every request with what the function makes of its path; the address it is at.
async fn answering(answer: impl Fn(&str) -> Response<Full<Bytes>> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            let service = service_fn(move |request: Request<hyper::body::Incoming>| {
                let response = answer(request.uri().path());
                async move { Ok::<_, Infallible>(response) }
            });
            let serving =
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            tokio::spawn(serving);
        }
    });
    address
}

fn reaching(mut server: Server, addresses: Addresses) -> Server {
    if let Transport::Http(remote) = &mut server.transport {
        remote.addresses = addresses;
    }
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_followed_elsewhere() {
    let target = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    target.set_nonblocking(true).unwrap();
    let place = target.local_addr().unwrap().port();
    for status in [301, 302, 303, 307, 308] {
        for to in
            [format!("http://127.0.0.1:{place}/mcp"), format!("//localhost:{place}/"), "/mcp2".to_owned()]
        {
            let asked = Arc::new(AtomicU32::new(0));
            let (count, location) = (Arc::clone(&asked), HeaderValue::from_str(&to).unwrap());
            let address = answering(move |path| {
                count.fetch_add(u32::from(path != "/mcp"), Ordering::SeqCst);
                let sending = Response::builder().status(status).header("location", &location);
                sending.body(Full::default()).unwrap()
            })
            .await;
            let world = World::new(vec![remote("r", &format!("http://{address}/mcp"))]).await;
            let answer = send(world.address, "POST", "/mcp/r", &[], super::client::INITIALIZE).await.json();
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("sends elsewhere"), "{status} {to}: {answer}");
            assert_eq!(asked.load(Ordering::SeqCst), 0, "{status} {to}");
        }
    }
    assert_eq!(target.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

/// The check is made when a connection is made, whatever was known before.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_checked_when_it_is_connected_to() {
    let target = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    target.set_nonblocking(true).unwrap();
    let url = format!("http://localhost:{}/mcp", target.local_addr().unwrap().port());
    let server = reaching(remote("r", &url), Addresses::named(Arc::default()));
    let world = World::new(vec![server]).await;
    let answer = send(world.address, "POST", "/mcp/r", &[], super::client::INITIALIZE).await.json();
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("leads inside") && !message.contains("127.0.0.1"), "{answer}");
    assert_eq!(target.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    let fixture = super::world::Fixture::http("legacy");
    let listed = reaching(remote("r", &fixture.url), Addresses::named(networks()));
    let world = World::new(vec![listed]).await;
    assert!(Session::open(world.address, "/mcp/r").await.opened["result"].is_object());
}

/// Where a server can name an address while somebody signs in.
const NAMED: [&str; 5] = [
    "resource_metadata",
    "authorization_servers",
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
];

/// Signs in to a server that names `url` in one of these places; why that failed, and what was shown to the person.
async fn signed_in(place: &'static str, url: &str) -> (String, Vec<String>) {
    let (own, named) = (Arc::new(Mutex::new(String::new())), url.to_owned());
    let at = Arc::clone(&own);
    let address = answering(move |path| {
        let base = at.lock().unwrap().clone();
        let or = |name: &str, usual: String| if place == name { named.clone() } else { usual };
        let document = match path {
            "/.well-known/oauth-protected-resource/mcp" => json!({ "resource": format!("{base}/mcp"),
                "authorization_servers": [or("authorization_servers", base)] }),
            "/.well-known/oauth-authorization-server" => json!({ "issuer": base,
                "authorization_endpoint": or("authorization_endpoint", format!("{base}/authorize")),
                "token_endpoint": or("token_endpoint", format!("{base}/token")),
                "registration_endpoint": or("registration_endpoint", format!("{base}/register")),
                "code_challenge_methods_supported": ["S256"] }),
            _ => json!({ "client_id": "registered" }),
        };
        Response::new(Full::new(Bytes::from(document.to_string())))
    })
    .await;
    *own.lock().unwrap() = format!("http://{address}");
    let server = remote("r", &format!("http://{address}/mcp"));
    let server = reaching(server, Addresses::named(networks()));
    let Transport::Http(remote) = server.transport else { unreachable!("it is remote") };
    let shown = Arc::new(Mutex::new(Vec::new()));
    let opened = Arc::clone(&shown);
    let open: Opener = Arc::new(move |url: &str| opened.lock().unwrap().push(url.to_owned()));
    let root =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("inside-{}", address.replace(':', "-")));
    let tokens = OAuth::new(&remote, SignIn::default(), Vault::of_tokens(&root), open);
    let challenge = match place {
        "resource_metadata" => HeaderValue::from_str(&format!("Bearer resource_metadata=\"{url}\"")).ok(),
        _ => None,
    };
    let failed = tokens.authorization(challenge.as_ref()).await.map(|_| Value::Null);
    let _ = std::fs::remove_dir_all(&root);
    (failed.unwrap_err(), shown.lock().unwrap().clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_does_not_lead_inside() {
    // The server itself is at 127.0.0.1, which is listed: names of that lead nowhere else.
    let leads =
        |host: &str| host.is_ascii() && !host.is_empty() && !host.to_lowercase().contains("localhost");
    let hosts = INSIDE.iter().filter(|host| leads(host));
    let urls: Vec<String> = hosts.map(|host| format!("https://{host}/as")).collect();
    let plain = ["http://10.0.0.1/as", "http://server.example/as"];
    let all = urls.iter().map(String::as_str).chain(plain).chain(NO_SERVER.iter().copied());
    for url in all {
        for place in NAMED {
            let (why, shown) = signed_in(place, url).await;
            let is_said = why.contains("is refused") || why.contains("is not https");
            assert!(is_said, "{place} {url}: {why}");
            assert!(shown.is_empty(), "{place} {url}: {shown:?}");
        }
    }
}
