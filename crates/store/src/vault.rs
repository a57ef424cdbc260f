//! Small secrets that must outlive the process: one file each, which only its owner may read.

use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::directory::{make_private, read_text, write_new};

/// A folder of secrets in a data directory.
#[derive(Clone, Debug)]
pub struct Vault {
    folder: PathBuf,
}

impl Vault {
    /// The tokens a gateway shows to servers.
    pub fn of_tokens(root: &Path) -> Vault {
        Vault { folder: root.join("tokens") }
    }

    /// Where the socket is through which this machine's operator reaches a gateway that runs; its folder is private.
    pub fn door(root: &Path) -> Result<PathBuf, StoreError> {
        let folder = root.join("run");
        make_private(&folder)?;
        Ok(folder.join("gateway.sock"))
    }

    /// What is kept under a name; `None` if nothing is.
    pub fn read(&self, name: &str) -> Result<Option<String>, StoreError> {
        read_text(&self.file(name))
    }

    /// Keeps a text under a name, instead of what was there.
    pub fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        make_private(&self.folder)?;
        write_new(&self.file(name), text.as_bytes())
    }

    /// Keeps nothing under a name any more.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let file = self.file(name);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::from_io(&file, error))
            }
            _ => Ok(()),
        }
    }

    /// Names become file names, so whatever could lead elsewhere becomes a hyphen.
    fn file(&self, name: &str) -> PathBuf {
        let safe = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
        self.folder.join(format!("{}.json", safe.collect::<String>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_kept_from_others() {
        let root = std::env::temp_dir().join(format!("portcullis-vault-{}", std::process::id()));
        let vault = Vault::of_tokens(&root);
        assert_eq!(vault.read("a").unwrap(), None);
        vault.write("a", "one").unwrap();
        vault.write("a", "two").unwrap();
        assert_eq!(vault.read("a").unwrap().as_deref(), Some("two"));
        vault.write("b", "three").unwrap();
        (0..2).for_each(|_| vault.remove("b").unwrap());
        assert_eq!(vault.read("b").unwrap(), None);
        assert_eq!(vault.file("../../etc/x"), root.join("tokens/------etc-x.json"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&root.join("tokens")), mode(&vault.file("a"))), (0o700, 0o600));
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
