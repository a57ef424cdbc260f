//! Digits in groups: what a number looks like before anyone knows what it counts.

/// The most digits any kind asks for; what has more is none of them.
const MOST_DIGITS: usize = 20;
const MOST_GROUPS: usize = 7;

/// A run of digits, in groups divided by single marks.
pub(super) struct Number {
    digits: [u8; MOST_DIGITS],
    sizes: [u8; MOST_GROUPS],
    marks: [u8; MOST_GROUPS],
    /// Where each group ends in the document.
    ends: [usize; MOST_GROUPS],
    groups: usize,
}

impl Number {
    /// Reads the groups that begin at `start`: digits, single marks out of ` -./` before more digits. Reading stops
    /// where there is no more room; what is left over is then seen as something the number runs into.
    pub(super) fn read(bytes: &[u8], start: usize) -> Number {
        let mut number = Number {
            digits: [0; MOST_DIGITS],
            sizes: [0; MOST_GROUPS],
            marks: [0; MOST_GROUPS],
            ends: [start; MOST_GROUPS],
            groups: 0,
        };
        let (mut at, mut count, mut mark) = (start, 0, 0);
        while number.groups < MOST_GROUPS {
            let rest = bytes.get(at..).unwrap_or_default();
            let size = rest.iter().take(MOST_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
            let (Some(group), Some(room)) = (rest.get(..size), number.digits.get_mut(count..count + size))
            else {
                break;
            };
            if group.is_empty() {
                break;
            }
            room.copy_from_slice(group);
            count += size;
            at += size;
            number.close(size, mark, at);
            mark = match bytes.get(at) {
                Some(&mark @ (b' ' | b'-' | b'.' | b'/')) => mark,
                _ => break,
            };
            at += 1;
        }
        number
    }

    fn close(&mut self, size: usize, mark: u8, end: usize) {
        let slots = (
            self.sizes.get_mut(self.groups),
            self.marks.get_mut(self.groups),
            self.ends.get_mut(self.groups),
        );
        if let (Some(size_slot), Some(mark_slot), Some(end_slot)) = slots {
            (*size_slot, *mark_slot, *end_slot) = (u8::try_from(size).unwrap_or(u8::MAX), mark, end);
            self.groups += 1;
        }
    }

    /// The sizes of the groups.
    pub(super) fn sizes(&self) -> &[u8] {
        self.sizes.get(..self.groups).unwrap_or_default()
    }

    /// The marks before the second group, the third, ….
    pub(super) fn marks(&self) -> &[u8] {
        self.marks.get(1..self.groups).unwrap_or_default()
    }

    /// The digits of the first `groups` groups.
    pub(super) fn digits(&self, groups: usize) -> &[u8] {
        let count = self.sizes.iter().take(groups).map(|&size| usize::from(size)).sum();
        self.digits.get(..count).unwrap_or_default()
    }

    /// The place after the first `groups` groups.
    pub(super) fn end(&self, groups: usize) -> usize {
        groups.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0)
    }

    /// Whether the number has these groups, divided by `mark` throughout, and no further group after the same mark.
    pub(super) fn is_grouped(&self, sizes: &[u8], mark: u8) -> bool {
        self.sizes().starts_with(sizes)
            && self.marks().iter().take(sizes.len() - 1).all(|&other| other == mark)
            && self.marks().get(sizes.len() - 1) != Some(&mark)
    }
}

/// Whether what begins at `start` is the later part of a longer word or number.
pub(super) fn runs_in(bytes: &[u8], start: usize) -> bool {
    let mut before = bytes.get(..start).unwrap_or_default().iter().rev();
    match (before.next(), before.next()) {
        (Some(b'\\'), _) | (None, _) => false,
        // The `n` of an escaped line break is no letter of a word.
        (Some(b'n' | b'r' | b't'), Some(b'\\')) => false,
        (Some(b'-' | b'.' | b'/' | b'\'' | b',' | b'+'), Some(further)) => further.is_ascii_alphanumeric(),
        (Some(b'$'), _) => true,
        (Some(near), _) => near.is_ascii_alphanumeric() || *near == b'_',
    }
}

/// Whether what ends before `end` goes on: in a word, in a longer number, in a mail address.
pub(super) fn runs_on(bytes: &[u8], end: usize) -> bool {
    let mut after = bytes.get(end..).unwrap_or_default().iter();
    match (after.next(), after.next()) {
        (Some(b'-' | b'.' | b'/' | b','), Some(further)) => further.is_ascii_alphanumeric(),
        (Some(near), _) => near.is_ascii_alphanumeric() || matches!(near, b'_' | b'@' | b'%'),
        (None, _) => false,
    }
}

/// Whether a number is a counting sequence or one digit over and over: a filler, not somebody's number.
pub(super) fn is_filler(digits: &[u8]) -> bool {
    let steps = |step: u8| {
        digits.windows(2).all(|pair| {
            matches!(pair, [first, second] if (first - b'0' + step) % 10 == second.wrapping_sub(b'0') % 10)
        })
    };
    steps(0) || steps(1) || steps(9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_marks() {
        let number = Number::read(b"4111 11-22.", 0);
        assert_eq!((number.sizes(), number.marks()), (&[4, 2, 2][..], &b" -"[..]));
        assert_eq!((number.digits(2), number.end(2)), (&b"411111"[..], 7));
        assert!(number.is_grouped(&[4, 2], b' '));
        assert!(!number.is_grouped(&[4], b' '));
    }

    #[test]
    fn what_is_too_long_is_seen_to_run_on() {
        let text = "1 ".repeat(30);
        let number = Number::read(text.as_bytes(), 0);
        assert_eq!(number.sizes().len(), MOST_GROUPS);
        assert_eq!(Number::read(&[b'7'; 40], 0).sizes(), &[] as &[u8]);
    }

    #[test]
    fn fillers() {
        for (digits, expected) in
            [("5555555555", true), ("1234567890", true), ("9876543210", true), ("4155550132", false)]
        {
            assert_eq!(is_filler(digits.as_bytes()), expected, "{digits}");
        }
    }
}
