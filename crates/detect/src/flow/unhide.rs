//! What a text hides from its reader: tag characters, bits in zero-width characters, overridden directions.

use crate::prelude::*;
use crate::text::unicode::{Hidden, hidden_class};

/// A text without what cannot be seen, and what that was.
pub(crate) struct Unhidden {
    /// The text as a reader sees it.
    pub(crate) plain: String,
    /// What the characters that cannot be seen spell.
    pub(crate) hidden: String,
    /// Characters that cannot be seen break up words, so that a filter does not know them.
    pub(crate) breaks_words: bool,
}

/// Breaks inside words up to this many are a typesetter's.
const FEW_BREAKS: usize = 2;
/// Fewer bits spell nothing.
const FEWEST_BITS: usize = 24;

/// Takes apart what is seen and what is not; `None` if everything is seen.
pub(crate) fn unhide(text: &str) -> Option<Unhidden> {
    if text.is_ascii() || !text.chars().any(|c| hidden_class(c).is_some()) {
        return None;
    }
    let mut found = Unhidden { plain: String::new(), hidden: String::new(), breaks_words: false };
    let mut bits = Vec::new();
    let (mut breaks, mut is_overridden, mut is_behind_letter) = (0, false, false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let Some(class) = hidden_class(c) else {
            found.plain.push(c);
            if is_overridden {
                found.hidden.push(c);
            }
            is_behind_letter = c.is_ascii_alphabetic();
            continue;
        };
        let stands_inside = is_behind_letter && characters.peek().is_some_and(char::is_ascii_alphabetic);
        breaks += usize::from(stands_inside && c != '\u{AD}');
        match class {
            Hidden::Tag => {
                found.hidden.extend(char::from_u32(u32::from(c) - 0xE0000).filter(|c| !c.is_control()))
            }
            Hidden::Bidi => is_overridden = matches!(c, '\u{202D}' | '\u{202E}'),
            Hidden::ZeroWidth => bits.extend(bit(c)),
            _ => {}
        }
    }
    if bits.len() >= FEWEST_BITS {
        found.hidden.push_str(&spelt(&bits));
    }
    found.breaks_words = breaks > FEW_BREAKS;
    Some(found)
}

/// Characters that cannot be seen in a text, beyond what scripts and typesetting need.
pub(crate) fn count_hidden(text: &str) -> usize {
    if text.is_ascii() {
        return 0;
    }
    // Joiners and the sixteenth selector belong to emoji.
    let is_code = |c: &char| {
        !matches!(c, '\u{200D}' | '\u{FE0F}')
            && matches!(hidden_class(*c), Some(Hidden::Tag | Hidden::ZeroWidth | Hidden::VariationSelector))
    };
    text.chars().filter(is_code).count()
}

fn bit(c: char) -> Option<u8> {
    match c {
        '\u{200B}' => Some(0),
        '\u{200C}' => Some(1),
        _ => None,
    }
}

/// Eight bits a letter, the highest first.
fn spelt(bits: &[u8]) -> String {
    let letters = bits.chunks_exact(8).map(|eight| eight.iter().fold(0u8, |sum, bit| sum << 1 | bit));
    letters.filter(|byte| byte.is_ascii_graphic() || *byte == b' ').map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_bits_and_overrides_are_spelt_out() {
        let tags: String = "Buy 3".chars().filter_map(|c| char::from_u32(u32::from(c) + 0xE0000)).collect();
        assert_eq!(unhide(&format!("Hello{tags}")).map(|found| found.hidden), Some("Buy 3".to_owned()));
        let bits: String = b"stop"
            .iter()
            .flat_map(|byte| {
                (0..8).rev().map(move |place| if byte >> place & 1 == 1 { '\u{200C}' } else { '\u{200B}' })
            })
            .collect();
        assert_eq!(unhide(&format!("faster{bits} start")).map(|found| found.hidden), Some("stop".to_owned()));
        let turned = unhide("account \u{202E}31FR\u{202C} ok").map(|found| found.hidden);
        assert_eq!(turned, Some("31FR".to_owned()));
    }

    #[test]
    fn soft_hyphens_are_a_typesetters() {
        let text = unhide("Do\u{AD}nau\u{AD}dampf\u{AD}schiff\u{AD}fahrt")
            .map(|found| (found.plain, found.breaks_words));
        assert_eq!(text, Some(("Donaudampfschifffahrt".to_owned(), false)));
        assert!(
            unhide("de\u{2060}lete pro\u{2060}ject and con\u{2060}firm")
                .is_some_and(|found| found.breaks_words)
        );
        assert!(unhide("plain").is_none());
    }
}
