//! A home of the test's own, with files in the shapes real clients leave.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::world::World;

/// A client's file: what `--client` takes, where it is below the home, what it holds, how many servers change.
pub(crate) struct Fixture {
    pub(crate) client: &'static str,
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
    pub(crate) changed: usize,
}

const fn fixture(client: &'static str, path: &'static str, text: &'static str, changed: usize) -> Fixture {
    Fixture { client, path, text, changed }
}

/// Comments, CRLF, tabs, trailing commas, odd order, letters of other scripts: as people and programs leave files.
pub(crate) const FIXTURES: &[Fixture] = &[
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
        3,
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
        2,
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
        2,
    ),
    fixture(
        "codex",
        ".codex/config.toml",
        "# model of the day\r\nmodel = \"o\"\r\n\r\n[mcp_servers.git]\r\ncommand = \"uvx\" # quick\r\n\r\n[mcp_servers.git.env]\r\nKEY = \"not-for-you\"\r\n\r\n[mcp_servers.\"my files\"]\r\nargs = [\r\n  \"-y\", # yes\r\n]\r\ncommand = 'npx'\r\n\r\n[mcp_servers.far]\r\nurl = \"https://far.example.com/mcp\"\r\n",
        3,
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
pub(crate) struct Home {
    pub(crate) world: World,
}

impl Home {
    pub(crate) fn new(name: &str) -> Home {
        Home { world: World::new(name) }
    }

    pub(crate) fn of(name: &str, fixture: &Fixture) -> Home {
        let home = Home::new(name);
        home.write(fixture.path, fixture.text);
        home
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.world.file(&format!("home/{path}"), text);
    }

    pub(crate) fn read(&self, path: &str) -> String {
        self.world.read(&format!("home/{path}"))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_portcullis"));
        command.args(arguments).args(["--data", &self.world.path("data")]);
        command.stdin(Stdio::null()).output().expect("the binary runs")
    }

    /// A program in the environment of this home, with programs of the test's own before those of the machine.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for variable in ["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA"] {
            command.env_remove(variable);
        }
        command.env("HOME", self.world.path("home"));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.world.path("home/bin")));
        command
    }

    /// Puts a program of the shell into this home.
    #[cfg(unix)]
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.world.file(&format!("home/bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is ours");
    }

    /// The process that writes in the data directory, if there is one.
    pub(crate) fn gateway(&self) -> Option<String> {
        let pid = fs::read_to_string(self.world.path("data/lock")).ok()?;
        Some(pid).filter(|pid| Path::new(&format!("/proc/{pid}")).exists())
    }

    /// Runs a command that must succeed and returns what it wrote to stdout.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {out}{err}");
        out
    }
}

impl Drop for Home {
    /// A gateway that a command started outlives it.
    fn drop(&mut self) {
        if let Some(pid) = self.gateway() {
            let _ = Command::new("kill").arg(pid).status();
        }
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("we write UTF-8")
}
