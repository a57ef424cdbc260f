//! How a server is started or reached: its own fingerprint, apart from what the server declares.

use super::Fingerprint;
use crate::prelude::*;

/// How one talks to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A child process and its standard streams.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP with server-sent events.
    Sse,
}

impl Transport {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Transport::Stdio => "stdio",
            Transport::Http => "http",
            Transport::Sse => "sse",
        }
    }
}

/// How a server is launched. Values of environment variables are no part of it: they hold secrets, and they rotate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch<'a> {
    /// How one talks to it.
    pub transport: Transport,
    /// The program, `""` for a remote server.
    pub command: &'a str,
    /// Its arguments, in order.
    pub arguments: &'a [&'a str],
    /// The names of its environment variables, in any order.
    pub environment: &'a [&'a str],
    /// The address of a remote server, `""` for a local one.
    pub url: &'a str,
}

impl Launch<'_> {
    /// The fingerprint of the launch.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut names = self.environment.to_vec();
        names.sort_unstable();
        names.dedup();
        let counts = [self.arguments.len(), names.len()].map(|count| (count as u64).to_be_bytes());
        let [arguments, environment] = &counts;
        let mut pieces: Vec<&[u8]> = vec![
            b"portcullis.launch/1",
            self.transport.as_str().as_bytes(),
            self.command.as_bytes(),
            arguments,
        ];
        pieces.extend(self.arguments.iter().map(|argument| argument.as_bytes()));
        pieces.push(environment);
        pieces.extend(names.iter().map(|name| name.as_bytes()));
        pieces.push(self.url.as_bytes());
        Fingerprint::of_pieces(&pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCH: Launch<'static> = Launch {
        transport: Transport::Stdio,
        command: "npx",
        arguments: &["-y", "files"],
        environment: &["HOME", "TOKEN"],
        url: "",
    };

    #[test]
    fn every_part_of_a_launch_counts() {
        let launches = [
            LAUNCH,
            Launch { transport: Transport::Http, ..LAUNCH },
            Launch { command: "npm", ..LAUNCH },
            Launch { arguments: &["files", "-y"], ..LAUNCH },
            Launch { arguments: &["-y", "files", "HOME"], environment: &["TOKEN"], ..LAUNCH },
            Launch { arguments: &["-yfiles"], ..LAUNCH },
            Launch { arguments: &["-y", "files", ""], ..LAUNCH },
            Launch { environment: &["HOME", "TOKEN", "LD_PRELOAD"], ..LAUNCH },
            Launch { environment: &[], ..LAUNCH },
            Launch { url: "https://example.org/mcp", ..LAUNCH },
        ];
        for (index, launch) in launches.iter().enumerate() {
            let same: Vec<usize> = (0..launches.len())
                .filter(|at| launches[*at].fingerprint() == launch.fingerprint())
                .collect();
            assert_eq!(same, [index]);
        }
    }

    #[test]
    fn the_order_of_environment_variables_does_not_count() {
        let turned = Launch { environment: &["TOKEN", "HOME", "TOKEN"], ..LAUNCH };
        assert_eq!(turned.fingerprint(), LAUNCH.fingerprint());
    }
}
