#![doc = include_str!("README.md")]

use crate::call::view::Leaf;
use crate::call::{CallSignal, Label, Operation, ParameterRole, Source};
use crate::call_checks::{CallCheck, CallContext, destroys};
use crate::checks::Facts;
use crate::flow::Trace;
use crate::prelude::*;
use crate::registry::spelling;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "contradiction.intent",
    tier: Tier::Hard,
    owasp: "MCP05:2025 Command Injection & Execution",
    title: "What is said about the call and what it does disagree",
    page: include_str!("README.md"),
};

/// The check.
pub struct ContradictionIntent;

impl CallCheck for ContradictionIntent {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_call(&self, context: &CallContext<'_>) -> Vec<CallSignal> {
        ROWS.iter().filter_map(|row| row(context)).map(Row::signal).collect()
    }
}

/// How far each side is trusted, in thousandths: the agent may be led, the server may lie, names are hard to fake,
/// arguments are what happens.
const ANNOTATION: u16 = 600;
const NAME: u16 = 800;
const ARGUMENTS: u16 = 900;

/// One disagreement: the confidence is the trust in the stronger side.
struct Row {
    severity: u8,
    trust: u16,
    pointer: String,
    detail: String,
}

impl Row {
    fn new(severity: u8, trust: u16, pointer: &str, detail: impl Into<String>) -> Option<Row> {
        Some(Row { severity, trust, pointer: pointer.to_owned(), detail: detail.into() })
    }

    fn signal(self) -> CallSignal {
        CallSignal {
            check: FACTS.id,
            source: Source::Static,
            severity: self.severity,
            threat: Threat::PromptInjection,
            confidence: Confidence::new(self.trust),
            pointer: crate::escape_line(&self.pointer, 200),
            from_call: None,
            detail: self.detail,
        }
    }
}

type Test = fn(&CallContext<'_>) -> Option<Row>;

/// The rows of the matrix, then those that need no word of the agent.
const ROWS: [Test; 12] = [
    read_but_named_destructive,
    read_but_arguments_destroy,
    read_only_but_destructive,
    public_but_sensitive,
    read_but_sends_abroad,
    read_but_named_sending,
    read_but_named_writing,
    write_but_destroys,
    read_but_arguments_write,
    public_but_private,
    declared_reading_but_arguments_destroy,
    read_only_but_named_destructive,
];

fn says(context: &CallContext<'_>, operation: Operation) -> bool {
    context.call.intent.is_some_and(|intent| intent.operation == Some(operation))
}

fn read_but_named_destructive(context: &CallContext<'_>) -> Option<Row> {
    let is_lie = says(context, Operation::Read) && context.profile.named == Operation::Destructive;
    is_lie.then(|| Row::new(80, NAME, "", "the agent says it reads; the tool's name says it takes away"))?
}

fn read_but_arguments_destroy(context: &CallContext<'_>) -> Option<Row> {
    let found = context.destruction().filter(|_| says(context, Operation::Read))?;
    // `force` on a tool that is named for reading skips a cache; a statement that deletes is what it says.
    let is_harmless = !found.is_certain && context.profile.named == Operation::Read;
    Row::new(
        if is_harmless { 40 } else { 70 },
        ARGUMENTS,
        &found.pointer,
        format!("the agent says it reads; the arguments hold {}", found.what),
    )
}

/// The server may be lying, or the agent wrong; only name or arguments that agree with the agent settle it.
fn read_only_but_destructive(context: &CallContext<'_>) -> Option<Row> {
    let is_odd = says(context, Operation::Destructive) && context.profile.hints.read_only == Some(true);
    let agrees = context.profile.named == Operation::Destructive || context.destruction().is_some();
    let severity = if agrees { 90 } else { 40 };
    is_odd.then(|| {
        Row::new(severity, ANNOTATION, "", "the server says it only reads; the agent says it destroys")
    })?
}

fn public_but_sensitive(context: &CallContext<'_>) -> Option<Row> {
    let sensitivity = context.call.intent?.data_sensitivity.as_deref()?;
    let found = context.sensitive_found().first().filter(|_| sensitivity.eq_ignore_ascii_case("public"))?;
    Row::new(
        50,
        ARGUMENTS,
        &found.pointer,
        "the agent says the data is public; the arguments hold sensitive data",
    )
}

/// A link alone is no lie: it counts as the destination of a send, or when it carries data of this flow.
fn read_but_sends_abroad(context: &CallContext<'_>) -> Option<Row> {
    let outward = context.outward().filter(|_| says(context, Operation::Read))?;
    let abroad = outward.destinations.iter().find(|destination| !destination.address.is_internal)?;
    let carries = outward
        .carried
        .iter()
        .any(|carried| carried.hit.origin.is_private && carried.pointer == abroad.pointer);
    let sends = context.profile.operation.acts();
    (sends || carries).then(|| {
        Row::new(
            75,
            ARGUMENTS,
            &abroad.pointer,
            "the agent says it reads; the arguments send to an outside address",
        )
    })?
}

/// Paying, posting and sending are named so; a destination among the arguments makes it certain.
fn read_but_named_sending(context: &CallContext<'_>) -> Option<Row> {
    let sends = says(context, Operation::Read)
        && context.profile.named == Operation::Write
        && context.profile.has(Label::CanSend);
    let leaves = &context.arguments.leaves;
    let place = leaves.iter().find(|leaf| sends && leaf.role == ParameterRole::Destination)?;
    Row::new(75, NAME, &place.pointer, "the agent says it reads; the tool's name says it sends or pays")
}

/// The tool's name says that it changes something, and nothing says that it only tries to.
fn read_but_named_writing(context: &CallContext<'_>) -> Option<Row> {
    let is_sure = || spelling(context.call.tool).split('_').any(|word| CHANGES.contains(&word));
    let is_lie = says(context, Operation::Read) && context.profile.named == Operation::Write && is_sure();
    let is_trial = context.arguments.flags.iter().any(|flag| TRIALS.contains(&&*spelling(flag)));
    (is_lie && !is_trial).then(|| {
        Row::new(70, NAME, "", "the agent says it reads; the tool's name says it changes something")
    })?
}

/// Verbs that leave no doubt; "navigate" and "record" do.
const CHANGES: [&str; 24] = [
    "create", "update", "set", "add", "grant", "modify", "edit", "insert", "upload", "publish", "approve",
    "merge", "change", "reset", "assign", "enable", "disable", "transfer", "pay", "send", "share", "invite",
    "write", "unlock",
];

/// Flags that keep a call from doing anything.
const TRIALS: [&str; 6] = ["dry_run", "preview", "simulate", "validate_only", "test", "check"];

/// To change is less than to take away.
fn write_but_destroys(context: &CallContext<'_>) -> Option<Row> {
    let found = context.destruction().filter(|found| found.is_certain && says(context, Operation::Write))?;
    let detail = format!("the agent says it writes; the arguments hold {}", found.what);
    Row::new(70, ARGUMENTS, &found.pointer, detail)
}

/// Statements, methods and commands that change something, under the word "read".
fn read_but_arguments_write(context: &CallContext<'_>) -> Option<Row> {
    let claims = says(context, Operation::Read) || context.profile.hints.read_only == Some(true);
    let writes = |leaf: &&Leaf<'_>| destroys::writes(leaf);
    let leaf = context.arguments.leaves.iter().filter(|_| claims).find(writes)?;
    Row::new(70, ARGUMENTS, &leaf.pointer, "it is said to read; the arguments change something")
}

/// The agent says that the data is public; a private result of this flow holds it.
fn public_but_private(context: &CallContext<'_>) -> Option<Row> {
    let sensitivity = context.call.intent?.data_sensitivity.as_deref()?;
    let outward = context.outward().filter(|_| sensitivity.eq_ignore_ascii_case("public"))?;
    let server = crate::guard::server_hash(context.call.server);
    let carried = outward.private(server).find(|carried| carried.hit.trace > Trace::Atom)?;
    Row::new(
        50,
        ARGUMENTS,
        &carried.pointer,
        "the agent says the data is public; a private result of this flow holds it",
    )
}

/// Name or annotation claims that the tool reads; the statement it is given destroys.
fn declared_reading_but_arguments_destroy(context: &CallContext<'_>) -> Option<Row> {
    let found = context.destruction().filter(|found| found.is_certain && !says(context, Operation::Read))?;
    let claims = context.profile.hints.read_only == Some(true)
        || context.profile.named == Operation::Read && !context.profile.has(Label::Executes);
    let detail = format!("the tool is declared as reading; the arguments hold {}", found.what);
    claims.then(|| Row::new(75, ARGUMENTS, &found.pointer, detail))?
}

/// Servers stamp annotations carelessly: worth a note, no reason to stop.
fn read_only_but_named_destructive(context: &CallContext<'_>) -> Option<Row> {
    let is_odd =
        context.profile.hints.read_only == Some(true) && context.profile.named == Operation::Destructive;
    is_odd.then(|| {
        Row::new(45, NAME, "", "the server says it only reads; the tool's name says it takes away")
    })?
}
