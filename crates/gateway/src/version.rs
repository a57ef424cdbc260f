//! The revisions of the protocol, and which era each belongs to.

/// The revision without sessions.
pub(crate) const MODERN: &str = "2026-07-28";

/// The revisions with `initialize`, newest first.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The only revision with batches.
pub(crate) const WITH_BATCHES: &str = "2025-03-26";

/// What is taken if a client of the revisions with `initialize` does not say.
pub(crate) const UNSAID: &str = "2025-03-26";

/// The revision of the list that is called so.
pub(crate) fn legacy(text: &str) -> Option<&'static str> {
    LEGACY.into_iter().find(|known| *known == text)
}
