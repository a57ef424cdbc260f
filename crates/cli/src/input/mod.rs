//! Reads files, whole or as a stream: which ones were meant, the shapes definitions come in, and where in a text
//! something stands.

mod answer;
mod bundle;
pub(crate) mod elements;
pub(crate) mod files;
mod found;
pub(crate) mod gap;
pub(crate) mod load;
pub(crate) mod long;
pub(crate) mod place;
mod shapes;
mod source;
pub(crate) mod stream;
