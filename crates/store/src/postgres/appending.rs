//! A record on its way into the database: whoever needs it there waits as a task, and no thread stands still for it.

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::thread::{LONGEST_WAIT, ended, late};
use crate::StoreError;

/// A record that was handed over to be written. It is written whether or not anybody waits for it.
#[must_use = "what it records may only be done once it has arrived"]
pub struct Appending {
    pub(super) place: String,
    pub(super) outcome: oneshot::Receiver<Result<u64, StoreError>>,
}

impl Appending {
    /// Returns its number when the database has acknowledged it, or why that cannot be known in time.
    pub async fn arrived(self) -> Result<u64, StoreError> {
        match timeout(LONGEST_WAIT, self.outcome).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(ended()),
            Err(_) => Err(late(&self.place)),
        }
    }
}
