//! Bundles of MCP servers (`.mcpb`, `.dxt`, any zip): their files are read from memory, nothing is unpacked or run.

use std::collections::BTreeMap;

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// The bytes of a file in a bundle that are unpacked at most: a manifest or a source file is far smaller.
const LARGEST: usize = 8 * 1024 * 1024;
/// Files of a bundle that are looked at, and the bytes of all of them: entries may share what they are packed from.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// The end of a bundle has at most this long a comment after it.
const LONGEST_COMMENT: usize = 65_535;
/// Sizes of the parts without their names: the end record, an entry of the directory, the head of a file.
const END: usize = 22;
const ENTRY: usize = 46;
const HEAD: usize = 30;

/// A bundle and its directory. Of two entries with one name the last counts, as for whoever unpacks them.
pub(super) struct Bundle<'a> {
    bytes: &'a [u8],
    entries: BTreeMap<String, Entry>,
    /// Bytes that may still be unpacked.
    left: usize,
}

struct Entry {
    method: u16,
    is_encrypted: bool,
    packed: usize,
    unpacked: usize,
    head: usize,
}

impl<'a> Bundle<'a> {
    /// Reads the directory at the end; why not, in words for whoever has the file.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Bundle<'a>, String> {
        let no_zip = || "this is no zip file".to_owned();
        let from = bytes.len().saturating_sub(END + LONGEST_COMMENT);
        let tail = bytes.get(from..).unwrap_or_default();
        let place = tail.windows(4).rposition(|four| four == b"PK\x05\x06").ok_or_else(no_zip)?;
        let end = tail.get(place..).and_then(|end| end.get(..END)).ok_or_else(no_zip)?;
        let count = usize::from(u16_at(end, 10).ok_or_else(no_zip)?);
        let mut at = u32_at(end, 16).ok_or_else(no_zip)?;
        if count == usize::from(u16::MAX) || at == u32::MAX as usize || count > MOST_FILES {
            return Err(format!("it has more than {MOST_FILES} files, or is larger than 4 GB"));
        }
        let mut entries = BTreeMap::new();
        for _ in 0..count {
            let (name, entry, next) = Entry::read(bytes, at).ok_or("its directory is broken")?;
            entries.insert(name, entry);
            at = next;
        }
        Ok(Bundle { bytes, entries, left: MOST_BYTES })
    }

    /// The names of its files, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The bytes of a file, or why there are none.
    pub(super) fn file(&mut self, name: &str) -> Result<Vec<u8>, String> {
        let entry = self.entries.get(name).ok_or("it is missing")?;
        let bytes = self.unpacked(entry)?;
        let too_much = || format!("with it the bundle would be larger than {} MB", MOST_BYTES >> 20);
        self.left = self.left.checked_sub(bytes.len()).ok_or_else(too_much)?;
        Ok(bytes)
    }

    fn unpacked(&self, entry: &Entry) -> Result<Vec<u8>, String> {
        if entry.is_encrypted {
            return Err("it is encrypted".to_owned());
        }
        if entry.unpacked > LARGEST {
            return Err(format!("it is larger than {} MB", LARGEST >> 20));
        }
        let packed = self.packed(entry).ok_or("it is cut off")?;
        match entry.method {
            0 => Ok(packed.to_vec()),
            8 => {
                decompress_to_vec_with_limit(packed, LARGEST).map_err(|_| "it cannot be unpacked".to_owned())
            }
            _ => Err("it is packed in a way that is not known".to_owned()),
        }
    }

    fn packed(&self, entry: &Entry) -> Option<&'a [u8]> {
        let head = self.bytes.get(entry.head..)?.get(..HEAD)?;
        let names = usize::from(u16_at(head, 26)?) + usize::from(u16_at(head, 28)?);
        let start = entry.head.checked_add(HEAD + names)?;
        self.bytes.get(start..start.checked_add(entry.packed)?)
    }
}

impl Entry {
    /// The entry at a place of the directory with its name, and where the next one is.
    fn read(bytes: &[u8], at: usize) -> Option<(String, Entry, usize)> {
        let fixed = bytes.get(at..)?.get(..ENTRY)?;
        if !fixed.starts_with(b"PK\x01\x02") {
            return None;
        }
        let lengths = [28, 30, 32].map(|place| u16_at(fixed, place).map(usize::from));
        let [Some(name), Some(extra), Some(comment)] = lengths else { return None };
        let start = at + ENTRY;
        let named = String::from_utf8_lossy(bytes.get(start..start + name)?).into_owned();
        let entry = Entry {
            is_encrypted: u16_at(fixed, 8)? & 1 == 1,
            method: u16_at(fixed, 10)?,
            packed: u32_at(fixed, 20)?,
            unpacked: u32_at(fixed, 24)?,
            head: u32_at(fixed, 42)?,
        };
        Some((named, entry, start + name + extra + comment))
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|two| u16::from_le_bytes(*two))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().and_then(|four| usize::try_from(u32::from_le_bytes(*four)).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A zip of these files, as packers write it.
    fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in files {
            let packed = miniz_oxide::deflate::compress_to_vec(content, 6);
            let head = u32::try_from(bytes.len()).expect("small");
            let mut fields = Vec::new();
            // Version, flags, method, time, date, checksum, sizes, length of the name.
            fields.extend([20u16, 0, 8, 0, 0].iter().flat_map(|field| field.to_le_bytes()));
            fields.extend(0u32.to_le_bytes());
            fields.extend(u32::try_from(packed.len()).expect("small").to_le_bytes());
            fields.extend(u32::try_from(content.len()).expect("small").to_le_bytes());
            fields.extend(u16::try_from(name.len()).expect("short").to_le_bytes());
            fields.extend(0u16.to_le_bytes());
            bytes.extend(b"PK\x03\x04");
            bytes.extend(&fields);
            bytes.extend(name.as_bytes());
            bytes.extend(&packed);
            directory.extend(b"PK\x01\x02\x14\x00");
            directory.extend(&fields);
            directory.extend([0; 10]);
            directory.extend(head.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let (start, count) =
            (u32::try_from(bytes.len()).expect("small"), u16::try_from(files.len()).expect("few"));
        bytes.extend(&directory);
        bytes.extend(b"PK\x05\x06\0\0\0\0");
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(u32::try_from(directory.len()).expect("small").to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend([0, 0]);
        bytes
    }

    #[test]
    fn files_are_read_from_memory() {
        let bytes = zip(&[("manifest.json", b"{}"), ("server/index.js", b"run()")]);
        let mut bundle = Bundle::open(&bytes).expect("a bundle");
        assert_eq!(bundle.names().collect::<Vec<_>>(), ["manifest.json", "server/index.js"]);
        assert_eq!(bundle.file("server/index.js"), Ok(b"run()".to_vec()));
        assert_eq!(bundle.file("gone"), Err("it is missing".to_owned()));
    }

    #[test]
    fn broken_bundles_say_what_is_wrong() {
        assert_eq!(Bundle::open(b"nonsense").err().as_deref(), Some("this is no zip file"));
        let bytes = zip(&[("a", &[7; 5000])]);
        for length in 0..bytes.len() {
            if let Ok(mut bundle) = Bundle::open(&bytes[..length]) {
                assert_ne!(bundle.file("a"), Ok(vec![7; 5000]));
            }
        }
        let mut bad = bytes.clone();
        bad[45] ^= 0xff;
        let mut bundle = Bundle::open(&bad).expect("its directory is whole");
        assert_ne!(bundle.file("a"), Ok(vec![7; 5000]));
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let bytes = zip(&[("a", &vec![0; LARGEST + 1])]);
        let mut bundle = Bundle::open(&bytes).expect("a bundle");
        assert_eq!(bundle.file("a"), Err("it is larger than 8 MB".to_owned()));
        let bytes = zip(&[("a", b"two")]);
        let mut bundle = Bundle { left: 1, ..Bundle::open(&bytes).expect("a bundle") };
        assert!(bundle.file("a").is_err_and(|why| why.contains("larger than 256 MB")));
    }
}
