//! The signals of one call -> a score from 0 to 100.

use portcullis_detect::call::{CallSignal, Source};

/// How bad a risk is, by name; for display only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Band {
    /// 0 to 29.
    Low,
    /// 30 to 49.
    Medium,
    /// 50 to 69.
    High,
    /// 70 to 100.
    Critical,
}

impl Band {
    /// The band of a score.
    pub fn of(risk: u8) -> Band {
        match risk {
            0..=29 => Band::Low,
            30..=49 => Band::Medium,
            50..=69 => Band::High,
            _ => Band::Critical,
        }
    }

    /// The band a word names, as configurations write it.
    pub fn named(word: &str) -> Option<Band> {
        [Band::Low, Band::Medium, Band::High, Band::Critical].into_iter().find(|band| band.as_str() == word)
    }

    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Band::Low => "low",
            Band::Medium => "medium",
            Band::High => "high",
            Band::Critical => "critical",
        }
    }
}

/// The sum of confidence × severity × weight of the source over all signals, at most 100.
pub fn risk(signals: &[CallSignal]) -> u8 {
    // Thousandths of confidence, hundredths of severity and tenths of weight: whole numbers, so order cannot matter.
    let sum: u64 = signals
        .iter()
        .map(|signal| {
            u64::from(signal.confidence.thousandths())
                * severity_hundredths(signal.severity)
                * weight_tenths(signal.source)
        })
        .sum();
    u8::try_from((sum / 10_000).min(100)).unwrap_or(100)
}

/// Critical counts whole, high three quarters, medium half, low a quarter.
fn severity_hundredths(severity: u8) -> u64 {
    match severity {
        85.. => 100,
        65.. => 75,
        40.. => 50,
        _ => 25,
    }
}

/// How far a source is trusted.
fn weight_tenths(source: Source) -> u64 {
    match source {
        Source::Flow => 10,
        Source::Sensitive => 8,
        Source::Static => 6,
        Source::Behavioural => 5,
        Source::AgentHint => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use portcullis_detect::{Confidence, Threat};

    fn signal(source: Source, severity: u8, thousandths: u16) -> CallSignal {
        CallSignal {
            check: "a.b",
            source,
            severity,
            threat: Threat::Exfiltration,
            confidence: Confidence::new(thousandths),
            pointer: String::new(),
            from_call: None,
            detail: String::new(),
        }
    }

    #[test]
    fn signals_add_up_by_confidence_severity_and_source() {
        assert_eq!(risk(&[]), 0);
        assert_eq!(risk(&[signal(Source::Flow, 90, 900)]), 90);
        assert_eq!(risk(&[signal(Source::Sensitive, 50, 1000)]), 40);
        assert_eq!(risk(&[signal(Source::Static, 80, 800), signal(Source::AgentHint, 30, 1000)]), 43);
        assert_eq!(risk(&[signal(Source::Flow, 90, 900), signal(Source::Flow, 80, 900)]), 100);
    }

    #[test]
    fn bands_are_those_of_the_scale() {
        let bands = [0, 29, 30, 49, 50, 69, 70, 100].map(|risk| Band::of(risk).as_str());
        assert_eq!(bands, ["low", "low", "medium", "medium", "high", "high", "critical", "critical"]);
    }
}
