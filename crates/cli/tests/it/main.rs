//! The commands as their users meet them: exit codes, streams, input shapes, formats.

mod activity;
mod eval;
mod examples;
mod explain;
mod help;
mod lock;
mod process;
mod scan;
mod sensitive;
mod shapes;
mod suppress;
mod world;
