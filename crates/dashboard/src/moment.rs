//! Times as people read them: how long ago, with the exact moment behind it.

use maud::{Markup, html};

/// A moment in milliseconds since 1970, seen from another.
pub(crate) fn ago(at_ms: u64, now_ms: u64) -> Markup {
    let exact = utc(at_ms);
    html! { time datetime=(exact) title=(exact) { (distance(at_ms, now_ms)) } }
}

/// A moment the API wrote as text.
pub(crate) fn exact(text: &str) -> Markup {
    let short = text.get(..19).map(|time| time.replace('T', " "));
    html! { time datetime=(text) title=(text) { (short.as_deref().unwrap_or(text)) } }
}

fn distance(at_ms: u64, now_ms: u64) -> String {
    let (seconds, is_past) = (now_ms.abs_diff(at_ms) / 1000, now_ms >= at_ms);
    let text = match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    };
    if is_past { format!("{text} ago") } else { format!("in {text}") }
}

/// The moment as ISO 8601 writes it.
pub(crate) fn utc(at_ms: u64) -> String {
    let (days, seconds) = (at_ms / 86_400_000, at_ms / 1000 % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The date so many days after 1 January 1970. Years begin in March here, so that a leap day is their last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dates() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_794_837_267_000), "2026-11-16T13:54:27Z");
    }

    #[test]
    fn distances_are_short() {
        assert_eq!(distance(0, 59_000), "59 s ago");
        assert_eq!(distance(600_000, 0), "in 10 min");
        assert_eq!(distance(0, 86_400_000), "24 h ago");
        assert_eq!(distance(0, 864_000_000), "10 days ago");
    }
}
