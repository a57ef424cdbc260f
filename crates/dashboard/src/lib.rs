//! The dashboard's pages: what the API answers in, HTML out. Nothing here reads a clock, a file or a socket.
//!
//! The map: `frame` is what stands around every page, `visible` how hostile text is shown, `href` how it gets into an
//! address, `moment` how times are written, `chart` and `graph` the pictures, `report`, `said`, `difference` and `noting`
//! parts of the page of one definition; every other file is a page. What the pages show is read from the very JSON the API
//! answers, so that both say the same.

pub mod about;
pub mod activity;
pub mod assets;
pub mod baseline;
mod chart;
pub mod difference;
pub mod flow;
mod forms;
pub mod frame;
mod graph;
pub mod held;
pub mod href;
mod moment;
pub mod noting;
pub mod overview;
pub mod policy;
pub mod posture;
pub mod queue;
mod report;
pub mod review;
mod said;
pub mod server;
pub mod servers;
pub mod sessions;
pub mod settings;
pub mod sign_in;
pub mod trial;
mod visible;
mod words;

pub use frame::{Notice, Page, Rights, Theme, Viewer};
