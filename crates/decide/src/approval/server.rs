//! The small machine of a server: how it is launched, and whether somebody holds all of it.

use super::event::Actor;
use super::setting::TrustMode;
use super::transition::Refusal;
use alloc::boxed::Box;
use portcullis_detect::fingerprint::Fingerprint;

/// What is known of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The launch that stands: the first one seen, or the last one confirmed.
    pub launch: Fingerprint,
    /// A launch that waits for a human.
    pub pending: Option<Fingerprint>,
    /// Why the whole server is held, if it is.
    pub quarantine: Option<Box<str>>,
    /// How its tools come to be approved.
    pub trust: TrustMode,
}

/// Why a server is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerHold {
    /// Somebody, or a rug pull, quarantined it.
    Quarantined,
    /// It is launched in another way than was confirmed.
    LaunchChanged,
}

/// What happened to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerEvent {
    /// It is about to be launched like this.
    LaunchSeen(Fingerprint),
    /// Somebody confirms exactly the launch they read.
    LaunchConfirmed {
        /// What they read.
        launch: Fingerprint,
        /// Who.
        by: Actor,
    },
    /// One of its tools changed, and `quarantine_server_on_rug_pull` is on.
    RugPull {
        /// The tool.
        tool: Box<str>,
    },
    /// Somebody wants all of it held.
    Quarantined {
        /// Who.
        by: Actor,
        /// Why.
        reason: Box<str>,
    },
    /// Somebody lifts that.
    Unquarantined {
        /// Who.
        by: Actor,
    },
    /// Somebody chose how its tools come to be approved.
    TrustModeChanged {
        /// Who.
        by: Actor,
        /// The mode.
        trust: TrustMode,
    },
}

/// A change this machine made; its fields are private, as those of a tool's transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerTransition {
    server: Server,
    is_change: bool,
    at: u64,
}

impl ServerTransition {
    /// What is known of the server now.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Whether anything about the server is different now.
    pub fn is_change(&self) -> bool {
        self.is_change
    }

    /// When, in milliseconds since 1970.
    pub fn at(&self) -> u64 {
        self.at
    }
}

impl Server {
    /// A server seen for the first time. Its launch is what the operator wrote down, so it stands; its tools wait.
    pub fn new(launch: Fingerprint, trust: TrustMode) -> Self {
        Server { launch, pending: None, quarantine: None, trust }
    }

    /// Why it is held, `None` if it is not.
    pub fn hold(&self) -> Option<ServerHold> {
        match (&self.quarantine, self.pending) {
            (Some(_), _) => Some(ServerHold::Quarantined),
            (None, Some(_)) => Some(ServerHold::LaunchChanged),
            (None, None) => None,
        }
    }

    /// What an event does to the server.
    ///
    /// # Errors
    /// An agent asks to loosen, or the launch that was read is not the one that waits.
    pub fn apply(&self, event: &ServerEvent, now: u64) -> Result<ServerTransition, Refusal> {
        let mut server = self.clone();
        match event {
            // Returning to the launch that stands needs nobody.
            ServerEvent::LaunchSeen(launch) => server.pending = (*launch != self.launch).then_some(*launch),
            ServerEvent::LaunchConfirmed { launch, by } => {
                only_operators(by)?;
                let waiting = self.pending.unwrap_or(self.launch);
                if *launch != waiting {
                    return Err(Refusal::StaleFingerprint { seen: waiting });
                }
                server.launch = *launch;
                server.pending = None;
            }
            ServerEvent::RugPull { tool } => {
                server.quarantine =
                    Some(alloc::format!("its tool {tool} changed since it was approved").into());
            }
            ServerEvent::Quarantined { reason, .. } => server.quarantine = Some(reason.clone()),
            ServerEvent::Unquarantined { by } => {
                only_operators(by)?;
                server.quarantine = None;
            }
            ServerEvent::TrustModeChanged { by, trust } => {
                only_operators(by)?;
                server.trust = *trust;
            }
        }
        Ok(ServerTransition { is_change: server != *self, server, at: now })
    }
}

fn only_operators(by: &Actor) -> Result<(), Refusal> {
    match by {
        Actor::Operator(_) => Ok(()),
        Actor::Agent(_) => Err(Refusal::OnlyForOperators),
    }
}
