//! What the servers work on: a folder of files, a git repository, a page on a port of this machine; and how each server
//! is started.

use super::kit::Kit;
use anyhow::Result;
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::shell;

/// The servers, in the order of the gateway's file.
pub(super) const SERVERS: [&str; 5] = ["everything", "filesystem", "memory", "fetch", "git"];

const PAGE: &str = "<html><head><title>A page</title></head><body><article><h1>A page</h1>\
    <p>This page is served on a port of this machine, so that fetching it needs no network.</p></article></body></html>";

pub(super) struct Scene {
    folder: PathBuf,
    page: SocketAddr,
}

impl Scene {
    /// A fresh scene; the page is served as long as the program runs.
    pub(super) fn set(folder: PathBuf) -> Result<Scene> {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(folder.join("files"))?;
        // Servers name files by their real paths.
        let folder = folder.canonicalize()?;
        repository(&folder.join("repository"))?;
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let page = listener.local_addr()?;
        std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(answer(stream))));
        Ok(Scene { folder, page })
    }

    /// A folder or file of the scene.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A text of the steps, with what stands in braces filled in.
    pub(super) fn filled(&self, text: &str, name: &str) -> String {
        text.replace("{files}", &self.place("files").to_string_lossy())
            .replace("{repository}", &self.place("repository").to_string_lossy())
            .replace("{page}", &format!("http://{}/page", self.page))
            .replace("{name}", name)
    }

    /// The roots a client offers.
    pub(super) fn roots(&self) -> Value {
        json!([{ "uri": format!("file://{}", self.place("files").display()), "name": "files" }])
    }

    /// How a server is started, in the words of clients and of the gateway's file alike.
    pub(super) fn launch(&self, kit: &Kit, server: &str, run: &str) -> Value {
        let node = |script: &str, more: &[&Path]| {
            let script = kit.server(script);
            let arguments: Vec<&Path> = [script.as_path()].into_iter().chain(more.iter().copied()).collect();
            json!({ "command": kit.node(), "args": arguments })
        };
        match server {
            "filesystem" => node("filesystem", &[&self.place("files")]),
            "memory" => {
                let mut launch = node("memory", &[]);
                launch["env"] = json!({ "MEMORY_FILE_PATH": self.place(&format!("memory-{run}.jsonl")) });
                launch
            }
            "fetch" => json!({
                "command": kit.python(2, "mcp-server-fetch"),
                "args": ["--allow-private-ips", "--ignore-robots-txt"],
                // Where it finds Node, it has npm install more when a page is first fetched.
                "env": { "PATH": kit.python(2, "python").parent() },
            }),
            "git" => json!({
                "command": kit.python(2, "mcp-server-git"),
                "args": ["--repository", self.place("repository")],
            }),
            script => node(script, &[]),
        }
    }

    /// The gateway's file: all servers as child processes.
    pub(super) fn config(&self, kit: &Kit, name: &str) -> Result<PathBuf> {
        let servers = SERVERS.map(|server| (server.to_owned(), self.launch(kit, server, name)));
        let config = json!({
            "listen": "127.0.0.1:0",
            "data_dir": format!("data-{name}"),
            "security": { "tool_quarantine": { "auto_quarantine_new_tools": false } },
            "mcpServers": serde_json::Map::from_iter(servers),
        });
        let file = self.place(&format!("{name}.json"));
        fs::write(&file, config.to_string())?;
        Ok(file)
    }
}

/// A repository with one commit and one file that is not in it.
fn repository(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(["-c", "user.name=A Name", "-c", "user.email=name@example.com"]);
        shell::output(command.args(arguments)).map(drop)
    };
    git(&["init", "--quiet", "--initial-branch=main"])?;
    fs::write(folder.join("kept.txt"), "kept\n")?;
    git(&["add", "kept.txt"])?;
    git(&["commit", "--quiet", "--message=one commit"])?;
    Ok(fs::write(folder.join("new.txt"), "new\n")?)
}

/// Every path is the page.
fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut asked = Vec::new();
    let mut byte = [0];
    // A request without a body ends with an empty line.
    while !asked.ends_with(b"\r\n\r\n") && asked.len() < 16 << 10 && stream.read(&mut byte)? > 0 {
        asked.extend(byte);
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length:";
    write!(stream, "{head} {}\r\n\r\n{PAGE}", PAGE.len())
}
