//! Where the files of clients may be on this machine: the table's places made into paths.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::table::{Base, Client, Kept};

/// Files one pattern may stand for, and names read of a folder: far more than any client keeps.
const MOST_MATCHES: usize = 4096;

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The user's.
    User,
    /// A project's: others may get it with the project.
    Project,
    /// Of the user's Windows, seen from the Linux inside it: programs of here cannot be started there.
    Windows,
}

/// A file that is there, or may be.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) client: &'static Client,
    pub(crate) kept: &'static Kept,
    pub(crate) path: PathBuf,
    pub(crate) level: Level,
}

/// One user's folders.
struct Folders {
    level: Level,
    home: PathBuf,
    settings: PathBuf,
    dot_config: PathBuf,
}

/// What places are made of.
pub(crate) struct Machine {
    folders: Vec<Folders>,
    project: Option<PathBuf>,
    variable: fn(&str) -> Option<OsString>,
}

impl Machine {
    /// This machine; a project's files only if one is named.
    pub(crate) fn here(project: Option<&Path>) -> Machine {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let mut folders: Vec<Folders> = own(variable).into_iter().collect();
        if cfg!(target_os = "linux") {
            folders.extend(windows_homes(Path::new("/mnt/c/Users")));
        }
        Machine { folders, project: project.map(Path::to_path_buf), variable }
    }

    /// All files a client may have, those that are there; in the table's order.
    pub(crate) fn files_of(&self, client: &'static Client) -> Vec<Candidate> {
        let mut found = Vec::new();
        for kept in client.files {
            for (base, level) in self.bases(kept.base) {
                let paths = matching(&base, kept.path);
                found.extend(paths.into_iter().map(|path| Candidate { client, kept, path, level }));
            }
        }
        found
    }

    fn bases(&self, base: Base) -> Vec<(PathBuf, Level)> {
        if base == Base::Project {
            return self.project.iter().map(|project| (project.clone(), Level::Project)).collect();
        }
        let one = |folders: &Folders| {
            let path = match base {
                Base::Home | Base::Project => folders.home.clone(),
                Base::Settings => folders.settings.clone(),
                Base::DotConfig => folders.dot_config.clone(),
                Base::Variable(name, folder) => {
                    // A variable of here says nothing about another system.
                    let named = (self.variable)(name).filter(|_| folders.level == Level::User);
                    named.map_or_else(|| folders.home.join(folder), PathBuf::from)
                }
            };
            (path, folders.level)
        };
        self.folders.iter().map(one).collect()
    }
}

fn own(variable: fn(&str) -> Option<OsString>) -> Option<Folders> {
    let home = PathBuf::from(variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?);
    let named = |name: &str, usual: &str| variable(name).map_or_else(|| home.join(usual), PathBuf::from);
    let (settings, dot_config) = if cfg!(windows) {
        let roaming = named("APPDATA", "AppData/Roaming");
        (roaming.clone(), roaming)
    } else if cfg!(target_os = "macos") {
        (home.join("Library/Application Support"), home.join(".config"))
    } else {
        let config = named("XDG_CONFIG_HOME", ".config");
        (config.clone(), config)
    };
    Some(Folders { level: Level::User, settings, dot_config, home })
}

/// The homes of Windows users, if this is the Linux inside Windows.
fn windows_homes(users: &Path) -> Vec<Folders> {
    let homes = listed(users).into_iter().filter(|home| home.join("AppData").is_dir());
    let folders = homes.map(|home| {
        let roaming = home.join("AppData/Roaming");
        Folders { level: Level::Windows, settings: roaming.clone(), dot_config: roaming, home }
    });
    folders.collect()
}

/// The files below a folder that fit a pattern and are there, sorted. A broken link is there too.
fn matching(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut paths = vec![base.to_path_buf()];
    for part in pattern.split('/') {
        paths = paths.iter().flat_map(|folder| step(folder, part)).take(MOST_MATCHES).collect();
    }
    paths.retain(|path| path.symlink_metadata().is_ok_and(|about| !about.is_dir()));
    paths
}

fn step(folder: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains('*') {
        return vec![folder.join(part)];
    }
    let fits =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| glob(part, name));
    listed(folder).into_iter().filter(fits).collect()
}

/// What is in a folder, sorted; nothing if it cannot be read.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_MATCHES);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Whether a name fits a pattern with any number of `*`.
fn glob(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::table::by_id;

    #[test]
    fn patterns_fit_whole_names() {
        for (pattern, name, expected) in [
            ("*.json", "a.json", true),
            ("*.json", "a.json5", false),
            ("opencode.json*", "opencode.jsonc", true),
            ("*.y*ml", "a.yaml", true),
            ("*.y*ml", "a.yml", true),
            ("*mcp_settings.json", "cline_mcp_settings.json", true),
            ("a*b", "ab", true),
            ("a*b", "a", false),
            ("ab", "abc", false),
        ] {
            assert_eq!(glob(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn each_system_has_its_own_folders() {
        let folders = |level, home: &str, settings: &str| Folders {
            level,
            home: home.into(),
            settings: settings.into(),
            dot_config: settings.into(),
        };
        let machine = Machine {
            folders: vec![
                folders(Level::User, "/home/a", "/home/a/.config"),
                folders(Level::Windows, "/mnt/c/Users/a", "/mnt/c/Users/a/AppData/Roaming"),
            ],
            project: Some("/src/p".into()),
            variable: |name| (name == "CODEX_HOME").then(|| "/etc/codex".into()),
        };
        let bases = |client: &str, index: usize| {
            let bases = machine.bases(by_id(client).unwrap().files[index].base);
            bases.into_iter().map(|(path, _)| path.to_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(bases("claude-desktop", 0), ["/home/a/.config", "/mnt/c/Users/a/AppData/Roaming"]);
        assert_eq!(bases("codex", 0), ["/etc/codex", "/mnt/c/Users/a/.codex"]);
        assert_eq!(bases("claude-code", 1), ["/src/p"]);
    }
}
