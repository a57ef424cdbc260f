//! Calls as a gateway would record them: JSON of some 550 bytes with words, numbers and names that repeat.

use portcullis_store::{Draft, Kind, Status};

const WORDS: [&str; 16] = [
    "invoice",
    "quarter",
    "customer",
    "branch",
    "commit",
    "review",
    "shipment",
    "balance",
    "ticket",
    "release",
    "meeting",
    "summary",
    "inventory",
    "deploy",
    "search",
    "record",
];
const SERVERS: [&str; 8] = ["github", "files", "mail", "calendar", "browser", "billing", "search", "tickets"];
const STATUSES: [Status; 4] = [Status::Sent, Status::Answered, Status::Refused, Status::Failed];
/// The time of the first record; a second lies between two.
const START_US: i64 = 4_000_000_000_000_000;

/// What one call says, by its number.
pub(crate) struct Call {
    number: u64,
    tool: String,
    session: String,
    arguments: String,
}

impl Call {
    pub(crate) fn new(number: u64) -> Call {
        let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut text = String::new();
        while text.len() < 430 {
            let word = WORDS[(next() % 16) as usize];
            text.push_str(word);
            text.push_str(&format!(" {} ", next() % 1000));
        }
        let arguments = format!(
            "{{\"number\":{number},\"id\":\"{:016x}\",\"page\":{},\"text\":\"{text}\"}}",
            next(),
            next() % 100
        );
        let tool = format!("tool_{}", number % 40);
        Call { number, tool, session: format!("session-{}", number / 50), arguments }
    }

    pub(crate) fn draft(&self) -> Draft<'_> {
        let place = |count: usize| (self.number % count as u64) as usize;
        Draft {
            server: SERVERS[place(SERVERS.len())],
            tool: &self.tool,
            session: &self.session,
            risk: (self.number % 97) as u8,
            arguments: Some(self.arguments.as_bytes()),
            ..Draft::new(
                Kind::ToolCall,
                STATUSES[place(STATUSES.len())],
                START_US + self.number as i64 * 1_000_000,
            )
        }
    }
}
