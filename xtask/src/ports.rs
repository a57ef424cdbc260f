//! Ports that gateways can be told of before they start: nodes must know where they reach each other.

use anyhow::{Context, Result};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// From here on ports are given out: below those that systems take for connections, which would be gone when a node that
/// was killed comes back.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A port of this machine that nobody listens on, and that was not given out before.
pub(crate) fn free() -> Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Two runs at a time begin at different places.
    let offset = u16::try_from(std::process::id() % u32::from(COUNT)).unwrap_or_default();
    let found = (0..COUNT).find_map(|_| {
        let number = (offset + NEXT.fetch_add(1, Ordering::Relaxed) % COUNT) % COUNT;
        let port = FIRST + number;
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok().then_some(port)
    });
    found.context("no port is free")
}
