//! Judgement: the signals of one definition become a finding with severity, action and risk.
//!
//! [`approval`] is the state machine of a tool, [`difference`] what changed between two versions of one, [`lock`] and
//! [`suppression`] what an operator wrote down. [`admit()`] and [`release()`] say which messages pass the gateway.
//!
//! Pure like `portcullis-detect`: no I/O, no clock, no std.
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;

mod admit;
pub mod approval;
pub mod difference;
mod finding;
pub mod lock;
mod persona;
mod release;
mod report;
pub mod suppression;

pub use admit::{Admitted, Refusal, Standing, admit};
pub use finding::{Action, Finding, Severity, ThreatLevel, judge};
pub use persona::Persona;
pub use release::{Released, release};
pub use report::{Incomplete, Report, Totals};
