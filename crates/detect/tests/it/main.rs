//! The integration tests of the crate, in one binary: the pages of the checks, changes, fingerprints, properties, variants, isolation, limits.

mod archive;
mod call_cases;
mod cases;
mod change;
mod copies;
mod degradation;
mod fingerprint;
mod flows;
mod isolation;
mod limits;
mod look_alikes;
mod properties;
mod references;
mod sensitive_properties;
mod shadowing;
mod split_secrets;
mod stage;
mod variants;
