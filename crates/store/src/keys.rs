//! The keys of a log: one that keys the hashes of its chain, one that signs its checkpoints.

use std::path::Path;

use data_encoding::HEXLOWER;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use crate::StoreError;
use crate::directory::{make_private, read_text, write_new};

/// The file of the key that hashes are keyed with.
pub(crate) const CHAIN_KEY: &str = "chain.key";
/// The file of the key that signs checkpoints.
pub(crate) const SIGNING_KEY: &str = "signing.key";
/// Its public half, to be copied elsewhere.
pub(crate) const PUBLIC_KEY: &str = "signing.pub";
/// The file of the key that seals a gateway's session ids.
const SESSION_KEY: &str = "session.key";

/// A hash of the chain.
pub(crate) type Hash = [u8; 32];

/// Where every chain begins.
pub(crate) const GENESIS: Hash = [0; 32];

/// Keys the hashes, so that nobody without it can compute a chain that fits. One key for each use.
#[derive(Clone)]
pub(crate) struct ChainKey {
    record: Hash,
    body: Hash,
    head: Hash,
    file: Hash,
    row: Hash,
}

impl ChainKey {
    pub(crate) fn from_bytes(bytes: &Hash) -> ChainKey {
        let derive = |context: &str| blake3::derive_key(context, bytes);
        ChainKey {
            record: derive("portcullis activity 1 record"),
            body: derive("portcullis activity 1 body"),
            head: derive("portcullis activity 1 head"),
            file: derive("portcullis activity 1 file"),
            row: derive("portcullis registry 1 row"),
        }
    }

    /// The key of a data directory, if it has one.
    pub(crate) fn load(folder: &Path) -> Result<Option<ChainKey>, StoreError> {
        let path = folder.join(CHAIN_KEY);
        match read_text(&path)? {
            None => Ok(None),
            Some(text) => match bytes_of(&text) {
                Some(bytes) => Ok(Some(ChainKey::from_bytes(&bytes))),
                None => Err(StoreError::KeyLost { path }),
            },
        }
    }

    /// Makes a key and keeps it.
    pub(crate) fn create(folder: &Path) -> Result<ChainKey, StoreError> {
        let bytes = random()?;
        write_new(&folder.join(CHAIN_KEY), HEXLOWER.encode(&bytes).as_bytes())?;
        Ok(ChainKey::from_bytes(&bytes))
    }

    /// The hash of a record: over the hash before and the record's header.
    pub(crate) fn link(&self, before: &Hash, header: &[u8]) -> Hash {
        *blake3::Hasher::new_keyed(&self.record).update(before).update(header).finalize().as_bytes()
    }

    /// The same hash, where both already stand side by side.
    pub(crate) fn link_of(&self, before_and_header: &[u8]) -> Hash {
        *blake3::keyed_hash(&self.record, before_and_header).as_bytes()
    }

    /// The digest of a body with its salt.
    pub(crate) fn digest(&self, body: &[u8]) -> Hash {
        *blake3::keyed_hash(&self.body, body).as_bytes()
    }

    /// Vouches for a head that is kept outside the log.
    pub(crate) fn vouch(&self, seq: u64, hash: &Hash) -> Hash {
        *blake3::Hasher::new_keyed(&self.head).update(&seq.to_le_bytes()).update(hash).finalize().as_bytes()
    }

    /// Vouches for a row of the registry: each piece with its length, so that none can move into the next.
    pub(crate) fn seal_row(&self, pieces: &[&[u8]]) -> Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.row);
        for piece in pieces {
            hasher.update(&(piece.len() as u64).to_le_bytes()).update(piece);
        }
        *hasher.finalize().as_bytes()
    }

    /// Vouches for the bytes of a sealed file.
    pub(crate) fn seal(&self, bytes: &[u8]) -> Hash {
        *blake3::keyed_hash(&self.file, bytes).as_bytes()
    }
}

/// Signs checkpoints.
pub(crate) struct CheckpointKey(SigningKey);

impl CheckpointKey {
    /// The key of a data directory; the second is whether it was made just now.
    pub(crate) fn load_or_create(folder: &Path) -> Result<(CheckpointKey, bool), StoreError> {
        let path = folder.join(SIGNING_KEY);
        if let Some(seed) = read_text(&path)?.as_deref().and_then(bytes_of) {
            return Ok((CheckpointKey(SigningKey::from_bytes(&seed)), false));
        }
        let seed = random()?;
        let key = CheckpointKey(SigningKey::from_bytes(&seed));
        write_new(&folder.join(PUBLIC_KEY), key.public().as_bytes())?;
        write_new(&path, HEXLOWER.encode(&seed).as_bytes())?;
        Ok((key, true))
    }

    pub(crate) fn public(&self) -> String {
        HEXLOWER.encode(self.0.verifying_key().as_bytes())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> String {
        HEXLOWER.encode(&self.0.sign(message).to_bytes())
    }
}

/// Whether `signature` over `message` was made with the private half of `public`.
pub(crate) fn is_signed(public: &str, message: &[u8], signature: &str) -> bool {
    let key = bytes_of(public).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    let signature =
        HEXLOWER.decode(signature.as_bytes()).ok().and_then(|bytes| Signature::from_slice(&bytes).ok());
    key.zip(signature).is_some_and(|(key, signature)| key.verify_strict(message, &signature).is_ok())
}

/// The key a gateway seals its session ids with: the data directory's own, made on first use.
pub fn session_key(root: &Path) -> Result<[u8; 32], StoreError> {
    let folder = root.join("keys");
    let path = folder.join(SESSION_KEY);
    match read_text(&path)? {
        Some(text) => bytes_of(&text).ok_or(StoreError::KeyLost { path }),
        None => {
            make_private(&folder)?;
            let bytes = random()?;
            write_new(&path, HEXLOWER.encode(&bytes).as_bytes())?;
            Ok(bytes)
        }
    }
}

/// 32 bytes written as hexadecimal digits.
pub(crate) fn bytes_of(text: &str) -> Option<Hash> {
    HEXLOWER.decode(text.trim_end().as_bytes()).ok()?.try_into().ok()
}

/// Bytes nobody can guess.
pub(crate) fn random() -> Result<Hash, StoreError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Stopped(format!("no random numbers: {error}")))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_use_has_its_own_key() {
        let key = ChainKey::from_bytes(&[7; 32]);
        let all = [key.link(&GENESIS, b""), key.digest(&GENESIS), key.seal(&GENESIS), key.vouch(0, &[0; 32])];
        for (index, one) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| other != one));
        }
        assert_ne!(key.digest(b"x"), ChainKey::from_bytes(&[8; 32]).digest(b"x"));
    }

    #[test]
    fn a_link_is_the_same_in_one_piece_and_in_two() {
        let key = ChainKey::from_bytes(&[7; 32]);
        for length in [0, 31, 32, 33, 200, 991, 992, 993, 5_000] {
            let joined: Vec<u8> = (0..32 + length).map(|place| place as u8).collect();
            let (before, header) = joined.split_first_chunk().unwrap();
            assert_eq!(key.link(before, header), key.link_of(&joined), "{length}");
        }
    }

    #[test]
    fn the_session_key_is_made_once() {
        let root = std::env::temp_dir().join(format!("portcullis-session-key-{}", std::process::id()));
        let first = session_key(&root).unwrap();
        assert_eq!(session_key(&root).unwrap(), first);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(root.join("keys/session.key")).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_signature_fits_one_message_and_one_key() {
        let key = CheckpointKey(SigningKey::from_bytes(&[3; 32]));
        let other = CheckpointKey(SigningKey::from_bytes(&[4; 32]));
        let signature = key.sign(b"m");
        assert!(is_signed(&key.public(), b"m", &signature));
        assert!(!is_signed(&key.public(), b"n", &signature));
        assert!(!is_signed(&other.public(), b"m", &signature));
        assert!(!is_signed("", b"m", "zz"));
    }
}
