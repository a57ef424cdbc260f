//! Patterns of the operator's own, as a configuration writes them.

use super::{Hit, Severity, Strength, personal};
use crate::prelude::*;
use crate::signal::Confidence;
use core::fmt;
use regex_automata::meta;
use regex_automata::util::syntax;

/// The most memory one compiled pattern may take.
const LARGEST: usize = 1 << 20;
/// How sure a custom pattern is: its author knows the data.
const CONFIDENCE: Confidence = Confidence::new(900);

/// A pattern as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomPattern {
    /// What its hits are called, such as `employee_id`.
    pub name: String,
    /// A regular expression (RE2 syntax: no look-around, no back-references; `\d`, `\w`, `(?i)` mean ASCII).
    pub regex: String,
    /// `low`, `medium`, `high` or `critical`.
    pub severity: String,
    /// If there are any, one of these must stand in the document, in any case.
    pub keywords: Vec<String>,
    /// `luhn`, `iban` or `ssn_group`, if the value must pass a checksum.
    pub validator: Option<String>,
}

/// Why a pattern or the name of a type cannot be used; names the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// The entry's name, or its number if it has none.
    pub entry: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pattern `{}`: {}", self.entry, self.problem)
    }
}

impl core::error::Error for BadPattern {}

/// A pattern ready to use.
pub(super) struct Custom {
    pub(super) name: String,
    pub(super) severity: Severity,
    keywords: Vec<String>,
    holds: fn(&[u8]) -> bool,
    regex: meta::Regex,
}

impl Custom {
    /// Compiles the entry with this number.
    pub(super) fn new(number: usize, written: &CustomPattern) -> Result<Self, BadPattern> {
        let entry = if written.name.is_empty() { format!("#{}", number + 1) } else { written.name.clone() };
        let bad = |problem: String| BadPattern { entry: entry.clone(), problem };
        if written.name.is_empty() {
            return Err(bad("it has no name".to_owned()));
        }
        let severity = match written.severity.as_str() {
            "low" => Severity::Low,
            "medium" | "" => Severity::Medium,
            "high" => Severity::High,
            "critical" => Severity::Critical,
            _ => return Err(bad("its severity is not one of low, medium, high, critical".to_owned())),
        };
        let holds = match written.validator.as_deref() {
            None => |_: &[u8]| true,
            Some(name) => personal::validator(name)
                .ok_or_else(|| bad("its validator is not one of luhn, iban, ssn_group".to_owned()))?,
        };
        let regex = compiled(&written.regex).map_err(bad)?;
        let keywords = written.keywords.iter().map(|word| word.to_ascii_lowercase()).collect();
        Ok(Custom { name: written.name.clone(), severity, keywords, holds, regex })
    }

    /// Adds the hits of this pattern.
    pub(super) fn look(&self, row: u16, bytes: &[u8], hits: &mut Vec<Hit>) {
        if !self.keywords.is_empty() && !self.keywords.iter().any(|word| has_word(bytes, word)) {
            return;
        }
        for found in self.regex.find_iter(bytes) {
            if (self.holds)(bytes.get(found.range()).unwrap_or_default()) {
                let (start, end) = (found.start(), found.end());
                let (strength, confidence) = (Strength::Bound, CONFIDENCE);
                hits.push(Hit { row, start, end, strength, confidence, doubt: None, encoding: None });
            }
        }
    }
}

/// A pattern an operator wrote, compiled within its bounds, or what is wrong with it.
pub(crate) fn compiled(regex: &str) -> Result<meta::Regex, String> {
    let config = meta::Config::new().nfa_size_limit(Some(LARGEST)).onepass_size_limit(Some(LARGEST));
    // Classes are those of ASCII: Unicode's tables would make `\d` a hundred times larger, for digits no id has.
    let syntax = syntax::Config::new().utf8(false).unicode(false);
    let built = meta::Builder::new().configure(config.utf8_empty(false)).syntax(syntax).build(regex);
    let compiled = built.map_err(|error| problem(&error))?;
    if compiled.is_match(b"") {
        return Err("its regex matches the empty text".to_owned());
    }
    Ok(compiled)
}

fn problem(error: &meta::BuildError) -> String {
    match error.size_limit() {
        Some(limit) => format!("its regex compiles to more than {limit} bytes; write it shorter"),
        None => match error.syntax_error() {
            Some(syntax) => {
                let text = syntax.to_string();
                let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                format!("its regex is not valid: {last}")
            }
            None => format!("its regex cannot be used: {error}"),
        },
    }
}

/// Whether the word, in lower case, stands in the bytes in any case.
fn has_word(bytes: &[u8], word: &str) -> bool {
    let Some(&first) = word.as_bytes().first() else { return true };
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), bytes).any(|at| {
        bytes.get(at..at + word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(name: &str, regex: &str) -> CustomPattern {
        CustomPattern { name: name.to_owned(), regex: regex.to_owned(), ..CustomPattern::default() }
    }

    fn count(custom: &CustomPattern, text: &str) -> usize {
        let mut hits = Vec::new();
        Custom::new(0, custom).expect("compiles").look(0, text.as_bytes(), &mut hits);
        hits.len()
    }

    #[test]
    fn patterns_find_what_they_say() {
        let mut employee = pattern("employee_id", r"EMP-\d{6}");
        assert_eq!(count(&employee, "EMP-123456 and EMP-99"), 1);
        let mut loyalty = pattern("loyalty", r"\d{4} \d{4} \d{4} \d{4}");
        loyalty.validator = Some("luhn".to_owned());
        assert_eq!(count(&loyalty, "4539 5787 6362 1486 and 4539 5787 6362 1487"), 1);
        employee.keywords = vec!["Badge".to_owned()];
        assert_eq!(count(&employee, "EMP-123456"), 0);
        assert_eq!(count(&employee, "badge EMP-123456"), 1);
    }

    #[test]
    fn bad_entries_are_named() {
        let check = |custom: CustomPattern, expected: &str| {
            let error = Custom::new(2, &custom).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.starts_with(expected), "{error}");
        };
        check(pattern("staff", "EMP-("), "pattern `staff`: its regex is not valid: unclosed group");
        check(pattern("", "x"), "pattern `#3`: it has no name");
        check(pattern("huge", r"\w{1000}{100}"), "pattern `huge`: its regex compiles to more than");
        check(pattern("empty", "x*"), "pattern `empty`: its regex matches the empty text");
        let severe = CustomPattern { severity: "severe".to_owned(), ..pattern("a", "x") };
        check(severe, "pattern `a`: its severity is not one of");
    }
}
