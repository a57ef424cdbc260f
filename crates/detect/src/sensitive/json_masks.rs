//! The bytes that give a block of JSON its structure, told apart from the same bytes inside strings by masks alone (the
//! idea of simdjson).

use portcullis_sieve::{BLOCK, Classes, Machine, Product};

/// Quotes, backslashes, commas, colons, brackets; all that may stand outside strings, tabs and line breaks aside.
const KINDS: Classes<6> = Classes::new(
    &[
        Product::of(b"\""),
        Product::of(b"\\"),
        Product::of(b","),
        Product::of(b":"),
        Product { low: 1 << 0xb | 1 << 0xd, high: 1 << 5 | 1 << 7 },
        Product::range(b'A', b'O', 1 << 6),
        // Digits and the other letters; the colon comes along, which may stand there too.
        Product::range(b'0', b':', 1 << 5 | 1 << 7),
        Product::of(b" +-."),
    ],
    [0b1, 0b10, 0b100, 0b1000, 0b1_0000, 0b1111_1101],
);
const BLANKS: Classes<1> = Classes::new(&[Product::of(b"\t\n\r")], [1]);

/// One bit for each byte of a block that is of the kind.
pub(super) struct Masks {
    /// Quotes that begin a string.
    pub(super) opening: u64,
    /// Quotes that end one.
    pub(super) closing: u64,
    /// Commas outside strings.
    pub(super) commas: u64,
    /// Colons outside strings.
    pub(super) colons: u64,
    /// Brackets outside strings.
    pub(super) brackets: u64,
    /// Whether the block ends inside a string.
    pub(super) ends_in_string: bool,
    /// Whether the byte after the block is escaped.
    pub(super) ends_in_escape: bool,
}

impl Masks {
    /// The masks of a block that begins inside a string or not, perhaps with an escaped byte; `None` if something
    /// stands outside strings that JSON does not have there.
    #[inline(always)]
    pub(super) fn of(
        machine: Machine,
        block: &[u8; BLOCK],
        in_string: bool,
        is_escaped: bool,
    ) -> Option<Masks> {
        let [quotes, backslashes, commas, colons, brackets, known] = KINDS.look(machine, block);
        let (escaped, ends_in_escape) = escaped_by(backslashes, is_escaped);
        let quotes = quotes & !escaped;
        // From each opening quote to the byte before its closing one.
        let inside = parity_up_to(quotes) ^ if in_string { u64::MAX } else { 0 };
        let odd = !known & !inside;
        if odd != 0 {
            let [blanks] = BLANKS.look(machine, block);
            if odd & !blanks != 0 {
                return None;
            }
        }
        Some(Masks {
            opening: quotes & inside,
            closing: quotes & !inside,
            commas: commas & !inside,
            colons: colons & !inside,
            brackets: brackets & !inside,
            ends_in_string: inside >> 63 != 0,
            ends_in_escape,
        })
    }
}

/// Which bytes follow an odd number of backslashes, and whether the byte after the block does.
#[inline(always)]
fn escaped_by(backslashes: u64, is_escaped: bool) -> (u64, bool) {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let first = u64::from(is_escaped);
    if backslashes == 0 {
        return (first, false);
    }
    let backslashes = backslashes & !first;
    let following = backslashes << 1 | first;
    // The sum carries every run that begins at an odd place to the bit after its end.
    let odd_starts = backslashes & !EVEN & !following;
    let (carried, ends_in_escape) = odd_starts.overflowing_add(backslashes);
    ((EVEN ^ carried << 1) & following, ends_in_escape)
}

/// Bit *n*: whether an odd number of bits is set from the first up to *n*.
#[inline(always)]
fn parity_up_to(bits: u64) -> u64 {
    [1, 2, 4, 8, 16, 32].iter().fold(bits, |parity, step| parity ^ parity << step)
}

/// All bits below one.
#[inline(always)]
pub(super) fn bits_below(bit: u32) -> u64 {
    !(u64::MAX << bit)
}

/// The highest bit that is set.
#[inline(always)]
pub(super) fn last_of(bits: u64) -> Option<u32> {
    bits.checked_ilog2()
}
