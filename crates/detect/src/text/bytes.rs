//! What single bytes are, as one table: the walks over text ask it once per byte.

/// A set of kinds of byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes(u32);

impl Bytes {
    pub(crate) const LOWER: Bytes = Bytes(1);
    pub(crate) const UPPER: Bytes = Bytes(1 << 1);
    pub(crate) const DIGIT: Bytes = Bytes(1 << 2);
    pub(crate) const UNDERSCORE: Bytes = Bytes(1 << 3);
    pub(crate) const TILDE: Bytes = Bytes(1 << 4);
    pub(crate) const PERCENT: Bytes = Bytes(1 << 5);
    pub(crate) const DOLLAR: Bytes = Bytes(1 << 6);
    pub(crate) const STAR: Bytes = Bytes(1 << 7);
    pub(crate) const DASH: Bytes = Bytes(1 << 8);
    pub(crate) const DOT: Bytes = Bytes(1 << 9);
    pub(crate) const SLASH: Bytes = Bytes(1 << 10);
    pub(crate) const AT: Bytes = Bytes(1 << 11);
    pub(crate) const COLON: Bytes = Bytes(1 << 12);
    pub(crate) const APOSTROPHE: Bytes = Bytes(1 << 13);
    pub(crate) const BACKSLASH: Bytes = Bytes(1 << 14);
    /// `+`, `=`, `&`, `?` and braces: they hold addresses together.
    pub(crate) const JOINT: Bytes = Bytes(1 << 15);
    /// Part of a character beyond ASCII.
    pub(crate) const FOREIGN: Bytes = Bytes(1 << 16);

    pub(crate) const LETTER: Bytes = Bytes::UPPER.or(Bytes::LOWER);

    /// The kind of one byte; empty for blanks, controls and the rest of the punctuation.
    pub(crate) fn of(byte: u8) -> Bytes {
        TABLE.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The kinds of all bytes of a text.
    pub(crate) fn all_of(text: &str) -> Bytes {
        text.bytes().fold(Bytes::default(), |sum, byte| sum.or(Bytes::of(byte)))
    }

    pub(crate) const fn or(self, other: Bytes) -> Bytes {
        Bytes(self.0 | other.0)
    }

    pub(crate) const fn any(self, other: Bytes) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether nothing but `other` is in this set.
    pub(crate) const fn only(self, other: Bytes) -> bool {
        self.0 & !other.0 == 0
    }
}

const fn kind(byte: u8) -> Bytes {
    match byte {
        b'a'..=b'z' => Bytes::LOWER,
        b'A'..=b'Z' => Bytes::UPPER,
        b'0'..=b'9' => Bytes::DIGIT,
        b'_' => Bytes::UNDERSCORE,
        b'~' => Bytes::TILDE,
        b'%' => Bytes::PERCENT,
        b'$' => Bytes::DOLLAR,
        b'*' => Bytes::STAR,
        b'-' => Bytes::DASH,
        b'.' => Bytes::DOT,
        b'/' => Bytes::SLASH,
        b'@' => Bytes::AT,
        b':' => Bytes::COLON,
        b'\'' => Bytes::APOSTROPHE,
        b'\\' => Bytes::BACKSLASH,
        b'+' | b'=' | b'&' | b'?' | b'{' | b'}' => Bytes::JOINT,
        128.. => Bytes::FOREIGN,
        _ => Bytes(0),
    }
}

static TABLE: [Bytes; 256] = {
    let mut table = [Bytes(0); 256];
    let mut byte = 0;
    while byte < 256 {
        // INVARIANT: below 256, so the cast loses nothing and the index is in bounds.
        #[expect(clippy::indexing_slicing, reason = "checked while compiling")]
        {
            table[byte] = kind(byte as u8);
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_add_up() {
        let seen = Bytes::all_of("a_B");
        assert!(seen.any(Bytes::UNDERSCORE) && !seen.any(Bytes::DIGIT));
        assert!(seen.only(Bytes::LETTER.or(Bytes::UNDERSCORE)) && !seen.only(Bytes::LETTER));
        assert!(Bytes::of(0xc3).any(Bytes::FOREIGN) && Bytes::of(b' ') == Bytes::default());
    }
}
