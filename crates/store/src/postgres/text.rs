//! Texts as PostgreSQL can hold them: it refuses the character NUL, which names by strangers may contain.

use std::borrow::Cow;

/// A text without NUL that can be turned back.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    match text.contains(['\0', '\\']) {
        true => Cow::Owned(text.replace('\\', "\\\\").replace('\0', "\\0")),
        false => Cow::Borrowed(text),
    }
}

/// What [`escaped`] was given.
pub(super) fn unescaped(text: String) -> String {
    if !text.contains('\\') {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('0') => plain.push('\0'),
                Some(other) => plain.push(other),
                None => plain.push('\\'),
            },
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "plain", "a\0b", "\\0", "\\\0\\", "a\\\\0"] {
            let stored = escaped(text);
            assert!(!stored.contains('\0'));
            assert_eq!(unescaped(stored.into_owned()), text);
        }
    }
}
