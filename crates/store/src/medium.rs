//! Where bytes go: a file, or in tests something that fails on purpose.

use std::fs::File;
use std::io::{self, Write};

/// The end of a file that only grows, unless a write that failed is taken back.
pub(crate) trait Medium: Send + Sync {
    /// Writes at the end.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;
    /// Takes back what was written after `length` bytes.
    fn truncate(&self, length: u64) -> io::Result<()>;
    /// Returns when everything written is on the disk.
    fn sync(&self) -> io::Result<()>;
}

impl Medium for File {
    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self;
        file.write_all(bytes)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
