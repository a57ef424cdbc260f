//! Finds tools by what they are for: BM25 over names, descriptions and parameters, the same answer every time.

mod index;
mod words;

pub use index::{Described, Hit, Index};
