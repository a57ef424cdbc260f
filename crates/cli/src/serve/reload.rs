//! A file that changes while the gateway runs: servers that are new, gone or different are taken over, others go on.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use portcullis_gateway::{Control, Reloaded};
use portcullis_store::Vault;
use tokio::sync::Notify;
use tracing::{error, info};

use super::sign_in;
use crate::config;

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is needed to take over a file that changed.
pub(super) struct Reload {
    file: PathBuf,
    vault: Vault,
    control: Control,
    seen: Option<(SystemTime, u64)>,
}

impl Reload {
    pub(super) fn new(file: PathBuf, vault: Vault, control: Control) -> Reload {
        let mut reload = Reload { file, vault, control, seen: None };
        reload.seen = reload.look();
        reload
    }

    /// Watches until the gateway ends; `asked` is told when somebody wants the file read now.
    pub(super) async fn watch(mut self, asked: Arc<Notify>) {
        loop {
            let is_asked = tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => false,
                () = asked.notified() => true,
            };
            let now = self.look();
            // A file that is being written anew may be gone for a moment.
            if is_asked || (now.is_some() && now != self.seen) {
                self.seen = now;
                self.take_over();
            }
        }
    }

    fn look(&self) -> Option<(SystemTime, u64)> {
        let about = std::fs::metadata(&self.file).ok()?;
        Some((about.modified().ok()?, about.len()))
    }

    /// A file that cannot be used changes nothing, and says so.
    fn take_over(&self) {
        let file = self.file.display();
        let config = match config::load(&self.file, &|name| std::env::var(name).ok()) {
            Ok(config) => config,
            Err(why) => return error!(%why, "the file changed and cannot be used; nothing was changed"),
        };
        self.control.judge_by(config.judge);
        self.control.alert_by(config.alerts);
        let servers = config.servers.into_iter().map(|one| sign_in::ready(one, &self.vault)).collect();
        match tokio::task::block_in_place(|| self.control.reload(servers)) {
            Ok(Reloaded { added, removed, changed }) => info!(
                %file, added = added.len(), removed = removed.len(), changed = changed.len(),
                "the file was read again; other keys than mcpServers, alerts and those of the guard take effect at the next start"
            ),
            Err(why) => error!(%why, "the file changed, but not all of it could be taken over"),
        }
    }
}
