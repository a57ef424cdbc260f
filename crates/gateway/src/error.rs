//! Why a gateway does not start, in words the operator can act on.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a gateway does not start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}; choose another `listen`, or stop what holds it")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        error: io::Error,
    },
    /// The door for this machine's operator cannot be opened.
    #[error("cannot open the door {}: {error}", path.display())]
    Door {
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Certificates that cannot be read.
    #[error("the certificates in {} cannot be used: {why}", path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A certificate or a key that cannot be shown to agents.
    #[error("{} cannot be used for TLS: {why}", path.display())]
    Identity {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// Two servers of one name.
    #[error("two servers are called `{0}`: rename one")]
    SameName(String),
    /// What was decided before cannot be read.
    #[error("the store cannot be used: {0}")]
    Store(#[from] portcullis_store::StoreError),
    /// A server that is not there.
    #[error("no server is called `{0}`: name one of the file, `all` or `router`")]
    NoServer(String),
    /// Anything else the system says.
    #[error("the gateway cannot run: {0}")]
    Io(#[from] io::Error),
}
