//! A light English stemmer: enough that "disclosing", "disclosed" and "discloses" are one word.
//!
//! Applied until nothing changes, so stemming twice is stemming once. Only ASCII words are touched.

/// The longest word that is stemmed or looked up; longer ones are identifiers or noise.
pub(crate) const LONGEST: usize = 24;

/// A lower-cased, stemmed word on the stack.
pub(crate) struct Stem {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Stem {
    /// The stem of an ASCII word, `None` if it is too long to be a word.
    pub(crate) fn of(word: &str) -> Option<Stem> {
        let source = word.as_bytes();
        if source.len() > LONGEST {
            return None;
        }
        let mut bytes = [0; LONGEST];
        for (to, from) in bytes.iter_mut().zip(source) {
            *to = from.to_ascii_lowercase();
        }
        let mut stem = Stem { bytes, len: source.len() };
        while stem.shorten() {}
        Some(stem)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    fn ends(&self, suffix: &[u8]) -> bool {
        self.as_bytes().ends_with(suffix)
    }

    /// One step; true if the word changed.
    fn shorten(&mut self) -> bool {
        if self.len < 4 || !self.as_bytes().iter().all(u8::is_ascii_lowercase) {
            return false;
        }
        if self.ends(b"ies") && self.len > 4 {
            return self.replace(3, b"y");
        }
        if self.ends(b"sses") || self.ends(b"xes") || self.ends(b"ches") || self.ends(b"shes") {
            return self.replace(2, b"");
        }
        if self.ends(b"s") && !self.ends(b"ss") && !self.ends(b"us") && !self.ends(b"is") {
            return self.replace(1, b"");
        }
        if self.ends(b"ing") && self.has_vowel_before(3) {
            self.replace(3, b"");
            return self.tidy();
        }
        if self.ends(b"ed") && !self.ends(b"eed") && self.has_vowel_before(2) {
            self.replace(2, b"");
            return self.tidy();
        }
        if self.ends(b"e") && !self.ends(b"ee") && self.len > 4 {
            return self.replace(1, b"");
        }
        false
    }

    /// After a suffix fell: "us" is "use" again, "runn" is "run".
    fn tidy(&mut self) -> bool {
        if self.len == 2 {
            return self.replace(0, b"e");
        }
        if let [.., a, b] = self.as_bytes()
            && a == b
            && !matches!(b, b'l' | b's' | b'e' | b'o')
        {
            return self.replace(1, b"");
        }
        true
    }

    fn has_vowel_before(&self, suffix: usize) -> bool {
        let rest = self.as_bytes().get(..self.len - suffix).unwrap_or_default();
        rest.len() >= 2 && rest.iter().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
    }

    fn replace(&mut self, cut: usize, add: &[u8]) -> bool {
        let keep = self.len - cut;
        for (to, from) in self.bytes.iter_mut().skip(keep).zip(add) {
            *to = *from;
        }
        self.len = keep + add.len();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], expected: &str) {
        for word in words {
            let stem = Stem::of(word).expect("short enough");
            assert_eq!(core::str::from_utf8(stem.as_bytes()), Ok(expected), "{word}");
        }
    }

    #[test]
    fn forms_of_a_word_meet() {
        check(&["use", "uses", "using", "used", "USED"], "use");
        check(&["disclose", "discloses", "disclosed", "disclosing"], "disclo");
        check(&["run", "runs", "running"], "run");
        check(&["call", "calls", "called", "calling"], "call");
        check(&["query", "queries"], "query");
        check(&["pass", "passes", "passed", "passing"], "pass");
    }
}
