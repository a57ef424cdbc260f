//! Whether private data, untrusted content and a way out meet, as people and programs read it: text, JSON and a picture.

mod dot;
mod svg;

use std::io::{self, Write};

use portcullis_decide::posture::{Member, Posture, Reach};
use portcullis_detect::escape_line;
use serde::{Deserialize, Serialize};

pub use dot::write as write_dot;
pub use svg::write as write_svg;

/// The version of the JSON.
const SCHEMA: &str = "portcullis.posture/1";
/// Tools that are listed and drawn; of more it is only said how many there are.
const MOST_TOOLS: usize = 120;
/// Characters of a name in text.
const LONGEST_NAME: usize = 120;

/// A posture as it is written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostureReport {
    /// The version of this form.
    pub schema: String,
    /// Whether the three meet.
    pub complete: bool,
    /// How much that matters: `high` if something leads wherever a call says, else `medium`.
    pub severity: Option<String>,
    /// The tools that play a part.
    pub tools: Vec<PostureTool>,
    /// How many more do.
    pub tools_left_out: usize,
    /// One for each combination of servers, what weighs most first.
    pub witnesses: Vec<PostureWitness>,
    /// Servers that have all three alone.
    pub single_servers: Vec<String>,
    /// Servers, or single tools, without which the three no longer meet.
    pub breaking: Vec<Removal>,
}

/// A tool and its part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostureTool {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// It reads private data.
    pub reads_private: bool,
    /// It shows what others wrote.
    pub sees_untrusted: bool,
    /// How far it can send, `free` or `fixed`; absent if it cannot.
    pub can_send: Option<String>,
}

/// One tool for each part: together they can leak.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostureWitness {
    /// Reads private data.
    pub reads_private: ToolName,
    /// Shows what others wrote.
    pub sees_untrusted: ToolName,
    /// Sends.
    pub can_send: ToolName,
    /// `free` or `fixed`.
    pub reach: String,
    /// The servers that take part.
    pub servers: Vec<String>,
}

/// A tool by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolName {
    /// The server.
    pub server: String,
    /// The tool.
    pub tool: String,
}

/// What could be taken away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The server.
    pub server: String,
    /// One tool of it; the whole server if absent.
    pub tool: Option<String>,
}

impl PostureReport {
    /// What was found among these tools.
    pub fn of(members: &[Member<'_>], found: &Posture<'_>) -> PostureReport {
        let name = |member: &Member<'_>| ToolName { server: member.server.into(), tool: member.tool.into() };
        let tool = |member: &Member<'_>| PostureTool {
            server: member.server.into(),
            tool: member.tool.into(),
            reads_private: member.reads_private,
            sees_untrusted: member.sees_untrusted,
            can_send: member.sends.map(|reach| reach.as_str().to_owned()),
        };
        let parts: Vec<&Member<'_>> = members.iter().filter(|member| member.has_role()).collect();
        let witnesses = found.witnesses.iter().map(|witness| PostureWitness {
            reads_private: name(&witness.private),
            sees_untrusted: name(&witness.untrusted),
            can_send: name(&witness.sender),
            reach: witness.reach().as_str().to_owned(),
            servers: witness.servers().into_iter().map(str::to_owned).collect(),
        });
        let removal = |(server, tool): &(&str, Option<&str>)| Removal {
            server: (*server).to_owned(),
            tool: tool.map(str::to_owned),
        };
        PostureReport {
            schema: SCHEMA.to_owned(),
            complete: found.is_complete(),
            severity: found.reach().map(|reach| reach.severity().to_owned()),
            tools: parts.iter().take(MOST_TOOLS).map(|member| tool(member)).collect(),
            tools_left_out: parts.len().saturating_sub(MOST_TOOLS),
            witnesses: witnesses.collect(),
            single_servers: found.single_servers.clone(),
            breaking: found.breaking.iter().map(removal).collect(),
        }
    }

    /// Whether one removal, of the tool or its server, parts the three.
    fn is_breaking(&self, server: &str, tool: &str) -> bool {
        self.breaking
            .iter()
            .any(|one| one.server == server && one.tool.as_deref().is_none_or(|named| named == tool))
    }

    /// Text for people.
    pub fn write_plain(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.complete {
            return writeln!(out, "private data, untrusted content and a way out do not meet");
        }
        let severity = escape_line(self.severity.as_deref().unwrap_or_default(), LONGEST_NAME);
        writeln!(out, "private data, untrusted content and a way out meet ({severity}):")?;
        for witness in &self.witnesses {
            let (private, untrusted, sender) =
                (&witness.reads_private, &witness.sees_untrusted, &witness.can_send);
            let place = if witness.is_free() { "to any place a call names" } else { "to a fixed place" };
            writeln!(
                out,
                "  {} -> {} {place}, led by {}",
                private.shown(),
                sender.shown(),
                untrusted.shown()
            )?;
        }
        for server in &self.single_servers {
            writeln!(out, "{} alone has all three", escape_line(server, LONGEST_NAME))?;
        }
        for removal in &self.breaking {
            writeln!(out, "without {} they no longer meet", removal.shown())?;
        }
        if self.breaking.is_empty() {
            writeln!(out, "no single removal parts them")?;
        }
        Ok(())
    }
}

impl PostureWitness {
    fn is_free(&self) -> bool {
        self.reach == Reach::Free.as_str()
    }
}

impl ToolName {
    fn shown(&self) -> String {
        escape_line(&format!("{}/{}", self.server, self.tool), LONGEST_NAME)
    }
}

impl Removal {
    fn shown(&self) -> String {
        let tool = self.tool.as_deref().map(|tool| format!("/{tool}")).unwrap_or_default();
        escape_line(&format!("{}{tool}", self.server), LONGEST_NAME)
    }
}

/// One of the three parts: what a picture has a column for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Untrusted,
    Private,
    Sender,
}

impl Part {
    /// In the order an attack takes.
    const ALL: [Part; 3] = [Part::Untrusted, Part::Private, Part::Sender];

    fn heading(self) -> &'static str {
        match self {
            Part::Untrusted => "written by others",
            Part::Private => "private data",
            Part::Sender => "a way out",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Part::Untrusted => "sees_untrusted",
            Part::Private => "reads_private",
            Part::Sender => "can_send",
        }
    }

    fn is_of(self, tool: &PostureTool) -> bool {
        match self {
            Part::Untrusted => tool.sees_untrusted,
            Part::Private => tool.reads_private,
            Part::Sender => tool.can_send.is_some(),
        }
    }

    fn of_witness(self, witness: &PostureWitness) -> &ToolName {
        match self {
            Part::Untrusted => &witness.sees_untrusted,
            Part::Private => &witness.reads_private,
            Part::Sender => &witness.can_send,
        }
    }
}

/// A way between two tools that a witness takes.
struct Way<'a> {
    from: (Part, &'a ToolName),
    to: (Part, &'a ToolName),
    is_free: bool,
}

impl PostureReport {
    /// The ways of all witnesses, each once.
    fn ways(&self) -> Vec<Way<'_>> {
        let mut ways: Vec<Way<'_>> = Vec::new();
        for witness in &self.witnesses {
            for (from, to) in [(Part::Untrusted, Part::Private), (Part::Private, Part::Sender)] {
                let way = Way {
                    from: (from, from.of_witness(witness)),
                    to: (to, to.of_witness(witness)),
                    is_free: to == Part::Sender && witness.is_free(),
                };
                if !ways.iter().any(|known| known.from == way.from && known.to == way.to) {
                    ways.push(way);
                }
            }
        }
        ways
    }

    /// The tools that play a part, by server.
    fn column(&self, part: Part) -> Vec<&PostureTool> {
        let mut tools: Vec<&PostureTool> = self.tools.iter().filter(|tool| part.is_of(tool)).collect();
        tools.sort_by(|one, other| (&one.server, &one.tool).cmp(&(&other.server, &other.tool)));
        tools
    }
}

#[cfg(test)]
mod tests;
