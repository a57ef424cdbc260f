//! Judgement: the signals of one definition become a finding with severity, action and risk.
//!
//! [`approval`] is the state machine of a tool, [`difference`] what changed between two versions of one, [`lock`] and
//! [`suppression`] what an operator wrote down.
//!
//! Pure like `portcullis-detect`: no I/O, no clock, no std.
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;

pub mod approval;
pub mod difference;
mod finding;
pub mod lock;
mod persona;
mod report;
pub mod suppression;

pub use finding::{Action, Finding, Severity, ThreatLevel, judge};
pub use persona::Persona;
pub use report::{Incomplete, Report, Totals};
