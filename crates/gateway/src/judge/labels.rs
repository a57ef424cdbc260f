//! What a tool can do and why the guard thinks so, for a reviewer.

use portcullis_detect::Kind;
use portcullis_detect::call::{Label, LabelOrigin};
use portcullis_detect::json::Json;
use portcullis_store::ItemName;
use serde_json::{Value, json};

use super::Judge;
use crate::quarantine::Quarantine;

impl Judge {
    /// The labels of a tool; other definitions have none.
    pub(crate) fn labels(&self, quarantine: &Quarantine, name: &ItemName) -> Vec<Value> {
        if name.kind != Kind::Tool {
            return Vec::new();
        }
        let bench = self.bench();
        let profile = self.profile(&bench, quarantine, (&name.server, &name.name), &Json::Null);
        let label = |(label, origin): &(Label, LabelOrigin)| json!({ "label": label.as_str(), "because": origin.to_string() });
        profile.labels().iter().map(label).collect()
    }
}
