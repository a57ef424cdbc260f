//! The gateway as agents and servers see it: in process, on the loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod client;
mod eras;
mod fidelity;
mod lifecycle;
mod messages;
mod news;
mod oauth;
mod recorder;
mod router;
mod routes;
mod search;
mod sessions;
mod stdio;
mod tasks;
mod watching;
mod world;
