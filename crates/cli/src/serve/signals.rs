//! What others tell the process: to stop (Ctrl-C, or a service manager), to read its files again, to let no call pass.

use std::future::Future;
use std::io;
use std::sync::Arc;

use portcullis_gateway::Control;
use tokio::sync::Notify;
#[cfg(unix)]
use tracing::error;

/// Ready when somebody wants us to stop.
#[cfg(unix)]
pub(crate) fn stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ready when somebody wants us to stop.
#[cfg(not(unix))]
pub(crate) fn stop() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        let _ = interrupt.recv().await;
    })
}

/// Told each time somebody wants the file read again; nobody tells it on a system without that signal.
pub(super) fn hang_up() -> io::Result<Arc<Notify>> {
    let heard = Arc::new(Notify::new());
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut signals, told) = (signal(SignalKind::hangup())?, Arc::clone(&heard));
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                told.notify_one();
            }
        });
    }
    Ok(heard)
}

/// Lets no call pass from SIGUSR1 on, and lets them pass again from SIGUSR2 on, as long as the process runs: for when
/// nothing else can reach it.
#[cfg(unix)]
pub(super) fn stop_calls(control: Control) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut stop = signal(SignalKind::user_defined1())?;
    let mut resume = signal(SignalKind::user_defined2())?;
    tokio::spawn(async move {
        loop {
            let is_stopped = tokio::select! {
                _ = stop.recv() => true,
                _ = resume.recv() => false,
            };
            let control = control.clone();
            // What the store says is waited for: a later signal counts after an earlier one.
            let thrown =
                tokio::task::spawn_blocking(move || control.stop_calls(is_stopped, "a signal")).await;
            if let Ok(Err(why)) = thrown {
                error!(%why, is_stopped, "a signal about all calls could not be followed wholly");
            }
        }
    });
    Ok(())
}

/// There are no such signals on this system.
#[cfg(not(unix))]
pub(super) fn stop_calls(_control: Control) -> io::Result<()> {
    Ok(())
}
