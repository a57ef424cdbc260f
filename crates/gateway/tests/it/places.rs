//! Who may come in under which name: pages in browsers are kept out on every route, by the address they arrived at.

use super::recorder::Recorder;
use super::world::{World, remote};
use portcullis_gateway::api::Role;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One path of every kind.
const PATHS: [&str; 10] = [
    "/mcp",
    "/mcp/r",
    "/mcp/router",
    "/api/v1/servers",
    "/api/v1/status",
    "/api/v1/openapi.json",
    "/healthz",
    "/readyz",
    "/metrics",
    "/nothing",
];

/// The answer to exactly these bytes, whole and in small letters.
async fn raw(address: SocketAddr, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let text = format!("{head}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.to_ascii_lowercase()
}

fn status(answer: &str) -> u16 {
    answer.get(9..12).and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("{answer}"))
}

/// A gateway on all addresses, reached over the loopback.
async fn world() -> (World, SocketAddr, String) {
    let recorder = Recorder::start().await;
    let world = World::with(vec![remote("r", &recorder.url)], |settings| {
        settings.listen = "0.0.0.0:0".parse().unwrap();
        settings.hosts = vec!["gate.example".to_owned()];
        settings.origins = vec!["https://page.example".to_owned()];
    })
    .await;
    let near = SocketAddr::from(([127, 0, 0, 1], world.address.port()));
    let token = world.token(Role::Admin);
    (world, near, token)
}

/// `PORT` stands for the port that was reached. Refused with 403, or 400 where it is no proper request.
const HOSTS_AND_ORIGINS: &[(&str, u16)] = &[
    // Names an author of a page may let point at this machine.
    ("Host: evil.example\r\n", 403),
    ("Host: evil.example:PORT\r\n", 403),
    ("Host: 127.0.0.1.nip.io:PORT\r\n", 403),
    ("Host: localhost.evil.example:PORT\r\n", 403),
    ("Host: evil.localhost:PORT\r\n", 403),
    ("Host: xn--lcalhost-54a:PORT\r\n", 403),
    // Names that are almost ours.
    ("Host: localhost.:PORT\r\n", 403),
    ("Host: localhost:1\r\n", 403),
    ("Host: localhost:\u{2b}80\r\n", 403),
    ("Host: localhost:99999\r\n", 403),
    ("Host: localhost:PORT:PORT\r\n", 403),
    ("Host: localhost:PORT@evil.example\r\n", 403),
    ("Host: user@localhost:PORT\r\n", 403),
    ("Host: localhost, evil.example\r\n", 403),
    ("Host: localhost/../evil.example\r\n", 403),
    ("Host: gate.example.evil.example\r\n", 403),
    // Addresses in unusual spellings, and those that are none of ours.
    ("Host: 127.1:PORT\r\n", 403),
    ("Host: 2130706433:PORT\r\n", 403),
    ("Host: 0x7f000001:PORT\r\n", 403),
    ("Host: 0177.0.0.1:PORT\r\n", 403),
    ("Host: 0.0.0.0:PORT\r\n", 403),
    ("Host: [::]:PORT\r\n", 403),
    ("Host: [::1%25lo]:PORT\r\n", 403),
    ("Host: ::1\r\n", 403),
    ("Host: 192.0.2.1:PORT\r\n", 403),
    ("Host: [fe80::1]:PORT\r\n", 403),
    // None, two, or nothing in it.
    ("", 400),
    ("Host: \r\n", 403),
    ("Host: localhost:PORT\r\nHost: evil.example\r\n", 400),
    ("Host: localhost:PORT\r\nHost: localhost:PORT\r\n", 400),
    ("Host: localh\u{f6}st:PORT\r\n", 400),
    // What another server on the way would believe counts for nothing here.
    ("Host: evil.example\r\nX-Forwarded-Host: localhost:PORT\r\nForwarded: host=localhost\r\n", 403),
    // Pages of others.
    ("Host: localhost:PORT\r\nOrigin: https://evil.example\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: null\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: \r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: file://\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: localhost:PORT\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: http://localhost.evil.example\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: http://localhost@evil.example\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: http://page.example\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: https://page.example.evil.example\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: chrome-extension://localhost\r\n", 403),
    ("Host: localhost:PORT\r\nOrigin: http://localhost\r\nOrigin: https://evil.example\r\n", 400),
    ("Host: evil.example\r\nOrigin: http://evil.example\r\n", 403),
    ("Host: localhost:PORT\r\nSec-Fetch-Site: cross-site\r\n", 403),
    ("Host: localhost:PORT\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", 403),
];

/// What must come in, so that the table above is not passed by refusing everybody.
const WELCOME: &[&str] = &[
    "Host: localhost:PORT\r\n",
    "Host: localhost\r\n",
    "Host: LOCALHOST:PORT\r\n",
    "Host: 127.0.0.1:PORT\r\n",
    "Host: [::1]:PORT\r\n",
    "Host: gate.example\r\n",
    "Host: localhost:PORT\r\nOrigin: http://localhost:5173\r\n",
    "Host: localhost:PORT\r\nOrigin: https://page.example\r\nSec-Fetch-Site: cross-site\r\n",
    "Host: gate.example\r\nOrigin: https://gate.example\r\nSec-Fetch-Site: same-origin\r\n",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_closed_to_pages_of_others() {
    let (_world, near, token) = world().await;
    for path in PATHS {
        let ask = async |method: &str, headers: &str| {
            let headers = headers.replace("PORT", &near.port().to_string());
            let head = format!("{method} {path} HTTP/1.1\r\n{headers}Authorization: Bearer {token}\r\n");
            raw(near, &format!("{head}Content-Type: application/json\r\n"), "").await
        };
        for (headers, expected) in HOSTS_AND_ORIGINS {
            for method in ["GET", "POST"] {
                let answer = ask(method, headers).await;
                assert_eq!(status(&answer), *expected, "{method} {path} {headers:?}: {answer}");
                assert!(!answer.contains("access-control"), "{path} {headers:?}");
            }
        }
        for headers in WELCOME {
            let answer = ask("OPTIONS", headers).await;
            assert!(!answer.contains("is not called so"), "{path} {headers:?}: {answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_in_the_target_must_be_the_one_in_the_header() {
    let (_world, near, _) = world().await;
    let host = format!("Host: {near}\r\n");
    for (target, expected) in [
        (format!("http://{near}/healthz"), 200),
        ("http://evil.example/healthz".to_owned(), 400),
        (format!("http://user@{near}/healthz"), 400),
    ] {
        let answer = raw(near, &format!("GET {target} HTTP/1.1\r\n{host}"), "").await;
        assert_eq!(status(&answer), expected, "{target}");
    }
}

/// What a page can send without being asked first, and what it could try to be taken for something else.
#[tokio::test(flavor = "multi_thread")]
async fn a_form_changes_nothing() {
    let (world, near, token) = world().await;
    let server = r#"{"name":"added","url":"https://server.example/mcp"}"#;
    let initialize = super::client::INITIALIZE;
    for (path, body) in [
        ("/mcp", initialize),
        ("/mcp/r", initialize),
        ("/mcp/router", initialize),
        ("/api/v1/servers", server),
    ] {
        let head = |method: &str, more: &str| {
            format!("{method} {path} HTTP/1.1\r\nHost: {near}\r\nAuthorization: Bearer {token}\r\n{more}")
        };
        for media in [
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=application/json",
            "text/plain",
            "text/plain; charset=application/json",
            "text/plain, application/json",
            "application/jsonx",
            "",
        ] {
            let answer = raw(near, &head("POST", &format!("Content-Type: {media}\r\n")), body).await;
            assert_eq!(status(&answer), 415, "{path} {media}");
        }
        assert_eq!(status(&raw(near, &head("POST", ""), body).await), 415, "{path} without a type");
        for name in ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"] {
            let more = format!("{name}: POST\r\nContent-Type: application/json\r\n");
            raw(near, &head("GET", &format!("Accept: application/json\r\n{more}")), body).await;
        }
        // A browser asks before it sends JSON with a token, and is not told that it may.
        let asking = "Origin: https://page.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n";
        let answer = raw(near, &head("OPTIONS", asking), "").await;
        assert!(status(&answer) >= 400 && !answer.contains("access-control-allow"), "{path}: {answer}");
    }
    let head = format!("GET /api/v1/servers HTTP/1.1\r\nHost: {near}\r\nAuthorization: Bearer {token}\r\n");
    let listed = raw(near, &head, "").await;
    assert!(listed.contains(r#""name":"r""#) && !listed.contains("added"), "{listed}");
    assert!(world.store.registry().documents("server").unwrap().is_empty());
}
