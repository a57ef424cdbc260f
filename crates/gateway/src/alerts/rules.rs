//! Who is told of what: plain, validated data.

use std::time::Duration;

use portcullis_decide::Band;

use super::raised::Raised;
use super::{Desktop, Webhook};

/// What an operator wants to be told, and where.
#[derive(Clone, Debug)]
pub struct AlertRules {
    /// Where alerts are posted.
    pub webhook: Option<Webhook>,
    /// What shows them on this machine's desktop.
    pub desktop: Option<Desktop>,
    /// Alerts below this are not told.
    pub least: Band,
    /// About data that seem to leave: `true` also when a call was only warned about, `false` never.
    pub exfiltration: Option<bool>,
    /// The same about secrets and personal data in calls.
    pub personal: Option<bool>,
    /// The same thing that happens again within this time is counted, and told once more.
    pub window: Duration,
    /// The pause before the second attempt to post; it doubles with every other.
    pub pause: Duration,
}

impl Default for AlertRules {
    fn default() -> Self {
        AlertRules {
            webhook: None,
            desktop: None,
            least: Band::Low,
            exfiltration: None,
            personal: None,
            window: Duration::from_secs(300),
            pause: Duration::from_secs(1),
        }
    }
}

impl AlertRules {
    /// Whether this is told at all.
    pub(super) fn want(&self, raised: &Raised) -> bool {
        let families: Vec<Option<bool>> = raised.rules.iter().map(|rule| self.about(rule)).collect();
        let is_wanted = if raised.is_mild() {
            families.contains(&Some(true))
        } else {
            families.is_empty() || families.iter().any(|family| *family != Some(false))
        };
        (self.webhook.is_some() || self.desktop.is_some()) && raised.severity >= self.least && is_wanted
    }

    /// What was said of the family a rule belongs to.
    fn about(&self, rule: &str) -> Option<bool> {
        match rule.split('.').next() {
            Some("exfiltration" | "flow") => self.exfiltration,
            Some("sensitive") => self.personal,
            _ => None,
        }
    }
}
