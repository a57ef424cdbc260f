//! A PostgreSQL of one's own: made from Debian's binaries in a temporary folder, on a free port, gone with its owner.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Names the folder of PostgreSQL's programs where they are not where Debian has them.
const BINARIES: &str = "PORTCULLIS_POSTGRES_BIN";
/// PostgreSQL refuses to run as root; Debian's packages make this user for it.
const USER: &str = "postgres";

/// Makes an authority and a certificate in the folder `$1`, and switches encryption on.
const CERTIFICATES: &str = r#"
    cd "$1"
    new="openssl req -newkey rsa:2048 -nodes -batch"
    $new -x509 -days 2 -subj "/CN=authority" -keyout roots.key -out roots.pem
    $new -subj "/CN=localhost" -keyout data/server.key -out server.csr
    echo "subjectAltName=DNS:localhost" > names
    openssl x509 -req -days 2 -in server.csr -CA roots.pem -CAkey roots.key -CAcreateserial -extfile names -out data/server.crt
    chmod 600 data/server.key
    chmod 644 roots.pem
    echo "ssl = on" >> data/postgresql.auto.conf
"#;

/// A running server; it stops and its folder goes when this is dropped, or when the process ends in any way.
pub(crate) struct Cluster {
    binaries: PathBuf,
    folder: PathBuf,
    port: u16,
    watchdog: Child,
}

impl Cluster {
    /// Makes and starts a server. Without `is_safe` it does not wait for the disk, which tests need not either.
    pub(crate) fn start(name: &str, is_safe: bool) -> Result<Cluster, String> {
        let binaries = binaries()?;
        let folder = std::env::temp_dir().join(format!("portcullis-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        if is_root() {
            run(Command::new("chown").arg(USER).arg(&folder))?;
        }
        let data = folder.join("data");
        let mut initdb = as_user(&binaries.join("initdb"));
        initdb.args([
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
            "-D",
        ]);
        run(initdb.arg(&data))?;
        // The system hands out a port nobody uses; the server takes it a moment later.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.map_err(|error| format!("no free port: {error}"))?.port();
        let durable = if is_safe { "on" } else { "off" };
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\nfsync = {durable}\n\
             shared_buffers = 64MB\nmax_connections = 200\n"
        );
        let configuration = data.join("postgresql.auto.conf");
        let mut write = as_user(Path::new("sh"));
        run(write.args(["-c", "printf %s \"$1\" > \"$2\"", "sh", &settings]).arg(&configuration))?;
        let watchdog = watchdog(&binaries, &folder)?;
        let cluster = Cluster { binaries, folder, port, watchdog };
        cluster.begin()?;
        Ok(cluster)
    }

    /// Starts the server and returns when it answers.
    pub(crate) fn begin(&self) -> Result<(), String> {
        let log = self.folder.join("log");
        run(self.control().args(["-w", "-t", "60", "-l"]).arg(log).arg("start"))
    }

    /// Stops the server at once, as a crash would.
    pub(crate) fn crash(&self) -> Result<(), String> {
        run(self.control().args(["-m", "immediate", "-w", "stop"]))
    }

    /// Gives the server a certificate for `localhost` and returns the file of the authority that vouches for it.
    pub(crate) fn encrypt(&self) -> Result<PathBuf, String> {
        let roots = self.folder.join("roots.pem");
        let mut make = as_user(Path::new("sh"));
        run(make.args(["-e", "-c", CERTIFICATES, "sh"]).arg(&self.folder))?;
        run(self.control().arg("reload"))?;
        // Keys are of no use to anybody else, but the authority is read by the tests.
        Ok(roots)
    }

    /// Makes a database and returns its address.
    pub(crate) fn database(&self, name: &str) -> Result<String, String> {
        self.sql("postgres", &format!("CREATE DATABASE {name}"))?;
        Ok(format!("postgres://postgres@127.0.0.1:{}/{name}", self.port))
    }

    /// Runs SQL behind everybody's back and returns what it prints.
    pub(crate) fn sql(&self, database: &str, text: &str) -> Result<String, String> {
        let port = self.port.to_string();
        let mut psql = Command::new(self.binaries.join("psql"));
        psql.args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-U",
            "postgres",
            "-p",
            &port,
        ]);
        output(psql.args(["-d", database, "-c", text]))
    }

    fn control(&self) -> Command {
        let mut control = as_user(&self.binaries.join("pg_ctl"));
        control.arg("-D").arg(self.folder.join("data"));
        control
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The watchdog does the rest when its input ends.
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

/// Stops the server and removes its folder when our end of the pipe is closed, even by a kill.
fn watchdog(binaries: &Path, folder: &Path) -> Result<Child, String> {
    let mut shell = as_user(Path::new("sh"));
    shell.args(["-c", "cat; \"$1\" -D \"$2/data\" -m immediate stop; rm -rf \"$2\"", "sh"]);
    shell.arg(binaries.join("pg_ctl")).arg(folder);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.spawn().map_err(|error| format!("cannot start the watchdog: {error}"))
}

/// The folder of the newest PostgreSQL there is.
fn binaries() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os(BINARIES) {
        return Ok(PathBuf::from(named));
    }
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, path)| path.join("initdb").exists())
        .collect();
    found.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = || std::env::split_paths(&path).find(|folder| folder.join("initdb").exists());
    found.pop().map(|(_, path)| path).or_else(on_path).ok_or_else(|| {
        format!(
            "PostgreSQL is missing: `cargo xtask ready --install` or `apt-get install postgresql` gets it, \
             and {BINARIES} names the folder of its programs elsewhere"
        )
    })
}

fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// A program that runs as somebody who is not root.
fn as_user(program: &Path) -> Command {
    let mut command = match is_root() {
        true => {
            let mut command = Command::new("setpriv");
            command.args([&format!("--reuid={USER}"), &format!("--regid={USER}"), "--init-groups", "--"]);
            command.arg(program);
            command
        }
        false => Command::new(program),
    };
    command.current_dir("/");
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    // A server that is started would hold a pipe open, so only its errors' absence is looked at.
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
