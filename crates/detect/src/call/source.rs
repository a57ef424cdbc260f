//! What a call says about the result it will bring: whose it is, whether it must not be passed on, whether it is a secret.

use super::word::Word;
use super::{Call, Label, ToolProfile};
use crate::flow::{Part, Privacy};
use crate::json::Json;
use crate::prelude::*;
use crate::registry::NameKey;

/// Words of arguments that are looked at.
const MOST_WORDS: usize = 64;

/// Whose the result is: by its tool's labels, else by what server, tool and arguments say of public places.
pub(crate) fn privacy(call: &Call<'_>, profile: &ToolProfile) -> Privacy {
    let is_public = |word: &String| Word::of(word).any(Word::OPEN);
    // What is fetched by a link is a page, whatever else its name says.
    let is_page =
        !profile.operation.acts() && profile.has(Label::SeesUntrusted) && profile.has(Label::CanSend);
    if is_page || names(call).iter().any(is_public) {
        Privacy::Public
    } else if profile.has(Label::ReadsPrivate) {
        Privacy::Private
    } else {
        Privacy::Unsaid
    }
}

/// Whether others write what the tool reads.
pub(crate) fn is_open(call: &Call<'_>) -> bool {
    names(call).iter().any(|word| Word::of(word).any(Word::OUTSIDE))
}

/// Whether the tool reads what the house itself wrote for those who work in it.
pub(crate) fn is_house_rule(call: &Call<'_>) -> bool {
    names(call).iter().any(|word| Word::of(word).any(Word::HOUSE))
}

/// Whether the tool gives others access or passes things on.
pub(crate) fn gives_access(call: &Call<'_>) -> bool {
    names(call).iter().any(|word| Word::of(word).any(Word::SHARE))
}

/// Whether the tool is named for sending, not merely able to.
pub(crate) fn is_named_for_sending(call: &Call<'_>) -> bool {
    names(call).iter().any(|word| Word::of(word).any(Word::SEND.or(Word::MONEY)))
}

/// Whether the tool, or the parameter, is a place where secrets belong.
pub(crate) fn keeps_secrets(call: &Call<'_>, parameter: &str) -> bool {
    let is_secret =
        |word: &str| Part::of(word).any(Part::SECRET) || matches!(word, "env" | "key" | "variable" | "file");
    names(call).iter().any(|word| is_secret(word)) || NameKey::of(parameter).text.split('_').any(is_secret)
}

/// Whether the tool moves money.
pub(crate) fn moves_money(call: &Call<'_>) -> bool {
    names(call).iter().any(|word| Word::of(word).any(Word::MONEY))
}

/// Whether the call itself says that what it reads is confidential: `status: embargoed`.
pub(crate) fn is_marked(call: &Call<'_>) -> bool {
    words(call).iter().any(|word| Part::of(word).any(Part::MARKED) || word == "vip")
}

/// Whether the result holds secrets only: a vault, a store of passwords, a file of keys.
pub(crate) fn is_vault(call: &Call<'_>) -> bool {
    let is_public_key = |word: &String| word == "pub" || word == "public";
    let words = words(call);
    words.iter().any(|word| Part::of(word).any(Part::SECRET)) && !words.iter().any(is_public_key)
}

fn names(call: &Call<'_>) -> Vec<String> {
    let split = |name: &str| NameKey::of(name).text.split('_').map(str::to_owned).collect::<Vec<_>>();
    let mut all = split(call.server);
    all.extend(split(call.tool));
    all
}

fn words(call: &Call<'_>) -> Vec<String> {
    let mut all = names(call);
    add_words(call.arguments, &mut all);
    all
}

fn add_words(json: &Json, all: &mut Vec<String>) {
    match json {
        Json::String(text) if text.len() < 200 && all.len() < MOST_WORDS => {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
            all.extend(words.take(16).map(str::to_lowercase));
        }
        Json::Array(items) => items.iter().for_each(|item| add_words(item, all)),
        Json::Object(members) => members.iter().for_each(|(_, value)| add_words(value, all)),
        _ => {}
    }
}
