//! TLS on the listening side: a certificate and its key in two files, read again when they change.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{InconsistentKeys, ServerConfig};
use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;
use tracing::{info, warn};
use x509_cert::der::Decode;

use crate::GatewayError;

/// Who the gateway is towards agents, and how connections are taken.
#[derive(Clone)]
pub struct Tls {
    identity: Arc<Identity>,
    acceptor: TlsAcceptor,
}

/// A certificate with its key, as the files hold them.
struct Identity {
    certificate: PathBuf,
    key: PathBuf,
    shown: RwLock<Shown>,
}

/// What is shown to agents now.
#[derive(Clone)]
struct Shown {
    certified: Arc<CertifiedKey>,
    /// Of the files' contents, to notice a change.
    digest: [u8; 32],
}

impl Tls {
    /// Reads a chain of certificates and the key of the first, both in PEM.
    pub fn load(certificate: &Path, key: &Path) -> Result<Tls, GatewayError> {
        let shown = RwLock::new(read(certificate, key)?);
        let identity = Identity { certificate: certificate.to_owned(), key: key.to_owned(), shown };
        let identity = Arc::new(identity);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| GatewayError::Tls(error.to_string()))?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&identity) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls { identity, acceptor: TlsAcceptor::from(Arc::new(config)) })
    }

    /// Reads the files again; whether they hold something new. If they cannot be used, what was shown goes on being
    /// shown.
    pub fn refresh(&self) -> Result<bool, GatewayError> {
        let identity = &self.identity;
        let fresh = read(&identity.certificate, &identity.key)?;
        let mut shown = identity.shown.write().unwrap_or_else(PoisonError::into_inner);
        let is_new = shown.digest != fresh.digest;
        *shown = fresh;
        Ok(is_new)
    }

    /// The same, and says to the log how it went.
    pub fn refresh_aloud(&self) {
        match self.refresh() {
            Ok(true) => info!("a new certificate is shown from now on"),
            Ok(false) => {}
            Err(error) => warn!(%error, "the certificate shown stays the one read before"),
        }
    }

    pub(crate) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }
}

impl fmt::Debug for Tls {
    /// Only the places are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.identity, f)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl ResolvesServerCert for Identity {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let shown = self.shown.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&shown.certified))
    }
}

fn read(certificate: &Path, key: &Path) -> Result<Shown, GatewayError> {
    let bad = |path: &Path, why: &str| GatewayError::Identity { path: path.to_owned(), why: why.to_owned() };
    let text = |path: &Path| fs::read(path).map_err(|error| bad(path, &error.to_string()));
    let (chain_text, key_text) = (text(certificate)?, text(key)?);
    let chain = CertificateDer::pem_slice_iter(&chain_text).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|_| bad(certificate, "it is not in PEM"))?;
    let Some(first) = chain.first() else {
        return Err(bad(certificate, "it holds no certificate in PEM"));
    };
    in_force(first).map_err(|why| bad(certificate, &why))?;
    let parsed = PrivateKeyDer::from_pem_slice(&key_text).map_err(|_| {
        let is_encrypted = memchr::memmem::find(&key_text, b"ENCRYPTED").is_some();
        let locked =
            "the key is encrypted: write it without a passphrase, readable only by the gateway's user";
        bad(key, if is_encrypted { locked } else { "it holds no private key in PEM" })
    })?;
    let digest = Sha256::new().chain_update(&chain_text).chain_update(&key_text).finalize().into();
    let certified = CertifiedKey::from_der(chain, parsed, &rustls::crypto::ring::default_provider());
    let certified = certified.map_err(|error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            bad(key, &format!("it is not the key of the certificate in {}", certificate.display()))
        }
        other => bad(key, &other.to_string()),
    })?;
    Ok(Shown { certified: Arc::new(certified), digest })
}

/// Whether a certificate holds today; else when it does.
fn in_force(certificate: &CertificateDer<'_>) -> Result<(), String> {
    let parsed = x509_cert::Certificate::from_der(certificate);
    let parsed = parsed.map_err(|_| "its first certificate cannot be read".to_owned())?;
    let validity = parsed.tbs_certificate.validity;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    if now > validity.not_after.to_unix_duration() {
        return Err(format!("it expired at {}: renew it", validity.not_after));
    }
    if now < validity.not_before.to_unix_duration() {
        return Err(format!("it is not valid before {}: is the clock right?", validity.not_before));
    }
    Ok(())
}
