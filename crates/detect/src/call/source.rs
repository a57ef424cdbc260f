//! What a call says about the result it will bring: whose it is, whether it must not be passed on, whether it is a secret.

use super::word::Word;
use super::{Call, Label, ToolProfile};
use crate::flow::{Part, Privacy};
use crate::json::Json;
use crate::registry::spelling;

/// Words of arguments that are looked at.
const MOST_WORDS: usize = 64;
/// And of one text among them.
const MOST_OF_TEXT: usize = 16;

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
        let (mut named, mut words) = (Word::default(), Words::default());
        names(call).for_each(|name| {
            spelling(name).split('_').for_each(|word| {
                named = named.or(Word::of(word));
                words.see(word.as_bytes());
            });
        });
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
    fn see(&mut self, word: &[u8]) {
        self.count += 1;
        self.parts = self.parts.or(Part::of_bytes(word));
        self.is_vip |= word == b"vip";
        self.is_public |= matches!(word, b"pub" | b"public");
    }

    /// Takes in a word of ASCII in any case.
    fn see_ascii(&mut self, word: &[u8]) {
        if word.iter().any(u8::is_ascii_uppercase) {
            self.see(&word.to_ascii_lowercase());
        } else {
            self.see(word);
        }
    }

    fn see_all(&mut self, json: &Json) {
        match json {
            Json::String(text) if text.len() < 200 && self.count < MOST_WORDS => {
                // Letters and digits of ASCII are told without looking at whole characters.
                if text.is_ascii() {
                    let words = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
                    let words = words.filter(|word| word.len() > 2);
                    words.take(MOST_OF_TEXT).for_each(|word| self.see_ascii(word));
                } else {
                    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
                    words.take(MOST_OF_TEXT).for_each(|word| self.see(word.to_lowercase().as_bytes()));
                }
            }
            Json::Array(items) => items.iter().for_each(|item| self.see_all(item)),
            Json::Object(members) => members.iter().for_each(|(_, value)| self.see_all(value)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Override;
    use crate::prelude::*;

    fn check(text: &str, is_marked: bool, is_vault: bool) {
        let arguments = Json::Object(vec![("name".into(), Json::String(text.into()))]);
        let profile = ToolProfile::of_call("get_note", &["name"], &Override::default());
        let call = Call { server: "s", tool: "get_note", arguments: &arguments, intent: None, at_ms: 0 };
        let awaited = Awaited::of(&call, &profile);
        assert_eq!((awaited.is_marked, awaited.is_vault), (is_marked, is_vault), "{text}");
    }

    #[test]
    fn words_of_arguments_count_in_any_case_and_script() {
        check("ordinary notes", false, false);
        check("VIP list", true, false);
        check("état Confidential", true, false);
        check("Confidential-2024", true, false);
        check("prod/Password.txt", false, true);
        check("\u{e9}t\u{e9}/PASSWORD", false, true);
        check("password.pub", false, false);
        check("Public passwords", false, false);
    }
}
