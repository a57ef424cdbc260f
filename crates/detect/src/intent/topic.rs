//! What a definition says it is about: the classes of the words in its name and at the head of its description.
//!
//! A mail tool may speak of mail. The same word in a colour converter is worth a second look.

use crate::checks::Context;
use crate::text::lexicon::{Classes, Lexicon};
use crate::text::token::Shape;
use crate::tool::Role;

/// How many words of the first sentence are heard: further on, anybody may have added anything.
const HEARD: usize = 9;

/// The classes of the declared purpose.
pub(super) fn topic(context: &Context<'_>) -> Classes {
    let lexicon = Lexicon::shipped();
    let name = context.definition.name_key().text.split('_');
    let named = name.fold(Classes::default(), |sum, word| sum | lexicon.word(word).classes);
    let lead = context.reading.passages().iter().find(|passage| passage.unit.role == Role::Description);
    let tokens = lead.map(|passage| context.reading.tokens(passage)).unwrap_or_default();
    let head = tokens.iter().take(HEARD).take_while(|token| !matches!(token.shape, Shape::Stop | Shape::Tag));
    head.fold(named, |sum, token| sum | token.classes)
}
