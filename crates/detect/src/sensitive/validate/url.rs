//! The password in a URL: what stands between the first `:` after `://` and the last `@`.

/// The password of `scheme://user:password@host`, empty if there is none.
pub(super) fn password(url: &[u8]) -> &[u8] {
    user_and_password(url).map_or(&[], |(_, password)| password)
}

/// Whether user and password are the same word, as in the URL of every demo.
pub(super) fn repeats_user(url: &[u8]) -> bool {
    user_and_password(url).is_some_and(|(user, password)| user.eq_ignore_ascii_case(password))
}

fn user_and_password(url: &[u8]) -> Option<(&[u8], &[u8])> {
    let from = memchr::memmem::find(url, b"://")? + 3;
    let rest = url.get(from..)?;
    let colon = rest.iter().position(|&byte| byte == b':')?;
    let at = rest.iter().rposition(|&byte| byte == b'@')?;
    Some((rest.get(..colon)?, rest.get(colon + 1..at)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_colon_and_at() {
        assert_eq!(password(b"https://u:secret@host"), b"secret");
        assert_eq!(password(b"redis://:a:b@c@host"), b"a:b@c");
        assert_eq!(password(b"https://host/path"), b"");
        assert_eq!(password(b"no url"), b"");
        assert!(repeats_user(b"postgres://demo:demo@host") && !repeats_user(b"redis://:demo@host"));
    }
}
