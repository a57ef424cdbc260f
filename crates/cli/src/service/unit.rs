//! The unit itself. Of what systemd offers, a user's manager can enforce little: no new privileges, and what needs no
//! namespace. Servers run under it too, with runtimes that write the code they run, so that is not forbidden.

use std::path::Path;

/// How a unit of ours begins.
pub(super) const MARK: &str = "# Written by `portcullis service install`.";

/// The unit; why not, if a path cannot stand in one.
pub(super) fn text(program: &Path, data: &Path, config: Option<&Path>) -> Result<String, String> {
    let (program, folder) = (word(program)?, plain(data)?);
    let mut line = format!("{program} serve --any-port --data {}", word(data)?);
    if let Some(config) = config {
        line.push_str(&format!(" --config {}", word(config)?));
    }
    Ok(format!(
        "{MARK}
[Unit]
Description=Portcullis, the gate between AI agents and MCP servers
# Another gateway may hold the data directory for a while: one that a client has started.
StartLimitIntervalSec=0

[Service]
ExecStart={line}
WorkingDirectory=-{folder}
Restart=on-failure
RestartSec=5
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"
    ))
}

/// A path as one word of a command: quoted, and nothing in it means anything.
fn word(path: &Path) -> Result<String, String> {
    let text = plain(path)?.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "$$");
    Ok(format!("\"{text}\""))
}

/// A path with nothing that systemd would replace.
fn plain(path: &Path) -> Result<String, String> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control));
    let wrong = || format!("{} cannot stand in a unit", path.display());
    Ok(text.ok_or_else(wrong)?.replace('%', "%%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_path_means_anything() {
        let check = |path: &str, expected: &str| assert_eq!(word(Path::new(path)).unwrap(), expected);
        check("/opt/port cullis", "\"/opt/port cullis\"");
        check("/a\"b\\c%d$e", "\"/a\\\"b\\\\c%%d$$e\"");
        assert!(word(Path::new("/a\nExecStart=/bin/sh")).is_err());
    }
}
