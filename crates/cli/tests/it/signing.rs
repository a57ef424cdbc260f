//! A server that wants somebody to sign in: its authorization server checks PKCE, and a browser that does as it is told.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Output, Stdio};

use serde_json::json;

use crate::live::report;
use crate::world::World;

/// A protected server and its authorization server in one; where it is stands in its first line.
const PROTECTED: &str = r#"
import base64, hashlib, http.server, json, secrets, urllib.parse
codes = {}
class Both(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words): pass
    def say(self, status, value, **headers):
        text = json.dumps(value).encode()
        self.send_response(status)
        for name, what in headers.items(): self.send_header(name.replace("_", "-"), what)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    def do_GET(self):
        place = urllib.parse.urlsplit(self.path)
        if place.path == "/about":
            self.say(200, {"resource": here + "/mcp", "authorization_servers": [here + "/as"], "scopes_supported": ["read"]})
        elif place.path == "/.well-known/oauth-authorization-server/as":
            self.say(200, {"issuer": here + "/as", "authorization_endpoint": here + "/authorize", "token_endpoint": here + "/token",
                "registration_endpoint": here + "/register", "code_challenge_methods_supported": ["S256"]})
        elif place.path == "/authorize":
            asked = dict(urllib.parse.parse_qsl(place.query))
            code = secrets.token_hex(8)
            codes[code] = asked["code_challenge"]
            self.say(302, {}, location=asked["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": asked["state"]}))
        else:
            self.say(404, {})
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/register":
            self.say(201, {"client_id": "registered", "token_endpoint_auth_method": "none"})
        elif self.path == "/token":
            form = dict(urllib.parse.parse_qsl(body.decode()))
            proof = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
            good = codes.pop(form["code"], None) == proof
            self.say(200 if good else 400, {"access_token": "open-sesame", "token_type": "Bearer", "expires_in": 3600} if good else {"error": "invalid_grant"})
        elif self.headers.get("authorization") != "Bearer open-sesame":
            self.say(401, {}, www_authenticate='Bearer resource_metadata="' + here + '/about"')
        else:
            asked = json.loads(body)
            answer = {"jsonrpc": "2.0", "id": asked.get("id")}
            if asked["method"] == "initialize":
                answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
            elif asked["method"] == "tools/list":
                answer["result"] = {"tools": [{"name": "list_notes"}]}
            else:
                answer["error"] = {"code": -32601, "message": "not known"}
            self.say(200 if "id" in asked else 202, answer)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Both)
here = "http://127.0.0.1:%d" % server.server_port
print(here, flush=True)
server.serve_forever()
"#;

/// Opens an address as a browser does, and notes that it did.
const BROWSER: &str = "#!/usr/bin/env python3\nimport os, sys, urllib.request\nopen(os.environ['OPENED'], 'a').write('x')\nurllib.request.urlopen(sys.argv[1]).read()\n";

struct Protected(Child);

impl Drop for Protected {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn scan(world: &World, arguments: &[&str]) -> Output {
    let path = format!("{}:{}", world.path("bin"), std::env::var("PATH").expect("a path"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    command.args(["scan", "--isolated", "--format", "json"]).args(arguments).env("PATH", path);
    command
        .env("XDG_DATA_HOME", world.path("data"))
        .env("HOME", world.path("home"))
        .env("OPENED", world.path("opened"));
    command.stdin(Stdio::null()).output().expect("the binary runs")
}

#[test]
fn somebody_signs_in_when_the_server_asks_and_once() {
    let world = World::new("signing");
    let script = world.file("protected.py", PROTECTED);
    std::fs::create_dir_all(world.path("bin")).expect("a folder can be made");
    let browser = world.file("bin/xdg-open", BROWSER);
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut process =
        Command::new("python3").arg(script).stdout(Stdio::piped()).spawn().expect("python runs");
    let mut here = String::new();
    BufReader::new(process.stdout.take().expect("it is piped")).read_line(&mut here).expect("it says where");
    let _protected = Protected(process);
    let url = format!("{}/mcp", here.trim());

    let refused = scan(&world, &[&url]);
    let gap = report(&refused)["incomplete"][0].to_string();
    assert!(gap.contains("--sign-in") && refused.status.code() == Some(3), "{gap}");
    assert!(!std::path::Path::new(&world.path("opened")).exists(), "without a terminal no browser is opened");

    for times in 1..=2 {
        let output = scan(&world, &[&url, "--sign-in"]);
        let report = report(&output);
        assert_eq!(
            (&report["incomplete"], &report["totals"]["definitions"]),
            (&json!([]), &json!(1)),
            "{times}: {report}"
        );
        assert_eq!(world.read("opened"), "x", "{times}: the token is kept");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("open-sesame"));
    }
    for entry in std::fs::read_dir(world.path("data/portcullis/tokens")).expect("tokens are kept") {
        let mode = entry.expect("a file").metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
