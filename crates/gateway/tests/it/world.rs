//! A gateway of its own for every test, and the fixture behind it.

use portcullis_decide::approval;
use portcullis_gateway::api::{Role, Tokens};
use portcullis_gateway::quarantine::Rules;
use portcullis_gateway::settings::{
    Access, Addresses, Credential, Launch, Limits, Remote, Server, ServerName, Settings, Timing, Transport,
};
use portcullis_gateway::{Control, Gateway};
use portcullis_store::{Entry, Filter, Store};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::oneshot;

pub(crate) use crate::fixture::{FIXTURE, Fixture};

pub(crate) fn remote(name: &str, url: &str) -> Server {
    let url = url.parse().unwrap();
    let remote = Remote {
        url,
        headers: Vec::new(),
        credential: Credential::None,
        authorities: None,
        proxy: None,
        addresses: Addresses::written(Arc::default()),
    };
    Server {
        name: ServerName::parse(name).unwrap(),
        transport: Transport::Http(remote),
        answer: None,
        trust: None,
        each_node: false,
    }
}

/// The same over the HTTP of 2024-11-05.
pub(crate) fn sse(name: &str, url: &str) -> Server {
    let server = remote(name, url);
    let Transport::Http(remote) = server.transport else { unreachable!("it is remote") };
    Server { transport: Transport::Sse(remote), ..server }
}

pub(crate) fn process(name: &str, era: &str) -> Server {
    launched(name, FIXTURE.to_str().unwrap(), &["--stdio", "--era", era])
}

/// A script of the shell as a server; `$0` is the fixture's program.
pub(crate) fn script(name: &str, script: &str) -> Server {
    launched(name, "/bin/sh", &["-c", script, FIXTURE.to_str().unwrap()])
}

fn launched(name: &str, command: &str, arguments: &[&str]) -> Server {
    let launch = Launch {
        command: command.to_owned(),
        arguments: arguments.iter().map(|one| (*one).to_owned()).collect(),
        directory: None,
        environment: vec![("COLOUR".into(), "green".into())],
        inherited: None,
    };
    Server {
        name: ServerName::parse(name).unwrap(),
        transport: Transport::Stdio(launch),
        answer: None,
        trust: None,
        each_node: false,
    }
}

/// A gateway that ends with the test.
pub(crate) struct World {
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) folder: PathBuf,
    pub(crate) control: Control,
    running: Option<(oneshot::Sender<()>, tokio::task::JoinHandle<()>)>,
}

impl World {
    pub(crate) async fn new(servers: Vec<Server>) -> World {
        World::with(servers, |_| {}).await
    }

    pub(crate) async fn with(servers: Vec<Server>, change: impl FnOnce(&mut Settings)) -> World {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
        let store =
            portcullis_store::open(&format!("sqlite:{}", folder.display()), &folder, &Default::default())
                .unwrap();
        let store: Arc<dyn Store> = Arc::from(store);
        let mut settings = settings(servers, Arc::clone(&store));
        change(&mut settings);
        let gateway = Gateway::bind(settings).await.unwrap();
        let (address, control) = (gateway.address(), gateway.control());
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(gateway.run(async { drop(stopped.await) }));
        World { address, store, folder, control, running: Some((stop, running)) }
    }

    /// A token of this role.
    pub(crate) fn token(&self, role: Role) -> String {
        Tokens::new(Arc::clone(&self.store)).create(role.as_str(), role, None).unwrap().1
    }

    /// Stops the gateway and waits until it has.
    pub(crate) async fn stop(&mut self) {
        let (stop, running) = self.running.take().unwrap();
        drop(stop);
        running.await.unwrap();
    }

    /// What was recorded, oldest first, once there are so many.
    pub(crate) async fn activity(&self, count: usize) -> Vec<Entry> {
        for _ in 0..100 {
            let filter = Filter { kinds: vec![portcullis_store::Kind::ToolCall], ..Filter::default() };
            let mut entries = self.store.list(&filter, None, 100).unwrap().entries;
            if entries.len() >= count {
                entries.reverse();
                return entries;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("fewer than {count} records");
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

pub(crate) fn settings(servers: Vec<Server>, store: Arc<dyn Store>) -> Settings {
    Settings {
        judge: Arc::default(),
        alerts: Default::default(),
        listen: "127.0.0.1:0".parse().unwrap(),
        tls: None,
        launcher: None,
        servers,
        store,
        flow_store: None,
        access: Access::Open,
        door: None,
        seal_key: [7; 32],
        node: None,
        networks: Arc::default(),
        hosts: Vec::new(),
        origins: Vec::new(),
        passes_unrecorded: false,
        record_waits: false,
        quarantine: approving(),
        limits: Limits::default(),
        timing: Timing::default(),
    }
}

/// Whatever has no hard finding is approved on sight: most tests are not about approving.
fn approving() -> Rules {
    let approval = approval::Settings { auto_quarantine_new_tools: false, ..Default::default() };
    Rules { approval, ..Rules::default() }
}
