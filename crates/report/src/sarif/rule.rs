//! A check as a SARIF rule: its page is the help.

use portcullis_detect::{Facts, Tier};
use serde::Serialize;

/// A `reportingDescriptor`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    id: &'static str,
    name: String,
    short_description: Text,
    full_description: Text,
    help: Help,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    default_configuration: Configuration,
    properties: Properties,
}

#[derive(Serialize)]
struct Text {
    text: &'static str,
}

#[derive(Serialize)]
struct Help {
    text: &'static str,
    markdown: &'static str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Properties {
    /// Code hosts sort by this CVSS-like number and read nothing else.
    #[serde(rename = "security-severity")]
    security_severity: &'static str,
    precision: &'static str,
    tags: Vec<&'static str>,
}

impl Rule {
    pub(super) fn of(facts: &'static Facts, page: Option<String>) -> Rule {
        // 8.5 lies in the hosts' band "high", 5.5 in "medium"; hard checks have near-zero false alarms.
        let (level, security_severity, precision) = match facts.tier {
            Tier::Hard => ("error", "8.5", "very-high"),
            Tier::Soft => ("warning", "5.5", "medium"),
        };
        let tags = ["security", "mcp", facts.owasp].into_iter().filter(|tag| !tag.is_empty()).collect();
        Rule {
            id: facts.id,
            name: name(facts.id),
            short_description: Text { text: facts.title },
            full_description: Text { text: facts.title },
            help: Help { text: facts.page, markdown: facts.page },
            help_uri: page,
            default_configuration: Configuration { level },
            properties: Properties { security_severity, precision, tags },
        }
    }
}

/// `unicode.hidden` as `UnicodeHidden`, the form SARIF readers expect of a name.
fn name(id: &str) -> String {
    let words = id.split(['.', '_']);
    words
        .flat_map(|word| {
            word.chars().enumerate().map(|(i, c)| if i == 0 { c.to_ascii_uppercase() } else { c })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_in_pascal_case() {
        assert_eq!(super::name("shadowing.cross_server"), "ShadowingCrossServer");
    }
}
