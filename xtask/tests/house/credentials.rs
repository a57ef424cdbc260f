//! No string shaped like a live credential is committed whole, not even an invented one: scanners of others would
//! cry, and rightly.

use crate::{hold, tree};
use regex_automata::meta::Regex;
use tree::File;

/// Shapes whose prefix or length binds them to a vendor.
const SHAPES: [(&str, &str); 15] = [
    ("AWS access key", "(AKIA|ASIA)[0-9A-Z]{16}"),
    ("GitHub token", "gh[pousr]_[A-Za-z0-9]{36}"),
    ("GitHub fine-grained token", "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    ("GitLab token", "glpat-[A-Za-z0-9_-]{20}"),
    ("Stripe key", "[sr]k_live_[A-Za-z0-9]{20}"),
    ("Slack token", "xox[abeoprs]-[0-9]{8,}-[0-9A-Za-z-]{16}"),
    ("Slack webhook", "hooks\\.slack\\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20}"),
    ("Google API key", "AIza[0-9A-Za-z_-]{35}"),
    ("private key", "-----BEGIN [A-Z ]*PRIVATE KEY-----[ \\\\rn\n\"+]*[A-Za-z0-9+/=]{40}"),
    ("OpenAI key", "sk-(proj-)?[A-Za-z0-9]{40}"),
    ("Anthropic key", "sk-ant-[a-z0-9]+-[A-Za-z0-9_-]{40}"),
    ("SendGrid key", "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}"),
    ("npm token", "npm_[A-Za-z0-9]{36}"),
    ("PyPI token", "pypi-AgE[A-Za-z0-9_-]{50}"),
    ("Telegram bot token", "[0-9]{9,10}:AA[A-Za-z0-9_-]{33}"),
];

/// Vendors' documented examples end like this and open nothing.
const DOCUMENTED: &str = "EXAMPLE";

fn whole_credentials(files: &[File]) -> Vec<String> {
    let shapes = SHAPES.map(|(name, shape)| (name, Regex::new(shape).expect("the shapes are valid")));
    let mut found = Vec::new();
    for file in files {
        for (name, shape) in &shapes {
            let whole =
                shape.find_iter(&file.text).filter(|hit| !file.text[hit.range()].ends_with(DOCUMENTED));
            let line = |at: usize| file.text[..at].matches('\n').count() + 1;
            found.extend(whole.map(|hit| {
                format!("{}:{}: a whole {name}; break it with {{cut}}", file.path, line(hit.start()))
            }));
        }
    }
    found
}

#[test]
fn no_credential_is_committed_whole() {
    hold("credentials", &whole_credentials(&tree::files()));
}

#[test]
fn every_shape_can_fail() {
    let check = |text: String, expected: usize| {
        let found = whole_credentials(&[tree::made_up("corpus/a.json", &text)]);
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    };
    // Put together here, so that this file does not hold one.
    let letters = |count: usize| "A1b2C3d4E5".repeat(10)[..count].to_owned();
    check(format!("AKI{}", "A".to_owned() + "Z7Q5".repeat(4).as_str()), 1);
    check(format!("AKI{}EXAMPLE", "AIOSFODNN7"), 0);
    check(format!("gh{}_{}", "p", letters(36)), 1);
    check(format!("gh{}_{{cut}}{}", "p", letters(36)), 0);
    check(format!("github_{}_{}_{}", "pat", letters(22), letters(59)), 1);
    check(format!("gl{}-{}", "pat", letters(20)), 1);
    check(format!("sk_{}_{}", "live", letters(24)), 1);
    check(format!("xo{}-123456789012-{}", "xb", letters(24)), 1);
    check(format!("https://hooks.slack.{}/services/T12345678/B12345678/{}", "com", letters(24)), 1);
    check(format!("AI{}{}", "za", letters(35)), 1);
    check(format!("-----BEGIN RSA PRIVATE {}-----\\n{}", "KEY", letters(64)), 1);
    check(format!("-----BEGIN RSA PRIVATE {}-----\\n{{cut}}{}", "KEY", letters(64)), 0);
    check(format!("s{}{}", "k-", letters(48)), 1);
    check(format!("s{}api03-{}", "k-ant-", letters(60)), 1);
    check(format!("S{}.{}.{}", "G", letters(22), letters(43)), 1);
    check(format!("np{}_{}", "m", letters(36)), 1);
    check(format!("py{}-AgE{}", "pi", letters(60)), 1);
    check(format!("123456789:A{}{}", "A", letters(33)), 1);
}
