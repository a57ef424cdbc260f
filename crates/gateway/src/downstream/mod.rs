//! The agents' side: who may come in, and how each era is spoken to.

mod all;
pub(crate) mod body;
mod conversation;
pub(crate) mod http;
mod instructions;
mod legacy;
pub(crate) mod local;
mod modern;
mod place;
pub(crate) mod relay;
pub(crate) mod resume;
mod router;
pub(crate) mod stdio;
pub(crate) mod taken;
mod tasks;
pub(crate) mod telling;
