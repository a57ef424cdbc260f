//! The colours of plain output, chosen by the caller: there is no global switch.

use crate::word::Level;

/// Escape sequences put around parts of a report; empty ones without colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub(crate) error: &'static str,
    pub(crate) warning: &'static str,
    pub(crate) note: &'static str,
    pub(crate) frame: &'static str,
    pub(crate) strong: &'static str,
    pub(crate) reset: &'static str,
}

impl Style {
    /// No colours.
    pub fn plain() -> Self {
        Style::default()
    }

    /// The colours rustc made familiar, from the sixteen every terminal has.
    pub fn coloured() -> Self {
        Style {
            error: "\x1b[1;91m",
            warning: "\x1b[1;33m",
            note: "\x1b[1;92m",
            frame: "\x1b[1;94m",
            strong: "\x1b[1m",
            reset: "\x1b[0m",
        }
    }

    /// The colour of a word.
    pub(crate) fn of(self, level: Level) -> &'static str {
        match level {
            Level::Note => self.note,
            Level::Warning => self.warning,
            Level::Error => self.error,
        }
    }
}
