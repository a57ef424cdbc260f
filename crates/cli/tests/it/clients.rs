//! `install` and `uninstall` on files in the shapes of real clients, in a home of the test's own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::world::World;

/// A client's file: what `--client` takes, where it is below the home, what it holds, how many servers change.
struct Fixture {
    client: &'static str,
    path: &'static str,
    text: &'static str,
    changed: usize,
}

const fn fixture(client: &'static str, path: &'static str, text: &'static str, changed: usize) -> Fixture {
    Fixture { client, path, text, changed }
}

/// Comments, CRLF, tabs, trailing commas, odd order, letters of other scripts: as people and programs leave files.
const FIXTURES: &[Fixture] = &[
    fixture(
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "{\n  \"globalShortcut\": \"\",\n  \"mcpServers\": {\n    \"filesystem\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"@modelcontextprotocol/server-filesystem\",\n        \"/home/a/\u{dc}bung\"\n      ]\n    },\n    \"Wetter \u{4e2d}\": {\"env\": {\"API_KEY\": \"not-for-you\"}, \"command\": \"uvx\"}\n  }\n}\n",
        2,
    ),
    fixture(
        "claude-code",
        ".claude.json",
        "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"git\": {\n      \"type\": \"stdio\",\n      \"command\": \"uvx\",\n      \"args\": [],\n      \"env\": {}\n    },\n    \"tickets\": {\n      \"type\": \"http\",\n      \"url\": \"https://tickets.example.com/mcp\",\n      \"headers\": {\n        \"Authorization\": \"Bearer not-for-you\"\n      }\n    }\n  },\n  \"projects\": {\n    \"/src/a\": {\n      \"history\": [],\n      \"mcpServers\": {\n        \"db\": {\n          \"command\": \"./db\"\n        }\n      }\n    }\n  }\n}",
        2,
    ),
    fixture(
        "cursor",
        ".cursor/mcp.json",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"git\": {\r\n\t\t\t\"command\": \"uvx\",\r\n\t\t\t\"args\": [\"mcp-server-git\"]\r\n\t\t},\r\n\t\t\"off\": { \"command\": \"x\", \"disabled\": true }\r\n\t}\r\n}\r\n",
        1,
    ),
    fixture(
        "vscode",
        ".config/Code/User/mcp.json",
        "// mine\n{\n  \"inputs\": [\n    { \"type\": \"promptString\", \"id\": \"key\", \"password\": true, },\n  ],\n  \"servers\": {\n    /* paid by /* us */\n    \"search\": {\n      \"type\": \"stdio\", // always\n      \"command\": \"npx\", \"args\": [\"-y\", \"search\", ], // \"args\"\n      \"env\": { \"KEY\": \"${input:key}\", },\n    },\n  },\n}\n",
        1,
    ),
    fixture(
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "{\"mcpServers\":{\"git\":{\"args\":[\"mcp-server-git\"],\"command\":\"uvx\"},\"far\":{\"serverUrl\":\"https://far.example.com/mcp\"}}}",
        1,
    ),
    fixture(
        "cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "{\n  \"mcpServers\": {\n    \"git\": {\n      \"autoApprove\": [],\n      \"disabled\": false,\n      \"timeout\": 60,\n      \"command\": \"uvx\",\n      \"args\": [\n        \"mcp-server-git\"\n      ],\n      \"transportType\": \"stdio\"\n    }\n  }\n}\n",
        1,
    ),
    fixture(
        "gemini",
        ".gemini/settings.json",
        "{\n  \"theme\": \"Default\",\n  \"mcpServers\": {\n    \"git\": { \"command\": \"uvx\", \"cwd\": \"/src\", \"trust\": false },\n    \"old\": { \"url\": \"https://old.example.com/sse\" }\n  }\n}\n",
        1,
    ),
    fixture(
        "codex",
        ".codex/config.toml",
        "# model of the day\r\nmodel = \"o\"\r\n\r\n[mcp_servers.git]\r\ncommand = \"uvx\" # quick\r\n\r\n[mcp_servers.git.env]\r\nKEY = \"not-for-you\"\r\n\r\n[mcp_servers.\"my files\"]\r\nargs = [\r\n  \"-y\", # yes\r\n]\r\ncommand = 'npx'\r\n\r\n[mcp_servers.far]\r\nurl = \"https://far.example.com/mcp\"\r\n",
        2,
    ),
    fixture(
        "kiro",
        ".kiro/settings/mcp.json",
        "{\n    \"mcpServers\": {\n        \"fetch\": {\n            \"command\": \"uvx\",\n            \"args\": [\"mcp-server-fetch\"],\n            \"autoApprove\": [\"fetch\"]\n        }\n    }\n}",
        1,
    ),
    fixture(
        "opencode",
        ".config/opencode/opencode.jsonc",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"git\": {\n      \"type\": \"local\",\n      \"command\": [\n        \"uvx\", // one\n        \"mcp-server-git\",\n      ],\n      \"environment\": { \"KEY\": \"not-for-you\" },\n      \"enabled\": true,\n    },\n  },\n}\n",
        1,
    ),
    fixture(
        "amazon-q",
        ".aws/amazonq/mcp.json",
        "\u{feff}{\"mcpServers\": {\"git\": {\"command\": \"uvx\", \"args\": [\"mcp-server-git\"], \"timeout\": 60000}}}\n",
        1,
    ),
    fixture(
        "zed",
        ".config/zed/settings.json",
        "// Zed settings\n//\n{\n  \"ui_font_size\": 16,\n  \"context_servers\": {\n    \"git\": {\n      \"source\": \"custom\",\n      \"enabled\": true,\n      \"command\": \"uvx\",\n      \"args\": [\"mcp-server-git\"],\n      \"env\": {},\n    },\n    \"older\": { \"command\": { \"path\": \"older\" }, \"settings\": {} },\n    \"ext\": { \"source\": \"extension\", \"settings\": {} },\n  },\n}\n",
        2,
    ),
    fixture(
        "warp",
        ".warp/.mcp.json",
        "{ \"mcpServers\": { \"git\": { \"command\": \"uvx\", \"working_directory\": \"/src\" } } }",
        1,
    ),
];

/// A home with files in it.
struct Home {
    world: World,
}

impl Home {
    fn new(name: &str) -> Home {
        Home { world: World::new(name) }
    }

    fn of(name: &str, fixture: &Fixture) -> Home {
        let home = Home::new(name);
        home.write(fixture.path, fixture.text);
        home
    }

    fn write(&self, path: &str, text: &str) {
        self.world.file(&format!("home/{path}"), text);
    }

    fn read(&self, path: &str) -> String {
        self.world.read(&format!("home/{path}"))
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        for variable in ["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA"] {
            command.env_remove(variable);
        }
        command
            .args(arguments)
            .args(["--data", &self.world.path("data")])
            .env("HOME", self.world.path("home"));
        command.stdin(Stdio::null()).output().expect("the binary runs")
    }

    /// Runs a command that must succeed and returns what it wrote to stdout.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {out}{err}");
        out
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("we write UTF-8")
}

#[test]
fn every_client_goes_through_the_gate_and_gets_its_file_back() {
    for fixture in FIXTURES {
        let Fixture { client, path, text, changed } = fixture;
        let home = Home::of(&format!("clients_{client}"), fixture);
        let out = home.done(&["install", "--client", client]);
        assert!(out.contains(&format!("{changed} now go through the gate")), "{client}: {out}");
        let after = home.read(path);
        assert_eq!(after.matches("\"wrap\", \"--name\", ").count(), *changed, "{client}: {after}");
        assert!(after.contains(env!("CARGO_BIN_EXE_portcullis")), "{client}: the program is named whole");
        let kept: Vec<&str> = text.lines().filter(|line| line.contains("//") || line.contains('#')).collect();
        assert!(kept.iter().all(|line| after.contains(line.split(['/', '#']).next_back().unwrap_or(""))));

        let again = home.done(&["install", "--client", "all"]);
        assert!(again.contains("0 now go through the gate"), "{client}: {again}");
        assert_eq!(home.read(path), after, "{client}: once is enough");

        let out = home.done(&["uninstall", "--client", client]);
        assert!(out.contains("restored byte for byte"), "{client}: {out}");
        assert_eq!(home.read(path), *text, "{client}");
        assert!(home.done(&["uninstall", "--client", "all"]).contains("nothing of these clients"));
    }
}

#[test]
fn what_was_written_since_stays_when_our_entries_go() {
    for (client, old, new) in [
        ("cursor", "\t\t\"off\":", "\t\t\"new\": { \"command\": \"y\" },\r\n\t\t\"off\":"),
        ("codex", "model = \"o\"", "model = \"p\""),
        ("zed", "\"ui_font_size\": 16", "\"ui_font_size\": 18"),
        ("claude-code", "\"numStartups\": 12", "\"numStartups\": 13"),
    ] {
        let fixture = FIXTURES.iter().find(|fixture| fixture.client == client).expect("a known client");
        let home = Home::of(&format!("clients_since_{client}"), fixture);
        home.done(&["install", "--client", client]);
        home.write(fixture.path, &home.read(fixture.path).replace(old, new));
        let out = home.done(&["uninstall", "--client", client]);
        assert!(out.contains("only our entries were undone"), "{out}");
        assert_eq!(home.read(fixture.path), fixture.text.replace(old, new), "{client}");
    }
}

#[test]
fn a_second_install_adds_what_came_and_still_goes_back() {
    let fixture = &FIXTURES[2];
    let home = Home::of("clients_twice", fixture);
    home.done(&["install", "--client", "cursor"]);
    let more =
        |text: &str| text.replace("\t\t\"off\":", "\t\t\"new\": { \"command\": \"y\" },\r\n\t\t\"off\":");
    home.write(fixture.path, &more(&home.read(fixture.path)));
    assert!(home.done(&["install", "--client", "cursor"]).contains("1 now go through the gate"));
    assert_eq!(home.read(fixture.path).matches("\"wrap\"").count(), 2);
    assert!(home.done(&["uninstall", "--client", "cursor"]).contains("restored byte for byte"));
    assert_eq!(home.read(fixture.path), more(fixture.text));
}

#[test]
fn an_entry_somebody_else_changed_is_left_and_named() {
    let fixture = &FIXTURES[0];
    let home = Home::of("clients_theirs", fixture);
    home.done(&["install", "--client", "claude-desktop"]);
    home.write(fixture.path, &home.read(fixture.path).replace("\"-y\"", "\"--yes\""));
    let out = home.done(&["uninstall", "--client", "claude-desktop"]);
    assert!(out.contains("filesystem: left, somebody changed it since"), "{out}");
    let text = home.read(fixture.path);
    assert!(text.contains("\"--yes\"") && text.matches("\"wrap\"").count() == 1, "{text}");
    assert!(text.contains("\"command\": \"uvx\"}"), "the other one is back: {text}");
}

#[test]
fn a_dry_run_shows_the_difference_and_no_secret() {
    let fixture = &FIXTURES[0];
    let home = Home::of("clients_dry", fixture);
    let out = home.done(&["install", "--client", "claude-desktop", "--dry-run", "--portcullis", "/bin/sh"]);
    assert_eq!(home.read(fixture.path), fixture.text);
    assert!(!Path::new(&home.world.path("data")).exists(), "a look leaves nothing behind");
    let out = home.world.relative(&out);
    insta::assert_snapshot!(out, @r#"
Claude Desktop: home/.config/Claude/claude_desktop_config.json
  4:5: filesystem (through the gate)
  12:5: Wetter 中 (through the gate, as wetter)
--- home/.config/Claude/claude_desktop_config.json
+++ home/.config/Claude/claude_desktop_config.json
@@ -3,12 +3,12 @@
   "mcpServers": {
     "filesystem": {
-      "command": "npx",
+      "command": "/bin/sh",
       "args": [
-        "-y",
+        "wrap", "--name", "filesystem", "--", "npx", "-y",
         "@modelcontextprotocol/server-filesystem",
         "/home/a/Übung"
       ]
     },
-    "Wetter 中": {"env": {"API_KEY": "********"}, "command": "uvx"}
+    "Wetter 中": {"env": {"API_KEY": "********"}, "command": "/bin/sh", "args": ["wrap", "--name", "wetter", "--", "uvx"]}
   }
 }
2 would go through the gate, 0 left as they are
"#);
}

#[test]
fn what_is_kept_is_for_its_owner_only() {
    let fixture = &FIXTURES[7];
    let home = Home::of("clients_private", fixture);
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt;
    let file = home.world.path(&format!("home/{}", fixture.path));
    #[cfg(unix)]
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let out = home.done(&["install", "--client", "codex"]);
    assert!(!out.contains("not-for-you"));
    #[cfg(unix)]
    {
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(Path::new(&file)), 0o640, "the client's file keeps its mode");
        let kept = home.world.path("data/clients");
        assert_eq!(mode(Path::new(&kept)), 0o700);
        assert_eq!(mode(&Path::new(&kept).join("ledger.json")), 0o600);
        let backups = fs::read_dir(Path::new(&kept).join("backup")).expect("it is there");
        let modes: Vec<u32> = backups.map(|entry| mode(&entry.expect("it is there").path())).collect();
        assert_eq!(modes, [0o600]);
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_keep_the_others_from_it() {
    let home = Home::of("clients_broken", &FIXTURES[2]);
    home.write(".gemini/settings.json", "{\n  \"mcpServers\": {\n    \"a\": secret\n  }\n}");
    home.write(".codex/config.toml", "[mcp_servers\n");
    #[cfg(unix)]
    {
        fs::create_dir_all(home.world.path("home/.warp")).expect("folders can be made");
        std::os::unix::fs::symlink("nowhere", home.world.path("home/.warp/.mcp.json")).expect("a link");
    }
    let output = home.run(&["install", "--client", "all"]);
    let (out, err) = (text(&output.stdout), home.world.relative(&text(&output.stderr)));
    assert_eq!(output.status.code(), Some(3), "{out}{err}");
    assert!(err.contains("home/.gemini/settings.json:3:10: this is no value"), "{err}");
    assert!(err.contains("home/.codex/config.toml:1:"), "{err}");
    #[cfg(unix)]
    assert!(err.contains("home/.warp/.mcp.json: No such file"), "{err}");
    assert!(!err.contains("secret"), "{err}");
    assert!(out.contains("1 now go through the gate"), "{out}");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let fixture = &FIXTURES[2];
    let home = Home::new("clients_link");
    home.write("dotfiles/mcp.json", fixture.text);
    fs::create_dir_all(home.world.path("home/.cursor")).expect("folders can be made");
    let link = home.world.path("home/.cursor/mcp.json");
    std::os::unix::fs::symlink("../dotfiles/mcp.json", &link).expect("a link");
    home.done(&["install", "--client", "cursor"]);
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    assert!(home.read("dotfiles/mcp.json").contains("\"wrap\""));
    home.done(&["uninstall", "--client", "cursor"]);
    assert_eq!(home.read("dotfiles/mcp.json"), fixture.text);
}

#[test]
fn names_are_mapped_and_hostile_ones_escaped() {
    let home = Home::new("clients_names");
    let servers = r#"{"mcpServers": {"My Files": {"command": "a"}, "my-files": {"command": "b"}, "x\u001b[2J": {"command": "c"}}}"#;
    home.write(".cursor/mcp.json", servers);
    home.write(".kiro/settings/mcp.json", r#"{"mcpServers": {"my-files": {"command": "a"}}}"#);
    let out = home.done(&["install", "--client", "all"]);
    assert!(out.contains("My Files (through the gate, as my-files)"), "{out}");
    assert!(out.contains("my-files (through the gate, as my-files-"), "another launch, another name: {out}");
    assert!(!out.contains('\u{1b}'), "{out}");
    assert!(home.read(".kiro/settings/mcp.json").contains(r#""my-files", "--", "a""#), "the same launch");
}

#[test]
fn only_named_servers_and_projects_are_touched() {
    let home = Home::of("clients_only", &FIXTURES[0]);
    let project = home.world.path("home/src/p");
    home.write(
        "src/p/.mcp.json",
        r#"{"mcpServers": {"p": {"command": "x"}, "far": {"url": "https://far.example.com"}}}"#,
    );
    home.done(&["install", "--client", "all", "--server", "filesystem"]);
    assert_eq!(home.read(FIXTURES[0].path).matches("\"wrap\"").count(), 1);
    assert!(!home.read("src/p/.mcp.json").contains("wrap"), "only a project that is named");
    let out = home.done(&["install", "--client", "claude-code", "--project", &project]);
    assert!(out.contains("far (left: it is remote, and the gateway's token does not belong"), "{out}");
    assert!(home.read("src/p/.mcp.json").contains("\"wrap\", \"--name\", \"p\""));
    let missing = home.run(&["install", "--client", "all", "--server", "nobody"]);
    assert_eq!(missing.status.code(), Some(2));
    let unknown = home.run(&["install", "--client", "cursr"]);
    assert!(text(&unknown.stderr).contains("did you mean cursor?"));
}

#[test]
fn remote_servers_go_to_a_gateway_that_knows_them() {
    let home = Home::new("clients_remote");
    let servers = r#"{"mcpServers": {"tickets": {"url": "https://tickets.example.com/mcp", "headers": {"Authorization": "Bearer not-for-you"}}, "other": {"url": "https://other.example.com/mcp"}}}"#;
    home.write(".cursor/mcp.json", servers);
    let config = r#"{ "listen": "127.0.0.1:0", "data_dir": "gateway", "auth": { "tokens": ["a-token-of-agents"] }, "mcpServers": { "tickets": { "url": "https://tickets.example.com/mcp" } } }"#;
    let config = home.world.file("portcullis.json", config);
    let mut gateway = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    gateway.args(["serve", "--config", &config]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut gateway = gateway.stderr(Stdio::null()).spawn().expect("the binary starts");
    let mut line = String::new();
    BufReader::new(gateway.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says where");
    let url = line.trim_end().trim_end_matches("/mcp").to_owned();
    let install = |token: &str| {
        let token = home.world.file("token", token);
        home.done(&["install", "--client", "cursor", "--gateway-url", &url, "--token-file", &token])
    };
    let refused = install("another-token\n");
    let taken = install("a-token-of-agents\n");
    let again = home.done(&["install", "--client", "cursor"]);
    gateway.kill().and_then(|()| gateway.wait()).expect("it ends");
    let gone = install("a-token-of-agents\n");

    assert!(refused.contains("tickets (left: the gateway does not take this token)"), "{refused}");
    assert!(taken.contains("tickets (through the gate)"), "{taken}");
    assert!(taken.contains("other (left: the gateway does not know it"), "{taken}");
    assert!(again.contains("tickets (through the gate already)"), "{again}");
    assert!(again.contains("other (left: it is remote: add it to portcullis.json"), "{again}");
    assert!(gone.contains("other (left: the gateway does not answer"), "{gone}");
    let text = home.read(".cursor/mcp.json");
    let entry = format!(
        r#""tickets": {{"url": "{url}/mcp/tickets", "headers": {{ "Authorization": "Bearer a-token-of-agents" }}}}"#
    );
    assert!(text.contains(&entry), "{text}");
    home.done(&["uninstall", "--client", "cursor"]);
    assert_eq!(home.read(".cursor/mcp.json"), servers);
}

#[test]
fn doctor_says_which_clients_go_through_the_gate() {
    let home = Home::of("clients_doctor", &FIXTURES[2]);
    let before = text(&home.run(&["doctor"]).stdout);
    assert!(before.contains("client: Cursor, 0 of 2 servers through the gate: "), "{before}");
    home.done(&["install", "--client", "cursor"]);
    let after = text(&home.run(&["doctor"]).stdout);
    assert!(after.contains("client: Cursor, 1 of 2 servers through the gate: "), "{after}");
}
