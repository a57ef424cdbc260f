//! A Redis or Valkey of one's own: on a free port, in a temporary folder, gone with its owner.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server. It is killed and its folder goes when this is dropped, or when the process ends in any way.
pub(crate) struct Valkey {
    folder: PathBuf,
    port: u16,
    server: Option<Child>,
}

impl Valkey {
    /// Starts a server that writes everything down before it answers.
    pub(crate) fn start(name: &str) -> Result<Valkey, String> {
        let folder = std::env::temp_dir().join(format!("portcullis-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        // The system hands out a port nobody uses; the server takes it a moment later.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.map_err(|error| format!("no free port: {error}"))?.port();
        let mut valkey = Valkey { folder, port, server: None };
        valkey.begin()?;
        Ok(valkey)
    }

    pub(crate) fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Starts the server and returns when it answers.
    pub(crate) fn begin(&mut self) -> Result<(), String> {
        let mut shell = Command::new("sh");
        // The server ends when our end of the pipe is closed, even by a kill.
        shell.args(["-c", "\"$@\" & cat; kill -9 $!; wait", "sh", program()?]);
        shell.args([
            "--port",
            &self.port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "yes",
        ]);
        shell.arg("--dir").arg(&self.folder);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        self.server = Some(shell.spawn().map_err(|error| format!("cannot start the server: {error}"))?);
        let deadline = Instant::now() + Duration::from_secs(20);
        while !self.answers() {
            if Instant::now() > deadline {
                return Err("the server does not answer".to_owned());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Ends the server at once, as a crash would.
    pub(crate) fn crash(&mut self) {
        if let Some(mut server) = self.server.take() {
            drop(server.stdin.take());
            let _ = server.wait();
        }
    }

    /// What the server says to one command.
    pub(crate) fn says(&self, command: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
        stream.write_all(format!("{command}\r\n").as_bytes()).ok()?;
        let mut answer = [0; 512];
        let count = stream.read(&mut answer).ok()?;
        Some(String::from_utf8_lossy(answer.get(..count)?).into_owned())
    }

    fn answers(&self) -> bool {
        self.says("PING").is_some_and(|answer| answer.starts_with("+PONG"))
    }
}

impl Drop for Valkey {
    fn drop(&mut self) {
        self.crash();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The server's program, whichever of the two is installed.
fn program() -> Result<&'static str, String> {
    let is_there = |program: &&str| {
        let version =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    ["valkey-server", "redis-server"].into_iter().find(is_there).ok_or_else(|| {
        "Valkey and Redis are missing: `cargo xtask ready --install` or `apt-get install redis-server` gets one".into()
    })
}
