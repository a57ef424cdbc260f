//! A balancer before several gateways: each request, not each connection, goes to any of them, and one that refuses the
//! connection is passed over.
//!
//! Nothing is read and nothing is kept: bodies pass in both directions as they come, and the name the client used stays,
//! so gateways must list it in `hosts`. Every request has a connection of its own to its gateway, so that one that died
//! leaves no connection behind that looks alive.

#[path = "../stress/random.rs"]
mod random;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONNECTION, HeaderMap, HeaderName, UPGRADE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use random::Random;
use std::convert::Infallible;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::{TcpListener, TcpStream};

/// What one connection says of itself and nobody else must hear.
const OF_ONE_CONNECTION: [HeaderName; 3] = [CONNECTION, HeaderName::from_static("keep-alive"), UPGRADE];

/// Serves for ever. The arguments are a seed and the addresses of the gateways; the first line says where agents go.
#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let seed = arguments.next().context("which seed?")?.parse()?;
    let urls = arguments.map(|url| url.parse()).collect::<Result<Vec<Uri>, _>>()?;
    let path = urls.first().context("which gateways?")?.path().to_owned();
    let gateways = Gateways::new(&urls, seed)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    // Whoever started us waits for this line; if nobody reads it nobody needs us.
    writeln!(std::io::stdout(), "http://{}{path}", listener.local_addr()?)?;
    serve(listener, Arc::new(gateways)).await
}

/// Where requests go.
struct Gateways {
    addresses: Vec<String>,
    random: Mutex<Random>,
}

impl Gateways {
    fn new(urls: &[Uri], seed: u64) -> Result<Gateways> {
        let address = |url: &Uri| url.authority().map(ToString::to_string);
        let addresses: Vec<String> = urls.iter().filter_map(address).collect();
        ensure!(addresses.len() == urls.len(), "a gateway without an address");
        Ok(Gateways { addresses, random: Mutex::new(Random::new(seed)) })
    }

    /// All of them, beginning with any.
    fn in_turn(&self) -> impl Iterator<Item = &String> {
        let count = self.addresses.len();
        let first = self.random.lock().unwrap_or_else(PoisonError::into_inner).below(count as u64);
        let first = usize::try_from(first).unwrap_or_default();
        self.addresses.iter().cycle().skip(first).take(count)
    }
}

async fn serve(listener: TcpListener, gateways: Arc<Gateways>) -> Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        let gateways = Arc::clone(&gateways);
        tokio::spawn(async move {
            // What cannot be set only makes small answers slower.
            let _ = stream.set_nodelay(true);
            let service = service_fn(move |request| {
                let gateways = Arc::clone(&gateways);
                async move { Ok::<_, Infallible>(forward(&gateways, request).await) }
            });
            // A client that leaves is no failure.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Sends a request on. Once a gateway took it, it goes to no other: it may have been carried out.
async fn forward(
    gateways: &Gateways,
    mut request: Request<Incoming>,
) -> Response<BoxBody<Bytes, hyper::Error>> {
    strip(request.headers_mut());
    for address in gateways.in_turn() {
        let Ok(mut gateway) = connect(address).await else { continue };
        let Ok(mut response) = gateway.send_request(request).await else {
            return failed("the gateway went away");
        };
        strip(response.headers_mut());
        return response.map(BodyExt::boxed);
    }
    failed("no gateway takes connections")
}

fn strip(headers: &mut HeaderMap) {
    for name in &OF_ONE_CONNECTION {
        headers.remove(name);
    }
}

fn failed(why: &'static str) -> Response<BoxBody<Bytes, hyper::Error>> {
    let body = Full::new(Bytes::from_static(why.as_bytes())).map_err(|never| match never {}).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::BAD_GATEWAY;
    response
}

async fn connect(address: &str) -> Result<SendRequest<Incoming>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (gateway, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(gateway)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

    /// A server that answers every connection with these bytes, in which HOST is the header that came.
    async fn server(answer: &'static str) -> Uri {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    let mut asked = vec![0; 4096];
                    let count = stream.read(&mut asked).await.unwrap();
                    let host = String::from_utf8_lossy(&asked[..count]).to_lowercase();
                    let host = host.lines().find(|line| line.starts_with("host:")).unwrap().to_owned();
                    stream.write_all(answer.replace("HOST", &host).as_bytes()).await.unwrap();
                    // Stays, as a stream of events does.
                    let _ = stream.read(&mut asked).await;
                });
            }
        });
        url.parse().unwrap()
    }

    /// An address nobody listens at.
    fn nobody() -> Uri {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        format!("http://{free}/mcp").parse().unwrap()
    }

    async fn client(urls: &[Uri]) -> BufReader<TcpStream> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, Arc::new(Gateways::new(urls, 7).unwrap())));
        BufReader::new(TcpStream::connect(address).await.unwrap())
    }

    /// Sends a request and reads up to a line that ends in this.
    async fn asks(client: &mut BufReader<TcpStream>, until: &str) -> String {
        client.get_mut().write_all(b"GET /mcp HTTP/1.1\r\nHost: gate.example\r\n\r\n").await.unwrap();
        let mut heard = String::new();
        while !heard.trim_end().ends_with(until) {
            assert!(client.read_line(&mut heard).await.unwrap() > 0, "{heard}");
        }
        heard
    }

    #[tokio::test]
    async fn requests_of_one_connection_go_to_any_gateway_that_is_there() {
        let one = server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\none!\n").await;
        let two = server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ntwo!\n").await;
        let mut client = client(&[one, nobody(), two]).await;
        let mut heard = BTreeSet::new();
        for _ in 0..40 {
            let answer = asks(&mut client, "!").await;
            heard.extend(answer.lines().last().map(str::to_owned));
        }
        assert_eq!(heard.into_iter().collect::<Vec<_>>(), ["one!", "two!"]);
    }

    #[tokio::test]
    async fn events_pass_while_the_stream_lasts_and_the_name_of_the_host_stays() {
        let chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n13\r\nHOST\n\r\n";
        let mut client = client(&[server(chunk).await]).await;
        let heard = asks(&mut client, "gate.example").await;
        assert!(heard.contains("host: gate.example"), "{heard}");
    }

    #[tokio::test]
    async fn without_any_gateway_the_client_is_told() {
        let mut client = client(&[nobody()]).await;
        assert_eq!(asks(&mut client, "Bad Gateway").await.trim_end(), "HTTP/1.1 502 Bad Gateway");
    }
}
