//! The dashboard: pages for people, from the very functions that answer the API.
//!
//! The map: `signing` is how somebody comes in, `visit` who looks, `pages` which page an address is, `days` what was
//! counted, `changes` what forms do, `answers` what they are told at once, `form` how all are read, `live` the stream that
//! says when to look again. What pages look like is a crate of its own.

mod answers;
mod changes;
mod days;
mod form;
mod live;
mod pages;
mod signing;
mod visit;

use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use portcullis_dashboard::{Notice, Page, assets, sign_in};
use serde_json::Value;

use crate::api::http::may_ask;
use crate::api::{Answer, Principal, Refused, Role};
use crate::downstream::body::Body;
use crate::downstream::http::whole;
use crate::downstream::telling::empty;
use crate::gate::Gate;
use crate::quarantine::now_ms;
pub(crate) use days::Past;
use form::Form;
pub(crate) use signing::{LINK_LIVES, SIGN_IN, SignIns};
use visit::Visit;

/// A form.
const MOST_BYTES: u32 = 256 << 10;
/// Nothing from elsewhere, nothing inside a page that is not its text, and nobody around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
const FORM: &str = "application/x-www-form-urlencoded";

/// Where pages are and forms are sent, besides the overview and the door.
const PLACES: [&str; 14] = [
    "review",
    "held",
    "servers",
    "activity",
    "sessions",
    "posture",
    "posture.svg",
    "policy",
    "baseline",
    "settings",
    "about",
    "sign-out",
    "stop-calls",
    "theme",
];

/// Answers a request for a page, or a form that was sent.
pub(crate) async fn serve(gate: &Arc<Gate>, request: Request<Incoming>) -> Response<Body> {
    let mut response = match *request.method() {
        Method::GET | Method::HEAD => {
            get(gate, request.uri().path(), request.uri().query(), request.headers()).await
        }
        Method::POST if is_ours(request.uri().path()) => post(gate, request).await,
        Method::POST => empty(StatusCode::NOT_FOUND),
        _ => empty(StatusCode::METHOD_NOT_ALLOWED),
    };
    let headers = response.headers_mut();
    let mut say = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    say(HeaderName::from_static("content-security-policy"), POLICY);
    say(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    say(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    say(HeaderName::from_static("x-frame-options"), "DENY");
    say(X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Not `no-referrer`: a browser would then send forms of ours as if they came from nowhere.
    say(REFERRER_POLICY, "same-origin");
    say(CACHE_CONTROL, "no-store");
    response
}

async fn get(gate: &Arc<Gate>, path: &str, query: Option<&str>, headers: &HeaderMap) -> Response<Body> {
    if let Some(name) = path.strip_prefix("/assets/") {
        return asset(name);
    }
    let query = Form::read(query.unwrap_or_default());
    let visit = match visit(gate, headers).await {
        Ok(visit) => visit,
        Err(response) => return response,
    };
    let Some(visit) = visit else {
        let once = Some(query.get("once")).filter(|once| path == SIGN_IN && !once.is_empty());
        return strange(path, once, headers);
    };
    match path {
        SIGN_IN => to("/"),
        "/live" => live::stream(&visit, &query).await,
        "/activity/export" => export(&visit, &query).await,
        "/posture.svg" => picture(&visit).await,
        _ => {
            let notice = changes::said(query.get("done")).map(|text| Notice::Done(text.to_owned()));
            shown(&visit, path, &query, notice, StatusCode::OK).await
        }
    }
}

/// Who looks; `None` if nobody is signed in.
async fn visit(gate: &Arc<Gate>, headers: &HeaderMap) -> Result<Option<Visit>, Response<Body>> {
    let Some(cookie) = signing::shown(headers) else { return Ok(None) };
    let known = tokio::task::block_in_place(|| gate.tokens.signed_in(cookie));
    let Ok(known) = known else { return Err(empty(StatusCode::INTERNAL_SERVER_ERROR)) };
    let Some(known) = known else { return Ok(None) };
    if !may_ask(gate, Some(&known.0)) {
        return Err(empty(StatusCode::TOO_MANY_REQUESTS));
    }
    Ok(Some(Visit::new(gate, known, cookie, signing::theme(headers))))
}

/// Whether there is a page at this path or below it, or a form is sent there.
fn is_ours(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    path == "/" || path == SIGN_IN || PLACES.contains(&first)
}

/// What somebody sees who is not signed in: the door, and nothing else.
fn strange(path: &str, once: Option<&str>, headers: &HeaderMap) -> Response<Body> {
    match path {
        SIGN_IN => html(sign_in::page(once, None, signing::theme(headers)), StatusCode::OK),
        _ if is_ours(path) => to(SIGN_IN),
        _ => empty(StatusCode::NOT_FOUND),
    }
}

/// The page at a path, with what is to be said on it.
async fn shown(
    visit: &Visit,
    path: &str,
    query: &Form,
    notice: Option<Notice>,
    status: StatusCode,
) -> Response<Body> {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (viewer, how) = match visit.viewer().await {
        Ok(known) => known,
        Err(refused) => return empty(refused.status),
    };
    match pages::find(visit, &viewer, how, &parts, query).await {
        Ok(page) => html(page.render(&viewer, notice.as_ref(), path), status),
        Err(refused) => {
            let page = trouble(&refused);
            html(page.render(&viewer, notice.as_ref(), path), refused.status)
        }
    }
}

fn trouble(refused: &Refused) -> Page {
    let title = match refused.status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::FORBIDDEN => "Not for your role",
        _ => "That did not work",
    };
    sign_in::trouble(title, &refused.message)
}

async fn post(gate: &Arc<Gate>, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let media = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media.split(';').next().unwrap_or_default().trim() != FORM {
        return empty(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    if !signing::is_own(&parts.headers) {
        return empty(StatusCode::FORBIDDEN);
    }
    let Ok(body) = whole(gate, &parts.headers, body, MOST_BYTES).await else {
        return empty(StatusCode::PAYLOAD_TOO_LARGE);
    };
    let form = Form::read(&String::from_utf8_lossy(&body));
    let path = parts.uri.path();
    if path == SIGN_IN {
        return signed_in(gate, &form, &parts.headers);
    }
    let visit = match visit(gate, &parts.headers).await {
        Ok(Some(visit)) => visit,
        Ok(None) => return to(SIGN_IN),
        Err(response) => return response,
    };
    if !visit.is_meant(form.get("csrf")) {
        let notice = Notice::Refused(
            "That did not come from a page of ours, or the page was too old: nothing was changed.".into(),
        );
        return shown(&visit, "/", &Form::read(""), Some(notice), StatusCode::FORBIDDEN).await;
    }
    changed(&visit, path, &form).await
}

/// What a form of somebody who is signed in leads to.
async fn changed(visit: &Visit, path: &str, form: &Form) -> Response<Body> {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        ["sign-out"] => return signed_out(visit),
        ["theme"] => return with_cookie(to(own(form.get("back"))), &signing::theme_cookie(theme(form))),
        ["settings", "tokens"] => return answers::token(visit, form).await,
        ["settings", "alerts", "test"] => return answers::alert(visit).await,
        ["policy", "test"] => return answers::call(visit, form).await,
        _ => {}
    }
    match changes::make(visit, &parts, form).await {
        None => empty(StatusCode::NOT_FOUND),
        Some(Ok(changed)) => to(&format!("{}?done={}", changed.back, changed.done)),
        Some(Err(refused)) => {
            let notice = Notice::Refused(why(visit, &parts, form, &refused).await);
            shown(visit, &before(&parts), &Form::read(""), Some(notice), refused.status).await
        }
    }
}

/// Why a change was refused. Who approves what changed meanwhile reads that first.
async fn why(visit: &Visit, parts: &[&str], form: &Form, refused: &Refused) -> String {
    if let ["servers", .., "approve"] = parts {
        let now: Value = visit.get(&before(parts)).await.unwrap_or_default();
        if refused.status == StatusCode::CONFLICT && now["fingerprint"] != form.get("fingerprint") {
            return "It changed while you read it: nothing was approved. What it says now is below."
                .to_owned();
        }
    }
    format!("Nothing was changed: {}", refused.message)
}

/// The page a form stood on.
fn before(parts: &[&str]) -> String {
    match parts {
        ["servers", name, "approve-clean", kind] => format!("/servers/{name}/approve-clean/{kind}"),
        ["servers", name, kind, definition, _] => format!("/servers/{name}/{kind}/{definition}"),
        ["servers", name, _] => format!("/servers/{name}"),
        ["held", _] => "/held".to_owned(),
        ["baseline", ..] => "/baseline".to_owned(),
        _ => "/settings".to_owned(),
    }
}

/// A path of ours, whatever a form says.
fn own(path: &str) -> &str {
    let is_plain =
        path.starts_with('/') && !path.starts_with("//") && path.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain && !path.contains('\\') { path } else { "/" }
}

fn theme(form: &Form) -> &'static str {
    portcullis_dashboard::Theme::named(form.get("theme")).as_str()
}

/// Signs in with a link or with a token.
fn signed_in(gate: &Arc<Gate>, form: &Form, headers: &HeaderMap) -> Response<Body> {
    let refused = |status: StatusCode, why: &str| {
        html(sign_in::page(None, Some(&Notice::Refused(why.to_owned())), signing::theme(headers)), status)
    };
    if !may_ask(gate, None) {
        return refused(StatusCode::TOO_MANY_REQUESTS, "Too many tried to sign in: wait a little.");
    }
    let (once, token) = (form.get("once"), form.get("token").trim());
    let known = match once.is_empty() {
        false if gate.sign_ins.take(once) => Some((
            Principal { name: "this machine".into(), role: Role::Admin, is_owner: false },
            String::new(),
        )),
        false => {
            return refused(
                StatusCode::UNAUTHORIZED,
                "This link was used, or is too old. `portcullis dashboard` prints a new one.",
            );
        }
        true => by_token(gate, token),
    };
    let Some((who, with)) = known else {
        gate.metrics.turned_away();
        return refused(
            StatusCode::UNAUTHORIZED,
            "This token opens nothing here. An agent's token signs nobody in.",
        );
    };
    let expires = now_ms().saturating_add(u64::try_from(signing::STAYS.as_millis()).unwrap_or(u64::MAX));
    match tokio::task::block_in_place(|| gate.tokens.sign_in(&who, &with, expires)) {
        Ok((_, text)) => with_cookie(to("/"), &signing::session_cookie(&text, gate.settings.tls.is_some())),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &format!("That cannot be kept: {error}")),
    }
}

/// Whose token this is, and its id; agents and browsers have none here.
fn by_token(gate: &Gate, shown: &str) -> Option<(Principal, String)> {
    tokio::task::block_in_place(|| {
        let who = gate.tokens.principal(shown).ok()?.filter(|who| who.role.may(Role::Viewer))?;
        Some((who, gate.tokens.token(shown).ok()??.id))
    })
}

fn signed_out(visit: &Visit) -> Response<Body> {
    // A store that is away now forgets it when its time is over.
    let _ = tokio::task::block_in_place(|| visit.gate.tokens.revoke(&visit.id));
    with_cookie(to(SIGN_IN), &signing::session_cookie("", visit.gate.settings.tls.is_some()))
}

/// Records as a file.
async fn export(visit: &Visit, query: &Form) -> Response<Body> {
    let format = if query.get("format") == "csv" { "csv" } else { "jsonl" };
    let asked = pages::wanted(query).query(&[("format", format)]);
    match visit.answer(Method::GET, &format!("/activity/export{asked}"), &Value::Null).await {
        Ok(Answer::Text(media, bytes)) => {
            let mut response = bytes_of(bytes, media, StatusCode::OK);
            let name = if format == "csv" {
                "attachment; filename=\"activity.csv\""
            } else {
                "attachment; filename=\"activity.jsonl\""
            };
            response.headers_mut().insert(CONTENT_DISPOSITION, HeaderValue::from_static(name));
            response
        }
        Ok(_) => empty(StatusCode::NOT_FOUND),
        Err(refused) => empty(refused.status),
    }
}

/// The posture as a picture.
async fn picture(visit: &Visit) -> Response<Body> {
    match visit.answer(Method::GET, "/posture?format=svg", &Value::Null).await {
        Ok(Answer::Text(media, bytes)) => bytes_of(bytes, media, StatusCode::OK),
        Ok(_) => empty(StatusCode::NOT_FOUND),
        Err(refused) => empty(refused.status),
    }
}

fn asset(name: &str) -> Response<Body> {
    let Some(asset) = assets::find(name) else { return empty(StatusCode::NOT_FOUND) };
    let mut response = bytes_of(Bytes::from_static(asset.text.as_bytes()), asset.media, StatusCode::OK);
    // Its address names the content.
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    response.headers_mut().insert(CACHE_CONTROL, kept);
    response
}

fn html(text: String, status: StatusCode) -> Response<Body> {
    bytes_of(Bytes::from(text), "text/html; charset=utf-8", status)
}

fn bytes_of(bytes: Bytes, media: &'static str, status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::whole(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

/// Sends a browser to another page of ours.
fn to(path: &str) -> Response<Body> {
    let mut response = empty(StatusCode::SEE_OTHER);
    let place = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(LOCATION, place);
    response
}

fn with_cookie(mut response: Response<Body>, cookie: &str) -> Response<Body> {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}
