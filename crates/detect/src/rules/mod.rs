//! Rules of the operator's own: a pattern over chosen text units, with examples that prove what it is for.
//!
//! A rule is a check like any other. It is soft unless its own examples prove more, and one whose examples fail is no
//! rule at all: whoever loads rules asks [`Rules::prove`] first.

mod example;
mod kept;

use crate::checks::{Context, Facts, ToolCheck, strongest_per_unit};
use crate::observe::Detector;
use crate::prelude::*;
use crate::sensitive::compiled;
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::tool::Role;
use alloc::sync::Arc;
use core::fmt;
use regex_automata::meta;

pub use example::{Example, Failed};

/// The most rules one operator may have: each is one more pass over every text.
const MOST_RULES: usize = 200;
/// The longest pattern and the most examples of a rule.
const LONGEST_PATTERN: usize = 4096;
const MOST_EXAMPLES: usize = 1000;
/// What a rule must show before it may hold a tool: it finds what it is for, and leaves the look-alikes alone.
const HARD_MATCHES: usize = 3;
const HARD_LOOK_ALIKES: usize = 10;
/// A signal below this counts for nothing, so a rule below it would be silent.
const LEAST_CONFIDENCE: u16 = 300;

/// A rule as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenRule {
    /// `noun.quality`, as checks are called; not the id of a shipped check.
    pub id: String,
    /// One sentence.
    pub title: String,
    /// A regular expression (RE2 syntax: no look-around, no back-references; `\d`, `\w`, `(?i)` mean ASCII).
    pub pattern: String,
    /// Where to look: some of [`UNITS`]; nothing means everywhere.
    pub units: Vec<String>,
    /// `soft`, or `hard` if the examples prove it; nothing means soft.
    pub tier: String,
    /// The kind of harm, in the words of every format; nothing means `uncategorized`.
    pub threat: String,
    /// How sure a match is, in thousandths.
    pub confidence: u16,
    /// What to do about it, for `explain` and reports.
    pub help: String,
    /// What the rule is for.
    pub should_match: Vec<Example>,
    /// The look-alikes it leaves alone.
    pub should_not_match: Vec<Example>,
}

/// The names of text units.
pub const UNITS: [&str; 8] =
    ["name", "title", "description", "parameter_name", "parameter_text", "value", "header", "other"];

/// The roles, in the order of [`UNITS`].
const ROLES: [Role; 8] = [
    Role::Name,
    Role::Title,
    Role::Description,
    Role::PropertyName,
    Role::PropertyText,
    Role::Value,
    Role::Header,
    Role::Other,
];

const THREATS: [Threat; 6] = [
    Threat::ToolPoisoning,
    Threat::PromptInjection,
    Threat::RugPull,
    Threat::Exfiltration,
    Threat::MaliciousCode,
    Threat::Uncategorized,
];

/// Why a rule cannot be used; names the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRule {
    /// The rule's id, or its number if it has none.
    pub entry: String,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule `{}`: {}", self.entry, self.problem)
    }
}

impl core::error::Error for BadRule {}

/// One rule, ready to run.
#[derive(Clone)]
struct Rule {
    facts: &'static Facts,
    threat: Threat,
    confidence: Confidence,
    roles: Arc<[Role]>,
    regex: meta::Regex,
}

/// All rules of an operator, ready to run.
pub struct Rules {
    rules: Vec<(Rule, WrittenRule)>,
}

impl Rules {
    /// Compiles rules.
    ///
    /// # Errors
    /// Everything that is wrong with them, each with the entry it is about.
    pub fn new(written: &[WrittenRule]) -> Result<Self, Vec<BadRule>> {
        let mut problems = Vec::new();
        if written.len() > MOST_RULES {
            let problem = format!("there are {} rules; {MOST_RULES} is the most", written.len());
            problems.push(BadRule { entry: "all".to_owned(), problem });
        }
        let mut rules: Vec<(Rule, WrittenRule)> = Vec::new();
        for (index, one) in written.iter().enumerate().take(MOST_RULES) {
            let entry = if one.id.is_empty() { format!("#{}", index + 1) } else { one.id.clone() };
            let is_known = rules.iter().any(|(known, _)| known.facts.id == one.id);
            let compiled = if is_known { Err("another rule has this id".to_owned()) } else { Rule::new(one) };
            match compiled {
                Ok(rule) => rules.push((rule, one.clone())),
                Err(problem) => problems.push(BadRule { entry, problem }),
            }
        }
        if problems.is_empty() { Ok(Rules { rules }) } else { Err(problems) }
    }

    /// The ids of the rules, in their order.
    pub fn ids(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|(rule, _)| rule.facts.id)
    }

    /// Runs every rule on its own examples: the id, how many behaved, and those that did not.
    pub fn prove(&self) -> Vec<(&'static str, usize, Vec<Failed>)> {
        let proof = |(rule, written): &(Rule, WrittenRule)| {
            let detector = Detector::only(Box::new(rule.clone()));
            let (passed, failed) = example::run(written, &detector);
            (rule.facts.id, passed, failed)
        };
        self.rules.iter().map(proof).collect()
    }

    /// A detector that runs these rules after its own checks.
    #[must_use]
    pub fn added_to(&self, detector: Detector) -> Detector {
        self.rules.iter().fold(detector, |detector, (rule, _)| detector.with_check(Box::new(rule.clone())))
    }
}

impl Rule {
    fn new(written: &WrittenRule) -> Result<Self, String> {
        check_id(&written.id)?;
        if written.title.trim().is_empty() {
            return Err("it has no title; say in a sentence what it finds".to_owned());
        }
        if written.pattern.len() > LONGEST_PATTERN {
            return Err(format!("its pattern is longer than {LONGEST_PATTERN} bytes"));
        }
        if !(LEAST_CONFIDENCE..=1000).contains(&written.confidence) {
            return Err("its confidence is not between 0.3 and 1".to_owned());
        }
        let tier = tier(written)?;
        let threat = threat(&written.threat)?;
        let roles = written.units.iter().map(|unit| role(unit)).collect::<Result<Vec<Role>, String>>()?;
        let regex = compiled(&written.pattern)?;
        Ok(Rule {
            facts: facts(written, tier),
            threat,
            confidence: Confidence::new(written.confidence),
            roles: roles.into(),
            regex,
        })
    }
}

/// Facts live as long as the process, as those of shipped checks do: every signal and every format names them. A
/// gateway loads its rules again whenever its files change, so the same rule has the same facts.
fn facts(written: &WrittenRule, tier: Tier) -> &'static Facts {
    let help = written.help.trim();
    let page =
        format!("{}\n\nA rule of your own, on the pattern `{}`.\n\n{help}\n", written.title, written.pattern);
    let (id, title) = (kept::text(&written.id), kept::text(&written.title));
    kept::facts(Facts { id, tier, owasp: "", title, page: kept::text(&page) })
}

/// An id is `noun.quality` in small letters, and none of ours.
fn check_id(id: &str) -> Result<(), String> {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let is_shaped =
        id.len() <= 64 && id.split_once('.').is_some_and(|(noun, rest)| is_word(noun) && is_word(rest));
    if !is_shaped {
        return Err(
            "an id is two words of small letters with a dot between, as `acme.internal_host`".to_owned()
        );
    }
    if Detector::new().facts().any(|facts| facts.id == id) {
        return Err("a shipped check has this id".to_owned());
    }
    Ok(())
}

/// A rule may hold a tool only if its own look-alikes show that it leaves honest ones alone.
fn tier(written: &WrittenRule) -> Result<Tier, String> {
    let (matching, others) = (&written.should_match, &written.should_not_match);
    if matching.is_empty() || others.is_empty() {
        return Err("it needs at least one `should_match` and one `should_not_match`".to_owned());
    }
    if matching.len().max(others.len()) > MOST_EXAMPLES {
        return Err(format!("it has more than {MOST_EXAMPLES} examples of a kind"));
    }
    // The same example twice proves nothing more.
    let different = |examples: &[Example]| {
        let is_new = |(at, one): &(usize, &Example)| !examples.iter().take(*at).any(|other| other == *one);
        examples.iter().enumerate().filter(is_new).count()
    };
    let (yes, no) = (different(matching), different(others));
    match written.tier.as_str() {
        "" | "soft" => Ok(Tier::Soft),
        "hard" if yes >= HARD_MATCHES && no >= HARD_LOOK_ALIKES => Ok(Tier::Hard),
        "hard" => Err(format!(
            "a hard rule needs {HARD_MATCHES} `should_match` and {HARD_LOOK_ALIKES} `should_not_match`; \
             it has {yes} and {no}"
        )),
        _ => Err("its tier is not one of soft, hard".to_owned()),
    }
}

fn threat(word: &str) -> Result<Threat, String> {
    if word.is_empty() {
        return Ok(Threat::Uncategorized);
    }
    let words = || THREATS.map(Threat::as_str).join(", ");
    let known = THREATS.into_iter().find(|threat| threat.as_str() == word);
    known.ok_or_else(|| format!("its threat is not one of {}", words()))
}

fn role(unit: &str) -> Result<Role, String> {
    let known = UNITS.iter().zip(ROLES).find(|(name, _)| **name == unit).map(|(_, role)| role);
    known.ok_or_else(|| format!("`units` may hold {}", UNITS.join(", ")))
}

impl ToolCheck for Rule {
    fn facts(&self) -> &'static Facts {
        self.facts
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        let is_meant = |role: Role| self.roles.is_empty() || self.roles.contains(&role);
        let passages = context.reading.passages().iter().filter(|passage| is_meant(passage.unit.role));
        let signals = passages.filter_map(|passage| {
            let found = self.regex.find(passage.text.as_bytes())?;
            let pointer = context.definition.pointer(passage.unit);
            Some(Signal {
                check: self.facts.id,
                tier: self.facts.tier,
                threat: self.threat,
                confidence: self.confidence,
                escalated: false,
                evidence: Evidence::new(&pointer, &passage.rungs, &passage.text, found.start(), found.end()),
                detail: crate::escape_line(self.facts.title, 200),
                discount: None,
            })
        });
        strongest_per_unit(signals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> WrittenRule {
        WrittenRule {
            id: "acme.internal_host".to_owned(),
            title: "An address of the inner network".to_owned(),
            pattern: r"(?i)\b[a-z]+\.corp\.acme\.example\b".to_owned(),
            confidence: 800,
            should_match: vec![Example::Text("Calls build.corp.acme.example.".to_owned())],
            should_not_match: vec![Example::Text("Calls acme.example.".to_owned())],
            ..WrittenRule::default()
        }
    }

    fn problem(written: WrittenRule) -> String {
        let problems = Rules::new(&[written]).err().unwrap_or_default();
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rule_proves_itself_on_its_examples() {
        let rules = Rules::new(&[rule()]).unwrap_or_else(|_| panic!("a good rule"));
        assert_eq!(rules.prove(), vec![("acme.internal_host", 2, vec![])]);
    }

    #[test]
    fn a_rule_that_is_loaded_again_takes_no_new_room() {
        let load = |written| Rule::new(&written).unwrap_or_else(|_| panic!("a good rule")).facts;
        let facts = load(rule());
        assert!(core::ptr::eq(facts, load(rule())));
        let other = load(WrittenRule { title: "An inner address".to_owned(), ..rule() });
        assert!(!core::ptr::eq(facts, other) && core::ptr::eq(facts.id, other.id));
    }

    #[test]
    fn an_example_that_does_not_behave_is_named() {
        let mut written = rule();
        written.should_not_match.push(Example::Text("See wiki.corp.acme.example".to_owned()));
        written.should_match.push(Example::Text("nothing".to_owned()));
        let rules = Rules::new(&[written]).unwrap_or_else(|_| panic!("a good rule"));
        let told: Vec<String> = rules.prove().remove(0).2.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "should_match 2 does not match: nothing",
                "should_not_match 2 matches at #/description: See wiki.corp.acme.example",
            ]
        );
    }

    #[test]
    fn encoded_text_is_looked_at_too() {
        let mut written = rule();
        // "Calls build.corp.acme.example now" in base64.
        let hidden = "Use Q2FsbHMgYnVpbGQuY29ycC5hY21lLmV4YW1wbGUgbm93 here";
        written.should_match.push(Example::Text(hidden.to_owned()));
        let rules = Rules::new(&[written]).unwrap_or_else(|_| panic!("a good rule"));
        assert_eq!(rules.prove().remove(0).2, vec![]);
    }

    #[test]
    fn units_say_where_to_look() {
        let mut written = rule();
        written.units = vec!["parameter_text".to_owned(), "value".to_owned()];
        let tool = |json: &str| Example::Definition(json.to_owned());
        written.should_match.push(tool(
            r#"{"name":"a","inputSchema":{"properties":{"p":{"default":"x.corp.acme.example"}}}}"#,
        ));
        written.should_not_match.push(tool(r#"{"name":"a","description":"x.corp.acme.example"}"#));
        let rules = Rules::new(&[written]).unwrap_or_else(|_| panic!("a good rule"));
        assert_eq!(rules.prove().remove(0).2, vec![]);
    }

    #[test]
    fn only_look_alikes_make_a_rule_hard() {
        let mut written = rule();
        written.tier = "hard".to_owned();
        assert!(problem(written.clone()).contains("it has 1 and 1"), "{}", problem(written));
        written.should_match = vec![Example::Text("a.corp.acme.example".to_owned()); 3];
        written.should_not_match = vec![Example::Text("fine".to_owned()); 10];
        assert!(problem(written.clone()).contains("it has 1 and 1"), "copies prove nothing");
        let numbered =
            |text: &str, count: u8| (0..count).map(|at| Example::Text(format!("{text} {at}"))).collect();
        written.should_match = numbered("a.corp.acme.example", 3);
        written.should_not_match = numbered("fine", 10);
        assert_eq!(problem(written), "");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_entry() {
        let check = |change: fn(&mut WrittenRule), expected: &str| {
            let mut written = rule();
            change(&mut written);
            assert!(problem(written.clone()).contains(expected), "{}", problem(written));
        };
        check(|rule| rule.id = String::new(), "rule `#1`: an id is two words");
        check(|rule| rule.id = "unicode.hidden".to_owned(), "a shipped check has this id");
        check(|rule| rule.title = String::new(), "no title");
        check(|rule| rule.pattern = "(".to_owned(), "its regex is not valid: unclosed group");
        check(|rule| rule.pattern = "x*".to_owned(), "matches the empty text");
        check(|rule| rule.units = vec!["text".to_owned()], "`units` may hold name, title");
        check(|rule| rule.tier = "firm".to_owned(), "tier is not one of");
        check(|rule| rule.threat = "doom".to_owned(), "threat is not one of tool_poisoning");
        check(|rule| rule.confidence = 100, "confidence");
        check(|rule| rule.should_not_match.clear(), "at least one");
        let problems = Rules::new(&[rule(), rule()]).err().unwrap_or_default();
        assert_eq!(problems.len(), 1);
    }
}
