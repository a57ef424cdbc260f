//! Servers that a scan starts: what the sandbox keeps them from, and that nothing of them is left.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::live::{SERVER, report};
use crate::serving::{eventually, lives};
use crate::world::{HOSTILE, World};

/// Tries what a sandbox refuses; each deed that succeeds is a hostile tool of its name.
const TRIES: &str = r#"
import json, os, socket, subprocess, sys
outside, port, hostile = sys.argv[1:4]
def write(): open(outside + "/written", "w").write("x")
def create(): os.mkdir(outside + "/made")
def cut(): os.truncate(outside + "/kept", 0)
def mode(): os.chmod(outside + "/kept", 0o777)
def connect(): socket.create_connection(("127.0.0.1", int(port)), 5).close()
def talk(): socket.socket(socket.AF_UNIX).connect(outside + "/socket")
def read(): open(secret).read()
def listing(): os.listdir(os.path.dirname(secret))
def child(): subprocess.run(["sh", "-c", "echo x > " + outside + "/child"], check=True)
tools = []
for deed in [write, create, cut, mode, connect, talk, read, listing, child]:
    try: deed()
    except (OSError, subprocess.CalledProcessError): continue
    tools.append(dict(json.loads(hostile), name=deed.__name__))
# What must work all the same.
open(os.path.expanduser("~/own"), "w").write("x")
open(os.devnull, "w").write("x")
socket.socketpair()
sys.argv[1] = json.dumps(tools)
del sys.argv[2:]
"#;

fn scan(world: &World, flags: &[&str], server: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["scan", "--isolated", "--format", "json"]).args(flags).arg("--").args(server);
    command.env("HOME", world.path("home")).stdin(Stdio::null()).output().expect("the binary runs")
}

/// Runs the server that tries everything, and returns the report and what it got away with.
fn deeds(world: &World, flags: &[&str]) -> (Output, Value, Vec<String>) {
    // What is named among the arguments may be read, so this is not.
    let secret = json!(world.file("home/.ssh/id", "a secret"));
    let script = world.file("server.py", format!("secret = {secret}\n{TRIES}{SERVER}"));
    let outside = Path::new(&world.file("outside/kept", "kept")).with_file_name("").display().to_string();
    let _socket = std::os::unix::net::UnixListener::bind(world.path("outside/socket")).expect("a socket");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port().to_string();
    let output = scan(world, flags, &["python3", &script, &outside, &port, HOSTILE]);
    let report = report(&output);
    let name = |finding: &Value| finding["name"].as_str().map(str::to_owned);
    let deeds = report["findings"].as_array().into_iter().flatten().filter_map(name).collect();
    (output, report, deeds)
}

#[test]
fn a_server_in_the_sandbox_changes_nothing_and_reaches_nobody() {
    let world = World::new("confined_tries");
    let (output, report, deeds) = deeds(&world, &["--sandbox"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if report["notes"] != json!([]) {
        assert!(told.contains("note: servers ran without a whole sandbox: this system lacks "), "{told}");
        eprintln!("skipped: {told}");
        return;
    }
    assert_eq!((deeds.as_slice(), output.status.code()), (&[][..], Some(0)), "{report}{told}");
    assert_eq!(report["servers"], json!(["python3"]), "it was read");
    assert_eq!(world.read("outside/kept"), "kept");
    assert!(!Path::new(&world.path("outside/written")).exists());
}

#[test]
fn without_the_sandbox_all_of_that_is_possible() {
    let (_, report, mut deeds) = deeds(&World::new("confined_free"), &[]);
    deeds.sort();
    let all = ["child", "connect", "create", "cut", "listing", "mode", "read", "talk", "write"];
    assert_eq!(deeds, all, "{report}");
}

#[test]
fn what_the_sandbox_cannot_fetch_is_told() {
    let world = World::new("confined_fetch");
    world.file("bin/npx", "#!/bin/sh\nexit 1\n");
    let made = Command::new("chmod").args(["+x", &world.path("bin/npx")]).status();
    assert!(made.is_ok_and(|made| made.success()));
    let output = scan(&world, &["--sandbox"], &[&world.path("bin/npx"), "-y", "some-server@1.2.3"]);
    let gap = report(&output)["incomplete"][0].to_string();
    assert!(gap.contains("has no network to fetch its package: install that first"), "{gap}");
    assert_eq!(output.status.code(), Some(3));
}

/// A process that leaves its group and its session, and tells its number.
const LEAVES: &str = r#"
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(sys.argv[1] + "/new", "w") as out: out.write(str(os.getpid()) + "\n" + os.environ["HOME"])
        os.rename(sys.argv[1] + "/new", sys.argv[1] + "/left")
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists(sys.argv[1] + "/left"): time.sleep(0.01)
"#;

#[test]
fn what_left_the_servers_session_ends_with_the_scan() {
    let world = World::new("confined_left");
    for ending in ["while True: time.sleep(1)", "sys.exit(0)"] {
        let script = world.file("server.py", format!("{LEAVES}{ending}"));
        let folder = world.path("");
        let output = scan(&world, &["--server-timeout", "2"], &["python3", &script, &folder]);
        assert_eq!(output.status.code(), Some(3), "{}", report(&output));
        let left = world.read("left");
        assert!(!left.lines().next().is_some_and(lives), "it outlived the scan: {ending}");
        fs::remove_file(world.path("left")).expect("it was written");
    }
}

#[test]
fn an_interrupted_scan_leaves_nothing_behind() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        let world = World::new(&format!("confined_interrupted{signal}"));
        let script = world.file("server.py", format!("{LEAVES}while True: time.sleep(1)"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        command.args(["scan", "--isolated", "--", "python3", &script, &world.path("")]).stdin(Stdio::null());
        let scan = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
        eventually("the server runs", || Path::new(&world.path("left")).exists());
        let sent = Command::new("kill").args([signal, &scan.id().to_string()]).status();
        assert!(sent.is_ok_and(|sent| sent.success()));
        let output = scan.wait_with_output().expect("it ends");
        let left = world.read("left");
        let (process, home) = left.split_once('\n').expect("two lines");
        if signal == "-KILL" {
            eventually("the watcher ends it", || !lives(process));
            continue;
        }
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(3) && told.contains("error: stopped before"), "{told}");
        assert!(!lives(process) && !Path::new(home).exists(), "{left}");
    }
}
