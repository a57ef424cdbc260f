//! Results, and what servers ask: looked at before an agent sees them, and written anew where the policy says so.

use bytes::Bytes;
use portcullis_decide::policy::{Policy, ResultAct, ResultVerdict, judge_result};
use portcullis_detect::call::{self, Label, Operation, Override, ToolProfile};
use portcullis_detect::json::Json;
use portcullis_detect::{Flow, Footprint, ResultObservation, edit};
use portcullis_store::masked_text;

use super::{Bench, Judge, Judged, Opinion, Party, read, words};

/// Texts of one result that are looked at by themselves; where texts are taken out, those beyond are too.
const MOST_TEXTS: usize = 256;
/// Nothing shorter gives an order or shows a picture.
const SHORTEST: usize = 12;

/// A result or a question that was looked at.
pub(crate) struct Heard {
    pub(crate) verdict: ResultVerdict,
    pub(crate) opinion: Opinion,
    /// What goes back instead of what came.
    pub(crate) edited: Option<Bytes>,
}

/// What is done about a result that was looked at; recordings are judged by it too.
pub fn verdict_on_result(call: &call::Call<'_>, seen: &ResultObservation, policy: &Policy) -> ResultVerdict {
    judge_result(call.server, call.tool, &seen.signals, policy, seen.coverage.is_degraded())
}

impl Judge {
    /// Looks at the result of a call before it goes back, and remembers both.
    pub(crate) fn result(&self, judged: &Judged, raw: &[u8], is_error: bool) -> Heard {
        let result = read(raw);
        let (call, profile, bench) = (judged.call(), &judged.profile, &judged.bench);
        let mut inner = judged.strand.lock();
        let seen = bench.guard.observe_result(&call, profile, &inner.flow, &result);
        let looked = Looked { bench, call: &call, profile, flow: &inner.flow, key: self.flows.key() };
        let heard = looked.heard(&seen, raw);
        inner.is_clean &= heard.verdict.act < ResultAct::Hold;
        inner.journal.result(judged.step, is_error, &heard.verdict);
        let footprint = match is_error {
            // A call that failed sent nothing; what its error says is still read.
            true => Footprint::of_result(seen.memory),
            false => bench.guard.footprint(&call, &judged.departure, &result, seen.memory, self.flows.key()),
        };
        inner.leave(footprint, Some(judged.step), self.is_shared());
        self.flows.weigh(&judged.strand, &inner);
        drop(inner);
        self.baselines.learn(&self.flows.keep_within());
        heard
    }

    /// Looks at what a server asks of an agent or its user.
    pub(crate) fn question(&self, party: &Party, server: &str, method: &str, params: &[u8]) -> Heard {
        let bench = self.bench();
        let (strand, ended) = self.flows.get(party.flow, &party.agent);
        self.baselines.learn(&ended);
        let members = [("method".into(), Json::String(method.into())), ("params".into(), read(params))];
        let (question, none) = (Json::Object(members.into()), Json::Object(Vec::new()));
        let call = call::Call { server, tool: method, arguments: &none, intent: None, at_ms: self.time_ms() };
        // Others wrote it, whatever its name says it does.
        let said = Override {
            operation: Some(Operation::Read),
            labels: vec![(Label::SeesUntrusted, true)],
            ..Override::default()
        };
        let profile = ToolProfile::of_call(method, &[], &said);
        let mut inner = strand.lock();
        let seen = bench.guard.observe_result(&call, &profile, &inner.flow, &question);
        let (flow, key) = (&inner.flow, self.flows.key());
        let looked = Looked { bench: &bench, call: &call, profile: &profile, flow, key };
        let heard = looked.heard(&seen, params);
        inner.is_clean &= heard.verdict.act < ResultAct::Hold;
        let footprint = bench.guard.footprint_of_question(&call, &question, seen.memory);
        inner.leave(footprint, None, self.is_shared());
        self.flows.weigh(&strand, &inner);
        drop(inner);
        self.baselines.learn(&self.flows.keep_within());
        heard
    }
}

/// Something of a server, and what it is looked at with.
struct Looked<'a> {
    bench: &'a Bench,
    call: &'a call::Call<'a>,
    profile: &'a ToolProfile,
    flow: &'a Flow,
    /// Known to this gateway alone.
    key: u64,
}

impl Looked<'_> {
    fn heard(&self, seen: &ResultObservation, raw: &[u8]) -> Heard {
        let mut verdict = verdict_on_result(self.call, seen, &self.bench.rules.policy);
        let edited = match verdict.act {
            ResultAct::Pass | ResultAct::Hold => None,
            ResultAct::Mark | ResultAct::Strip => self.edited(raw, &mut verdict),
        };
        Heard { opinion: words::result_opinion(&verdict, &seen.signals, &seen.coverage), verdict, edited }
    }

    /// The text without what is to be taken out, and with a word around what speaks to the model. What cannot be taken
    /// out is held.
    fn edited(&self, raw: &[u8], verdict: &mut ResultVerdict) -> Option<Bytes> {
        let came = std::str::from_utf8(raw).ok()?;
        let mut text = std::borrow::Cow::Borrowed(came);
        let of = |act: ResultAct| -> Vec<&str> {
            let rules = verdict.rules.iter().filter(|(_, done)| *done == act);
            rules.map(|(rule, _)| rule.as_str()).filter(|rule| *rule != HIDDEN && *rule != INBOUND).collect()
        };
        let (cut, marked) = (of(ResultAct::Strip), of(ResultAct::Mark));
        if verdict.does(ResultAct::Strip, HIDDEN) {
            text = edit::strip(&text).map_or(text, Into::into);
        }
        if !cut.is_empty() {
            match edit::cut(&text, self.raising(&cut, true), words::CUT) {
                Some(without) => text = without.into(),
                None => {
                    verdict.act = ResultAct::Hold;
                    return None;
                }
            }
        }
        if verdict.does(ResultAct::Strip, INBOUND) {
            let guard = &self.bench.guard;
            let masked = masked_text(guard.sensitive(), text.as_bytes(), |hit| guard.is_telling(hit));
            text = masked.0.into();
        }
        if !marked.is_empty() || verdict.does(ResultAct::Mark, HIDDEN) {
            let (before, after) = words::untrusted(self.key, &text);
            text = edit::mark(&text, self.raising(&marked, false), &before, &after).map_or(text, Into::into);
        }
        (*text != *came).then(|| Bytes::from(text.into_owned()))
    }

    /// Whether a text raises one of these checks by itself; `beyond` counts for those that are too many to be looked at.
    fn raising(&self, checks: &[&str], beyond: bool) -> impl FnMut(&str) -> bool {
        let mut left = MOST_TEXTS;
        move |text| {
            if text.len() < SHORTEST {
                return false;
            }
            if left == 0 {
                return beyond;
            }
            left -= 1;
            let text = Json::String(text.into());
            let seen = self.bench.guard.observe_result(self.call, self.profile, self.flow, &text);
            seen.signals.iter().any(|signal| checks.contains(&signal.check))
        }
    }
}

const HIDDEN: &str = "result.hidden";
const INBOUND: &str = "sensitive.inbound";
