//! Which secrets and personal data an operator wants looked for, compiled.

use std::fmt;
use std::sync::Arc;

use portcullis_detect::sensitive::{BadPattern, CustomPattern, SensitiveData};

/// What is looked for in calls and results, and what is masked wherever something of them is shown. The second is never
/// less than everything: a value that nobody wants to hear about is still nobody's to read.
#[derive(Clone)]
pub struct Sought {
    found: Arc<SensitiveData>,
    masked: Arc<SensitiveData>,
    patterns: Vec<CustomPattern>,
}

impl Sought {
    /// Looks for these types (all if there are none named) and for patterns of one's own.
    pub fn new(types: Option<&[String]>, patterns: Vec<CustomPattern>) -> Result<Sought, BadPattern> {
        let masked = Arc::new(SensitiveData::with(None, &patterns)?);
        let found = match types {
            Some(types) => Arc::new(SensitiveData::with(Some(types), &patterns)?),
            None => Arc::clone(&masked),
        };
        Ok(Sought { found, masked, patterns })
    }

    /// Looks for nothing; patterns of one's own are still masked.
    pub fn nothing(patterns: Vec<CustomPattern>) -> Result<Sought, BadPattern> {
        let found = Arc::new(SensitiveData::with(Some(&[]), &[])?);
        Ok(Sought { found, ..Sought::new(None, patterns)? })
    }

    /// What is looked for.
    pub fn found(&self) -> Arc<SensitiveData> {
        Arc::clone(&self.found)
    }

    /// What is masked wherever it is shown.
    pub(crate) fn masked(&self) -> &SensitiveData {
        &self.masked
    }

    /// Patterns of one's own.
    pub fn patterns(&self) -> &[CustomPattern] {
        &self.patterns
    }
}

impl Default for Sought {
    fn default() -> Self {
        let all = Arc::new(SensitiveData::new());
        Sought { found: Arc::clone(&all), masked: all, patterns: Vec::new() }
    }
}

impl fmt::Debug for Sought {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sought").field("patterns", &self.patterns).finish_non_exhaustive()
    }
}
