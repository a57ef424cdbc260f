//! What goes wrong between us and a server over HTTP, in words for whoever asked.

use http::StatusCode;
use tracing::warn;

use super::address::Refused;
use super::pool::Unreached;
use crate::wire::Fault;

/// A status without a message of its own, as a fault; `None` if it is no failure.
pub(super) fn said(status: StatusCode) -> Option<Fault> {
    let fault = |text: &'static str, status: u16| Some(Fault::internal(text).with_status(status));
    match status.as_u16() {
        200..=299 => None,
        300..=399 => fault(
            "The server sends elsewhere, where nobody follows: its operator can write that address",
            502,
        ),
        401 | 403 => Some(not_let_in(String::new())),
        404 => fault("The server does not know this session or this address", 404),
        405 => fault("The server does not allow this", 405),
        status @ 400..=499 => Some(
            Fault::invalid(format!("The server refused the request with HTTP {status}")).with_status(status),
        ),
        status => Some(Fault::internal(format!("The server failed with HTTP {status}"))),
    }
}

/// What is told of a server that wants another credential.
pub(crate) const NOT_LET_IN: &str =
    "The server does not let the gateway in: its credential must be renewed by the operator";

pub(super) fn not_let_in(why: String) -> Fault {
    if !why.is_empty() {
        warn!(why, "signing in to a server failed");
    }
    Fault::internal(NOT_LET_IN)
}

/// What is told of a server that is silent for too long.
pub(super) fn late() -> Fault {
    Fault::internal("The server did not answer in time").with_status(504)
}

pub(super) fn unreached(error: Unreached) -> Fault {
    match error {
        Unreached::Connect(error) => {
            warn!(%error, "a server cannot be reached");
            let why = refused(&error).map_or_else(|| error.kind().to_string(), |refused| refused.outline());
            Fault::internal(format!("The server cannot be reached: {why}"))
        }
        Unreached::Broken(error) => {
            warn!(%error, "a connection to a server broke");
            Fault::internal("The connection to the server broke")
        }
    }
}

/// Why an address was not connected to, if it was not tried.
pub(crate) fn refused(error: &std::io::Error) -> Option<Refused> {
    error.get_ref()?.downcast_ref::<Refused>().cloned()
}
