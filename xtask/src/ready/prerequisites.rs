//! What must be on the machine: rustfmt, clippy, a C and C++ compiler for the allocator and the fuzz runner, PostgreSQL,
//! openssl, npm, Chromium, Python, git.

use super::{Outcome, Wishes};
use crate::python::USABLE_PYTHON;
use crate::shell;
use anyhow::bail;
use std::process::Command;

/// A program we need, and how to get it.
struct Need {
    /// Any one of these will do.
    programs: &'static [&'static [&'static str]],
    what_for: &'static str,
    source: Source,
}

enum Source {
    Debian(&'static str),
    Rustup(&'static str),
}

const NEEDS: [Need; 11] = [
    Need {
        programs: &[&["cargo", "fmt", "--version"]],
        what_for: "formatting",
        source: Source::Rustup("rustfmt"),
    },
    Need {
        programs: &[&["cargo", "clippy", "--version"]],
        what_for: "linting",
        source: Source::Rustup("clippy"),
    },
    Need {
        programs: &[&["cc", "--version"], &["gcc", "--version"], &["clang", "--version"]],
        what_for: "linking, and the allocator, which is C",
        source: Source::Debian("gcc libc6-dev"),
    },
    Need {
        programs: &[&["c++", "--version"], &["g++", "--version"], &["clang++", "--version"]],
        what_for: "the fuzz runner, which is C++",
        source: Source::Debian("g++"),
    },
    Need {
        // Debian keeps the server's programs in a folder of their own, by version.
        programs: &[&["sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb"], &["initdb", "--version"]],
        what_for: "the tests of the store in PostgreSQL",
        source: Source::Debian("postgresql"),
    },
    Need {
        programs: &[&["valkey-server", "--version"], &["redis-server", "--version"]],
        what_for: "the tests of gateways that share flows",
        source: Source::Debian("redis-server"),
    },
    Need {
        programs: &[&["openssl", "version"]],
        what_for: "certificates of the tests over TLS",
        source: Source::Debian("openssl"),
    },
    Need {
        programs: &[&["npm", "--version"]],
        what_for: "the public conformance suite and real clients and servers",
        source: Source::Debian("npm"),
    },
    Need {
        programs: &[
            &["chromium", "--version"],
            &["chromium-browser", "--version"],
            &["google-chrome", "--version"],
        ],
        what_for: "the dashboard in a real browser",
        source: Source::Debian("chromium"),
    },
    Need {
        programs: &[&USABLE_PYTHON],
        what_for: "real clients and servers in Python 3.10 or newer",
        source: Source::Debian("python3 python3-venv"),
    },
    Need {
        programs: &[&["git", "--version"]],
        what_for: "a repository for a real server",
        source: Source::Debian("git"),
    },
];

pub(super) fn run(wishes: &Wishes) -> Outcome {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !is_there(need)).collect();
    if missing.is_empty() {
        return Ok(None);
    }
    if wishes.may_install {
        missing.iter().try_for_each(|need| install(need))?;
        if let Some(need) = missing.iter().find(|need| !is_there(need)) {
            bail!("installed, but still not there: {}", advice(need));
        }
        return Ok(Some(format!("installed {} missing", missing.len())));
    }
    let advice: Vec<String> = missing.iter().map(|need| advice(need)).collect();
    bail!("missing: {}. `cargo xtask ready --install` does this for you", advice.join("; "))
}

fn is_there(need: &Need) -> bool {
    need.programs.iter().any(|words| match *words {
        [program, arguments @ ..] => shell::succeeds(Command::new(program).args(arguments)),
        [] => false,
    })
}

fn install(need: &Need) -> anyhow::Result<()> {
    match need.source {
        Source::Rustup(component) => shell::run(Command::new("rustup").args(["component", "add", component])),
        Source::Debian(packages) => {
            if !is_root() {
                bail!("{}; installing needs root", advice(need));
            }
            // A stale list of packages is the usual reason why an install fails; a failed refresh may not matter.
            let _ = shell::run(Command::new("apt-get").args(["update", "-q"]));
            let mut command = Command::new("apt-get");
            command.args(["install", "-y", "-q", "--no-install-recommends"]).args(packages.split(' '));
            shell::run(command.env("DEBIAN_FRONTEND", "noninteractive"))
        }
    }
}

pub(super) fn is_root() -> bool {
    shell::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn advice(need: &Need) -> String {
    match need.source {
        Source::Rustup(component) => format!("for {}: rustup component add {component}", need.what_for),
        Source::Debian(packages) => format!("for {}: apt-get install {packages}", need.what_for),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_one_of_several_programs_will_do() {
        let need = |programs| Need { programs, what_for: "a test", source: Source::Debian("some-package") };
        assert!(is_there(&need(&[&["no-such-program-here"], &["cargo", "--version"]])));
        let absent = need(&[&["no-such-program-here"]]);
        assert!(!is_there(&absent));
        assert_eq!(advice(&absent), "for a test: apt-get install some-package");
    }
}
