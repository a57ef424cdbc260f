//! By which rules definitions were scanned. When a gateway comes with others, what is stored is scanned again before any
//! of it is exposed: a hard check that is new holds what was approved.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use data_encoding::HEXLOWER;
use portcullis_detect::RULES_VERSION;
use portcullis_store::{Document, Store, StoreError};
use sha2::{Digest, Sha256};

use super::{Quarantine, Rules};

/// The kind of documents that say by which rules a server was scanned.
const KIND: &str = "rules";

/// The servers that were last scanned by these rules.
pub(super) fn ruled(store: &dyn Store, rules: &Rules) -> Result<BTreeSet<Box<str>>, StoreError> {
    let print = print(rules);
    let documents = store.registry().documents(KIND)?.into_iter();
    Ok(documents.filter(|one| one.json == print).map(|one| one.name.into()).collect())
}

/// What stands for the rules: their version, the operator's own, and the findings that were accepted.
fn print(rules: &Rules) -> String {
    let mut digest = Sha256::new();
    digest.update(RULES_VERSION);
    if let Some(own) = &rules.own {
        digest.update(format!("\n{}", own.print));
    }
    for one in &rules.suppressions {
        digest.update(format!("\n{one:?}"));
    }
    serde_json::Value::from(HEXLOWER.encode(&digest.finalize())).to_string()
}

impl Quarantine {
    /// Whether what is stored of a server was scanned by these rules.
    pub(crate) fn is_ruled(&self, server: &str) -> bool {
        self.ruled.lock().unwrap_or_else(PoisonError::into_inner).contains(server)
    }

    /// Scans what is stored of a server again, if that was done by other rules.
    pub(super) fn rule(&self, server: &str) -> Result<(), StoreError> {
        if self.is_ruled(server) {
            return Ok(());
        }
        self.rescan_all(server)?;
        let (name, json) = (server.to_owned(), print(&self.rules));
        self.store.registry().put_document(&Document { kind: KIND.to_owned(), name, json })?;
        self.ruled.lock().unwrap_or_else(PoisonError::into_inner).insert(server.into());
        Ok(())
    }
}
