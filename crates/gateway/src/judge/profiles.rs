//! What each tool can do, inferred once from what its server declares.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use portcullis_detect::call::{Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::{Definition, Kind};

use crate::quarantine::Quarantine;

/// Tools whose profiles are kept; if there are more, all are inferred anew.
const MOST: usize = 1 << 17;

/// The profiles of all tools that were called, by server.
#[derive(Default)]
pub(super) struct Profiles(Mutex<HashMap<Box<str>, OfServer>>);

/// Those of one server, by tool.
type OfServer = HashMap<Box<str>, Inferred>;

/// A profile, and the fingerprint of what it was inferred from.
struct Inferred {
    from: [u8; 32],
    profile: Arc<ToolProfile>,
}

impl Profiles {
    /// All are inferred anew: the operator may say something else about them now.
    pub(super) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The profile of a tool: of its definition if the gate knows it, else of the call alone.
    pub(super) fn get(
        &self,
        quarantine: &Quarantine,
        (server, tool): (&str, &str),
        arguments: &Json,
        said: &Override,
    ) -> Arc<ToolProfile> {
        let picture = quarantine.picture();
        let Some(item) = picture.server(server).and_then(|known| known.item(Kind::Tool, tool)) else {
            return Arc::new(of_call(tool, arguments, said));
        };
        let seen = *item.record.seen.as_bytes();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inferred) = known.get(server).and_then(|tools| tools.get(tool))
            && inferred.from == seen
        {
            return Arc::clone(&inferred.profile);
        }
        let profile = match Definition::parse(server, Kind::Tool, &item.current) {
            Ok(definition) => ToolProfile::of(&definition, said),
            Err(_) => of_call(tool, arguments, said),
        };
        let profile = Arc::new(profile);
        if known.values().map(OfServer::len).sum::<usize>() >= MOST {
            known.clear();
        }
        let inferred = Inferred { from: seen, profile: Arc::clone(&profile) };
        known.entry(Box::from(server)).or_default().insert(Box::from(tool), inferred);
        profile
    }
}

fn of_call(tool: &str, arguments: &Json, said: &Override) -> ToolProfile {
    let names: Vec<&str> = arguments.members().iter().map(|(name, _)| &**name).collect();
    ToolProfile::of_call(tool, &names, said)
}
