//! Forms that are answered with a page at once, because what they ask for is shown this one time: a new token, what would
//! become of a call, how a test alert went.

use http::{Response, StatusCode};
use portcullis_dashboard::trial::Tried;
use portcullis_dashboard::{Notice, Page, Viewer, policy};
use serde_json::{Value, json};

use super::form::Form;
use super::visit::Visit;
use super::{html, pages, shown, trouble};
use crate::api::Refused;
use crate::downstream::body::Body;
use crate::downstream::telling::empty;

/// Makes a token; its text is on the page that answers, and nowhere else.
pub(super) async fn token(visit: &Visit, form: &Form) -> Response<Body> {
    let asked = json!({ "name": form.get("name"), "role": form.get("role"), "days": form.get("days").parse::<u64>().ok() });
    let made = match visit.post("/tokens", &asked).await {
        Ok(made) => made,
        Err(refused) => {
            let notice = Notice::Refused(format!("Nothing was made: {}", refused.message));
            return shown(visit, "/settings", &Form::read(""), Some(notice), refused.status).await;
        }
    };
    let viewer = match visit.viewer().await {
        Ok((viewer, _)) => viewer,
        Err(refused) => return empty(refused.status),
    };
    let page = pages::configured(visit, &viewer, made["token"].as_str()).await;
    framed(page, &viewer, None, "/settings")
}

/// What would become of a call. What was asked stays in the form, so that it can be asked a little otherwise.
pub(super) async fn call(visit: &Visit, form: &Form) -> Response<Body> {
    let text = |name: &str| form.get(name).to_owned();
    let mut tried = Tried {
        server: text("server"),
        tool: text("tool"),
        arguments: text("arguments"),
        operation: text("operation"),
        session: text("session"),
        answer: None,
    };
    let viewer = match visit.viewer().await {
        Ok((viewer, _)) => viewer,
        Err(refused) => return empty(refused.status),
    };
    let notice = match judged(visit, &tried).await {
        Ok(answer) => {
            tried.answer = Some(answer);
            None
        }
        Err(refused) => Some(Notice::Refused(format!("It cannot be tried: {}", refused.message))),
    };
    let page = visit.get("/policy").await.map(|told| policy::page(&told, &tried, &viewer));
    framed(page, &viewer, notice.as_ref(), "/policy")
}

async fn judged(visit: &Visit, tried: &Tried) -> Result<Value, Refused> {
    let arguments = if tried.arguments.trim().is_empty() { "{}" } else { &tried.arguments };
    let arguments: Value = serde_json::from_str(arguments)
        .map_err(|error| Refused::bad(format!("the arguments are not JSON: {error}")))?;
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let asked = json!({
        "server": tried.server, "tool": tried.tool, "arguments": arguments, "session": said(&tried.session),
        "intent": said(&tried.operation).map(|operation| json!({ "operation": operation })),
    });
    visit.post("/policy/test", &asked).await
}

/// Sends a test alert.
pub(super) async fn alert(visit: &Visit) -> Response<Body> {
    let (notice, status) = match visit.post("/alerts/test", &json!({})).await {
        Ok(told) => (delivered(&told), StatusCode::OK),
        Err(refused) => (Notice::Refused(format!("Nothing was sent: {}", refused.message)), refused.status),
    };
    shown(visit, "/settings", &Form::read(""), Some(notice), status).await
}

/// How a test alert went, receiver by receiver.
fn delivered(told: &Value) -> Notice {
    let tried = [("The webhook", &told["webhook"]), ("The desktop", &told["desktop"])];
    let tried: Vec<(&str, &Value)> = tried.into_iter().filter(|(_, went)| !went.is_null()).collect();
    let sentence = |(who, went): &(&str, &Value)| {
        let status = went["status"].as_u64().map(|status| format!(" ({status})")).unwrap_or_default();
        match went["delivered"] == true {
            true => format!("{who} took it{status}."),
            false => format!(
                "{who} did not take it{status}: {}.",
                went["why"].as_str().unwrap_or("no reason given")
            ),
        }
    };
    let text = tried.iter().map(sentence).collect::<Vec<_>>().join(" ");
    match tried.iter().all(|(_, went)| went["delivered"] == true) {
        true => Notice::Done(text),
        false => Notice::Refused(text),
    }
}

fn framed(
    page: Result<Page, Refused>,
    viewer: &Viewer,
    notice: Option<&Notice>,
    path: &str,
) -> Response<Body> {
    let (page, status) = match page {
        Ok(page) => (page, StatusCode::OK),
        Err(refused) => (trouble(&refused), refused.status),
    };
    html(page.render(viewer, notice, path), status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alert_that_one_receiver_did_not_take_is_not_called_done() {
        let took = delivered(&json!({ "webhook": { "delivered": true, "status": 204 }, "desktop": null }));
        assert_eq!(took, Notice::Done("The webhook took it (204).".into()));
        let told =
            json!({ "webhook": { "delivered": true }, "desktop": { "delivered": false, "why": "no bus" } });
        let expected = "The webhook took it. The desktop did not take it: no bus.";
        assert_eq!(delivered(&told), Notice::Refused(expected.into()));
    }
}
