//! What a flow of calls has seen: traces of results, passages that give orders, what went out and when.
//!
//! A flow holds keyed hashes, never the data, and is bounded: what had to go is counted.

mod backward;
mod departure;
mod directive;
mod familiar;
mod footprint;
mod gram;
mod marks;
mod memory;
mod order;
mod packing;
mod part;
mod print;
mod reference;
mod secret;
mod span;
mod split;
mod spoken;
mod state;
mod stored;
mod unhide;
mod walk;

pub(crate) use backward::backward;
pub use departure::Departure;
pub(crate) use departure::Said;
pub(crate) use directive::Directives;
pub use footprint::Footprint;
pub(crate) use footprint::receipts;
pub use memory::Memory;
pub(crate) use memory::Reader;
pub(crate) use part::Part;
pub(crate) use print::{Atom, Trace, atoms, domain, join, numbers};
pub(crate) use span::{Span, SpanKind, keyed_words};
pub(crate) use split::Covered;
pub(crate) use spoken::SPOKEN;
pub use state::{Flow, FlowBounds};
pub(crate) use state::{Hit, Origin, Privacy, Sent};
pub(crate) use unhide::count_hidden;
pub(crate) use walk::{Gap, Step, hash_word, walk};
