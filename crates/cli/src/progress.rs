//! A progress bar for work that takes longer than a second, on stderr, only where someone watches.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Quicker work than this shows nothing: a bar that flashes by only disturbs.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the clock is read: one step is microseconds of work, the clock would be a good part of it.
const STEPS_PER_LOOK: u64 = 64;

/// Counts steps; draws itself once the work has taken a second.
pub(crate) struct Progress {
    total: u64,
    done: u64,
    what: &'static str,
    /// `None` where nobody watches.
    started: Option<Instant>,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(total: usize, what: &'static str, is_visible: bool) -> Self {
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        Progress { total, done: 0, what, started: is_visible.then(Instant::now), bar: None }
    }

    /// One small step done.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of(STEPS_PER_LOOK) {
            self.look();
        }
    }

    /// One step done that was long by itself.
    pub(crate) fn step_now(&mut self) {
        self.done += 1;
        self.look();
    }

    fn look(&mut self) {
        let Some(started) = self.started else { return };
        if self.bar.is_none() && started.elapsed() >= PATIENCE {
            self.bar = Some(bar(self.total, self.what));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    // INVARIANT: the template is a constant of ours; were it ever wrong, the default style still counts.
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_message(what);
    bar
}
