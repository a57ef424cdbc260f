//! What all servers offer as one: names with the server before them, in the order of the settings, the same for everybody.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::JoinSet;
use tracing::warn;

use crate::upstream::Upstream;
use crate::wire::{Fault, Field, Kind as MessageKind, Message};

/// Names longer than this are cut: some clients take no longer ones.
const LONGEST_NAME: usize = 64;
/// How long a list is taken to be true without news of a change.
const FRESH: Duration = Duration::from_secs(5);
/// How long one server may take; the others' lists do not wait for it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pages of one list.
const MOST_PAGES: usize = 100;

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl Kind {
    /// The kind a method lists.
    pub(crate) fn listed_by(method: &str) -> Option<Kind> {
        [Kind::Tools, Kind::Prompts, Kind::Resources, Kind::Templates]
            .into_iter()
            .find(|kind| kind.method() == method)
    }

    fn method(self) -> &'static str {
        match self {
            Kind::Tools => "tools/list",
            Kind::Prompts => "prompts/list",
            Kind::Resources => "resources/list",
            Kind::Templates => "resources/templates/list",
        }
    }

    /// The member of the result that holds the list.
    pub(crate) fn member(self) -> &'static str {
        match self {
            Kind::Tools => "tools",
            Kind::Prompts => "prompts",
            Kind::Resources => "resources",
            Kind::Templates => "resourceTemplates",
        }
    }

    fn capability(self) -> &'static str {
        match self {
            Kind::Tools => "tools",
            Kind::Prompts => "prompts",
            Kind::Resources | Kind::Templates => "resources",
        }
    }

    /// The member that names an entry.
    fn key(self) -> &'static str {
        match self {
            Kind::Tools | Kind::Prompts => "name",
            Kind::Resources => "uri",
            Kind::Templates => "uriTemplate",
        }
    }

    fn is_prefixed(self) -> bool {
        matches!(self, Kind::Tools | Kind::Prompts)
    }
}

/// Where a name leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Which server, by its place in the settings.
    pub(crate) server: usize,
    /// What it is called there.
    pub(crate) name: String,
}

/// A list of everything of one kind.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The entries as they are told.
    pub(crate) entries: Vec<Bytes>,
    /// In the order of the entries.
    owners: Vec<(String, Owner)>,
    by_name: HashMap<String, usize>,
}

impl Listing {
    pub(crate) fn owner(&self, name: &str) -> Option<&Owner> {
        self.by_name.get(name).and_then(|index| self.owners.get(*index)).map(|(_, owner)| owner)
    }

    /// The server whose template fits an address: the one with the longest fixed beginning.
    pub(crate) fn fitting(&self, uri: &str) -> Option<&Owner> {
        let beginning = |template: &str| template.split('{').next().unwrap_or_default().len();
        let fits = |(template, _): &&(String, Owner)| {
            uri.starts_with(template.split('{').next().unwrap_or_default())
        };
        self.owners
            .iter()
            .filter(fits)
            .max_by_key(|(template, _)| beginning(template))
            .map(|(_, owner)| owner)
    }

    /// The list as the result of a request, with these members before it.
    pub(crate) fn result(&self, kind: Kind, before: &str) -> Bytes {
        let mut text = format!("{{{before}\"{}\":[", kind.member()).into_bytes();
        for (index, entry) in self.entries.iter().enumerate() {
            if index > 0 {
                text.push(b',');
            }
            text.extend_from_slice(entry);
        }
        text.extend_from_slice(b"]}");
        Bytes::from(text)
    }

    fn add(&mut self, kind: Kind, server: usize, prefix: &str, raw: &RawValue) {
        let Ok(members) = serde_json::from_str::<Members>(raw.get()) else { return };
        let Some(name) = members.text(kind.key()) else { return };
        let exposed = if kind.is_prefixed() { exposed(prefix, &name) } else { name.clone() };
        // Two servers with one address: the first in the settings has it.
        if self.by_name.contains_key(&exposed) {
            return;
        }
        let entry =
            if kind.is_prefixed() { members.with(kind.key(), &exposed) } else { raw.get().to_owned() };
        self.by_name.insert(exposed.clone(), self.entries.len());
        self.owners.push((exposed, Owner { server, name }));
        self.entries.push(Bytes::from(entry));
    }
}

/// The name of a server's tool among those of all servers.
pub(crate) fn exposed(server: &str, name: &str) -> String {
    let full = format!("{server}__{name}");
    if full.chars().count() <= LONGEST_NAME {
        return full;
    }
    let digest = HEXLOWER.encode(Sha256::digest(full.as_bytes()).get(..4).unwrap_or_default());
    let kept: String = full.chars().take(LONGEST_NAME - digest.len() - 1).collect();
    format!("{kept}_{digest}")
}

/// What is known of all lists.
#[derive(Default)]
pub(crate) struct Catalogue {
    lists: Mutex<HashMap<&'static str, (Instant, Arc<Listing>)>>,
}

impl Catalogue {
    /// A server's list changed.
    pub(crate) fn forget(&self) {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Everything of one kind.
    pub(crate) async fn listing(&self, upstreams: &[Arc<Upstream>], kind: Kind) -> Arc<Listing> {
        let known = self.lists.lock().unwrap_or_else(PoisonError::into_inner).get(kind.method()).cloned();
        if let Some((_, listing)) = known.filter(|(since, _)| since.elapsed() < FRESH) {
            return listing;
        }
        let listing = Arc::new(gather(upstreams, kind).await);
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.insert(kind.method(), (Instant::now(), Arc::clone(&listing)));
        listing
    }
}

async fn gather(upstreams: &[Arc<Upstream>], kind: Kind) -> Listing {
    let mut asking = JoinSet::new();
    for (index, upstream) in upstreams.iter().enumerate() {
        let upstream = Arc::clone(upstream);
        asking.spawn(async move { (index, tokio::time::timeout(PATIENCE, pages(&upstream, kind)).await) });
    }
    let mut answers: Vec<Vec<Message>> = vec![Vec::new(); upstreams.len()];
    while let Some(Ok((index, outcome))) = asking.join_next().await {
        match outcome {
            Ok(Ok(pages)) => {
                if let Some(place) = answers.get_mut(index) {
                    *place = pages;
                }
            }
            // One server that is gone does not take the others with it.
            _ => warn!(
                server = upstreams.get(index).map(|one| one.name.as_str()),
                "a server's list is missing"
            ),
        }
    }
    let mut listing = Listing::default();
    for (index, (upstream, pages)) in upstreams.iter().zip(&answers).enumerate() {
        for page in pages {
            let raw = page.raw(Field::Result).unwrap_or_default();
            let Ok(members) = serde_json::from_slice::<Members>(raw) else { continue };
            let entries =
                members.get(kind.member()).map(|raw| serde_json::from_str::<Vec<Box<RawValue>>>(raw.get()));
            for entry in entries.and_then(Result::ok).unwrap_or_default() {
                listing.add(kind, index, upstream.name.as_str(), &entry);
            }
        }
    }
    listing
}

async fn pages(upstream: &Upstream, kind: Kind) -> Result<Vec<Message>, Fault> {
    let opening = upstream.opening().await?;
    let said: Value = serde_json::from_slice(&opening.result).unwrap_or_default();
    let mut pages = Vec::new();
    if said["capabilities"].get(kind.capability()).is_none() {
        return Ok(pages);
    }
    let mut params = json!({});
    while pages.len() < MOST_PAGES {
        let answer = upstream.ask(kind.method(), params).await?;
        if answer.kind() == MessageKind::Error {
            break;
        }
        if kind == Kind::Tools {
            upstream.learn(&answer);
        }
        let raw = answer.raw(Field::Result).unwrap_or_default();
        let cursor =
            serde_json::from_slice::<Members>(raw).ok().and_then(|members| members.text("nextCursor"));
        pages.push(answer);
        let Some(cursor) = cursor else { break };
        params = json!({ "cursor": cursor });
    }
    Ok(pages)
}

/// The members of an object in their order, each value as it is written.
struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// The object with one text changed.
    fn with(&self, key: &str, text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        assert_eq!(exposed("git", "commit"), "git__commit");
        let long = |last: &str| exposed("server", &format!("{}{last}", "x".repeat(80)));
        assert_eq!(long("a").chars().count(), 64);
        assert_ne!(long("a"), long("b"));
        assert_eq!(long("a"), long("a"));
    }

    #[test]
    fn an_entry_keeps_everything_but_its_name() {
        let raw =
            RawValue::from_string(r#"{"x-vendor":1.50,"name":"a","inputSchema":{"b":1e2}}"#.into()).unwrap();
        let mut listing = Listing::default();
        listing.add(Kind::Tools, 3, "srv", &raw);
        listing.add(Kind::Tools, 4, "srv", &raw);
        assert_eq!(listing.entries, [r#"{"x-vendor":1.50,"name":"srv__a","inputSchema":{"b":1e2}}"#]);
        assert_eq!(listing.owner("srv__a"), Some(&Owner { server: 3, name: "a".into() }));
        assert_eq!(listing.result(Kind::Tools, "\"ttlMs\":0,").slice(..18), r#"{"ttlMs":0,"tools":"#[..18]);
    }

    #[test]
    fn a_template_with_the_longest_beginning_fits() {
        let mut listing = Listing::default();
        for (server, template) in [(0, "file:///{path}"), (1, "file:///logs/{day}"), (2, "db://{table}")] {
            let raw = RawValue::from_string(json!({ "uriTemplate": template }).to_string()).unwrap();
            listing.add(Kind::Templates, server, "srv", &raw);
        }
        assert_eq!(listing.fitting("file:///logs/1").map(|owner| owner.server), Some(1));
        assert_eq!(listing.fitting("file:///x").map(|owner| owner.server), Some(0));
        assert_eq!(listing.fitting("http://x"), None);
    }
}
