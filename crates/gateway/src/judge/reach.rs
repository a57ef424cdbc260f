//! What the exposed tools can do together: whether private data, untrusted content and a way out meet.

use std::sync::{Arc, Mutex, PoisonError};

use portcullis_decide::posture::{Member, posture};
use portcullis_detect::Kind;
use portcullis_detect::call::ToolProfile;
use portcullis_detect::json::Json;
use portcullis_report::posture::PostureReport;

use super::{Bench, Judge};
use crate::quarantine::Quarantine;
use crate::settings::ServerName;

impl Judge {
    /// The posture of the tools of these servers that agents may call now.
    pub(crate) fn posture<'a>(
        &self,
        quarantine: &Quarantine,
        servers: impl Iterator<Item = &'a ServerName>,
    ) -> Arc<PostureReport> {
        let bench = self.bench();
        let servers: Vec<ServerName> = servers.cloned().collect();
        let version = quarantine.picture().version;
        let mut kept = self.reach.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |one: &&Reach| {
            one.version == version && Arc::ptr_eq(&one.bench, &bench) && one.servers == servers
        };
        if let Some(reach) = kept.as_ref().filter(is_same) {
            return Arc::clone(&reach.report);
        }
        let mut tools: Vec<(&str, String, Arc<ToolProfile>)> = Vec::new();
        for server in &servers {
            for tool in exposed(quarantine, server.as_str()) {
                let profile = self.profile(&bench, quarantine, (server.as_str(), &tool), &Json::Null);
                tools.push((server.as_str(), tool, profile));
            }
        }
        let members: Vec<Member<'_>> =
            tools.iter().map(|(server, tool, profile)| Member::of(server, tool, profile)).collect();
        let report = Arc::new(PostureReport::of(&members, &posture(&members)));
        let found = Arc::clone(&report);
        *kept = Some(Reach { version, bench, servers, report });
        found
    }
}

/// What was last found, until anything it depends on is another.
#[derive(Default)]
pub(super) struct Kept(Mutex<Option<Reach>>);

struct Reach {
    /// The version of what is approved.
    version: u64,
    bench: Arc<Bench>,
    servers: Vec<ServerName>,
    report: Arc<PostureReport>,
}

/// The tools of a server that agents may call.
fn exposed(quarantine: &Quarantine, server: &str) -> Vec<String> {
    let picture = quarantine.picture();
    let Some(known) = picture.server(server) else { return Vec::new() };
    let items = known.items.get(&Kind::Tool).into_iter().flat_map(|items| items.values());
    let open = items.filter(|item| known.hold(item, quarantine.settings()).is_none());
    open.map(|item| item.name.name.as_str().to_owned()).collect()
}
