//! The clients we know, as data: where each keeps its servers on which system, and in which words.

use portcullis_detect::fingerprint::Transport;

use crate::document::Format;

/// A client, as far as its files are concerned.
#[derive(Debug)]
pub(crate) struct Client {
    /// What `--client` takes.
    pub(crate) id: &'static str,
    /// What people call it.
    pub(crate) name: &'static str,
    pub(crate) files: &'static [Kept],
    /// What an address means when the entry does not say.
    pub(crate) plain_url: Transport,
    /// The key of an entry under which fixed headers stand.
    pub(crate) headers: &'static str,
    /// Whether `${NAME}` stands for an environment variable in its entries; `${env:NAME}` does in any.
    pub(crate) has_plain_variables: bool,
    /// The word an entry says under `type` to mean streamable HTTP; `None` if the key of the address says it.
    pub(crate) http_word: Option<&'static str>,
    /// Keys that bring a credential of the client's own: with one of them an entry cannot carry ours.
    pub(crate) credentials: &'static [&'static str],
}

/// A place where a client keeps servers.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) base: Base,
    /// The way from there; `*` in a part stands for any run of characters.
    pub(crate) path: &'static str,
    pub(crate) format: Format,
    /// The ways through the document to objects or lists of servers; `*` stands for any member.
    pub(crate) sections: &'static [&'static [&'static str]],
}

/// Where a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The user's home.
    Home,
    /// Where applications keep settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`.
    Settings,
    /// `~/.config` on every system but Windows, which has `%APPDATA%`.
    DotConfig,
    /// The folder an environment variable names, or this one in the home.
    Variable(&'static str, &'static str),
    /// A project's folder.
    Project,
}

/// Whatever wrote a file that holds servers in one of the known ways; one entry for each language of files.
pub(crate) static ANY: Client = Client {
    has_plain_variables: true,
    ..client("file", "file", &[any(Format::Json), any(Format::Toml), any(Format::Yaml)])
};

const fn any(format: Format) -> Kept {
    Kept { base: Base::Project, path: "", format, sections: EVERY }
}

/// All the ways to servers.
const EVERY: &[&[&str]] = &[
    &["mcpServers"],
    &["projects", "*", "mcpServers"],
    &["mcp", "servers"],
    &["mcp"],
    &["servers"],
    &["mcp_servers"],
    &["context_servers"],
];

/// The client `--client` names.
pub(crate) fn by_id(id: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.id == id)
}

const fn kept(base: Base, path: &'static str, sections: &'static [&'static [&'static str]]) -> Kept {
    Kept { base, path, format: Format::Json, sections }
}

const fn yaml(base: Base, path: &'static str) -> Kept {
    Kept { base, path, format: Format::Yaml, sections: USUAL }
}

const fn client(id: &'static str, name: &'static str, files: &'static [Kept]) -> Client {
    Client {
        id,
        name,
        files,
        plain_url: Transport::Http,
        headers: "headers",
        has_plain_variables: false,
        http_word: Some("http"),
        credentials: &[],
    }
}

/// What most clients agreed on.
const USUAL: &[&[&str]] = &[&["mcpServers"]];
const VS_CODE: &[&[&str]] = &[&["servers"]];
/// The second generation keeps servers one step deeper.
const OPEN_CODE: &[&[&str]] = &[&["mcp", "servers"], &["mcp"]];

/// All of them.
pub(crate) static CLIENTS: &[Client] = &[
    client(
        "claude-desktop",
        "Claude Desktop",
        &[kept(Base::Settings, "Claude/claude_desktop_config.json", USUAL)],
    ),
    Client {
        has_plain_variables: true,
        ..client(
            "claude-code",
            "Claude Code",
            &[
                kept(
                    Base::Variable("CLAUDE_CONFIG_DIR", ""),
                    ".claude.json",
                    &[&["mcpServers"], &["projects", "*", "mcpServers"]],
                ),
                kept(Base::Project, ".mcp.json", USUAL),
            ],
        )
    },
    client(
        "cursor",
        "Cursor",
        &[kept(Base::Home, ".cursor/mcp.json", USUAL), kept(Base::Project, ".cursor/mcp.json", USUAL)],
    ),
    client(
        "vscode",
        "VS Code",
        &[
            kept(Base::Settings, "Code/User/mcp.json", VS_CODE),
            kept(Base::Settings, "Code/User/profiles/*/mcp.json", VS_CODE),
            kept(Base::Settings, "Code/User/settings.json", &[&["mcp", "servers"]]),
            kept(Base::Settings, "Code - Insiders/User/mcp.json", VS_CODE),
            kept(Base::Settings, "VSCodium/User/mcp.json", VS_CODE),
            kept(Base::Project, ".vscode/mcp.json", VS_CODE),
        ],
    ),
    client(
        "windsurf",
        "Windsurf",
        &[
            kept(Base::Home, ".codeium/windsurf/mcp_config.json", USUAL),
            kept(Base::Project, ".windsurf/mcp.json", USUAL),
        ],
    ),
    Client {
        plain_url: Transport::Sse,
        http_word: Some("streamableHttp"),
        ..client(
            "cline",
            "Cline",
            &[
                kept(
                    Base::Settings,
                    "*/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
                    USUAL,
                ),
                kept(Base::Home, ".cline/data/settings/cline_mcp_settings.json", USUAL),
            ],
        )
    },
    Client {
        plain_url: Transport::Sse,
        http_word: Some("streamable-http"),
        ..client(
            "roo",
            "Roo Code",
            &[
                kept(
                    Base::Settings,
                    "*/User/globalStorage/rooveterinaryinc.roo-cline/settings/*mcp_settings.json",
                    USUAL,
                ),
                kept(Base::Project, ".roo/mcp.json", USUAL),
            ],
        )
    },
    // Its `url` means server-sent events, `httpUrl` streamable HTTP.
    Client {
        plain_url: Transport::Sse,
        has_plain_variables: true,
        http_word: None,
        ..client(
            "gemini",
            "Gemini CLI",
            &[
                kept(Base::Home, ".gemini/settings.json", USUAL),
                kept(Base::Project, ".gemini/settings.json", USUAL),
            ],
        )
    },
    Client {
        headers: "http_headers",
        credentials: &["bearer_token_env_var", "env_http_headers"],
        ..client(
            "codex",
            "Codex",
            &[
                Kept {
                    base: Base::Variable("CODEX_HOME", ".codex"),
                    path: "config.toml",
                    format: Format::Toml,
                    sections: &[&["mcp_servers"]],
                },
                Kept {
                    base: Base::Project,
                    path: ".codex/config.toml",
                    format: Format::Toml,
                    sections: &[&["mcp_servers"]],
                },
            ],
        )
    },
    client(
        "kiro",
        "Kiro",
        &[
            kept(Base::Home, ".kiro/settings/mcp.json", USUAL),
            kept(Base::Project, ".kiro/settings/mcp.json", USUAL),
        ],
    ),
    client(
        "opencode",
        "OpenCode",
        &[
            kept(Base::Home, ".config/opencode/opencode.json*", OPEN_CODE),
            kept(Base::Project, "opencode.json*", OPEN_CODE),
            kept(Base::Project, ".opencode/opencode.json*", OPEN_CODE),
        ],
    ),
    client(
        "amazon-q",
        "Amazon Q",
        &[
            kept(Base::Home, ".aws/amazonq/mcp.json", USUAL),
            kept(Base::Home, ".aws/amazonq/default.json", USUAL),
            kept(Base::Home, ".aws/amazonq/agents/*.json", USUAL),
            kept(Base::Project, ".amazonq/mcp.json", USUAL),
            kept(Base::Project, ".amazonq/default.json", USUAL),
        ],
    ),
    client(
        "zed",
        "Zed",
        &[
            kept(Base::DotConfig, "zed/settings.json", &[&["context_servers"]]),
            kept(Base::Project, ".zed/settings.json", &[&["context_servers"]]),
        ],
    ),
    client(
        "continue",
        "Continue",
        &[
            yaml(Base::Home, ".continue/config.yaml"),
            yaml(Base::Home, ".continue/mcpServers/*.y*ml"),
            kept(
                Base::Home,
                ".continue/config.json",
                &[&["mcpServers"], &["experimental", "modelContextProtocolServers"]],
            ),
            kept(Base::Home, ".continue/mcpServers/*.json", USUAL),
            yaml(Base::Project, ".continue/mcpServers/*.y*ml"),
            kept(Base::Project, ".continue/mcpServers/*.json", USUAL),
        ],
    ),
    client(
        "warp",
        "Warp",
        &[
            kept(Base::Home, ".warp/.mcp.json", USUAL),
            kept(Base::Home, ".warp/mcp.json", USUAL),
            kept(Base::Project, ".warp/.mcp.json", USUAL),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_a_word_and_a_place_of_the_users_own() {
        for client in CLIENTS {
            assert!(std::ptr::eq(by_id(client.id).unwrap(), client), "{} twice", client.id);
            assert!(client.files.iter().any(|kept| kept.base != Base::Project), "{}", client.id);
        }
    }
}
