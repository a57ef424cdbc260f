//! Secrets in the files of clients, masked: nothing else of a value is ever shown.

use portcullis_detect::sensitive::{Family, Format, SensitiveData};

/// What stands for a value that only its name makes a secret.
const MASK: &str = "****";
/// Ends of names whose values are secrets, without what separates words.
const NAMES: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "credential",
    "credentials",
    "authorization",
    "cookie",
    "passphrase",
];
/// Last words of names whose values are secrets; as mere ends they would be too many (`monkey`).
const LAST_WORDS: &[&str] = &["key", "pat", "pass", "bearer"];

/// Finds secrets by what they look like and by what they are called.
pub(super) struct Secrets<'a> {
    data: &'a SensitiveData,
}

impl<'a> Secrets<'a> {
    pub(super) fn new(data: &'a SensitiveData) -> Self {
        Secrets { data }
    }

    /// A command line on one line, without its secrets.
    pub(super) fn command_line(&self, command: &str, arguments: &[String]) -> String {
        let mut words = vec![self.masked(command)];
        let mut before = "";
        for argument in arguments {
            let is_value = before.starts_with('-') && !before.contains('=') && is_secret_name(before);
            words.push(
                match argument.find(['=', ':']).and_then(|place| argument.split_at_checked(place + 1)) {
                    _ if is_value && !argument.starts_with('-') && !is_reference(argument) => MASK.to_owned(),
                    // An assignment, an option with its value, or a header.
                    Some((name, value)) if is_secret_name(name) && !is_reference(value) => {
                        format!("{name}{MASK}")
                    }
                    _ if argument.contains("://") => self.address(argument),
                    _ => self.masked(argument),
                },
            );
            before = argument;
        }
        words.join(" ")
    }

    /// An address without its secrets: what stands before the host, and what the query calls one.
    pub(super) fn address(&self, url: &str) -> String {
        let (base, query) = url.split_once('?').map_or((url, None), |(base, query)| (base, Some(query)));
        let base = match base.split_once("://") {
            Some((scheme, rest)) => {
                let end = rest.find('/').unwrap_or(rest.len());
                match rest.get(..end).and_then(|authority| authority.rfind('@')) {
                    Some(place) => {
                        format!("{scheme}://{MASK}{}", self.masked(rest.get(place..).unwrap_or_default()))
                    }
                    None => self.masked(base),
                }
            }
            None => self.masked(base),
        };
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) if is_secret_name(name) && !is_reference(value) => format!("{name}={MASK}"),
            _ => self.masked(pair),
        };
        match query {
            Some(query) => format!("{base}?{}", query.split('&').map(pair).collect::<Vec<_>>().join("&")),
            None => base,
        }
    }

    /// The mask of a value that is a secret, by its looks or its name; `None` if it is none.
    pub(super) fn value(&self, name: &str, value: &str) -> Option<String> {
        if value.is_empty() || is_reference(value) {
            return None;
        }
        let line = format!("{name}={value}");
        let masked = self.masked(&line);
        match masked.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
            Some(masked) if masked != value => Some(masked.to_owned()),
            _ => is_secret_name(name).then(|| MASK.to_owned()),
        }
    }

    /// A text with everything masked that looks like a secret.
    fn masked(&self, text: &str) -> String {
        let (mut out, mut done) = (String::new(), 0);
        for located in self.data.in_document(text.as_bytes(), Format::Text).hits {
            let hit = located.hit;
            let is_secret = self.data.facts(hit.row).family == Family::Secret && hit.doubt.is_none();
            let Some(before) = text.get(done..hit.start).filter(|_| is_secret) else { continue };
            out.push_str(before);
            out.push_str(&located.masked);
            done = hit.end;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }
}

/// Whether a value only says where the real one comes from.
fn is_reference(value: &str) -> bool {
    let value = value.trim_start();
    let value = value.strip_prefix("Bearer ").unwrap_or(value);
    value.starts_with('$') || value.starts_with("{env:") || (value.starts_with('%') && value.ends_with('%'))
}

fn is_secret_name(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
    let trimmed = name.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let last = trimmed.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    NAMES.iter().any(|end| plain.ends_with(end))
        || LAST_WORDS.iter().any(|word| last.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_by_looks_and_by_name() {
        let data = SensitiveData::new();
        let secrets = Secrets::new(&data);
        let line = |words: &str| {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            secrets.command_line(&words[0], &words[1..])
        };
        assert_eq!(line("npx server --api-key abc --port 80"), "npx server --api-key **** --port 80");
        assert_eq!(line("docker run -e API_TOKEN=abc img"), "docker run -e API_TOKEN=**** img");
        assert_eq!(line("x --key=abc --monkey=see"), "x --key=**** --monkey=see");
        assert_eq!(line("x https://u:p@h.example/?token=abc"), "x https://****@h.example/?token=****");
        let header = |value: &str| secrets.command_line("x", &["--header".to_owned(), value.to_owned()]);
        assert_eq!(header("Authorization: Bearer abc"), "x --header Authorization:****");
        assert_eq!(header("X-Api-Key:${KEY}"), "x --header X-Api-Key:${KEY}");
        assert_eq!(line("x --token ${env:T} --token-file f"), "x --token ${env:T} --token-file f");
        assert_eq!(
            secrets.address("https://u:p@h.example/mcp?api_key=abc&q=1"),
            "https://****@h.example/mcp?api_key=****&q=1"
        );
        assert_eq!(secrets.address("https://h.example/mcp"), "https://h.example/mcp");
        assert_eq!(secrets.value("MY_SECRET", "abc"), Some("****".to_owned()));
        assert_eq!(secrets.value("MY_SECRET", "${input:x}"), None);
        assert_eq!(secrets.value("LEVEL", "debug"), None);
        let token = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
        let masked = secrets.value("LEVEL", &token).expect("a token by its looks");
        assert!(!masked.contains(&token) && masked.len() < token.len() + 10, "{masked}");
    }
}
