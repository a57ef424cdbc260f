//! The commands as their users meet them: exit codes, streams, input shapes, formats.

mod eval;
mod examples;
mod explain;
mod help;
mod process;
mod scan;
mod sensitive;
mod shapes;
mod world;
