#![doc = include_str!("README.md")]

mod deeds;
mod purpose;
mod words;

use crate::checks::{Context, Facts, ToolCheck};
use crate::prelude::*;
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::text::lexicon::Classes as C;
use crate::text::reading::Passage;
use crate::text::token::Token;
use crate::tool::Role;
use purpose::Purpose;

static FACTS: Facts = Facts {
    id: "capability.mismatch",
    tier: Tier::Soft,
    owasp: "MCP02:2025 Privilege Escalation via Scope Creep",
    title: "What the tool reaches does not fit what it says it is",
    page: include_str!("README.md"),
};

/// The check.
pub struct CapabilityMismatch;

impl ToolCheck for CapabilityMismatch {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        let purpose = Purpose::of(context);
        let mut signals = Vec::new();
        signals.extend(contradiction(context, &purpose));
        signals.extend(deeds::against_hints(context));
        signals.extend(deeds::against_name(context, &purpose));
        signals.extend(deeds::in_values(context));
        for passage in context.reading.passages() {
            signals.extend(reach(context, passage, &purpose));
            signals.extend(header(context, passage));
        }
        signals.extend(sinks(context, &purpose));
        signals
    }
}

fn signal(
    context: &Context<'_>,
    passage: &Passage<'_>,
    threat: Threat,
    confidence: u16,
    detail: &str,
) -> Signal {
    Signal {
        check: FACTS.id,
        tier: Tier::Soft,
        threat,
        confidence: Confidence::new(confidence),
        escalated: false,
        evidence: Evidence::new(
            &context.definition.pointer(passage.unit),
            &passage.rungs,
            &passage.text,
            0,
            passage.text.len(),
        ),
        detail: detail.to_owned(),
        discount: None,
    }
}

/// Annotations against the verb of the name: a tool that says it only reads and sends mail.
fn contradiction(context: &Context<'_>, purpose: &Purpose<'_>) -> Option<Signal> {
    let hints = context.definition.hints();
    let passage = context.reading.passages().iter().find(|passage| passage.unit.role == Role::Name)?;
    // Verbs that leave no room for doubt weigh more than those that honest authors mislabel.
    let weight = |is_plain: bool| if is_plain { 820 } else { 500 };
    if hints.read_only == Some(true) && purpose.acts_outward() {
        let detail = "annotated read-only, but its name and purpose say it changes or sends something";
        return Some(signal(context, passage, Threat::ToolPoisoning, weight(purpose.acts_plainly()), detail));
    }
    if hints.destructive == Some(false) && purpose.destroys() {
        let detail = "annotated as not destructive, but its name and purpose say it destroys something";
        return Some(signal(context, passage, Threat::ToolPoisoning, weight(purpose.acts_plainly()), detail));
    }
    None
}

/// Text that reaches for something the declared purpose has nothing to do with.
fn reach(context: &Context<'_>, passage: &Passage<'_>, purpose: &Purpose<'_>) -> Option<Signal> {
    if matches!(passage.unit.role, Role::Name | Role::Title) {
        return None;
    }
    let tokens = context.reading.tokens(passage);
    let classes = passage.classes;
    let in_schema = matches!(passage.unit.role, Role::PropertyText | Role::Value | Role::PropertyName);
    let off_topic = |about: bool, confidence: u16, detail: &'static str| {
        (!about).then_some((confidence, Threat::Exfiltration, detail))
    };
    let close =
        |a: C, b: C, window: usize| classes.any(a) && classes.any(b) && is_close(tokens, a, b, window);
    let found = if classes.any(C::SENSITIVE_PATH) {
        let confidence = if in_schema || purpose.is_plain() { 850 } else { 820 };
        let wants_it = passage.unit.role == Role::Value
            || in_schema && close(C::DATA | C::PUT | C::READ, C::SENSITIVE_PATH, 4);
        let about = purpose.is_about_secrets() || purpose.is_about_files() && !wants_it;
        off_topic(about, confidence, "a file of secrets in a tool that declares no need for it")
    } else if in_schema && wants_all(tokens, classes, context.intents().topic) {
        Some((820, Threat::Exfiltration, "asks for all of something the declared purpose does not speak of"))
    } else if in_schema && close(C::QUANTITY, C::CONVERSATION, 5) {
        off_topic(
            purpose.is_about_conversation(),
            820,
            "asks for the conversation, which the declared purpose does not need",
        )
    } else if in_schema && close(C::QUANTITY, C::SECRET, 4) {
        off_topic(
            purpose.is_about_secrets(),
            600,
            "asks for secrets, which the declared purpose does not need",
        )
    } else if classes.any(C::PRIVATE) && (purpose.is_plain() || in_schema && tokens.len() > LABEL) {
        let about = purpose.shares_private(tokens, &passage.text);
        off_topic(
            about,
            if purpose.is_plain() { 820 } else { 450 },
            "asks for private data, which the declared purpose does not need",
        )
    } else if purpose.is_plain()
        && in_schema
        && tokens.len() > LABEL
        && reaches_out(tokens, classes, context.intents().topic)
    {
        Some((820, Threat::Exfiltration, "reaches for data in a tool that declares plain computation"))
    } else if purpose.is_plain() && has_command(passage) {
        Some((850, Threat::MaliciousCode, "a shell command in a tool that declares plain computation"))
    } else if purpose.is_plain()
        && classes.any(C::ADDRESS)
        && (passage.unit.role == Role::Value || classes.any(C::SEND))
    {
        Some((820, Threat::Exfiltration, "a fixed outside address in a tool that declares plain computation"))
    } else {
        None
    };
    found.map(|(confidence, threat, detail)| signal(context, passage, threat, confidence, detail))
}

/// Sends files or texts off, or takes what a person keeps elsewhere.
fn reaches_out(tokens: &[Token], classes: C, topic: C) -> bool {
    let sends =
        classes.any(C::SEND) && classes.any(C::DATA | C::HOLDINGS) && classes.any(C::QUANTITY | C::MUST);
    let takes = is_close(tokens, C::HOLDINGS, C::READ | C::SEND, 6);
    (sends || takes) && !topic.any(C::HOLDINGS | C::SEND)
}

/// A text of so few tokens is the label of a form: it names the field, it asks for nothing.
const LABEL: usize = 3;

/// "all environment variables", "every draft in the mailbox", where name and lead speak of nothing like it.
fn wants_all(tokens: &[Token], classes: C, topic: C) -> bool {
    let wanted = C::SECRET | C::CONVERSATION | C::HOLDINGS | C::PRIVATE;
    // A condition or a prohibition asks for nothing.
    !classes.any(C::NOT | C::WHEN)
        && classes.any(C::QUANTITY)
        && classes.any(wanted)
        && !topic.any(wanted)
        && is_close(tokens, C::QUANTITY, wanted, 2)
}

/// Whether words of the two classes stand within `window` tokens of one another.
fn is_close(tokens: &[Token], one: C, other: C, window: usize) -> bool {
    tokens.iter().enumerate().filter(|(_, token)| token.classes.any(one)).any(|(at, _)| {
        let around = tokens.get(at.saturating_sub(window)..).unwrap_or_default().iter().take(2 * window + 1);
        around.enumerate().any(|(offset, token)| offset != window.min(at) && token.classes.any(other))
    })
}

fn has_command(passage: &Passage<'_>) -> bool {
    let text: &str = &passage.text;
    text.contains("sh -c")
        || ["curl ", "wget ", "bash", "| sh", "/dev/tcp", "rm -rf", "chmod "]
            .iter()
            .any(|word| text.contains(word))
            && crate::patterns::shell::is_command(text)
}

/// A secret-like parameter that travels as a plain header.
fn header(context: &Context<'_>, passage: &Passage<'_>) -> Option<Signal> {
    if passage.unit.role != Role::Header {
        return None;
    }
    let pointer = context.definition.pointer(passage.unit).to_ascii_lowercase();
    let is_secret = [
        "token",
        "secret",
        "password",
        "passwd",
        "api_key",
        "apikey",
        "api-key",
        "credential",
        "private",
        "auth",
        "session",
        "cookie",
        "ssn",
        "card",
        "pin",
        "jwt",
        "bearer",
    ]
    .iter()
    .any(|word| pointer.contains(word) || passage.text.to_ascii_lowercase().contains(word));
    is_secret.then(|| {
        signal(
            context,
            passage,
            Threat::Exfiltration,
            850,
            "a secret-like parameter is marked to travel as a header",
        )
    })
}

/// A free-form parameter named like a place to put data, which nothing explains.
fn sinks(context: &Context<'_>, purpose: &Purpose<'_>) -> Vec<Signal> {
    let names = context
        .reading
        .passages()
        .iter()
        .filter(|passage| passage.unit.role == Role::PropertyName && !passage.unit.is_output);
    names
        .filter(|passage| purpose::is_sink(&passage.text) && !purpose.mentions(&passage.text))
        .filter_map(|passage| {
            let explained = context.definition.explains(passage.unit);
            let strength = match (explained, purpose.is_plain()) {
                (false, true) => 820,
                (false, false) => 450,
                (true, _) if collects(context, passage, purpose) => 820,
                (true, _) => return None,
            };
            Some(signal(
                context,
                passage,
                Threat::Exfiltration,
                strength,
                "a free-form parameter that nothing explains",
            ))
        })
        .collect()
}

/// Whether the text of a free-form parameter asks for what was said, done or kept elsewhere.
fn collects(context: &Context<'_>, parameter: &Passage<'_>, purpose: &Purpose<'_>) -> bool {
    // A calculator has no use for people either.
    let people = if purpose.is_plain() { C::USER | C::PERSON } else { C::default() };
    let asked = C::CONVERSATION | C::HOLDINGS | people;
    let texts = context.reading.passages().iter().filter(|passage| {
        passage.unit.role == Role::PropertyText && context.definition.is_below(passage.unit, parameter.unit)
    });
    !purpose.is_about_conversation()
        && !context.intents().topic.any(asked)
        && texts.map(|passage| context.reading.tokens(passage)).any(|tokens| {
            let has = |classes: C| tokens.iter().any(|token| token.classes.any(classes));
            has(asked) && has(C::QUANTITY | C::PUT | C::SEND | C::TELL | C::MUST)
        })
}
