//! `install` and `uninstall` on files in the shapes of real clients, in a home of the test's own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::home::{FIXTURES, Fixture, Home, text};

#[test]
fn every_client_goes_through_the_gate_and_gets_its_file_back() {
    for fixture in FIXTURES {
        let Fixture { client, path, text, changed } = fixture;
        let home = Home::of(&format!("clients_{client}"), fixture);
        let out = home.done(&["install", "--no-scan", "--client", client]);
        assert!(out.contains(&format!("{changed} now go through the gate")), "{client}: {out}");
        let after = home.read(path);
        let relayed = after.matches("\"wrap\", \"--name\", ").count();
        let rerouted = after.matches("Bearer pcl_").count();
        assert_eq!(relayed + rerouted, *changed, "{client}: {after}");
        assert!(after.contains(env!("CARGO_BIN_EXE_portcullis")), "{client}: the program is named whole");
        let is_comment = |line: &&str| (line.contains("//") && !line.contains("://")) || line.contains('#');
        let kept: Vec<&str> = text.lines().filter(is_comment).collect();
        assert!(kept.iter().all(|line| after.contains(line.split(['/', '#']).next_back().unwrap_or(""))));

        let again = home.done(&["install", "--no-scan", "--client", "all"]);
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
        home.done(&["install", "--no-scan", "--client", client]);
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
    home.done(&["install", "--no-scan", "--client", "cursor"]);
    let more =
        |text: &str| text.replace("\t\t\"off\":", "\t\t\"new\": { \"command\": \"y\" },\r\n\t\t\"off\":");
    home.write(fixture.path, &more(&home.read(fixture.path)));
    assert!(home.done(&["install", "--no-scan", "--client", "cursor"]).contains("1 now go through the gate"));
    assert_eq!(home.read(fixture.path).matches("\"wrap\"").count(), 2);
    assert!(home.done(&["uninstall", "--client", "cursor"]).contains("restored byte for byte"));
    assert_eq!(home.read(fixture.path), more(fixture.text));
}

#[test]
fn an_entry_somebody_else_changed_is_left_and_named() {
    let fixture = &FIXTURES[0];
    let home = Home::of("clients_theirs", fixture);
    home.done(&["install", "--no-scan", "--client", "claude-desktop"]);
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
    let out = home.done(&["install", "--no-scan", "--client", "codex"]);
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
    let output = home.run(&["install", "--no-scan", "--client", "all"]);
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
    home.done(&["install", "--no-scan", "--client", "cursor"]);
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
    let out = home.done(&["install", "--no-scan", "--client", "all"]);
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
    home.done(&["install", "--no-scan", "--client", "all", "--server", "filesystem"]);
    assert_eq!(home.read(FIXTURES[0].path).matches("\"wrap\"").count(), 1);
    assert!(!home.read("src/p/.mcp.json").contains("wrap"), "only a project that is named");
    let out = home.done(&["install", "--no-scan", "--client", "claude-code", "--project", &project]);
    assert!(out.contains("far (left: it is remote, and the gateway's token does not belong"), "{out}");
    assert!(home.read("src/p/.mcp.json").contains("\"wrap\", \"--name\", \"p\""));
    let missing = home.run(&["install", "--no-scan", "--client", "all", "--server", "nobody"]);
    assert_eq!(missing.status.code(), Some(2));
    let unknown = home.run(&["install", "--no-scan", "--client", "cursr"]);
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
        home.done(&[
            "install",
            "--no-scan",
            "--client",
            "cursor",
            "--gateway-url",
            &url,
            "--token-file",
            &token,
        ])
    };
    let refused = install("another-token\n");
    let taken = install("a-token-of-agents\n");
    let again = install("a-token-of-agents\n");
    gateway.kill().and_then(|()| gateway.wait()).expect("it ends");
    let gone = install("a-token-of-agents\n");

    assert!(refused.contains("tickets (left: the gateway does not take this token)"), "{refused}");
    assert!(taken.contains("tickets (through the gate)"), "{taken}");
    assert!(taken.contains("other (left: the gateway does not know it"), "{taken}");
    assert!(again.contains("tickets (through the gate already)"), "{again}");
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
    home.done(&["install", "--no-scan", "--client", "cursor"]);
    let after = text(&home.run(&["doctor"]).stdout);
    assert!(after.contains("client: Cursor, 1 of 2 servers through the gate: "), "{after}");
}
