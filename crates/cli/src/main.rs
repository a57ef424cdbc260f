//! The binary: hands the process's arguments and streams to the library and returns its exit code.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use portcullis::Streams;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let is_progress_visible = io::stderr().is_terminal();
    let can_answer = is_progress_visible && io::stdin().is_terminal();
    let is_out_coloured = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    // Findings are many small writes: one buffer instead of one system call each.
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let code = portcullis::run(
        std::env::args_os(),
        &mut Streams {
            input: &mut io::stdin().lock(),
            out: &mut out,
            err: &mut io::stderr(),
            is_progress_visible,
            can_answer,
            is_out_coloured,
            out_width: out_width(),
        },
    );
    // A reader that went away (`| head`) is not our failure: the code already says what was found.
    let _ = out.flush();
    ExitCode::from(code)
}

/// The columns of the terminal stdout is, if it is one.
fn out_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}
