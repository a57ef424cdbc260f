//! The process's own stdin and stdout for the gateway. Not the ones of std: `main` holds those locked for as long as a
//! command runs, and whoever else asked for them would wait for ever.

use std::fs::File;
use std::io;

/// Input and output that nobody else reads or writes.
pub(crate) fn own() -> io::Result<(tokio::fs::File, tokio::fs::File)> {
    Ok((tokio::fs::File::from_std(input()?), tokio::fs::File::from_std(output()?)))
}

#[cfg(unix)]
fn input() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(unix)]
fn output() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn output() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdout().as_handle().try_clone_to_owned().map(File::from)
}
