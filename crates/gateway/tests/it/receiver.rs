//! Somebody who is sent alerts: keeps what comes, and answers as told.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What came.
#[derive(Clone)]
pub(crate) struct Letter {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Letter {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

#[derive(Default)]
struct State {
    /// Statuses, and where the answer sends to; 200 once they are used up.
    answers: VecDeque<(u16, String)>,
    letters: Vec<Letter>,
}

#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
    /// Whether it answers, or lets everybody wait.
    answers: watch::Sender<bool>,
}

impl Receiver {
    pub(crate) async fn start() -> Receiver {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?key=1", listener.local_addr().unwrap());
        let receiver = Receiver { url, state: Arc::default(), answers: watch::Sender::new(true) };
        let inner = receiver.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let receiver = inner.clone();
                tokio::spawn(async move {
                    let service = service_fn(|request| receiver.serve(request));
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        receiver
    }

    /// The next request is answered with this status.
    pub(crate) fn answer(&self, status: u16) {
        self.state.lock().unwrap().answers.push_back((status, String::new()));
    }

    /// The next request is sent elsewhere.
    pub(crate) fn send_to(&self, url: &str) {
        self.state.lock().unwrap().answers.push_back((307, url.to_owned()));
    }

    /// Answers nobody, or everybody again.
    pub(crate) fn pause(&self, is_paused: bool) {
        self.answers.send_replace(!is_paused);
    }

    pub(crate) fn letters(&self) -> Vec<Letter> {
        self.state.lock().unwrap().letters.clone()
    }

    /// What came, once there is so much.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Letter> {
        let until = Instant::now() + Duration::from_secs(20);
        while self.letters().len() < count {
            assert!(Instant::now() < until, "only {} of {count} alerts came", self.letters().len());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.letters()
    }

    async fn serve(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        assert_eq!(parts.uri, "/hook?key=1");
        let (status, elsewhere) = {
            let mut state = self.state.lock().unwrap();
            state.letters.push(Letter { headers: parts.headers, body });
            state.answers.pop_front().unwrap_or((200, String::new()))
        };
        self.answers.subscribe().wait_for(|answers| *answers).await.unwrap();
        let response = Response::builder().status(status).header("location", elsewhere);
        Ok(response.body(Full::from("thank you")).unwrap())
    }
}
