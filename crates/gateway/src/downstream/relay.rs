//! Other nodes: who proves to be one speaks to a server that runs here, on a connection that is theirs from then on.

use std::sync::{Arc, Mutex, PoisonError};

use http::header::{CONNECTION, HeaderValue, UPGRADE};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;

use super::body::Body;
use super::telling::empty;
use crate::gate::Gate;
use crate::nodes::{Carried, PATH, PROOF, PROTOCOL};
use crate::upstream::{Child, Route, Upstream};

/// Where a connection is kept that is about to be another node's.
pub(crate) type Kept = Mutex<Option<Carried>>;

/// Whether a path is for other nodes.
pub(crate) fn is_meant(path: &str) -> bool {
    path.starts_with(PATH)
}

/// Lets a node in, or says why not.
pub(crate) async fn admit(gate: &Arc<Gate>, kept: &Kept, mut request: Request<Incoming>) -> Response<Body> {
    let Some(nodes) = &gate.nodes else { return empty(StatusCode::NOT_FOUND) };
    let says = |name, value: &str| {
        let said = request.headers().get(name).and_then(|said| said.to_str().ok());
        said.is_some_and(|said| said.eq_ignore_ascii_case(value))
    };
    if *request.method() != Method::GET || !says(UPGRADE, PROTOCOL) {
        return empty(StatusCode::NOT_FOUND);
    }
    let name = request.uri().path().strip_prefix(PATH).unwrap_or_default();
    let proof = request.headers().get(PROOF).and_then(|proof| proof.to_str().ok());
    let asked = proof.and_then(|proof| nodes.asked(proof)).filter(|asked| asked.server == name);
    let Some(asked) = asked else {
        gate.metrics.turned_away();
        return empty(StatusCode::UNAUTHORIZED);
    };
    let Some((upstream, child)) = leased(gate, &asked.server) else { return empty(StatusCode::NOT_FOUND) };
    let answer = nodes.answer(&asked).and_then(|proof| HeaderValue::try_from(proof).ok());
    let Some(answer) = answer else { return empty(StatusCode::INTERNAL_SERVER_ERROR) };
    let is_alike = upstream.launch.to_string() == asked.launch;
    let upgrade = hyper::upgrade::on(&mut request);
    let limits = gate.settings.limits.message;
    let carried = Carried { upgrade, upstream, child, is_alike, limits };
    *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(carried);
    let mut response = empty(StatusCode::SWITCHING_PROTOCOLS);
    let upgraded =
        [(CONNECTION, HeaderValue::from_static("upgrade")), (UPGRADE, HeaderValue::from_static(PROTOCOL))];
    response.headers_mut().extend(upgraded.into_iter().chain([(PROOF, answer)]));
    response
}

/// A server of which one node runs the process.
fn leased(gate: &Gate, name: &str) -> Option<(Arc<Upstream>, Arc<Child>)> {
    let upstream = gate.upstream(name)?;
    let Route::Child(child) = &upstream.route else { return None };
    let child = Arc::clone(child);
    child.is_leased().then_some((upstream, child))
}
