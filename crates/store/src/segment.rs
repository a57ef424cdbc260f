//! Segments: the log cut into files, named by their first record; full ones are sealed, that is compressed.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::directory::{private_options, sync_folder, write_new};
use crate::error::At;
use crate::frame::{Frame, NoFrame};
use crate::keys::{ChainKey, Hash};

/// The first bytes of every segment; the last of them is the version.
const MAGIC: [u8; 8] = *b"PCLLOG\0\x01";
/// Letters in a writer's name.
pub(crate) const WRITER: usize = 16;
/// Bytes before the first frame.
pub(crate) const PREAMBLE: usize = 8 + 8 + 32 + WRITER;
/// A segment this long is full.
pub(crate) const FULL: u64 = 8 << 20;
/// A sealed segment that unpacks to more was not written by us.
const LONGEST: u64 = 4 * FULL;
/// Bytes of the keyed hash at the end of a sealed file.
const SEAL: usize = 32;
/// Higher levels save little and cost much. Of short calls, hashes and salts are what stays large, and they cannot be
/// packed: 8 MB become 2.24 MB in 21 ms at level 1, 2.12 MB in 42 ms at level 3.
const LEVEL: i32 = 1;

/// One file of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) first_seq: u64,
    pub(crate) path: PathBuf,
    pub(crate) is_sealed: bool,
}

/// A segment read into memory.
pub(crate) struct Contents {
    pub(crate) bytes: Vec<u8>,
    /// Why the file is not as it was sealed; the bytes are what could be saved.
    pub(crate) damage: Option<Damage>,
}

/// What happened to a sealed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    /// It is not what was sealed.
    Changed,
    /// It cannot be unpacked to its end.
    Unreadable,
}

impl Damage {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Damage::Changed => "the sealed file was changed",
            Damage::Unreadable => "the sealed file cannot be unpacked to its end",
        }
    }
}

/// What stands before the first frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Preamble {
    pub(crate) first_seq: u64,
    pub(crate) before: Hash,
    pub(crate) writer: String,
}

impl Preamble {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.first_seq.to_le_bytes());
        bytes.extend(self.before);
        bytes.extend(self.writer.as_bytes());
        bytes
    }

    pub(crate) fn parse(bytes: &[u8]) -> Option<Preamble> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (first_seq, rest) = rest.split_first_chunk()?;
        let (before, rest) = rest.split_first_chunk()?;
        let writer = String::from_utf8(rest.get(..WRITER)?.to_vec()).ok()?;
        Some(Preamble { first_seq: u64::from_le_bytes(*first_seq), before: *before, writer })
    }
}

/// All segments of a log, oldest first.
pub(crate) fn list(folder: &Path) -> Result<Vec<Segment>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.at(folder)?,
    };
    let mut segments = Vec::new();
    for entry in entries {
        let path = entry.at(folder)?.path();
        let is_sealed = path.extension().is_some_and(|extension| extension == "zst");
        let is_open = path.extension().is_some_and(|extension| extension == "log");
        let first_seq = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        if let Some(first_seq) = first_seq.filter(|_| is_sealed || is_open) {
            segments.push(Segment { first_seq, path, is_sealed });
        }
    }
    // While a segment is being sealed it is there twice; the sealed one is whole.
    segments.sort_by_key(|segment| (segment.first_seq, !segment.is_sealed));
    segments.dedup_by_key(|segment| segment.first_seq);
    Ok(segments)
}

impl Segment {
    pub(crate) fn open(folder: &Path, first_seq: u64) -> Segment {
        Segment { first_seq, path: folder.join(format!("{first_seq:020}.log")), is_sealed: false }
    }

    /// Makes the file of a new segment and writes its preamble; a file without one is not left behind.
    pub(crate) fn create(&self, preamble: &Preamble) -> Result<File, StoreError> {
        let mut file = private_options().append(true).create_new(true).open(&self.path).at(&self.path)?;
        if let Err(error) = file.write_all(&preamble.bytes()) {
            fs::remove_file(&self.path).at(&self.path)?;
            return Err(StoreError::from_io(&self.path, error));
        }
        Ok(file)
    }

    /// The same segment as it is called once it is sealed.
    fn sealed(&self) -> Segment {
        Segment { path: self.path.with_extension("zst"), is_sealed: true, ..self.clone() }
    }

    /// Everything in the segment, or as much of a damaged one as can be read. It may have been sealed since it was
    /// listed.
    pub(crate) fn read(&self, key: &ChainKey) -> Result<Contents, StoreError> {
        match fs::read(&self.path) {
            Ok(bytes) if !self.is_sealed => Ok(Contents { bytes, damage: None }),
            Err(error) if !self.is_sealed && error.kind() == io::ErrorKind::NotFound => {
                self.sealed().read(key)
            }
            stored => Ok(unpack(key, &stored.at(&self.path)?)),
        }
    }
    /// The bytes from `offset` on; of an open segment only they are read.
    pub(crate) fn read_from(&self, key: &ChainKey, offset: usize) -> Result<Vec<u8>, StoreError> {
        if self.is_sealed {
            let contents = self.read(key)?;
            return match contents.damage {
                Some(damage) => Err(StoreError::corrupt(&self.path, self.first_seq, damage.words())),
                None => Ok(contents.bytes.get(offset..).unwrap_or_default().to_vec()),
            };
        }
        let mut bytes = Vec::new();
        let mut file = File::open(&self.path).at(&self.path)?;
        file.seek(SeekFrom::Start(offset as u64)).and_then(|_| file.read_to_end(&mut bytes)).at(&self.path)?;
        Ok(bytes)
    }

    /// Replaces the open file by a sealed one with the same bytes.
    pub(crate) fn seal(&self, key: &ChainKey) -> Result<Segment, StoreError> {
        let bytes = fs::read(&self.path).at(&self.path)?;
        let sealed = self.write_sealed(key, &bytes)?;
        fs::remove_file(&self.path).at(&self.path)?;
        sync_folder(&self.path)?;
        Ok(sealed)
    }

    /// Writes these bytes as the sealed file of the segment.
    pub(crate) fn write_sealed(&self, key: &ChainKey, bytes: &[u8]) -> Result<Segment, StoreError> {
        let sealed = self.sealed();
        let mut packed = zstd::bulk::compress(bytes, LEVEL).at(&sealed.path)?;
        packed.extend(key.seal(&packed));
        write_new(&sealed.path, &packed)?;
        Ok(sealed)
    }
}

/// What a sealed file holds, or as much of it as can be saved.
fn unpack(key: &ChainKey, stored: &[u8]) -> Contents {
    let (packed, seal) = stored.split_at(stored.len().saturating_sub(SEAL));
    let mut damage = (key.seal(packed) != *seal).then_some(Damage::Changed);
    let mut bytes = Vec::new();
    let unpacked = zstd::stream::read::Decoder::with_buffer(packed)
        .and_then(|decoder| decoder.take(LONGEST).read_to_end(&mut bytes));
    if unpacked.is_err() {
        damage = Some(Damage::Unreadable);
    }
    Contents { bytes, damage }
}

/// The frames of a segment, one after the other, until one is not there.
pub(crate) struct Frames<'b> {
    bytes: &'b [u8],
    pub(crate) offset: usize,
}

impl<'b> Frames<'b> {
    /// From a place where a frame begins or the bytes end.
    pub(crate) fn from(bytes: &'b [u8], offset: usize) -> Frames<'b> {
        Frames { bytes, offset }
    }

    /// The bytes from here on.
    pub(crate) fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.offset..).unwrap_or_default()
    }
}

impl<'b> Iterator for Frames<'b> {
    type Item = Result<Frame<'b>, NoFrame>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let frame = Frame::parse(rest);
        if let Ok(frame) = &frame {
            self.offset += frame.length;
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preamble_comes_back() {
        let preamble = Preamble { first_seq: 9, before: [4; 32], writer: "0123456789abcdef".into() };
        assert_eq!(preamble.bytes().len(), PREAMBLE);
        assert_eq!(Preamble::parse(&preamble.bytes()), Some(preamble.clone()));
        assert_eq!(Preamble::parse(&preamble.bytes()[1..]), None);
        assert_eq!(Preamble::parse(&preamble.bytes()[..PREAMBLE - 1]), None);
    }
}
