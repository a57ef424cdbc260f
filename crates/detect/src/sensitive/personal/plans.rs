//! Telephone numbering plans: which lengths, leading digits and groupings each calling code allows.

use crate::prelude::*;
use once_cell::race::OnceBox;

/// Derived from published metadata by `cargo xtask phone-plans`; its header says how a line is read.
const TABLE: &str = include_str!("../../../data/phone-plans.txt");

static PLANS: OnceBox<Plans> = OnceBox::new();

/// All plans, read once.
pub(super) struct Plans {
    /// Sorted by calling code.
    plans: Vec<Plan>,
    /// Groupings and the plans that use them, sorted.
    groupings: Vec<(u32, u16)>,
}

struct Plan {
    code: u16,
    trunk: &'static [u8],
    /// Length of the national number, first and last of a range of its leading three digits.
    leading: Vec<(usize, u16, u16)>,
}

impl Plans {
    pub(super) fn get() -> &'static Plans {
        PLANS.get_or_init(|| Box::new(Plans::read(TABLE)))
    }

    fn read(table: &'static str) -> Plans {
        let mut plans = Plans { plans: Vec::new(), groupings: Vec::new() };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            plans.add(line);
        }
        plans.plans.sort_unstable_by_key(|plan| plan.code);
        plans.groupings.sort_unstable();
        plans
    }

    fn add(&mut self, line: &'static str) -> Option<()> {
        let mut fields = line.split(' ');
        let (code, _, trunk) = (fields.next()?.parse().ok()?, fields.next()?, fields.next()?);
        let (leading, groupings) = (fields.next()?, fields.next()?);
        let trunk = if trunk == "-" { "" } else { trunk };
        for grouping in groupings.split(',').filter(|grouping| *grouping != "-") {
            let packed = grouping.split('.').filter_map(|size| size.parse::<u8>().ok()).fold(0, pack);
            self.groupings.push((packed, code));
        }
        let leading = leading.split(';').filter_map(read_length).flatten().collect();
        self.plans.push(Plan { code, trunk: trunk.as_bytes(), leading });
        Some(())
    }

    fn plan(&self, code: u16) -> Option<&Plan> {
        let at = self.plans.binary_search_by_key(&code, |plan| plan.code).ok()?;
        self.plans.get(at)
    }

    /// Whether the digits are a calling code and a number of its plan.
    pub(super) fn is_international(&self, digits: &[u8]) -> bool {
        let Some((size, plan)) = self.calling_code(digits) else { return false };
        digits.get(size..).is_some_and(|national| plan.accepts(national))
    }

    /// How many of the digits are the calling code; none begins with another.
    pub(super) fn calling_code_size(&self, digits: &[u8]) -> Option<usize> {
        self.calling_code(digits).map(|(size, _)| size)
    }

    fn calling_code(&self, digits: &[u8]) -> Option<(usize, &Plan)> {
        (1..=3).find_map(|size| {
            let code = digits.get(..size)?.iter().fold(0, |code, digit| code * 10 + u16::from(digit - b'0'));
            Some((size, self.plan(code)?))
        })
    }

    /// Whether some plan writes a national number in these groups and accepts its digits.
    pub(super) fn is_national(&self, sizes: &[u8], digits: &[u8]) -> bool {
        let packed = sizes.iter().copied().fold(0, pack);
        let first = self.groupings.partition_point(|&(grouping, _)| grouping < packed);
        let users = self.groupings.iter().skip(first).take_while(|&&(grouping, _)| grouping == packed);
        users.filter_map(|&(_, code)| self.plan(code)).any(|plan| plan.accepts(digits))
    }
}

impl Plan {
    /// With the trunk prefix or without.
    fn accepts(&self, digits: &[u8]) -> bool {
        let fits = |national: &[u8]| {
            let triple =
                national.iter().take(3).fold(0, |triple, digit| triple * 10 + u16::from(digit - b'0'));
            let mut ranges = self.leading.iter().filter(|(length, ..)| *length == national.len());
            ranges.any(|&(_, first, last)| (first..=last).contains(&triple))
        };
        fits(digits) || digits.strip_prefix(self.trunk).is_some_and(fits)
    }
}

/// Four bits for each size.
fn pack(packed: u32, size: u8) -> u32 {
    packed << 4 | u32::from(size.min(15))
}

/// `9:100-199,300` as ranges.
fn read_length(text: &'static str) -> Option<impl Iterator<Item = (usize, u16, u16)>> {
    let (length, ranges) = text.split_once(':')?;
    let length = length.parse().ok()?;
    Some(ranges.split(',').filter_map(move |range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some((length, first.parse().ok()?, last.parse().ok()?))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        let plans = Plans::get();
        assert_eq!(plans.plans.len(), lines);
        assert!(plans.plans.iter().all(|plan| !plan.leading.is_empty()));
    }

    #[test]
    fn numbers_of_some_plans() {
        let plans = Plans::get();
        for (digits, expected) in [
            ("14155550132", true),
            ("11155550132", false),
            ("1415555013", false),
            ("442079460958", true),
            ("33199001234", true),
            ("330199001234", true),
            ("999123456789", false),
        ] {
            assert_eq!(plans.is_international(digits.as_bytes()), expected, "{digits}");
        }
        assert!(plans.is_national(&[2, 2, 2, 2, 2], b"0199001234"));
        assert!(!plans.is_national(&[2, 2, 2, 2, 2], b"0099001234"));
        assert!(!plans.is_national(&[5, 2, 2, 1], b"0199001234"));
    }
}
