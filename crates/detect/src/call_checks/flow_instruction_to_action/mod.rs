#![doc = include_str!("README.md")]

use crate::call::view::Leaf;
use crate::call::{CallSignal, Operation, ParameterRole, Source, source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::flow::{Span, SpanKind, Step, atoms, join, keyed_words, walk};
use crate::prelude::*;
use crate::registry::{is_distinctive, spelling};
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "flow.instruction_to_action",
    tier: Tier::Hard,
    owasp: "MCP06:2025 Prompt Injection via Contextual Payloads",
    title: "The call does what a result told the agent to do",
    page: include_str!("README.md"),
};

/// The check.
pub struct FlowInstructionToAction;

impl CallCheck for FlowInstructionToAction {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        if context.flow.spans().is_empty()
            || !context.profile.acts() && context.operation() == Operation::Read
        {
            return Vec::new();
        }
        let leaves = &context.arguments.leaves;
        let found = leaves.iter().find_map(|leaf| obeyed(context, leaf)).or_else(|| done_as_told(context));
        found.into_iter().collect()
    }
}

/// Words of tool and arguments that a passage for machines must share before the deed counts as the one it demands.
const SHARED: usize = 2;

/// A deed that a passage for machines describes, though no value of it stands there.
fn done_as_told(context: &CallContext<'_>) -> Option<CallSignal> {
    if context.flow.spans().is_empty() || !context.operation().acts() {
        return None;
    }
    let key = context.flow.key();
    let name = format!("{} {}", spelling(context.call.tool), spelling(context.call.server)).replace('_', " ");
    let mut words: Vec<Step> = walk(&name, 12).0.into_iter().filter(|word| word.len() > 3).collect();
    let named = words.len();
    let flags = context.arguments.flags.join(" ").replace('_', " ");
    words.extend(walk(&flags, 16).0.into_iter().filter(|word| word.len() > 3));
    for leaf in context.arguments.leaves.iter().filter(|leaf| leaf.role != ParameterRole::Payload) {
        let telling = leaf.steps.iter().filter(|word| word.len() > 3 && !word.is_everyday);
        words.extend(telling.take(8));
    }
    let mut row = keyed_words(&words, key);
    row.extend(other_number(&name, words.get(..named)?, key));
    row.extend(other_number(&flags, &walk(&flags, 16).0, key));
    row.sort_unstable();
    row.dedup();
    let is_for_machines =
        |span: &Span| matches!(span.kind, SpanKind::Directive | SpanKind::Spoken | SpanKind::Hidden);
    let (span, shared) = context.flow.spans().sharing(&row, is_for_machines)?;
    let takes_away = span.deletes && context.operation() == Operation::Destructive;
    let origin = context.flow.origin(span.origin).filter(|_| takes_away || shared >= SHARED)?;
    Some(CallSignal {
        check: FACTS.id,
        source: Source::Flow,
        severity: 85,
        threat: Threat::PromptInjection,
        confidence: Confidence::new(750),
        pointer: String::new(),
        from_call: Some(origin.call),
        detail: format!(
            "does what a passage for machines in the result of call {} describes",
            origin.call + 1
        ),
    })
}

/// "messages" for "message" and the other way round.
fn other_number(name: &str, words: &[Step], key: u64) -> Vec<u32> {
    let texts = words.iter().filter_map(|word| name.get(word.start as usize..word.end as usize));
    let others = texts.map(|word| match word.strip_suffix('s') {
        Some(one) => one.to_owned(),
        None => format!("{word}s"),
    });
    others.flat_map(|other| keyed_words(&walk(&other, 1).0, key)).collect()
}

/// A payload of more words than this is a text, not a value that was asked for.
const FEW_WORDS: usize = 6;
/// Words of a value that is looked for whole.
const LONGEST_VALUE: usize = 48;

fn obeyed(context: &CallContext<'_>, leaf: &Leaf<'_>) -> Option<CallSignal> {
    let key = context.flow.key();
    for (words, is_address) in values(leaf) {
        let value = Value::of(context, leaf, words, is_address);
        let row = keyed_words(words, key);
        let Some(span) = context.flow.spans().holding(&row, |span| value.is_weighty_in(span)) else {
            continue;
        };
        let origin = context.flow.origin(span.origin)?;
        let is_house_rule = span.kind == SpanKind::Order && origin.is_house_rule;
        if is_house_rule || value.is_vouched(context, span.kind, origin.server) {
            continue;
        }
        let is_directive = !matches!(span.kind, SpanKind::Order | SpanKind::Changed);
        let detail = format!(
            "`{}` holds what the result of call {} {}",
            crate::escape_line(leaf.parameter, 60),
            origin.call + 1,
            match span.kind {
                SpanKind::Directive => "demands in a passage that speaks to the model",
                SpanKind::Spoken => "demands of whatever machine reads it",
                SpanKind::Hidden => "demands in characters that cannot be seen",
                SpanKind::Changed => "says is to be used from now on",
                SpanKind::Order => "orders in so many words",
            },
        );
        return Some(CallSignal {
            check: FACTS.id,
            source: Source::Flow,
            severity: 90,
            threat: Threat::PromptInjection,
            confidence: Confidence::new(if is_directive { 950 } else { 850 }),
            pointer: crate::escape_line(&leaf.pointer, 200),
            from_call: Some(origin.call),
            detail,
        });
    }
    None
}

/// The values of a leaf: the whole of it, and the addresses in it.
fn values<'l>(leaf: &'l Leaf<'_>) -> Vec<(&'l [Step], bool)> {
    let mut found: Vec<(&[Step], bool)> = Vec::new();
    atoms(leaf.text, &leaf.steps, |atom| {
        if !atom.is_address {
            return;
        }
        found.extend(leaf.steps.get(atom.first..atom.end).map(|words| (words, true)));
        // The host stands for the link: data may hang behind it.
        let host = leaf.steps.get(atom.first..atom.end).unwrap_or_default();
        let cut = host.iter().skip(1).position(|step| is_behind_slash(leaf.text, step));
        found.extend(
            cut.and_then(|cut| host.get(..cut + 1)).filter(|host| host.len() > 1).map(|host| (host, true)),
        );
    });
    if leaf.steps.len() <= LONGEST_VALUE {
        found.push((leaf.steps.as_slice(), false));
    }
    found
}

fn is_behind_slash(text: &str, step: &Step) -> bool {
    text.get(..step.start as usize).is_some_and(|before| before.ends_with(['/', '?']))
}

/// What makes a value worth a match.
struct Value {
    role: ParameterRole,
    operation: Operation,
    length: usize,
    words: usize,
    has_digit: bool,
    is_address: bool,
    /// One word that is common, or known apart from any order.
    is_plain: bool,
    /// The agent had it before any result did.
    is_agents_own: bool,
    /// The hash of its words in a row.
    joined: u64,
    /// The tool is named for sending or paying.
    is_named_for_sending: bool,
}

impl Value {
    fn of(context: &CallContext<'_>, leaf: &Leaf<'_>, words: &[Step], is_address: bool) -> Value {
        let has_digit = words.iter().any(|step| step.has_digit);
        let is_plain = match words {
            [word] if !word.has_digit => {
                let text = leaf.text.get(word.start as usize..word.end as usize).unwrap_or_default();
                word.is_everyday
                    || !is_distinctive(&text.to_ascii_lowercase())
                    || context.flow.is_known_word(word.hash)
            }
            _ => words.iter().all(|step| step.is_everyday) && words.len() < 4,
        };
        let joined = words.iter().fold(0, |hash, step| join(hash, step.hash));
        Value {
            role: leaf.role,
            is_agents_own: context.flow.is_agents_own(joined),
            joined,
            is_named_for_sending: source::is_named_for_sending(context.call),
            operation: context.operation(),
            length: words.iter().map(Step::len).sum(),
            words: words.len(),
            has_digit,
            is_address,
            is_plain: is_plain && !is_address && leaf.role != ParameterRole::Setting,
        }
    }

    fn is_weighty_in(&self, span: &Span) -> bool {
        let is_short_id = self.operation == Operation::Destructive && span.deletes && self.has_digit;
        if self.is_plain && !is_short_id && span.kind != SpanKind::Hidden {
            return false;
        }
        match span.kind {
            SpanKind::Directive => self.length >= 4 && self.role != ParameterRole::Quantity || is_short_id,
            SpanKind::Spoken => {
                let is_text = self.role == ParameterRole::Payload && self.words > FEW_WORDS;
                self.length >= 4 && self.role != ParameterRole::Quantity && !is_text || is_short_id
            }
            SpanKind::Hidden => self.length >= 4,
            SpanKind::Changed => !self.is_agents_own && self.is_named_for_sending && self.is_redirected(),
            SpanKind::Order => !self.is_agents_own && (self.is_ordered(span.dictates) || is_short_id),
        }
    }

    /// What was said outside of any order by another server is known anyway.
    fn is_vouched(&self, context: &CallContext<'_>, kind: SpanKind, server: u64) -> bool {
        matches!(kind, SpanKind::Order | SpanKind::Changed)
            && context.flow.is_vouched_apart(self.joined, server)
    }

    /// An account, an address or a place to deliver to, given to something that acts.
    fn is_redirected(&self) -> bool {
        let is_place = self.is_address || self.has_digit && self.length >= 8;
        self.operation.acts()
            && is_place
            && matches!(self.role, ParameterRole::Destination | ParameterRole::Other)
    }

    /// An order alone is weaker than a passage for the model: pages say "visit", notes say "send", all day long.
    fn is_ordered(&self, is_dictated: bool) -> bool {
        if self.operation == Operation::Read {
            return false;
        }
        match self.role {
            ParameterRole::Destination | ParameterRole::Setting => self.length >= 5,
            ParameterRole::Other => self.words >= 2 && self.length >= 8 || self.has_digit && self.length >= 6,
            // What a text should say is dictated seldom by accident; that it says what a note says is no wonder.
            ParameterRole::Payload => is_dictated && !self.is_address && self.words >= 4 && self.length >= 20,
            ParameterRole::Quantity => false,
        }
    }
}
