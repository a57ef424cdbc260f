//! Patterns as rows: shell commands, and credentials with their own yes and no examples.

pub(crate) mod card;
pub(crate) mod grams;
pub(crate) mod secrets;
pub(crate) mod shell;
