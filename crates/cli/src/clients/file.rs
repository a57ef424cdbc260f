//! A client's file: read within bounds, and replaced whole or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use portcullis_detect::fingerprint::Fingerprint;
use sha2::{Digest, Sha256};

/// The largest file that is read: clients keep much else in theirs, but not this much.
const LARGEST: u64 = 32 << 20;
/// Names tried for the file that is written beside the old one.
const MOST_NAMES: u32 = 16;

/// What a file held when it was read.
pub(crate) struct Content {
    /// The file itself, links followed: it is replaced, not a link to it.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Reads a file; what keeps us from it is said in words for its owner.
pub(crate) fn read(path: &Path) -> Result<Content, String> {
    let path = fs::canonicalize(path).map_err(|error| error.to_string())?;
    let about = fs::metadata(&path).map_err(|error| error.to_string())?;
    // Opening a pipe or a device may never come back.
    if !about.is_file() {
        return Err("this is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(&path).map_err(|error| error.to_string())?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("this file is larger than {} MiB", LARGEST >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        format!("this file is not UTF-8 from byte {} on", error.utf8_error().valid_up_to())
    })?;
    Ok(Content { path, text })
}

/// Puts `new` in the place of what was read, unless the file is no longer what was read.
pub(crate) fn replace(content: &Content, new: &str) -> Result<(), String> {
    let about = fs::metadata(&content.path).map_err(|error| error.to_string())?;
    let beside = Beside::write(&content.path, new.as_bytes(), Some(&about)).map_err(|e| e.to_string())?;
    // As late as possible: clients write their files whenever they like.
    if read(&content.path)?.text != content.text {
        return Err("it was changed by another program meanwhile; close the client and try again".to_owned());
    }
    beside.rename().map_err(|error| error.to_string())
}

/// Writes a file that only its owner may read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    Beside::write(path, bytes, None)?.rename()
}

/// Makes a folder that only its owner may enter.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(0o700).create(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))
    }
    #[cfg(not(unix))]
    builder.create(path)
}

/// What a file's content is recognised by.
pub(crate) fn hash(text: &str) -> String {
    Fingerprint::from_bytes(Sha256::digest(text.as_bytes()).into()).to_string()
}

/// A file that was written beside the one it is to replace; without `rename` it goes away again.
struct Beside<'a> {
    path: PathBuf,
    target: &'a Path,
}

impl<'a> Beside<'a> {
    fn write(target: &'a Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<Beside<'a>> {
        let (mut file, path) = create(target)?;
        let beside = Beside { path, target };
        file.write_all(bytes)?;
        if let Some(like) = like {
            keep_owner(&beside.path, like)?;
            file.set_permissions(like.permissions())?;
        }
        file.sync_all()?;
        Ok(beside)
    }

    fn rename(self) -> io::Result<()> {
        fs::rename(&self.path, self.target)?;
        // The name must last as well; where a folder cannot be opened the system does without.
        #[cfg(unix)]
        File::open(self.target.parent().unwrap_or(Path::new(".")))?.sync_all()?;
        Ok(())
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        // INVARIANT: after a rename there is no such file, and that is as well.
        let _ = fs::remove_file(&self.path);
    }
}

/// A new file that nobody else can have prepared, readable by its owner only.
fn create(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for attempt in 0..MOST_NAMES {
        let path = target.with_file_name(format!(".{name}.portcullis-{}-{attempt}", std::process::id()));
        match options.open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

#[cfg(unix)]
fn keep_owner(path: &Path, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::metadata(path)?;
    if (about.uid(), about.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    std::os::unix::fs::chown(path, Some(like.uid()), Some(like.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_path: &Path, _like: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_program_wrote_meanwhile_is_not_lost() {
        let folder = std::env::temp_dir().join(format!("portcullis-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("mcp.json");
        fs::write(&path, "old").unwrap();
        let content = read(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(replace(&content, "ours").unwrap_err().contains("meanwhile"));
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), left.len()), ("theirs", 1));
        replace(&read(&path).unwrap(), "ours").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_no_text_file_is_refused() {
        assert_eq!(read(&std::env::temp_dir()).err().as_deref(), Some("this is not a file"));
        let path = std::env::temp_dir().join(format!("portcullis-bytes-{}", std::process::id()));
        fs::write(&path, [b'{', 0xff]).unwrap();
        assert_eq!(read(&path).err().as_deref(), Some("this file is not UTF-8 from byte 1 on"));
        fs::remove_file(&path).unwrap();
    }
}
