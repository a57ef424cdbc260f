//! What all servers declare, filtered and page by page: the reviewer's list.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use portcullis_decide::approval::State;
use portcullis_detect::Kind;
use portcullis_store::Item;
use serde_json::{Value, json};

use super::activity::number;
use super::definitions::{requested, shown};
use super::route::kind;
use super::{Answer, Asked, Refused, data, stored};
use crate::gate::Gate;
use crate::quarantine::{KINDS, Known};
use crate::review::request::Requests;

/// Definitions in one answer.
const USUAL: usize = 100;
const MOST: usize = 1000;

/// What is wanted of the list.
struct Wanted {
    server: Option<String>,
    kind: Option<Kind>,
    state: Option<State>,
    is_held: bool,
    part: String,
    after: Option<Place>,
    limit: usize,
}

/// Where a definition stands in the list: servers by name, kinds in their order, definitions by name.
struct Place {
    server: String,
    kind: usize,
    name: String,
}

/// `GET /definitions`.
pub(super) async fn list(gate: &Arc<Gate>, asked: Asked) -> Result<Answer, Refused> {
    let (wanted, gate) = (Wanted::read(&asked)?, Arc::clone(gate));
    stored(move || {
        let requests = Requests::read(&gate)?;
        let picture = gate.quarantine.picture();
        let first = match (&wanted.server, &wanted.after) {
            (Some(server), _) => server.as_str(),
            (None, Some(after)) => &after.server,
            (None, None) => "",
        };
        let mut items: Vec<Value> = Vec::new();
        let mut last = None;
        let from = (Bound::Included(first), Bound::Unbounded);
        for (server, known) in picture.servers.range::<str, _>(from) {
            if wanted.server.as_ref().is_some_and(|wanted| **wanted != **server) || items.len() > wanted.limit
            {
                break;
            }
            for item in wanted.of(server, known) {
                let hold = known.hold(item, gate.quarantine.settings());
                if (wanted.is_held && (hold.is_none() || !item.record.is_present))
                    || items.len() > wanted.limit
                {
                    continue;
                }
                if items.len() < wanted.limit {
                    last = Some(item);
                }
                let mut value = shown(item, hold.as_ref());
                value["requested"] = hold.and_then(|_| requests.of(item)).map(requested).into();
                items.push(value);
            }
        }
        let next = last.filter(|_| items.len() > wanted.limit).map(place);
        items.truncate(wanted.limit);
        data(json!({ "items": items, "next_after": next }))
    })
    .await
}

impl Wanted {
    fn read(asked: &Asked) -> Result<Wanted, Refused> {
        let query = asked.query(&["server", "kind", "state", "held", "q", "after", "limit"])?;
        let text = |key: &str| query.get(key).filter(|text| !text.is_empty()).cloned();
        let unknown = |what: &str| Refused::bad(format!("`{what}` is not one of the words there are for it"));
        let word = |word: String| State::ALL.into_iter().find(|state| state.as_str() == word);
        Ok(Wanted {
            server: text("server"),
            kind: text("kind").map(|word| kind(&word).ok_or_else(|| unknown("kind"))).transpose()?,
            state: text("state").map(|text| word(text).ok_or_else(|| unknown("state"))).transpose()?,
            is_held: flag(&query, "held")?,
            part: text("q").unwrap_or_default(),
            after: text("after")
                .map(|text| Place::read(&text).ok_or_else(|| unknown("after")))
                .transpose()?,
            limit: number(&query, "limit")?.unwrap_or(USUAL).clamp(1, MOST),
        })
    }

    /// What of a server fits, but for whether it is held, in the order of the list.
    fn of<'a>(&'a self, server: &str, known: &'a Known) -> impl Iterator<Item = &'a Item> {
        let after = self.after.as_ref().filter(|after| after.server == server);
        let kinds = KINDS.into_iter().enumerate();
        let kinds = kinds.filter(move |(index, kind)| {
            self.kind.is_none_or(|wanted| wanted == *kind) && after.is_none_or(|after| *index >= after.kind)
        });
        let items = kinds.flat_map(move |(index, kind)| {
            let from = match after.filter(|after| after.kind == index) {
                Some(after) => Bound::Excluded(after.name.as_str()),
                None => Bound::Unbounded,
            };
            let items = known.items.get(&kind).into_iter();
            items.flat_map(move |items| items.range::<str, _>((from, Bound::Unbounded)).map(|(_, item)| item))
        });
        items.filter(move |item| {
            self.state.is_none_or(|state| item.record.state == state) && item.name.name.contains(&self.part)
        })
    }
}

impl Place {
    /// A server's name has no slash, and neither has a number.
    fn read(text: &str) -> Option<Place> {
        let (server, rest) = text.split_once('/')?;
        let (kind, name) = rest.split_once('/')?;
        Some(Place { server: server.to_owned(), kind: kind.parse().ok()?, name: name.to_owned() })
    }
}

/// How the place of a definition is named.
fn place(item: &Item) -> String {
    let kind = KINDS.into_iter().position(|kind| kind == item.name.kind).unwrap_or_default();
    format!("{}/{kind}/{}", item.name.server, item.name.name)
}

fn flag(query: &BTreeMap<&'static str, String>, key: &str) -> Result<bool, Refused> {
    match query.get(key).map(String::as_str) {
        None | Some("" | "false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Refused::bad(format!("`{key}` is true or false"))),
    }
}
