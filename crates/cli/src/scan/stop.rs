//! Hears that somebody wants a scan to stop, so that what was found until then is told and nothing more is looked at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portcullis_decide::{Incomplete, Report};

use crate::exit::Failure;
use crate::serve::signals;

/// Whether somebody wants the scan to stop.
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for Ctrl-C, and for what a service manager sends, from now on.
    pub(super) fn listen() -> Self {
        let is_asked = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&is_asked);
        // Where nobody can listen, Ctrl-C ends the process without a word, as it does anywhere.
        let _ = std::thread::Builder::new().name("stop".into()).spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else {
                return;
            };
            runtime.block_on(async {
                let Ok(stop) = signals::stop() else { return };
                stop.await;
                heard.store(true, Ordering::Relaxed);
            });
        });
        Stop(is_asked)
    }

    /// Goes on unless somebody wants to stop.
    ///
    /// # Errors
    /// [`Failure::Stopped`].
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.0.load(Ordering::Relaxed) { Err(Failure::Stopped) } else { Ok(()) }
    }

    #[cfg(test)]
    pub(super) fn asked(is_asked: bool) -> Self {
        Stop(Arc::new(AtomicBool::new(is_asked)))
    }
}

/// Whether the work ended because somebody wanted it to; then the report says so, and what is missing in it.
///
/// # Errors
/// The work failed for another reason.
pub(super) fn is_end(
    outcome: Result<(), Failure>,
    missing: &str,
    report: &mut Report,
) -> Result<bool, Failure> {
    match outcome {
        Err(Failure::Stopped) => {
            let reason = format!("it was stopped; {missing}");
            report.incomplete.push(Incomplete { subject: "the scan".to_owned(), reason });
            Ok(true)
        }
        outcome => outcome.map(|()| false),
    }
}
