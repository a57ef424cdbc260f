//! Calls: what a tool can do, what one call wants, and what a check says about it.

pub(crate) mod address;
mod operation;
pub(crate) mod parameter;
mod profile;
mod signal;
pub(crate) mod source;
pub(crate) mod view;
pub(crate) mod word;

pub use operation::Operation;
pub use parameter::ParameterRole;
pub use profile::{Label, LabelOrigin, Override, ToolProfile, operation_of};
pub use signal::{CallSignal, Source};
pub use view::{Call, Intent};
