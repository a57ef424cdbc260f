//! Figures of one path, and the ratios between paths that are judged.

use super::load::Times;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// One connection shows what is added to a call, many show what the machine can carry.
pub(crate) const CONNECTIONS: [usize; 2] = [1, 32];

/// What was measured on one path.
pub(crate) struct Figures {
    pub(crate) p50_ns: f64,
    pub(crate) p99_ns: f64,
    pub(crate) per_second: f64,
}

impl Figures {
    pub(crate) fn of(mut times: Times, time: Duration) -> Figures {
        times.sort_unstable();
        let at = |part: usize| times.get(times.len() * part / 100).map_or(f64::NAN, |ns| *ns as f64);
        Figures { p50_ns: at(50), p99_ns: at(99), per_second: times.len() as f64 / time.as_secs_f64() }
    }
}

/// What the gateway costs beside the least a proxy can do, and how often others do less.
pub(crate) fn of(all: &BTreeMap<(&str, usize), Figures>) -> Option<Value> {
    let [one, many] = CONNECTIONS;
    let p50 = |path| all.get(&(path, one)).map(|figures| figures.p50_ns / 1e3);
    let rate = |path| all.get(&(path, many)).map(|figures| figures.per_second);
    let (direct, least, ours) = (p50("direct")?, p50("pass-through")?, p50("portcullis")?);
    let per_second = rate("portcullis")?;
    let mut times = Map::new();
    for ((path, connections), figures) in all {
        if *connections == many && !["direct", "pass-through", "portcullis"].contains(path) {
            times.insert((*path).to_owned(), rounded(per_second / figures.per_second));
        }
    }
    let mut summary = json!({
        "added_p50_us": rounded(ours - direct),
        "added_by_pass_through_us": rounded(least - direct),
        "added_ratio": rounded((ours - direct) / (least - direct)),
        "throughput_share": rounded(per_second / rate("pass-through")?),
    });
    if !times.is_empty() {
        summary["throughput_times"] = times.into();
    }
    Some(summary)
}

fn rounded(number: f64) -> Value {
    json!((number * 100.0).round() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_end_are_found() {
        let figures = Figures::of((1..=1000).rev().collect(), Duration::from_secs(2));
        assert_eq!((figures.p50_ns, figures.p99_ns, figures.per_second), (501.0, 991.0, 500.0));
    }

    #[test]
    fn ratios_are_of_what_is_added_and_of_what_is_carried() {
        let figures = |p50_us: f64, per_second| Figures { p50_ns: p50_us * 1e3, p99_ns: 0.0, per_second };
        let mut all = BTreeMap::new();
        for (path, p50_us, per_second) in [
            ("direct", 50.0, 9e3),
            ("pass-through", 90.0, 4e3),
            ("portcullis", 110.0, 3e3),
            ("other", 0.0, 1e3),
        ] {
            for connections in CONNECTIONS {
                all.insert((path, connections), figures(p50_us, per_second));
            }
        }
        let expected = json!({ "added_p50_us": 60.0, "added_by_pass_through_us": 40.0, "added_ratio": 1.5,
            "throughput_share": 0.75, "throughput_times": { "other": 3.0 } });
        assert_eq!(of(&all), Some(expected));
        all.remove(&("direct", 1));
        assert_eq!(of(&all), None);
    }
}
