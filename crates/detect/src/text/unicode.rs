//! Classes of characters that a reader cannot see, and scripts in which some of them are honest.

use unicode_script::{Script, UnicodeScript};

/// The kinds of hidden character `unicode.hidden` tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hidden {
    ZeroWidth,
    Bidi,
    Tag,
    PrivateUse,
    VariationSelector,
    Filler,
    Ignorable,
}

impl Hidden {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Hidden::ZeroWidth => "zero-width characters",
            Hidden::Bidi => "bidirectional controls",
            Hidden::Tag => "Unicode TAG characters",
            Hidden::PrivateUse => "private-use characters",
            Hidden::VariationSelector => "variation selectors",
            Hidden::Filler => "blank fillers",
            Hidden::Ignorable => "default-ignorable characters",
        }
    }
}

/// The class of a hidden character, `None` for everything a reader can see.
pub(crate) fn hidden_class(character: char) -> Option<Hidden> {
    if character < '\u{AD}' {
        return None;
    }
    let class = match u32::from(character) {
        0x200B..=0x200D | 0x2060 | 0xFEFF => Hidden::ZeroWidth,
        0x061C | 0x200E | 0x200F | 0x202A..=0x202E | 0x2066..=0x2069 => Hidden::Bidi,
        0xE0000..=0xE007F => Hidden::Tag,
        0xE000..=0xF8FF | 0xF0000..=0x10FFFF => Hidden::PrivateUse,
        0xFE00..=0xFE0F | 0xE0100..=0xE01EF | 0x180B..=0x180D | 0x180F => Hidden::VariationSelector,
        0x115F | 0x1160 | 0x3164 | 0xFFA0 | 0x2800 | 0x17B4 | 0x17B5 => Hidden::Filler,
        0x00AD | 0x034F | 0x180E | 0x2061..=0x2065 | 0x206A..=0x206F | 0xFFF0..=0xFFFB => Hidden::Ignorable,
        0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0080..=0xE00FF | 0xE01F0..=0xE0FFF => Hidden::Ignorable,
        0x2028 | 0x2029 => Hidden::Ignorable,
        _ => return None,
    };
    Some(class)
}

/// Whether a character must be written as its code point when shown.
pub(crate) fn is_invisible(character: char) -> bool {
    hidden_class(character).is_some()
        || u32::from(character) & 0xFFFE == 0xFFFE
        || matches!(u32::from(character), 0xFDD0..=0xFDEF)
        || (character.is_whitespace() && character != ' ')
}

/// Whether normalising drops the character: default-ignorables and blanks that only split words.
pub(crate) fn is_stripped(character: char) -> bool {
    match hidden_class(character) {
        Some(Hidden::PrivateUse) | None => false,
        Some(_) => !matches!(character, '\u{2028}' | '\u{2029}'),
    }
}

/// Whether zero-width joiners and non-joiners shape words of this script.
pub(crate) fn joins_honestly(character: char) -> bool {
    matches!(
        character.script(),
        Script::Arabic
            | Script::Syriac
            | Script::Nko
            | Script::Thaana
            | Script::Mongolian
            | Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
            | Script::Lao
            | Script::Thai
    )
}

/// Whether the character belongs to a right-to-left script, where direction marks are honest.
pub(crate) fn is_right_to_left(character: char) -> bool {
    matches!(
        character.script(),
        Script::Hebrew | Script::Arabic | Script::Syriac | Script::Thaana | Script::Nko | Script::Adlam
    )
}

/// Whether the character is written without spaces between words, or with particles glued to them.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF | 0x20000..=0x2FA1F | 0x1100..=0x1112)
}
