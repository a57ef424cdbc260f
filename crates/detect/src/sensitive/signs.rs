//! What kinds of bytes a text is made of, 64 at a time: the masks from which every place worth a look is read.

use portcullis_sieve::{BACK, BLOCK, Classes, Machine, Product, Stretch, Work, run};

/// Digits, letters, bytes of words, bytes of encodings.
const WORDS: Classes<4> = Classes::new(
    &[
        Product::range(b'0', b'9', 0),
        Product::range(b'A', b'O', 1 << 6),
        Product::range(b'P', b'Z', 1 << 7),
        Product::of(b"_"),
        Product::of(b"%+-/"),
        Product::of(b"="),
    ],
    [0b1, 0b110, 0b1111, 0b11_1111],
);
/// Hexadecimal letters, `:`, `@`, marks in numbers, backslashes, what stands between words, capitals.
const MARKS: Classes<7> = Classes::new(
    &[
        Product::range(b'A', b'F', 1 << 6),
        Product::of(b":"),
        Product::of(b"@"),
        Product::of(b"-./"),
        Product::of(b"\\"),
        Product::of(b" ,"),
        Product::of(b"\n"),
        Product { low: u16::MAX, high: 1 << 4 | 1 << 5 },
    ],
    [0b1, 0b10, 0b100, 0b1000, 0b1_0000, 0b110_0000, 0b1000_0000],
);

/// One bit for each byte of a block that is of the kind.
#[derive(Clone, Copy, Default)]
struct Kinds {
    digit: u64,
    letter: u64,
    /// Letters, digits and underscores.
    word: u64,
    /// The alphabets of base64, base32, hex and percent-encoding.
    code: u64,
    /// `A` to `F` in either case.
    hex_letter: u64,
    colon: u64,
    at_sign: u64,
    /// `-`, `.` and `/`.
    mark: u64,
    backslash: u64,
    /// Blanks, commas and line breaks.
    gap: u64,
    /// Capitals, and some marks.
    upper: u64,
}

impl Kinds {
    #[inline(always)]
    fn of(machine: Machine, block: &[u8; BLOCK]) -> Kinds {
        let [digit, letter, word, code] = WORDS.look(machine, block);
        let [hex_letter, colon, at_sign, mark, backslash, gap, upper] = MARKS.look(machine, block);
        Kinds { digit, letter, word, code, hex_letter, colon, at_sign, mark, backslash, gap, upper }
    }
}

/// A block of a text, and what its bytes are.
pub(super) struct Signs {
    /// Where the block begins.
    pub(super) at: usize,
    now: Kinds,
    before: Kinds,
}

/// Sees every block of a text.
pub(super) trait See {
    /// Sees one block; marked `#[inline(always)]`, it is compiled for the machine as [`Work`] is.
    fn see(&mut self, machine: Machine, stretch: &Stretch, signs: &Signs);
}

impl<F: FnMut(Machine, &Stretch, &Signs)> See for F {
    fn see(&mut self, machine: Machine, stretch: &Stretch, signs: &Signs) {
        self(machine, stretch, signs);
    }
}

/// Shows every block of the text to `eye`; blanks stand where the text does not reach.
pub(super) fn blocks(bytes: &[u8], eye: &mut impl See) {
    run(Blocks { bytes, eye });
}

struct Blocks<'a, E> {
    bytes: &'a [u8],
    eye: &'a mut E,
}

impl<E: See> Work for Blocks<'_, E> {
    type Answer = ();

    #[inline(always)]
    fn run(self, machine: Machine) {
        let Blocks { bytes, eye } = self;
        let mut signs = Signs { at: 0, now: Kinds::default(), before: Kinds::default() };
        while signs.at < bytes.len() {
            let mut padded = [b' '; BACK + BLOCK];
            let inside = signs.at.checked_sub(BACK).and_then(|from| bytes.get(from..)?.first_chunk());
            let stretch = inside.unwrap_or_else(|| {
                fill(&mut padded, bytes, signs.at);
                &padded
            });
            if let Some(block) = stretch.last_chunk() {
                signs.now = Kinds::of(machine, block);
                eye.see(machine, stretch, &signs);
            }
            signs.before = signs.now;
            signs.at += BLOCK;
        }
    }
}

/// Copies the bytes of the block at `at` and those before it, as far as there are any.
fn fill(stretch: &mut Stretch, bytes: &[u8], at: usize) {
    let missing = BACK.saturating_sub(at);
    let from = bytes.get((at + missing).saturating_sub(BACK)..).unwrap_or_default();
    let to = stretch.get_mut(missing..).unwrap_or_default();
    let length = from.len().min(to.len());
    if let (Some(to), Some(from)) = (to.get_mut(..length), from.get(..length)) {
        to.copy_from_slice(from);
    }
}

impl Signs {
    /// The mask of a kind, moved so that a bit speaks of the byte that stands `back` bytes before.
    #[inline(always)]
    fn back(&self, back: u32, kind: impl Fn(&Kinds) -> u64) -> u64 {
        kind(&self.now) << back | kind(&self.before) >> (64 - back)
    }

    /// Where a number begins that is not the later part of a decimal, a date, a time or a grouped number.
    #[inline(always)]
    pub(super) fn numbers(&self) -> u64 {
        let is_later = self.back(1, |kinds| kinds.mark | kinds.colon) & self.back(2, |kinds| kinds.digit);
        self.now.digit & !self.back(1, |kinds| kinds.word) & !is_later
    }

    /// Where an `@` stands.
    #[inline(always)]
    pub(super) fn at_signs(&self) -> u64 {
        self.now.at_sign
    }

    /// Where a digit stands after a letter, and before that what an account number, a national id or an escape has:
    /// a capital, two letters that begin a word or follow an escape, or a backslash.
    #[inline(always)]
    pub(super) fn codes(&self) -> u64 {
        let after_letter = self.now.digit & self.back(1, |kinds| kinds.letter);
        if after_letter == 0 {
            return 0;
        }
        let is_front =
            !self.back(3, |kinds| kinds.digit | kinds.letter) | self.back(4, |kinds| kinds.backslash);
        let after_two = self.back(2, |kinds| kinds.letter) & is_front;
        let after_capital = self.back(1, |kinds| kinds.upper);
        after_letter & (after_two | after_capital | self.back(2, |kinds| kinds.backslash))
    }

    /// Where a colon stands after a hexadecimal digit or another colon.
    #[inline(always)]
    pub(super) fn colons(&self) -> u64 {
        self.now.colon & self.back(1, |kinds| kinds.digit | kinds.hex_letter | kinds.colon)
    }

    /// Which bytes may be of an encoding, here and in the block before.
    #[inline(always)]
    pub(super) fn codes_and_before(&self) -> (u64, u64) {
        (self.now.code, self.before.code)
    }

    /// Where blanks, commas and line breaks stand among the 16 bytes before `place` and the 16 from there on.
    #[inline(always)]
    pub(super) fn gaps_around(&self, place: usize) -> u32 {
        let before = self.back(16, |kinds| kinds.gap) >> place & 0xffff;
        let after = self.now.gap >> place & 0xffff;
        (before | after << 16) as u32
    }

    /// Which bytes cannot be part of a run of words of three to eight small letters; some others may be left out.
    #[inline(always)]
    pub(super) fn no_short_words(&self) -> u64 {
        let Kinds { letter, upper, gap, .. } = self.now;
        let small = letter & !upper;
        let after_gap = small & gap << 1;
        let one_letter = after_gap & gap >> 1;
        let two_letters = after_gap & small >> 1 & gap >> 2;
        let two = small & small << 1;
        let four = two & two << 2;
        let nine_letters = four & four << 4 & small << 8;
        !(small | gap) | one_letter | two_letters | nine_letters
    }
}

/// The places of the bits that are set, from the lowest.
#[inline(always)]
pub(super) fn places(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    core::iter::from_fn(move || {
        let place = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(place)
    })
}
