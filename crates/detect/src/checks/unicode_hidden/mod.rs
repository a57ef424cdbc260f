#![doc = include_str!("README.md")]

use crate::checks::{Context, Facts, ToolCheck};
use crate::prelude::*;
use crate::signal::{Confidence, Evidence, Signal, Threat, Tier};
use crate::text::reading::Passage;
use crate::text::unicode::{Hidden, hidden_class, is_right_to_left, joins_honestly};
use core::cell::OnceCell;

static FACTS: Facts = Facts {
    id: "unicode.hidden",
    tier: Tier::Hard,
    owasp: "MCP03:2025 Tool Poisoning",
    title: "The text holds characters a reader cannot see",
    page: include_str!("README.md"),
};

/// The check.
pub struct UnicodeHidden;

impl ToolCheck for UnicodeHidden {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect(&self, context: &Context<'_>) -> Vec<Signal> {
        if context.definition.text.is_ascii() && !context.reading.passages().iter().any(Passage::is_decoded) {
            return Vec::new();
        }
        context.reading.passages().iter().filter_map(|passage| inspect_passage(context, passage)).collect()
    }
}

/// All hidden characters of one text make one signal: what matters is that they are there.
fn inspect_passage(context: &Context<'_>, passage: &Passage<'_>) -> Option<Signal> {
    let text: &str = &passage.text;
    if text.is_ascii() {
        return None;
    }
    let hidden = Hiding::look(text);
    let (first, last) = (hidden.first?, hidden.last);
    let mut classes = hidden.classes.clone();
    classes.sort_unstable();
    classes.dedup();
    let message = hidden.message();
    let kinds: Vec<&str> = classes.iter().map(|class| class.words()).collect();
    let count = if hidden.count == 1 {
        "1 hidden character".to_owned()
    } else {
        format!("{} hidden characters", hidden.count)
    };
    let detail = match &message {
        Some(message) => format!("{count} ({}) spell: {message}", kinds.join(", ")),
        None => format!("{count}: {}", kinds.join(", ")),
    };
    let pointer = context.definition.pointer(passage.unit);
    Some(Signal {
        check: FACTS.id,
        tier: Tier::Hard,
        threat: Threat::ToolPoisoning,
        confidence: Confidence::new(if hidden.count > 1 || message.is_some() { 990 } else { 950 }),
        escalated: classes.len() >= 3 || message.is_some(),
        evidence: Evidence::new(&pointer, &passage.rungs, text, first, last),
        detail,
        discount: None,
    })
}

/// What was found in one text.
#[derive(Default)]
struct Hiding {
    classes: Vec<Hidden>,
    first: Option<usize>,
    last: usize,
    count: usize,
    tag_letters: String,
    selector_bytes: Vec<u8>,
}

impl Hiding {
    fn look(text: &str) -> Self {
        let mut hiding = Hiding::default();
        let mut before: Option<char> = None;
        let is_rtl_text = || text.chars().any(|c| !c.is_ascii() && c.is_alphabetic() && is_right_to_left(c));
        let mut rest = text.char_indices().peekable();
        // Most text holds no mark of direction, so what it would mean is asked late and once.
        let rtl = OnceCell::new();
        let mut open_flag = false;
        while let Some((index, character)) = rest.next() {
            // A run of ASCII holds nothing hidden.
            let Some(class) = hidden_class(character) else {
                open_flag = character == '\u{1F3F4}';
                before = Some(character);
                continue;
            };
            let after = rest.peek().map(|(_, next)| *next);
            let honest = match class {
                Hidden::ZeroWidth => is_honest_zero_width(index, character, before, after),
                Hidden::Bidi => {
                    matches!(u32::from(character), 0x061C | 0x200E | 0x200F | 0x2066..=0x2069)
                        && *rtl.get_or_init(is_rtl_text)
                }
                Hidden::VariationSelector => is_honest_selector(character, before, after),
                Hidden::Tag => open_flag,
                Hidden::Ignorable => is_honest_ignorable(text, index, character, before),
                Hidden::Filler => is_honest_filler(character, before, after),
                Hidden::PrivateUse => false,
            };
            if !(class == Hidden::Tag && open_flag) {
                open_flag = false;
            }
            if !honest {
                hiding.note(index, character, class);
            }
            // Joiners do not hide their neighbours from one another.
            if class != Hidden::ZeroWidth {
                before = Some(character);
            } else if honest {
                before = before.or(Some(character));
            }
        }
        hiding
    }

    fn note(&mut self, index: usize, character: char, class: Hidden) {
        self.first.get_or_insert(index);
        self.last = index + character.len_utf8();
        self.count += 1;
        if !self.classes.contains(&class) {
            self.classes.push(class);
        }
        let code = u32::from(character);
        match class {
            Hidden::Tag if self.tag_letters.len() < 400 => {
                self.tag_letters
                    .extend(char::from_u32(code - 0xE0000).filter(|letter| (' '..='~').contains(letter)));
            }
            Hidden::VariationSelector if self.selector_bytes.len() < 400 => {
                // Selectors 1–16 and 17–256 carry one byte each in the known encodings.
                let byte = if code >= 0xE0100 { code - 0xE0100 + 16 } else { code.saturating_sub(0xFE00) };
                self.selector_bytes.extend(u8::try_from(byte).ok());
            }
            _ => {}
        }
    }

    /// The text that TAG characters or runs of variation selectors spell.
    fn message(&self) -> Option<String> {
        let from_tags = (self.tag_letters.trim().len() >= 3).then(|| self.tag_letters.clone());
        let from_selectors = || {
            let text = core::str::from_utf8(&self.selector_bytes).ok()?;
            let printable = text.chars().all(|c| (' '..='~').contains(&c) || c == '\n');
            (text.trim().len() >= 3 && printable).then(|| text.to_owned())
        };
        from_tags.or_else(from_selectors).map(|message| crate::text::show::line(&message, 120))
    }
}

/// Joiners shape words of some scripts and emoji sequences; one byte-order mark may open a text.
fn is_honest_zero_width(index: usize, character: char, before: Option<char>, after: Option<char>) -> bool {
    match character {
        '\u{FEFF}' => index == 0,
        '\u{200C}' | '\u{200D}' => {
            before.is_some_and(joins_honestly)
                && after.is_none_or(|next| joins_honestly(next) || !next.is_alphanumeric())
                || character == '\u{200D}' && before.is_some_and(is_emoji_part) && after.is_some_and(is_emoji)
        }
        // Thai, Lao, Khmer and Myanmar write no spaces: the zero-width one marks where words end.
        '\u{200B}' => before.is_some_and(joins_honestly) && after.is_some_and(joins_honestly),
        _ => false,
    }
}

/// One selector behind a symbol, a CJK ideograph or a keycap chooses its look.
fn is_honest_selector(character: char, before: Option<char>, after: Option<char>) -> bool {
    let alone = after.is_none_or(|next| hidden_class(next) != Some(Hidden::VariationSelector));
    let Some(base) = before else { return false };
    let takes_selector = match u32::from(character) {
        0xFE0E | 0xFE0F => {
            is_emoji(base) || base.is_ascii_digit() || matches!(base, '#' | '*' | '©' | '®' | '™')
        }
        0x180B..=0x180F => joins_honestly(base),
        _ => {
            matches!(u32::from(base), 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF | 0x2200..=0x22FF)
        }
    };
    alone && takes_selector
}

/// Soft hyphens between the syllables of a long word are typesetting; in short pieces they split words.
fn is_honest_ignorable(text: &str, index: usize, character: char, before: Option<char>) -> bool {
    match character {
        '\u{00AD}' => {
            let is_part = |c: char| c.is_alphabetic() || c == '\u{00AD}';
            let head = text.get(..index).unwrap_or_default();
            let start =
                head.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(index, |(at, _)| at);
            let word: String =
                text.get(start..).unwrap_or_default().chars().take_while(|c| is_part(*c)).collect();
            let letters = word.chars().filter(|c| *c != '\u{00AD}').count();
            letters >= 14 && word.split('\u{00AD}').all(|piece| piece.chars().count() >= 3)
        }
        '\u{034F}' => before.is_some_and(is_right_to_left),
        _ => false,
    }
}

/// Fillers stand inside Hangul syllables and Khmer words; the braille blank stands among braille.
fn is_honest_filler(character: char, before: Option<char>, after: Option<char>) -> bool {
    let near = |test: fn(u32) -> bool| {
        before.is_some_and(|c| test(u32::from(c))) || after.is_some_and(|c| test(u32::from(c)))
    };
    match u32::from(character) {
        0x2800 => near(|code| (0x2801..=0x28FF).contains(&code)),
        0x115F | 0x1160 => near(|code| (0x1100..=0x11FF).contains(&code) && code != 0x115F && code != 0x1160),
        0x17B4 | 0x17B5 => near(|code| (0x1780..=0x17FF).contains(&code)),
        _ => false,
    }
}

fn is_emoji(character: char) -> bool {
    matches!(u32::from(character),
        0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x21FF | 0x2300..=0x23FF | 0x2460..=0x24FF | 0x25A0..=0x27BF
        | 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x3030 | 0x303D | 0x3297 | 0x3299 | 0x1F000..=0x1FAFF)
}

/// An emoji, or what may stand between it and a joiner: a skin tone or a selector.
fn is_emoji_part(character: char) -> bool {
    is_emoji(character) || character == '\u{FE0F}' || character == '\u{20E3}'
}
