//! TLS from a client's view: versions, reloaded certificates, who may use plain HTTP, and who is disconnected.

use super::{client::Client, desk::Edge};
use edge::{
    Limits,
    server::tls::{Tls, TlsError},
};
use rustls::{
    ClientConfig, RootCertStore, SupportedProtocolVersion,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
    version::{TLS12, TLS13},
};
use std::{fs, net::SocketAddr, os::unix::fs::PermissionsExt, path::PathBuf, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

const NAME: &str = "store-1.pos.example";

/// A folder with a certificate and its key.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Self {
        let files = Self { folder: tempfile::tempdir().unwrap() };
        files.renew();
        files
    }

    fn cert(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    fn renew(&self) {
        let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
        fs::write(self.cert(), made.cert.pem()).unwrap();
        fs::write(self.key(), made.signing_key.serialize_pem()).unwrap();
        self.protect(0o600);
    }

    fn protect(&self, mode: u32) {
        fs::set_permissions(self.key(), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn load(&self) -> Result<Arc<Tls>, TlsError> {
        Tls::load(&self.cert(), &self.key()).map(Arc::new)
    }

    /// Returns a client that trusts the certificate that is in the folder now.
    fn client(&self, version: &'static SupportedProtocolVersion) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(self.cert()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder =
            ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version]).unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        TlsConnector::from(Arc::new(config))
    }
}

async fn connect(client: &TlsConnector, address: SocketAddr) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    client.connect(ServerName::try_from(NAME).unwrap(), stream).await
}

/// Returns the whole answer to one request on its own connection.
async fn ask(client: &TlsConnector, address: SocketAddr) -> String {
    let mut stream = connect(client, address).await.unwrap();
    stream.write_all(b"GET /things/1 HTTP/1.1\r\nhost: edge\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an end with close_notify");
    answer
}

async fn edge(files: &Files, limits: Limits) -> (Edge, Arc<Tls>) {
    let tls = files.load().unwrap();
    (Edge::with_tls("127.0.0.1:0", limits, Some(Arc::clone(&tls))).await, tls)
}

#[tokio::test]
async fn both_versions_are_spoken_and_nothing_older() {
    let files = Files::new();
    let (edge, _) = edge(&files, Limits::default()).await;
    for version in [&TLS12, &TLS13] {
        let client = files.client(version);
        assert!(ask(&client, edge.address).await.starts_with("HTTP/1.1 200"));
        let stream = connect(&client, edge.address).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    }
    // A ClientHello of TLS 1.1 with one old suite gets the alert protocol_version (70).
    let mut hello = vec![0x16, 3, 1, 0, 55, 1, 0, 0, 51, 3, 2];
    hello.extend([7; 32]);
    hello.extend([0, 0, 2, 0, 0x2f, 1, 0, 0, 8, 0, 13, 0, 4, 0, 2, 8, 4]);
    let mut old = edge.client().await;
    old.send(hello).await;
    let said = old.closed().await;
    assert_eq!((said.first(), said.last()), (Some(&0x15), Some(&70)), "{said:?}");
}

#[tokio::test]
async fn new_connections_see_the_new_certificate_and_open_ones_continue() {
    let files = Files::new();
    let (edge, tls) = edge(&files, Limits::default()).await;
    let before = files.client(&TLS13);
    let mut open = connect(&before, edge.address).await.unwrap();
    files.renew();
    tls.reload().unwrap();
    let after = files.client(&TLS13);
    assert!(ask(&after, edge.address).await.starts_with("HTTP/1.1 200"));
    assert!(connect(&before, edge.address).await.is_err(), "the old certificate is still in use");
    open.write_all(b"GET /things/1 HTTP/1.1\r\nhost: edge\r\n\r\n").await.unwrap();
    let mut status = [0; 12];
    open.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    // Invalid files change nothing.
    files.protect(0o644);
    assert!(matches!(tls.reload(), Err(TlsError::Secret(_))));
    files.protect(0o600);
    fs::write(files.cert(), "no certificate").unwrap();
    assert!(matches!(tls.reload(), Err(TlsError::NoCertificate(_))));
    assert!(ask(&after, edge.address).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn files_that_do_not_fit_are_refused() {
    let (files, other) = (Files::new(), Files::new());
    for mode in [0o644, 0o640, 0o660] {
        files.protect(mode);
        let error = files.load().err().expect("refused").to_string();
        assert!(error.contains("key.pem") && error.contains("chmod 600"), "{error}");
    }
    files.protect(0o600);
    fs::copy(other.key(), files.key()).unwrap();
    assert!(matches!(files.load(), Err(TlsError::Unusable(_))), "the key of another certificate");
    fs::copy(files.cert(), files.key()).unwrap();
    files.protect(0o600);
    assert!(matches!(files.load(), Err(TlsError::NoKey(_))));
}

#[tokio::test]
async fn this_machine_itself_may_speak_plainly() {
    let files = Files::new();
    let (edge, _) = edge(&files, Limits::default()).await;
    assert_eq!(edge.ask("GET /things/1", &[], "").await.data()["peer"], "127.0.0.1");
}

#[tokio::test]
async fn half_a_handshake_is_closed() {
    let files = Files::new();
    let handshake_timeout = Duration::from_millis(150);
    let (edge, _) = edge(&files, Limits { handshake_timeout, ..Limits::default() }).await;
    let mut slow = edge.client().await;
    slow.send([0x16, 3, 1, 2, 0, 1]).await;
    assert!(slow.closed().await.is_empty());
}

#[tokio::test]
async fn a_stranger_is_refused_in_either_language() {
    let files = Files::new();
    let allowed_networks = vec!["10.0.0.0/8".parse().unwrap()];
    let (edge, _) = edge(&files, Limits { allowed_networks, ..Limits::default() }).await;
    let mut stream = connect(&files.client(&TLS13), edge.address).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("network_not_allowed"), "{answer}");
    let mut plain = Client::connect(edge.address).await;
    plain.send("GET / HTTP/1.1\r\n").await;
    plain.answer().await.unwrap().refused(403, "network_not_allowed");
}
