//! An object taken apart without loss: its members in their order, each value as it is written.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The members of an object in their order, each value as it is written.
pub(crate) struct Members(pub(crate) Vec<(String, Box<RawValue>)>);

impl Members {
    pub(crate) fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// The object with one text changed.
    pub(crate) fn with(&self, key: &str, text: &str) -> String {
        let member = |(name, value): &(String, Box<RawValue>)| {
            let text = if name == key { Value::from(text).to_string() } else { value.get().to_owned() };
            format!("{}:{text}", Value::from(name.as_str()))
        };
        format!("{{{}}}", self.0.iter().map(member).collect::<Vec<_>>().join(","))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
