#![doc = include_str!("README.md")]

use crate::call::view::Leaf;
use crate::call::word::Word;
use crate::call::{CallSignal, Label, Operation, Source, source};
use crate::call_checks::{CallCheck, CallContext};
use crate::checks::Facts;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "exfiltration.trace_removed",
    tier: Tier::Soft,
    owasp: "MCP10:2025 Context Injection & Over-Sharing",
    title: "What was just sent is deleted, so that nobody sees it",
    page: include_str!("README.md"),
};

/// The check.
pub struct ExfiltrationTraceRemoved;

impl CallCheck for ExfiltrationTraceRemoved {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        let signal = wiped_history(context).or_else(|| undone(context)).or_else(|| emptied(context));
        signal.into_iter().collect()
    }
}

fn signal(severity: u8, pointer: &str, detail: &str) -> CallSignal {
    CallSignal {
        check: FACTS.id,
        source: Source::Flow,
        severity,
        threat: Threat::Exfiltration,
        confidence: Confidence::new(750),
        pointer: crate::escape_line(pointer, 200),
        from_call: None,
        detail: detail.to_owned(),
    }
}

/// What a sending call of this flow made is deleted; worse if nothing explains where it went.
fn undone(context: &CallContext<'_>) -> Option<CallSignal> {
    let is_receipt = |leaf: &&Leaf<'_>| leaf.steps.len() <= 8 && context.flow.has_receipt(&leaf.steps);
    let leaf = context.arguments.leaves.iter().filter(|_| removes(context)).find(is_receipt)?;
    let severity = if context.flow.sent_unexplained() { 80 } else { 60 };
    Some(signal(severity, &leaf.pointer, "deletes what a sending call of this flow had just made"))
}

/// Logs, histories, bins and rules are emptied after something went where nothing explains it.
fn emptied(context: &CallContext<'_>) -> Option<CallSignal> {
    let is_meant = || source::named(context.call).any(Word::TRACE);
    (removes(context) && context.flow.sent_unexplained() && is_meant())
        .then(|| signal(80, "", "empties what would show a send that nothing explains"))
}

fn removes(context: &CallContext<'_>) -> bool {
    context.operation() == Operation::Destructive
}

/// Commands whose only use is that nobody can see what was run before.
fn wiped_history(context: &CallContext<'_>) -> Option<CallSignal> {
    const SIGNS: [&str; 10] = [
        "history -c",
        "unset HISTFILE",
        "HISTFILE=/dev/null",
        "HISTSIZE=0",
        ".bash_history",
        ".zsh_history",
        "> /var/log/",
        "--vacuum-time=1s",
        "wevtutil cl",
        "Clear-EventLog",
    ];
    let leaves = context.arguments.leaves.iter().filter(|_| context.profile.has(Label::Executes));
    let is_wiping = |leaf: &&Leaf<'_>| {
        let reads =
            leaf.text.starts_with("cat ") || leaf.text.starts_with("grep ") || leaf.text.starts_with("tail ");
        !reads && SIGNS.iter().any(|sign| leaf.text.contains(sign)) && !leaf.text.contains(">> /var/log/")
    };
    let leaf = leaves.clone().find(is_wiping)?;
    Some(signal(80, &leaf.pointer, "the command wipes the record of what was run"))
}
