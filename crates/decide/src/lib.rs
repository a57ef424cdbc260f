//! Judgement: the signals of one definition become a finding with severity, action and risk.
//!
//! [`approval`] is the state machine of a tool, [`difference`] what changed between two versions of one, [`lock`] and
//! [`suppression`] what an operator wrote down, [`baseline`] what an earlier scan saw. [`policy`] says what is done about
//! a call, given its signals; [`admit()`] and [`release()`] say which messages pass the gateway.
//!
//! Pure like `portcullis-detect`: no I/O, no clock, no std.
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

extern crate alloc;

mod admit;
pub mod approval;
pub mod baseline;
pub mod difference;
mod finding;
pub mod lock;
mod persona;
pub mod policy;
pub mod posture;
mod release;
mod report;
mod risk;
pub mod suppression;

pub use admit::{Admitted, Refusal, Standing, admit, admit_call};
pub use finding::{Action, Finding, Severity, ThreatLevel, judge};
pub use persona::Persona;
pub use release::{Released, Withheld, release, release_result};
pub use report::{Incomplete, Report, Totals};
pub use risk::{Band, risk};
