//! Which vendor a named value belongs to: `DATADOG_API_KEY=…`, `"twilio": {"token": …}`.
//!
//! Names of vendors are ordinary words by the hundred; looking for each in every text would cost more than all
//! else. So they are only looked for before a value that a keyword has already found.

use crate::prelude::*;

/// How far before the value the vendor may be named.
const REACH: usize = 72;
/// Shorter values belong to no vendor.
const SHORTEST_VALUE: usize = 12;
const FILTER_BITS: usize = 4096;

/// The names, sorted by their first three bytes.
pub(super) struct Vendors {
    names: Vec<(u32, &'static str, u16)>,
    /// Which beginnings occur at all, by hash.
    filter: [u64; FILTER_BITS / 64],
}

impl Vendors {
    /// Names in lower case, of at least three bytes, with the rows they belong to.
    pub(super) fn new(names: Vec<(&'static str, u16)>) -> Self {
        let mut names: Vec<(u32, &'static str, u16)> = names
            .into_iter()
            .filter_map(|(name, row)| Some((beginning(name.as_bytes())?, name, row)))
            .collect();
        names.sort_unstable();
        let mut filter = [0; FILTER_BITS / 64];
        for (start, _, _) in &names {
            let bit = hash(*start);
            if let Some(word) = filter.get_mut(bit / 64) {
                *word |= 1u64 << (bit % 64);
            }
        }
        Vendors { names, filter }
    }

    /// Calls `found(row, at)` for every row whose vendor is named, at `at`, shortly before the value at `value`.
    pub(super) fn named_before(&self, bytes: &[u8], value: usize, mut found: impl FnMut(u16, usize)) {
        let is_value = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b'+' | b'.' | b':')
        };
        let length = bytes.iter().skip(value).take(SHORTEST_VALUE).take_while(|byte| is_value(byte)).count();
        if length < SHORTEST_VALUE {
            return;
        }
        let begin = value.saturating_sub(REACH);
        let window = bytes.get(begin..value).unwrap_or_default();
        for at in 0..window.len() {
            let rest = window.get(at..).unwrap_or_default();
            let Some(start) = beginning(rest) else { break };
            let bit = hash(start);
            if self.filter.get(bit / 64).is_none_or(|word| word >> (bit % 64) & 1 == 0) {
                continue;
            }
            let first = self.names.partition_point(|name| name.0 < start);
            let candidates = self.names.iter().skip(first).take_while(|name| name.0 == start);
            for (_, name, row) in candidates {
                if rest.get(..name.len()).is_some_and(|here| here.eq_ignore_ascii_case(name.as_bytes())) {
                    found(*row, begin + at);
                }
            }
        }
    }
}

/// The first three bytes as a number, in lower case.
fn beginning(text: &[u8]) -> Option<u32> {
    let [a, b, c] = text.first_chunk::<3>()?.map(|byte| byte.to_ascii_lowercase());
    Some(u32::from_le_bytes([a, b, c, 0]))
}

fn hash(start: u32) -> usize {
    (start.wrapping_mul(0x9E37_79B1) >> 20) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_are_named_before_their_value() {
        let vendors = Vendors::new(vec![("datadog", 1), ("dd_api", 2), ("twilio", 3)]);
        let find = |text: &str| {
            let mut rows: Vec<u16> = Vec::new();
            vendors
                .named_before(text.as_bytes(), text.find("9f3a").expect("a value"), |row, _| rows.push(row));
            rows
        };
        assert_eq!(find("DataDog_KEY=9f3a7c1e5b8d2046"), [1]);
        assert_eq!(find(r#""twilio": {"token": "9f3a7c1e5b8d2046""#), [3]);
        assert!(find("datadog_key=9f3a").is_empty(), "too short");
        assert!(find("some_key=9f3a7c1e5b8d2046").is_empty());
        let far = format!("datadog{}key=9f3a7c1e5b8d2046", " ".repeat(80));
        assert!(find(&far).is_empty());
    }
}
