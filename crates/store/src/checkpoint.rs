//! Checkpoints: the head of the chain, signed, in a file of their own; copied elsewhere they hold the past in place.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

use crate::StoreError;
use crate::directory::private_options;
use crate::error::At;
use crate::keys::{self, CheckpointKey, Hash};

/// A checkpoint after so many records.
pub(crate) const EVERY_RECORDS: u64 = 1_000;
/// A checkpoint after so long, if anything was recorded.
pub(crate) const EVERY_SECONDS: u64 = 60;

/// One signed head, as it is stored: one JSON object a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    #[serde(rename = "v")]
    version: u8,
    /// Which log it is about.
    pub writer: String,
    /// The last record it covers.
    pub seq: u64,
    /// The hash of that record.
    pub hash: String,
    /// The public key it is signed with.
    pub key: String,
    signature: String,
}

impl Checkpoint {
    pub(crate) fn signed(key: &CheckpointKey, writer: &str, seq: u64, hash: &Hash) -> Checkpoint {
        let hash = HEXLOWER.encode(hash);
        let signature = key.sign(message(writer, seq, &hash).as_bytes());
        Checkpoint { version: 1, writer: writer.to_owned(), seq, hash, key: key.public(), signature }
    }

    /// Whether the signature fits what is said.
    pub fn is_genuine(&self) -> bool {
        keys::is_signed(&self.key, message(&self.writer, self.seq, &self.hash).as_bytes(), &self.signature)
    }
}

fn message(writer: &str, seq: u64, hash: &str) -> String {
    format!("portcullis checkpoint 1\n{writer}\n{seq}\n{hash}\n")
}

/// The file checkpoints are added to.
pub(crate) struct CheckpointFile {
    path: PathBuf,
}

impl CheckpointFile {
    pub(crate) fn new(path: &Path) -> CheckpointFile {
        CheckpointFile { path: path.to_path_buf() }
    }

    /// What is in the file; it need not be text any more.
    fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            bytes => bytes.at(&self.path),
        }
    }

    /// Cuts off a line that a crash left unfinished, before more are added.
    pub(crate) fn mend(&self) -> Result<(), StoreError> {
        let bytes = self.bytes()?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            let file = private_options().write(true).open(&self.path).at(&self.path)?;
            file.set_len(whole as u64).at(&self.path)?;
        }
        Ok(())
    }

    /// Adds checkpoints to the end; they last from then on.
    pub(crate) fn add(&self, checkpoints: &[Checkpoint]) -> Result<(), StoreError> {
        let mut lines = String::new();
        for checkpoint in checkpoints {
            // INVARIANT: a struct of strings and numbers always becomes JSON.
            lines.push_str(&serde_json::to_string(checkpoint).unwrap_or_default());
            lines.push('\n');
        }
        let mut file = private_options().append(true).create(true).open(&self.path).at(&self.path)?;
        file.write_all(lines.as_bytes()).and_then(|()| file.sync_data()).at(&self.path)
    }

    /// All checkpoints in order, and whether a line in between was none; only the last may be cut short.
    pub(crate) fn read(&self) -> Result<(Vec<Checkpoint>, bool), StoreError> {
        let bytes = self.bytes()?;
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines: Vec<_> = whole.lines().filter(|line| !line.is_empty()).collect();
        let read: Vec<Checkpoint> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let is_damaged = read.len() != lines.len();
        Ok((read, is_damaged))
    }
}
