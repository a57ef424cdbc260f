//! Requests to a server, as they are sent: what all of them say, and what each adds.

use bytes::Bytes;
use http::Method;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};

use super::{Http, JSON};
use crate::upstream::ask::Ask;

impl Http {
    /// A request. What is said last counts, and nothing is said twice.
    pub(super) fn request(
        &self,
        method: &Method,
        body: Bytes,
        extra: &[(HeaderName, HeaderValue)],
        authorization: Option<HeaderValue>,
    ) -> Ask {
        let is_post = method == Method::POST;
        let is_new = |(place, (name, _)): (usize, &(HeaderName, HeaderValue))| {
            !self.usual_names.contains(name) && !extra.iter().take(place).any(|(before, _)| before == name)
        };
        let ask = if is_post && authorization.is_none() && extra.iter().enumerate().all(is_new) {
            let mut ask = Ask::like(&self.usual);
            extra.iter().for_each(|(name, value)| ask.put(name, value));
            ask
        } else {
            self.asked_anew(method, extra, authorization)
        };
        if is_post { ask.with(body) } else { ask.without() }
    }

    /// A request up to its last field.
    pub(super) fn asked_anew(
        &self,
        method: &Method,
        extra: &[(HeaderName, HeaderValue)],
        authorization: Option<HeaderValue>,
    ) -> Ask {
        let kind = (method == Method::POST).then_some((CONTENT_TYPE, JSON));
        let credential = authorization.map(|value| (AUTHORIZATION, value));
        let given =
            kind.iter().chain(&self.always).chain(extra).chain(&self.remote.headers).chain(&credential);
        let mut ask = Ask::new(method, &self.target);
        for (place, (name, value)) in given.clone().enumerate() {
            // What is said last counts, and nothing is said twice.
            if !given.clone().skip(place + 1).any(|(later, _)| later == name) {
                ask.put(name, value);
            }
        }
        ask
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Addresses, Credential, Limits, Remote, Timing};
    use crate::upstream::http::EVENTS;
    use crate::wire::headers;
    use http::header::ACCEPT;
    use std::sync::Arc;

    #[test]
    fn what_the_operator_says_counts_but_not_how_a_request_ends() {
        let given =
            [("x-own", "1"), ("accept", "text/plain"), ("content-length", "9"), ("connection", "close")];
        let own = |(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let remote = Remote {
            url: "http://a.example:1/mcp?b=2".parse().unwrap(),
            headers: given.map(own).to_vec(),
            credential: Credential::None,
            authorities: None,
            proxy: None,
            addresses: Addresses::written(Arc::default()),
        };
        let http = Http::new(remote, Limits::default(), Timing::default()).unwrap();
        let extra = [(ACCEPT, EVENTS), (headers::SESSION, HeaderValue::from_static("s"))];
        let text_of = |method: Method, body: &'static str, extra: &[_], credential| {
            let ask = http.request(&method, Bytes::from_static(body.as_bytes()), extra, credential);
            let bytes: Vec<u8> = ask.pieces().iter().flat_map(|piece| piece.to_vec()).collect();
            String::from_utf8(bytes).unwrap()
        };
        let text = |method, body, credential| text_of(method, body, &extra, credential);
        assert_eq!(
            text(Method::POST, "{}", Some(HeaderValue::from_static("Bearer t"))),
            "POST /mcp?b=2 HTTP/1.1\r\ncontent-type: application/json\r\nhost: a.example:1\r\nmcp-session-id: s\r\n\
             x-own: 1\r\naccept: text/plain\r\nauthorization: Bearer t\r\ncontent-length: 2\r\n\r\n{}"
        );
        // With nothing of its own, or only what nobody else says, it begins as all do.
        let usual = "POST /mcp?b=2 HTTP/1.1\r\ncontent-type: application/json\r\nhost: a.example:1\r\nx-own: 1\r\n\
                     accept: text/plain\r\n";
        assert_eq!(text_of(Method::POST, "{}", &[], None), format!("{usual}content-length: 2\r\n\r\n{{}}"));
        let [_, session] = extra.clone();
        let twice = [(headers::SESSION, HeaderValue::from_static("r")), session.clone()];
        let with_session = format!("{usual}mcp-session-id: s\r\ncontent-length: 2\r\n\r\n{{}}");
        assert_eq!(text_of(Method::POST, "{}", &[session], None), with_session);
        assert_eq!(text_of(Method::POST, "{}", &twice, None).matches("mcp-session-id: s").count(), 1);
        assert!(!text_of(Method::POST, "{}", &twice, None).contains("mcp-session-id: r"));
        let asked = text(Method::GET, "", None);
        assert!(asked.starts_with("GET /mcp?b=2 HTTP/1.1\r\nhost:"), "{asked}");
        assert!(asked.ends_with("accept: text/plain\r\n\r\n") && !asked.contains("content-"), "{asked}");
    }
}
