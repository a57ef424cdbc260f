//! What a call says about the result it will bring: whose it is, whether it must not be passed on, whether it is a secret.

use super::word::Word;
use super::{Call, Label, ToolProfile};
use crate::flow::{Part, Privacy};
use crate::json::Json;
use crate::registry::spelling;

/// Words of arguments that are looked at.
const MOST_WORDS: usize = 64;

/// What a call says about the result it will bring.
pub(crate) struct Awaited {
    /// Whose the result is: by its tool's labels, else by what server, tool and arguments say of public places.
    pub(crate) privacy: Privacy,
    /// The call itself says that what it reads is confidential: `status: embargoed`.
    pub(crate) is_marked: bool,
    /// Others write what the tool reads.
    pub(crate) is_open: bool,
    /// The house itself wrote it for those who work in it.
    pub(crate) is_house_rule: bool,
    /// It holds secrets only: a vault, a store of passwords, a file of keys.
    pub(crate) is_vault: bool,
}

impl Awaited {
    pub(crate) fn of(call: &Call<'_>, profile: &ToolProfile) -> Awaited {
        let named = named(call);
        let mut words = Words::default();
        names(call).for_each(|name| spelling(name).split('_').for_each(|word| words.see(word)));
        words.see_all(call.arguments);
        Awaited {
            privacy: privacy(named, profile),
            is_marked: words.parts.any(Part::MARKED) || words.is_vip,
            is_open: named.any(Word::OUTSIDE),
            is_house_rule: named.any(Word::HOUSE),
            is_vault: words.parts.any(Part::SECRET) && !words.is_public,
        }
    }
}

fn privacy(named: Word, profile: &ToolProfile) -> Privacy {
    // What is fetched by a link is a page, whatever else its name says.
    let is_page =
        !profile.operation.acts() && profile.has(Label::SeesUntrusted) && profile.has(Label::CanSend);
    if is_page || named.any(Word::OPEN) {
        Privacy::Public
    } else if profile.has(Label::ReadsPrivate) {
        Privacy::Private
    } else {
        Privacy::Unsaid
    }
}

/// Whether the tool gives others access or passes things on.
pub(crate) fn gives_access(call: &Call<'_>) -> bool {
    named(call).any(Word::SHARE)
}

/// Whether the tool is named for sending, not merely able to.
pub(crate) fn is_named_for_sending(call: &Call<'_>) -> bool {
    named(call).any(Word::SEND.or(Word::MONEY))
}

/// Whether the tool moves money.
pub(crate) fn moves_money(call: &Call<'_>) -> bool {
    named(call).any(Word::MONEY)
}

/// Whether the tool, or the parameter, is a place where secrets belong.
pub(crate) fn keeps_secrets(call: &Call<'_>, parameter: &str) -> bool {
    let is_secret =
        |word: &str| Part::of(word).any(Part::SECRET) || matches!(word, "env" | "key" | "variable" | "file");
    names(call).chain([parameter]).any(|name| spelling(name).split('_').any(is_secret))
}

fn names<'c>(call: &Call<'c>) -> impl Iterator<Item = &'c str> {
    [call.server, call.tool].into_iter()
}

/// What the words of server and tool say together.
pub(crate) fn named(call: &Call<'_>) -> Word {
    names(call).fold(Word::default(), |sum, name| {
        spelling(name).split('_').fold(sum, |sum, word| sum.or(Word::of(word)))
    })
}

/// What the words of a call say together.
#[derive(Default)]
struct Words {
    parts: Part,
    is_vip: bool,
    is_public: bool,
    count: usize,
}

impl Words {
    /// Takes in a word in lower case.
    fn see(&mut self, word: &str) {
        self.count += 1;
        self.parts = self.parts.or(Part::of(word));
        self.is_vip |= word == "vip";
        self.is_public |= matches!(word, "pub" | "public");
    }

    fn see_all(&mut self, json: &Json) {
        match json {
            Json::String(text) if text.len() < 200 && self.count < MOST_WORDS => {
                let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
                for word in words.take(16) {
                    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
                    if word.bytes().all(is_lower) {
                        self.see(word);
                    } else {
                        self.see(&word.to_lowercase());
                    }
                }
            }
            Json::Array(items) => items.iter().for_each(|item| self.see_all(item)),
            Json::Object(members) => members.iter().for_each(|(_, value)| self.see_all(value)),
            _ => {}
        }
    }
}
