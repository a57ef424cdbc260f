//! Files: a confined process changes nothing but its own folder, and of the folders of users it reads only what holds
//! programs or was given to it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope, path_beneath_rules,
};

/// What is needed to keep a process from changing files: from here on Landlock also knows truncation.
const NEEDED: ABI = ABI::V3;
/// What also keeps it from signals to others, where the kernel can.
const WANTED: ABI = ABI::V6;
/// What belongs to users, and the devices, among which is the terminal.
const HIDDEN: [&str; 4] = ["/home", "/root", "/run/user", "/dev"];
/// The devices every program may use.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Confines the calling thread and what it starts.
pub(super) fn confine(readable: &[PathBuf], writable: &[&Path]) -> Result<(), String> {
    let (all, read) = (AccessFs::from_all(NEEDED), AccessFs::from_read(NEEDED));
    let asked = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(all);
    let asked = asked.map_err(|_| "there is none, or one from before Linux 6.2".to_owned())?;
    let restricted = || {
        asked
            .set_compatibility(CompatLevel::BestEffort)
            .scope(Scope::from_all(WANTED))?
            .create()?
            .add_rules(path_beneath_rules(readable, read))?
            .add_rules(path_beneath_rules(writable, all))?
            .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
            .restrict_self()
    };
    match restricted() {
        Ok(status) if status.ruleset == RulesetStatus::NotEnforced => Err("it is switched off".to_owned()),
        Ok(_) => Ok(()),
        Err(why) => Err(why.to_string()),
    }
}

/// What a command may read: everything that is not hidden, the folders of programs, the folder it runs in, and what its
/// arguments name.
pub(super) fn readable(home: Option<&Path>, command: &[OsString]) -> Vec<PathBuf> {
    let places = HIDDEN.iter().map(Path::new).chain(home).filter_map(|place| place.canonicalize().ok());
    // Who lives at the root has nothing to hide that the system does not hold.
    let hidden: BTreeSet<PathBuf> = places.filter(|place| place != Path::new("/")).collect();
    let mut readable = Vec::new();
    around(Path::new("/"), &hidden, &mut readable);
    let is_small = |folder: &&Path| !hidden.iter().any(|hidden| hidden.starts_with(folder));
    let path = std::env::var_os("PATH").unwrap_or_default();
    for programs in std::env::split_paths(&path).filter_map(|folder| folder.canonicalize().ok()) {
        // Programs have their libraries beside their own folder.
        readable.extend(programs.parent().filter(is_small).map(Path::to_owned));
        readable.extend(Some(programs).filter(|folder| is_small(&folder.as_path())));
    }
    readable.extend(std::env::current_dir().ok().filter(|folder| is_small(&folder.as_path())));
    for named in command.iter().filter_map(|argument| Path::new(argument).canonicalize().ok()) {
        match named.is_dir() {
            true => readable.extend(Some(named).filter(|folder| is_small(&folder.as_path()))),
            false => {
                readable.extend(named.parent().filter(is_small).map(Path::to_owned));
                readable.push(named);
            }
        }
    }
    readable
}

/// Everything in a folder but what is hidden. What a link leads to stands elsewhere under its own name.
fn around(place: &Path, hidden: &BTreeSet<PathBuf>, readable: &mut Vec<PathBuf>) {
    if hidden.contains(place) || place.is_symlink() {
        return;
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(place)) {
        readable.push(place.to_owned());
        return;
    }
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        around(&entry.path(), hidden, readable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_left_out_with_all_in_it() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let hidden = BTreeSet::from([source.join("confine"), source.join("scan/live.rs")]);
        let mut readable = Vec::new();
        around(&source, &hidden, &mut readable);
        assert!(readable.contains(&source.join("lib.rs")) && readable.contains(&source.join("scan/mod.rs")));
        assert!(readable.contains(&source.join("input")), "a folder without anything hidden is one rule");
        let leads = |place: &PathBuf| hidden.iter().any(|hidden| hidden.starts_with(place));
        assert!(!readable.iter().any(leads), "{readable:?}");
    }
}
