//! The public formats of a report, for people and for programs. The only place they are defined.
//!
//! Nothing here prints or opens a file: every format writes to what it is given. The map: [`Scan`] is what a
//! format needs to know; [`Plain`], [`concise`], [`write_markdown`] and [`write_html`] are for people, [`write_json`],
//! [`json_lines`], [`write_sarif`] and [`write_github`] for programs. [`baseline`], [`lock`] and [`suppressions`] are
//! files of ours, [`difference`] shows what changed, [`agreement`] what other scanners say,
//! [`posture`] what tools can do together, [`inventory`] which servers there are.

mod accepted;
pub mod agreement;
pub mod baseline;
pub mod concise;
pub mod difference;
mod excerpt;
mod github;
mod html;
pub mod inventory;
mod json;
pub mod json_lines;
mod lines;
pub mod lock;
mod markdown;
mod place;
mod plain;
pub mod posture;
mod safe_json;
mod sarif;
mod style;
mod summary;
pub mod suppressions;
mod word;
mod wrap;

use portcullis_decide::Report;
use portcullis_detect::Facts;

pub use github::write as write_github;
pub use html::write as write_html;
pub use json::write as write_json;
pub use lines::BadFile;
pub use markdown::write as write_markdown;
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
    /// Definitions were judged together, so that a check could compare servers.
    pub is_registry_used: bool,
    /// Where the pages of checks are published, with `{check}` for the id; findings then link there.
    pub pages: Option<&'a str>,
}

impl Scan<'_> {
    /// The OWASP MCP Top 10 item of a check.
    fn owasp(&self, check: &str) -> &'static str {
        self.checks.iter().find(|facts| facts.id == check).map_or("", |facts| facts.owasp)
    }

    /// The address of a check's page, if pages are published.
    fn page(&self, check: &str) -> Option<String> {
        Some(self.pages?.replace("{check}", check))
    }
}
