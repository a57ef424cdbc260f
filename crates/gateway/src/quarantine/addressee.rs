//! What a request is addressed to, and whether that is exposed.

use std::borrow::Cow;
use std::sync::Arc;

use portcullis_decide::Standing;
use portcullis_decide::approval::Hold;
use portcullis_decide::approval::server::ServerHold;
use portcullis_detect::Kind;

use super::{Quarantine, reading};
use crate::gate::Gate;
use crate::upstream::Upstream;
use crate::wire::{Fault, Field, Kind as MessageKind, Message};

/// What a request is addressed to.
enum Addressee<'a> {
    /// The server itself.
    Server,
    /// Something that has a name.
    Named(Kind, Cow<'a, str>),
    /// A resource, listed or made from a template.
    Resource(Cow<'a, str>),
}

impl Addressee<'_> {
    fn of(message: &Message) -> Addressee<'_> {
        if message.kind() != MessageKind::Request {
            return Addressee::Server;
        }
        match &*message.method() {
            "tools/call" => Addressee::Named(Kind::Tool, message.text(Field::Name).unwrap_or_default()),
            "prompts/get" => Addressee::Named(Kind::Prompt, message.text(Field::Name).unwrap_or_default()),
            "resources/read" | "resources/subscribe" => {
                Addressee::Resource(message.text(Field::Uri).unwrap_or_default())
            }
            "completion/complete" => {
                let reference = message.value(Field::Reference).unwrap_or_default();
                let text = |key: &str| reference[key].as_str().map(|text| Cow::Owned(text.to_owned()));
                match text("uri") {
                    Some(uri) => Addressee::Resource(uri),
                    None => Addressee::Named(Kind::Prompt, text("name").unwrap_or_default()),
                }
            }
            _ => Addressee::Server,
        }
    }
}

/// Where the addressee of a message stands. A server whose definitions are not known, or no longer, is read first.
pub(crate) async fn standing(
    gate: &Arc<Gate>,
    upstream: &Arc<Upstream>,
    message: &Message,
) -> Result<Standing, Fault> {
    let server = upstream.name.as_str();
    let hold = gate.quarantine.server_hold(server);
    let addressee = Addressee::of(message);
    match (&addressee, hold) {
        // Not even started: what would run is not what was confirmed.
        (_, Some(hold @ ServerHold::LaunchChanged))
        | (Addressee::Named(..) | Addressee::Resource(_), Some(hold)) => {
            return Ok(Standing::Held(Hold::Server(hold)));
        }
        (Addressee::Server, _) => return Ok(Standing::Exposed),
        (_, None) => {}
    }
    match reading::known(gate, upstream) {
        Some(known) => known?,
        None => Box::pin(reading::fresh(gate, upstream)).await?,
    }
    Ok(match addressee {
        Addressee::Server => Standing::Exposed,
        Addressee::Named(kind, name) => gate.quarantine.standing(server, kind, &name),
        Addressee::Resource(uri) => gate.quarantine.resource_standing(server, &uri),
    })
}

impl Quarantine {
    /// Where a resource stands. One that no list names is as its template is, the one with the longest fixed beginning.
    fn resource_standing(&self, server: &str, uri: &str) -> Standing {
        let listed = self.standing(server, Kind::Resource, uri);
        if listed != Standing::Unknown {
            return listed;
        }
        let beginning = |template: &str| template.split('{').next().unwrap_or_default().len();
        let picture = self.picture();
        let templates = picture.server(server).and_then(|known| known.items.get(&Kind::ResourceTemplate));
        let fitting = templates
            .into_iter()
            .flat_map(|templates| templates.keys())
            .filter(|template| {
                ***template == *uri || uri.starts_with(template.split('{').next().unwrap_or_default())
            })
            .max_by_key(|template| beginning(template))
            .cloned();
        drop(picture);
        fitting.map_or(Standing::Exposed, |template| self.standing(server, Kind::ResourceTemplate, &template))
    }
}
