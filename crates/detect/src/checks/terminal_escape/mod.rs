#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck};
use crate::prelude::*;
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::text::reading::Passage;

static FACTS: Facts = Facts {
    id: "terminal.escape",
    tier: Tier::Hard,
    owasp: "MCP03:2025 Tool Poisoning",
    title: "The text steers a terminal: what is shown is not what is there",
    page: include_str!("README.md"),
};

/// The check.
pub struct TerminalEscape;

impl ToolCheck for TerminalEscape {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        let is_decoded = context.reading.passages().iter().any(Passage::is_decoded);
        if !is_decoded && !may_steer(&context.definition.text) {
            return Vec::new();
        }
        // An escape that is spelt out (`\\x1b[31m`) is documentation; only real characters steer a terminal.
        let passages =
            context.reading.passages().iter().filter(|passage| passage.rungs.first() != Some(&"escapes"));
        passages.filter_map(|passage| inspect_passage(context, passage)).collect()
    }
}

/// What steers the terminal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Steering {
    Return,
    Backspace,
    Control,
    Sequence,
}

fn inspect_passage(context: &Context<'_>, passage: &Passage<'_>) -> Option<Signal> {
    let text: &str = &passage.text;
    if !may_steer(text) {
        return None;
    }
    let (start, end, steering) = find(text)?;
    let detail = match steering {
        Steering::Sequence => {
            "an escape sequence that a terminal obeys: it can hide, recolour or overwrite text"
        }
        Steering::Backspace => "backspaces that wipe out what was written before them",
        Steering::Return => "a carriage return that overwrites the line with other text",
        Steering::Control => "a control character that a terminal obeys",
    };
    let pointer = context.definition.pointer(passage.unit);
    Some(Signal {
        check: FACTS.id,
        tier: if steering == Steering::Control { Tier::Soft } else { Tier::Hard },
        threat: Threat::ToolPoisoning,
        confidence: Confidence::new(if steering == Steering::Control { 500 } else { 980 }),
        escalated: steering == Steering::Sequence,
        evidence: Evidence::new(&pointer, &passage.rungs, text, start, end),
        detail: detail.to_owned(),
        discount: None,
    })
}

/// One look over the bytes: printable text, tabs and line feeds are the rule.
fn may_steer(text: &str) -> bool {
    let is_sign = |byte: u8| byte < 0x20 && !matches!(byte, b'\n' | b'\t') || byte == 0x7f || byte == 0xc2;
    // Block by block without a way out inside, which makes it vector code.
    text.as_bytes().chunks(64).any(|block| block.iter().fold(false, |sum, &byte| sum | is_sign(byte)))
}

/// The strongest steering in the text and where it stands.
fn find(text: &str) -> Option<(usize, usize, Steering)> {
    let mut strongest: Option<(usize, usize, Steering)> = None;
    let mut rest = text.char_indices().peekable();
    let mut before = '\n';
    while let Some((index, character)) = rest.next() {
        let after = rest.peek().map(|(_, next)| *next);
        let found = match character {
            '\u{1b}' => Some((sequence_end(text, index), Steering::Sequence)),
            '\u{9b}' | '\u{9d}' | '\u{90}' | '\u{9e}' | '\u{9f}' => {
                Some((sequence_end(text, index), Steering::Sequence))
            }
            '\u{8}' => Some((index + 1, Steering::Backspace)),
            '\u{7f}' => Some((index + 1, Steering::Backspace)),
            // A return overwrites when visible text stands before it on the line and other text follows.
            '\r' if before != '\n' && before != '\r' && after.is_some_and(|next| !next.is_whitespace()) => {
                Some((index + 1, Steering::Return))
            }
            '\0'..='\u{1f}' if !matches!(character, '\n' | '\t' | '\r' | '\u{c}' | '\u{b}') => {
                Some((index + 1, Steering::Control))
            }
            _ => None,
        };
        if let Some((end, steering)) = found
            && strongest.is_none_or(|(_, _, known)| steering > known)
        {
            strongest = Some((index, end, steering));
        }
        before = character;
    }
    strongest
}

/// The end of the escape sequence that opens at `start`: CSI up to its final byte, OSC up to its terminator.
fn sequence_end(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let mut characters = rest.char_indices().skip(1);
    let is_osc = rest.starts_with("\u{1b}]") || rest.starts_with('\u{9d}');
    let end = if is_osc {
        characters.find(|(_, character)| matches!(character, '\u{7}' | '\u{1b}' | '\u{9c}' | '\n'))
    } else {
        characters.skip(1).find(|(_, character)| ('@'..='~').contains(character))
    };
    end.map_or(text.len().min(start + 16), |(offset, character)| start + offset + character.len_utf8())
        .min(start + 120)
}
