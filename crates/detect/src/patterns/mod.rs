//! Patterns as rows: shell commands.

pub(crate) mod shell;
