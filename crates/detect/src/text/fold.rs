//! Brings words to one spelling: NFKC, invisibles stripped, lower case, look-alikes, contractions, markup.

use crate::prelude::*;
use crate::text::lexicon::Classes;
use crate::text::token::Shape;
use crate::text::unicode::is_stripped;
use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_script::{Script, UnicodeScript};

/// The normal form of one word or chunk.
pub(crate) fn word(raw: &str) -> String {
    if raw.is_ascii() {
        return raw.to_ascii_lowercase();
    }
    let visible: String = raw.chars().filter(|&character| !is_stripped(character)).collect();
    let composed = ComposingNormalizerBorrowed::new_nfkc().normalize(&visible);
    let mut lower = String::with_capacity(composed.len());
    for character in composed.chars() {
        match character {
            '\u{2019}' | '\u{2018}' | '\u{02bc}' => lower.push('\''),
            _ => lower.extend(character.to_lowercase().filter(|&lowered| !is_stripped(lowered))),
        }
    }
    if has_foreign_look_alikes(&lower) { latin_skeleton(&lower) } else { lower }
}

/// Whether a word mixes Latin letters with letters of another script that merely look Latin.
fn has_foreign_look_alikes(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    let mut has_latin = false;
    let mut has_other = false;
    for character in word.chars().filter(|character| character.is_alphabetic()) {
        match character.script() {
            Script::Latin => has_latin = true,
            Script::Cyrillic
            | Script::Greek
            | Script::Armenian
            | Script::Cherokee
            | Script::Coptic
            | Script::Lisu => {
                has_other = true;
            }
            _ => {}
        }
    }
    has_other && (has_latin || latin_skeleton(word).is_ascii() && word.chars().count() >= 3)
}

/// The word with every letter that looks like an ASCII letter replaced by it.
fn latin_skeleton(word: &str) -> String {
    word.chars()
        .map(|character| {
            if character.is_ascii() {
                return character;
            }
            let mut buffer = [0; 4];
            let mut skeleton =
                unicode_security::confusable_detection::skeleton(character.encode_utf8(&mut buffer));
            match (skeleton.next(), skeleton.next()) {
                (Some(single), None) if single.is_ascii_alphanumeric() => single.to_ascii_lowercase(),
                _ => character,
            }
        })
        .collect()
}

/// The one or two words of a contraction cut at its apostrophe; a French article falls away.
pub(crate) fn open_contraction<'a>(head: &'a str, tail: &'a str) -> impl Iterator<Item = &'a str> {
    let is = |word: &str, other: &str| word.eq_ignore_ascii_case(other);
    let (first, second) = if is(tail, "t") {
        let stem = match head {
            _ if is(head, "can") => head,
            _ if is(head, "won") => "will",
            _ => head.strip_suffix(['n', 'N']).unwrap_or(head),
        };
        (stem, Some("not"))
    } else if head.chars().count() <= 2 && tail.chars().count() > 2 {
        (tail, None)
    } else {
        (head, None)
    };
    core::iter::once(first).chain(second).filter(|word| !word.is_empty())
}

/// Punctuation beyond ASCII that ends or frames words.
pub(crate) fn is_foreign_punctuation(character: char) -> bool {
    matches!(character,
        '\u{2010}'..='\u{2017}' | '\u{201A}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '«' | '»' | '¿' | '¡' | '·'
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3020}' | '\u{FF01}'..='\u{FF0C}' | '\u{FF0E}' | '\u{FF0F}'
        | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF3E}' | '\u{FF5B}'..='\u{FF65}' | '\u{25A0}'..='\u{27BF}'
        | '\u{1F000}'..='\u{1FAFF}' | '\u{FE30}'..='\u{FE4F}')
}

/// What a piece of such punctuation does.
pub(crate) fn punctuation_shape(character: char) -> Shape {
    match character {
        '“' | '”' | '„' | '‟' | '«' | '»' | '‹' | '›' | '「' | '」' | '『' | '』' | '《' | '》'
        | '\u{FF02}' | '\u{FF07}' => Shape::Quote,
        '。' | '！' | '？' | '．' | '｡' | '…' | '¿' | '¡' | '•' => Shape::Stop,
        _ => Shape::Pause,
    }
}

/// How many bytes of markup `rest` opens with, 0 for none.
pub(crate) fn tag_width(rest: &str, opens_line: bool) -> usize {
    if rest.starts_with("<!--") {
        return 4;
    }
    for marker in ["<<SYS>>", "<</SYS>>"] {
        if rest.starts_with(marker) {
            return marker.len();
        }
    }
    if rest.starts_with("<|") {
        return rest.get(2..).and_then(|tail| tail.find("|>")).filter(|&at| at < 40).map_or(0, |at| at + 4);
    }
    if rest.starts_with('#') {
        return heading_width(rest, opens_line);
    }
    let (open, close) = if rest.starts_with('<') { ('<', '>') } else { ('[', ']') };
    let body = rest.get(1..).unwrap_or_default();
    let mut width = 1;
    for character in body.chars().take(120) {
        if character == close {
            return if is_tag(rest.get(..=width).unwrap_or_default()) { width + 1 } else { 0 };
        }
        if character == open || character == '\n' {
            return 0;
        }
        width += character.len_utf8();
    }
    0
}

/// `### Instruction:` and its like, as chat templates spell them.
fn heading_width(rest: &str, opens_line: bool) -> usize {
    let marks = rest.len() - rest.trim_start_matches('#').len();
    if marks < 2 && !opens_line {
        return 0;
    }
    let tail = rest.get(marks..).unwrap_or_default();
    let title = tail.trim_start_matches([' ', '*']);
    let skipped = marks + tail.len() - title.len();
    let is_template = ["instruction", "system", "assistant", "human", "new instruction"]
        .iter()
        .find(|word| title.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)));
    match is_template {
        Some(word) if marks >= 3 && is_whole_heading(title, word) => skipped + word.len(),
        _ => 0,
    }
}

/// `### Instruction:` speaks to a model; `### System requirements` is a chapter.
fn is_whole_heading(title: &str, word: &str) -> bool {
    let rest = title.get(word.len()..).unwrap_or_default().trim_start_matches(['s', 'S']);
    rest.trim_start_matches(['*', ' ']).starts_with(':')
}

/// Whether what stands between brackets is markup, not a placeholder or an aside.
fn is_tag(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '[', '/']);
    if tag.starts_with('[') {
        let letters = name.bytes().filter(u8::is_ascii_alphabetic).count();
        return letters > 2
            && !name.bytes().any(|byte| byte.is_ascii_lowercase())
            && !tag_classes(tag).is_empty();
    }
    name.starts_with(|first: char| first.is_alphabetic() || first == '_') && !name.starts_with("http")
}

/// The classes of a piece of markup by the words in it.
pub(crate) fn tag_classes(tag: &str) -> Classes {
    if tag.starts_with("<!--") {
        return Classes::COMMENT_TAG;
    }
    let lower = if tag.is_ascii() { tag.to_ascii_lowercase() } else { word(tag) };
    let closing = if lower.starts_with("</") || lower.starts_with("[/") {
        Classes::CLOSING_TAG
    } else {
        Classes::default()
    };
    let is_template = tag.starts_with("<|")
        || tag.starts_with('#')
        || ["[inst]", "[/inst]", "<<sys>>", "<</sys>>", "<start_of_turn>", "<end_of_turn>"]
            .contains(&lower.as_str());
    if is_template {
        return Classes::TEMPLATE_TAG | closing;
    }
    // Only the tag's name and bare words count, not what stands in attribute quotes.
    let mut classes = closing;
    let is_chapter = |word: &str| {
        [
            "notes",
            "note",
            "steps",
            "usage",
            "tips",
            "guidelines",
            "context",
            "example",
            "examples",
            "details",
            "info",
            "limitations",
            "requirements",
        ]
        .contains(&word)
    };
    if lower.split(|character: char| !character.is_alphanumeric()).any(is_chapter) {
        return classes;
    }
    for word in lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if HIDDEN_TAG_WORDS.contains(&word) {
            classes |= Classes::HIDDEN_TAG;
        }
    }
    if tag.starts_with('[') && !classes.is_empty() {
        classes |= Classes::LABEL;
    }
    classes
}

/// Words that name a block meant for the model and not for the reader.
const HIDDEN_TAG_WORDS: [&str; 46] = [
    "important",
    "hidden",
    "secret",
    "system",
    "override",
    "admin",
    "critical",
    "mandatory",
    "instruction",
    "instructions",
    "directive",
    "internal",
    "confidential",
    "private",
    "priority",
    "urgent",
    "assistant",
    "ai",
    "llm",
    "agent",
    "sys",
    "sudo",
    "root",
    "developer",
    "protocol",
    "requirement",
    "compliance",
    "global",
    "policy",
    "rules",
    "information",
    "shadow",
    "backdoor",
    "prompt",
    "inject",
    "silent",
    "hint",
    "meta",
    "preamble",
    "importante",
    "wichtig",
    "système",
    "sistema",
    "重要",
    "系统",
    "важно",
];
