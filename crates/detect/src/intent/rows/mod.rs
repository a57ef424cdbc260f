//! The rows: which pattern of word classes makes which kind of intent.

mod manner;
mod matter;
mod reach;

use super::{Kinds, Mention, Owner, Words};
use crate::text::lexicon::Classes as C;
use crate::text::token::{Shape, Token};
use crate::text::unicode::is_unspaced;
use manner::{addresses_model, conceals, dictates, fake_turn, if_asked, not_for_use, overrides, overt};
use matter::{
    calls_other, chains_others, changes_other, commands, opens_secret, puts_data, routes, sets_parameter,
    takes_conversation, touches_secret,
};

/// Everything a sentence does.
pub(super) fn kinds(words: &Words<'_>, mentions: &[Mention]) -> Kinds {
    let mut kinds = Kinds::default();
    if words.sentence.classes.is_empty() && mentions.is_empty() && !words.sentence.is_tagged {
        return kinds;
    }
    for (kind, test) in ROWS {
        if test(words, mentions) {
            kinds |= kind;
        }
    }
    kinds
}

/// Whether a sentence does any of `wanted`, as far as that can be told without knowing which tools it names.
pub(super) fn does(words: &Words<'_>, wanted: Kinds) -> bool {
    ROWS.iter().any(|(kind, test)| kind.any(wanted) && test(words, &[]))
}

type Test = fn(&Words<'_>, &[Mention]) -> bool;

const ROWS: [(Kinds, Test); 51] = [
    (Kinds::ORDERS, |words, _| orders(words)),
    (Kinds::CONCEALS, |words, _| conceals(words)),
    (Kinds::OVERRIDES, |words, _| overrides(words)),
    (Kinds::TAGGED, |words, _| words.sentence.is_tagged),
    (Kinds::TEMPLATE, |words, _| words.has(C::TEMPLATE_TAG)),
    (Kinds::CONDITIONS_SELF, conditions_self),
    (Kinds::CONDITIONS_OTHER, |words, mentions| {
        orders(words) && others(mentions).any(|mention| conditions(words, mention))
    }),
    (Kinds::CONDITIONS_ACTIVITY, |words, _| conditions_activity(words)),
    (Kinds::TOUCHES_SECRET, |words, _| touches_secret(words)),
    (Kinds::PUTS_DATA, |words, _| puts_data(words)),
    (Kinds::CHANGES_OTHER, changes_other),
    (Kinds::CALLS_OTHER, calls_other),
    (Kinds::COMMAND, |words, _| commands(words)),
    (Kinds::DICTATES, |words, _| dictates(words)),
    (Kinds::RECASTS, |words, _| words.near(C::ROLE, C::ADDRESSEE, 4)),
    (Kinds::TAKES_CONVERSATION, |words, _| takes_conversation(words)),
    (Kinds::ADDRESS, |words, _| words.has(C::ADDRESS)),
    (Kinds::ADDRESSES_MODEL, |words, _| addresses_model(words)),
    (Kinds::PRETENDS, |words, _| {
        words.has(C::PRETENCE) && words.has(C::ADDRESSEE | C::MODEL | C::PERSON | C::ASKED)
    }),
    (Kinds::IF_ASKED, |words, _| if_asked(words)),
    (Kinds::UNASKED, |words, _| words.has(C::UNASKED) && !manner::restrains(words)),
    (Kinds::VOIDS, |words, _| words.near(C::VOID, C::RULES | C::CONVERSATION, 7)),
    (Kinds::FAKE_TURN, |words, _| fake_turn(words)),
    (Kinds::TAKES_ALL, |words, _| reach::takes_all(words)),
    (Kinds::TOUCHES_PRIVATE, |words, _| words.has(C::PRIVATE) && !words.topic.any(C::PRIVATE)),
    (Kinds::UNSEEN, |words, _| words.has(C::UNSEEN)),
    (Kinds::CALLS_FOREIGN, |_, mentions| names_foreign(mentions)),
    (Kinds::STEERS_FOREIGN, reach::steers_foreign),
    (Kinds::CONDITIONS_DEED, reach::conditions_deed),
    (Kinds::EMBEDS, |words, _| matter::embeds(words)),
    (Kinds::NAMES_SECRET, |words, _| words.has(C::SECRET | C::SENSITIVE_PATH)),
    (Kinds::SETS_PARAMETER, |words, _| sets_parameter(words)),
    (Kinds::ROUTES, |words, _| routes(words)),
    (Kinds::NOT_FOR_USE, |words, _| not_for_use(words)),
    (Kinds::OVERT, |words, _| overt(words)),
    (Kinds::OPENS_SECRET, |words, _| opens_secret(words)),
    (Kinds::CHAINS_OTHERS, chains_others),
    (Kinds::ENACTS, |words, _| reach::enacts(words)),
    (Kinds::MISPLACED, |words, _| reach::misplaced(words)),
    (Kinds::AGENT_ACTS, |words, _| reach::agent_acts(words)),
    (Kinds::RUNS_SHELL, |words, _| reach::runs_shell(words)),
    (Kinds::STANDING, |words, _| words.has(C::STANDING)),
    (Kinds::HANDS_OVER, |words, _| reach::hands_over(words)),
    (Kinds::TAKES_HOLDINGS, |words, _| reach::takes_holdings(words)),
    (Kinds::UNCUT, |words, _| reach::uncut(words)),
    (Kinds::WITHHOLDS, |words, _| reach::withholds(words)),
    (Kinds::YOU_ACT, |words, _| reach::you_act(words)),
    (Kinds::RULES_REPLY, |words, _| reach::rules_reply(words)),
    (Kinds::WEAKENS, |words, _| reach::weakens(words)),
    (Kinds::INSISTS, |words, _| words.has(C::REGARDLESS) && !manner::restrains(words)),
    (Kinds::TAKES_PRIVATE, |words, _| reach::takes_private(words)),
];

/// Verbs of doing something.
const ACTS: [C; 8] = [C::USE, C::CHANGE, C::READ, C::SEND, C::PUT, C::IGNORE, C::DELETE, C::ACTION];

fn acts() -> C {
    ACTS.into_iter().fold(C::default(), |sum, class| sum | class)
}

const CONDITION: [C; 3] = [C::BEFORE, C::WHEN, C::INSTEAD];

fn condition() -> C {
    CONDITION.into_iter().fold(C::default(), |sum, class| sum | class)
}

/// Obliges somebody, or names a condition and then what to do. A bare verb that opens a description is no order:
/// that is how tools say what they do.
fn orders(words: &Words<'_>) -> bool {
    *words.orders.get_or_init(|| gives_order(words))
}

fn gives_order(words: &Words<'_>) -> bool {
    if words.follows(C::MUST, acts() | C::TELL, 6)
        || words.follows(acts(), C::MUST, 4) && words.has(C::ADDRESSEE)
    {
        return true;
    }
    // Verb-final languages put the obligation behind the verb.
    let obliged_behind = words.pairs(acts(), C::MUST, 3).any(|(_, must)| {
        words.tokens.get(must).is_some_and(|token| words.text(token).chars().next().is_some_and(is_unspaced))
    });
    if obliged_behind {
        return true;
    }
    let conditioned = words.has(condition());
    let verb_after_pause = || {
        words.tokens.iter().enumerate().filter(|(_, token)| token.shape == Shape::Pause).any(|(at, _)| {
            words
                .clause_opener(at + 1)
                .is_some_and(|(_, token)| token.shape == Shape::Word && token.classes.any(acts() | C::NOT))
        })
    };
    let tagged_verb = || {
        let opens =
            words.clause_opener(0).is_some_and(|(_, token)| token.classes.any(acts() | C::NOT | C::MUST));
        words.sentence.is_tagged && opens
    };
    conditioned && verb_after_pause() || tagged_verb()
}

/// "before using this tool, …", "when this tool is called you must …".
fn conditions_self(words: &Words<'_>, mentions: &[Mention]) -> bool {
    let by_words = words.pairs(condition(), C::SELF, 5).next().is_some();
    let own = mentions.iter().filter(|mention| mention.owner == Owner::Own);
    let by_name = own.into_iter().any(|mention| conditions(words, mention));
    (by_words || by_name) && orders(words)
}

/// Whether the sentence names a condition on using what is mentioned: "when using `x`", "before any call of 'x'",
/// "when `x` is called".
fn conditions(words: &Words<'_>, mention: &Mention) -> bool {
    // "create_event 대신", "x の代わりに": the condition follows the name.
    let behind = words.tokens.get(mention.at + 1..).unwrap_or_default().iter().take(2);
    let is_postposed = |token: &&Token| {
        token.classes.any(C::INSTEAD) && words.text(token).chars().next().is_some_and(is_unspaced)
    };
    if behind.clone().any(|token| is_postposed(&token)) {
        return true;
    }
    let before = words.tokens.get(mention.at.saturating_sub(8)..mention.at).unwrap_or_default();
    let Some(used) = before.iter().rposition(|token| token.classes.any(C::USE | C::TOOL)) else {
        return words
            .tokens
            .get(mention.at.saturating_sub(3)..mention.at)
            .unwrap_or_default()
            .iter()
            .any(|token| token.classes.any(condition()))
            && words
                .tokens
                .get(mention.at + 1..mention.at + 6)
                .unwrap_or_default()
                .iter()
                .any(|token| token.classes.any(C::USE));
    };
    // Only small words and quotes stand between "using" and the name.
    let gap = before.len() - used;
    let conditioned = before
        .get(..used)
        .unwrap_or_default()
        .iter()
        .rev()
        .take(5)
        .any(|token| token.classes.any(condition()));
    gap <= 5 && conditioned
}

/// "before listing any channels, you must …".
fn conditions_activity(words: &Words<'_>) -> bool {
    words.has(C::BEFORE | C::WHEN) && words.follows(C::MUST, acts(), 6)
}

fn names_foreign(mentions: &[Mention]) -> bool {
    mentions.iter().any(|mention| matches!(mention.owner, Owner::Foreign(_)))
}

/// A tool that is neither this one nor its sibling.
fn others(mentions: &[Mention]) -> impl Iterator<Item = &Mention> {
    mentions.iter().filter(|mention| matches!(mention.owner, Owner::Foreign(_) | Owner::Unknown))
}
