//! Signing in from a terminal: the address is written to stderr, and opened in a browser where there is one.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use portcullis_gateway::oauth::{OAuth, Opener};
use portcullis_gateway::settings::{Credential, Server, Transport};
use portcullis_store::Vault;

use crate::config::Configured;

/// The server, with its tokens where it needs some.
pub(super) fn ready(configured: Configured, vault: &Vault) -> Server {
    let Configured { mut server, sign_in } = configured;
    if let (Transport::Http(remote) | Transport::Sse(remote), Some(sign_in)) =
        (&mut server.transport, sign_in)
    {
        let open = opener(server.name.as_str().to_owned());
        let tokens = OAuth::new(remote, sign_in, vault.clone(), open);
        remote.credential = Credential::Renewed(Arc::new(tokens));
    }
    server
}

/// Shows addresses to whoever is to sign in to this server.
pub(crate) fn opener(server: String) -> Opener {
    Arc::new(move |url| show(&server, url))
}

fn show(server: &str, url: &str) {
    // INVARIANT: when stderr is gone the browser is all there is.
    let _ = writeln!(std::io::stderr(), "to sign in to {server}, open\n  {url}");
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(opener);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A machine without a browser has the line above.
    if let Ok(mut child) = command.spawn() {
        std::thread::spawn(move || child.wait());
    }
}
