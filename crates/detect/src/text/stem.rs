//! A light English stemmer: enough that "disclosing", "disclosed" and "discloses" are one word.
//!
//! Applied until nothing changes, so stemming twice is stemming once. Only ASCII words are touched.

/// The longest word that is stemmed or looked up; longer ones are identifiers or noise.
pub(crate) const LONGEST: usize = 24;

/// A lower-cased, stemmed word on the stack; what is behind its end is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stem {
    bytes: [u8; LONGEST],
    len: u8,
}

impl Stem {
    /// The stem of an ASCII word, `None` if it is too long to be a word.
    pub(crate) fn of(word: &str) -> Option<Stem> {
        let mut stem = Stem::unstemmed(word)?;
        // Only these letters end a suffix that falls; most words are done here.
        if let [_, _, _, .., b's' | b'g' | b'd' | b'e'] = stem.as_bytes()
            && stem.as_bytes().iter().all(u8::is_ascii_lowercase)
        {
            while stem.shorten() {}
        }
        Some(stem)
    }

    /// The word in lower case as it stands, `None` if it is too long.
    pub(crate) fn unstemmed(word: &str) -> Option<Stem> {
        let mut bytes = [0; LONGEST];
        bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
        bytes.make_ascii_lowercase();
        Some(Stem { bytes, len: u8::try_from(word.len()).ok()? })
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len()).unwrap_or_default()
    }

    fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// A hash of the word: three multiplications, for a table that is asked once per word of a text.
    pub(crate) fn hash(&self) -> u64 {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut hash = 0u64;
        let (eights, _) = self.bytes.as_chunks::<8>();
        for eight in eights {
            hash = (hash.rotate_left(29) ^ u64::from_le_bytes(*eight)).wrapping_mul(ODD);
        }
        hash ^ hash >> 32
    }

    /// One step on a word of small letters; true if it changed.
    fn shorten(&mut self) -> bool {
        let long = self.len() > 4;
        match self.as_bytes() {
            [] | [_] | [_, _] | [_, _, _] => false,
            [.., b'i', b'e', b's'] if long => self.replace(3, b"y"),
            [.., b's', b's', b'e', b's'] | [.., b'x', b'e', b's'] | [.., b'c' | b's', b'h', b'e', b's'] => {
                self.replace(2, b"")
            }
            [.., b's' | b'u' | b'i', b's'] => false,
            [.., b's'] => self.replace(1, b""),
            [.., b'i', b'n', b'g'] if self.has_vowel_before(3) => {
                self.replace(3, b"");
                self.tidy()
            }
            [.., b'e', b'e', b'd' | b'e'] | [.., b'e', b'e'] => false,
            [.., b'e', b'd'] if self.has_vowel_before(2) => {
                self.replace(2, b"");
                self.tidy()
            }
            [.., b'e'] if long => self.replace(1, b""),
            _ => false,
        }
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
        let rest = self.as_bytes().get(..self.len() - suffix).unwrap_or_default();
        rest.len() >= 2 && rest.iter().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
    }

    fn replace(&mut self, cut: usize, add: &[u8]) -> bool {
        let keep = self.len() - cut;
        // INVARIANT: a word never grows beyond the array, so its length fits.
        self.len = u8::try_from(keep + add.len()).unwrap_or(self.len);
        let padded = add.iter().copied().chain(core::iter::repeat(0)).take(cut.max(add.len()));
        for (to, from) in self.bytes.iter_mut().skip(keep).zip(padded) {
            *to = from;
        }
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
