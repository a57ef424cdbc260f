//! The rules of the house that a test can hold, each tried on the real tree and on a bad example.
//!
//! A rule is a function from what it looks at to a list of violations. Its own tests show that it can fail.

#[path = "house/book.rs"]
mod book;
#[path = "house/checks.rs"]
mod checks;
#[path = "house/corpus.rs"]
mod corpus;
#[path = "house/credentials.rs"]
mod credentials;
#[path = "house/purity.rs"]
mod purity;
#[path = "house/sources.rs"]
mod sources;
#[path = "house/staircase.rs"]
mod staircase;
#[path = "house/tree.rs"]
mod tree;

/// Fails with all violations at once: a reader fixes ten of them in one go.
fn hold(rule: &str, violations: &[String]) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}
