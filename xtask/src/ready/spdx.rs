//! Whether a licence expression, as crates write it, can be satisfied by a list of accepted licences.

use anyhow::{Result, bail};

/// Whether one may choose licences from `accepted` that satisfy `expression`.
///
/// `OR`, `AND`, `WITH`, brackets, and the old `MIT/Apache-2.0` are understood. A licence with an exception is
/// accepted only if the list names it with that exception.
pub(super) fn is_accepted(expression: &str, accepted: &[String]) -> Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, accepted };
    let result = reader.any_of()?;
    if !reader.words.is_empty() {
        bail!("cannot read the licence `{expression}`");
    }
    Ok(result)
}

/// Reads an expression from the left; `AND` binds tighter than `OR`.
struct Reader<'a> {
    words: &'a [&'a str],
    accepted: &'a [String],
}

impl Reader<'_> {
    fn any_of(&mut self) -> Result<bool> {
        let mut result = self.all_of()?;
        while self.next_is("OR") {
            result |= self.all_of()?;
        }
        Ok(result)
    }

    fn all_of(&mut self) -> Result<bool> {
        let mut result = self.one()?;
        while self.next_is("AND") {
            result &= self.one()?;
        }
        Ok(result)
    }

    fn one(&mut self) -> Result<bool> {
        if self.next_is("(") {
            let result = self.any_of()?;
            if !self.next_is(")") {
                bail!("a bracket is not closed");
            }
            return Ok(result);
        }
        let mut licence = self.word()?.to_owned();
        if self.next_is("WITH") {
            licence = format!("{licence} WITH {}", self.word()?);
        }
        Ok(self.accepted.contains(&licence))
    }

    fn word(&mut self) -> Result<&str> {
        match self.words {
            [first, rest @ ..] if !["OR", "AND", "WITH", ")"].contains(first) => {
                self.words = rest;
                Ok(first)
            }
            _ => bail!("a licence is missing"),
        }
    }

    fn next_is(&mut self, wanted: &str) -> bool {
        match self.words {
            [first, rest @ ..] if *first == wanted => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str, expected: bool) {
        let accepted = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        assert_eq!(is_accepted(expression, &accepted).unwrap(), expected, "{expression}");
    }

    #[test]
    fn understands_what_crates_write() {
        check("MIT", true);
        check("GPL-3.0", false);
        check("MIT OR GPL-3.0", true);
        check("GPL-3.0/MIT", true);
        check("MIT AND GPL-3.0", false);
        check("(GPL-3.0 OR MIT) AND Unicode-3.0", true);
        check("GPL-3.0 OR MIT AND Zlib", false);
        check("Apache-2.0 WITH LLVM-exception", true);
        check("Apache-2.0", false);
        check("MIT WITH Some-exception", false);
    }

    #[test]
    fn what_it_cannot_read_is_an_error() {
        for broken in ["", "MIT OR", "(MIT", "MIT Apache-2.0", "MIT )"] {
            assert!(is_accepted(broken, &["MIT".to_owned()]).is_err(), "{broken}");
        }
    }
}
