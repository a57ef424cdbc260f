//! What a check says: a signal with its tier, threat, confidence and render-safe evidence.

use crate::prelude::*;
use crate::text::show::{self, Shown};
use core::fmt;

/// How much a signal may do: hold a tool, or only ask a human to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// A phrased or heuristic indicator; raises a review item, never holds alone.
    Soft,
    /// A structural attack that honest tools practically never show; holds the tool.
    Hard,
}

impl Tier {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Soft => "soft",
            Tier::Hard => "hard",
        }
    }
}

/// The kind of harm a signal points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Threat {
    /// A definition that carries orders beyond describing its tool.
    ToolPoisoning,
    /// Text that speaks to the model as if it were the system or the user.
    PromptInjection,
    /// A definition that turned hostile after it was trusted.
    RugPull,
    /// Data is led out of the agent's world.
    Exfiltration,
    /// Code or commands that harm the machine.
    MaliciousCode,
    /// None of the above.
    Uncategorized,
}

impl Threat {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Threat::ToolPoisoning => "tool_poisoning",
            Threat::PromptInjection => "prompt_injection",
            Threat::RugPull => "rug_pull",
            Threat::Exfiltration => "exfiltration",
            Threat::MaliciousCode => "malicious_code",
            Threat::Uncategorized => "uncategorized",
        }
    }
}

/// A probability in thousandths: arithmetic is exact and order-free, so output is byte-identical.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u16);

impl Confidence {
    /// Certainty.
    pub const MAX: Confidence = Confidence(1000);

    /// A confidence of `thousandths`, clamped to 1000.
    pub const fn new(thousandths: u16) -> Self {
        Confidence(if thousandths > 1000 { 1000 } else { thousandths })
    }

    /// The value in thousandths.
    pub const fn thousandths(self) -> u16 {
        self.0
    }

    /// This confidence scaled by `thousandths` of a factor.
    pub fn scaled(self, thousandths: u16) -> Self {
        let scaled = u32::from(self.0) * u32::from(thousandths.min(1000)) / 1000;
        Confidence(u16::try_from(scaled).unwrap_or(1000))
    }

    /// Independent evidence adds: 1 - (1 - a)(1 - b), rounded down.
    pub fn combined(self, other: Confidence) -> Self {
        let doubt = (1000 - u32::from(self.0)) * (1000 - u32::from(other.0));
        Confidence(u16::try_from(1000 - doubt.div_ceil(1000)).unwrap_or(1000))
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// Why a phrase counts for less: it stands where examples stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discount {
    /// What the confidence would have been.
    pub from: Confidence,
    /// Why it was lowered, in words for the operator.
    pub reason: &'static str,
}

/// Where a signal was seen and what was seen there, safe to print anywhere.
///
/// Only the escaping constructor makes one: text is cut, controls and invisibles are written `U+200B`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pointer: String,
    decodings: Vec<&'static str>,
    excerpt: String,
    mark_start: usize,
    mark_end: usize,
}

impl Evidence {
    /// Evidence from `text` at a JSON pointer, with the bytes `start..end` marked.
    ///
    /// `decodings` is the path that led from the raw unit to `text` (empty for raw text).
    pub fn new(pointer: &str, decodings: &[&'static str], text: &str, start: usize, end: usize) -> Self {
        let Shown { text: excerpt, mark_start, mark_end } = show::excerpt(text, start, end);
        Evidence {
            pointer: show::line(pointer, 200),
            decodings: decodings.to_vec(),
            excerpt,
            mark_start,
            mark_end,
        }
    }

    /// The escaped JSON pointer of the unit, such as `/inputSchema/properties/q/description`.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The rungs of the decoding ladder that led to the text, outermost first.
    pub fn decodings(&self) -> &[&'static str] {
        &self.decodings
    }

    /// The escaped excerpt: one line, no control or invisible character.
    pub fn excerpt(&self) -> &str {
        &self.excerpt
    }

    /// The marked part of the excerpt, as a range of characters.
    pub fn mark(&self) -> (usize, usize) {
        (self.mark_start, self.mark_end)
    }

    /// "base64 at #/inputSchema/properties/filter/default", or just the pointer.
    pub fn place(&self) -> String {
        if self.decodings.is_empty() {
            return format!("#{}", self.pointer);
        }
        format!("{} at #{}", self.decodings.join(" in "), self.pointer)
    }
}

/// One observation of one check on one definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The id of the check, such as `unicode.hidden`.
    pub check: &'static str,
    /// Hard or soft; never above the highest tier of the check.
    pub tier: Tier,
    /// The kind of harm.
    pub threat: Threat,
    /// How sure the check is, after any discount.
    pub confidence: Confidence,
    /// Hard signals only: critical rather than high.
    pub escalated: bool,
    /// What was seen, and where.
    pub evidence: Evidence,
    /// One sentence for the operator; render-safe.
    pub detail: String,
    /// Set when the confidence was lowered because of the position of the phrase.
    pub discount: Option<Discount>,
}
