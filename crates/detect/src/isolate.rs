//! Runs one check so that a panic becomes "degraded" instead of ending the scan.
//!
//! The only file of the pure crates that may name std: catching a panic cannot be done without it.

#[cfg(feature = "std")]
extern crate std;

/// What `work` returned, or `None` if it panicked.
#[cfg(feature = "std")]
pub(crate) fn isolated<T>(work: impl FnOnce() -> T) -> Option<T> {
    // INVARIANT: a check owns nothing that outlives the call; what it had pushed before the panic is dropped.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

/// Without std a panic cannot be caught; the bare build exists to prove purity, it is not shipped.
#[cfg(not(feature = "std"))]
pub(crate) fn isolated<T>(work: impl FnOnce() -> T) -> Option<T> {
    Some(work())
}
