//! A client of servers that are processes: it starts what it is told, and asks.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::world::World;

/// A relay as a client starts it, before a server that is a process.
pub(crate) struct Relay {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Relay {
    pub(crate) fn start(world: &World, name: &str, script: &str) -> Relay {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["wrap", "--name", name, "--data", &world.path("data"), "--", "/bin/sh", "-c", script]);
        Relay::spawn(command)
    }

    /// Starts whatever a client's file says.
    pub(crate) fn spawn(mut command: Command) -> Relay {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut process = command.spawn().expect("the binary starts");
        let input = process.stdin.take().expect("it is piped");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Relay { process, input, output }
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        writeln!(self.input, "{request}").expect("the relay reads");
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("the relay writes") > 0, "the relay left");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == method {
                return message;
            }
        }
    }

    pub(crate) fn open(&mut self) {
        let opened = self.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" } }),
        );
        assert!(opened["result"].is_object(), "{opened}");
    }

    pub(crate) fn tools(&mut self) -> usize {
        self.ask("tools/list", &json!({}))["result"]["tools"].as_array().map_or(0, Vec::len)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A server of the shell that declares one tool.
pub(crate) const SHELL: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id" ;;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"roll_dice","description":"Rolls dice.","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"four"}]}}\n' "$id" ;;
    *'"id"'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id" ;;
  esac
done"#;
