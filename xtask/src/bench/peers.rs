//! The binary on one document, beside other finders of secrets that are installed: processor time of whole processes.

use crate::figures::{Bar, Figures};
use crate::process::{Temporary, spent};
use anyhow::{Result, bail};
use std::path::Path;
use std::process::Command;

const GROUP: &str = "the binary on the 10 MB of JSON records, as a process";

/// Another program; the file's name follows its arguments.
struct Peer {
    program: &'static str,
    arguments: &'static [&'static str],
    /// How often it runs; the first run of several fills its caches.
    runs: usize,
}

/// Interpreted, line by line.
const DETECT_SECRETS: Peer =
    Peer { program: "detect-secrets", arguments: &["scan", "--all-files", "--no-verify"], runs: 1 };

/// Compiled; the first that is installed is measured.
const NATIVE: [Peer; 3] = [
    Peer {
        program: "kingfisher",
        arguments: &["scan", "--no-validate", "--no-update-check", "--quiet"],
        runs: 4,
    },
    Peer {
        program: "gitleaks",
        arguments: &["detect", "--no-git", "--no-banner", "--exit-code=0", "--source"],
        runs: 3,
    },
    Peer { program: "ripsecrets", arguments: &[], runs: 3 },
];

pub(crate) fn measure(scanner: &Path, document: &str, with_peers: bool, figures: &mut Figures) -> Result<()> {
    let file = Temporary::write("portcullis-bench-records.json", document)?;
    let mut own = f64::INFINITY;
    for _ in 0..5 {
        let (cost, status) = spent(Command::new(scanner).arg("sensitive").arg(file.path()))?;
        if !status.success() {
            bail!("`portcullis sensitive` ended with {status}");
        }
        own = own.min(cost.seconds);
    }
    figures.add(GROUP, "portcullis sensitive, least of 5", own * 1e3, "ms", Bar::None);
    if !with_peers {
        return Ok(());
    }
    compare(&DETECT_SECRETS, 200.0, own, file.path(), figures);
    for peer in &NATIVE {
        if compare(peer, 5.0, own, file.path(), figures) {
            break;
        }
    }
    Ok(())
}

/// Adds what a peer needs; whether it is installed.
fn compare(peer: &Peer, times: f64, own: f64, file: &Path, figures: &mut Figures) -> bool {
    let mut command = Command::new(peer.program);
    // detect-secrets passes over what lies outside the folder it is called in, without a word.
    command.args(peer.arguments).arg(file).current_dir(std::env::temp_dir());
    let runs = (0..peer.runs).map_while(|_| spent(&mut command).ok());
    // What a peer found may be told by its exit code; only that it ran counts.
    let least = runs.map(|(cost, _)| cost.seconds).fold(f64::INFINITY, f64::min);
    if least.is_infinite() {
        return false;
    }
    let line = format!("{} {} FILE", peer.program, peer.arguments.join(" "));
    figures.add(GROUP, peer.program, least, "s", Bar::None);
    figures.note(&line);
    figures.add(GROUP, &format!("{} / portcullis", peer.program), least / own, "times", Bar::AtLeast(times));
    true
}
