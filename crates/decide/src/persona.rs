//! Which findings a reader wants to see: few and sure, all, or everything.

use crate::finding::{Finding, Severity};

/// From this confidence (thousandths) a single soft signal is worth showing to everyone.
const HIGH_CONFIDENCE: u16 = 800;

/// How much a reader wants to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Persona {
    /// Hard findings, and soft ones of medium severity or of high confidence.
    #[default]
    Regular,
    /// All soft findings too.
    Pedantic,
    /// Everything, also what was discounted.
    Auditor,
}

impl Persona {
    /// The word used on the command line and in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Persona::Regular => "regular",
            Persona::Pedantic => "pedantic",
            Persona::Auditor => "auditor",
        }
    }

    /// Whether this reader wants to see the finding.
    pub fn wants(self, finding: &Finding) -> bool {
        match self {
            Persona::Auditor => true,
            Persona::Pedantic => finding.severity > Severity::Info,
            Persona::Regular => {
                let is_sure = finding.signals.iter().any(|s| s.confidence.thousandths() >= HIGH_CONFIDENCE);
                finding.is_hard() || finding.severity >= Severity::Medium || is_sure
            }
        }
    }
}
