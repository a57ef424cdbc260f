//! The data directory: who may enter, which version it is, who writes in it now.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use crate::error::At;
use crate::keys::{self, ChainKey};
use crate::{StoreError, segment};

/// The version of the layout of a data directory.
const FORMAT: u32 = 1;

/// The files of a data directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    root: PathBuf,
}

/// A directory nobody else writes in as long as this is alive.
pub(crate) struct Held {
    pub(crate) directory: Directory,
    pub(crate) writer: String,
    pub(crate) key: ChainKey,
    _lock: File,
}

impl Directory {
    pub(crate) fn new(root: &Path) -> Directory {
        Directory { root: root.to_path_buf() }
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("log")
    }

    pub(crate) fn keys(&self) -> PathBuf {
        self.root.join("keys")
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.root.join("index.sqlite")
    }

    pub(crate) fn registry(&self) -> PathBuf {
        self.root.join("registry.sqlite")
    }

    pub(crate) fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints.jsonl")
    }

    pub(crate) fn writer_file(&self) -> PathBuf {
        self.root.join("writer")
    }

    fn version(&self) -> PathBuf {
        self.root.join("version")
    }

    fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    /// What a reader needs: a directory of a known version and its key.
    pub(crate) fn key(&self) -> Result<ChainKey, StoreError> {
        if self.found_format()?.is_none() {
            return Err(StoreError::Absent { path: self.root.clone() });
        }
        let key = ChainKey::load(&self.keys())?;
        key.ok_or_else(|| StoreError::KeyLost { path: self.keys().join(keys::CHAIN_KEY) })
    }

    /// The name of the log's only writer.
    pub(crate) fn writer(&self) -> Result<String, StoreError> {
        let path = self.writer_file();
        let name = read_text(&path)?.map(|name| name.trim_end().to_owned());
        name.filter(|name| name.len() == segment::WRITER).ok_or(StoreError::KeyLost { path })
    }

    /// Makes the directory if need be and holds it against other writers.
    pub(crate) fn hold(self) -> Result<Held, StoreError> {
        // INVARIANT: nothing is touched before the version is known to be ours.
        let found = self.found_format()?;
        for folder in [self.root.clone(), self.log(), self.keys()] {
            make_private(&folder)?;
        }
        let lock = self.take_lock()?;
        let has_log = !segment::list(&self.log())?.is_empty();
        let key = match ChainKey::load(&self.keys())? {
            Some(key) => key,
            None if has_log => return Err(StoreError::KeyLost { path: self.keys().join(keys::CHAIN_KEY) }),
            None => ChainKey::create(&self.keys())?,
        };
        let writer = self.writer_file();
        if !has_log && read_text(&writer)?.is_none() {
            let name = keys::random()?.first_chunk::<8>().map(|name| HEXLOWER.encode(name));
            write_new(&writer, name.unwrap_or_default().as_bytes())?;
        }
        if found.is_none() {
            write_new(&self.version(), format!("portcullis data {FORMAT}\n").as_bytes())?;
        }
        Ok(Held { writer: self.writer()?, directory: self, key, _lock: lock })
    }

    /// The version of the layout; `None` if there is none yet.
    fn found_format(&self) -> Result<Option<u32>, StoreError> {
        let Some(text) = read_text(&self.version())? else { return Ok(None) };
        let found = text.trim_end().strip_prefix("portcullis data ").and_then(|number| number.parse().ok());
        let found = found.ok_or_else(|| StoreError::corrupt(&self.version(), 0, "it names no version"))?;
        if found > FORMAT {
            return Err(StoreError::Newer { path: self.root.clone(), found, known: FORMAT });
        }
        Ok(Some(found))
    }

    fn take_lock(&self) -> Result<File, StoreError> {
        let path = self.lock();
        let file =
            private_options().read(true).write(true).create(true).truncate(false).open(&path).at(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked { path: self.root.clone(), holder: holder_in(&file) });
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::from_io(&path, error)),
        }
        file.set_len(0)
            .and_then(|()| (&file).write_all(std::process::id().to_string().as_bytes()))
            .at(&path)?;
        Ok(file)
    }

    /// Who writes here now, if anybody does.
    pub(crate) fn holder(&self) -> Option<String> {
        let file = File::open(self.lock()).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder_in(&file)),
            _ => None,
        }
    }
}

/// The number a holder wrote down; it may be about to.
fn holder_in(mut file: &File) -> String {
    let mut holder = String::new();
    // INVARIANT: a holder that cannot be read is still a holder.
    let _ = file.read_to_string(&mut holder);
    if holder.is_empty() { "unknown".to_owned() } else { holder }
}

/// Makes a folder that only its owner may enter.
pub(crate) fn make_private(path: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(path).at(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).at(path)?.permissions().mode() & 0o777;
        if mode != 0o700 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).at(path)?;
        }
    }
    Ok(())
}

/// Options for files that only their owner may read.
pub(crate) fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The whole of a small file, or `None` if it is not there.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, StoreError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::from_io(path, error)),
    }
}

/// Writes a file so that after a crash it is there whole, or not at all.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let unfinished = path.with_extension("tmp");
    let mut file =
        private_options().write(true).create(true).truncate(true).open(&unfinished).at(&unfinished)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).at(&unfinished)?;
    fs::rename(&unfinished, path).at(path)?;
    sync_folder(path)
}

/// Makes the name of a new or removed file last.
pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(path);
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).at(folder)?;
    Ok(())
}
