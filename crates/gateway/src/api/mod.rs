//! The REST API: one table of routes, from which requests are answered and described.
//!
//! The map: `route` is the table's form, `routes` the table, `access` who may do what, `http` the way from a connection
//! to an answer; every other file answers for one resource.

pub(crate) mod access;
mod activity;
mod alerts;
mod definitions;
mod desk;
mod events;
mod guard;
pub(crate) mod http;
mod listing;
mod noting;
mod openapi;
mod route;
mod routes;
mod servers;
mod sessions;
mod status;
mod tokens;

use std::sync::Arc;

use serde_json::Value;

use crate::gate::Gate;
pub use access::{Principal, Role, Token, Tokens};
pub use desk::Desk;
pub(crate) use events::Happening;
pub(crate) use route::decoded;
pub use route::{Answer, Asked, Refused};
use routes::ROUTES;
pub(crate) use servers::Added;

/// Where the API begins.
pub const BASE: &str = "/api/v1";

/// Answers a request of somebody who is known.
pub(crate) async fn answer(gate: &Arc<Gate>, mut asked: Asked) -> Result<Answer, Refused> {
    let path = asked.path.clone();
    let mut is_known = false;
    for route in ROUTES {
        let Some(found) = route.fits(&path) else { continue };
        is_known = true;
        if route.method != asked.method {
            continue;
        }
        if !asked.who.role.may(route.role) {
            return Err(Refused::forbidden(route.role));
        }
        asked.found = found;
        return (route.act)(gate, asked).await;
    }
    Err(if is_known { Refused::method() } else { Refused::not_found("There is nothing at this path") })
}

/// Runs something that waits for the store, off the threads that serve others.
async fn stored<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let failed = |_| Refused::internal("The request failed; the log says why");
    tokio::task::spawn_blocking(act).await.map_err(failed)?
}

/// An answer of plain data.
fn data(value: Value) -> Result<Answer, Refused> {
    Ok(Answer::Data(value))
}
