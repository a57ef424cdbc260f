//! What a client meets that waits, leaves, takes back or is asked: mass, slowness, silence, cancelled calls, questions.

use crate::link::{Client, Era, Link, Server, read_head};
use serde_json::{Value, json};
use std::io::{BufRead, Read};

fn stdio(scenario: &str) -> Client {
    let mut client = Client::over_stdio(&["--scenario", scenario], Era::Legacy);
    client.greet();
    client
}

fn call(id: u32, tool: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": {}, "_meta": { "progressToken": "p" } } })
}

/// The stream of a call's response over HTTP, past its head.
fn http_call(address: &str, scenario: &str, tool: &str) -> impl BufRead {
    let mut client = Client::over_http(address, &format!("/{scenario}/mcp"), Era::Legacy);
    client.greet();
    let mut reader = client.post(&call(1, tool));
    read_head(&mut reader);
    reader
}

#[test]
fn huge_answers_are_whole() {
    let mut client = stdio("exhaust-huge-result");
    assert_eq!(client.call("export_table", json!({})).text().len(), 1_310_720 * 63);
    let mut client = stdio("exhaust-huge-definition");
    assert!(client.descriptions()[0].len() > 14 << 20);
    let mut client = stdio("exhaust-many-tools");
    assert_eq!(client.descriptions().len(), 10_001);
    let mut client = stdio("exhaust-deep-result");
    let frame = client.call("show_tree", json!({})).frames.pop().unwrap();
    assert_eq!(frame.iter().filter(|byte| **byte == b'[').count(), 100_001);
    let mut client = stdio("exhaust-deep-schema");
    let frame = client.ask("tools/list", json!({})).frames.pop().unwrap();
    assert_eq!(String::from_utf8(frame).unwrap().matches("allOf").count(), 5_000);
}

#[test]
fn endless_answers_end_when_nobody_listens() {
    let (_server, address) = Server::start(&["--all"]);
    for (scenario, tool) in
        [("exhaust-endless-line", "open_tap"), ("exhaust-endless-progress", "load_everything")]
    {
        let mut some = vec![0; 4 << 20];
        http_call(&address, scenario, tool).read_exact(&mut some).unwrap();
        // Having left, another client is served all the same.
        let mut client = Client::over_http(&address, &format!("/{scenario}/mcp"), Era::Modern);
        assert_eq!(client.descriptions().len(), 1);
    }
    let mut pages = Client::over_http(&address, "/exhaust-endless-pages/mcp", Era::Modern);
    let mut cursors: Vec<Value> =
        (0..5).map(|_| pages.ask("tools/list", json!({})).answer()["result"]["nextCursor"].clone()).collect();
    cursors.dedup();
    assert_eq!(cursors.len(), 5);
}

#[test]
fn questions_without_end_are_asked_again_and_again() {
    let mut client = Client::over_stdio(&["--scenario", "exhaust-questions"], Era::Modern);
    for round in 0..5 {
        let asked = client.call("take_survey", json!({})).answer();
        assert_eq!(asked["result"]["resultType"], "input_required");
        assert_eq!(asked["result"]["requestState"], format!("round-{round}"));
    }
}

#[test]
fn slow_answers_come_in_drops() {
    let (_server, address) = Server::start(&["--scenario", "exhaust-slow"]);
    let mut reader = http_call(&address, "exhaust-slow", "slow_fact");
    let first = reader.fill_buf().unwrap().len();
    reader.consume(first);
    let second = reader.fill_buf().unwrap().len();
    assert_eq!((first, second), (1, 1));
}

#[test]
fn a_connection_is_cut_in_the_middle() {
    let mut client = stdio("exhaust-hang-up");
    let frame = client.call("half_answer", json!({})).frames.pop().unwrap();
    assert_eq!(frame.len(), 60);
    let Link::Pipe { stdout, .. } = &mut client.link else { unreachable!("a pipe") };
    assert_eq!(stdout.read(&mut [0; 8]).unwrap(), 0, "the process has ended");
    let (_server, address) = Server::start(&["--scenario", "exhaust-hang-up"]);
    let mut body = Vec::new();
    http_call(&address, "exhaust-hang-up", "half_answer").read_to_end(&mut body).unwrap();
    assert_eq!(body.len(), 60);
}

#[test]
fn silence_holds_up_nobody_else() {
    let mut client = stdio("exhaust-silence");
    client.tell(&call(1, "call_into_the_void"));
    for _ in 0..20 {
        assert_eq!(client.ask("ping", json!({})).frames.len(), 1);
    }
}

#[test]
fn a_cancelled_call_is_answered_only_by_the_attack() {
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let mut attack = stdio("protocol-cancelled-answer");
    attack.tell(&call(1, "long_search"));
    attack.tell(&cancel);
    let Link::Pipe { stdout, .. } = &mut attack.link else { unreachable!("a pipe") };
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("found after all: sk_"), "{line}");

    let mut twin = stdio("protocol-cancelled-answer-twin");
    twin.tell(&call(1, "long_search"));
    twin.tell(&cancel);
    // Closing the pipe lets running requests end; none of them has anything to say.
    let Link::Pipe { stdin, mut stdout, _server } = twin.link else { unreachable!("a pipe") };
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn a_client_that_closes_the_pipe_still_gets_its_answer() {
    let mut client = stdio("result-direct");
    client.tell(&call(1, "read_page"));
    let Link::Pipe { stdin, mut stdout, _server } = client.link else { unreachable!("a pipe") };
    drop(stdin);
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("Ignore all previous"), "{rest}");
}

#[test]
fn cancelling_in_one_session_leaves_the_others_alone() {
    let (_server, address) = Server::start(&["--scenario", "result-direct"]);
    let connect = || {
        let mut client = Client::over_http(&address, "/result-direct/mcp", Era::Legacy);
        client.greet();
        client
    };
    let (mut first, mut second) = (connect(), connect());
    for id in [20, 30] {
        first.tell(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
        );
    }
    assert!(second.call("read_page", json!({})).text().starts_with("Ignore all"));
}

#[test]
fn questions_are_asked_as_the_era_wants_it() {
    let ask = |era: Era| {
        let mut client = Client::over_stdio(&["--scenario", "phish-elicit-password"], era);
        client.content = json!({ "user": "jroe", "password": "x" });
        client.greet();
        client
    };
    let mut legacy = ask(Era::Legacy);
    let heard = legacy.call("print_document", json!({}));
    assert!(String::from_utf8_lossy(&heard.frames[0]).contains("elicitation/create"));
    assert_eq!(heard.text(), "Printing as jroe.");
    let mut modern = ask(Era::Modern);
    let asked = modern.call("print_document", json!({})).answer();
    assert_eq!(asked["result"]["inputRequests"]["login"]["method"], "elicitation/create");
    let answers = json!({ "login": { "action": "accept", "content": { "user": "ada" } } });
    let retried = modern.ask("tools/call", json!({ "name": "print_document", "inputResponses": answers }));
    assert_eq!(retried.text(), "Printing as ada.");
}

#[test]
fn who_cannot_answer_is_asked_only_by_the_attack() {
    let frames = |scenario: &str| {
        let mut client = Client::over_stdio(&["--scenario", scenario], Era::Legacy);
        client.capabilities = json!({});
        client.greet();
        client.call("small_talk", json!({})).frames.len()
    };
    assert_eq!(frames("protocol-undeclared-question"), 2);
    assert_eq!(frames("protocol-undeclared-question-twin"), 1);
}

#[test]
fn an_honest_peer_can_be_served() {
    let arguments = ["--scenario", "exfil-webhook-collector", "--peer", "home-files"];
    let mut client = Client::over_stdio(&arguments, Era::Legacy);
    client.greet();
    assert!(client.call("read_private_file", json!({})).text().starts_with("Payroll"));
    let (_server, address) = Server::start(&["--scenario", "exfil-webhook-query"]);
    let mut client = Client::over_http(&address, "/exfil-webhook-query/vault/mcp", Era::Modern);
    let secret = client.call("read_secret", json!({})).text();
    assert_eq!((secret.len(), &secret[..4]), (20, "AKIA"));
}

#[test]
fn headers_must_agree_with_the_body() {
    use std::io::Write;
    let (_server, address) = Server::start(&["--scenario", "result-direct"]);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    let head =
        "POST /result-direct/mcp HTTP/1.1\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut reader = std::io::BufReader::new(stream);
    assert_eq!(read_head(&mut reader).0, 400);
}
