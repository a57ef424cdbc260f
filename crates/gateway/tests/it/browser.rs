//! A browser without scripts: it keeps its cookie, finds the token of a page, and sends forms.

use super::client::begin;
use super::world::World;
use http_body_util::BodyExt;
use portcullis_gateway::api::Role;

pub(super) const FORM: &str = "application/x-www-form-urlencoded";

/// What a browser got.
pub(super) struct Seen {
    pub(super) status: u16,
    pub(super) location: String,
    pub(super) cookie: String,
    pub(super) policy: String,
    pub(super) text: String,
}

/// A browser: it keeps its cookie and sends forms as one does.
pub(super) struct Browser<'a> {
    world: &'a World,
    pub(super) cookie: String,
}

impl Browser<'_> {
    pub(super) fn new(world: &World) -> Browser<'_> {
        Browser { world, cookie: String::new() }
    }

    /// One that is signed in with a token of this role.
    pub(super) async fn signed_in(world: &World, role: Role) -> Browser<'_> {
        let mut browser = Browser::new(world);
        let seen = browser.send("/sign-in", &[("token", &world.token(role))]).await;
        assert_eq!((seen.status, seen.location.as_str()), (303, "/"), "{}", seen.text);
        browser.cookie = seen.cookie.split(';').next().unwrap().to_owned();
        browser
    }

    pub(super) async fn look(&self, path: &str) -> Seen {
        self.ask("GET", path, &[], String::new()).await
    }

    /// Sends a form without what a page of ours would put into it.
    pub(super) async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Seen {
        let part = portcullis_dashboard::href::part;
        let body: Vec<String> = fields.iter().map(|(key, value)| format!("{key}={}", part(value))).collect();
        let origin = format!("http://{}", self.world.address);
        self.ask("POST", path, &[("content-type", FORM), ("origin", &origin)], body.join("&")).await
    }

    /// Sends a form that a page has.
    pub(super) async fn press(&self, page: &str, path: &str, fields: &[(&str, &str)]) -> Seen {
        let shown = self.look(page).await.text;
        assert!(shown.contains(&format!("action=\"{path}\"")), "{page} has no form for {path}: {shown}");
        self.submit(page, path, fields).await
    }

    /// Sends a form with the token of a page, whether the page has this form or not.
    pub(super) async fn submit(&self, page: &str, path: &str, fields: &[(&str, &str)]) -> Seen {
        let shown = self.look(page).await.text;
        let csrf = between(&shown, "name=\"csrf\" value=\"", "\"").to_owned();
        let fields: Vec<(&str, &str)> = fields.iter().copied().chain([("csrf", csrf.as_str())]).collect();
        self.send(path, &fields).await
    }

    pub(super) async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: String) -> Seen {
        let mut headers = headers.to_vec();
        if !self.cookie.is_empty() {
            headers.push(("cookie", &self.cookie));
        }
        let response = begin(self.world.address, method, path, &headers, body.into()).await;
        let header = |name: &str| {
            response.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        let (status, location, cookie) =
            (response.status().as_u16(), header("location"), header("set-cookie"));
        let policy = header("content-security-policy");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        Seen { status, location, cookie, policy, text: String::from_utf8(body.to_vec()).unwrap() }
    }
}

/// What stands between two texts, the first time.
pub(super) fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}"));
    rest.split_once(after).unwrap().0
}
