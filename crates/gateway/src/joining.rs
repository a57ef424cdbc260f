//! Servers that come and go while the gateway runs: from a configuration that changed, or by somebody's hand. Whichever
//! way one comes, what it declares is held.

use std::sync::{Arc, PoisonError};

use portcullis_detect::fingerprint::Fingerprint;
use portcullis_store::{Document, Draft, Kind, Status, StoreError};
use tracing::{info, warn};

use crate::GatewayError;
use crate::api::Added;
use crate::gate::Gate;
use crate::quarantine::Attached;
use crate::seal::Purpose;
use crate::session::now_us;
use crate::settings::{Server, ServerName};
use crate::upstream::Upstream;

/// The kind of documents that hold servers.
const KIND: &str = "server";

/// What a configuration that changed led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Servers that are used from now on.
    pub added: Vec<ServerName>,
    /// Servers that are no longer used.
    pub removed: Vec<ServerName>,
    /// Servers that are started or reached in another way.
    pub changed: Vec<ServerName>,
}

impl Gate {
    /// Begins to use a server, in the place of one of its name.
    pub(crate) fn add(self: &Arc<Self>, server: &Server) -> Result<(), GatewayError> {
        let upstream = self.take_in(server)?;
        self.hear_one(&upstream);
        self.catalogue.forget();
        self.note(server.name.as_str(), "used from now on")?;
        Ok(())
    }

    /// No longer uses a server; what was decided about it stays.
    pub(crate) fn remove(&self, name: &str) -> Result<(), StoreError> {
        let Some(upstream) = self.upstream(name) else { return Ok(()) };
        let mut roster = self.roster.write().unwrap_or_else(PoisonError::into_inner);
        *roster = Arc::new(roster.without(name));
        drop(roster);
        upstream.end();
        self.quarantine.detach(name);
        self.catalogue.forget();
        self.note(name, "no longer used")
    }

    /// Uses the servers of a configuration that changed: those that are as they were go on untouched.
    pub(crate) fn reload(self: &Arc<Self>, servers: Vec<Server>) -> Result<Reloaded, GatewayError> {
        let mut configured = self.configured.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reloaded = Reloaded::default();
        for old in configured.iter() {
            if !servers.iter().any(|new| new.name == old.name) {
                self.remove(old.name.as_str())?;
                reloaded.removed.push(old.name.clone());
            }
        }
        for new in &servers {
            let old = configured.iter().find(|old| old.name == new.name);
            if old.is_some_and(|old| old.is_same(new)) {
                continue;
            }
            self.add(new)?;
            let list = if old.is_some() { &mut reloaded.changed } else { &mut reloaded.added };
            list.push(new.name.clone());
        }
        *configured = servers;
        Ok(reloaded)
    }

    /// Keeps a server that somebody added, sealed: what is in it may be secret.
    pub(crate) fn keep(&self, added: &Added) -> Result<(), StoreError> {
        // INVARIANT: a struct of strings always becomes JSON.
        let text = serde_json::to_string(added).unwrap_or_default();
        let no_random = || StoreError::Stopped("no random numbers".to_owned());
        let sealed = self.seal.seal(Purpose::Server, text.as_bytes()).ok_or_else(no_random)?;
        let json = serde_json::Value::from(sealed).to_string();
        let document = Document { kind: KIND.to_owned(), name: added.name.clone(), json };
        self.settings.store.registry().put_document(&document)
    }

    /// Removes a server that somebody added; `false` if nobody did.
    pub(crate) fn unkeep(&self, name: &str) -> Result<bool, StoreError> {
        let was_kept = self.settings.store.registry().remove_document(KIND, name)?;
        if was_kept {
            self.remove(name)?;
        }
        Ok(was_kept)
    }

    /// Whether there are servers that somebody added. What cannot be known is taken for yes.
    pub(crate) fn keeps_any(&self) -> bool {
        !self.settings.store.registry().documents(KIND).is_ok_and(|kept| kept.is_empty())
    }

    /// Uses the servers that were added before. One of the configuration's name gives way to it.
    pub(crate) fn take_kept(&self) -> Result<(), GatewayError> {
        for document in self.settings.store.registry().documents(KIND)? {
            let sealed: Option<String> = serde_json::from_str(&document.json).ok();
            let opened = sealed.and_then(|sealed| self.seal.open(Purpose::Server, &sealed));
            let added: Option<Added> = opened.and_then(|text| serde_json::from_slice(&text).ok());
            let Some(server) = added.and_then(|added| added.server(&self.settings.networks).ok()) else {
                warn!(
                    server = document.name,
                    "a server that was added before cannot be read: the seal key is another"
                );
                continue;
            };
            if self.upstream(server.name.as_str()).is_none() {
                self.take_in(&server)?;
            }
        }
        Ok(())
    }

    /// How a server that is used now was launched.
    pub(crate) fn launched(&self, name: &str) -> Option<Fingerprint> {
        self.upstream(name).map(|upstream| upstream.launch)
    }

    /// Uses a server for one client, beside those of its name that are launched alike; one of them stands for all in
    /// lists.
    pub(crate) fn take_beside(&self, server: &Server) -> Result<Arc<Upstream>, GatewayError> {
        let mut wrapped = self.wrapped.lock().unwrap_or_else(PoisonError::into_inner);
        let upstream = match self.upstream(server.name.as_str()) {
            // A client's own process is nobody else's.
            Some(_) => Arc::new(Upstream::new(server, &self.settings.means(), None)?),
            None => self.take_in(server)?,
        };
        wrapped.push(Arc::clone(&upstream));
        Ok(upstream)
    }

    /// A server's only client left. If it stood for all that are launched alike, the next of them does.
    pub(crate) fn leave(&self, upstream: &Arc<Upstream>) {
        let name = upstream.name.as_str();
        let mut wrapped = self.wrapped.lock().unwrap_or_else(PoisonError::into_inner);
        wrapped.retain(|one| !Arc::ptr_eq(one, upstream));
        if !self.upstream(name).is_some_and(|listed| Arc::ptr_eq(&listed, upstream)) {
            return;
        }
        if let Some(next) = wrapped.iter().find(|one| one.name == upstream.name) {
            let mut roster = self.roster.write().unwrap_or_else(PoisonError::into_inner);
            *roster = Arc::new(roster.with(Arc::clone(next)));
            drop(roster);
            self.catalogue.forget();
        } else if let Err(why) = self.remove(name) {
            warn!(server = name, %why, "that a server is no longer used cannot be recorded");
        }
    }

    fn take_in(&self, server: &Server) -> Result<Arc<Upstream>, GatewayError> {
        let upstream = Upstream::new(server, &self.settings.means(), self.nodes.as_ref())?;
        let upstream = Arc::new(upstream);
        let name = server.name.as_str();
        self.quarantine.attach(&[Attached { name, launch: server.launch(), trust: server.trust }])?;
        let mut roster = self.roster.write().unwrap_or_else(PoisonError::into_inner);
        let replaced = roster.get(name).cloned();
        *roster = Arc::new(roster.with(Arc::clone(&upstream)));
        drop(roster);
        if let Some(replaced) = replaced {
            replaced.end();
        }
        Ok(upstream)
    }

    /// Somebody will want to know when a server came or went.
    fn note(&self, name: &str, what: &str) -> Result<(), StoreError> {
        info!(server = name, what, "the servers changed");
        self.happening.tell("servers", name, || serde_json::json!(what));
        let draft = Draft {
            server: name,
            note: Some(what),
            ..Draft::new(Kind::ServerChange, Status::Noted, now_us())
        };
        self.settings.store.append(&draft).map(drop)
    }
}
