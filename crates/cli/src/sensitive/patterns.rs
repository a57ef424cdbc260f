//! Reads the operator's own patterns from a configuration file and compiles them beside the built-in rows.

use crate::args::DocumentArguments;
use crate::exit::Failure;
use portcullis_detect::escape_line;
use portcullis_detect::sensitive::{BadPattern, CustomPattern, SensitiveData};
use portcullis_gateway::judge::Sought;
use serde::Deserialize;
use std::path::Path;

/// The rows to look for, as the arguments say.
pub(super) fn compile(document: &DocumentArguments) -> Result<SensitiveData, Failure> {
    let Some(path) = &document.patterns else { return Ok(SensitiveData::new()) };
    let detection = read(path)?;
    SensitiveData::with(detection.patterns.as_deref(), &detection.custom())
        .map_err(|bad| Failure::Usage(format!("{}: {}", path.display(), escape_line(&bad.to_string(), 400))))
}

/// The part of a configuration that is about sensitive data, wherever in the file it stands.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Whole { security: Security },
    Section { pii_detection: Detection },
    Bare(Detection),
}

#[derive(Deserialize)]
struct Security {
    pii_detection: Detection,
}

/// `pii_detection` as it is written.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Detection {
    enabled: Option<bool>,
    patterns: Option<Vec<String>>,
    #[serde(default)]
    custom_patterns: Vec<Written>,
}

impl Detection {
    /// What a guard looks for.
    pub(crate) fn sought(&self) -> Result<Sought, BadPattern> {
        match self.enabled {
            Some(false) => Sought::nothing(self.custom()),
            _ => Sought::new(self.patterns.as_deref(), self.custom()),
        }
    }

    fn custom(&self) -> Vec<CustomPattern> {
        self.custom_patterns.iter().cloned().map(Written::pattern).collect()
    }
}

/// A pattern as it is written.
#[derive(Clone, Debug, Deserialize)]
struct Written {
    #[serde(default)]
    name: String,
    #[serde(default)]
    regex: String,
    #[serde(default)]
    severity: String,
    #[serde(default)]
    keywords: Vec<String>,
    validator: Option<String>,
}

impl Written {
    fn pattern(self) -> CustomPattern {
        let Written { name, regex, severity, keywords, validator } = self;
        CustomPattern { name, regex, severity, keywords, validator }
    }
}

fn read(path: &Path) -> Result<Detection, Failure> {
    let bad = |problem: String| Failure::Usage(format!("{}: {problem}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| bad(format!("cannot be read: {error}")))?;
    // Two readings: an untagged shape that fits nothing says nothing about where it went wrong.
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let file: File = serde_json::from_value(value).map_err(|_| {
        bad("expected `custom_patterns`, a list of {\"name\", \"regex\", \"severity\"}, at the top or under \
             `security.pii_detection`"
            .to_owned())
    })?;
    Ok(match file {
        File::Whole { security } => security.pii_detection,
        File::Section { pii_detection } => pii_detection,
        File::Bare(detection) => detection,
    })
}
