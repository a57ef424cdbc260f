//! The integration tests of the crate, in one binary: the pages of the checks, properties, variants, isolation, limits.

mod cases;
mod isolation;
mod limits;
mod properties;
mod shadowing;
mod stage;
mod variants;
