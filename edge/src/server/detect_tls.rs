//! The beginning of a connection: its first byte shows whether TLS or plain HTTP follows.

use crate::api::error::ApiError;
use crate::server::tls::{HANDSHAKE_RECORD, Tls};
use std::{net::SocketAddr, time::Duration};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// A connection that may be talked on.
pub enum Accepted {
    /// Plain HTTP.
    Plain(TcpStream),
    /// HTTP inside of TLS.
    Secured(Box<TlsStream<TcpStream>>),
}

/// The first byte of the peer, which stays in the stream; `None` if it hung up.
pub async fn first_byte(stream: &TcpStream) -> Option<u8> {
    let mut byte = [0];
    match stream.peek(&mut byte).await {
        Ok(1) => Some(byte[0]),
        _ => None,
    }
}

/// Does the handshake if TLS is used. Plain HTTP is then for loopback only, so that a till on the same box needs no
/// certificate for `localhost`; other peers get an error about it.
///
/// # Errors
/// The answer for a peer with plain HTTP, with its connection; `None` if the handshake failed.
pub async fn accept(
    stream: TcpStream,
    first: u8,
    peer: SocketAddr,
    tls: Option<&Tls>,
    timeout: Duration,
) -> Result<Accepted, Option<(TcpStream, ApiError)>> {
    let Some(tls) = tls else { return Ok(Accepted::Plain(stream)) };
    if first != HANDSHAKE_RECORD {
        let plain_is_fine = peer.ip().is_loopback();
        return if plain_is_fine {
            Ok(Accepted::Plain(stream))
        } else {
            Err(Some((stream, ApiError::malformed_request("this port speaks TLS: use https://"))))
        };
    }
    match tokio::time::timeout(timeout, tls.acceptor().accept(stream)).await {
        Ok(Ok(stream)) => Ok(Accepted::Secured(Box::new(stream))),
        Ok(Err(error)) => {
            tracing::debug!(%error, peer = %peer.ip(), "a TLS handshake failed");
            Err(None)
        }
        Err(_) => Err(None),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::{Accepted, accept};
    use crate::server::tls::Tls;
    use std::{fs, net::SocketAddr, os::unix::fs::PermissionsExt, time::Duration};
    use tokio::net::{TcpListener, TcpStream};

    #[tokio::test]
    async fn plain_http_beside_tls_is_for_this_machine_only() {
        let folder = tempfile::tempdir().unwrap();
        let (cert, key) = (folder.path().join("c"), folder.path().join("k"));
        let made = rcgen::generate_simple_self_signed(["a".to_owned()]).unwrap();
        fs::write(&cert, made.cert.pem()).unwrap();
        fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let tls = Tls::load(&cert, &key).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        for (peer, tls, fine) in [
            ("127.0.0.1:9", Some(&tls), true),
            ("[::1]:9", Some(&tls), true),
            ("192.168.1.9:9", Some(&tls), false),
            ("192.168.1.9:9", None, true),
        ] {
            let stream = TcpStream::connect(address).await.unwrap();
            let peer: SocketAddr = peer.parse().unwrap();
            match accept(stream, b'G', peer, tls, Duration::from_secs(9)).await {
                Ok(Accepted::Plain(_)) => assert!(fine, "{peer}"),
                Err(Some((_, error))) => assert!(!fine && error.message.contains("https://"), "{peer}"),
                _ => panic!("{peer}: no answer"),
            }
        }
    }
}
