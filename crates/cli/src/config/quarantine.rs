//! What is held: the settings of quarantine, and the files they name.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use portcullis_decide::approval::Settings;
use portcullis_detect::fingerprint::{Volatile, VolatileKind};
use portcullis_gateway::quarantine::{Rules, VolatileMark};
use portcullis_report::{lock, suppressions};

use super::written;

/// The rules a file says, with what is in the files it names; `own` names files with checks of the operator's.
pub(super) fn rules(
    written: &written::Quarantine,
    own: &[String],
    folder: &Path,
    wrong: &mut impl FnMut(&str, &str),
) -> Rules {
    let own: Vec<PathBuf> = own.iter().map(|file| folder.join(file)).collect();
    let own = crate::rules::own(&own).unwrap_or_else(|failure| {
        wrong("rules", &failure.to_string());
        None
    });
    let usual = Rules::default();
    let approval = Settings {
        tool_quarantine: written.enabled.unwrap_or(usual.approval.tool_quarantine),
        auto_quarantine_new_tools: written
            .auto_quarantine_new_tools
            .unwrap_or(usual.approval.auto_quarantine_new_tools),
        rug_pull_detection: written.rug_pull_detection.unwrap_or(usual.approval.rug_pull_detection),
        quarantine_server_on_rug_pull: written
            .quarantine_server_on_rug_pull
            .unwrap_or(usual.approval.quarantine_server_on_rug_pull),
    };
    Rules {
        approval,
        lock: read(written.lock.as_deref(), folder, lock::read, wrong),
        suppressions: read(written.suppressions.as_deref(), folder, suppressions::read, wrong),
        volatile: written.volatile.iter().map(mark).collect(),
        agents_may_quarantine: written.agents_may_quarantine.unwrap_or(usual.agents_may_quarantine),
        own,
        recheck: written.recheck_s.map_or(usual.recheck, Duration::from_secs),
    }
}

/// What is in a file that was named; one that cannot be read is a problem, not an empty one.
fn read<T: Default, E: Display>(
    named: Option<&str>,
    folder: &Path,
    understand: impl Fn(&str) -> Result<T, E>,
    wrong: &mut impl FnMut(&str, &str),
) -> T {
    let Some(named) = named else { return T::default() };
    let path = folder.join(named);
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
    let understood = text.and_then(|text| understand(&text).map_err(|bad| bad.to_string()));
    understood.unwrap_or_else(|reason| {
        wrong("security", &format!("cannot read {}: {reason}", path.display()));
        T::default()
    })
}

fn mark(written: &written::VolatileMark) -> VolatileMark {
    // The words were checked with the keys.
    let kind = VolatileKind::named(&written.kind).unwrap_or(VolatileKind::Counts);
    VolatileMark {
        subject: written.subject.as_str().into(),
        mark: Volatile { pointer: written.pointer.as_str().into(), kind },
    }
}
