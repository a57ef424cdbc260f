//! What a definition says it does, against what its name and annotations promise.

use super::purpose::Purpose;
use super::signal;
use crate::checks::Context;
use crate::signal::{Signal, Threat};
use crate::text::lexicon::{Classes as C, Lexicon};
use crate::text::token::{Shape, Token};
use crate::tool::Role;

/// Verbs in the form in which a description says what a tool does, which no reading tool does.
#[rustfmt::skip]
const DEEDS: [&str; 55] = [
    "deletes", "removes", "drops", "wipes", "purges", "erases", "destroys", "cancels", "pays", "buys",
    "unlocks", "disables", "uploads", "publishes", "truncates", "overwrites", "installs", "revokes",
    "terminates", "sends", "deploys",
    "borra", "elimina", "envía", "cancela", "instala", "transfiere", "cierra",
    "löscht", "entfernt", "sendet", "überweist", "kündigt", "schließt", "installiert",
    "supprime", "envoie", "annule", "efface", "règle", "désactive", "transfère",
    "exclui", "apaga", "envia", "transfere", "encerra",
    "удаляет", "отправляет", "закрывает", "переводит", "отменяет", "отключает", "стирает", "оплачивает",
];

/// The verb that leads a description says how it works ("Sends a request to …", "Removes duplicates from …"); what comes
/// behind says what else.
const LEAD: usize = 3;
/// The verbs that say what is done even there.
const PLAIN: [&str; 4] = ["deletes", "destroys", "purges", "wipes"];

/// Annotated read-only, but the description says that it deletes, sends or pays.
pub(super) fn against_hints(context: &Context<'_>) -> Option<Signal> {
    if context.definition.hints().read_only != Some(true) {
        return None;
    }
    let passage = context.reading.passages().iter().find(|passage| passage.unit.role == Role::Description)?;
    let tokens = context.reading.tokens(passage);
    let text = |token: &Token| passage.text.get(token.start as usize..token.end as usize).unwrap_or_default();
    let is_deed = |at: usize, token: &Token| {
        let before = tokens.get(at.saturating_sub(3)..at).unwrap_or_default();
        let verbs: &[&str] = if at >= LEAD { &DEEDS } else { &PLAIN };
        token.shape == Shape::Word
            && verbs.contains(&text(token).to_lowercase().as_str())
            && !before.iter().any(|token| token.classes.any(C::NOT) || is_relative(text(token)))
    };
    let found = tokens.iter().enumerate().any(|(at, token)| is_deed(at, token));
    let detail = "annotated read-only, but its description says it changes or sends something";
    found.then(|| signal(context, passage, Threat::ToolPoisoning, 820, detail))
}

/// "files that it removes", "what sends it": said of something else.
fn is_relative(word: &str) -> bool {
    ["that", "which", "who", "what", "if", "when", "until"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

/// A fixed value that takes protection down, in a tool that speaks of none: `unlock_all_doors`.
pub(super) fn in_values(context: &Context<'_>) -> Option<Signal> {
    if context.intents().topic.any(C::CONTROL | C::DELETE) {
        return None;
    }
    let lexicon = Lexicon::shipped();
    let passage = context.reading.passages().iter().find(|passage| {
        if passage.unit.role != Role::Value || !passage.text.contains(['_', '-', ' ']) {
            return false;
        }
        let words = passage.text.split(['_', '-', ' ']).take(6);
        let classes = words.fold(C::default(), |sum, word| sum | lexicon.word(word).classes);
        classes.any(C::DELETE) && classes.any(C::CONTROL)
    })?;
    let detail = "a fixed value takes protection down, which the declared purpose does not speak of";
    Some(signal(context, passage, Threat::ToolPoisoning, 820, detail))
}

/// Beginnings of parameters that do something irreversible.
const SWITCHES: [&str; 10] =
    ["delete", "remove", "purge", "wipe", "drop", "erase", "destroy", "unlock", "transfer", "revoke"];

/// A name that reads, with a parameter that destroys.
pub(super) fn against_name(context: &Context<'_>, purpose: &Purpose<'_>) -> Option<Signal> {
    if !purpose.reads() {
        return None;
    }
    let passage = context.reading.passages().iter().find(|passage| {
        let first = passage.text.split(['_', '-']).next().unwrap_or_default();
        passage.unit.role == Role::PropertyName
            && !passage.unit.is_output
            && SWITCHES.iter().any(|switch| first.eq_ignore_ascii_case(switch))
    })?;
    let detail = "the name says it reads, a parameter says it destroys";
    Some(signal(context, passage, Threat::ToolPoisoning, 820, detail))
}
