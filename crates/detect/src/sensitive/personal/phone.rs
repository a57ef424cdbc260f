//! Telephone numbers: by their plan when they say their country or are grouped as only phones are, else by a word
//! beside them.

use super::Kind;
use super::context;
use super::number::{is_filler, runs_in, runs_on};
use super::phone_words::{HINTS, OTHER_WORDS, WORDS, WORDS_AFTER};
use super::plans::Plans;
use crate::sensitive::scan::Sink;

const MOST_DIGITS: usize = 17;
const MOST_GROUPS: usize = 8;

/// A number as it was written.
struct Written {
    /// The first byte, a plus or a bracket included.
    start: usize,
    digits: [u8; MOST_DIGITS],
    count: usize,
    sizes: [u8; MOST_GROUPS],
    /// The mark before each group, a bracket if one stood there.
    marks: [u8; MOST_GROUPS],
    ends: [usize; MOST_GROUPS],
    groups: usize,
    has_plus: bool,
    has_bracket: bool,
}

/// Looks at the number whose first digit is at `start`.
pub(super) fn look(bytes: &[u8], start: usize, sink: &mut Sink) {
    let Some(written) = Written::read(bytes, start) else { return };
    let mut labels = Labels::default();
    for groups in (1..=written.groups).rev() {
        // Shorter readings end before a blank: another number, a date, a year may follow.
        let ends_here = groups == written.groups || written.marks.get(groups) == Some(&b' ');
        if ends_here && try_groups(bytes, &written, groups, &mut labels, sink) {
            return;
        }
    }
}

fn try_groups(bytes: &[u8], written: &Written, groups: usize, labels: &mut Labels, sink: &mut Sink) -> bool {
    let part = Part::new(written, groups);
    if !(7..=15).contains(&part.digits.len()) || part.is_date() {
        return false;
    }
    let end = with_extension(bytes, part.end);
    if runs_on(bytes, end) && !context::after(bytes, end, &WORDS_AFTER) {
        return false;
    }
    let Some(confidence) = part.confidence(bytes, end, labels) else { return false };
    let doubt = is_filler(part.digits).then_some("a filler");
    sink.push_personal(Kind::Phone, written.start, end, confidence, doubt);
    true
}

/// What stands before a number, looked up once for all ways to read it.
#[derive(Default)]
struct Labels {
    named: Option<bool>,
    hinted: Option<bool>,
}

impl Labels {
    fn is_named(&mut self, bytes: &[u8], start: usize) -> bool {
        *self.named.get_or_insert_with(|| context::before(bytes, start, &WORDS))
    }

    fn is_hinted(&mut self, bytes: &[u8], start: usize) -> bool {
        *self.hinted.get_or_insert_with(|| context::before(bytes, start, &HINTS))
    }
}

/// The first groups of a written number.
struct Part<'w> {
    written: &'w Written,
    digits: &'w [u8],
    sizes: &'w [u8],
    marks: &'w [u8],
    end: usize,
}

impl<'w> Part<'w> {
    fn new(written: &'w Written, groups: usize) -> Self {
        let sizes = written.sizes.get(..groups).unwrap_or_default();
        let count: usize = sizes.iter().map(|&size| usize::from(size)).sum();
        Part {
            written,
            digits: written.digits.get(..count).unwrap_or_default(),
            sizes,
            marks: written.marks.get(1..groups).unwrap_or_default(),
            end: groups
                .checked_sub(1)
                .and_then(|last| written.ends.get(last))
                .copied()
                .unwrap_or(written.start),
        }
    }

    /// How sure it is a phone number, in thousandths.
    fn confidence(&self, bytes: &[u8], end: usize, labels: &mut Labels) -> Option<u16> {
        let plans = Plans::get();
        if self.written.has_plus && plans.is_international(self.digits) {
            return Some(950);
        }
        if self.is_north_american() {
            return Some(850);
        }
        let is_grouped = self.sizes.len() > 1;
        let is_national = is_grouped && self.has_even_marks() && plans.is_national(self.sizes, self.digits);
        if is_national && self.is_telling() {
            return Some(800);
        }
        let dialled = self.digits.strip_prefix(b"00").filter(|_| is_grouped);
        if dialled.is_some_and(|digits| plans.is_international(digits)) {
            return Some(850);
        }
        let start = self.written.start;
        let is_plausible = is_grouped && self.has_even_marks() && self.digits.len() <= 13;
        let is_bare = !is_grouped && self.digits.len() <= 13;
        let is_named = (is_plausible || is_bare)
            && (labels.is_named(bytes, start) || context::after(bytes, end, &WORDS_AFTER))
            && !(is_bare && context::before(bytes, start, &OTHER_WORDS));
        if is_named {
            return Some(850);
        }
        (is_national && labels.is_hinted(bytes, start)).then_some(700)
    }

    /// `415-555-0132`, `(415) 555-0132`, `1.415.555.0132`: dashes, dots or brackets, and no 0 or 1 where none may be.
    fn is_north_american(&self) -> bool {
        let local = match (self.sizes, self.digits) {
            ([3, 3, 4], digits) => digits,
            ([1, 3, 3, 4], [b'1', digits @ ..]) => digits,
            _ => return false,
        };
        let is_marked = self.written.has_bracket || self.marks.iter().all(|mark| *mark != b' ');
        is_marked && self.has_even_marks() && matches!(local, [b'2'..=b'9', _, _, b'2'..=b'9', ..])
    }

    /// Brackets, or a leading zero (never three) and many digits: nothing else is written so.
    fn is_telling(&self) -> bool {
        let count = self.digits.len();
        let is_trunk = self.digits.first() == Some(&b'0') && !self.digits.starts_with(b"000");
        let has_trunk = is_trunk && (count >= 10 || count >= 9 && self.sizes.len() > 2);
        has_trunk || self.written.has_bracket && count >= 8
    }

    /// Dots only among dots, a stroke only after the first group.
    fn has_even_marks(&self) -> bool {
        let dots = self.marks.iter().filter(|mark| **mark == b'.').count();
        let stroke = self.marks.iter().rposition(|mark| *mark == b'/');
        (dots == 0 || dots == self.marks.len()) && stroke.is_none_or(|at| at == 0)
    }

    /// `2024-05-13`, `13/05/2024` and longer ones that begin so.
    fn is_date(&self) -> bool {
        let year = |digits: Option<&[u8]>| {
            digits.is_some_and(|digits| digits.starts_with(b"19") || digits.starts_with(b"20"))
        };
        match self.sizes {
            [4, 1 | 2, 1 | 2, ..] => {
                !self.written.has_plus && self.sizes.len() < 4 && year(Some(self.digits))
            }
            [1 | 2, 1 | 2, 4, ..] => {
                let before: usize = self.sizes.iter().take(2).map(|&size| usize::from(size)).sum();
                self.marks.first() != Some(&b' ') && year(self.digits.get(before..))
            }
            [4, 4] => year(Some(self.digits)) && year(self.digits.get(4..)),
            _ => false,
        }
    }
}

impl Written {
    fn read(bytes: &[u8], first: usize) -> Option<Written> {
        let mut before = bytes.get(..first)?.iter().rev();
        let (near, further) = (before.next(), before.next());
        let has_plus = near == Some(&b'+');
        let has_bracket = near == Some(&b'(');
        let start = if has_plus || has_bracket { first - 1 } else { first };
        let mut written = Written {
            start,
            digits: [0; MOST_DIGITS],
            count: 0,
            sizes: [0; MOST_GROUPS],
            marks: [0; MOST_GROUPS],
            ends: [start; MOST_GROUPS],
            groups: 0,
            has_plus,
            has_bracket,
        };
        written.read_groups(bytes, first);
        // A later group of a number that was read, or refused, from its start.
        let third = before.next();
        let is_later = match (near, further) {
            (Some(b' '), Some(digit)) if digit.is_ascii_digit() => {
                written.marks.get(1).is_none_or(|mark| matches!(mark, b' ' | 0))
            }
            (Some(b' ' | b'-' | b'.'), Some(b')')) | (Some(b')'), _) => true,
            (Some(b'('), Some(b' ' | b'-')) => third.is_some_and(u8::is_ascii_digit),
            _ => runs_in(bytes, start),
        };
        (!is_later).then_some(written)
    }

    fn read_groups(&mut self, bytes: &[u8], first: usize) {
        let (mut at, mut mark) = (first, 0);
        while self.groups < MOST_GROUPS {
            let rest = bytes.get(at..).unwrap_or_default();
            let size = rest.iter().take(MOST_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
            let is_trunk = self.has_plus && mark == b'(' && rest.starts_with(b"0)");
            let (Some(group), Some(room)) =
                (rest.get(..size), self.digits.get_mut(self.count..self.count + size))
            else {
                return;
            };
            if group.is_empty() {
                return;
            }
            if !is_trunk {
                room.copy_from_slice(group);
                self.close(size, mark, at + size);
            }
            at += size;
            let Some((next, gap)) = gap(bytes, at) else { return };
            self.has_bracket |= next == b'(';
            (at, mark) = (at + gap, next);
        }
    }

    fn close(&mut self, size: usize, mark: u8, end: usize) {
        let slots = (
            self.sizes.get_mut(self.groups),
            self.marks.get_mut(self.groups),
            self.ends.get_mut(self.groups),
        );
        if let (Some(size_slot), Some(mark_slot), Some(end_slot)) = slots {
            (*size_slot, *mark_slot, *end_slot) = (u8::try_from(size).unwrap_or(u8::MAX), mark, end);
            self.count += size;
            self.groups += 1;
        }
    }
}

/// How much of a written number is a plus and a calling code.
pub(in crate::sensitive) fn calling_code_length(number: &[u8]) -> usize {
    let Some(digits) = number.strip_prefix(b"+") else { return 0 };
    let count = digits.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    let code = Plans::get().calling_code_size(digits.get(..count).unwrap_or_default());
    code.map_or(0, |size| size + 1)
}

/// What divides two groups and how long it is: one mark, brackets around either group, nothing else.
fn gap(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let rest = bytes.get(at..)?;
    let size = rest
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b' ' | b'-' | b'.' | b'/' | b'(' | b')'))
        .count();
    let next_is_digit = rest.get(size).is_some_and(u8::is_ascii_digit);
    let mark = match rest.get(..size)? {
        &[mark @ (b' ' | b'-' | b'.' | b'/')] => mark,
        b" (" | b"(" | b"-(" => b'(',
        b")" | b") " | b")-" | b")." | b")/" => b')',
        b" - " => b'-',
        _ => return None,
    };
    next_is_digit.then_some((mark, size))
}

/// The end with an extension: `x123`, ` ext. 45`.
fn with_extension(bytes: &[u8], end: usize) -> usize {
    let rest = bytes.get(end..).unwrap_or_default();
    let rest = rest.get(..16).unwrap_or(rest);
    let text = rest.strip_prefix(b",").unwrap_or(rest);
    let text = text.strip_prefix(b" ").unwrap_or(text);
    let marks: [&[u8]; 6] = [b"ext. ", b"ext.", b"ext ", b"ext", b"x", b"#"];
    let Some(number) = marks.iter().find_map(|mark| {
        let (head, tail) = text.split_at_checked(mark.len())?;
        head.eq_ignore_ascii_case(mark).then_some(tail)
    }) else {
        return end;
    };
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if (1..=6).contains(&digits) { end + rest.len() - number.len() + digits } else { end }
}

#[cfg(test)]
pub(super) const EXAMPLES: super::Examples = super::Examples {
    kind: "phone",
    yes: &[
        "+1 415 555 0132",
        "+14155550132",
        "+46 (0)8 928 571 38 fax",
        "+44 20 7946 0958",
        "001-518-640-0854",
        "(415) 555-0132",
        "415-555-0132 x204",
        "415.555.0132",
        "1-800-356-9377",
        "030/1234567 call",
        "04 90 75 40 81",
        "01.84.17.61.18",
        "07700 063 966",
        "(08) 8747 6301",
        "Phone: 467 3395",
        "tel 9498777106",
        "{\"mobile_phone\":\"9472 7916\"}",
        "They are not answering at 699 956 915",
        "78 651 450 office",
        "call me on 60-56-85-91?",
        "{\"phone\":\"5403926876\"}",
        "phone +43 4379 76335 556",
    ],
    no: &[
        "order 467 3395",
        "9498777106",
        "1715603940",
        "+12 of 20",
        "+1 015 555 0132",
        "2024-05-13",
        "13.05.2024 10:30",
        "call on 2024-05-13",
        "call before 13/05/2024",
        "123 456 789 people",
        "550e8400-e29b-41d4-a716-446655440000",
        "ISBN 978-0-306-40615-7",
        "-33.8688, 151.2093",
        "{\"phone_number_id\":105954558954427}",
        "{\"phone\":null,\"order\":5403926876}",
        "555-555-5555",
        "(123) 456-7890",
        "192.168.10.200",
        "1.234.567.890",
        "$905-674-3793",
        "SKU-415-555-0132",
        "1990 2000 2010",
        "536-22-8471",
    ],
};
