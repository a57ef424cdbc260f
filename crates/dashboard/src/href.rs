//! Addresses of our own pages. A name in one may be hostile: every byte that could end a part is written as a number.

/// A name as one part of a path, or as a value of a query.
pub fn part(name: &str) -> String {
    let mut part = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => part.push(char::from(byte)),
            // A browser would take a part of dots for a way up.
            _ => part.push_str(&format!("%{byte:02X}")),
        }
    }
    part
}

/// The page of a server.
pub(crate) fn server(name: &str) -> String {
    format!("/servers/{}", part(name))
}

/// The page of a definition.
pub(crate) fn definition(server: &str, kind: &str, name: &str) -> String {
    format!("/servers/{}/{}/{}", part(server), plural(kind), part(name))
}

/// The word for a kind in paths.
pub(crate) fn plural(kind: &str) -> &'static str {
    match kind {
        "prompt" => "prompts",
        "resource" => "resources",
        "resource_template" => "templates",
        "instructions" => "instructions",
        _ => "tools",
    }
}

/// A query of these members, without those that say nothing; it begins with a question mark if there are any.
pub fn query(members: &[(&str, &str)]) -> String {
    let said: Vec<String> = members
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(key, value)| format!("{key}={}", part(value)))
        .collect();
    if said.is_empty() { String::new() } else { format!("?{}", said.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_ends_its_part() {
        assert_eq!(part("a/b?c#d\"<.."), "a%2Fb%3Fc%23d%22%3C%2E%2E");
        assert_eq!(definition("s", "tool", "\u{202e}"), "/servers/s/tools/%E2%80%AE");
        assert_eq!(query(&[("a", ""), ("b", "x&y")]), "?b=x%26y");
        assert_eq!(query(&[("a", "")]), "");
    }
}
