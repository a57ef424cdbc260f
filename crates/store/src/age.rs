//! Encrypts an export with a passphrase in the format of age (age-encryption.org/v1), so that any age tool reads it.
//!
//! Written by hand: the format is a page long and its parts are well-kept crates, where the crate `age` brings some
//! 150 others for kinds of keys nobody here uses.
//!
//! ```text
//! age-encryption.org/v1 | -> scrypt SALT LOG2_N | the file key, wrapped | --- MAC of the header | nonce, chunks of 64 KB
//! ```

use std::io::{self, Write};

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use data_encoding::BASE64_NOPAD;
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::StoreError;
use crate::keys;

const INTRO: &str = "age-encryption.org/v1";
/// The label that is hashed before the salt.
const SCRYPT_LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
/// What age itself takes: a guess costs about a second and 256 MB.
const WORK_FACTOR: u8 = 18;
const CHUNK: usize = 64 * 1024;
const HALF: usize = 16;

/// What is drawn anew for every export.
struct Chance {
    file_key: [u8; HALF],
    salt: [u8; HALF],
    nonce: [u8; HALF],
}

/// Encrypts what is written to it; [`Encrypted::finish`] writes the end, without which nobody can read it.
pub struct Encrypted<W: Write> {
    out: W,
    cipher: ChaCha20Poly1305,
    /// Not more than a chunk: the last one is marked, so none leaves before there is another.
    pending: Vec<u8>,
    chunks: u64,
}

impl<W: Write> Encrypted<W> {
    /// Writes the header to `out`.
    pub fn new(out: W, passphrase: &str) -> Result<Encrypted<W>, StoreError> {
        let chance = Chance { file_key: half()?, salt: half()?, nonce: half()? };
        Encrypted::with(&chance, out, passphrase, WORK_FACTOR)
    }

    fn with(
        Chance { file_key, salt, nonce }: &Chance,
        mut out: W,
        passphrase: &str,
        work_factor: u8,
    ) -> Result<Encrypted<W>, StoreError> {
        let failed = || StoreError::Stopped("the export could not be encrypted".into());
        let header = header(file_key, salt, passphrase, work_factor).ok_or_else(failed)?;
        let cipher = ChaCha20Poly1305::new(&derived(file_key, nonce, b"payload").ok_or_else(failed)?.into());
        let written = out.write_all(header.as_bytes()).and_then(|()| out.write_all(nonce));
        written.map_err(|error| StoreError::from_io("the export".as_ref(), error))?;
        Ok(Encrypted { out, cipher, pending: Vec::with_capacity(CHUNK), chunks: 0 })
    }

    /// Writes the last chunk and gives back where everything went.
    pub fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        Ok(self.out)
    }

    fn seal(&mut self, is_last: bool) -> io::Result<()> {
        // 11 bytes of counter and one that marks the last chunk, in network order.
        let number = (u128::from(self.chunks) << 8) | u128::from(is_last);
        let nonce: [u8; 12] = *number.to_be_bytes().last_chunk().unwrap_or(&[0; 12]);
        let sealed = self.cipher.encrypt(&Nonce::from(nonce), self.pending.as_slice());
        self.chunks += 1;
        self.pending.clear();
        self.out.write_all(&sealed.map_err(io::Error::other)?)
    }
}

impl<W: Write> Write for Encrypted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pending.len() == CHUNK && !bytes.is_empty() {
            self.seal(false)?;
        }
        let taken = bytes.len().min(CHUNK - self.pending.len());
        self.pending.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    /// What is not a whole chunk cannot leave yet.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Everything before the nonce; `None` if a part of it refuses its input.
fn header(file_key: &[u8; HALF], salt: &[u8; HALF], passphrase: &str, work_factor: u8) -> Option<String> {
    let wrapped =
        wrap(salt, passphrase, work_factor)?.encrypt(&Nonce::default(), file_key.as_slice()).ok()?;
    let (salt, wrapped) = (BASE64_NOPAD.encode(salt), BASE64_NOPAD.encode(&wrapped));
    let covered = format!("{INTRO}\n-> scrypt {salt} {work_factor}\n{wrapped}\n---");
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&derived(file_key, &[], b"header")?).ok()?;
    mac.update(covered.as_bytes());
    Some(format!("{covered} {}\n", BASE64_NOPAD.encode(&mac.finalize().into_bytes())))
}

/// The cipher that keeps the file key from who does not know the passphrase.
fn wrap(salt: &[u8; HALF], passphrase: &str, work_factor: u8) -> Option<ChaCha20Poly1305> {
    let mut key = [0; 32];
    let salted = [SCRYPT_LABEL, salt].concat();
    let cost = scrypt::Params::new(work_factor, 8, 1).ok()?;
    scrypt::scrypt(passphrase.as_bytes(), &salted, &cost, &mut key).ok()?;
    Some(ChaCha20Poly1305::new(&key.into()))
}

fn derived(file_key: &[u8; HALF], salt: &[u8], purpose: &[u8]) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    Hkdf::<Sha256>::new(Some(salt), file_key).expand(purpose, &mut key).ok()?;
    Some(key)
}

fn half() -> Result<[u8; HALF], StoreError> {
    Ok(*keys::random()?.first_chunk().unwrap_or(&[0; HALF]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What age 1.1.1 made of `hello from age` with the passphrase `a test`.
    const BY_AGE: &str = concat!(
        "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBCQVdVakk1Y3VDZXZKd1hkUTZiTVBnIDE4CkJkc00wbVphS1V6NDFuMHVFOEY2",
        "UTVVeDg5QkRLVS9xY0FwcGUyWFd6NFkKLS0tIEJiRWx0Y2FNZEltOTdsT1Azek83aTBWYTNqSnBHcUdubEJkeFk4eWFHb3cK8//mSAo0",
        "fmeORldOuloRAPvCBNZiSNXz9vcTJ+lkaB6Wzo+wNc2QRgK2K+FrnwE=",
    );

    /// The file key in a file, its salt and its nonce.
    fn chance_of(file: &[u8], passphrase: &str, work_factor: u8) -> Chance {
        let text = String::from_utf8_lossy(file);
        let mut lines = text.lines().skip(1);
        let salt = lines.next().unwrap().split(' ').nth(2).unwrap().to_owned();
        let salt = BASE64_NOPAD.decode(salt.as_bytes()).unwrap().try_into().unwrap();
        let wrapped = BASE64_NOPAD.decode(lines.next().unwrap().as_bytes()).unwrap();
        let cipher = wrap(&salt, passphrase, work_factor).unwrap();
        let file_key = cipher.decrypt(&Nonce::default(), wrapped.as_slice()).unwrap().try_into().unwrap();
        let nonce = file[payload_at(file)..][..HALF].try_into().unwrap();
        Chance { file_key, salt, nonce }
    }

    fn payload_at(file: &[u8]) -> usize {
        let mac = file.windows(5).position(|window| window == b"\n--- ").unwrap() + 1;
        mac + file[mac..].iter().position(|byte| *byte == b'\n').unwrap() + 1
    }

    #[test]
    fn the_same_draw_gives_the_same_bytes_as_age() {
        let by_age = data_encoding::BASE64.decode(BY_AGE.as_bytes()).unwrap();
        let chance = chance_of(&by_age, "a test", WORK_FACTOR);
        let mut ours = Encrypted::with(&chance, Vec::new(), "a test", WORK_FACTOR).unwrap();
        ours.write_all(b"hello from ").unwrap();
        ours.write_all(b"age\n").unwrap();
        assert_eq!(ours.finish().unwrap(), by_age);
    }

    #[test]
    fn every_length_comes_back_and_the_last_chunk_is_marked() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let text: Vec<u8> = (0..length).map(|place| (place % 251) as u8).collect();
            let chance = Chance { file_key: [1; HALF], salt: [2; HALF], nonce: [3; HALF] };
            let mut file = Encrypted::with(&chance, Vec::new(), "a test", 1).unwrap();
            text.chunks(1_000).for_each(|part| file.write_all(part).unwrap());
            let file = file.finish().unwrap();
            let cipher = ChaCha20Poly1305::new(&derived(&[1; HALF], &[3; HALF], b"payload").unwrap().into());
            let chunks: Vec<&[u8]> = file[payload_at(&file) + HALF..].chunks(CHUNK + 16).collect();
            let mut read = Vec::new();
            for (number, chunk) in chunks.iter().enumerate() {
                let mut nonce = [0; 12];
                (nonce[10], nonce[11]) = (number as u8, u8::from(number + 1 == chunks.len()));
                read.extend(cipher.decrypt(&Nonce::from(nonce), *chunk).unwrap());
            }
            assert!(read == text, "{length}");
        }
    }
}
