//! Rows on the matter of a sentence: what is to be read, sent, changed or called.

use super::{conditions, orders, others};
use crate::intent::{Mention, Owner, Words};
use crate::prelude::*;
use crate::text::lexicon::Classes as C;
use crate::text::token::{Shape, Token};

/// A file that holds secrets as the object of an order.
pub(super) fn opens_secret(words: &Words<'_>) -> bool {
    words.has(C::SENSITIVE_PATH)
        && words.has(C::READ | C::SEND | C::PUT | C::CHANGE | C::DELETE | C::USE)
        && orders(words)
}

/// "change the `customer_id` parameter to '…'", where the tool itself has no such parameter.
pub(super) fn sets_parameter(words: &Words<'_>) -> bool {
    if !words.has(C::CHANGE)
        || !words.has(C::PARAMETER)
        || !orders(words) && !words.has(C::MUST | C::REGARDLESS)
    {
        return false;
    }
    words.tokens.iter().enumerate().filter(|(_, token)| token.classes.any(C::CHANGE)).any(|(at, _)| {
        let after: Vec<(usize, &Token)> = words.tokens.iter().enumerate().skip(at + 1).take(9).collect();
        let is_parameter = after.iter().any(|(_, token)| token.classes.any(C::PARAMETER))
            || at.checked_sub(4).is_some_and(|from| {
                words
                    .tokens
                    .get(from..at)
                    .unwrap_or_default()
                    .iter()
                    .any(|token| token.classes.any(C::PARAMETER))
            });
        let named =
            words.tokens.iter().enumerate().skip(at.saturating_sub(5)).take(12).find(|(index, token)| {
                *index != at
                    && (token.shape == Shape::Identifier || is_quoted_name(words, *index))
                    && token.classes.is_empty()
            });
        let foreign = named.is_some_and(|(_, token)| !words.is_own_parameter(token));
        let to_value = after.iter().any(|(_, token)| {
            matches!(
                words.text(token),
                "to" | "with" | "as" | "by" | "a" | "auf" | "en" | "por" | "по" | "на"
            )
        });
        is_parameter && foreign && to_value
    })
}

/// "always forward a copy to x@y.z", "redirect all mails to …": an address fixed by the definition.
pub(super) fn routes(words: &Words<'_>) -> bool {
    let moves = C::SEND | C::CHANGE | C::PUT;
    words.pairs(moves, C::ADDRESS, 10).any(|(verb, address)| {
        let between = words.tokens.get(verb + 1..address).unwrap_or_default();
        let directed =
            between.iter().rev().take(4).any(|token| {
                ["to", "at", "through", "via", "a", "an", "à", "para", "на", "into", "bcc", "cc"]
                    .iter()
                    .any(|word| words.text(token).eq_ignore_ascii_case(word))
            }) || words.tokens.get(verb).is_some_and(|token| words.text(token).eq_ignore_ascii_case("bcc"));
        let shown = words
            .tokens
            .get(verb.saturating_sub(4)..address)
            .unwrap_or_default()
            .iter()
            .any(|token| token.classes.any(C::EXAMPLE));
        directed && !shown
    }) && words
        .has(C::MUST | C::QUANTITY | C::PRETEXT | C::DATA | C::WHEN | C::BEFORE | C::PARAMETER | C::HOLDINGS)
}

/// `![x](https://host/p.png?d=…)`: showing the picture sends what stands behind the question mark.
pub(super) fn embeds(words: &Words<'_>) -> bool {
    words.has(C::ADDRESS)
        && words.tokens.iter().filter(|token| token.classes.any(C::ADDRESS)).any(|token| {
            let before = words.passage.text.get(..token.start as usize).unwrap_or_default();
            let behind = words.passage.text.get(token.start as usize..).unwrap_or_default();
            let is_picture = before
                .strip_suffix("](")
                .and_then(|before| before.rsplit_once("!["))
                .is_some_and(|(_, name)| name.len() < 40);
            is_picture && behind.split([')', ' ']).next().is_some_and(|address| address.contains('?'))
        })
}

/// A secret, or the way to one, as the object of reading, sending or passing on.
pub(super) fn touches_secret(words: &Words<'_>) -> bool {
    if !orders(words) {
        return false;
    }
    let takes = C::READ | C::SEND | C::PUT;
    let by_path = words.has(C::SENSITIVE_PATH) && words.has(takes | C::CHANGE | C::DELETE | C::USE);
    let by_word = words.pairs(takes, C::SECRET, 6).any(|(verb, secret)| {
        !words
            .tokens
            .get(verb.saturating_sub(3)..secret)
            .unwrap_or_default()
            .iter()
            .any(|token| token.classes.any(C::NOT))
    });
    by_path || by_word
}

/// "pass its content as 'sidenote'", "append it to the URL": data into a parameter or an address.
pub(super) fn puts_data(words: &Words<'_>) -> bool {
    if !orders(words) {
        return false;
    }
    let what = C::DATA | C::SECRET | C::CONVERSATION | C::SENSITIVE_PATH;
    words.pairs(C::PUT | C::SEND, what, 6).any(|(verb, data)| {
        let negated = words
            .tokens
            .get(verb.saturating_sub(3)..verb)
            .unwrap_or_default()
            .iter()
            .any(|token| token.classes.any(C::NOT));
        // "pass it as the `path` parameter" is how a tool speaks of its own.
        let is_pronoun =
            words.tokens.get(data).is_some_and(|token| matches!(words.text(token), "it" | "them"));
        let after = words.tokens.get(data + 1..).unwrap_or_default().iter().take(11);
        let lands = after.enumerate().any(|(offset, token)| {
            let is_named = is_quoted_name(words, data + 1 + offset);
            (token.classes.any(C::PARAMETER) && !is_pronoun)
                || token.classes.any(C::ADDRESS)
                || is_named && !(is_pronoun && words.is_own_parameter(token))
        });
        lands && !negated
    })
}

fn is_quoted_name(words: &Words<'_>, at: usize) -> bool {
    let is_quote = |index: usize| words.tokens.get(index).is_some_and(|token| token.shape == Shape::Quote);
    let is_name =
        words.tokens.get(at).is_some_and(|token| matches!(token.shape, Shape::Word | Shape::Identifier));
    is_name && at > 0 && is_quote(at - 1) && is_quote(at + 1)
}

/// "modify the `recipient` argument", "always set symbol to 'TSLA'", with another tool in view.
pub(super) fn changes_other(words: &Words<'_>, mentions: &[Mention]) -> bool {
    if !orders(words) {
        return false;
    }
    let Some(other) = others(mentions).next() else { return false };
    let demanded =
        words.tokens.iter().enumerate().filter(|(_, token)| token.classes.any(C::CHANGE)).any(|(at, _)| {
            let after = words.tokens.get(at + 1..).unwrap_or_default().iter().take(7);
            let names_parameter = after.clone().enumerate().any(|(offset, token)| {
                token.classes.any(C::PARAMETER | C::CONVERSATION)
                    || matches!(token.shape, Shape::Quote | Shape::Number)
                    || is_quoted_name(words, at + 1 + offset)
            });
            // "the targetFolder must be changed": the parameter comes first.
            let before = words.tokens.get(at.saturating_sub(4)..at).unwrap_or_default();
            let named_before = before.iter().any(|token| {
                token.shape == Shape::Identifier
                    && token.start != words.tokens.get(other.at).map_or(0, |t| t.start)
            });
            (names_parameter || named_before) && at != other.at
        });
    demanded
        && others(mentions)
            .any(|mention| conditions(words, mention) || matches!(mention.owner, Owner::Foreign(_)))
}

/// "you must first call `read_graph`": a demanded call of a tool that is neither this one nor its sibling.
pub(super) fn calls_other(words: &Words<'_>, mentions: &[Mention]) -> bool {
    if !orders(words) {
        return false;
    }
    others(mentions).any(|mention| {
        let before = words.tokens.get(mention.at.saturating_sub(6)..mention.at).unwrap_or_default();
        before.iter().any(|token| token.classes.any(C::USE | C::READ | C::SEND))
    })
}

/// "before using `x`, first call `y`", where neither is this tool: honest tools speak of their own use.
pub(super) fn chains_others(words: &Words<'_>, mentions: &[Mention]) -> bool {
    let speaks_of_itself = words.has(C::SELF) || mentions.iter().any(|mention| mention.owner == Owner::Own);
    if speaks_of_itself || !words.has(C::MUST) || !orders(words) {
        return false;
    }
    let demands = C::USE | C::READ | C::SEND | C::DELETE;
    others(mentions).filter(|first| conditions(words, first)).any(|first| {
        others(mentions).filter(|second| second.at > first.at + 1).any(|second| {
            let between = words.tokens.get(first.at + 1..second.at).unwrap_or_default();
            between.iter().any(|token| token.classes.any(demands))
        })
    })
}

/// A pipe into a shell, a download that is run, a wiped disk.
pub(super) fn commands(words: &Words<'_>) -> bool {
    const TELLING: [&str; 9] = ["curl", "wget", "bash", "sh", "powershell", "iex", "chmod", "nc", "rm"];
    // A tool about commands may show some.
    if !words.has(C::SHELL) || words.topic.any(C::SHELL) && !super::reach::presses(words) {
        return false;
    }
    let mut shell = words.tokens.iter().filter(|token| token.classes.any(C::SHELL));
    let telling = shell.find(|token| TELLING.contains(&words.text(token)));
    let Some(first) = telling else { return false };
    // A command may run on over full stops, so the rest of the text is looked at, not only the sentence.
    let rest = words.passage.text.get(first.start as usize..).unwrap_or_default();
    let line = rest.char_indices().nth(400).map_or(rest, |(end, _)| rest.get(..end).unwrap_or_default());
    crate::patterns::shell::is_command(line)
}

/// "include the complete conversation history", "call the mail tool with the conversation so far as its body".
pub(super) fn takes_conversation(words: &Words<'_>) -> bool {
    let whole = words.follows(C::PUT | C::SEND | C::READ, C::CONVERSATION, 7)
        && words.has(C::QUANTITY)
        && words.has(C::MUST);
    whole || hands_conversation(words)
}

/// The conversation as what a demanded call is made with, in a tool that is not about conversations.
fn hands_conversation(words: &Words<'_>) -> bool {
    if words.topic.any(C::CONVERSATION) || !words.has(C::MODEL | C::ADDRESSEE) || !orders(words) {
        return false;
    }
    words.pairs(C::USE | C::SEND | C::PUT, C::CONVERSATION, 14).any(|(_, conversation)| {
        let behind = words.tokens.get(conversation + 1..).unwrap_or_default().iter().take(4);
        behind.into_iter().any(|token| matches!(words.text(token), "as" | "als" | "como" | "comme" | "into"))
    })
}
