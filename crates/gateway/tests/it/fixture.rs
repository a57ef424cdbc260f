//! The honest server of the fixture, as a process of its own.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

/// The fixture's program, built once for all tests.
pub(crate) static FIXTURE: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = std::env::current_exe().expect("the test is a file");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("it lies in deps");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        // With what the tests are built with, so that nothing is built twice.
        .args(["build", "--quiet", "--workspace", "--features=xtask/bench,xtask/store,xtask/gateway"])
        .args(["--bin=portcullis-fixture", "--target-dir"])
        .arg(folder.parent().expect("a target folder"));
    assert!(cargo.status().expect("cargo runs").success(), "the fixture does not build");
    folder.join("portcullis-fixture")
});

/// A fixture over HTTP, ended with the test.
pub(crate) struct Fixture {
    process: Child,
    pub(crate) url: String,
}

impl Fixture {
    pub(crate) fn http(era: &str) -> Fixture {
        Fixture::start(&["--http", "127.0.0.1:0", "--era", era])
    }

    /// One that speaks the HTTP of 2024-11-05.
    pub(crate) fn sse() -> Fixture {
        Fixture::start(&["--sse-2024", "127.0.0.1:0"])
    }

    fn start(words: &[&str]) -> Fixture {
        let mut command = Command::new(&*FIXTURE);
        command.args(words).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the fixture starts");
        let mut url = String::new();
        BufReader::new(process.stdout.take().expect("it is piped"))
            .read_line(&mut url)
            .expect("it says where");
        Fixture { process, url: url.trim().to_owned() }
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
