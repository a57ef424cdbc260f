//! Rows on how far a sentence reaches: beyond the call, beyond the declared purpose, past what was merely shown.

use super::{acts, conditions, orders, others};
use crate::intent::{Mention, Owner, Words};
use crate::text::lexicon::Classes as C;
use crate::text::token::{Shape, Token};
use crate::tool::Role;

/// Verbs of doing, saying, following and keeping back.
fn deeds() -> C {
    acts() | C::TELL | C::FOLLOW | C::WITHHOLD
}

/// What a sentence may take.
fn takes() -> C {
    C::READ | C::PUT | C::SEND
}

/// Nouns for something that is merely shown; "such as" and "like" only introduce it.
#[rustfmt::skip]
const SAMPLES: [&str; 30] = [
    "example", "examples", "sample", "samples", "illustration", "demo", "instance", "quotation", "quote", "quoted",
    "quotes", "ejemplo", "ejemplos", "muestra", "beispiel", "beispiele", "beispiels", "exemple", "exemples",
    "l'exemple", "exemplo", "exemplos", "пример", "примера", "примере", "示例", "例子", "例文", "例", "예시",
];

/// "do what the example says", "use real ones, not samples": what is shown is to be done.
pub(super) fn enacts(words: &Words<'_>) -> bool {
    let is_sample = |token: &Token| {
        token.shape == Shape::Word && SAMPLES.contains(&words.text(token).to_lowercase().as_str())
    };
    let meant = C::REAL | C::FOLLOW;
    words.has(meant)
        && (words.has(C::MODEL | C::ADDRESSEE) || words.near(C::EXAMPLE, meant, 8))
        && words.tokens.iter().any(is_sample)
}

/// A sentence where a value or a title belongs.
pub(super) fn misplaced(words: &Words<'_>) -> bool {
    let aims = C::ADDRESS | C::SECRET | C::SENSITIVE_PATH | C::PRIVATE | C::CONVERSATION;
    let is_out_of_place = match words.passage.unit.role {
        Role::Value => true,
        Role::Title => {
            let adds = words.tokens.iter().any(|token| token.shape == Shape::Pause);
            adds && (words.has(C::WHEN | C::BEFORE | C::MUST | aims) || agent_acts(words))
        }
        Role::Other => {
            words.has(C::MODEL | C::ADDRESSEE | aims) || orders(words) && words.has(C::WHEN | C::BEFORE)
        }
        _ => false,
    };
    is_out_of_place
        && words.has(deeds())
        && words.tokens.iter().filter(|token| token.shape == Shape::Word).count() >= 5
}

/// "the assistant adds", "der Assistent entnimmt": the agent as the one who acts.
pub(super) fn agent_acts(words: &Words<'_>) -> bool {
    const ASSISTANT: [&str; 12] = [
        "assistant",
        "asistente",
        "assistent",
        "l'assistant",
        "assistente",
        "ассистент",
        "助手",
        "アシスタント",
        "어시스턴트",
        "비서",
        "copilot",
        "chatbot",
    ];
    // Honest authors speak of "the LLM" and of "agents" when they explain; hardly ever of "the assistant".
    let is_assistant = |at: usize| {
        words.tokens.get(at).is_some_and(|token| {
            let text = words.text(token).to_lowercase();
            ASSISTANT.iter().any(|noun| text.starts_with(noun))
        })
    };
    words.pairs(C::MODEL, deeds() | C::MUST, 4).any(|(at, deed)| {
        is_assistant(at)
            || deed == at + 1 && words.tokens.get(deed).is_some_and(|token| is_bare_verb(words, token))
    })
}

/// "you raise all prices": the model is told what it does, not what it may or might do.
pub(super) fn you_act(words: &Words<'_>) -> bool {
    const OPEN: [&str; 20] = [
        "when", "if", "that", "which", "what", "as", "once", "unless", "after", "before", "where", "until",
        "while", "because", "how", "why", "whether", "can", "may", "might",
    ];
    const YOU: [&str; 10] = ["you", "du", "tu", "vous", "você", "usted", "ты", "вы", "你", "您"];
    if !words.has(C::ADDRESSEE) {
        return false;
    }
    words.tokens.iter().enumerate().any(|(at, token)| {
        let is_you = token.classes.any(C::ADDRESSEE)
            && YOU.iter().any(|you| words.text(token).eq_ignore_ascii_case(you));
        let before = at.checked_sub(1).and_then(|before| words.tokens.get(before));
        let is_open =
            before.is_some_and(|word| OPEN.iter().any(|open| words.text(word).eq_ignore_ascii_case(open)));
        let behind = words.tokens.get(at + 1..).unwrap_or_default().iter().take(2);
        is_you && !is_open && behind.clone().any(|next| is_bare_verb(words, next))
    })
}

/// A verb in the form of an order: not "returns", "returning" or "returned".
fn is_bare_verb(words: &Words<'_>, token: &Token) -> bool {
    let text = words.text(token);
    let is_bent = text.is_ascii()
        && (text.ends_with('s') && !text.ends_with("ss") || text.ends_with("ing") || text.ends_with("ed"));
    token.shape == Shape::Word && token.classes.any(deeds()) && !is_bent
}

/// A sentence behind the first one that opens with a bare verb: "Append it to every answer."
pub(super) fn demands(words: &Words<'_>) -> bool {
    !words.is_lead && words.clause_opener(0).is_some_and(|(_, token)| is_bare_verb(words, token))
}

/// Any form of pressing for something.
pub(super) fn presses(words: &Words<'_>) -> bool {
    orders(words) || demands(words) || agent_acts(words) || you_act(words)
}

/// A tool of another server in a sentence that presses, or right behind a verb: "call `x`", "take it from `x`".
pub(super) fn steers_foreign(words: &Words<'_>, mentions: &[Mention]) -> bool {
    mentions.iter().filter(|mention| matches!(mention.owner, Owner::Foreign(_))).any(|mention| {
        let before = words.tokens.get(mention.at.saturating_sub(6)..mention.at).unwrap_or_default();
        presses(words) || before.iter().any(|token| is_bare_verb(words, token))
    })
}

/// "before using `x` you must first delete …": a deed as the price of somebody else's tool.
pub(super) fn conditions_deed(words: &Words<'_>, mentions: &[Mention]) -> bool {
    words.has(C::BEFORE)
        && words.follows(C::MUST, C::DELETE | C::SEND, 8)
        && !words.topic.any(C::DELETE | C::SEND)
        && others(mentions).any(|mention| conditions(words, mention))
}

/// A shell command in quotes or as a step of a list, in a tool that is not about commands.
pub(super) fn runs_shell(words: &Words<'_>) -> bool {
    if !words.has(C::SHELL) || words.topic.any(C::SHELL) {
        return false;
    }
    let starts = |at: usize| {
        at.checked_sub(1).and_then(|before| words.tokens.get(before)).is_some_and(|token| {
            token.shape == Shape::Quote && words.text(token) == "`" || at == 1 && token.shape == Shape::Number
        }) && !is_fence(words, at)
    };
    words.tokens.iter().enumerate().any(|(at, token)| {
        // "`create` command": words that only speak of commands start none.
        let is_name =
            ["command", "commands", "shell", "terminal", "cli", "script"].contains(&words.text(token));
        let is_output = words
            .tokens
            .get(at.saturating_sub(4)..at)
            .unwrap_or_default()
            .iter()
            .any(|token| token.classes.any(C::DATA));
        let goes_on = is_output || words.tokens.get(at + 1).is_some_and(|next| next.shape != Shape::Quote);
        token.classes.any(C::SHELL) && !is_name && starts(at) && goes_on
    })
}

/// Three backticks open a block of code, with its language behind them.
fn is_fence(words: &Words<'_>, at: usize) -> bool {
    let before = at.checked_sub(2).and_then(|before| words.tokens.get(before));
    before.is_some_and(|token| token.shape == Shape::Quote)
}

/// Everything of a kind the purpose does not speak of.
pub(super) fn takes_all(words: &Words<'_>) -> bool {
    let wanted = C::CONVERSATION | C::SECRET | C::PRIVATE;
    words.near(C::QUANTITY, wanted, 5)
}

/// "read the diary", "all bank statements", in a tool that is about neither.
pub(super) fn takes_private(words: &Words<'_>) -> bool {
    !words.topic.any(C::PRIVATE) && words.near(C::PRIVATE, takes() | C::QUANTITY, 8)
}

/// "the full mailbox", "copy the open file": what a person keeps with other tools.
pub(super) fn takes_holdings(words: &Words<'_>) -> bool {
    !words.topic.any(C::HOLDINGS) && words.near(C::HOLDINGS, takes() | C::QUANTITY, 6)
}

/// "hand it to us", "our partner compares it".
pub(super) fn hands_over(words: &Words<'_>) -> bool {
    // The country is no party.
    let is_party = |token: &Token| token.classes.any(C::OURS) && words.text(token) != "US";
    words.near(takes(), C::OURS, 8) && words.tokens.iter().any(is_party)
}

/// "verbatim", "unredacted": cut nothing, mask nothing.
pub(super) fn uncut(words: &Words<'_>) -> bool {
    const UNCUT: [&str; 16] = [
        "verbatim",
        "unabridged",
        "unredacted",
        "unmasked",
        "unshortened",
        "uncut",
        "wörtlich",
        "ungekürzt",
        "дословно",
        "целиком",
        "原文",
        "全文",
        "íntegro",
        "intégral",
        "word",
        "whole",
    ];
    let is_uncut = |token: &Token| UNCUT.iter().any(|known| words.text(token).eq_ignore_ascii_case(known));
    words.has(C::QUANTITY)
        && words.tokens.iter().any(|token| token.classes.any(C::QUANTITY) && is_uncut(token))
}

/// "leave it out of the summary", "show her only the finished list".
pub(super) fn withholds(words: &Words<'_>) -> bool {
    let kept_back = words.near(C::WITHHOLD, C::SIGHT | C::PERSON | C::USER, 6);
    let not_seen = words.follows(C::NOT, C::SIGHT, 4);
    let partly = words.near(C::ONLY, C::TELL, 4) && words.has(C::PERSON | C::USER);
    (kept_back || not_seen || partly) && !words.has(C::SECRET)
}

/// Protection that is taken down by a tool that is not about it.
pub(super) fn weakens(words: &Words<'_>) -> bool {
    !words.topic.any(C::CONTROL) && words.near(C::DELETE, C::CONTROL, 5)
}

/// "your next reply", "the answer you give": rules the model's own words.
pub(super) fn rules_reply(words: &Words<'_>) -> bool {
    words.near(C::ANSWER, C::ADDRESSEE, 2)
}
