//! What the demo plays on: a gateway in a process of its own with a data directory of its own, and the servers behind it.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::exit::Failure;
use crate::security::desk::{Asking, DeskPlace};

/// The hostile server's program.
const ADVERSARY: &str = "portcullis-adversary";
/// What `serve` writes before the address of the dashboard.
const DASHBOARD: &str = "dashboard: ";
/// How long the gateway has to end when it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// The servers by name: the scenario each performs, and as which of its honest peers.
const SERVERS: [(&str, &str, Option<&str>); 5] = [
    ("home-files", "exfil-webhook-collector", Some("home-files")),
    ("http-post", "exfil-webhook-collector", None),
    ("quick-math", "poison-tagged-ssh-key", None),
    ("backup-buddy", "rug-description", None),
    ("web-reader", "result-direct", None),
];

/// Finds the hostile server: where it is said to be, beside us, or on the path.
pub(super) fn adversary(said: Option<&Path>) -> Result<PathBuf, Failure> {
    let name = format!("{ADVERSARY}{EXE_SUFFIX}");
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(&name)));
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(&name));
    let places: Vec<PathBuf> = match said {
        Some(file) => vec![file.to_owned()],
        None => beside.into_iter().chain(on_path).collect(),
    };
    places.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        Failure::Usage(format!(
            "{ADVERSARY}, the hostile server of the demo, is neither beside this program nor on the path: \
             `cargo build --release -p {ADVERSARY}` builds it, --adversary FILE says where it is"
        ))
    })
}

/// The gateway, until it is dropped.
pub(super) struct Stage {
    folder: PathBuf,
    gateway: Child,
    /// Where agents go.
    pub(super) url: String,
}

impl Stage {
    pub(super) fn set(adversary: &Path) -> Result<Stage, Failure> {
        let folder = std::env::temp_dir().join(format!("portcullis-demo-{}", std::process::id()));
        private_folder(&folder).map_err(|error| Failure::Create { path: folder.clone(), error })?;
        let config = folder.join("portcullis.json");
        fs::write(&config, configured(adversary).to_string())?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", "--config"]).arg(&config).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(File::create(folder.join("gateway.log"))?);
        let gateway = command.spawn()?;
        let mut stage = Stage { folder, gateway, url: String::new() };
        if let Some(stdout) = stage.gateway.stdout.take() {
            BufReader::new(stdout).read_line(&mut stage.url)?;
        }
        stage.url.truncate(stage.url.trim_end().len());
        if stage.url.is_empty() {
            let log = fs::read_to_string(stage.folder.join("gateway.log")).unwrap_or_default();
            return Err(Failure::Usage(format!("the gateway of the demo did not start: {log}")));
        }
        Ok(stage)
    }

    /// What the operator decides with.
    pub(super) fn desk(&self) -> Result<Asking, Failure> {
        let place = DeskPlace {
            data: Some(self.folder.join("data")),
            config: Some(self.folder.join("portcullis.json")),
        };
        place.running()
    }

    pub(super) fn servers() -> impl Iterator<Item = &'static str> {
        SERVERS.iter().map(|(name, _, _)| *name)
    }

    /// The address of the dashboard, if `serve` said one.
    pub(super) fn dashboard(&self) -> Option<String> {
        let log = fs::read_to_string(self.folder.join("gateway.log")).ok()?;
        log.lines().find_map(|line| line.strip_prefix(DASHBOARD)).map(str::to_owned)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            // Asked kindly it ends its servers as well.
            let id = i32::try_from(self.gateway.id()).ok().and_then(rustix::process::Pid::from_raw);
            let asked = id.map(|id| rustix::process::kill_process(id, rustix::process::Signal::TERM));
            let patience = Instant::now() + GRACE;
            while matches!(asked, Some(Ok(()))) && Instant::now() < patience {
                if !matches!(self.gateway.try_wait(), Ok(None)) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        // One that has ended is no trouble, and what cannot be removed lies among temporary files.
        let _ = self.gateway.kill();
        let _ = self.gateway.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn configured(adversary: &Path) -> Value {
    let server = |(name, scenario, peer): &(&str, &str, Option<&str>)| {
        let mut arguments = vec!["--scenario", scenario, "--stdio"];
        arguments.extend(peer.iter().flat_map(|peer| ["--peer", peer]));
        ((*name).to_owned(), json!({ "command": adversary, "args": arguments }))
    };
    json!({
        "listen": "127.0.0.1:0",
        "data_dir": "data",
        "telemetry": { "log": "error" },
        "timing": { "drain_ms": 0 },
        "mcpServers": serde_json::Map::from_iter(SERVERS.iter().map(server)),
    })
}

/// A folder that is new, and its owner's alone.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
