//! A Debian package of the programs, with the unit of the system's gateway, which somebody must enable.

use anyhow::{Context, Result};

use super::archive::{Entry, ar, gzip, tar};
use crate::tree;

const DESCRIPTION: &str = "gate between AI agents and the MCP servers they use
 It reads what servers declare, holds what is dangerous or has changed until
 somebody approves it, and keeps a record of every call that nobody can quietly
 rewrite. It works offline: no model, no cloud, no account.";

/// Where files of the repository go, beside the programs.
const FILES: [(&str, &str); 4] = [
    ("packaging/systemd/portcullis.service", "usr/lib/systemd/system/portcullis.service"),
    ("LICENSE-APACHE", "usr/share/doc/portcullis/LICENSE-APACHE"),
    ("LICENSE-MIT", "usr/share/doc/portcullis/LICENSE-MIT"),
    ("README.md", "usr/share/doc/portcullis/README.md"),
];

const COPYRIGHT: &str = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: portcullis

Files: *
Copyright: The Portcullis contributors
License: MIT or Apache-2.0
Comment: the texts are beside this file, as LICENSE-MIT and LICENSE-APACHE
";

/// What Debian calls the machine of a target; `None` for one it has no packages of ours for.
pub(super) fn architecture(target: &str) -> Option<&'static str> {
    match target.split_once('-')? {
        ("x86_64", rest) if rest.contains("linux") => Some("amd64"),
        ("aarch64", rest) if rest.contains("linux") => Some("arm64"),
        _ => None,
    }
}

/// The package.
pub(super) fn package(
    version: &str,
    architecture: &str,
    epoch: u64,
    programs: &[(&'static str, Vec<u8>)],
) -> Result<Vec<u8>> {
    let copyright = Entry::file("./usr/share/doc/portcullis/copyright".to_owned(), COPYRIGHT.into());
    let program =
        |(name, bytes): &(&str, Vec<u8>)| Entry::program(format!("./usr/bin/{name}"), bytes.clone());
    let mut files: Vec<Entry> = programs.iter().map(program).chain([copyright]).collect();
    for (from, to) in FILES {
        let bytes = std::fs::read(tree::root().join(from)).with_context(|| format!("cannot read {from}"))?;
        files.push(Entry::file(format!("./{to}"), bytes));
    }
    let kilobytes: usize = files.iter().map(|file| file.bytes().len().div_ceil(1024)).sum();
    let control = control(version, architecture, kilobytes);
    let control = vec![Entry::file("./control".to_owned(), control.into())];
    Ok(ar(
        &[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", gzip(&tar(control, epoch)?)),
            ("data.tar.gz", gzip(&tar(files, epoch)?)),
        ],
        epoch,
    ))
}

fn control(version: &str, architecture: &str, kilobytes: usize) -> String {
    format!(
        "Package: portcullis\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: The Portcullis contributors <contributors@portcullis.invalid>\n\
         Installed-Size: {kilobytes}\nSection: net\nPriority: optional\nDescription: {DESCRIPTION}\n"
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::shell;

    #[test]
    fn debian_reads_the_package() {
        let programs = crate::release::PROGRAMS.map(|name| (name, b"a program".to_vec()));
        let bytes = package("1.2.3", "amd64", 1_700_000_000, &programs).unwrap();
        assert!(
            bytes.starts_with(b"!<arch>\ndebian-binary   1700000000  0     0     100644  4         `\n2.0\n")
        );
        // A machine that is not Debian's cannot read it back.
        if !shell::succeeds(Command::new("dpkg-deb").arg("--version")) {
            return;
        }
        let path = std::env::temp_dir().join(format!("portcullis-release-{}.deb", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let read = |what: &str| shell::output(Command::new("dpkg-deb").arg(what).arg(&path)).unwrap();
        let (control, listed) = (read("--field"), read("--contents"));
        std::fs::remove_file(&path).unwrap();
        let first = "Package: portcullis\nVersion: 1.2.3\nArchitecture: amd64\n";
        assert!(control.starts_with(first) && control.contains("\nDescription: gate between"), "{control}");
        let paths: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().last()).collect();
        assert_eq!(
            paths,
            [
                "./",
                "./usr/",
                "./usr/bin/",
                "./usr/bin/portcullis",
                "./usr/bin/portcullis-adversary",
                "./usr/lib/",
                "./usr/lib/systemd/",
                "./usr/lib/systemd/system/",
                "./usr/lib/systemd/system/portcullis.service",
                "./usr/share/",
                "./usr/share/doc/",
                "./usr/share/doc/portcullis/",
                "./usr/share/doc/portcullis/LICENSE-APACHE",
                "./usr/share/doc/portcullis/LICENSE-MIT",
                "./usr/share/doc/portcullis/README.md",
                "./usr/share/doc/portcullis/copyright",
            ]
        );
        let modes: Vec<&str> =
            listed.lines().filter_map(|line| line.split_once(" root/root ")).map(|(mode, _)| mode).collect();
        assert_eq!(modes[..3], ["drwxr-xr-x"; 3]);
        assert_eq!(modes[3..6], ["-rwxr-xr-x", "-rwxr-xr-x", "drwxr-xr-x"]);
    }

    #[test]
    fn systemd_takes_the_unit() {
        if !shell::succeeds(Command::new("systemd-analyze").arg("--version")) {
            return;
        }
        let unit = std::fs::read_to_string(tree::root().join(FILES[0].0)).unwrap();
        let folder = std::env::temp_dir().join(format!("portcullis-unit-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("portcullis.service");
        // The program is not installed where the tests run.
        std::fs::write(&path, unit.replace("/usr/bin/portcullis", "/bin/true")).unwrap();
        let is_taken = shell::succeeds(Command::new("systemd-analyze").arg("verify").arg(&path));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(is_taken, "systemd-analyze verify refuses it");
    }

    #[test]
    fn machines_have_debians_names() {
        assert_eq!(architecture("x86_64-unknown-linux-musl"), Some("amd64"));
        assert_eq!(architecture("aarch64-unknown-linux-gnu"), Some("arm64"));
        assert_eq!(architecture("x86_64-pc-windows-msvc"), None);
    }
}
