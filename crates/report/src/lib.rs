//! The public formats of a report: plain text, JSON, SARIF. The only place they are defined.
//!
//! Nothing here prints or opens a file: every format writes to what it is given. The map: [`Scan`] is what a
//! format needs to know, [`Plain`] is for people, [`write_json`] and [`write_sarif`] are for programs.
//! [`lock`] and [`suppressions`] are files of ours, [`difference`] shows what changed, [`posture`] what tools can do
//! together.

mod accepted;
pub mod difference;
mod excerpt;
mod json;
mod lines;
pub mod lock;
mod place;
mod plain;
pub mod posture;
mod safe_json;
mod sarif;
mod style;
pub mod suppressions;

use portcullis_decide::Report;
use portcullis_detect::Facts;

pub use json::write as write_json;
pub use lines::BadFile;
pub use place::{Origin, Origins};
pub use plain::Plain;
pub use safe_json::{line as safe_line, write as write_safe};
pub use sarif::write as write_sarif;
pub use style::Style;

/// One scan, with what the formats say about it beyond the report itself.
#[derive(Clone, Copy)]
pub struct Scan<'a> {
    /// What was found.
    pub report: &'a Report,
    /// The checks that ran, in running order.
    pub checks: &'a [&'static Facts],
    /// Where the definitions were read.
    pub origins: &'a Origins,
}

impl Scan<'_> {
    /// The OWASP MCP Top 10 item of a check.
    fn owasp(&self, check: &str) -> &'static str {
        self.checks.iter().find(|facts| facts.id == check).map_or("", |facts| facts.owasp)
    }
}
