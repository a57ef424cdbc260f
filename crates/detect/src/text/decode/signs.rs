//! One look over the bytes of a text that says which rungs of the ladder are worth trying.

use crate::text::eight::{TOPS, within};

/// What was seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// Of bytes of the base64 alphabets.
    pub(super) longest_run: usize,
    pub(super) percents: usize,
    pub(super) entities: usize,
    pub(super) backslashes: usize,
    /// `0x`.
    pub(super) hex_marks: usize,
    /// Two characters, the second a hex digit, and a blank.
    pub(super) hex_pairs: usize,
    pub(super) symbols: usize,
    /// Capitals and digits.
    pub(super) capitals: usize,
    /// A quoted string is joined to another by `+`.
    pub(super) fragments: bool,
    /// Digits or signs that leetspeak writes for letters.
    pub(super) leet: bool,
    /// A colon and a slash, as in an address.
    pub(super) schemes: bool,
    /// Single characters between separators: `i.g.n.o.r.e`.
    pub(super) spaced: bool,
}

/// What a byte may be a sign of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// A small letter or slash: the most common bytes of a run, a sign of nothing else.
    Small,
    Capital,
    Digit,
    /// `x`, which may follow a zero.
    Ex,
    Plus,
    /// `_` and `-`: part of a run, and a separator between spaced letters.
    Joint,
    /// Separators that end a run.
    Gap,
    Percent,
    Entity,
    Backslash,
    Symbol,
    /// A symbol that leetspeak uses.
    LeetSymbol,
    /// A symbol that separates spaced letters.
    GapSymbol,
    Colon,
    Other,
}

const fn sign(byte: u8) -> Sign {
    match byte {
        b'x' => Sign::Ex,
        b'a'..=b'z' | b'/' => Sign::Small,
        b'A'..=b'Z' => Sign::Capital,
        b'0'..=b'9' => Sign::Digit,
        b'+' => Sign::Plus,
        b'_' | b'-' => Sign::Joint,
        b' ' | b'.' => Sign::Gap,
        b':' => Sign::Colon,
        b'%' => Sign::Percent,
        b'&' => Sign::Entity,
        b'\\' => Sign::Backslash,
        b'@' | b'$' => Sign::LeetSymbol,
        b'*' | b'|' => Sign::GapSymbol,
        b'!' | b'^' | b'~' | b'?' | b'=' | b'<' | b'>' => Sign::Symbol,
        _ => Sign::Other,
    }
}

static SIGNS: [Sign; 256] = {
    let mut table = [Sign::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, reason = "checked while compiling")]
        {
            table[byte] = sign(byte as u8);
        }
        byte += 1;
    }
    table
};

fn sign_of(byte: u8) -> Sign {
    SIGNS.get(usize::from(byte)).copied().unwrap_or(Sign::Other)
}

impl Signs {
    pub(super) fn of(text: &str) -> Self {
        let mut walk = Walk { bytes: text.as_bytes(), signs: Signs::default(), run: 0, gaps: 0, last_gap: 0 };
        let mut at = 0;
        loop {
            at += walk.plain(at);
            let Some(&byte) = walk.bytes.get(at) else { break };
            walk.step(at, byte, sign_of(byte));
            at += 1;
        }
        walk.signs.longest_run = walk.signs.longest_run.max(walk.run);
        walk.signs
    }
}

struct Walk<'t> {
    bytes: &'t [u8],
    signs: Signs,
    run: usize,
    /// How many separators stand in a row with one character before each.
    gaps: usize,
    last_gap: usize,
}

impl Walk<'_> {
    /// Letters and digits from `at` on, how many there are: counted without a branch for each, because in encoded text
    /// nothing foretells which comes next.
    fn plain(&mut self, at: usize) -> usize {
        let mut rest = self.bytes.get(at..).unwrap_or_default();
        let mut count = 0;
        while let Some((eight, behind)) = rest.split_first_chunk() {
            let made = self.plain_of_eight(u64::from_le_bytes(*eight));
            count += made;
            if made < 8 {
                rest = &[];
                break;
            }
            rest = behind;
        }
        for &byte in rest {
            let sign = sign_of(byte);
            if !matches!(sign, Sign::Small | Sign::Capital | Sign::Digit) {
                break;
            }
            count += 1;
            self.signs.leet |= sign == Sign::Digit;
            self.signs.capitals += usize::from(sign != Sign::Small);
        }
        self.run += count;
        count
    }

    /// Those that eight bytes begin with.
    fn plain_of_eight(&mut self, eight: u64) -> usize {
        let is_ascii = !eight & TOPS;
        let low = eight & !TOPS;
        let digits = within(low, b'0', b'9');
        let capitals = within(low, b'A', b'Z');
        let small = within(low, b'a', b'w') | within(low, b'y', b'z') | within(low, b'/', b'/');
        let ends = !((small | capitals | digits) & is_ascii) & TOPS;
        // All that stands below the first byte that is none.
        let inside = ends.wrapping_sub(1) & !ends;
        self.signs.leet |= digits & inside != 0;
        self.signs.capitals += ((capitals | digits) & inside).count_ones() as usize;
        ends.trailing_zeros() as usize / 8
    }

    /// One byte that is more than part of a word.
    fn step(&mut self, at: usize, byte: u8, sign: Sign) {
        let before = self.before(at);
        let signs = &mut self.signs;
        match sign {
            Sign::Ex => signs.hex_marks += usize::from(before == Some(b'0')),
            Sign::Plus => signs.fragments |= before == Some(b'"'),
            Sign::Joint => self.gap(at),
            _ => return self.end_run(at, byte, sign),
        }
        self.run += 1;
    }

    /// One byte that ends a run.
    fn end_run(&mut self, at: usize, byte: u8, sign: Sign) {
        let run = core::mem::take(&mut self.run);
        let before = self.before(at);
        let signs = &mut self.signs;
        signs.longest_run = signs.longest_run.max(run);
        let is_pair = run == 2 && byte == b' ' && before.is_some_and(|before| before.is_ascii_hexdigit());
        signs.hex_pairs += usize::from(is_pair);
        signs.fragments |= before == Some(b'+') && matches!(byte, b'"' | b'\'' | b' ');
        match sign {
            Sign::Percent => signs.percents += 1,
            Sign::Entity => signs.entities += 1,
            Sign::Backslash => signs.backslashes += 1,
            Sign::Symbol | Sign::LeetSymbol | Sign::GapSymbol => signs.symbols += 1,
            _ => {}
        }
        signs.leet |= sign == Sign::LeetSymbol;
        signs.schemes |= sign == Sign::Colon && self.bytes.get(at + 1) == Some(&b'/');
        if matches!(sign, Sign::Gap | Sign::GapSymbol) {
            self.gap(at);
        }
    }

    /// A separator; the third in a row with one character before each, and one behind, spaces letters.
    fn gap(&mut self, at: usize) {
        let is_piece = |byte: &u8| {
            byte.is_ascii_graphic() && !matches!(sign_of(*byte), Sign::Gap | Sign::GapSymbol | Sign::Joint)
        };
        let follows_piece = self.before(at).as_ref().is_some_and(is_piece);
        self.gaps = match follows_piece {
            true if self.gaps > 0 && at == self.last_gap + 2 => self.gaps + 1,
            follows => usize::from(follows),
        };
        self.last_gap = at;
        self.signs.spaced |= self.gaps >= 3 && self.bytes.get(at + 1).is_some_and(is_piece);
    }

    fn before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|before| self.bytes.get(before)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    #[test]
    fn spaced_letters_have_one_separator_each() {
        for text in ["i.g.n.o", "say i g n o r e", "a-b_c*d", "a|b|c|d."] {
            assert!(Signs::of(text).spaced, "{text}");
        }
        for text in ["i.g.no", "a b c", "a  b  c  d", "1. a b. c", "a.b.c.", "\u{e9} a b \u{e9}"] {
            assert!(!Signs::of(text).spaced, "{text}");
        }
    }

    #[test]
    fn eight_bytes_at_once_are_what_they_are_one_by_one() {
        for text in [
            "ab",
            "/path/To9Xx",
            "abcdefgh",
            "abcdefghIJ0",
            "0123456789abcdefxyz",
            "Q\u{e9}abcdefghi",
            "z{a}`[A]@Z:",
        ] {
            for padding in 0..9 {
                let padded = format!("{text}{}", " ".repeat(padding));
                let (signs, whole) = (Signs::of(text), Signs::of(&padded));
                assert_eq!(
                    (signs.longest_run, signs.capitals, signs.leet),
                    (whole.longest_run, whole.capitals, whole.leet),
                    "{padded}"
                );
            }
        }
        let counts = text_of_all_bytes().map(|text| Signs::of(&text).capitals);
        assert_eq!(counts, [36, 36]);
    }

    /// Every ASCII character, alone between blanks and in one row.
    fn text_of_all_bytes() -> [String; 2] {
        let all = || (0u8..128).map(char::from);
        [all().map(|sign| format!("{sign}      ")).collect(), all().collect()]
    }

    #[test]
    fn runs_and_marks_are_counted() {
        let signs = Signs::of("0x41 \"ab\"+\"cd\" %20 &lt; \\n AA-b_c/d= $5 4e");
        let expected = Signs {
            longest_run: 8,
            percents: 1,
            entities: 1,
            backslashes: 1,
            hex_marks: 1,
            hex_pairs: 1,
            symbols: 2,
            capitals: 9,
            fragments: true,
            leet: true,
            ..Signs::default()
        };
        assert_eq!(signs, expected);
        assert_eq!(Signs::of("63 75 72 6c ").hex_pairs, 4);
    }
}
