//! What an operator chose: the trust mode of a server, and the settings of the whole.

use alloc::vec::Vec;

/// How tools of a server come to be approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrustMode {
    /// By a human.
    #[default]
    Manual,
    /// First lists and changes that scan clean are approved; the rest by a human.
    Scan,
    /// Only what the lock says.
    Pinned,
}

impl TrustMode {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            TrustMode::Manual => "manual",
            TrustMode::Scan => "scan",
            TrustMode::Pinned => "pinned",
        }
    }
}

/// The operator's settings of quarantine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `tool_quarantine.enabled`: off, nothing is held; changes are recorded and alerted.
    pub tool_quarantine: bool,
    /// `auto_quarantine_new_tools`: off, new tools are approved on sight unless a hard finding holds them.
    pub auto_quarantine_new_tools: bool,
    /// `rug_pull_detection`: off, changes are recorded, not held.
    pub rug_pull_detection: bool,
    /// `quarantine_server_on_rug_pull`: a rug pull holds the whole server.
    pub quarantine_server_on_rug_pull: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            tool_quarantine: true,
            auto_quarantine_new_tools: true,
            rug_pull_detection: true,
            quarantine_server_on_rug_pull: false,
        }
    }
}

impl Settings {
    /// What status should warn about.
    pub fn warnings(&self) -> Vec<&'static str> {
        let quarantine = "tool_quarantine.enabled is off: no tool is held, whatever is found";
        let detection = "rug_pull_detection is off: changed tools are recorded, not held";
        let switches = [(self.tool_quarantine, quarantine), (self.rug_pull_detection, detection)];
        switches.into_iter().filter(|(is_on, _)| !is_on).map(|(_, warning)| warning).collect()
    }
}
