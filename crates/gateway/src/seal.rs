//! Sealed texts: what a client or a database carries for us, and can neither read nor change.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use data_encoding::BASE64URL_NOPAD;

/// What a sealed text is for; one is never taken for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Session,
    RequestState,
    /// A call that waits for its user.
    Approval,
    Server,
    /// What nodes tell each other about a flow.
    Flow,
    /// A node asks another to pass on its callers' messages.
    Relay,
    /// The other node shows that it is one.
    Relayed,
}

impl Purpose {
    fn name(self) -> &'static [u8] {
        match self {
            Purpose::Session => b"portcullis session 1",
            Purpose::RequestState => b"portcullis request state 1",
            Purpose::Approval => b"portcullis approval 1",
            Purpose::Server => b"portcullis server 1",
            Purpose::Flow => b"portcullis flow 1",
            Purpose::Relay => b"portcullis relay 1",
            Purpose::Relayed => b"portcullis relayed 1",
        }
    }
}

/// Seals and opens.
pub(crate) struct Seal {
    cipher: XChaCha20Poly1305,
}

const NONCE: usize = 24;

impl Seal {
    pub(crate) fn new(key: &[u8; 32]) -> Seal {
        Seal { cipher: XChaCha20Poly1305::new(key.into()) }
    }

    /// The sealed text; `None` if the machine gives no random numbers.
    pub(crate) fn seal(&self, purpose: Purpose, plain: &[u8]) -> Option<String> {
        self.seal_bytes(purpose, &[], plain).map(|sealed| BASE64URL_NOPAD.encode(&sealed))
    }

    /// What was sealed, if it was with this key and for this purpose.
    pub(crate) fn open(&self, purpose: Purpose, text: &str) -> Option<Vec<u8>> {
        self.open_bytes(purpose, &[], &BASE64URL_NOPAD.decode(text.as_bytes()).ok()?)
    }

    /// The same as bytes, and of use only beside what it is `about`.
    pub(crate) fn seal_bytes(&self, purpose: Purpose, about: &[u8], plain: &[u8]) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).ok()?;
        let aad = &[purpose.name(), about].concat();
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), Payload { msg: plain, aad }).ok()?;
        Some([&nonce[..], &sealed].concat())
    }

    /// What was sealed as bytes, if it was with this key, for this purpose and about the same.
    pub(crate) fn open_bytes(&self, purpose: Purpose, about: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let aad = &[purpose.name(), about].concat();
        self.cipher.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad }).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_key_and_purpose_open_it() {
        let seal = Seal::new(&[1; 32]);
        let text = seal.seal(Purpose::Session, b"plain").unwrap();
        assert_eq!(seal.open(Purpose::Session, &text).as_deref(), Some(&b"plain"[..]));
        assert_eq!(seal.open(Purpose::RequestState, &text), None);
        assert_eq!(Seal::new(&[2; 32]).open(Purpose::Session, &text), None);
        for index in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            assert_eq!(seal.open(Purpose::Session, &String::from_utf8(changed).unwrap()), None, "{index}");
        }
        assert_eq!(seal.open(Purpose::Session, "x"), None);
    }
}
