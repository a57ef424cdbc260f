//! An alert: what happened, where, and why somebody should know. Nothing in it is told in clear.

use portcullis_decide::Band;
use portcullis_detect::escape_line;
use portcullis_detect::sensitive::SensitiveData;
use portcullis_store::{masked_text, time_text};
use serde_json::{Value, json};

use crate::session::now_us;

/// The version of what is posted.
const SCHEMA: &str = "portcullis.alert/1";
/// The most that is told of a name.
const LONGEST_NAME: usize = 200;
/// The most that is told of a reason, and how many.
const LONGEST_REASON: usize = 400;
const MOST_REASONS: usize = 16;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    CallDenied,
    CallHeld,
    /// A call passed, and was warned about.
    CallWarned,
    ResultHeld,
    ResultWarned,
    /// A server asked an agent or its user something.
    QuestionHeld,
    QuestionWarned,
    CanarySeen,
    CheckFailed,
    RugPull,
    HardFinding,
    ServerQuarantined,
    ApprovalRequested,
    LaunchChanged,
    /// The store of flows is away.
    FlowsAway,
    Test,
}

impl What {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            What::CallDenied => "call_denied",
            What::CallHeld => "call_held",
            What::CallWarned => "call_warned",
            What::ResultHeld => "result_held",
            What::ResultWarned => "result_warned",
            What::QuestionHeld => "question_held",
            What::QuestionWarned => "question_warned",
            What::CanarySeen => "canary_seen",
            What::CheckFailed => "check_failed",
            What::RugPull => "rug_pull",
            What::HardFinding => "hard_finding",
            What::ServerQuarantined => "server_quarantined",
            What::ApprovalRequested => "approval_requested",
            What::LaunchChanged => "launch_changed",
            What::FlowsAway => "flows_away",
            What::Test => "test",
        }
    }

    /// The same for people.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            What::CallDenied => "A call was denied",
            What::CallHeld => "A call waits for your decision",
            What::CallWarned => "A call passed that should be looked at",
            What::ResultHeld => "A result was held back",
            What::ResultWarned => "A result passed that should be looked at",
            What::QuestionHeld => "A question of a server was held back",
            What::QuestionWarned => "A question of a server passed that should be looked at",
            What::CanarySeen => "A planted token was touched",
            What::CheckFailed => "A check failed on a call",
            What::RugPull => "A tool changed after it was approved",
            What::HardFinding => "A tool is held: a hard check speaks against it",
            What::ServerQuarantined => "An agent asked for a server to be held",
            What::ApprovalRequested => "An agent asks for something to be approved",
            What::LaunchChanged => "A server is launched in another way than was confirmed",
            What::FlowsAway => "What other gateways saw of a flow is not known",
            What::Test => "This is a test",
        }
    }

    /// How bad it is where no risk says it.
    pub(crate) fn usual(self) -> Band {
        match self {
            What::CanarySeen => Band::Critical,
            What::RugPull | What::HardFinding | What::LaunchChanged | What::FlowsAway => Band::High,
            What::ServerQuarantined | What::CheckFailed => Band::Medium,
            _ => Band::Low,
        }
    }
}

/// Something somebody should know.
#[derive(Clone, Debug)]
pub(crate) struct Raised {
    pub(crate) what: What,
    pub(crate) severity: Band,
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) session: String,
    /// Which flow it happened in; 0 outside of any.
    pub(crate) flow: u128,
    pub(crate) risk: u8,
    pub(crate) rules: Vec<String>,
    pub(crate) why: Vec<String>,
    /// The call that waits for a decision.
    pub(crate) call: Option<String>,
}

/// What makes two of them the same thing happening again.
pub(super) type Sameness = (What, String, String, Vec<String>, u128);

impl Raised {
    /// Something about a server, or about one of its tools.
    pub(crate) fn about(what: What, server: &str, tool: &str) -> Raised {
        Raised {
            what,
            severity: what.usual(),
            server: server.to_owned(),
            tool: tool.to_owned(),
            session: String::new(),
            flow: 0,
            risk: 0,
            rules: Vec::new(),
            why: Vec::new(),
            call: None,
        }
    }

    /// Whether nothing was held or denied.
    pub(super) fn is_mild(&self) -> bool {
        matches!(self.what, What::CallWarned | What::ResultWarned | What::QuestionWarned)
    }

    pub(super) fn sameness(&self) -> Sameness {
        (self.what, self.server.clone(), self.tool.clone(), self.rules.clone(), self.flow)
    }
}

/// An alert as it is told: masked, escaped and cut.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(super) id: String,
    pub(super) what: What,
    pub(super) severity: Band,
    /// Server and tool, for a person.
    pub(super) place: String,
    /// What is posted.
    pub(super) body: Value,
}

impl Told {
    /// `count` is how often it happened: once, or again since it was told.
    pub(super) fn new(raised: &Raised, count: u64, masks: &SensitiveData) -> Told {
        let safe =
            |text: &str, most: usize| escape_line(&masked_text(masks, text.as_bytes(), |_| true).0, most);
        let name = |text: &str| safe(text, LONGEST_NAME);
        let reasons = |all: &[String]| -> Vec<String> {
            all.iter().take(MOST_REASONS).map(|reason| safe(reason, LONGEST_REASON)).collect()
        };
        let (server, tool) = (name(&raised.server), name(&raised.tool));
        let place = [&*server, &*tool].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
        let (id, place) = (new_id(), place.join("/"));
        let body = json!({
            "schema": SCHEMA,
            "id": id,
            "at": time_text(now_us()),
            "alert": raised.what.as_str(),
            "summary": raised.what.sentence(),
            "severity": raised.severity.as_str(),
            "risk": raised.risk,
            "server": server,
            "tool": tool,
            "session": name(&raised.session),
            "rules": reasons(&raised.rules),
            "why": reasons(&raised.why),
            "call": raised.call,
            "count": count,
        });
        Told { id, what: raised.what, severity: raised.severity, place, body }
    }
}

/// An id is the same in every attempt, so that a receiver can tell one it has seen.
fn new_id() -> String {
    let mut bytes = [0; 8];
    // An id that is not random is still an id.
    let _ = getrandom::fill(&mut bytes);
    format!("alert-{:016x}", u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_in_clear_and_nothing_moves_a_cursor() {
        let key = ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
        let mut raised = Raised::about(What::CallDenied, "mail", &format!("send {key}"));
        raised.why = vec![format!("the card 4539578763621486 \u{1b}[2J{}", "x".repeat(1000)); 99];
        raised.session = "a\u{202e}b".to_owned();
        let told = Told::new(&raised, 3, &SensitiveData::new());
        let text = told.body.to_string();
        assert!(!text.contains(&key) && !text.contains("4539578763621486"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains("\\u001b"), "{text}");
        assert_eq!((told.body["why"].as_array().map(Vec::len), &told.body["count"]), (Some(16), &json!(3)));
        assert!(text.len() < 10_000, "{}", text.len());
    }
}
