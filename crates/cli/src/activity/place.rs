//! Where the data directory is.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::{env, io};

use crate::exit::Failure;

/// The directory that was named, or the user's own.
pub(crate) fn chosen(named: Option<&Path>) -> Result<PathBuf, Failure> {
    let usual = || usual(|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from));
    let place = named.map(Path::to_path_buf).or_else(usual);
    place.ok_or_else(|| Failure::Usage("no home directory is known: say --data DIR".into()))
}

/// The user's own data directory, as the system has it.
fn usual(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let home = || variable("HOME");
    let base = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        variable("XDG_DATA_HOME").or_else(|| home().map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("portcullis"))
}

/// Makes a file that only its owner may read.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether other users of the machine may look inside.
#[cfg(unix)]
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
}

/// Whether other users of the machine may look inside; elsewhere the user's own folders are private already.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_path: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_users_own_is_where_the_system_keeps_data() {
        let check = |set: &[(&str, &str)], expected: Option<&str>| {
            let value =
                |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            assert_eq!(usual(value), expected.map(PathBuf::from));
        };
        check(&[("XDG_DATA_HOME", "/data"), ("HOME", "/home/a")], Some("/data/portcullis"));
        check(&[("HOME", "/home/a")], Some("/home/a/.local/share/portcullis"));
        check(&[], None);
    }
}
