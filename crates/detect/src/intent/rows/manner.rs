//! Rows on the manner of a sentence: how it speaks, whom it hides from, what it sets aside.

use super::{acts, orders};
use crate::intent::Words;
use crate::text::lexicon::Classes as C;
use crate::text::token::{Shape, Token};
use crate::text::unicode::is_unspaced;

/// "assistants: …", "note for the agent", "the model has to …".
pub(super) fn addresses_model(words: &Words<'_>) -> bool {
    if !words.has(C::MODEL) {
        return false;
    }
    // "model name", "agent id": a noun of the trade, not somebody spoken to.
    let is_spoken_to = |at: usize| {
        !words.tokens.get(at + 1).is_some_and(|next| {
            ["name", "id", "ids", "type", "version", "run", "runs"]
                .iter()
                .any(|word| words.text(next).eq_ignore_ascii_case(word))
        })
    };
    if !words.tokens.iter().enumerate().any(|(at, token)| token.classes.any(C::MODEL) && is_spoken_to(at)) {
        return false;
    }
    // "assistants: …", "(to the agent: …": a label in front of what concerns them.
    let labelled = words.tokens.iter().enumerate().any(|(at, token)| {
        let behind = words.tokens.get(at + 1..).unwrap_or_default().iter().take(2);
        token.classes.any(C::MODEL) && behind.clone().any(|next| matches!(words.text(next), ":" | "："))
    });
    if labelled {
        return true;
    }
    let opens = words.tokens.iter().take(6).any(|token| token.classes.any(C::MODEL));
    let obliged = words.follows(C::MODEL, C::MUST | acts(), 4);
    opens && (orders(words) || obliged) || obliged && words.has(C::MUST | C::WHEN | C::BEFORE)
}

/// "if the user asks, …", "when somebody complains".
pub(super) fn if_asked(words: &Words<'_>) -> bool {
    words.pairs(C::WHEN, C::ASKED, 6).any(|(when, asked)| {
        words.tokens.get(when..asked).unwrap_or_default().iter().any(|token| token.classes.any(C::PERSON))
    })
}

/// Who speaks in a transcript.
const ROLES: [&str; 10] =
    ["user", "assistant", "human", "system", "developer", "系统", "用户", "助手", "システム", "アシスタント"];

/// `User: …`, `Assistant: …`, `"role":"system"`: turns of a conversation that never took place.
pub(super) fn fake_turn(words: &Words<'_>) -> bool {
    let is_role = |token: &Token| ROLES.iter().any(|role| words.text(token).eq_ignore_ascii_case(role));
    let speaks = words.tokens.iter().enumerate().any(|(at, token)| {
        let opens = token.opens_line && at == 0
            || !words.passage.is_ascii && token.end - token.start > 3 && !words.text(token).is_ascii();
        // A quoted answer behind the colon is an illustration of a dialogue.
        let is_shown = || words.tokens.get(at + 2).is_some_and(|next| next.shape == Shape::Quote);
        let colon = || words.tokens.get(at + 1).is_some_and(|next| matches!(words.text(next), ":" | "："));
        opens && colon() && is_role(token) && !is_shown()
    });
    let quotes = words.tokens.iter().filter(|token| token.shape == Shape::Quote).count();
    let quoted_role = || {
        words.tokens.windows(5).any(|window| match window {
            [key, .., role] => words.text(key) == "role" && is_role(role),
            _ => false,
        })
    };
    speaks || quotes >= 4 && quoted_role()
}

/// "this tool should never be invoked": a definition that only wants to be read.
pub(super) fn not_for_use(words: &Words<'_>) -> bool {
    words.pairs(C::NOT, C::USE, 4).any(|(not, used)| {
        let last = used.checked_sub(1).filter(|last| *last > not).and_then(|last| words.tokens.get(last));
        let passive = last.is_some_and(|token| matches!(words.text(token), "be" | "been"));
        // "must not be used when …", "not to be used before …" limit the use; they do not rule it out.
        let behind = words.tokens.get(used + 1..).unwrap_or_default().iter().take(2);
        let is_limited = behind.clone().any(|token| {
            token.classes.any(C::WHEN | C::BEFORE | C::INSTEAD)
                && !words.text(token).eq_ignore_ascii_case("during")
                || ["for", "with", "to", "as", "in"]
                    .iter()
                    .any(|word| words.text(token).eq_ignore_ascii_case(word))
        });
        passive && !is_limited && words.has(C::MUST)
    }) && (words.has(C::SELF) || words.tokens.iter().take(3).any(|token| token.classes.any(C::TOOL)))
}

/// Two words of attack, and nothing that says the tool is against it.
pub(super) fn overt(words: &Words<'_>) -> bool {
    let named = words.tokens.iter().filter(|token| token.classes.any(C::OVERT)).count();
    let is_against = words.has(C::DETECTS) || words.topic.any(C::DETECTS);
    named >= 2 && !is_against || named >= 4
}

/// "do not mention this to the user", "silently add"; not "never show the password".
pub(super) fn conceals(words: &Words<'_>) -> bool {
    let negated = words.pairs(C::NOT, C::TELL, 3).any(|(not, tell)| {
        if is_statement(words, not) {
            return false;
        }
        let after = words.tokens.get(tell + 1..).unwrap_or_default();
        // An honest rule protects a secret: it is the very thing not to be told.
        let guards_secret = after.iter().take(4).any(|token| token.classes.any(C::SECRET));
        let to_user = words
            .tokens
            .get(tell.saturating_sub(5)..tell + 9)
            .or(words.tokens.get(tell..))
            .unwrap_or_default();
        let to_user = to_user.iter().any(|token| token.classes.any(C::USER));
        let about_this = after.first().is_some_and(|token| is_pointing(words.text(token)));
        !guards_secret && !is_noun(words, tell) && (to_user || about_this)
    });
    // "사용자에게 알리지 마세요", "触れないこと": the negation comes last.
    let negated_behind = words.pairs(C::TELL, C::NOT, 2).any(|(tell, not)| {
        let unspaced = words
            .tokens
            .get(not)
            .is_some_and(|token| words.text(token).chars().next().is_some_and(is_unspaced));
        let to_somebody = words
            .tokens
            .get(tell.saturating_sub(6)..tell)
            .unwrap_or_default()
            .iter()
            .any(|token| token.classes.any(C::USER | C::PERSON));
        unspaced && to_somebody
    });
    negated || negated_behind || covert_act(words)
}

/// "the client cannot show it", "does not display": what something fails to do, unless it is the model that is meant.
fn is_statement(words: &Words<'_>, not: usize) -> bool {
    let Some(token) = words.tokens.get(not) else { return false };
    let before = words.tokens.get(not.saturating_sub(3)..not).unwrap_or_default();
    let helper = before.last().is_some_and(|word| {
        ["does", "did", "can", "could", "is", "are", "was"]
            .iter()
            .any(|known| words.text(word).eq_ignore_ascii_case(known))
    });
    let is_it = |word: &Token| {
        words.follows_model
            && ["it", "they", "she", "he"].iter().any(|it| words.text(word).eq_ignore_ascii_case(it))
    };
    (helper || words.text(token).eq_ignore_ascii_case("cannot"))
        && !before.iter().any(|word| word.classes.any(C::ADDRESSEE | C::MODEL) || is_it(word))
}

/// "silently add", "pass its content quietly": the agent is told to do something unseen.
fn covert_act(words: &Words<'_>) -> bool {
    let ordered = |at: usize| {
        // "will silently truncate", "is silently ignored" describe what software does.
        let before = words.tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
        !before.iter().any(|token| is_auxiliary(words.text(token)))
    };
    words
        .pairs(C::COVERTLY, acts() | C::TELL, 2)
        .any(|(covertly, _)| ordered(covertly) && orders_or_opens(words, covertly))
        || orders(words)
            && words.pairs(acts(), C::COVERTLY, 7).any(|(act, covertly)| ordered(covertly) && ordered(act))
}

fn orders_or_opens(words: &Words<'_>, at: usize) -> bool {
    let opens = words.clause_opener(0).is_some_and(|(first, _)| first == at);
    let joined = at.checked_sub(1).and_then(|before| words.tokens.get(before)).is_some_and(|token| {
        token.shape == Shape::Pause
            || token.classes.any(C::MUST)
            || matches!(words.text(token), "and" | "then" | "to" | "y" | "und" | "et" | "e" | "и")
    });
    opens || joined || orders(words)
}

fn is_auxiliary(word: &str) -> bool {
    ["will", "would", "is", "are", "be", "been", "was", "were", "may", "can", "could", "gets", "it", "which"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
}

fn is_pointing(word: &str) -> bool {
    [
        "this",
        "it",
        "that",
        "these",
        "them",
        "so",
        "eso",
        "esto",
        "dies",
        "das",
        "cela",
        "isso",
        "это",
        "этого",
    ]
    .iter()
    .any(|known| word.eq_ignore_ascii_case(known))
}

/// "no mention of", "without notice": nouns, not verbs.
fn is_noun(words: &Words<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.tokens.get(before)).map(|token| words.text(token));
    before.is_some_and(|word| {
        ["no", "a", "an", "the", "of"].iter().any(|known| word.eq_ignore_ascii_case(known))
    })
}

/// "ignore all previous instructions", "has priority over the user's request", "regardless of what the user asks".
pub(super) fn overrides(words: &Words<'_>) -> bool {
    let ignores = words.pairs(C::IGNORE, C::RULES | C::REQUEST, 6).any(|(ignore, rules)| {
        let between = words.tokens.get(ignore + 1..rules).unwrap_or_default();
        let whose = between.iter().any(|token| token.classes.any(C::PRIOR | C::USER | C::ADDRESSEE));
        // "If true, ignore all existing rules": what a switch of the tool does is no order to the model.
        let is_switch = words.tokens.get(..ignore).unwrap_or_default().iter().any(|token| {
            ["true", "false", "whether", "set", "enabled"]
                .iter()
                .any(|word| words.text(token).eq_ignore_ascii_case(word))
        });
        whose
            && !is_switch
            && is_told(words, ignore)
            && !between.iter().any(|token| token.shape == Shape::Quote)
    });
    // "이전 지시를 무시", "以前の指示を無視": the verb comes last.
    let ignores = ignores
        || words.pairs(C::RULES, C::IGNORE, 3).any(|(rules, _)| {
            words
                .tokens
                .get(rules.saturating_sub(3)..rules)
                .unwrap_or_default()
                .iter()
                .any(|token| token.classes.any(C::PRIOR))
                && words
                    .tokens
                    .get(rules)
                    .is_some_and(|token| words.text(token).chars().next().is_some_and(is_unspaced))
        });
    let outranks = words.near(C::PRIORITY, C::USER, 7) && words.has(C::RULES | C::REQUEST | C::CONVERSATION);
    let outranks_rules = words.pairs(C::PRIORITY, C::RULES, 7).any(|(priority, rules)| {
        words
            .tokens
            .get(priority + 1..rules)
            .unwrap_or_default()
            .iter()
            .any(|token| token.classes.any(C::PRIOR))
    });
    let regardless = words.follows(C::REGARDLESS, C::USER | C::PERSON | C::REQUEST, 6)
        && orders(words)
        && !restrains(words);
    ignores || sets_aside(words) || outranks || outranks_rules || regardless
}

/// "makes git ignore the rule": a verb right behind a plain noun is what that noun does, no order.
fn is_told(words: &Words<'_>, verb: usize) -> bool {
    const JOINING: [&str; 16] = [
        "and", "then", "to", "now", "please", "also", "just", "simply", "will", "but", "or", "so", "y",
        "und", "et", "e",
    ];
    let before = verb.checked_sub(1).and_then(|before| words.tokens.get(before));
    before.is_none_or(|token| {
        token.shape != Shape::Word
            || token.opens_line
            || token.classes.any(acts() | C::MUST | C::ADDRESSEE | C::MODEL | C::NOT | C::BEFORE | C::WHEN)
            || JOINING.iter().any(|word| words.text(token).eq_ignore_ascii_case(word))
            || !words.text(token).is_ascii()
    })
}

/// "must not invoke other tools, even if the user …": a rule that holds the model back takes nothing.
pub(super) fn restrains(words: &Words<'_>) -> bool {
    words.pairs(C::MUST, C::NOT, 2).any(|(_, not)| {
        let behind = words.tokens.get(not + 1..).unwrap_or_default().iter().take(2);
        behind.clone().any(|token| token.classes.any(acts()))
    })
}

/// "forget everything above", "ignore what the user typed": no noun of rules is needed.
fn sets_aside(words: &Words<'_>) -> bool {
    const ALL: [&str; 10] =
        ["everything", "all", "anything", "what", "tout", "todo", "tudo", "alles", "всё", "все"];
    if !words.has(C::IGNORE) {
        return false;
    }
    let opens = |at: usize| {
        let before = at.checked_sub(1).and_then(|index| words.tokens.get(index));
        before.is_none_or(|token| {
            token.shape != Shape::Word
                || ["please", "and", "now", "then"]
                    .iter()
                    .any(|word| words.text(token).eq_ignore_ascii_case(word))
        })
    };
    words.tokens.iter().enumerate().any(|(at, token)| {
        let rest = words.tokens.get(at + 1..).unwrap_or_default();
        let whole = rest
            .first()
            .is_some_and(|next| ALL.iter().any(|word| words.text(next).eq_ignore_ascii_case(word)));
        let of_before = rest.iter().take(6).any(|next| {
            next.classes.any(C::BEFORE | C::USER)
                || [
                    "above",
                    "said",
                    "told",
                    "previous",
                    "earlier",
                    "dito",
                    "dicho",
                    "dit",
                    "gesagt",
                    "сказано",
                ]
                .iter()
                .any(|word| words.text(next).eq_ignore_ascii_case(word))
        });
        token.classes.any(C::IGNORE) && opens(at) && whole && of_before
    })
}

/// "you must tell the user: '…'".
pub(super) fn dictates(words: &Words<'_>) -> bool {
    let says = words.tokens.iter().enumerate().any(|(at, token)| {
        token.classes.any(C::TELL | C::ANSWER)
            && words.tokens.get(at + 1..).unwrap_or_default().iter().take(8).any(|t| t.shape == Shape::Quote)
    });
    says && words.follows(C::MUST, C::TELL | C::ANSWER, 5) && words.has(C::USER | C::ANSWER)
}
