//! What the name of a parameter says of its values: worked out when a tool's profile is made, since every call asks again.

use super::word::Word;
use crate::registry::spelling;

/// What a parameter carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterRole {
    /// Whom or what the call goes to.
    Destination,
    /// What is taken there.
    Payload,
    /// A password, a role, a permission: what it is set to matters.
    Setting,
    /// Dates, amounts, limits.
    Quantity,
    /// Anything else: ids, names, choices.
    Other,
}

/// What the name of a parameter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) role: ParameterRole,
    /// Its value names the deed: `action`, `method`.
    pub(crate) names_deed: bool,
    /// Its text is run: `sql`, `command`.
    pub(crate) is_run: bool,
}

/// Words of parameters whose text is run.
const RUN: [&str; 14] = [
    "sql",
    "query",
    "statement",
    "command",
    "cmd",
    "script",
    "code",
    "shell",
    "bash",
    "args",
    "commands",
    "statements",
    "expression",
    "input",
];

impl Parameter {
    /// What a name says by itself.
    pub(crate) fn named(name: &str) -> Parameter {
        let key = spelling(name);
        // The last word names the thing: `user_email` is an address, `email_body` is not.
        let (mut all, mut last, mut is_run) = (Word::default(), Word::default(), false);
        for word in key.split('_') {
            last = Word::of(word);
            all = all.or(last);
            is_run |= RUN.contains(&word);
        }
        let is_id = key.ends_with("_id") || key.ends_with("_ids") || matches!(&*key, "id" | "ids");
        let role = if is_id {
            ParameterRole::Other
        } else if last.any(Word::PAYLOAD) {
            ParameterRole::Payload
        } else if all.any(Word::SETTING) {
            ParameterRole::Setting
        } else if last.any(Word::QUANTITY) {
            ParameterRole::Quantity
        } else if all.any(Word::DESTINATION) {
            ParameterRole::Destination
        } else if all.any(Word::PAYLOAD) {
            ParameterRole::Payload
        } else {
            ParameterRole::Other
        };
        Parameter { role, names_deed: all.any(Word::VERB_PARAMETER), is_run }
    }

    /// Whether the name is that of a place somebody chooses.
    pub(super) fn is_place(name: &str) -> bool {
        Parameter::named(name).role == ParameterRole::Destination || names_address(name)
    }
}

/// Whether the name is that of an address.
pub(super) fn names_address(name: &str) -> bool {
    let key = spelling(name);
    key.split('_').any(|word| matches!(word, "url" | "urls" | "uri" | "webhook" | "endpoint" | "callback"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_roles() {
        let check =
            |name: &str, expected: ParameterRole| assert_eq!(Parameter::named(name).role, expected, "{name}");
        check("recipients", ParameterRole::Destination);
        check("userEmail", ParameterRole::Destination);
        check("email_body", ParameterRole::Payload);
        check("file_id", ParameterRole::Other);
        check("new_password", ParameterRole::Setting);
        check("start_date", ParameterRole::Quantity);
        check("hotel", ParameterRole::Other);
    }

    #[test]
    fn names_say_whether_a_value_is_a_deed_or_is_run() {
        let check = |name: &str, names_deed: bool, is_run: bool| {
            let parameter = Parameter::named(name);
            assert_eq!((parameter.names_deed, parameter.is_run), (names_deed, is_run), "{name}");
        };
        check("action", true, false);
        check("httpMethod", true, false);
        check("sqlQuery", false, true);
        check("command", false, true);
        check("queries_seen", false, false);
        check("hotel", false, false);
    }
}
