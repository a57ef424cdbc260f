//! What others tell the process: to stop (Ctrl-C, or a service manager), or to read its files again.

use std::future::Future;
use std::io;
use std::sync::Arc;

use tokio::sync::Notify;

/// Ready when somebody wants us to stop.
#[cfg(unix)]
pub(super) fn stop() -> io::Result<impl Future<Output = ()>> {
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
pub(super) fn stop() -> io::Result<impl Future<Output = ()>> {
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
