//! Between the eras: a client with sessions before a server without, and the other way round.

pub(crate) mod old_client;
pub(crate) mod old_server;
pub(crate) mod parked;
