//! What happened in a flow, call by call: names, verdicts and whose data moved where, never the data.

use std::collections::VecDeque;
use std::sync::Arc;

use portcullis_decide::policy::{Act, ResultVerdict, Verdict};
use portcullis_decide::risk;
use portcullis_detect::CallObservation;
use portcullis_detect::call::{Operation, ToolProfile};
use portcullis_store::time_text;
use serde_json::{Value, json};

use super::words;
use crate::settings::ServerName;

/// Calls of a flow that are kept; before those it is only known how many there were.
const MOST_STEPS: usize = 256;
/// Sources one call is drawn to.
const MOST_EDGES: usize = 16;
/// Rules one call is marked with.
const MOST_RULES: usize = 8;
/// Sessions whose calls one flow tells apart.
const MOST_SESSIONS: usize = 64;

/// The calls of one flow, in order.
#[derive(Default)]
pub(crate) struct Journal {
    steps: VecDeque<Step>,
    /// All calls there were, also those no longer kept.
    noted: u64,
    sessions: VecDeque<Arc<str>>,
    /// Bytes that the steps hold besides their own; counted along, because it is asked after every call.
    held: usize,
}

/// One call.
struct Step {
    at_ms: u64,
    session: Arc<str>,
    server: ServerName,
    tool: Box<str>,
    profile: Arc<ToolProfile>,
    operation: Operation,
    is_outward: bool,
    said: Said,
    edges: Vec<Edge>,
    answer: Option<Answer>,
}

/// What was decided about a call or a result.
struct Said {
    act: &'static str,
    risk: u8,
    rules: Vec<Box<str>>,
}

/// A result, and the number the flow knows it by.
struct Answer {
    number: Option<u32>,
    is_error: bool,
    said: Said,
}

/// Something of an earlier result, in a later call.
struct Edge {
    /// The step, counted from 0 over the whole flow.
    from: u64,
    /// The check that minds; `None` if data moved and none does.
    check: Option<&'static str>,
    /// How it was recognised.
    evidence: &'static str,
    is_encoded: bool,
    risk: u8,
}

/// A call that is written down.
pub(super) struct Noted<'a> {
    pub(super) at_ms: u64,
    pub(super) session: &'a str,
    pub(super) server: &'a ServerName,
    pub(super) tool: &'a str,
    pub(super) profile: &'a Arc<ToolProfile>,
}

/// Which step of a journal a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepId(u64);

impl Journal {
    /// Writes a call down before it leaves.
    pub(super) fn call(&mut self, noted: &Noted<'_>, seen: &CallObservation, verdict: &Verdict) -> StepId {
        if self.steps.len() >= MOST_STEPS {
            self.held -= self.steps.pop_front().map_or(0, |step| step.bytes());
        }
        let step = Step {
            at_ms: noted.at_ms,
            session: self.session(noted.session),
            server: noted.server.clone(),
            tool: words::shown(noted.tool).into(),
            profile: Arc::clone(noted.profile),
            operation: seen.operation,
            is_outward: seen.is_outward,
            said: Said::new(verdict.act.as_str(), verdict.risk, verdict.rules.iter()),
            edges: self.edges(seen),
            answer: None,
        };
        self.held += step.bytes();
        self.steps.push_back(step);
        self.noted += 1;
        StepId(self.noted - 1)
    }

    /// Writes down that a result came.
    pub(super) fn result(&mut self, step: StepId, is_error: bool, verdict: &ResultVerdict) {
        if let Some(step) = self.step(step) {
            let rules = verdict.rules.iter().map(|(rule, _)| rule);
            let said = Said::new(verdict.act.as_str(), verdict.risk, rules);
            let before = step.bytes();
            step.answer = Some(Answer { number: None, is_error, said });
            let after = step.bytes();
            self.held = self.held - before + after;
        }
    }

    /// The flow will know the result by this number.
    pub(super) fn numbered(&mut self, step: StepId, number: u32) {
        if let Some(answer) = self.step(step).and_then(|step| step.answer.as_mut()) {
            answer.number = Some(number);
        }
    }

    /// Whether calls of this session are in it.
    pub(crate) fn has_session(&self, session: &str) -> bool {
        self.sessions.iter().any(|known| **known == *session)
    }

    /// How many calls there were.
    pub(crate) fn noted(&self) -> u64 {
        self.noted
    }

    /// When the first call that is kept and the last one came, in milliseconds since 1970.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        Some((self.steps.front()?.at_ms, self.steps.back()?.at_ms))
    }

    /// Bytes held on the heap, nearly.
    pub(crate) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>() + self.held
    }

    fn step(&mut self, step: StepId) -> Option<&mut Step> {
        let place = usize::try_from(step.0.checked_sub(self.first())?).ok()?;
        self.steps.get_mut(place)
    }

    /// The number of the first step that is kept.
    fn first(&self) -> u64 {
        self.noted - self.steps.len() as u64
    }

    /// The session of that name, shared by all its calls.
    fn session(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.sessions.iter().find(|known| ***known == *name) {
            return Arc::clone(known);
        }
        if self.sessions.len() >= MOST_SESSIONS {
            self.sessions.pop_front();
        }
        let session = Arc::from(name);
        self.sessions.push_back(Arc::clone(&session));
        session
    }

    /// What of earlier results is in a call: what checks mind, and what merely moved.
    fn edges(&self, seen: &CallObservation) -> Vec<Edge> {
        let mut edges: Vec<Edge> = Vec::new();
        for signal in &seen.signals {
            let Some(from) = signal.from_call.and_then(|number| self.answered(number)) else { continue };
            let moved = seen.moved.iter().find(|moved| Some(moved.from_call) == signal.from_call);
            // An order, or the place it names, is followed without anything being copied.
            let other = if signal.check == "flow.instruction_to_action" { "order" } else { "value" };
            let (evidence, is_encoded) =
                moved.map_or((other, false), |moved| (moved.evidence, moved.is_encoded));
            let check = Some(signal.check);
            if !edges.iter().any(|edge| edge.from == from && edge.check == check) {
                edges.push(Edge {
                    from,
                    check,
                    evidence,
                    is_encoded,
                    risk: risk(std::slice::from_ref(signal)),
                });
            }
        }
        for moved in &seen.moved {
            let Some(from) = self.answered(moved.from_call) else { continue };
            if !edges.iter().any(|edge| edge.from == from) {
                let (evidence, is_encoded) = (moved.evidence, moved.is_encoded);
                edges.push(Edge { from, check: None, evidence, is_encoded, risk: 0 });
            }
        }
        edges.truncate(MOST_EDGES);
        edges
    }

    /// The step whose result the flow knows by this number.
    fn answered(&self, number: u32) -> Option<u64> {
        let is_it = |step: &Step| step.answer.as_ref().is_some_and(|answer| answer.number == Some(number));
        // Numbers begin anew in a flow that was forgotten in part: the last one is meant.
        let place = self.steps.iter().rposition(is_it)?;
        Some(self.first() + place as u64)
    }

    /// The calls, and what moved between them. Calls are counted from 1, as people do.
    pub(super) fn shown(&self) -> (Vec<Value>, Vec<Value>) {
        let first = self.first();
        let numbered = || self.steps.iter().zip(first + 1..);
        let calls = numbered().map(|(step, number)| step.shown(number)).collect();
        let edges = numbered().flat_map(|(step, number)| {
            step.edges.iter().map(move |edge| {
                json!({
                    "from": edge.from + 1, "to": number, "check": edge.check, "evidence": edge.evidence,
                    "encoded": edge.is_encoded, "risk": edge.risk,
                })
            })
        });
        (calls, edges.collect())
    }

    /// Calls that are no longer kept.
    pub(super) fn forgotten(&self) -> u64 {
        self.first()
    }
}

impl Said {
    fn new<'a>(act: &'static str, risk: u8, rules: impl Iterator<Item = &'a String>) -> Said {
        let rules = rules.take(MOST_RULES).map(|rule| words::shown(rule).into()).collect();
        Said { act, risk, rules }
    }

    fn shown(&self) -> Value {
        json!({ "act": self.act, "risk": self.risk, "rules": self.rules })
    }
}

impl Step {
    /// Bytes held on the heap, nearly.
    fn bytes(&self) -> usize {
        let rules =
            |said: &Said| said.rules.iter().map(|rule| rule.len() + size_of::<Box<str>>()).sum::<usize>();
        let answered = self.answer.as_ref().map_or(0, |answer| rules(&answer.said));
        self.tool.len() + rules(&self.said) + answered + self.edges.capacity() * size_of::<Edge>()
    }

    fn shown(&self, number: u64) -> Value {
        let labels: Vec<&str> = self.profile.labels().iter().map(|(label, _)| label.as_str()).collect();
        let status = match &self.answer {
            Some(Answer { is_error: true, .. }) => "failed",
            Some(_) => "answered",
            None if self.said.act == Act::Deny.as_str() => "refused",
            None if self.said.act == Act::Approve.as_str() => "held",
            None => "sent",
        };
        let at_us = i64::try_from(self.at_ms.saturating_mul(1000)).unwrap_or(i64::MAX);
        json!({
            "call": number, "time": time_text(at_us), "session": &*self.session,
            "server": self.server.as_str(), "tool": self.tool, "operation": self.operation.as_str(),
            "labels": labels, "outward": self.is_outward, "status": status, "verdict": self.said.shown(),
            "result": self.answer.as_ref().map(|answer| answer.said.shown()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_decide::policy::ResultAct;
    use portcullis_detect::call::{Call, Override};
    use portcullis_detect::json::Json;
    use portcullis_detect::sensitive::SensitiveData;
    use portcullis_detect::{Flow, Guard, GuardSettings, Moved};

    fn seen(from: Option<u32>) -> CallObservation {
        let guard = Guard::new(GuardSettings::default(), SensitiveData::new());
        let arguments = Json::parse("{}").unwrap();
        let call = Call { server: "mail", tool: "get", arguments: &arguments, intent: None, at_ms: 0 };
        let profile = ToolProfile::of_call("get", &[], &Override::default());
        let mut seen = guard.observe_call(&call, &profile, &Flow::new(1), None);
        let moved = |from_call: u32| Moved { from_call, evidence: "passage", is_encoded: false };
        seen.moved = from.into_iter().map(moved).collect();
        seen
    }

    fn noted(journal: &mut Journal, seen: &CallObservation) -> StepId {
        let profile = Arc::new(ToolProfile::of_call("get", &[], &Override::default()));
        let server = ServerName::parse("mail").unwrap();
        let noted =
            Noted { at_ms: 7, session: "one", server: &server, tool: "ge\u{202e}t", profile: &profile };
        let allowed = Verdict { act: Act::Log, risk: 0, is_flagged: false, rules: Vec::new() };
        journal.call(&noted, seen, &allowed)
    }

    fn passed() -> ResultVerdict {
        ResultVerdict { act: ResultAct::Pass, risk: 0, is_flagged: false, rules: Vec::new() }
    }

    #[test]
    fn an_edge_leads_from_the_call_whose_result_it_was() {
        let mut journal = Journal::default();
        // The first call is never answered: the flow counts results, people count calls.
        noted(&mut journal, &seen(None));
        let read = noted(&mut journal, &seen(None));
        journal.result(read, false, &passed());
        journal.numbered(read, 0);
        noted(&mut journal, &seen(Some(0)));
        let (calls, edges) = journal.shown();
        assert_eq!((&calls[1]["status"], &calls[0]["status"]), (&json!("answered"), &json!("sent")));
        assert_eq!(calls[0]["tool"], "geU+202Et");
        assert_eq!((edges.len(), &edges[0]["from"], &edges[0]["to"]), (1, &json!(2), &json!(3)));
        assert_eq!((&edges[0]["check"], &edges[0]["evidence"]), (&Value::Null, &json!("passage")));
    }

    #[test]
    fn only_the_last_calls_are_kept_and_the_others_counted() {
        let mut journal = Journal::default();
        let seen = seen(None);
        let first = noted(&mut journal, &seen);
        for _ in 0..MOST_STEPS + 9 {
            noted(&mut journal, &seen);
        }
        journal.result(first, false, &passed());
        journal.numbered(first, 0);
        let (calls, _) = journal.shown();
        assert_eq!((calls.len(), journal.forgotten(), journal.noted()), (MOST_STEPS, 10, 266));
        assert_eq!(calls[0]["call"], 11);
        assert!(calls.iter().all(|call| call["status"] == "sent"), "a forgotten call's result is no other's");
        assert!(journal.bytes() < 128 << 10, "{}", journal.bytes());
        assert_eq!(journal.held, journal.steps.iter().map(Step::bytes).sum::<usize>());
    }
}
