//! Where PostgreSQL is and how one talks to it: encrypted and verified, or openly unencrypted, never silently so.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::StoreError;

/// A connection that is not there after this will not be there in time for the call that waits.
const CONNECT: Duration = Duration::from_secs(3);

/// A database, ready to be connected to.
#[derive(Clone)]
pub(crate) struct Address {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
    /// What people and errors call it: no name and no password in it.
    pub(super) name: String,
    pub(super) is_encrypted: bool,
}

impl Address {
    /// Reads an address such as `postgres://user@host/database?sslmode=verify-full`.
    pub(crate) fn parse(text: &str) -> Result<Address, StoreError> {
        let (plain, wish) = split(text)?;
        let mut config: Config = plain.parse().map_err(|_| {
            // What the parser says may quote the password.
            StoreError::Address("a PostgreSQL store is named like postgres://user@host/database".into())
        })?;
        let is_encrypted = wish.mode.unwrap_or(!is_local(&config));
        config.ssl_mode(if is_encrypted { SslMode::Require } else { SslMode::Disable });
        config.connect_timeout(CONNECT).tcp_user_timeout(CONNECT).keepalives_idle(Duration::from_secs(30));
        let roots = if is_encrypted { roots(wish.roots.as_deref())? } else { RootCertStore::empty() };
        Ok(Address { name: name(&config), config, tls: MakeRustlsConnect::new(client(roots)?), is_encrypted })
    }
}

/// What an address says about encryption.
#[derive(Default)]
struct Wish {
    /// `None` if it says nothing.
    mode: Option<bool>,
    roots: Option<String>,
}

/// Takes out what the client does not know: `verify-full` and the file of roots.
fn split(text: &str) -> Result<(String, Wish), StoreError> {
    let mut wish = Wish::default();
    let Some((base, query)) = text.split_once('?') else { return Ok((text.to_owned(), wish)) };
    let mut rest = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", "disable")) => wish.mode = Some(false),
            Some(("sslmode", "require" | "verify-full")) => wish.mode = Some(true),
            Some(("sslmode", other)) => {
                let text = format!(
                    "sslmode={other} may end up unencrypted or unverified: say verify-full, or disable if you mean it"
                );
                return Err(StoreError::Address(text));
            }
            Some(("sslrootcert", path)) => wish.roots = Some(path.replace("%2F", "/").replace("%2f", "/")),
            _ => rest.push(pair),
        }
    }
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    Ok((format!("{base}{query}"), wish))
}

/// Whether everything named is this machine, so that nothing crosses a network.
fn is_local(config: &Config) -> bool {
    let is_loopback = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    let addresses = config.get_hostaddrs();
    config.get_hosts().iter().all(is_loopback) && addresses.iter().all(std::net::IpAddr::is_loopback)
}

fn name(config: &Config) -> String {
    let host = config.get_hosts().first().map_or_else(String::new, |host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let port = config.get_ports().first().copied().unwrap_or(5432);
    format!("postgres://{host}:{port}/{}", config.get_dbname().unwrap_or_default())
}

/// The certificates a server may be vouched for by: those of a file, or the system's.
fn roots(path: Option<&str>) -> Result<RootCertStore, StoreError> {
    let mut roots = RootCertStore::empty();
    let certificates: Vec<CertificateDer<'static>> = match path {
        Some(path) => {
            let unreadable = |what: String| {
                StoreError::Address(format!("sslrootcert={path} holds no certificates: {what}"))
            };
            let text = fs::read(Path::new(path)).map_err(|error| unreadable(error.to_string()))?;
            let parsed: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
            parsed.map_err(|error| unreadable(error.to_string()))?
        }
        None => rustls_native_certs::load_native_certs().certs,
    };
    roots.add_parsable_certificates(certificates);
    if roots.is_empty() {
        let text =
            "no certificates to verify the server with: say sslrootcert=FILE, or install ca-certificates";
        return Err(StoreError::Address(text.into()));
    }
    Ok(roots)
}

fn client(roots: RootCertStore) -> Result<ClientConfig, StoreError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Address(format!("TLS cannot be used here: {error}")))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_spoken_to_in_the_clear_unasked() {
        let check = |text: &str, expected: bool| {
            assert_eq!(Address::parse(text).unwrap().is_encrypted, expected, "{text}");
        };
        check("postgres://u@localhost/d", false);
        check("postgres://u@127.0.0.1:5433/d", false);
        check("postgres://u@%2Frun%2Fpostgresql/d", false);
        check("postgres://u@db.example.org/d?sslmode=disable", false);
        let remote = |text: &str| match Address::parse(text) {
            Ok(address) => address.is_encrypted,
            // Without the system's roots it is refused, which is as good.
            Err(error) => error.to_string().contains("certificates"),
        };
        assert!(remote("postgres://u@db.example.org/d"));
        assert!(remote("postgres://u@localhost/d?sslmode=require"));
        assert!(remote("postgres://u@localhost,db.example.org/d"));
    }

    #[test]
    fn what_may_be_unverified_is_refused() {
        for mode in ["prefer", "allow", "verify-ca", ""] {
            let error = Address::parse(&format!("postgres://u@h/d?sslmode={mode}")).err().unwrap();
            assert!(error.to_string().contains("verify-full"), "{error}");
        }
        let error =
            Address::parse("postgres://u@h/d?sslmode=verify-full&sslrootcert=nowhere.pem").err().unwrap();
        assert!(error.to_string().contains("nowhere.pem"), "{error}");
    }

    #[test]
    fn no_password_is_shown() {
        let address = Address::parse("postgres://me:hush@localhost:5555/d").unwrap();
        assert_eq!(address.name, "postgres://localhost:5555/d");
        let error = Address::parse("postgres://me:hush@localhost:x/d").err().unwrap();
        assert!(!error.to_string().contains("hush"), "{error}");
    }
}
