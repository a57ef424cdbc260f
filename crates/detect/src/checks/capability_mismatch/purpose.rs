//! What a tool declares to be for: the words of its name and of its first sentence.

use super::words::{
    CONVERSATION_SUBJECTS, DESTROYING_VERBS, FILE_SUBJECTS, NOUNS_TOO, OUTWARD_VERBS, PLAIN, PLAIN_VERBS,
    READING_VERBS, RECORDS, RECOVERABLE, SECRET_SUBJECTS, SINKS,
};
use crate::checks::Context;
use crate::prelude::*;
use crate::text::token::Token;
use core::cell::OnceCell;

/// The declared purpose.
pub(super) struct Purpose<'a> {
    /// Words of the name, joined by `_`.
    name: &'a str,
    description: &'a str,
    /// Name and first sentence, lower case, blanks around words; written out when first asked for.
    lead: OnceCell<String>,
    is_plain: bool,
}

impl<'a> Purpose<'a> {
    pub(super) fn of(context: &'a Context<'_>) -> Self {
        let definition = context.definition;
        let name = &*definition.name_key().text;
        let description = definition.description();
        let mut purpose = Purpose { name, description, lead: OnceCell::new(), is_plain: false };
        purpose.is_plain = purpose.named(&PLAIN) && !purpose.is_about_files() && !purpose.is_about_secrets();
        purpose
    }

    fn lead(&self) -> &str {
        self.lead.get_or_init(|| {
            let description = self.description;
            let first = description.split_once(['.', '\n', '。']).map_or(description, |(first, _)| first);
            format!(" {} {} ", self.name.replace('_', " "), words_of(first))
        })
    }

    fn named(&self, words: &[&str]) -> bool {
        self.name.split('_').any(|word| words.contains(&word))
    }

    /// Whether a word of name or first sentence begins with one of these.
    fn leads(&self, beginnings: &[&str]) -> bool {
        self.lead()
            .split(' ')
            .any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning.trim_end())))
    }

    /// Arithmetic, text formatting, look-ups of harmless facts: nothing that needs the machine.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    pub(super) fn is_about_secrets(&self) -> bool {
        self.leads(&SECRET_SUBJECTS)
    }

    pub(super) fn is_about_files(&self) -> bool {
        self.leads(&FILE_SUBJECTS)
    }

    pub(super) fn is_about_conversation(&self) -> bool {
        self.leads(&CONVERSATION_SUBJECTS)
    }

    /// Whether the purpose speaks of the same private thing the text asks for.
    pub(super) fn shares_private(&self, tokens: &[Token], text: &str) -> bool {
        tokens
            .iter()
            .filter(|token| token.classes.any(crate::text::lexicon::Classes::PRIVATE))
            .filter_map(|token| text.get(token.start as usize..token.end as usize))
            .any(|word| self.lead().contains(&word.to_lowercase()))
    }

    /// Whether the description speaks of a parameter by its name.
    pub(super) fn mentions(&self, parameter: &str) -> bool {
        let lower = parameter.to_lowercase();
        let description = self.description.to_lowercase();
        description.contains(&lower) || description.contains(&lower.replace('_', " "))
    }

    /// Sends, writes, pays or deletes, by the verb of the name.
    pub(super) fn acts_outward(&self) -> bool {
        self.verb_is(&OUTWARD_VERBS)
    }

    /// Reads, by the first verb of the name.
    pub(super) fn reads(&self) -> bool {
        self.name.split('_').next().is_some_and(|first| READING_VERBS.contains(&first))
    }

    /// Verbs nobody would call reading, or harmless.
    pub(super) fn acts_plainly(&self) -> bool {
        self.verb_is(&PLAIN_VERBS)
    }

    /// Destroys for good: what goes to the trash can be brought back.
    pub(super) fn destroys(&self) -> bool {
        self.verb_is(&DESTROYING_VERBS) && !self.leads(&RECOVERABLE)
    }

    /// The name begins with the verb, perhaps behind one word that names the vendor.
    fn verb_is(&self, verbs: &[&str]) -> bool {
        let mut words = self.name.split('_');
        let first = words.next().unwrap_or_default();
        let second = words.next().unwrap_or_default();
        let is_record = NOUNS_TOO.contains(&first) && RECORDS.contains(&second);
        if READING_VERBS.contains(&first) || is_record {
            return false;
        }
        verbs.contains(&first) || !READING_VERBS.contains(&second) && verbs.contains(&second)
    }
}

fn words_of(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for character in text.chars().take(300) {
        if character.is_alphanumeric() { words.extend(character.to_lowercase()) } else { words.push(' ') }
    }
    words
}

/// Names of parameters that take anything and say nothing.
pub(super) fn is_sink(name: &str) -> bool {
    let is_same = |(a, b): (u8, u8)| a == b || a == b'-' && b == b'_';
    let is_spelt = |name: &str, sink: &str| {
        name.len() == sink.len()
            && name.bytes().map(|byte| byte.to_ascii_lowercase()).zip(sink.bytes()).all(is_same)
    };
    if name.is_ascii() {
        SINKS.iter().any(|sink| is_spelt(name, sink))
    } else {
        let lower = name.to_lowercase();
        SINKS.iter().any(|sink| is_spelt(&lower, sink))
    }
}
