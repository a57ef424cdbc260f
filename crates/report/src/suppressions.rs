//! The text of `portcullis.suppress`: one line for each accepted finding, and dates as people write them.

use portcullis_decide::suppression::Suppression;
use portcullis_detect::fingerprint::Fingerprint;
use serde::{Deserialize, Serialize};

use crate::lines::{self, BadFile};

const FORMAT: &str = "portcullis.suppress";
const VERSION: u64 = 1;
const DAY_MS: u64 = 86_400_000;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    check: Box<str>,
    subject: Box<str>,
    content: String,
    reason: Box<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
}

/// Reads a file of suppressions.
///
/// # Errors
/// The file is broken, no such file, or from a newer version.
pub fn read(text: &str) -> Result<Vec<Suppression>, BadFile> {
    let lines = lines::read::<Line>(text, FORMAT, VERSION)?;
    let entry = |(line, entry)| suppression(entry).map_err(|reason| BadFile::Line { line, reason });
    lines.into_iter().map(entry).collect()
}

fn suppression(line: Line) -> Result<Suppression, String> {
    let content = Fingerprint::from_hex(&line.content).ok_or("the content is not 64 digits")?;
    if line.reason.trim().is_empty() {
        return Err("a suppression needs a reason".into());
    }
    let expires =
        line.expires.as_deref().map(|date| read_date(date).ok_or("`expires` is not a date like 2030-01-31"));
    Ok(Suppression {
        check: line.check,
        subject: line.subject,
        content,
        reason: line.reason,
        expires: expires.transpose()?,
    })
}

/// Writes suppressions in their order.
pub fn write(entries: &[Suppression]) -> String {
    let line = |entry: &Suppression| Line {
        check: entry.check.clone(),
        subject: entry.subject.clone(),
        content: entry.content.to_string(),
        reason: entry.reason.clone(),
        expires: entry.expires.map(write_date),
    };
    lines::write(FORMAT, VERSION, entries.iter().map(line))
}

/// The start of a day in UTC, in milliseconds since 1970, from `2030-01-31`.
pub fn read_date(text: &str) -> Option<u64> {
    let mut fields = text.split('-');
    let mut number = |digits: usize| fields.next().filter(|f| f.len() == digits)?.parse::<u64>().ok();
    let (year, month, day) = (number(4)?, number(2)?, number(2)?);
    let is_over = text.len() > 10;
    let days = days_since_1970(year, month, day);
    // A day that does not exist comes back as another.
    let date = days * DAY_MS;
    (!is_over && year >= 1970 && (1..=12).contains(&month) && write_date(date) == text).then_some(date)
}

/// A moment as the day it is in, in UTC.
pub fn write_date(moment: u64) -> String {
    // Howard Hinnant's civil_from_days, for days that are not negative.
    let days = moment / DAY_MS + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The inverse, for years from 1970 on.
fn days_since_1970(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2 && year > 0);
    let (era, year_of_era) = (year / 400, year % 400);
    let shifted = (month + 9) % 12;
    let day_of_year = (153 * shifted + 2) / 5 + day.saturating_sub(1);
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).saturating_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_and_written() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1970-12-31", 364),
            ("2000-02-29", 11_016),
            ("2024-03-01", 19_783),
            ("2100-03-01", 47_541),
        ] {
            assert_eq!(read_date(text), Some(days * DAY_MS), "{text}");
            assert_eq!(write_date(days * DAY_MS + 5), text);
        }
        for bad in [
            "",
            "2030-02-30",
            "2030-13-01",
            "2030-1-1",
            "2030-01-00",
            "30-01-01",
            "2030-01-01x",
            "1969-12-31",
            "2030-01-01-01",
            "+030-01-01",
        ] {
            assert_eq!(read_date(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let entry = Suppression {
            check: "unicode.hidden".into(),
            subject: "mail/*".into(),
            content: Fingerprint::from_bytes([7; 32]),
            reason: "a test server of ours".into(),
            expires: read_date("2030-01-31"),
        };
        let text = write(std::slice::from_ref(&entry));
        assert!(text.contains("\"expires\":\"2030-01-31\""), "{text}");
        assert_eq!(read(&text), Ok(vec![entry]));
        let error = read(&text.replace("a test server of ours", " ")).expect_err("no reason").to_string();
        assert!(error.contains("line 2") && error.contains("reason"), "{error}");
    }
}
