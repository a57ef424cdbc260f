//! A server of the older HTTP with server-sent events (2024-11-05): what we say is posted, what it says comes on one
//! stream.

use std::sync::Arc;

use http::Uri;
use tokio::sync::mpsc;
use tracing::warn;

use super::http::Http;
use super::link::{Link, OURSELVES, Said};
use super::pool::Exchange;
use crate::news::News;
use crate::settings::{Limits, Remote, ServerName, Timing};
use crate::wire::{self, Fault, Message, sse};

/// Messages that wait to be posted.
const MOST_WAITING: usize = 64;
/// Events that may come before the one that says where to post.
const MOST_BEFORE: usize = 16;

/// A conversation, and what ends it when it is dropped.
pub(super) type Begun = (Arc<Link>, mpsc::Sender<()>);

/// Opens the stream, learns where to post, and begins the conversation.
pub(super) async fn begin(
    name: &ServerName,
    remote: &Remote,
    limits: Limits,
    timing: Timing,
    news: &Arc<News<Message>>,
) -> Result<Begun, Fault> {
    let wrong = |_| Fault::internal("The server cannot be reached as its address says");
    let listening = Http::new(remote.clone(), limits, timing).map_err(wrong)?;
    let mut stream = Stream {
        exchange: listening.open_stream().await?,
        reader: sse::Reader::new(limits.message.bytes),
        ready: Vec::new().into_iter(),
    };
    let late = |_| Fault::internal("The server did not say where to post in time").with_status(504);
    let place = tokio::time::timeout(timing.connect, stream.endpoint()).await.map_err(late)??;
    let url = beside(&remote.url, &place)
        .ok_or_else(|| Fault::internal("The server wants messages posted to another server"))?;
    let posting = Http::new(Remote { url, ..remote.clone() }, limits, timing).map_err(wrong)?;
    let (lines, outgoing) = mpsc::channel(MOST_WAITING);
    let (end, ending) = mpsc::channel(1);
    let link = Arc::new(Link::new(lines.clone(), Arc::clone(news), limits.calls));
    tokio::spawn(post(name.clone(), posting, outgoing, Arc::clone(&link)));
    tokio::spawn(hear(stream, Arc::clone(&link), lines, limits.message, ending));
    Ok((link, end))
}

/// The stream, event by event.
struct Stream {
    exchange: Exchange,
    reader: sse::Reader,
    ready: std::vec::IntoIter<sse::Event>,
}

impl Stream {
    async fn next(&mut self) -> Result<sse::Event, Fault> {
        let ended = || Fault::internal("The server ended its stream");
        loop {
            if let Some(event) = self.ready.next() {
                return Ok(event);
            }
            let chunk = self.exchange.chunk().await.map_err(|_| ended())?.ok_or_else(ended)?;
            let mut ready = Vec::new();
            self.reader.feed(chunk, &mut |event| ready.push(event))?;
            self.ready = ready.into_iter();
        }
    }

    /// Where to post.
    async fn endpoint(&mut self) -> Result<String, Fault> {
        for _ in 0..MOST_BEFORE {
            let event = self.next().await?;
            if event.name.as_deref() == Some(b"endpoint") {
                return Ok(String::from_utf8_lossy(&event.data.unwrap_or_default()).trim().to_owned());
            }
        }
        Err(Fault::internal("The server does not say where to post"))
    }
}

/// A place on the same server. Our credential goes there: no server may send it elsewhere.
fn beside(url: &Uri, place: &str) -> Option<Uri> {
    let (scheme, authority) = (url.scheme_str()?, url.authority()?.as_str());
    let text = if place.contains("://") {
        place.to_owned()
    } else if place.starts_with("//") {
        return None;
    } else if place.starts_with('/') {
        format!("{scheme}://{authority}{place}")
    } else {
        let folder = url.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{place}")
    };
    let found: Uri = text.parse().ok()?;
    let is_same = found.scheme() == url.scheme() && found.authority() == url.authority();
    is_same.then_some(found)
}

/// Posts one message after the other.
async fn post(name: ServerName, http: Http, mut outgoing: mpsc::Receiver<Said>, link: Arc<Link>) {
    while let Some((_, line)) = outgoing.recv().await {
        // The end of a line means nothing in a body.
        let body = line.slice(..line.len().saturating_sub(1));
        if let Err(fault) = http.deliver(body).await {
            warn!(server = name.as_str(), why = %fault.message, "a message was not taken");
            link.close();
            return;
        }
    }
}

/// Takes what comes on the stream to whom it concerns, until either side ends.
async fn hear(
    mut stream: Stream,
    link: Arc<Link>,
    answers: mpsc::Sender<Said>,
    limits: wire::Limits,
    mut ending: mpsc::Receiver<()>,
) {
    loop {
        let event = tokio::select! {
            event = stream.next() => event,
            _ = ending.recv() => break,
        };
        let Ok(event) = event else { break };
        let Some(data) = event.data.filter(|data| !data.is_empty()) else { continue };
        match Message::one(data, limits) {
            Ok(message) => {
                if let Some(answer) = link.dispatch(message)
                    && answers.send((OURSELVES, wire::lines::write(&answer))).await.is_err()
                {
                    break;
                }
            }
            // Whoever waits for it will wait in vain; the text may hold secrets and is not shown.
            Err(fault) => warn!(reason = %fault.message, "an event of the server is no message"),
        }
    }
    link.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_posted_to_the_same_server_only() {
        let url: Uri = "https://a.example:1/v1/sse?x=1".parse().unwrap();
        for (place, expected) in [
            ("/messages?session=2", Some("https://a.example:1/messages?session=2")),
            ("messages", Some("https://a.example:1/v1/messages")),
            ("https://a.example:1/m", Some("https://a.example:1/m")),
            ("https://b.example/m", None),
            ("http://a.example:1/m", None),
            ("//b.example/m", None),
        ] {
            let found = beside(&url, place).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{place}");
        }
    }
}
