//! What a command ends with: the exit codes, and the failures that lead to them.

use std::io;
use std::path::PathBuf;

use portcullis_store::StoreError;

/// How a command ended. The numbers are a promise to every script that calls us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing at or above the threshold, and everything was looked at.
    Clean,
    /// Findings at or above the threshold.
    Findings,
    /// The arguments make no sense.
    Usage,
    /// Something was not looked at.
    Incomplete,
    /// The eval gate did not pass.
    Gate,
    /// What a server ended with, told by its launcher.
    Server(u8),
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Incomplete => 3,
            Exit::Gate => 6,
            Exit::Server(code) => code,
        }
    }
}

/// Why a command could not do its work at all.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("stopped before everything was read; no server is left running")]
    Stopped,
    #[error("cannot write the output: {0}")]
    Write(#[from] io::Error),
    #[error("cannot write {}: {error}", path.display())]
    Create { path: PathBuf, error: io::Error },
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// A reader that went away (`| head`) has seen what it wanted; the exit code still says what was found.
pub(crate) fn unless_reader_left(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => Ok(outcome?),
    }
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_) | Failure::Create { .. } => Exit::Usage,
            Failure::Store(
                StoreError::Absent { .. } | StoreError::NoRecord { .. } | StoreError::Address(_),
            ) => Exit::Usage,
            Failure::Store(_) | Failure::Stopped => Exit::Incomplete,
            // A report that did not reach its reader is not complete.
            Failure::Write(_) => Exit::Incomplete,
        }
    }
}
