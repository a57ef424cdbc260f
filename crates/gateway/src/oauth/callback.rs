//! Where the browser comes back to: one address on this machine, open for one sign-in.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::SignInError;
use super::text::field;

/// The most a browser may say before its blank line.
const MOST_BYTES: usize = 16 << 10;

const PATH: &str = "/callback";

/// A listener for one answer.
pub(super) struct Callback {
    listener: TcpListener,
    address: SocketAddr,
}

/// What the browser brought.
pub(super) struct Returned {
    query: String,
}

impl Callback {
    /// Port 0 takes a free one.
    pub(super) async fn open(port: u16) -> io::Result<Callback> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Callback { listener, address })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the browser. What does not bring our `state` is turned away: any page can call this address.
    pub(super) async fn wait(&self, state: &str) -> Result<Returned, SignInError> {
        loop {
            let Ok((mut stream, _)) = self.listener.accept().await else { continue };
            let Some(query) = query(&mut stream).await else {
                answer(&mut stream, "404 Not Found", "Nothing is here.").await;
                continue;
            };
            if field(&query, "state").as_deref() != Some(state) {
                answer(&mut stream, "400 Bad Request", "This is not the sign-in that was asked for.").await;
                continue;
            }
            answer(&mut stream, "200 OK", "You can close this page and return to your work.").await;
            return Ok(Returned { query });
        }
    }
}

impl Returned {
    /// The code, if the right issuer sent it. `promised` is whether it said that it would name itself.
    pub(super) fn code(&self, issuer: &str, promised: bool) -> Result<String, SignInError> {
        // INVARIANT: whose answer it is comes before what it says, or an error of another issuer would be believed.
        match field(&self.query, "iss") {
            Some(named) if named != issuer => return Err(SignInError::OtherIssuer),
            None if promised => return Err(SignInError::OtherIssuer),
            _ => {}
        }
        if let Some(error) = field(&self.query, "error") {
            return Err(SignInError::Refused(
                error.chars().filter(|c| c.is_ascii_graphic()).take(64).collect(),
            ));
        }
        field(&self.query, "code").filter(|code| !code.is_empty()).ok_or(SignInError::NoCode)
    }
}

/// The query of a GET to our path; `None` for anything else.
async fn query(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(buffer.get(..count)?);
        if head.len() > MOST_BYTES {
            return None;
        }
    }
    let line = String::from_utf8(head).ok()?.lines().next()?.to_owned();
    let target = line.strip_prefix("GET ")?.split(' ').next()?;
    Some(target.strip_prefix(PATH)?.strip_prefix('?')?.to_owned())
}

async fn answer(stream: &mut TcpStream, status: &str, text: &str) {
    let page = format!("<!doctype html><meta charset=utf-8><title>Portcullis</title><p>{text}</p>");
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    // A browser that left has no use for the page.
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_issuers_code_counts() {
        let check = |query: &str, promised: bool, expected: bool| {
            let returned = Returned { query: query.to_owned() };
            assert_eq!(returned.code("https://as.example", promised).is_ok(), expected, "{query}");
        };
        check("code=1&iss=https%3A%2F%2Fas.example", true, true);
        check("code=1", false, true);
        check("code=1", true, false);
        check("code=1&iss=https%3A%2F%2Fevil.example", false, false);
        check("code=1&iss=https%3A%2F%2Fas.example%2F", true, false);
        check("error=access_denied", false, false);
        check("code=", false, false);
    }
}
