//! Flows and what calls leave in them, as bytes: for nodes that share flows. Compact, versioned, and read with doubt:
//! what is too short, too long or impossible is nothing, never a panic.

use crate::prelude::*;
use alloc::collections::{BTreeMap, VecDeque};

/// What becomes bytes and is read back.
pub(super) trait Packed: Sized {
    fn pack(&self, out: &mut Vec<u8>);
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
}

/// Bytes that are still to be read.
pub(super) struct Unpacker<'a>(&'a [u8]);

/// The version in front, and what follows it.
pub(super) fn packed(version: u8, write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = vec![version];
    write(&mut out);
    out
}

/// What was packed, if it is of this version and nothing is left over.
pub(super) fn unpacked<T>(
    version: u8,
    bytes: &[u8],
    read: impl FnOnce(&mut Unpacker<'_>) -> Option<T>,
) -> Option<T> {
    let mut from = Unpacker(bytes);
    if u8::unpack(&mut from)? != version {
        return None;
    }
    read(&mut from).filter(|_| from.0.is_empty())
}

impl Unpacker<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    /// How many things follow. None takes less than a byte, so that nobody makes room for more than there can be.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(u32::unpack(self)?).ok()?;
        (count <= self.0.len()).then_some(count)
    }
}

macro_rules! packed_numbers {
    ($($number:ty),*) => {$(
        impl Packed for $number {
            fn pack(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                from.take().map(<$number>::from_le_bytes)
            }
        }
    )*};
}
packed_numbers!(u8, u16, u32, u64, u128);

impl Packed for usize {
    fn pack(&self, out: &mut Vec<u8>) {
        (*self as u64).pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        u64::unpack(from)?.try_into().ok()
    }
}

impl Packed for bool {
    fn pack(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        match u8::unpack(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Packed> Packed for Option<T> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.is_some().pack(out);
        self.iter().for_each(|value| value.pack(out));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        if bool::unpack(from)? { T::unpack(from).map(Some) } else { Some(None) }
    }
}

/// Packs so many things, one behind the other.
pub(super) fn pack_all<'a, T: Packed + 'a>(all: impl ExactSizeIterator<Item = &'a T>, out: &mut Vec<u8>) {
    // INVARIANT: flows are bounded far below four thousand million of anything.
    u32::try_from(all.len()).unwrap_or(u32::MAX).pack(out);
    all.for_each(|one| one.pack(out));
}

macro_rules! packed_rows {
    ($($row:ty),*) => {$(
        impl<T: Packed> Packed for $row {
            fn pack(&self, out: &mut Vec<u8>) {
                pack_all(self.iter(), out);
            }

            fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
                let count = from.count()?;
                (0..count).map(|_| T::unpack(from)).collect()
            }
        }
    )*};
}
packed_rows!(Vec<T>, Box<[T]>, VecDeque<T>);

impl Packed for BTreeMap<u32, u64> {
    fn pack(&self, out: &mut Vec<u8>) {
        self.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>().pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Vec::<(u32, u64)>::unpack(from).map(|pairs| pairs.into_iter().collect())
    }
}

impl<A: Packed, B: Packed> Packed for (A, B) {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?))
    }
}

impl<A: Packed, B: Packed, C: Packed> Packed for (A, B, C) {
    fn pack(&self, out: &mut Vec<u8>) {
        self.0.pack(out);
        self.1.pack(out);
        self.2.pack(out);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some((A::unpack(from)?, B::unpack(from)?, C::unpack(from)?))
    }
}

/// A struct is packed member by member, in the order given here.
macro_rules! packed_struct {
    ($name:ident { $($member:ident),* $(,)? }) => {
        impl $crate::flow::packing::Packed for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                let $name { $($member),* } = self;
                $($member.pack(out);)*
            }

            fn unpack(from: &mut $crate::flow::packing::Unpacker<'_>) -> Option<Self> {
                $(let $member = $crate::flow::packing::Packed::unpack(from)?;)*
                Some($name { $($member),* })
            }
        }
    };
}

/// A choice is packed as its place in the list given here.
macro_rules! packed_choice {
    ($name:ident [ $($choice:ident),* $(,)? ]) => {
        impl $crate::flow::packing::Packed for $name {
            fn pack(&self, out: &mut Vec<u8>) {
                let place = [$($name::$choice),*].iter().position(|choice| choice == self).unwrap_or_default();
                u8::try_from(place).unwrap_or_default().pack(out);
            }

            fn unpack(from: &mut $crate::flow::packing::Unpacker<'_>) -> Option<Self> {
                [$($name::$choice),*].get(usize::from(u8::unpack(from)?)).copied()
            }
        }
    };
}

pub(super) use {packed_choice, packed_struct};
