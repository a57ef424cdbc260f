//! One client over standard input and output.

use super::client::MODERN;
use super::world::{World, process, settings};
use portcullis_gateway::{Entrance, serve_stdio};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, split};

struct Client {
    output: tokio::io::WriteHalf<DuplexStream>,
    input: Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
}

impl Client {
    async fn send(&mut self, message: Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The next message that is not about lists: those change while servers are read.
    async fn next(&mut self) -> Value {
        loop {
            let line = self.input.next_line().await.unwrap().expect("a line");
            let message: Value = serde_json::from_str(&line).unwrap();
            if !message["method"].as_str().is_some_and(|method| method.ends_with("/list_changed")) {
                return message;
            }
        }
    }

    async fn ask(&mut self, message: Value) -> Value {
        self.send(message).await;
        self.next().await
    }
}

async fn client(world: &World) -> (Client, tokio::task::JoinHandle<()>) {
    let settings =
        settings(vec![process("child", "legacy"), process("kid", "modern")], Arc::clone(&world.store));
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = split(theirs);
    let served = tokio::spawn(async { serve_stdio(settings, Entrance::All, input, output).await.unwrap() });
    let (input, output) = split(ours);
    (Client { output, input: BufReader::new(input).lines() }, served)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_session_calls_and_is_asked() {
    let world = World::new(Vec::new()).await;
    let (mut client, served) = client(&world).await;
    let opened = client.ask(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}}})).await;
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    for server in ["child", "kid"] {
        let answer = client
            .ask(json!({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {
            "name": format!("{server}__echo"), "arguments": {"a": 1}}}))
            .await;
        assert_eq!(
            (&answer["id"], &answer["result"]["content"][0]["text"]),
            (&json!("x"), &json!("{\"a\":1}")),
            "{answer}"
        );
    }
    let question = client
        .ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "child__test_elicitation", "arguments": {"message": "who?"}}}))
        .await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let answer = client
        .ask(json!({"jsonrpc": "2.0", "id": question["id"], "result": {
        "action": "accept", "content": {"username": "Ada", "email": "a@example.com"}}}))
        .await;
    assert!(answer["id"] == 2 && answer.to_string().contains("Ada"), "{answer}");
    client.send(json!("no message")).await;
    assert_eq!(client.next().await["error"]["code"], -32600);
    drop(client);
    served.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_sessions_calls() {
    let world = World::new(Vec::new()).await;
    let (mut client, served) = client(&world).await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}});
    let found = client
        .ask(json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}}))
        .await;
    assert_eq!(found["result"]["supportedVersions"][0], MODERN);
    for server in ["child", "kid"] {
        let answer = client
            .ask(json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": format!("{server}__echo"), "arguments": {"a": 1}, "_meta": meta}}))
            .await;
        assert_eq!(
            (&answer["id"], &answer["result"]["resultType"]),
            (&json!(7), &json!("complete")),
            "{answer}"
        );
    }
    drop(client);
    served.await.unwrap();
}
