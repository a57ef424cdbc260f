//! TLS on both sides: what agents are shown, and which servers are believed, also behind a proxy.

use super::authority::{Authority, certificate};
use super::client::Session;
use super::recorder::Recorder;
use super::world::{Fixture, World, remote};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use portcullis_gateway::settings::{Server, Transport};
use portcullis_gateway::tls::Tls;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

/// What a path answers over TLS, and the certificate that was shown.
async fn get(authority: &Authority, address: SocketAddr, path: &str) -> (u16, Vec<u8>) {
    let stream = authority.connect(address).await.unwrap();
    let shown = stream.get_ref().1.peer_certificates().unwrap()[0].to_vec();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request =
        Request::builder().uri(path).header("host", "localhost").body(Full::<bytes::Bytes>::default());
    let response = sender.send_request(request.unwrap()).await.unwrap();
    let status = response.status().as_u16();
    response.into_body().collect().await.unwrap();
    (status, shown)
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_shown_a_certificate_and_the_next_one_once_it_is_there() {
    let authority = Authority::new();
    let (first, key) = authority.issue("first", 30);
    let tls = Tls::load(&first, &key).unwrap();
    let world = World::with(Vec::new(), |settings| settings.tls = Some(tls.clone())).await;
    let (status, shown) = get(&authority, world.address, "/healthz").await;
    assert_eq!((status, shown), (200, certificate(&first).to_vec()));
    assert!(!tls.refresh().unwrap(), "nothing is new");
    let (second, second_key) = authority.issue("second", 30);
    std::fs::copy(&second, &first).unwrap();
    // The key comes a moment later: until then the old pair is shown.
    assert!(tls.refresh().is_err());
    assert_ne!(get(&authority, world.address, "/healthz").await.1, certificate(&second).to_vec());
    std::fs::copy(second_key, &key).unwrap();
    assert!(tls.refresh().unwrap());
    assert_eq!(get(&authority, world.address, "/healthz").await.1, certificate(&second).to_vec());
    // Who does not believe our authority, or speaks no TLS, gets nothing.
    assert!(Authority::new().connect(world.address).await.is_err());
    let mut plain = TcpStream::connect(world.address).await.unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"));
}

#[test]
fn what_cannot_be_shown_is_named_with_the_reason() {
    let authority = Authority::new();
    let (good, key) = authority.issue("good", 30);
    let (_, other_key) = authority.issue("other", 30);
    let (old, old_key) = authority.issue("old", -1);
    let nothing = authority.file("nothing.pem");
    let empty = authority.file("empty.pem");
    std::fs::write(&empty, "").unwrap();
    let locked = authority.file("locked.key");
    std::fs::write(
        &locked,
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    )
    .unwrap();
    let check = |certificate: &PathBuf, key: &PathBuf, file: &PathBuf, why: &str| {
        let error = Tls::load(certificate, key).unwrap_err().to_string();
        assert!(error.starts_with(&file.display().to_string()) && error.contains(why), "{error}");
    };
    check(&nothing, &key, &nothing, "No such file");
    check(&good, &nothing, &nothing, "No such file");
    check(&empty, &key, &empty, "no certificate in PEM");
    check(&good, &empty, &empty, "no private key in PEM");
    check(&good, &locked, &locked, "the key is encrypted");
    check(&good, &other_key, &other_key, "not the key of the certificate");
    check(&old, &old_key, &old, "expired at");
    assert!(Tls::load(&good, &key).is_ok());
}

/// Takes TLS off what comes and passes it to a server that speaks none.
async fn with_tls(authority: &Authority, url: &str) -> String {
    let (certificate, key) = authority.issue("server", 30);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![super::authority::certificate(&certificate)],
            rustls::pki_types::pem::PemObject::from_pem_file(key).unwrap(),
        )
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let target: http::Uri = url.parse().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let outside = format!("https://localhost:{}/mcp", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, target) = (acceptor.clone(), target.authority().unwrap().to_string());
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut inner = TcpStream::connect(target).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut inner).await;
            });
        }
    });
    outside
}

fn believing(mut server: Server, authorities: Option<PathBuf>, proxy: Option<&str>) -> Server {
    if let Transport::Http(remote) = &mut server.transport {
        remote.authorities = authorities;
        remote.proxy = proxy.map(|proxy| proxy.parse().unwrap());
    }
    server
}

async fn echo(world: &World, server: &str) -> Value {
    let session = Session::open(world.address, &format!("/mcp/{server}")).await;
    session.request("tools/call", json!({"name": "echo", "arguments": {"a": 1}})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_believed_by_its_authority_alone() {
    let (authority, fixture) = (Authority::new(), Fixture::http("legacy"));
    let url = with_tls(&authority, &fixture.url).await;
    let servers = vec![
        believing(remote("known", &url), Some(authority.file("ca.pem")), None),
        remote("stranger", &url),
        believing(remote("mistaken", &url), Some(Authority::new().file("ca.pem")), None),
    ];
    // The last authority's file is gone by now: that is said before anything runs.
    let store = World::new(Vec::new()).await;
    let settings = super::world::settings(servers.clone(), Arc::clone(&store.store));
    let error = portcullis_gateway::Gateway::bind(settings).await.err().unwrap().to_string();
    assert!(error.contains("cannot be used: No such file"), "{error}");
    let world = World::new(servers.into_iter().take(2).collect()).await;
    assert!(echo(&world, "known").await["result"].is_object());
    let body = super::client::INITIALIZE;
    let refused = super::client::send(world.address, "POST", "/mcp/stranger", &[], body).await.json();
    assert!(refused["error"]["message"].as_str().unwrap().contains("cannot be reached"), "{refused}");
}

/// A proxy that notes what it was asked for.
async fn proxy() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(pass(stream, Arc::clone(&noted)));
        }
    });
    (format!("http://me:pass@{address}"), asked)
}

/// Takes one request, and connects to where it leads; what follows is passed as it comes.
async fn pass(mut stream: TcpStream, asked: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let text = String::from_utf8(head.clone()).unwrap();
    let mut words = text.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    asked.lock().unwrap().push(text.clone());
    if method == "CONNECT" {
        let mut inner = TcpStream::connect(target).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
        let _ = copy_bidirectional(&mut stream, &mut inner).await;
    } else {
        let target: http::Uri = target.parse().unwrap();
        let mut inner = TcpStream::connect(target.authority().unwrap().as_str()).await.unwrap();
        let plain = text.replacen(&target.to_string(), target.path(), 1);
        inner.write_all(plain.as_bytes()).await.unwrap();
        let _ = copy_bidirectional(&mut stream, &mut inner).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_reached_through_a_proxy() {
    let (authority, fixture) = (Authority::new(), Fixture::http("legacy"));
    let url = with_tls(&authority, &fixture.url).await;
    let (through, asked) = proxy().await;
    let recorder = Recorder::start().await;
    let world = World::new(vec![
        believing(remote("tunnel", &url), Some(authority.file("ca.pem")), Some(&through)),
        believing(remote("plain", &recorder.url), None, Some(&through)),
    ])
    .await;
    assert!(echo(&world, "tunnel").await["result"].is_object());
    let connect = asked.lock().unwrap().first().cloned().unwrap();
    let port = url.rsplit(':').next().unwrap().trim_end_matches("/mcp");
    assert!(connect.starts_with(&format!("CONNECT localhost:{port} HTTP/1.1\r\n")), "{connect}");
    // The user in the proxy's address is for the proxy, and nobody else.
    assert!(connect.contains("Proxy-Authorization: Basic bWU6cGFzcw=="), "{connect}");
    asked.lock().unwrap().clear();
    recorder.answer(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "application/json");
    assert!(echo(&world, "plain").await["result"].is_object());
    let plain = asked.lock().unwrap().first().cloned().unwrap().to_ascii_lowercase();
    assert!(plain.starts_with(&format!("post {} http/1.1\r\n", recorder.url)), "{plain}");
    assert!(plain.contains("proxy-authorization: basic"), "{plain}");
}
