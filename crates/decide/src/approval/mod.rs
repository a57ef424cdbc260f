//! The state machine of a tool: what happens to its approval when it is seen, changed, judged or decided on.
//!
//! The map: [`Record`] is what is known of one tool, [`Event`] what happened to it, `table` which step each event
//! takes in each state, `step` the steps themselves. [`apply`] makes a [`Transition`], and nothing else can: what a
//! store commits went through here. Servers have a small machine of their own ([`server`]). [`hold`] says whether a
//! tool may be used now, and why not.
//!
//! Prompts, templates and instructions are treated as tools are.

mod event;
mod hold;
mod record;
pub mod server;
mod setting;
mod step;
mod table;
mod transition;

pub use event::{Actor, Event, EventKind, Scan, Sighting};
pub use hold::{Hold, hold};
pub use record::{Approval, Approver, Record, Rejection, State};
pub use setting::{Settings, TrustMode};
pub use table::{Step, step_of};
pub use transition::{Notice, Refusal, Transition};

/// What `event` does to a tool; `record` is `None` for a tool nobody has seen yet. `now` is in milliseconds since
/// 1970.
///
/// # Errors
/// The event asks for something that may not be; the refusal says what the operator can do.
pub fn apply(
    record: Option<&Record>,
    event: &Event,
    trust: TrustMode,
    settings: &Settings,
    now: u64,
) -> Result<Transition, Refusal> {
    let kind = event.kind(record);
    if matches!(event.actor(), Some(Actor::Agent(_))) && !kind.is_open_to_agents() {
        return Err(Refusal::OnlyForOperators);
    }
    let Some(record) = record else { return step::first(event, trust, settings, now) };
    let step = step_of(record.state, kind);
    step::take(step, record, event, trust, settings, now)
}

#[cfg(test)]
mod tests;
