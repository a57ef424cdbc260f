//! Measures the finder of sensitive data: texts with labelled spans, and texts that are or are not a secret.

use portcullis_detect::sensitive::{Format, Located, SensitiveData, Strength};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::tally::share;

/// One labelled text.
#[derive(Debug, Deserialize)]
pub(crate) struct Sample {
    text: String,
    spans: Option<Vec<Span>>,
    is_secret: Option<bool>,
}

/// Where something stands, in code points.
#[derive(Debug, Deserialize)]
struct Span {
    start: usize,
    end: usize,
    #[serde(rename = "type")]
    kind: String,
}

/// The keys that tell a labelled text from a tool, whose own text may hold any word.
#[derive(Deserialize)]
struct Keys {
    text: Option<IgnoredAny>,
    spans: Option<IgnoredAny>,
    is_secret: Option<IgnoredAny>,
}

impl Sample {
    /// The sample a line holds, if it holds one.
    pub(crate) fn read(line: &str) -> Option<Result<Sample, serde_json::Error>> {
        let may_be_sample = line.contains("\"spans\"") || line.contains("\"is_secret\"");
        let keys: Keys = may_be_sample.then(|| serde_json::from_str(line).ok())??;
        let is_sample = keys.text.is_some() && (keys.spans.is_some() || keys.is_secret.is_some());
        is_sample.then(|| serde_json::from_str(line))
    }
}

/// How well one type is found by rows of one strength.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct DataRow {
    #[serde(rename = "type")]
    kind: String,
    strength: &'static str,
    n: u64,
    precision: Option<f64>,
    recall: Option<f64>,
}

/// What is counted for one row.
#[derive(Default)]
struct Count {
    wanted: u64,
    found: u64,
    hits: u64,
    right: u64,
}

/// The types whose spans are compared; other spans (names, places) are not ours to find.
const TYPES: [&str; 7] = ["email", "ssn", "card", "phone", "iban", "ip", "date_of_birth"];

/// The rows of all samples: each type for bound rows, keyword rows, and all.
pub(crate) fn rows(samples: &[Sample]) -> Vec<DataRow> {
    let data = SensitiveData::new();
    let hits: Vec<Vec<Located>> = samples.iter().map(|sample| certain(&data, sample)).collect();
    let mut rows = Vec::new();
    for strength in [Some(Strength::Bound), Some(Strength::Keyword), None] {
        let counts = |hit: &Located| strength.is_none_or(|wanted| hit.hit.strength == wanted);
        if samples.iter().any(|sample| sample.spans.is_some()) {
            for kind in TYPES {
                let is_kind = |hit: &&Located| data.facts(hit.hit.row).kind == kind && counts(hit);
                rows.push(row(kind, strength, &spans(samples, &hits, kind, is_kind)));
            }
        }
        if samples.iter().any(|sample| sample.is_secret.is_some()) {
            rows.push(row("secret", strength, &secrets(samples, &hits, counts)));
        }
    }
    rows
}

/// The hits of a sample that nothing speaks against.
fn certain(data: &SensitiveData, sample: &Sample) -> Vec<Located> {
    let found = data.in_document(sample.text.as_bytes(), Format::Text);
    found.hits.into_iter().filter(|located| located.hit.doubt.is_none()).collect()
}

fn spans(
    samples: &[Sample],
    hits: &[Vec<Located>],
    kind: &str,
    is_kind: impl Fn(&&Located) -> bool,
) -> Count {
    let mut count = Count::default();
    for (sample, hits) in samples.iter().zip(hits) {
        let Some(spans) = &sample.spans else { continue };
        let spans: Vec<(usize, usize)> = spans
            .iter()
            .filter(|span| ours(&span.kind) == kind)
            .map(|span| span.bytes(&sample.text))
            .collect();
        let hits: Vec<&Located> = hits.iter().filter(&is_kind).collect();
        let overlap = |span: &(usize, usize), hit: &Located| hit.hit.start < span.1 && span.0 < hit.hit.end;
        count.wanted += spans.len() as u64;
        count.found += spans.iter().filter(|span| hits.iter().any(|hit| overlap(span, hit))).count() as u64;
        count.hits += hits.len() as u64;
        count.right += hits.iter().filter(|hit| spans.iter().any(|span| overlap(span, hit))).count() as u64;
    }
    count
}

impl Span {
    /// The bytes of the span; what lies outside the text is empty.
    fn bytes(&self, text: &str) -> (usize, usize) {
        let byte =
            |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(index, _)| index);
        (byte(self.start), byte(self.end))
    }
}

/// Our name for a type of somebody else's.
fn ours(kind: &str) -> &str {
    match kind.to_ascii_lowercase().as_str() {
        "credit_card" | "card" => "card",
        "phone" | "phone_number" => "phone",
        "ip" | "ip_address" => "ip",
        "email" | "email_address" => "email",
        "ssn" | "us_ssn" => "ssn",
        "iban" | "iban_code" => "iban",
        "date_of_birth" => "date_of_birth",
        _ => "",
    }
}

fn secrets(samples: &[Sample], hits: &[Vec<Located>], counts: impl Fn(&Located) -> bool) -> Count {
    let mut count = Count::default();
    for (sample, hits) in samples.iter().zip(hits) {
        let Some(is_secret) = sample.is_secret else { continue };
        let is_found = u64::from(hits.iter().any(&counts));
        count.hits += is_found;
        if is_secret {
            count.wanted += 1;
            count.found += is_found;
            count.right += is_found;
        }
    }
    count
}

fn row(kind: &str, strength: Option<Strength>, count: &Count) -> DataRow {
    let rounded = |share: Option<f64>| share.map(|share| (share * 10_000.0).round() / 10_000.0);
    DataRow {
        kind: kind.to_owned(),
        strength: strength.map_or("all", Strength::as_str),
        n: count.wanted,
        precision: rounded(share(count.right, count.hits)),
        recall: rounded(share(count.found, count.wanted)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(line: &str) -> Sample {
        Sample::read(line).expect("a sample").expect("well formed")
    }

    #[test]
    fn spans_count_in_code_points_and_by_type() {
        let samples = [
            sample(r#"{"text":"é ann@tide.example","spans":[{"start":2,"end":18,"type":"email"}]}"#),
            sample(r#"{"text":"bob@tide.example","spans":[{"start":0,"end":3,"type":"person"}]}"#),
            sample(r#"{"text":"write to carl","spans":[{"start":9,"end":13,"type":"email"}]}"#),
        ];
        let rows = rows(&samples);
        let email = rows.iter().find(|row| row.kind == "email" && row.strength == "all");
        let expected =
            DataRow { kind: "email".into(), strength: "all", n: 2, precision: Some(0.5), recall: Some(0.5) };
        assert_eq!(email, Some(&expected));
    }

    #[test]
    fn lines_that_are_no_samples_are_left_to_others() {
        assert!(Sample::read(r#"{"name":"tool"}"#).is_none());
        assert!(Sample::read(r#"{"name":"tool","output_schema":{"spans":[]}}"#).is_none());
        assert!(Sample::read(r#"{"text":1,"spans":[]}"#).is_some_and(|sample| sample.is_err()));
    }
}
