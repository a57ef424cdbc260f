//! The gateway: MCP between agents and servers, both eras, every message as it came.
//!
//! The map: [`wire`] reads and writes messages, `upstream` speaks to servers, `downstream` to agents; `session` is the
//! walk of a message through the gate, `bridge` what stands between the eras, `quarantine` what of all that agents may
//! see, `survey` a server read without a gate, `review` how agents see what is held, `api` how people decide, `dashboard`
//! the same for browsers, `alerts` who is told, `catalogue` all servers as one, `ticket` what a session id holds, `gate` what all
//! connections share, `others` what other nodes did, `nodes` which of them runs a server's process and how the others
//! reach it, `endings` which sessions ended on any of them, `settle` how their tasks are polled, `serve` listens, with
//! `tls` if it is given a certificate.

pub mod alerts;
pub mod api;
mod bridge;
mod catalogue;
mod dashboard;
mod downstream;
mod endings;
mod error;
mod gate;
mod intent;
mod joining;
pub mod judge;
#[cfg(unix)]
mod local;
mod members;
mod metrics;
mod news;
mod nodes;
pub mod oauth;
mod others;
mod patience;
pub mod quarantine;
mod recording;
mod review;
mod roster;
mod seal;
pub mod search;
mod serve;
mod session;
pub mod settings;
mod settle;
pub mod survey;
pub mod telemetry;
mod ticket;
pub mod tls;
pub mod traces;
mod upstream;
mod version;
mod visits;
mod watch;
mod wrapping;

pub use portcullis_wire as wire;

pub use error::GatewayError;
pub use joining::Reloaded;
#[cfg(unix)]
pub use local::relay;
pub use serve::{Control, Gateway, Solo, serve, serve_stdio};
pub use settings::{Entrance, Settings};
pub use wrapping::Wrapped;
