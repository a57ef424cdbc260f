//! Pictures made on the server: bars over days, with a table for those who read instead.

use maud::{Markup, html};

/// The picture's inside, in its own units.
const WIDTH: u64 = 700;
const HEIGHT: u64 = 120;
const GAP: u64 = 6;

/// What is counted of one day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Day {
    /// The date.
    pub date: String,
    /// Everything.
    pub all: u64,
    /// What of it was not let through.
    pub refused: u64,
}

/// Bars of all, with the refused part in front.
pub(crate) fn bars(days: &[Day]) -> Markup {
    let most = days.iter().map(|day| day.all).max().unwrap_or_default().max(1);
    let count = u64::try_from(days.len()).unwrap_or(1).max(1);
    let step = WIDTH / count;
    let height = |value: u64| (value * HEIGHT).div_ceil(most).min(HEIGHT);
    html! {
        svg class="chart" viewBox={ "0 0 " (WIDTH) " " (HEIGHT + 18) } role="img" aria-label="Records and refusals by day" {
            line class="axis" x1="0" x2=(WIDTH) y1=(HEIGHT) y2=(HEIGHT) {}
            @for (index, day) in (0_u64..).zip(days) {
                g {
                    title { (day.date) ": " (day.all) " records, " (day.refused) " refused" }
                    rect class="bar-all" x=(index * step) width=(step - GAP) y=(HEIGHT - height(day.all)) height=(height(day.all)) rx="2" {}
                    rect class="bar-refused" x=(index * step) width=(step - GAP) y=(HEIGHT - height(day.refused)) height=(height(day.refused)) rx="2" {}
                    @if index % 2 == 0 || count <= 7 {
                        text x=(index * step) y=(HEIGHT + 14) { (day.date.get(5..).unwrap_or(&day.date)) }
                    }
                }
            }
        }
        details class="as-table" {
            summary { "As a table" }
            table {
                thead { tr { th { "Day" } th class="number" { "Records" } th class="number" { "Refused" } } }
                tbody {
                    @for day in days {
                        tr { td { (day.date) } td class="number" { (day.all) } td class="number" { (day.refused) } }
                    }
                }
            }
        }
    }
}

/// A share of the largest, as a bar beside a number.
pub(crate) fn share(value: u64, most: u64) -> Markup {
    let width = value * 100 / most.max(1);
    html! {
        svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect class="bar-all" width=(width) height="8" rx="1" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_without_anything_has_no_bar_and_the_largest_is_full() {
        let day = |all, refused| Day { date: "2026-01-01".into(), all, refused };
        let svg = bars(&[day(0, 0), day(50, 1)]).into_string();
        assert!(svg.contains("height=\"0\"") && svg.contains("height=\"120\""), "{svg}");
        assert!(svg.contains("height=\"3\""), "one refusal can be seen: {svg}");
        assert!(!svg.contains("style="), "{svg}");
        assert!(bars(&[]).into_string().contains("</svg>"));
    }
}
