//! What one node tells the others about a flow, as bytes.

use portcullis_store::EntryId;

/// The first byte; what begins with another is of another version.
const VERSION: u8 = 1;

/// What one node tells the others about a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Whether nothing was raised.
    pub(super) is_clean: bool,
    /// Whether whoever made it could not read all that went before.
    pub(super) is_partial: bool,
    /// Ways out that a human allowed.
    pub(super) allowed: Vec<[u8; 32]>,
    /// What a call and its result left.
    pub(super) footprint: Option<Vec<u8>>,
    /// The whole flow, and the last entry it was made of; it stands in the place of all before it.
    pub(super) whole: Option<(EntryId, Vec<u8>)>,
}

impl Entry {
    /// Nothing but whether something was raised.
    pub(super) fn of(is_clean: bool) -> Entry {
        Entry { is_clean, is_partial: false, allowed: Vec::new(), footprint: None, whole: None }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let kind = match (&self.footprint, &self.whole) {
            (None, None) => 0,
            (Some(_), _) => 1,
            (None, Some(_)) => 2,
        };
        let marks = u8::from(self.is_clean) | u8::from(self.is_partial) << 1;
        let mut out = vec![VERSION, marks, kind];
        // INVARIANT: a human allowed each of them, one by one.
        out.extend(u32::try_from(self.allowed.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.allowed.iter().for_each(|way| out.extend(way));
        if let Some((covers, _)) = &self.whole {
            out.extend(covers.to_bytes());
        }
        let body = self.footprint.as_ref().or(self.whole.as_ref().map(|(_, whole)| whole));
        out.extend(body.into_iter().flatten());
        out
    }

    /// What another node told; `None` if it is of another version.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Entry> {
        let ([version, marks, kind], rest) = bytes.split_first_chunk()?;
        let (count, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*count)).ok()?.checked_mul(32)?;
        let (allowed, rest) = rest.split_at_checked(length)?;
        let allowed = allowed.chunks_exact(32).filter_map(|way| way.try_into().ok()).collect();
        let entry = Entry { allowed, is_partial: marks & 2 != 0, ..Entry::of(marks & 1 != 0) };
        match (*version, *kind) {
            (VERSION, 0) if rest.is_empty() => Some(entry),
            (VERSION, 1) => Some(Entry { footprint: Some(rest.to_vec()), ..entry }),
            (VERSION, 2) => {
                let (covers, whole) = rest.split_first_chunk()?;
                Some(Entry { whole: Some((EntryId::from_bytes(*covers), whole.to_vec())), ..entry })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_told() {
        let way = [7; 32];
        let covers = EntryId::from_bytes([3; 16]);
        let entries = [
            Entry::of(false),
            Entry { allowed: vec![way, way], ..Entry::of(true) },
            Entry { footprint: Some(b"left".to_vec()), ..Entry::of(true) },
            Entry { whole: Some((covers, b"all".to_vec())), allowed: vec![way], ..Entry::of(true) },
            Entry { whole: Some((covers, b"some".to_vec())), is_partial: true, ..Entry::of(true) },
        ];
        for entry in entries {
            let bytes = entry.to_bytes();
            assert_eq!(Entry::from_bytes(&bytes), Some(entry));
            for end in 0..bytes.len() {
                let _ = Entry::from_bytes(&bytes[..end]);
            }
            assert_eq!(Entry::from_bytes(&[&[VERSION + 1], &bytes[1..]].concat()), None);
        }
    }
}
