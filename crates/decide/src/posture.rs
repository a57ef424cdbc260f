//! Whether private data, untrusted content and a way out meet among the enabled tools, and what would part them.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;
use portcullis_detect::call::{Label, ToolProfile};

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
    /// It can send, and so far.
    pub sends: Option<Reach>,
}

/// How far a tool that sends can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// To places that were set up beforehand, or that its schema lists.
    Fixed,
    /// Wherever the call says: whoever leads the agent chooses the place.
    Free,
}

impl Reach {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Reach::Fixed => "fixed",
            Reach::Free => "free",
        }
    }

    /// How much it matters that the three meet by such a way out.
    pub fn severity(self) -> &'static str {
        match self {
            Reach::Fixed => "medium",
            Reach::Free => "high",
        }
    }
}

impl<'a> Member<'a> {
    /// A tool with the roles its profile gives it.
    pub fn of(server: &'a str, tool: &'a str, profile: &ToolProfile) -> Member<'a> {
        let is_free = profile.has(Label::Executes) || profile.takes_destination();
        let sends = profile.has(Label::CanSend) || profile.has(Label::Executes);
        Member {
            server,
            tool,
            reads_private: profile.has(Label::ReadsPrivate),
            sees_untrusted: profile.has(Label::SeesUntrusted),
            sends: sends.then_some(if is_free { Reach::Free } else { Reach::Fixed }),
        }
    }

    /// Whether it plays any part in this.
    pub fn has_role(&self) -> bool {
        self.reads_private || self.sees_untrusted || self.sends.is_some()
    }

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
    /// How far what is leaked can go.
    pub fn reach(&self) -> Reach {
        self.sender.sends.unwrap_or(Reach::Fixed)
    }

    /// The servers that take part, each once.
    pub fn servers(&self) -> Vec<&'a str> {
        let all: BTreeSet<&str> = [self.private.server, self.untrusted.server, self.sender.server].into();
        all.into_iter().collect()
    }
}

/// What was found. An item to look at, never an alarm: most set-ups have all three.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posture<'a> {
    /// One witness for each combination of servers: first those that lead anywhere, among them those of few servers.
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

    /// How far what is leaked can go; `None` if the three do not meet.
    pub fn reach(&self) -> Option<Reach> {
        self.witnesses.first().map(Witness::reach)
    }
}

/// Witnesses shown.
const MOST_WITNESSES: usize = 10;
/// Servers that are combined for each role: all combinations of a thousand servers would be a thousand million.
const MOST_COMBINED: usize = 24;

/// Which of the three roles a tool has.
const ROLES: [fn(&Member<'_>) -> bool; 3] =
    [|member| member.reads_private, |member| member.sees_untrusted, |member| member.sends.is_some()];

/// The posture of a set of enabled tools.
pub fn posture<'a>(members: &[Member<'a>]) -> Posture<'a> {
    let [private, untrusted, senders] = ROLES.map(|has| foremost(members, has));
    let is_among = |server: &&str, all: &BTreeMap<&str, Member<'a>>| all.contains_key(server);
    let single_servers = private.keys().filter(|one| is_among(one, &untrusted) && is_among(one, &senders));
    let single_servers = single_servers.map(ToString::to_string).collect();
    // A server with several roles makes witnesses of few servers, which are the ones to be shown.
    let roles =
        |server: &str| [&private, &untrusted, &senders].iter().filter(|all| all.contains_key(server)).count();
    let combined = |all: &BTreeMap<&str, Member<'a>>| {
        let mut members: Vec<Member<'a>> = all.values().copied().collect();
        members.sort_by_key(|member| (Reverse(member.sends), Reverse(roles(member.server))));
        members.truncate(MOST_COMBINED);
        members
    };
    let (private, untrusted, senders) = (combined(&private), combined(&untrusted), combined(&senders));
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
    witnesses.sort_by_key(|witness| (Reverse(witness.reach()), witness.servers().len()));
    witnesses.truncate(MOST_WITNESSES);
    let breaking = if witnesses.is_empty() { Vec::new() } else { breaking(members) };
    Posture { witnesses, single_servers, breaking }
}

/// For each server its tool of that role: the first, or of several that send the one that reaches furthest.
fn foremost<'a>(members: &[Member<'a>], has: fn(&Member<'_>) -> bool) -> BTreeMap<&'a str, Member<'a>> {
    let mut by_server: BTreeMap<&str, Member<'a>> = BTreeMap::new();
    for member in members.iter().filter(|member| has(member)) {
        let known = by_server.entry(member.server).or_insert(*member);
        if member.sends > known.sends {
            *known = *member;
        }
    }
    by_server
}

/// What some role cannot do without: its only server, its only tool.
fn breaking<'a>(members: &[Member<'a>]) -> Vec<(&'a str, Option<&'a str>)> {
    let mut servers: BTreeSet<&str> = BTreeSet::new();
    let mut tools: BTreeSet<(&str, &str)> = BTreeSet::new();
    for has in ROLES {
        let mut all = members.iter().filter(|member| has(member));
        let Some(first) = all.next() else { continue };
        let (mut is_server, mut is_tool) = (true, true);
        for other in all {
            is_server &= other.server == first.server;
            is_tool &= (other.server, other.tool) == (first.server, first.tool);
        }
        servers.extend(is_server.then_some(first.server));
        tools.extend(is_tool.then_some((first.server, first.tool)));
    }
    let servers = servers.into_iter().map(|server| (server, None));
    servers.chain(tools.into_iter().map(|(server, tool)| (server, Some(tool)))).collect()
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
            sends: match roles {
                free if free.contains('s') => Some(Reach::Free),
                fixed if fixed.contains('f') => Some(Reach::Fixed),
                _ => None,
            },
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
    fn a_way_out_that_leads_anywhere_weighs_more_than_few_servers() {
        let fixed = [member("mail", "inbox", "pu"), member("mail", "notify", "f")];
        assert_eq!(posture(&fixed).reach(), Some(Reach::Fixed));
        let both = [fixed[0], fixed[1], member("web", "post", "s")];
        let found = posture(&both);
        assert_eq!(found.witnesses.first().map(|one| one.sender.tool), Some("post"));
        assert_eq!((found.reach(), &*found.single_servers), (Some(Reach::Free), &["mail".to_string()][..]));
        let same = [fixed[0], fixed[1], member("mail", "post", "s")];
        assert_eq!(posture(&same).witnesses.first().map(|one| one.sender.tool), Some("post"));
    }

    #[test]
    fn a_thousand_servers_are_looked_at_without_all_their_combinations() {
        let names: Vec<String> = (0..1000).map(|number| alloc::format!("s{number:04}")).collect();
        let mut members: Vec<Member<'_>> = Vec::new();
        for name in &names {
            members.extend(["p", "u", "f"].map(|role| member(name, role, role)));
        }
        members.push(member("zz", "post", "s"));
        let found = posture(&members);
        assert_eq!((found.witnesses.len(), found.single_servers.len()), (MOST_WITNESSES, 1000));
        assert_eq!(found.witnesses.first().map(|one| one.sender.tool), Some("post"));
        assert!(found.breaking.is_empty());
    }

    #[test]
    fn two_of_three_do_not_meet() {
        assert!(!posture(&[member("files", "read", "p"), member("mail", "send", "s")]).is_complete());
        let alone = posture(&[member("mail", "inbox", "pu"), member("mail", "send", "s")]);
        assert_eq!(alone.single_servers, ["mail"]);
    }
}
