//! The gateway: MCP between agents and servers, both eras, every message as it came.
//!
//! The map: [`wire`] reads and writes messages, `upstream` speaks to servers, `downstream` to agents; `session` is the
//! walk of a message through the gate, `bridge` what stands between the eras, `catalogue` all servers as one, `ticket` what a session id holds, `gate` what all connections share.

mod bridge;
mod catalogue;
mod downstream;
mod error;
mod gate;
mod intent;
mod members;
mod metrics;
mod news;
pub mod oauth;
mod seal;
pub mod search;
mod serve;
mod session;
pub mod settings;
pub mod telemetry;
mod ticket;
pub mod traces;
mod upstream;
mod version;
mod watch;
pub mod wire;

pub use error::GatewayError;
pub use serve::{Gateway, serve, serve_stdio};
pub use settings::{Entrance, Settings};
