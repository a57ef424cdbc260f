//! Whether private data, untrusted content and a way out meet among the enabled tools, and what would part them.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// An enabled tool and which of the three roles it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// The server.
    pub server: &'a str,
    /// The tool.
    pub tool: &'a str,
    /// It reads private data.
    pub reads_private: bool,
    /// It shows the agent what others wrote.
    pub sees_untrusted: bool,
    /// It can send.
    pub can_send: bool,
}

impl Member<'_> {
    /// `server/tool`.
    pub fn full_name(&self) -> String {
        alloc::format!("{}/{}", self.server, self.tool)
    }
}

/// One tool for each role: together they can leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness<'a> {
    /// Reads private data.
    pub private: Member<'a>,
    /// Shows what others wrote.
    pub untrusted: Member<'a>,
    /// Sends.
    pub sender: Member<'a>,
}

impl<'a> Witness<'a> {
    /// The servers that take part, each once.
    pub fn servers(&self) -> Vec<&'a str> {
        let all: BTreeSet<&str> = [self.private.server, self.untrusted.server, self.sender.server].into();
        all.into_iter().collect()
    }
}

/// What was found. An item to look at, never an alarm: most set-ups have all three.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posture<'a> {
    /// One witness for each combination of servers, with as few servers as possible first.
    pub witnesses: Vec<Witness<'a>>,
    /// Servers that have all three alone.
    pub single_servers: Vec<String>,
    /// Servers, or single tools, without which the three no longer meet.
    pub breaking: Vec<(&'a str, Option<&'a str>)>,
}

impl Posture<'_> {
    /// Whether the three meet.
    pub fn is_complete(&self) -> bool {
        !self.witnesses.is_empty()
    }
}

/// Witnesses shown.
const MOST_WITNESSES: usize = 10;

/// The posture of a set of enabled tools.
pub fn posture<'a>(members: &[Member<'a>]) -> Posture<'a> {
    let first_of = |has: fn(&Member<'_>) -> bool| {
        let mut seen = BTreeSet::new();
        members.iter().copied().filter(|member| has(member) && seen.insert(member.server)).collect::<Vec<_>>()
    };
    let private = first_of(|member| member.reads_private);
    let untrusted = first_of(|member| member.sees_untrusted);
    let senders = first_of(|member| member.can_send);
    let mut witnesses = Vec::new();
    for private in &private {
        for untrusted in &untrusted {
            let found = senders.iter().map(|sender| Witness {
                private: *private,
                untrusted: *untrusted,
                sender: *sender,
            });
            witnesses.extend(found);
        }
    }
    witnesses.sort_by_key(|witness| witness.servers().len());
    let single_servers = witnesses
        .iter()
        .filter(|witness| witness.servers().len() == 1)
        .map(|one| one.private.server.to_string());
    let single_servers = single_servers.collect();
    witnesses.truncate(MOST_WITNESSES);
    let breaking = if witnesses.is_empty() { Vec::new() } else { breaking(members) };
    Posture { witnesses, single_servers, breaking }
}

fn breaking<'a>(members: &[Member<'a>]) -> Vec<(&'a str, Option<&'a str>)> {
    let servers: BTreeSet<&str> = members.iter().map(|member| member.server).collect();
    let by_server = servers.iter().filter(|server| parts(members, |member| member.server == **server));
    let mut found: Vec<(&str, Option<&str>)> = by_server.map(|server| (*server, None)).collect();
    let by_tool = members
        .iter()
        .filter(|one| parts(members, |member| member.server == one.server && member.tool == one.tool));
    found.extend(by_tool.map(|member| (member.server, Some(member.tool))));
    found
}

/// Whether the three no longer meet without what is removed.
fn parts(members: &[Member<'_>], is_removed: impl Fn(&Member<'_>) -> bool) -> bool {
    let rest = || members.iter().filter(|member| !is_removed(member));
    !(rest().any(|member| member.reads_private)
        && rest().any(|member| member.sees_untrusted)
        && rest().any(|member| member.can_send))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member<'a>(server: &'a str, tool: &'a str, roles: &str) -> Member<'a> {
        Member {
            server,
            tool,
            reads_private: roles.contains('p'),
            sees_untrusted: roles.contains('u'),
            can_send: roles.contains('s'),
        }
    }

    #[test]
    fn the_smallest_witness_comes_first_and_what_breaks_it_is_named() {
        let members =
            [member("files", "read", "p"), member("web", "fetch", "us"), member("mail", "send", "s")];
        let found = posture(&members);
        assert_eq!(found.witnesses.first().map(Witness::servers), Some(alloc::vec!["files", "web"]));
        assert!(found.single_servers.is_empty());
        let expected = [("files", None), ("web", None), ("files", Some("read")), ("web", Some("fetch"))];
        assert_eq!(found.breaking, expected);
    }

    #[test]
    fn two_of_three_do_not_meet() {
        assert!(!posture(&[member("files", "read", "p"), member("mail", "send", "s")]).is_complete());
        let alone = posture(&[member("mail", "inbox", "pu"), member("mail", "send", "s")]);
        assert_eq!(alone.single_servers, ["mail"]);
    }
}
