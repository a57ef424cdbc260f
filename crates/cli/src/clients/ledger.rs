//! What was changed in which file, so that it can be undone: the ledger and the backups, for their owner's eyes only.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::{hash, make_private_folder, write_private};
use super::rewrite::Rewrite;
use crate::document::Format;
use crate::exit::Failure;

/// The version of the ledger.
const SCHEMA: &str = "portcullis.clients/2";

/// The ledger in its folder.
pub(crate) struct Ledger {
    folder: PathBuf,
    written: Written,
    /// Held as long as we may write; a look needs none.
    _lock: Option<File>,
}

/// The ledger as it is written. It holds what stood in clients' files, secrets included.
#[derive(Deserialize, Serialize)]
struct Written {
    schema: String,
    files: Vec<Record>,
}

/// What was done to one file.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Record {
    pub(crate) file: String,
    /// The client's id.
    pub(crate) client: String,
    pub(crate) format: Format,
    /// The hash of the file without our changes, which is what the backup holds.
    pub(crate) before: String,
    /// The hash of the file as we left it.
    pub(crate) after: String,
    backup: String,
    pub(crate) entries: Vec<Rewrite>,
}

impl Ledger {
    /// Opens the ledger of a data directory to change it. Nobody else changes it meanwhile.
    pub(crate) fn open(data: &Path) -> Result<Ledger, Failure> {
        let folder = data.join("clients");
        let failure = |error| Failure::Create { path: folder.clone(), error };
        make_private_folder(&folder.join("backup")).map_err(failure)?;
        make_private_folder(&folder).map_err(failure)?;
        let lock = File::options().create(true).append(true).open(folder.join("lock")).map_err(failure)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Usage("another install or uninstall is at work; wait for it".into()));
            }
            Err(TryLockError::Error(error)) => return Err(failure(error)),
        }
        Ok(Ledger { _lock: Some(lock), ..Ledger::look(data)? })
    }

    /// Reads the ledger only.
    pub(crate) fn look(data: &Path) -> Result<Ledger, Failure> {
        let folder = data.join("clients");
        let path = folder.join("ledger.json");
        let unusable = |reason: &dyn std::fmt::Display| {
            Failure::Usage(format!("cannot read {}: {reason}; see docs/install.md", path.display()))
        };
        let written = match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map_err(|_| unusable(&"it is damaged"))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Written { schema: SCHEMA.to_owned(), files: Vec::new() }
            }
            Err(error) => return Err(unusable(&error)),
        };
        if written.schema != SCHEMA {
            return Err(unusable(&"another version of portcullis wrote it"));
        }
        Ok(Ledger { folder, written, _lock: None })
    }

    pub(crate) fn records(&self) -> &[Record] {
        &self.written.files
    }

    pub(crate) fn record(&self, file: &Path) -> Option<&Record> {
        self.written.files.iter().find(|record| Path::new(&record.file) == file)
    }

    /// Whether an entry leads to a server of this name at the user's gateway.
    pub(crate) fn leads_to(&self, name: &str) -> bool {
        let mut entries = self.written.files.iter().flat_map(|record| &record.entries);
        entries.any(|entry| entry.token.is_some() && entry.name == name)
    }

    /// The file without our changes, if the backup is what it was.
    pub(crate) fn backup(&self, record: &Record) -> Option<String> {
        let text = fs::read_to_string(self.backup_path(record)).ok()?;
        (hash(&text) == record.before).then_some(text)
    }

    pub(crate) fn backup_path(&self, record: &Record) -> PathBuf {
        self.folder.join("backup").join(&record.backup)
    }

    /// Writes down what is about to be done to a file: backup first, then the ledger. Both are on the disk before the
    /// file itself is touched, so that whatever happens then can be undone.
    pub(crate) fn write_down(
        &mut self,
        file: &Path,
        (client, format): (&str, Format),
        (original, after): (&str, &str),
        entries: Vec<Rewrite>,
    ) -> Result<(), Failure> {
        let name = file.to_str().ok_or_else(|| {
            Failure::Usage(format!("the name of {} is no UTF-8, so it cannot be remembered", file.display()))
        })?;
        let short = hash(name).get(..16).unwrap_or_default().to_owned();
        let base = file.file_name().unwrap_or_default().to_string_lossy();
        let record = Record {
            file: name.to_owned(),
            client: client.to_owned(),
            format,
            before: hash(original),
            after: hash(after),
            backup: format!("{short}-{base}"),
            entries,
        };
        let path = self.backup_path(&record);
        write_private(&path, original.as_bytes()).map_err(|error| Failure::Create { path, error })?;
        self.written.files.retain(|known| known.file != record.file);
        self.written.files.push(record);
        self.save()
    }

    /// Forgets a file that holds nothing of ours any more; its backup stays only if somebody may need it.
    pub(crate) fn forget(&mut self, record: &Record, keeps_backup: bool) -> Result<(), Failure> {
        self.written.files.retain(|known| known.file != record.file);
        self.save()?;
        let path = self.backup_path(record);
        match fs::remove_file(&path) {
            _ if keeps_backup => Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::Create { path, error }),
            _ => Ok(()),
        }
    }

    fn save(&self) -> Result<(), Failure> {
        let path = self.folder.join("ledger.json");
        let text = serde_json::to_string_pretty(&self.written).map_err(io::Error::from)? + "\n";
        write_private(&path, text.as_bytes()).map_err(|error| Failure::Create { path, error })
    }
}
