//! Reaching a server: TCP, TLS on top if the address says so, a proxy in between if there is one.

use std::fs;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use data_encoding::BASE64;
use http::Uri;
use http::header::{ACCEPT, HOST, HeaderName, HeaderValue, PROXY_AUTHORIZATION};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::GatewayError;
use crate::settings::{Addresses, Remote};

/// The most a proxy or a node may say before it lets us through.
const MOST_OF_HEAD: usize = 8 << 10;

/// A connection, with TLS or without.
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// Where to, and through what.
pub(crate) struct Reach {
    url: Uri,
    host: String,
    port: u16,
    addresses: Addresses,
    tls: Option<TlsConnector>,
    proxy: Option<Uri>,
    timeout: Duration,
}

impl Reach {
    pub(crate) fn new(remote: &Remote, timeout: Duration) -> Result<Reach, GatewayError> {
        let is_tls = remote.url.scheme_str() == Some("https");
        let host = remote.url.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let port = remote.url.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let tls = if is_tls { Some(connector(remote)?) } else { None };
        let (url, addresses, proxy) = (remote.url.clone(), remote.addresses.clone(), remote.proxy.clone());
        Ok(Reach { url, host, port, addresses, tls, proxy, timeout })
    }

    /// Whether requests must name the whole address, because a proxy reads them.
    pub(crate) fn is_read_by_proxy(&self) -> bool {
        self.proxy.is_some() && self.tls.is_none()
    }

    pub(crate) async fn connect(&self) -> io::Result<Stream> {
        let late = || io::Error::new(io::ErrorKind::TimedOut, "the server was not reached in time");
        tokio::time::timeout(self.timeout, self.connect_slowly()).await.map_err(|_| late())?
    }

    async fn connect_slowly(&self) -> io::Result<Stream> {
        let mut stream = match &self.proxy {
            None => {
                let addresses = self.addresses.resolve(&self.url, self.port).await?;
                TcpStream::connect(addresses.as_slice()).await?
            }
            // The operator's own, whatever its address; names behind it are resolved there.
            Some(proxy) => {
                self.addresses.check(&self.url)?;
                let host = proxy.host().unwrap_or_default().trim_matches(['[', ']']);
                TcpStream::connect((host, proxy.port_u16().unwrap_or(80))).await?
            }
        };
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return Ok(Stream::Plain(stream)) };
        if let Some(proxy) = &self.proxy {
            self.pass_proxy(&mut stream, proxy).await?;
        }
        let name = ServerName::try_from(self.host.clone()).map_err(io::Error::other)?;
        Ok(Stream::Tls(Box::new(tls.connect(name, stream).await?)))
    }

    async fn pass_proxy(&self, stream: &mut TcpStream, proxy: &Uri) -> io::Result<()> {
        let target = format!("{}:{}", self.host, self.port);
        let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
        if let Some(value) = authorization(proxy) {
            request.push_str(&format!("Proxy-Authorization: {value}\r\n"));
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).await?;
        let answer = head(stream).await?;
        let is_let_through = answer.starts_with(b"HTTP/1.1 200") || answer.starts_with(b"HTTP/1.0 200");
        if is_let_through { Ok(()) } else { Err(io::Error::other("the proxy refused to connect")) }
    }
}

/// The head of an answer, byte by byte: what follows the blank line is another conversation's.
pub(crate) async fn head(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() > MOST_OF_HEAD {
            return Err(io::Error::other("who is asked for a way says too much"));
        }
        head.push(stream.read_u8().await?);
    }
    Ok(head)
}

/// The value of `Proxy-Authorization`, if the proxy's address holds a user.
pub(crate) fn authorization(proxy: &Uri) -> Option<String> {
    let user = proxy.authority()?.as_str().rsplit_once('@')?.0;
    Some(format!("Basic {}", BASE64.encode(user.as_bytes())))
}

fn connector(remote: &Remote) -> Result<TlsConnector, GatewayError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = &remote.authorities {
        let bad = |why: String| GatewayError::Authorities { path: path.clone(), why };
        let pem = fs::read(path).map_err(|error| bad(error.to_string()))?;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|error| bad(error.to_string()))?;
            roots.add(certificate).map_err(|error| bad(error.to_string()))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| GatewayError::Tls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Stream::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        matches!(self, Stream::Plain(_))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}

const EITHER: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// The headers that are the same for every request to a server.
pub(crate) fn always(remote: &Remote, is_read_by_proxy: bool) -> Vec<(HeaderName, HeaderValue)> {
    let host = remote.url.authority().map(|authority| authority.as_str());
    let host = host.map(|text| text.rsplit_once('@').map_or(text, |(_, host)| host)).unwrap_or_default();
    let user = remote.proxy.as_ref().filter(|_| is_read_by_proxy).and_then(authorization);
    let written = [(HOST, Some(host.to_owned())), (PROXY_AUTHORIZATION, user)];
    let valid = written.into_iter().filter_map(|(name, text)| Some((name, text?.parse().ok()?)));
    valid.chain([(ACCEPT, EITHER)]).collect()
}

/// What a server is asked for directly.
pub(crate) fn path(url: &Uri) -> String {
    url.path_and_query().map_or("/", |path| path.as_str()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_in_the_proxys_address_is_shown_to_it() {
        let with_user = Uri::from_static("http://me:secret@proxy.example:3128");
        assert_eq!(authorization(&with_user).as_deref(), Some("Basic bWU6c2VjcmV0"));
        assert_eq!(authorization(&Uri::from_static("http://proxy.example:3128")), None);
    }
}
