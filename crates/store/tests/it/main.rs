//! The store from outside: what is appended is there, in order, unchanged, masked, and found again.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod both;
mod cluster;
mod directory;
mod durability;
mod flows;
mod ground;
mod leases;
mod masking;
mod postgres;
mod questions;
mod registry;
mod retention;
mod tampering;
mod valkey;
mod world;
