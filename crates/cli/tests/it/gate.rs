//! A gateway as its users start it, a server behind it that declares what it is told to, and requests to both.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;

/// A server over HTTP that declares what it is told to.
pub(crate) struct Upstream {
    pub(crate) url: String,
    shared: Arc<Mutex<Shared>>,
}

/// What it declares, and what its tools say.
struct Shared {
    tools: String,
    says: String,
}

impl Upstream {
    pub(crate) fn new(tools: &[&str]) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}/mcp", listener.local_addr().expect("it has an address"));
        let shared = Arc::new(Mutex::new(Shared { tools: String::new(), says: "done".to_owned() }));
        let upstream = Upstream { url, shared: Arc::clone(&shared) };
        upstream.declare(tools);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || answer_all(stream, &shared));
            }
        });
        upstream
    }

    /// From now on it declares these.
    pub(crate) fn declare(&self, tools: &[&str]) {
        self.shared.lock().expect("nobody panics").tools = format!("[{}]", tools.join(","));
    }

    /// From now on its tools answer this.
    pub(crate) fn say(&self, text: &str) {
        self.shared.lock().expect("nobody panics").says = text.to_owned();
    }
}

fn answer_all(stream: TcpStream, shared: &Mutex<Shared>) {
    let mut reader = BufReader::new(stream);
    while let Some((head, body)) = message(&mut reader) {
        let asked: Value = serde_json::from_str(&body).unwrap_or_default();
        let result = match asked["method"].as_str().unwrap_or_default() {
            _ if !head.starts_with("POST") => None,
            "initialize" => Some(json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
                "serverInfo": { "name": "s", "version": "1" } })),
            "tools/list" => {
                let tools = shared.lock().expect("nobody panics").tools.clone();
                Some(json!({ "tools": serde_json::from_str::<Value>(&tools).expect("the test writes JSON") }))
            }
            "tools/call" => {
                let says = shared.lock().expect("nobody panics").says.clone();
                Some(json!({ "content": [{ "type": "text", "text": says }] }))
            }
            _ => None,
        };
        let (status, body) = match (result, asked.get("id")) {
            (Some(result), Some(id)) => {
                ("200 OK", json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())
            }
            (None, Some(id)) => {
                let error = json!({ "code": -32601, "message": "Method not found" });
                ("200 OK", json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string())
            }
            (_, None) if head.starts_with("POST") => ("202 Accepted", String::new()),
            (_, None) => ("405 Method Not Allowed", String::new()),
        };
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// The head and the body of what comes next.
fn message(reader: &mut BufReader<TcpStream>) -> Option<(String, String)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8_lossy(&body).into_owned()))
}

/// A gateway that runs in a process of its own.
pub(crate) struct Running {
    process: Child,
    pub(crate) address: String,
}

impl Running {
    /// Starts the gateway on a file of the test's world.
    pub(crate) fn start(world: &World, file: &str) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["serve", "--config", file]);
        Running::spawn(world, command)
    }

    /// Starts the gateway by a command of the test's own.
    pub(crate) fn spawn(world: &World, mut command: Command) -> Running {
        command.args(["--data", &world.path("data")]);
        let log = std::fs::File::create(world.path("gateway.log")).expect("files can be made");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut process = command.spawn().expect("the binary starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("it is piped"))
            .read_line(&mut line)
            .expect("it says where");
        let address = line.trim().trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        Running { process, address }
    }

    /// The answer to a request of an agent that opens a session for it.
    pub(crate) fn ask(&self, path: &str, method: &str, params: &Value) -> Value {
        self.within(path, &self.open(path), method, params)
    }

    /// Opens a session.
    pub(crate) fn open(&self, path: &str) -> String {
        let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let (head, _) = self.post(path, "", &opening);
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.unwrap_or_default().to_owned()
    }

    /// The answer to a request within a session.
    pub(crate) fn within(&self, path: &str, session: &str, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (_, body) = self.post(path, &format!("mcp-session-id: {session}\r\n"), &request);
        let body =
            body.trim().lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&body).to_owned();
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("{body} is no JSON"))
    }

    /// The names of the tools an agent sees of servers.
    pub(crate) fn tools(&self, path: &str) -> Vec<String> {
        let listed = self.ask(path, "tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}"));
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned());
        names.filter(|name| name != "quarantine_security").collect()
    }

    /// Waits until an agent sees exactly these tools.
    #[track_caller]
    pub(crate) fn sees(&self, path: &str, expected: &[&str]) {
        let end = Instant::now() + Duration::from_secs(30);
        let mut seen = self.tools(path);
        while seen != expected && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
            seen = self.tools(path);
        }
        assert_eq!(seen, expected);
    }

    fn post(&self, path: &str, headers: &str, body: &Value) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).expect("the gateway listens");
        let (body, host) = (body.to_string(), &self.address);
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{headers}content-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("the gateway reads");
        message(&mut BufReader::new(stream)).expect("the gateway answers")
    }

    /// Ends the gateway and waits.
    pub(crate) fn stop(self) {}
}

impl Drop for Running {
    /// As a service manager would.
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.process.id().to_string()).status();
        let _ = self.process.wait();
    }
}
