//! The pass itself: every place that the masks and the prefilter name is confirmed or dropped where it stands.

use super::encoded::Runs;
use super::personal::facts;
use super::phrase::Phrases;
use super::row::{Mark, Strength};
use super::signs::{See, Signs, places};
use super::{Hit, SensitiveData, assign, encoded, overlap, personal, phrase, placeholder, signs, validate};
use crate::prelude::*;
use crate::signal::Confidence;
use core::ops::Range;
use portcullis_sieve::{Machine, Stretch};

impl SensitiveData {
    /// What stands in plain text, in order, one hit per place.
    pub fn in_text(&self, bytes: &[u8]) -> Vec<Hit> {
        self.scan(bytes).0
    }

    /// What stands in the text itself and under its encodings; whether all encoded runs could be looked at.
    pub(super) fn scan(&self, bytes: &[u8]) -> (Vec<Hit>, bool) {
        let (mut hits, runs) = self.candidates(bytes);
        let is_whole = encoded::look(self, bytes, &runs, &mut hits);
        overlap::resolve(self, &mut hits);
        (hits, is_whole)
    }

    /// What stands in the text itself, its encodings aside.
    pub(crate) fn plain(&self, bytes: &[u8]) -> Vec<Hit> {
        let (mut hits, _) = self.candidates(bytes);
        overlap::resolve(self, &mut hits);
        hits
    }

    /// Every confirmed place, overlapping ones too, and the runs that may be encoded.
    fn candidates(&self, bytes: &[u8]) -> (Vec<Hit>, Runs) {
        let mut pass = Pass {
            data: self,
            bytes,
            sink: Sink { hits: Vec::new(), personal_base: self.secrets.len(), last_value: None },
            phrases: Phrases::default(),
            runs: Runs::default(),
        };
        signs::blocks(bytes, &mut pass);
        let Pass { mut sink, runs, .. } = pass;
        for (index, custom) in self.custom.iter().enumerate() {
            custom.look(self.custom_row(index), bytes, &mut sink.hits);
        }
        if let Some(selection) = &self.selection {
            sink.hits.retain(|hit| selection.get(usize::from(hit.row)).copied().unwrap_or(false));
        }
        (sink.hits, runs)
    }

    fn phrase(&self, start: usize, end: usize) -> Hit {
        let confidence = Confidence::new(phrase::CONFIDENCE);
        let strength = Strength::Bound;
        Hit { row: self.phrase_row, start, end, strength, confidence, doubt: None, encoding: None }
    }

    fn confirm(&self, bytes: &[u8], row_index: u16, start: usize, end: usize, sink: &mut Sink) {
        let Some((row, shape)) = self.secrets.get(usize::from(row_index)) else { return };
        if row.mark == Mark::Bound {
            if let Some((from, to)) = shape.around(bytes, start).filter(|&(from, _)| !is_glued(bytes, from)) {
                self.judge(bytes, row_index, from..to, Strength::Bound, sink);
            }
            return;
        }
        let Some(from) = assign::value_after(bytes, end) else { return };
        if let Some(to) = shape.at(bytes, from) {
            self.judge(bytes, row_index, from..to, Strength::Keyword, sink);
        }
        // One value may be named by several keywords; its vendor is looked for once.
        let name = assign::name_around(bytes, start);
        if sink.last_value != Some((name, from)) {
            sink.last_value = Some((name, from));
            self.vendors.named_before(bytes, from, |vendor_row, vendor_at| {
                let Some((_, shape)) = self.secrets.get(usize::from(vendor_row)) else { return };
                // `VENDOR_API_KEY=` before a value of exactly the vendor's shape is as good as a prefix.
                let is_bound = vendor_at >= name && shape.is_exact();
                let strength = if is_bound { Strength::Bound } else { Strength::Keyword };
                if let Some(to) = shape.at(bytes, from) {
                    self.judge(bytes, vendor_row, from..to, strength, sink);
                }
            });
        }
    }

    /// Takes what has the row's shape, if its validator agrees.
    fn judge(&self, bytes: &[u8], row_index: u16, place: Range<usize>, strength: Strength, sink: &mut Sink) {
        let Some((row, _)) = self.secrets.get(usize::from(row_index)) else { return };
        let Range { start, end } = place;
        let value = bytes.get(place).unwrap_or_default();
        if !validate::holds(row.validator, value) {
            return;
        }
        let doubt = placeholder::reason(validate::core(row.validator, value));
        let confidence =
            if doubt.is_some() { placeholder::CONFIDENCE } else { Confidence::new(row.confidence) };
        sink.push(Hit { row: row_index, start, end, strength, confidence, doubt, encoding: None });
    }
}

/// One pass over a text, and what it has found so far.
struct Pass<'a> {
    data: &'a SensitiveData,
    bytes: &'a [u8],
    sink: Sink,
    phrases: Phrases,
    runs: Runs,
}

impl See for Pass<'_> {
    #[inline(always)]
    fn see(&mut self, machine: Machine, stretch: &Stretch, signs: &Signs) {
        let Pass { data, bytes, sink, phrases, runs } = self;
        for place in places(data.prefilter.places(machine, stretch)) {
            data.prefilter.literals_at(bytes, signs.at + place, |row, start, end| {
                data.confirm(bytes, row, start, end, sink);
            });
        }
        personal::look(bytes, signs, sink);
        phrases.look(bytes, signs, |start, end| sink.push(data.phrase(start, end)));
        runs.look(bytes, signs);
    }
}

/// Whether a value begins in the middle of a longer word.
fn is_glued(bytes: &[u8], start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| bytes.get(at));
    before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Takes hits.
pub(super) struct Sink {
    hits: Vec<Hit>,
    personal_base: usize,
    /// Where the last value began that a keyword named, and its name.
    last_value: Option<(usize, usize)>,
}

impl Sink {
    fn push(&mut self, hit: Hit) {
        self.hits.push(hit);
    }

    /// A piece of personal data of the kind `kind`, an index into [`personal::KINDS`].
    pub(super) fn push_personal(
        &mut self,
        kind: personal::Kind,
        start: usize,
        end: usize,
        confidence: u16,
        doubt: Option<&'static str>,
    ) {
        let row = u16::try_from(self.personal_base + kind as usize).unwrap_or(u16::MAX);
        let confidence = if doubt.is_some() { placeholder::CONFIDENCE } else { Confidence::new(confidence) };
        let strength = facts(kind as usize).strength;
        self.push(Hit { row, start, end, strength, confidence, doubt, encoding: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensitive::rows::FAMILIES;
    use proptest::prelude::*;

    impl SensitiveData {
        /// What [`SensitiveData::scan`] finds, looked for at every byte without masks, windows or hashes.
        fn scan_everywhere(&self, bytes: &[u8]) -> Vec<Hit> {
            let mut sink = Sink { hits: Vec::new(), personal_base: self.secrets.len(), last_value: None };
            for at in 0..bytes.len() {
                self.prefilter.literals_everywhere(bytes, at, |row, start, end| {
                    self.confirm(bytes, row, start, end, &mut sink);
                });
                personal::look_everywhere(bytes, at, &mut sink);
            }
            phrase::everywhere(bytes, |start, end| sink.push(self.phrase(start, end)));
            let mut hits = sink.hits;
            encoded::look(self, bytes, &Runs::everywhere(bytes), &mut hits);
            overlap::resolve(self, &mut hits);
            hits
        }
    }

    /// Pieces that something may be made of, and how they may be joined.
    fn text() -> impl Strategy<Value = String> {
        let rows = FAMILIES.iter().flat_map(|family| family.iter());
        let mut pieces: Vec<String> = rows
            .flat_map(|row| row.yes.iter().chain(row.no).chain(row.literals))
            .map(|text| text.replace("{cut}", ""))
            .collect();
        pieces.extend(personal::examples().map(str::to_owned));
        let marks =
            [" ", "", "", "\n", ": ", "\\n", "\"", "/", "-", ".", "x", "7", "\u{e9}", "the account of a "];
        let piece = prop_oneof![
            4 => prop::sample::select(pieces),
            2 => "[a-f0-9:]{1,40}",
            1 => "[A-Za-z0-9+/]{10,90}",
            1 => "([a-z]{2,9} ){1,12}",
            1 => ".{0,20}",
        ];
        let part = (piece, prop::sample::select(marks.to_vec())).prop_map(|(piece, mark)| piece + mark);
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn the_fast_pass_finds_what_stands_anywhere(text in text()) {
            let data = SensitiveData::shipped();
            prop_assert_eq!(data.scan(text.as_bytes()).0, data.scan_everywhere(text.as_bytes()));
        }
    }

    #[test]
    fn every_row_knows_its_own_examples() {
        let data = SensitiveData::new();
        let mut wrong = Vec::new();
        for row in FAMILIES.iter().flat_map(|family| family.iter()) {
            assert!(row.yes.len() >= 2 && row.no.len() >= 2, "{}: two examples of each kind", row.id);
            let sure = |text: &str| {
                data.in_text(text.replace("{cut}", "").as_bytes())
                    .iter()
                    .any(|hit| data.facts(hit.row).id == row.id && hit.doubt.is_none())
            };
            let missed = row.yes.iter().filter(|yes| !sure(yes) || !sure(&format!("before {yes} after")));
            wrong.extend(missed.map(|yes| format!("{} should match {yes}", row.id)));
            wrong.extend(
                row.no.iter().filter(|no| sure(no)).map(|no| format!("{} should not match {no}", row.id)),
            );
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_pattern_compiles_and_ids_are_unique() {
        let rows: Vec<_> = FAMILIES.iter().flat_map(|family| family.iter()).collect();
        assert_eq!(SensitiveData::new().secrets.len(), rows.len());
        let mut ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rows.len());
    }
}
