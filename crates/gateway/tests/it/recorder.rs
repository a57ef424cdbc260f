//! A server that keeps every byte it gets and answers with the bytes it was told to. It declares one tool, `echo`, or what it is
//! told to.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

#[derive(Default)]
struct State {
    answers: VecDeque<(Bytes, &'static str)>,
    got: Vec<Bytes>,
    headers: Vec<String>,
    tools: Option<String>,
    /// What clients of a name are shown instead.
    faces: Vec<(String, String)>,
}

/// The server.
#[derive(Clone)]
pub(crate) struct Recorder {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

impl Recorder {
    pub(crate) async fn start() -> Recorder {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let recorder = Recorder { url, state: Arc::default() };
        let inner = recorder.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let recorder = inner.clone();
                tokio::spawn(async move {
                    let service = service_fn(|request| recorder.serve(request));
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        recorder
    }

    /// The next request is answered so.
    pub(crate) fn answer(&self, body: impl Into<Bytes>, media: &'static str) {
        self.state.lock().unwrap().answers.push_back((body.into(), media));
    }

    /// From now on it declares these tools.
    pub(crate) fn declare(&self, tools: &str) {
        self.state.lock().unwrap().tools = Some(tools.to_owned());
    }

    /// From now on it shows clients of this name these tools instead; none: the same as everybody.
    pub(crate) fn show(&self, client: &str, tools: Option<&str>) {
        let mut state = self.state.lock().unwrap();
        state.faces.retain(|(name, _)| name != client);
        state.faces.extend(tools.map(|tools| (client.to_owned(), tools.to_owned())));
    }

    /// What came last.
    pub(crate) fn last(&self) -> Bytes {
        self.state.lock().unwrap().got.last().cloned().unwrap_or_default()
    }

    /// All headers that came, in one text.
    pub(crate) fn headers(&self) -> String {
        self.state.lock().unwrap().headers.join("\n")
    }

    async fn serve(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        if request.method() == hyper::Method::GET {
            // It has no stream.
            return Ok(Response::builder().status(405).body(Full::default()).unwrap());
        }
        let headers = format!("{:?}", request.headers());
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let mut state = self.state.lock().unwrap();
        state.headers.push(headers);
        state.got.push(body.clone());
        let text = String::from_utf8_lossy(&body);
        let (answer, media) = if text.contains("\"method\":\"initialize\"") {
            (Bytes::from_static(br#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"r","version":"1"}}}"#), "application/json")
        } else if text.contains("\"method\":\"server/discover\"") {
            (Bytes::from_static(br#"{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#), "application/json")
        } else if text.contains("\"method\":\"tools/list\"") {
            let asked: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let client = &asked["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"];
            let face = state.faces.iter().find(|(name, _)| client == name).map(|(_, tools)| tools);
            let tools = face.or(state.tools.as_ref()).map(String::as_str);
            let tools = tools.unwrap_or(r#"[{"name":"echo","inputSchema":{"type":"object"}}]"#);
            let result =
                format!(r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":{tools}}}"#);
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked["id"]);
            (Bytes::from(answer), "application/json")
        } else if text.contains("\"method\":\"notifications/initialized\"") {
            return Ok(Response::builder().status(202).body(Full::default()).unwrap());
        } else {
            state.answers.pop_front().unwrap_or_default()
        };
        Ok(Response::builder().header("content-type", media).body(Full::new(answer)).unwrap())
    }
}
