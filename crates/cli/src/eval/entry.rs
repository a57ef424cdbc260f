//! One labelled definition, whatever file shape it came from.

use portcullis_decide::Incomplete;
use portcullis_detect::Definition;

use super::data::Sample;
use super::operations::Annotated;

/// What the label says, seen the way the scorecard counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Malicious,
    Benign,
    /// Benign, but written to look like an attack.
    HardNegative,
}

/// A labelled definition and the other definitions of the agent's registry.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) source: String,
    pub(crate) is_malicious: bool,
    pub(crate) category: String,
    /// The attack category a hard negative resembles.
    pub(crate) resembles: Option<String>,
    /// Whether the attack can be seen in the text: `true`, `weak`, `overt`, `false`; `None` where not said.
    pub(crate) visible: Option<String>,
    pub(crate) definition: Definition,
    pub(crate) peers: Vec<Definition>,
}

impl Entry {
    pub(crate) fn class(&self) -> Class {
        if self.is_malicious {
            Class::Malicious
        } else if self.category == "hard_negative" || self.resembles.is_some() {
            Class::HardNegative
        } else {
            Class::Benign
        }
    }

    /// Whether the entry belongs to the totals: an attack that only code shows cannot be found here.
    pub(crate) fn is_counted(&self) -> bool {
        !self.is_malicious || self.visible.as_deref().is_none_or(|visible| visible == "true")
    }
}

/// All entries, file by file, and what could not be read.
#[derive(Debug, Default)]
pub(crate) struct Corpus {
    pub(crate) files: Vec<Vec<Entry>>,
    /// Texts in which sensitive data is labelled.
    pub(crate) samples: Vec<Sample>,
    /// Tools whose annotations say what they do.
    pub(crate) annotated: Vec<Annotated>,
    pub(crate) gaps: Vec<Incomplete>,
}

impl Corpus {
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.files.iter().flatten()
    }
}
