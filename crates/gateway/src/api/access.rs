//! Who may do what: roles, and the tokens that carry them. Tokens are kept as hashes only.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use portcullis_store::{Document, Store, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::quarantine::now_ms;

/// What stands before every token, so that one is recognised where it should not be.
const PREFIX: &str = "pcl_";
/// The kind of their documents.
const KIND: &str = "token";
/// How long what was read of them is believed; a token that was revoked on another node works no longer.
const FRESH: Duration = Duration::from_secs(1);

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Calls tools, and opens nothing else.
    Agent,
    /// Reads servers and findings.
    Viewer,
    /// Reads activity too.
    Auditor,
    /// Approves and decides too.
    Operator,
    /// Changes tokens and servers too.
    Admin,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 5] = [Role::Agent, Role::Viewer, Role::Auditor, Role::Operator, Role::Admin];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Agent => "agent",
            Role::Viewer => "viewer",
            Role::Auditor => "auditor",
            Role::Operator => "operator",
            Role::Admin => "admin",
        }
    }

    /// The role a word names.
    pub fn named(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.as_str() == word)
    }

    /// Whether it is enough where `needed` is asked for. An agent is no lesser viewer: it may do something else.
    pub fn may(self, needed: Role) -> bool {
        let rank = |role: Role| Role::ALL.iter().position(|one| *one == role);
        match (self, needed) {
            (Role::Agent, needed) => needed == Role::Agent,
            (_, Role::Agent) => false,
            (own, needed) => rank(own) >= rank(needed),
        }
    }
}

/// Somebody who showed a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// What the token is called.
    pub name: Box<str>,
    /// What it opens.
    pub role: Role,
    /// Whether it is the owner of this machine, who needs no token.
    pub is_owner: bool,
}

/// A token as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// What it is called in lists and when it is revoked.
    #[serde(skip)]
    pub id: String,
    /// Whose it is, or what for.
    pub name: String,
    /// What it opens.
    pub role: Role,
    /// SHA-256 of it.
    hash: String,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When it ends, in milliseconds since 1970.
    pub expires: Option<u64>,
    /// Set for a browser that is signed in: the id of the token that was shown, or nothing for a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_with: Option<String>,
}

impl Token {
    fn principal(&self) -> Principal {
        Principal { name: self.name.as_str().into(), role: self.role, is_owner: false }
    }
}

/// The tokens of a store.
pub struct Tokens {
    store: Arc<dyn Store>,
    known: Mutex<Option<(Instant, Arc<[Token]>)>>,
}

impl Tokens {
    /// The tokens that are kept in a store.
    pub fn new(store: Arc<dyn Store>) -> Tokens {
        Tokens { store, known: Mutex::default() }
    }

    /// All of them.
    pub fn all(&self) -> Result<Arc<[Token]>, StoreError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, tokens)) = &*known
            && since.elapsed() < FRESH
        {
            return Ok(Arc::clone(tokens));
        }
        let read = |document: Document| {
            let token: Token = serde_json::from_str(&document.json).ok()?;
            Some(Token { id: document.name, ..token })
        };
        let tokens: Arc<[Token]> =
            self.store.registry().documents(KIND)?.into_iter().filter_map(read).collect();
        *known = Some((Instant::now(), Arc::clone(&tokens)));
        Ok(tokens)
    }

    /// Makes a token and returns it with the text, which is not kept and never shown again.
    pub fn create(
        &self,
        name: &str,
        role: Role,
        expires: Option<u64>,
    ) -> Result<(Token, String), StoreError> {
        self.keep(name, role, expires, None)
    }

    /// Signs a browser in: what it shows from now on is a token of its own, which opens no API and ends with the one
    /// that was shown.
    pub(crate) fn sign_in(
        &self,
        who: &Principal,
        with: &str,
        expires: u64,
    ) -> Result<(Token, String), StoreError> {
        let now = now_ms();
        for over in self.all()?.iter().filter(|token| token.signed_in_with.is_some()) {
            if over.expires.is_some_and(|expires| expires <= now) {
                self.revoke(&over.id)?;
            }
        }
        self.keep(&who.name, who.role, Some(expires), Some(with.to_owned()))
    }

    fn keep(
        &self,
        name: &str,
        role: Role,
        expires: Option<u64>,
        signed_in_with: Option<String>,
    ) -> Result<(Token, String), StoreError> {
        let mut bytes = [0; 36];
        getrandom::fill(&mut bytes)
            .map_err(|error| StoreError::Stopped(format!("no random numbers: {error}")))?;
        let (secret, id) = bytes.split_at(32);
        let text = format!("{PREFIX}{}", BASE64URL_NOPAD.encode(secret));
        let id = HEXLOWER.encode(id);
        let (name, hash, created) = (name.to_owned(), hash(&text), now_ms());
        let token = Token { id, name, role, hash, created, expires, signed_in_with };
        // INVARIANT: a struct of strings and numbers always becomes JSON.
        let json = serde_json::to_string(&token).unwrap_or_default();
        self.store.registry().put_document(&Document { kind: KIND.into(), name: token.id.clone(), json })?;
        self.forget();
        Ok((token, text))
    }

    /// Revokes a token; `false` if there is none.
    pub fn revoke(&self, id: &str) -> Result<bool, StoreError> {
        let was_there = self.store.registry().remove_document(KIND, id)?;
        self.forget();
        Ok(was_there)
    }

    /// Whose token this is. A browser's is none here: it comes in by its own door.
    pub fn principal(&self, shown: &str) -> Result<Option<Principal>, StoreError> {
        let token = self.token(shown)?.filter(|token| token.signed_in_with.is_none());
        Ok(token.map(|token| token.principal()))
    }

    /// Who is signed in with this browser, and under which id, as long as the token that was shown is one.
    pub(crate) fn signed_in(&self, shown: &str) -> Result<Option<(Principal, String)>, StoreError> {
        let Some(token) = self.token(shown)? else { return Ok(None) };
        let Some(with) = token.signed_in_with.as_deref() else { return Ok(None) };
        let now = now_ms();
        let is_one = |one: &Token| one.id == with && one.expires.is_none_or(|expires| now < expires);
        let holds = with.is_empty() || self.all()?.iter().any(is_one);
        Ok(holds.then(|| (token.principal(), token.id.clone())))
    }

    /// The token of this text. Hashes are compared, each of them, so that the time it takes says nothing about a token.
    pub(crate) fn token(&self, shown: &str) -> Result<Option<Token>, StoreError> {
        let (shown, now) = (hash(shown), now_ms());
        let find = |tokens: &[Token]| {
            let mut found = None;
            for token in tokens {
                let is_it = token.hash == shown;
                if is_it && token.expires.is_none_or(|expires| now < expires) {
                    found = Some(token.clone());
                }
            }
            found
        };
        if let Some(found) = find(&self.all()?) {
            return Ok(Some(found));
        }
        // It may have been made just now, on another node.
        self.forget();
        Ok(find(&self.all()?))
    }

    fn forget(&self) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn hash(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_opens_what_the_lesser_ones_do_but_an_agent_only_its_own() {
        let opened = |role: Role| Role::ALL.into_iter().filter(|needed| role.may(*needed)).count();
        assert_eq!(Role::ALL.map(opened), [1, 1, 2, 3, 4]);
        assert!(!Role::Admin.may(Role::Agent) && !Role::Agent.may(Role::Viewer));
    }
}
