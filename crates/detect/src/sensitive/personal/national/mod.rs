//! National identity, tax and health numbers that carry a check.
//!
//! A check that one number in ten passes says little about bare digits: such kinds need a word beside them, and count
//! as keyword matches. Kinds with letters, printed marks or two check digits stand on their own.

mod coded;
mod numeric;

pub(super) use coded::{look as look_at_code, look_spaced};
pub(super) use numeric::{look as look_at_number, look_lettered};

#[cfg(test)]
pub(super) const EXAMPLES: [&[super::Examples]; 2] = [&numeric::EXAMPLES, &coded::EXAMPLES];
