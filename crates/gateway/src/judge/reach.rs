//! What the exposed tools can do together: whether private data, untrusted content and a way out meet.

use std::sync::Arc;

use portcullis_decide::posture::{Member, posture};
use portcullis_detect::Kind;
use portcullis_detect::call::ToolProfile;
use portcullis_detect::json::Json;
use portcullis_report::posture::PostureReport;

use super::Judge;
use crate::quarantine::Quarantine;
use crate::settings::ServerName;

impl Judge {
    /// The posture of the tools of these servers that agents may call now.
    pub(crate) fn posture<'a>(
        &self,
        quarantine: &Quarantine,
        servers: impl Iterator<Item = &'a ServerName>,
    ) -> PostureReport {
        let bench = self.bench();
        let mut tools: Vec<(String, String, Arc<ToolProfile>)> = Vec::new();
        for server in servers {
            for tool in exposed(quarantine, server.as_str()) {
                let profile = self.profile(&bench, quarantine, (server.as_str(), &tool), &Json::Null);
                tools.push((server.as_str().to_owned(), tool, profile));
            }
        }
        let members: Vec<Member<'_>> =
            tools.iter().map(|(server, tool, profile)| Member::of(server, tool, profile)).collect();
        PostureReport::of(&members, &posture(&members))
    }
}

/// The tools of a server that agents may call.
fn exposed(quarantine: &Quarantine, server: &str) -> Vec<String> {
    let picture = quarantine.picture();
    let Some(known) = picture.server(server) else { return Vec::new() };
    let items = known.items.get(&Kind::Tool).into_iter().flat_map(|items| items.values());
    let open = items.filter(|item| known.hold(item, quarantine.settings()).is_none());
    open.map(|item| item.name.name.as_str().to_owned()).collect()
}
