//! Takes the elements of one array out of a JSON document as raw slices, keeping those before a syntax error.
//!
//! A parser that returns a whole document or nothing would lose a thousand good entries to one comma.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The elements of the arrays under `key` of the object `text`, and the error that ended the reading, if any.
pub(crate) fn elements<'a>(text: &'a str, key: &str) -> (Vec<&'a RawValue>, Option<serde_json::Error>) {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = Document { key, found: &mut found };
    let error = seed.deserialize(&mut reader).and_then(|()| reader.end()).err();
    (found, error)
}

struct Document<'f, 'a> {
    key: &'f str,
    found: &'f mut Vec<&'a RawValue>,
}

impl<'a> DeserializeSeed<'a> for Document<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Document<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", self.key)
    }

    fn visit_map<A: MapAccess<'a>>(self, mut members: A) -> Result<(), A::Error> {
        let mut is_present = false;
        while let Some(key) = members.next_key::<String>()? {
            if key == self.key {
                is_present = true;
                members.next_value_seed(Elements { found: self.found })?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        if is_present { Ok(()) } else { Err(serde::de::Error::custom(format!("no `{}` in it", self.key))) }
    }
}

/// Reads one array into raw slices; what was read before an error stays.
pub(crate) struct Elements<'f, 'a> {
    pub(crate) found: &'f mut Vec<&'a RawValue>,
}

impl<'a> DeserializeSeed<'a> for Elements<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'a> Visitor<'a> for Elements<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element::<&'a RawValue>()? {
            self.found.push(item);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str], error: Option<&str>) {
        let (found, problem) = elements(text, "entries");
        assert_eq!(found.iter().map(|raw| raw.get()).collect::<Vec<_>>(), expected, "{text}");
        let problem = problem.map(|error| error.to_string());
        match error {
            None => assert_eq!(problem, None),
            Some(part) => assert!(problem.clone().unwrap_or_default().contains(part), "{problem:?}"),
        }
    }

    #[test]
    fn elements_before_a_syntax_error_are_kept() {
        check(r#"{"version":1,"entries":[{"a":1}, [2]]}"#, &[r#"{"a":1}"#, "[2]"], None);
        check(r#"{"entries":[1,2,}"#, &["1", "2"], Some("line 1 column"));
        check(r#"{"entries":[1]"#, &["1"], Some("EOF"));
        check(r#"{"entries":[1],"entries":[2]}"#, &["1", "2"], None);
    }

    #[test]
    fn a_document_of_another_shape_is_an_error() {
        check(r#"{"tools":[]}"#, &[], Some("no `entries`"));
        check("[]", &[], Some("an object with `entries`"));
    }
}
