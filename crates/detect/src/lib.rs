//! Evidence: a tool definition in, signals out.
//!
//! The map: [`Definition`] is one declared thing, cut into text units with JSON pointers (`parse`, `tool`).
//! `text` reads units: the decoding ladder, tokens and their classes, sentences, positions. [`Registry`] is the
//! picture of all servers' definitions. Each check in `checks` looks at one definition and returns
//! [`Signal`]s; [`Detector`] runs them, isolated and in a fixed order, into an [`Observation`]. [`rules`] are checks the
//! operator wrote.
//!
//! [`fingerprint`] says whether a definition is still the one that was approved, over [`json`], which reads a
//! document without losing anything of it.
//!
//! Nothing here does I/O, knows the time or blocks anything: what a signal means is decided elsewhere.
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;

mod prelude;

pub mod baseline;
pub mod call;
pub mod call_checks;
pub mod checks;
pub mod edit;
pub mod fingerprint;
mod flow;
mod guard;
mod intent;
mod isolate;
pub mod json;
mod observe;
mod parse;
mod patterns;
mod registry;
pub mod rules;
pub mod sensitive;
mod signal;
mod text;
mod tool;

pub use call_checks::{CallCheck, CallContext, ResultContext};
pub use checks::{Context, Facts, ToolCheck};
pub use flow::{Departure, Flow, FlowBounds, Footprint, Memory};
pub use guard::{CallObservation, ExfiltrationLimits, Guard, GuardSettings, Moved, ResultObservation};
pub use observe::{Cap, Coverage, Detector, Observation};
pub use parse::BadDefinition;
pub use registry::{Archive, DefinitionId, Registry};
pub use signal::{Confidence, Discount, Evidence, Signal, Threat, Tier};
pub use text::normalise;
pub use text::show::line as escape_line;
pub use tool::{Definition, Hints, Kind};

/// The version of the rule pack; every finding names it.
pub const RULES_VERSION: &str = env!("CARGO_PKG_VERSION");
