//! Messages and the ways they travel: JSON-RPC frames, event streams, lines, headers, answers of HTTP.
//!
//! What is judged is what is forwarded: a message stays the bytes that came, and everything known about it is a place
//! in them.

pub mod answer;
mod fault;
mod frame;
pub mod headers;
pub mod lines;
mod place;
mod scan;
mod splice;
pub mod sse;

pub use fault::{Fault, failed_result};
pub use frame::{Kind, Message, Reading, read};
pub use place::{Field, Limits, Span};
pub use splice::Splice;
