//! A hostile MCP server: it performs the attacks that scenario files describe, so that anyone can see a gate work.
fn main() {}
