//! Times as people write them: a date and time, or how long ago.

use std::str::FromStr;

/// Microseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time(pub(super) i64);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        parse(text, jiff::Timestamp::now().as_microsecond()).ok_or_else(|| {
            "a time such as 2026-11-16T02:00:00Z or 2026-11-16, or how long ago, such as 2h or 7d".into()
        })
    }
}

fn parse(text: &str, now_us: i64) -> Option<Time> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(Time(time.as_microsecond()));
    }
    if let Ok(time) = format!("{text}T00:00:00Z").parse::<jiff::Timestamp>() {
        return Some(Time(time.as_microsecond()));
    }
    let unit = text.chars().last()?;
    let seconds: i64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let count: i64 = text.strip_suffix(unit)?.parse().ok().filter(|count| *count >= 0)?;
    Some(Time(now_us.checked_sub(count.checked_mul(seconds)?.checked_mul(1_000_000)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let check = |text: &str, expected: Option<i64>| {
            assert_eq!(parse(text, 10_000_000_000_000).map(|time| time.0), expected, "{text}");
        };
        check("1970-01-01T00:00:01Z", Some(1_000_000));
        check("1970-01-02", Some(86_400_000_000));
        check("2h", Some(10_000_000_000_000 - 7_200_000_000));
        check("1d", Some(10_000_000_000_000 - 86_400_000_000));
        for wrong in ["", "h", "-1h", "2w", "yesterday", "99999999999999999d"] {
            check(wrong, None);
        }
    }
}
