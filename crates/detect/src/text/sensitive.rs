//! Paths and hosts that matter: files that hold secrets, and addresses that are not a name.

use crate::prelude::*;
use crate::text::bytes::Bytes;
use crate::text::grams::Grams;
use aho_corasick::AhoCorasick;
use once_cell::race::OnceBox;

/// Pieces of paths that lead to credentials, shells' start-up files or a user's private records.
const PIECES: [&str; 63] = [
    ".ssh",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    "authorized_keys",
    "known_hosts",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/sudoers",
    "/etc/hosts",
    ".env",
    ".aws",
    ".azure",
    ".gcloud",
    "gcloud",
    ".kube",
    "kubeconfig",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".gitconfig",
    ".docker/config",
    ".gnupg",
    ".bash_history",
    ".zsh_history",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".bash_profile",
    "mcp.json",
    "mcp_config",
    "claude_desktop_config",
    ".cursor/",
    ".claude",
    "credentials.json",
    "credentials.yml",
    "credentials.yaml",
    "credentials.db",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "secrets.env",
    "service-account",
    "service_account",
    "wallet.dat",
    "keystore",
    ".keychain",
    "keychains",
    "login data",
    "cookies.sqlite",
    "/proc/self/environ",
    ".password-store",
    "ntuser.dat",
    "docker.sock",
    ".config/gh",
    ".vault-token",
    ".terraform.d",
    "master.key",
    "private_key",
];

/// Whether a path or file name leads to something an honest tool seldom asks for.
pub(crate) fn is_sensitive_path(chunk: &str) -> bool {
    if !may_be_sensitive(chunk) {
        return false;
    }
    let bytes = chunk.as_bytes();
    pieces().find_overlapping_iter(chunk).any(|found| {
        let opens = !is_word(found.start().checked_sub(1).and_then(|before| bytes.get(before)));
        let closes = !is_word(bytes.get(found.end())) || bytes.get(found.end() - 1) == Some(&b'/');
        opens && closes
    })
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 128)
}

/// Whether the chunk is more than a word, and the first bytes of some piece stand in it: most identifiers end here.
fn may_be_sensitive(chunk: &str) -> bool {
    let signs = Bytes::DOT
        .or(Bytes::SLASH)
        .or(Bytes::BACKSLASH)
        .or(Bytes::UNDERSCORE)
        .or(Bytes::DASH)
        .or(Bytes::TILDE);
    Bytes::all_of(chunk).any(signs) && BEGINNINGS.places(chunk.bytes().map(plain)).next().is_some()
}

/// Case and the kind of slash do not matter.
fn plain(byte: u8) -> u8 {
    if byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() }
}

/// Where a piece may begin.
static BEGINNINGS: Grams = Grams::of(&[&PIECES]);

/// `GITHUB_TOKEN`, `$OPENAI_API_KEY`: an environment variable that holds a secret.
pub(crate) fn is_secret_variable(chunk: &str) -> bool {
    let signs = Bytes::DOLLAR.or(Bytes::JOINT);
    let spelling = Bytes::UPPER.or(Bytes::DIGIT).or(Bytes::UNDERSCORE);
    if !Bytes::all_of(chunk).only(spelling.or(signs)) {
        return false;
    }
    let name = chunk.trim_start_matches(['$', '{']).trim_end_matches('}');
    let is_variable = name.contains('_') && Bytes::all_of(name).only(spelling);
    is_variable
        && ["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSPHRASE", "_CREDENTIALS", "DATABASE_URL"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// The pieces as one automaton; both kinds of slash are one.
fn pieces() -> &'static AhoCorasick {
    static COMPILED: OnceBox<AhoCorasick> = OnceBox::new();
    COMPILED.get_or_init(|| {
        let both = PIECES.iter().flat_map(|piece| [piece.to_string(), piece.replace('/', "\\")]);
        let built = AhoCorasick::builder().ascii_case_insensitive(true).build(both);
        Box::new(built.expect("the pieces make a small automaton"))
    })
}

/// Whether a run of digits and dots is an IPv4 address, perhaps with a port.
pub(crate) fn is_host(chunk: &str) -> bool {
    let host = chunk.split([':', '/']).next().unwrap_or_default();
    let mut parts = 0;
    for part in host.split('.') {
        if part.is_empty() || part.len() > 3 || part.parse::<u8>().is_err() {
            return false;
        }
        parts += 1;
    }
    parts == 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_paths() {
        for path in
            ["~/.ssh/id_rsa", "/etc/passwd", ".env", "C:\\Users\\me\\.aws\\credentials", "~/.cursor/mcp.json"]
        {
            assert!(is_sensitive_path(path), "{path}");
        }
        for path in
            ["src/environment.ts", "app.json", ".environment", "/usr/share/samples", "process.environment"]
        {
            assert!(!is_sensitive_path(path), "{path}");
        }
    }

    #[test]
    fn variables_that_hold_secrets() {
        assert!(is_secret_variable("GITHUB_TOKEN") && is_secret_variable("${OPENAI_API_KEY}"));
        assert!(!is_secret_variable("PRIMARY_COLOR") && !is_secret_variable("token"));
    }

    #[test]
    fn hosts_are_four_bytes() {
        assert!(is_host("10.0.0.1:4444") && is_host("192.0.2.7"));
        assert!(!is_host("1.2.3") && !is_host("2024.01.02.999"));
    }
}
