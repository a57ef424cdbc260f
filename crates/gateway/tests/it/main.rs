//! The gateway as agents and servers see it: in process, on the loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod alerting;
mod asking;
mod authority;
mod browser;
mod client;
#[path = "../../../store/tests/it/cluster.rs"]
#[expect(dead_code, reason = "the store's own tests need more of it")]
mod cluster;
mod dashboard;
mod deciding;
mod endings;
mod eras;
mod faces;
mod fidelity;
mod fixture;
mod guarding;
mod inside;
mod insight;
mod leases;
mod lifecycle;
mod limits;
mod messages;
mod names;
mod news;
mod nodes;
mod noting;
mod oauth;
mod places;
mod quarantine;
mod questions;
mod receiver;
mod recorder;
mod review;
mod router;
mod routes;
mod script;
mod search;
mod sessions;
mod silence;
mod stdio;
mod tasks;
mod tls;
mod together;
#[path = "../../../store/tests/it/valkey.rs"]
mod valkey;
mod watching;
mod world;
