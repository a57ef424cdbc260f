//! Archives, written byte for byte: tar as POSIX has it, gzip, and the ar of Debian packages. Nothing in them depends on the
//! machine they were made on.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use miniz_oxide::deflate::compress_to_vec;

/// The block tar counts in.
const BLOCK: usize = 512;
/// A name tar has room for without an extension.
const LONGEST_NAME: usize = 100;
/// The best compression there is.
const LEVEL: u8 = 9;

/// A file in an archive.
pub(super) struct Entry {
    path: String,
    mode: u32,
    bytes: Vec<u8>,
}

impl Entry {
    /// A file everybody may read.
    pub(super) fn file(path: String, bytes: Vec<u8>) -> Entry {
        Entry { path, mode: 0o644, bytes }
    }

    /// A file everybody may run.
    pub(super) fn program(path: String, bytes: Vec<u8>) -> Entry {
        Entry { path, mode: 0o755, bytes }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A tar of files and the folders they are in, sorted by their paths, all of root and of one time. dpkg makes no folder that
/// is not in the archive.
pub(super) fn tar(mut entries: Vec<Entry>, epoch: u64) -> Result<Vec<u8>> {
    let folders: BTreeSet<String> = entries
        .iter()
        .flat_map(|entry| entry.path.match_indices('/').filter_map(|(at, _)| entry.path.get(..=at)))
        .map(str::to_owned)
        .collect();
    entries.extend(folders.into_iter().map(|path| Entry { path, mode: 0o755, bytes: Vec::new() }));
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    let mut out = Vec::new();
    for Entry { path, mode, bytes } in &entries {
        out.extend(header(path, *mode, bytes.len(), epoch)?);
        out.extend(bytes);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    // Two empty blocks are the end.
    out.resize(out.len() + 2 * BLOCK, 0);
    Ok(out)
}

fn header(path: &str, mode: u32, size: usize, epoch: u64) -> Result<[u8; BLOCK]> {
    if path.len() > LONGEST_NAME {
        bail!("{path} is too long for an archive");
    }
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &str| {
        if let Some(place) = header.get_mut(at..at + text.len()) {
            place.copy_from_slice(text.as_bytes());
        }
    };
    put(0, path);
    put(100, &format!("{mode:07o}\0"));
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{size:011o}\0"));
    put(136, &format!("{epoch:011o}\0"));
    // The sum is taken with spaces in its own place.
    put(148, "        ");
    // A path that ends with a slash is a folder.
    put(156, if path.ends_with('/') { "5" } else { "0" });
    put(257, "ustar\x0000");
    put(265, "root");
    put(297, "root");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    if let Some(place) = header.get_mut(148..156) {
        place.copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    Ok(header)
}

/// Compressed as gzip does, without a name and a time.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    out.extend(compress_to_vec(bytes, LEVEL));
    out.extend(crc32(bytes).to_le_bytes());
    // The length modulo 2^32 is what the format asks for.
    out.extend((bytes.len() as u32).to_le_bytes());
    out
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

/// An ar of files in this order.
pub(super) fn ar(files: &[(&str, Vec<u8>)], epoch: u64) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in files {
        out.extend(
            format!("{name:<16}{epoch:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 100_644, bytes.len()).bytes(),
        );
        out.extend(bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_formats() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert!(tar(vec![Entry::file("x".repeat(101), Vec::new())], 0).is_err());
        assert_eq!(tar(vec![Entry::file("a".to_owned(), vec![1; 513])], 0).unwrap().len(), BLOCK * 5);
    }
}
