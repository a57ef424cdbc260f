#![doc = include_str!("README.md")]

use crate::call::address::{self, Address, AddressKind};
use crate::call::{CallSignal, Source};
use crate::call_checks::{CallCheck, ResultContext};
use crate::checks::Facts;
use crate::json::Json;
use crate::prelude::*;
use crate::signal::{Confidence, Threat, Tier};

static FACTS: Facts = Facts {
    id: "result.phishing",
    tier: Tier::Hard,
    owasp: "MCP06:2025 Prompt Injection via Contextual Payloads",
    title: "A server asks the user for a secret",
    page: include_str!("README.md"),
};

/// The check.
pub struct ResultPhishing;

impl CallCheck for ResultPhishing {
    fn facts(&self) -> &'static Facts {
        &FACTS
    }

    fn inspect_result(&self, context: &ResultContext<'_>) -> Vec<CallSignal> {
        let asked = match elicitation(context.result) {
            Some(request) => wanted(request).or_else(|| strange_page(request, context)),
            None => whole_context(context.result),
        };
        let signal = asked.map(|what| CallSignal {
            check: FACTS.id,
            source: Source::Static,
            severity: 85,
            threat: Threat::PromptInjection,
            confidence: Confidence::new(850),
            pointer: String::new(),
            from_call: None,
            detail: format!("the server asks the user for {what}"),
        });
        signal.into_iter().collect()
    }
}

/// Whether a result asks for input instead of answering.
pub(crate) fn asks_for_input(result: &Json) -> bool {
    elicitation(result).is_some()
}

/// The request for input in a message: an elicitation, or an input_required result.
fn elicitation(json: &Json) -> Option<&Json> {
    match json {
        Json::Object(members) => {
            let asks = members.iter().any(|(key, value)| {
                matches!(&**key, "requestedSchema" | "inputRequests")
                    || &**key == "method" && value.as_str() == Some("elicitation/create")
            });
            if asks { Some(json) } else { members.iter().find_map(|(_, value)| elicitation(value)) }
        }
        Json::Array(items) => items.iter().find_map(elicitation),
        _ => None,
    }
}

/// Secrets that the client's model is asked for, with all that other servers told it at hand.
fn whole_context(json: &Json) -> Option<&'static str> {
    let has = |json: &Json, key: &str, text: &str| {
        json.members().iter().any(|(known, value)| **known == *key && value.as_str() == Some(text))
    };
    let wants_all = |(_, params): &(Box<str>, Json)| has(params, "includeContext", "allServers");
    let is_meant = has(json, "method", "sampling/createMessage") && json.members().iter().any(wants_all);
    if is_meant { wanted(json) } else { None }
}

/// Things no server may ask for through the agent, with the words that name them.
const SECRETS: [(&str, &[&str]); 6] = [
    (
        "a password",
        &[
            "password",
            "passwd",
            "passphrase",
            "passwort",
            "kennwort",
            "contraseña",
            "mot de passe",
            "senha",
            "пароль",
            "hasło",
            "wachtwoord",
            "parola d'ordine",
            "密码",
            "パスワード",
            "비밀번호",
            "login credentials",
            "zugangsdaten",
        ],
    ),
    (
        "a one-time code",
        &[
            "one-time code",
            "one time code",
            "otp",
            "2fa",
            "mfa code",
            "verification code",
            "authenticator code",
            "digit code",
            "security code",
            "einmalcode",
            "sms-code",
            "code à",
            "code de validation",
            "código de verificación",
            "código de verificação",
            "codice di verifica",
            "kod sms",
            "код из смс",
            "验证码",
            "認証コード",
            "인증번호",
        ],
    ),
    (
        "a key or token",
        &[
            "api key",
            "api_key",
            "apikey",
            "access token",
            "secret key",
            "private key",
            "ssh key",
            "bearer token",
            "personal access token",
            "operator token",
            "operator_token",
            "admin token",
            "session token",
            "credentials",
        ],
    ),
    (
        "a wallet phrase",
        &[
            "seed phrase",
            "recovery phrase",
            "mnemonic",
            "recovery code",
            "wallet backup",
            "12 words",
            "24 words",
            "twelve words",
            "secret words",
        ],
    ),
    (
        "a card number",
        &[
            "card number",
            "credit card",
            "cvv",
            "cvc",
            "card_number",
            "kartennummer",
            "numéro de carte",
            "número de tarjeta",
            "numer karty",
            "номер карты",
            "卡号",
            "カード番号",
        ],
    ),
    (
        "an identity number",
        &[
            "social security",
            "ssn",
            "passport number",
            "national id",
            "identity number",
            "bank account number",
            "my_number",
            "マイナンバー",
            "身份证",
            "주민등록번호",
            "pesel",
            "nif",
            "personalausweis",
            "steuer-id",
            "codice fiscale",
            "mother's maiden name",
        ],
    ),
];

fn wanted(request: &Json) -> Option<&'static str> {
    let text = crate::call::view::flat(request).to_lowercase();
    let mut keys = String::new();
    collect_keys(request, &mut keys);
    let all = format!("{text} {}", keys.to_lowercase());
    let has = |word: &&str| {
        all.match_indices(*word).any(|(at, _)| {
            let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let before = all.get(..at).and_then(|head| head.chars().next_back());
            let after = all.get(at + word.len()..).and_then(|tail| tail.chars().next());
            // Scripts without blanks have no ends of words.
            !word.is_ascii() || !is_letter(before) && !is_letter(after)
        })
    };
    SECRETS.iter().find(|(_, words)| words.iter().any(&has)).map(|(what, _)| *what)
}

/// A page the user is sent to that hides where it leads or catches what is sent to it, or one to sign in at whose host
/// has no word in common with the server's name.
fn strange_page(request: &Json, context: &ResultContext<'_>) -> Option<&'static str> {
    let text = crate::call::view::flat(request).to_lowercase();
    if !text.contains("mode: url") {
        return None;
    }
    let pages: Vec<Address> =
        address::all(&text).into_iter().filter(|found| found.kind == AddressKind::Link).collect();
    let is_trap = |page: &Address| {
        page.disguise.is_some()
            || page.is_collector()
            || page.is_tunnel()
            || page.host.split('.').any(|label| label.starts_with("xn--"))
            || context.settings.is_suspicious(&page.host)
    };
    if pages.iter().any(is_trap)
        || text.contains("url: http://") && !pages.iter().any(|page| page.is_internal)
    {
        return Some("a visit to an address that is not to be trusted");
    }
    let asks =
        ["sign in", "log in", "login", "authori", "verify", "anmeld", "connect", "password", "account"];
    let is_own = |page: &Address| is_own(&page.host, context.call.server);
    (!pages.iter().all(is_own) && asks.iter().any(|word| text.contains(word)))
        .then_some("a sign-in at a strange address")
}

/// Whether a host has a word of the server's name in it, or is where half of the world signs in.
fn is_own(host: &str, server: &str) -> bool {
    const KNOWN: [&str; 8] = [
        "google.com",
        "microsoftonline.com",
        "github.com",
        "atlassian.com",
        "okta.com",
        "auth0.com",
        "slack.com",
        "apple.com",
    ];
    let name = server.to_lowercase();
    let is_within =
        |known: &&str| host.strip_suffix(*known).is_some_and(|head| head.is_empty() || head.ends_with('.'));
    name.split(['-', '_', '.', ' ']).any(|word| word.len() > 2 && host.contains(word))
        || KNOWN.iter().any(is_within)
}

fn collect_keys(json: &Json, keys: &mut String) {
    match json {
        Json::Object(members) => {
            for (key, value) in members {
                keys.push_str(key);
                keys.push(' ');
                collect_keys(value, keys);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        _ => {}
    }
}
