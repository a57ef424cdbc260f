//! What the categories of labelled attacks mean to the gate: which checks answer them, which must hold.

/// A category of attacks.
struct Category {
    name: &'static str,
    /// A structural class: found by form, so its attacks must be held, not merely raised.
    is_structural: bool,
    /// The checks that answer it; if none of them is registered the category is reported, not gated.
    checks: &'static [&'static str],
}

const CATEGORIES: &[Category] = &[
    Category { name: "unicode_smuggling", is_structural: true, checks: &["unicode.hidden"] },
    Category { name: "decoded_payload", is_structural: true, checks: &["payload.decoded"] },
    Category { name: "terminal_escape", is_structural: true, checks: &["terminal.escape"] },
    Category { name: "shadowing", is_structural: true, checks: &["shadowing.cross_server"] },
    Category { name: "capability_mismatch", is_structural: false, checks: &["capability.mismatch"] },
    Category { name: "embedded_secret", is_structural: false, checks: &["secret.embedded"] },
    Category { name: "tool_poisoning", is_structural: false, checks: DIRECTIVES },
    Category { name: "prompt_injection", is_structural: false, checks: DIRECTIVES },
    Category { name: "exfiltration", is_structural: false, checks: DIRECTIVES },
    Category { name: "example_clothing", is_structural: false, checks: DIRECTIVES },
    Category { name: "rug_pull", is_structural: false, checks: DIRECTIVES },
];

const DIRECTIVES: &[&str] = &["directive.covert", "directive.imperative"];

/// Whether attacks of the category must be held.
pub(crate) fn is_structural(category: &str) -> bool {
    CATEGORIES.iter().any(|known| known.name == category && known.is_structural)
}

/// Whether one of the `registered` checks answers the category.
pub(crate) fn is_answered(category: &str, registered: &[&str]) -> bool {
    CATEGORIES
        .iter()
        .any(|known| known.name == category && known.checks.iter().any(|check| registered.contains(check)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_without_a_registered_check_is_not_answered() {
        assert!(is_answered("shadowing", &["shadowing.cross_server"]));
        assert!(!is_answered("shadowing", &["unicode.hidden"]));
        assert!(!is_answered("other", &["unicode.hidden"]));
        assert!(is_structural("shadowing") && !is_structural("exfiltration"));
    }

    #[test]
    fn every_shipped_check_is_registered() {
        let detector = portcullis_detect::Detector::new();
        let registered: Vec<&str> = detector.facts().map(|facts| facts.id).collect();
        for category in CATEGORIES {
            assert!(is_answered(category.name, &registered), "{}", category.name);
        }
    }
}
