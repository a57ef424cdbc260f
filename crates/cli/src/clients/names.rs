//! What the gate calls a server: the client's name for it, made of small letters, digits and hyphens.

use std::collections::BTreeMap;

use portcullis_gateway::settings::ServerName;

use crate::config::better_name;

/// Digits of a launch's fingerprint that tell two servers of one name apart.
const MARK: usize = 6;
/// A name may have 64 characters; a hyphen and the mark need their place.
const LONGEST: usize = 64 - MARK - 1;

/// The names that are given away, each to one launch.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeMap<String, String>,
}

impl Names {
    /// Remembers a name that was given before.
    pub(crate) fn take(&mut self, name: &str, launch: &str) {
        self.taken.insert(name.to_owned(), launch.to_owned());
    }

    /// The name of a server. The same launch has the same name in every client; another launch gets another one, so that
    /// approvals of the one never count for the other.
    pub(crate) fn name(&mut self, wanted: &str, launch: &str) -> String {
        let plain = match ServerName::parse(wanted) {
            Some(name) => name.as_str().to_owned(),
            None => better_name(wanted),
        };
        let is_free = self.taken.get(&plain).is_none_or(|taken| taken == launch);
        let name = if is_free {
            plain
        } else {
            let short: String = plain.chars().take(LONGEST).collect();
            format!("{}-{}", short.trim_end_matches('-'), launch.get(..MARK).unwrap_or_default())
        };
        self.take(&name, launch);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_launch_one_name() {
        let mut names = Names::default();
        let mut check = |wanted: &str, launch: &str, expected: &str| {
            assert_eq!(names.name(wanted, launch), expected, "{wanted} {launch}");
        };
        check("files", "aaaaaaaa", "files");
        check("files", "aaaaaaaa", "files");
        check("Files", "bbbbbbbb", "files-bbbbbb");
        check("My Server!", "cccccccc", "my-server");
        check("\u{65e5}\u{672c}", "dddddddd", "server");
        check("\u{4e2d}\u{6587}", "eeeeeeee", "server-eeeeee");
        check(&"x".repeat(80), "ffffffff", &"x".repeat(64));
        check(&"x".repeat(90), "abcdef01", &format!("{}-abcdef", "x".repeat(57)));
    }
}
