//! TLS: 1.2 and 1.3, one certificate from two PEM files, read again without a restart.

use crate::secret::{self, SecretError};
use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
    version::{TLS12, TLS13},
};
use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
};
use tokio_rustls::TlsAcceptor;

/// The largest certificate chain or key file, in bytes.
const PEM_BYTES_MAX: u64 = 256 * 1024;
/// First byte that a TLS client sends: the type of a handshake record.
pub(crate) const HANDSHAKE_RECORD: u8 = 0x16;

/// Reason why TLS can't be used with these files.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificate could not be read.
    #[error("tls_cert {path}: {source}")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// It has no chain of certificates in PEM form.
    #[error("tls_cert {0} holds no certificate in PEM form")]
    NoCertificate(PathBuf),
    /// The key's file is not fit for a secret.
    #[error("tls_key {0}")]
    Secret(#[from] SecretError),
    /// It has no private key in PEM form.
    #[error("tls_key {0} holds no private key in PEM form")]
    NoKey(PathBuf),
    /// It has ended.
    #[error("{0}")]
    Ended(String),
    /// The two do not fit together, or are of a kind that is not spoken.
    #[error("tls_cert and tls_key can't be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// The server's side of TLS.
pub struct Tls {
    acceptor: TlsAcceptor,
    shown: Arc<Shown>,
    cert: PathBuf,
    key: PathBuf,
}

/// The certificate that new connections are shown.
struct Shown(RwLock<Arc<CertifiedKey>>);

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shown")
    }
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Tls {
    /// Reads both files; the key's must be private (mode 0600, or a credential of systemd).
    ///
    /// # Errors
    /// [`TlsError`] names the file.
    pub fn load(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let shown = Arc::new(Shown(RwLock::new(Arc::new(certified(cert, key, &provider)?))));
        let resolver: Arc<dyn ResolvesServerCert> = Arc::<Shown>::clone(&shown);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13, &TLS12])?
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Self { acceptor, shown, cert: cert.to_owned(), key: key.to_owned() })
    }

    /// Reads the files again; new connections use the new contents, open ones continue.
    ///
    /// # Errors
    /// The errors of [`Tls::load`]; the certificate is unchanged.
    pub fn reload(&self) -> Result<(), TlsError> {
        let new = certified(&self.cert, &self.key, self.acceptor.config().crypto_provider())?;
        *self.shown.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }
}

fn certified(cert: &Path, key: &Path, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
    let chain = chain(cert)?;
    let text = secret::read(key, PEM_BYTES_MAX)?;
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(|_| TlsError::NoKey(key.to_owned()))?;
    Ok(CertifiedKey::from_der(chain, key, provider)?)
}

pub(crate) fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    use io::Read;
    let failed = |source| TlsError::Read { path: path.to_owned(), source };
    let mut text = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(PEM_BYTES_MAX).read_to_end(&mut text).map_err(failed)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(|| TlsError::NoCertificate(path.to_owned()))
}
