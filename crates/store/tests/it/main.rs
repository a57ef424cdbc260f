//! The store from outside: what is appended is there, in order, unchanged, masked, and found again.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod directory;
mod durability;
mod masking;
mod questions;
mod retention;
mod tampering;
mod world;
