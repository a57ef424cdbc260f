//! An authority of our own, and certificates it issues, made with openssl in a folder of the test's own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A folder with the authority's certificate and those it issued.
pub(crate) struct Authority {
    pub(crate) folder: PathBuf,
}

impl Authority {
    pub(crate) fn new() -> Authority {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("pki-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n").unwrap();
        let authority = Authority { folder };
        let wanted = ["-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=our own"];
        authority.openssl(&[&["req", "-x509"], &NEW_KEY[..], &wanted].concat());
        authority
    }

    /// Issues a certificate for this machine; negative days for one that is over.
    pub(crate) fn issue(&self, name: &str, days: i32) -> (PathBuf, PathBuf) {
        let [key, request, certificate] = ["key", "csr", "pem"].map(|kind| format!("{name}.{kind}"));
        let wanted = ["-keyout", &key, "-out", &request, "-subj", "/CN=localhost"];
        self.openssl(&[&["req"], &NEW_KEY[..], &wanted].concat());
        let days = days.to_string();
        self.openssl(&[
            "x509",
            "-req",
            "-in",
            &request,
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-out",
            &certificate,
            "-days",
            &days,
            "-extfile",
            "names",
        ]);
        (self.file(&certificate), self.file(&key))
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn openssl(&self, words: &[&str]) {
        let mut command = Command::new("openssl");
        command.args(words).current_dir(&self.folder).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().unwrap().success(), "openssl {words:?}");
    }

    /// A connection to a place on this machine that believes this authority alone; the certificate it was shown too.
    pub(crate) async fn connect(
        &self,
        address: std::net::SocketAddr,
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.file("ca.pem")).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, stream).await
    }
}

/// The certificate in a file.
pub(crate) fn certificate(path: &Path) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(path).unwrap()
}

const NEW_KEY: [&str; 5] = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
