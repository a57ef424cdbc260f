//! `serve` while it serves: TLS and its renewal, the end by a signal or by force, what servers write to stderr.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::world::{World, run};

/// A server as a shell script: it begins a conversation, and what follows is up to the test.
const BEGIN: &str = r#"read a; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'; read b; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'; read c;"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
/// A request of no known method: whoever declares nothing is asked nothing else.
const CALL: &str = r#"{"jsonrpc":"2.0","id":8,"method":"test/wait"}"#;

/// A gateway in a process of its own.
pub(crate) struct Gateway {
    process: Child,
    url: String,
}

impl Gateway {
    /// Starts one with a file of these members, in the folder of the file.
    fn start(world: &World, members: &str) -> Gateway {
        Gateway::start_with(world, format!(r#"{{ "listen": "127.0.0.1:0", "data_dir": "data", {members} }}"#))
    }

    /// Starts one with this file.
    pub(crate) fn start_with(world: &World, text: String) -> Gateway {
        let file = world.file("portcullis.json", text);
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["serve", "--config", &file]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
        let mut url = String::new();
        BufReader::new(process.stdout.take().expect("it is piped"))
            .read_line(&mut url)
            .expect("it says where");
        Gateway { process, url: url.trim().to_owned() }
    }

    fn host(&self) -> &str {
        self.url.split('/').nth(2).unwrap_or_default()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().expect("kill is there").success());
    }

    /// Posts a message to the server `s` and returns everything that comes back.
    pub(crate) fn post(&self, session: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.host()).expect("it listens");
        let session =
            if session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {session}\r\n") };
        write!(
            stream,
            "POST /mcp/s HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nConnection: close\r\n{session}Content-Length: {}\r\n\r\n{body}",
            self.host(),
            body.len()
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    pub(crate) fn open(&self) -> String {
        let answer = self.post("", INITIALIZE);
        let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        id.unwrap_or_else(|| panic!("no session: {answer}")).to_owned()
    }

    /// What it wrote to stderr, once it has ended.
    fn log(mut self) -> String {
        let mut log = String::new();
        self.process.stderr.take().expect("it is piped").read_to_string(&mut log).expect("it is a text");
        log
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn server(script: &str) -> String {
    let script = serde_json::Value::from(format!("{BEGIN} {script}"));
    format!(r#""mcpServers": {{ "s": {{ "command": "sh", "args": ["-c", {script}], "cwd": "." }} }}"#)
}

#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30), "not in time: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn read(world: &World, name: &str) -> String {
    fs::read_to_string(world.path(name)).unwrap_or_default().trim().to_owned()
}

#[test]
fn a_server_and_what_it_started_end_with_a_gateway_that_was_killed() {
    let world = World::new("serving_killed");
    // A server that does not hear of the end by its input, and has a child that does not either.
    let gateway =
        Gateway::start(&world, &server("sleep 1000 & echo $! > child; echo $$ > parent; sleep 1000"));
    gateway.open();
    eventually("both run", || lives(&read(&world, "child")) && lives(&read(&world, "parent")));
    gateway.signal("-KILL");
    eventually("both are gone", || !lives(&read(&world, "child")) && !lives(&read(&world, "parent")));
}

#[test]
fn what_left_the_servers_session_ends_with_the_server() {
    let world = World::new("serving_left");
    let left =
        "setsid sh -c 'sleep 1000 & echo $! > child' > /dev/null 2>&1; echo $$ > parent; cat > /dev/null";
    let mut gateway = Gateway::start(&world, &server(left));
    gateway.open();
    eventually("both run", || lives(&read(&world, "child")) && lives(&read(&world, "parent")));
    gateway.signal("-TERM");
    gateway.process.wait().expect("it ends");
    assert!(!lives(&read(&world, "child")) && !lives(&read(&world, "parent")));
}

#[test]
fn a_call_in_flight_is_answered_before_the_end() {
    let world = World::new("serving_drained");
    let answer = r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#;
    let script =
        format!("read d; touch called; while [ ! -e go ]; do sleep 0.05; done; echo '{answer}'; cat");
    let mut gateway = Gateway::start(&world, &server(&script));
    let session = gateway.open();
    let answer = std::thread::scope(|scope| {
        let call = scope.spawn(|| gateway.post(&session, CALL));
        eventually("the server is called", || Path::new(&world.path("called")).exists());
        gateway.signal("-TERM");
        eventually("it drains", || {
            let mut stream = TcpStream::connect(gateway.host()).expect("it listens");
            let request =
                format!("GET /readyz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", gateway.host());
            let mut answer = String::new();
            // One that came just before the end may be closed without an answer.
            let _ = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
            answer.starts_with("HTTP/1.1 503") && answer.contains("draining")
        });
        world.file("go", "");
        call.join().expect("it is answered")
    });
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""id":8,"result""#), "{answer}");
    assert!(gateway.process.wait().expect("it ends").success());
}

#[test]
fn what_a_server_writes_to_stderr_is_shown_harmless_and_bounded() {
    let world = World::new("serving_stderr");
    let script = r"printf '\033[31mred\r\n' >&2; head -c 100000 /dev/zero | tr '\0' y >&2; echo >&2; echo end >&2; touch said; cat";
    let gateway = Gateway::start(&world, &server(script));
    gateway.open();
    eventually("it is said", || Path::new(&world.path("said")).exists());
    gateway.signal("-TERM");
    let log = gateway.log();
    assert!(log.contains(r"stderr=\u{1b}[31mred") && !log.contains('\u{1b}'), "{log:.500}");
    assert!(log.contains("stderr=end") || log.contains("stderr=y"), "{log:.500}");
    assert!(log.lines().all(|line| line.len() < 5000), "a line is as long as the server wants");
}

/// Makes a certificate that vouches for itself.
fn certificate(world: &World, name: &str) {
    let [key, certificate] = ["key", "pem"].map(|kind| world.path(&format!("{name}.{kind}")));
    let mut command = Command::new("openssl");
    command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
    command.args(["-keyout", &key, "-out", &certificate, "-days", "30", "-subj", "/CN=localhost"]);
    command.args(["-addext", "subjectAltName=IP:127.0.0.1"]);
    assert!(command.stderr(Stdio::null()).status().expect("openssl is there").success());
}

/// Whether a stranger to us, openssl, is shown this certificate and believes it.
fn shows(gateway: &Gateway, world: &World, name: &str) -> bool {
    let mut command = Command::new("openssl");
    command.args(["s_client", "-verify_return_error", "-connect", gateway.host(), "-CAfile"]);
    let output = command.arg(world.path(&format!("{name}.pem"))).stdin(Stdio::null()).output();
    output.expect("openssl is there").status.success()
}

#[test]
fn agents_are_shown_a_certificate_and_a_new_one_after_a_hang_up() {
    let world = World::new("serving_tls");
    certificate(&world, "first");
    certificate(&world, "second");
    let copy = |name: &str| {
        for kind in ["pem", "key"] {
            let (from, to) = (world.path(&format!("{name}.{kind}")), world.path(&format!("own.{kind}")));
            fs::copy(from, to).expect("it is copied");
        }
    };
    copy("first");
    let gateway = Gateway::start(&world, r#""tls": { "cert": "own.pem", "key": "own.key" }"#);
    assert!(gateway.url.starts_with("https://127.0.0.1:"), "{}", gateway.url);
    assert!(shows(&gateway, &world, "first") && !shows(&gateway, &world, "second"));
    copy("second");
    gateway.signal("-HUP");
    eventually("the new one is shown", || shows(&gateway, &world, "second"));
}

#[test]
fn files_that_cannot_be_shown_are_named_with_their_place() {
    let world = World::new("serving_tls_wrong");
    certificate(&world, "first");
    certificate(&world, "second");
    let auth = r#""auth": { "tokens": ["0123456789abcdef"] }"#;
    let check = |tls: &str, expected: &str| {
        let text = format!("{{ \"listen\": \"0.0.0.0:1\", {auth},\n{tls} }}");
        let file = world.file("portcullis.json", text);
        let outcome = run(&["serve", "--check", "--config", &file]);
        assert_eq!(outcome.code, if expected.is_empty() { 0 } else { 2 }, "{}", outcome.err);
        assert!(outcome.err.contains(expected), "{}", outcome.err);
    };
    check(r#""tls": { "cert": "first.pem", "key": "first.key" }"#, "");
    check(r#""insecure": true"#, "");
    check(
        r#""hosts": []"#,
        "portcullis.json:1:13: listening beyond this machine needs `tls`, or `insecure: true`",
    );
    check(r#""tls": { "cert": "first.pem" }"#, "portcullis.json:2:8: `tls` needs two files in PEM");
    check(
        r#""tls": { "cert": "none.pem", "key": "first.key" }"#,
        "none.pem cannot be used for TLS: No such file",
    );
    check(
        r#""tls": { "cert": "first.pem", "key": "second.key" }"#,
        "second.key cannot be used for TLS: it is not the key of the certificate in",
    );
}

/// A server with one tool, which answers every call; as many calls as lines are read.
const CALLED: &str = r#"while read line; do id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); case $line in *tools/list*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"save_note","inputSchema":{"type":"object"}}]}}';; *) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}';; esac; done"#;
const SAVE: &str =
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"save_note","arguments":{}}}"#;

#[test]
fn a_signal_stops_all_calls_also_after_a_restart_and_another_lets_them_pass() {
    let world = World::new("serving_stopped");
    let open = r#", "security": { "tool_quarantine": { "auto_quarantine_new_tools": false } }"#;
    let members = format!("{}{open}", server(CALLED));
    let is_stopped = |gateway: &Gateway| {
        let answer = gateway.post(&gateway.open(), SAVE);
        assert!(answer.contains("stopped all calls") || answer.contains(r#""content":[]"#), "{answer}");
        answer.contains("stopped all calls")
    };
    let mut gateway = Gateway::start(&world, &members);
    assert!(!is_stopped(&gateway));
    gateway.signal("-USR1");
    eventually("calls are stopped", || is_stopped(&gateway));
    gateway.signal("-TERM");
    assert!(gateway.process.wait().expect("it ends").success());

    let mut gateway = Gateway::start(&world, &members);
    assert!(is_stopped(&gateway), "a restart lets nothing pass");
    gateway.signal("-USR2");
    eventually("calls pass", || !is_stopped(&gateway));
    gateway.signal("-TERM");
    assert!(gateway.process.wait().expect("it ends").success());

    let config = world.path("portcullis.json");
    let stopped = run(&["stop-calls", "--config", &config]);
    assert_eq!(stopped.code, 0, "{}", stopped.err);
    assert!(is_stopped(&Gateway::start(&world, &members)), "also if nobody ran when it was said");
}

#[test]
fn a_test_alert_is_shown_by_the_program_on_the_path() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new("serving_desktop");
    let program = world
        .file("bin/notify-send", "#!/bin/sh\nprintf '%s|' \"$@\" > \"$HOME/shown\"\nenv > \"$HOME/env\"\n");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    let file = world.file(
        "portcullis.json",
        r#"{ "data_dir": "data", "security": { "alerts": { "desktop": "notify-send" } } }"#,
    );
    let path = format!("{}:{}", world.path("bin"), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["alerts", "test", "--config", &file]);
    let command = command.env("PATH", path).env("HOME", world.path("")).env("A_TOKEN", "swordfish");
    let output = command.output().expect("the binary starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "desktop: delivered\n", "{output:?}");
    let expected = "--app-name=Portcullis|--urgency=normal|--|Portcullis|This is a test|";
    assert_eq!(read(&world, "shown"), expected);
    assert!(!read(&world, "env").contains("swordfish"));

    let nobody = world.file("none.json", r#"{ "data_dir": "data" }"#);
    let outcome = run(&["alerts", "test", "--config", &nobody]);
    assert!(outcome.code == 2 && outcome.err.contains("webhook_url"), "{}", outcome.err);
    let inside =
        r#"{ "data_dir": "data", "security": { "alerts": { "webhook_url": "http://127.0.0.1:9/x" } } }"#;
    let outcome = run(&["alerts", "test", "--config", &world.file("inside.json", inside)]);
    assert_eq!(outcome.code, 1, "{}", outcome.err);
    assert!(outcome.out.starts_with("webhook: not delivered: 127.0.0.1 is this machine"), "{}", outcome.out);
}
