//! The end of a gateway: calls in flight are answered, load balancers are told, and no process is left.

use super::client::{Session, send};
use super::script::{Folder, eventually, lives};
use super::world::{World, process};
use portcullis_store::{Chain, Draft, Filter, Page, Record, Registry, Store, StoreError, Summary};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_started_ends_with_it() {
    let folder = Folder::new();
    let mut world =
        World::new(vec![folder.server("family", "sleep 1000 & echo $! > child; fixture; touch told")]).await;
    Session::open(world.address, "/mcp/family").await;
    let pids = [folder.pids("pids"), folder.pids("child")].concat();
    assert!(pids.len() == 2 && pids.iter().all(|pid| lives(*pid)));
    world.stop().await;
    // Its input was closed and it had time to end by itself; what it left behind was ended by force.
    assert!(folder.0.join("told").exists());
    eventually("nothing is left", async || !pids.iter().any(|pid| lives(*pid))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_in_flight_is_answered_and_nothing_new_is_taken() {
    let mut world = World::new(vec![process("p", "legacy")]).await;
    let address = world.address;
    let session = Session::open(address, "/mcp/p").await;
    let call = tokio::spawn(async move {
        session.request("tools/call", json!({"name": "slow", "arguments": {"milliseconds": 1500}})).await
    });
    world.activity(1).await;
    assert_eq!(status(address, "/readyz").await, 200);
    let asked = async {
        eventually("it says that it drains", async || status(address, "/readyz").await == 503).await;
        assert_eq!((status(address, "/healthz").await, status(address, "/mcp/p").await), (200, 503));
        assert!(!call.is_finished(), "the call is still in flight");
        call.await.unwrap()
    };
    let ((), answer) = tokio::join!(world.stop(), asked);
    assert_eq!(answer["result"]["content"][0]["text"], "At last.", "{answer}");
}

/// The status a path answers with; 0 if the connection was closed first, as one that just came may be at the end.
async fn status(address: SocketAddr, path: &str) -> u16 {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    let _ = stream.write_all(request.as_bytes()).await;
    let _ = stream.read_to_string(&mut answer).await;
    answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// A store that can be told to fail, as one does whose disk is full.
struct Full {
    inner: Arc<dyn Store>,
    is_full: Arc<AtomicBool>,
}

impl Full {
    fn check(&self) -> Result<(), StoreError> {
        match self.is_full.load(Ordering::SeqCst) {
            true => Err(StoreError::DiskFull { path: "/full".into() }),
            false => Ok(()),
        }
    }
}

impl Store for Full {
    fn append(&self, draft: &Draft<'_>) -> Result<u64, StoreError> {
        self.check().and_then(|()| self.inner.append(draft))
    }
    fn list(&self, filter: &Filter, before: Option<u64>, most: usize) -> Result<Page, StoreError> {
        self.inner.list(filter, before, most)
    }
    fn record(&self, seq: u64) -> Result<Record, StoreError> {
        self.inner.record(seq)
    }
    fn summary(&self, since_us: i64, until_us: i64, by: &[&str]) -> Result<Summary, StoreError> {
        self.inner.summary(since_us, until_us, by)
    }
    fn verify(&self) -> Result<Vec<Chain>, StoreError> {
        self.inner.verify()
    }
    fn flush(&self) -> Result<(), StoreError> {
        self.check().and_then(|()| self.inner.flush())
    }
    fn redact(&self, from: u64, through: u64, now_us: i64) -> Result<(), StoreError> {
        self.inner.redact(from, through, now_us)
    }
    fn retain(&self, now_us: i64) -> Result<(), StoreError> {
        self.inner.retain(now_us)
    }
    fn registry(&self) -> &dyn Registry {
        self.inner.registry()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_cannot_record_is_not_ready() {
    let is_full = Arc::new(AtomicBool::new(false));
    let world = World::with(vec![process("p", "legacy")], |settings| {
        let inner = Arc::clone(&settings.store);
        settings.store = Arc::new(Full { inner, is_full: Arc::clone(&is_full) });
    });
    let world = world.await;
    let session = Session::open(world.address, "/mcp/p").await;
    let call = async || session.request("tools/call", json!({"name": "echo", "arguments": {}})).await;
    let ready = async || send(world.address, "GET", "/readyz", &[], "").await;
    assert!(call().await["result"].is_object());
    is_full.store(true, Ordering::SeqCst);
    assert!(call().await["error"]["message"].as_str().unwrap().contains("cannot be recorded"));
    let answer = ready().await;
    assert_eq!((answer.status, &answer.json()["status"]), (503, &json!("calls cannot be recorded")));
    is_full.store(false, Ordering::SeqCst);
    assert_eq!(ready().await.status, 200);
}
