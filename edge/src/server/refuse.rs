//! Answers that are written without reading a request, and the gentle close after them.

use crate::api::error::ApiError;
use crate::api::reply::refused;
use crate::api::request::headers::new_request_id;
use crate::metrics;
use crate::server::tls::{HANDSHAKE_RECORD, Tls};
use std::{fmt::Write as _, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

use super::{admission::Gate, detect_tls};

/// Time that a refused or failed peer may take to read its answer and hang up.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);
/// Most bytes that are read and dropped meanwhile.
const LINGER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Tells a peer why it gets no connection, apart from the accept loop.
pub fn answer(
    stream: TcpStream,
    refusal: ApiError,
    tls: Option<Arc<Tls>>,
    gate: &Gate,
    tasks: &mut JoinSet<()>,
) {
    ::metrics::counter!(metrics::REFUSED, "reason" => refusal.code.name()).increment(1);
    if let Some(permit) = gate.refusal() {
        tasks.spawn(async move {
            in_its_language(stream, tls.as_deref(), &refusal).await;
            drop(permit);
        });
    }
}

/// Tells a peer, over TLS if it speaks that.
pub async fn in_its_language(stream: TcpStream, tls: Option<&Tls>, refusal: &ApiError) {
    match tls {
        None => say(stream, refusal).await,
        Some(tls) => say_after_a_handshake(stream, tls, refusal).await,
    }
}

/// Sends a refusal after a brief handshake: a TLS client could not read a plain one.
async fn say_after_a_handshake(stream: TcpStream, tls: &Tls, refusal: &ApiError) {
    match tokio::time::timeout(LINGER_TIMEOUT, detect_tls::first_byte(&stream)).await {
        Ok(Some(HANDSHAKE_RECORD)) => {
            let handshake = tls.acceptor().accept(stream);
            if let Ok(Ok(stream)) = tokio::time::timeout(LINGER_TIMEOUT, handshake).await {
                say(stream, refusal).await;
            }
        }
        Ok(None) => {}
        Ok(Some(_)) | Err(_) => say(stream, refusal).await,
    }
}

/// Writes the failure and closes.
pub async fn say(mut stream: impl AsyncRead + AsyncWrite + Unpin, error: &ApiError) {
    let written = tokio::time::timeout(LINGER_TIMEOUT, stream.write_all(&raw(error))).await;
    if matches!(written, Ok(Ok(()))) {
        linger(stream).await;
    }
}

/// Closes our half, then drops the data that still arrives: closing with unread bytes would reset the connection and
/// lose the answer.
pub async fn linger(mut stream: impl AsyncRead + AsyncWrite + Unpin) {
    let waiting = async {
        stream.shutdown().await?;
        let mut scratch = [0; 4096];
        let mut left = LINGER_BYTES_MAX;
        loop {
            let read = stream.read(&mut scratch).await?;
            left = left.saturating_sub(read);
            if read == 0 || left == 0 {
                return std::io::Result::Ok(());
            }
        }
    };
    // Whatever happens here, the connection ends.
    let _ = tokio::time::timeout(LINGER_TIMEOUT, waiting).await;
}

/// The failure as bytes on the wire, in the shape of every other one.
fn raw(error: &ApiError) -> Vec<u8> {
    let response = refused(error, &new_request_id());
    let (head, body) = response.into_parts();
    let mut text =
        format!("HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {}\r\n", head.status, body.len());
    for (name, value) in &head.headers {
        if let Ok(value) = value.to_str() {
            // Writing to a string can't fail.
            let _ = write!(text, "{name}: {value}\r\n");
        }
    }
    text.push_str("\r\n");
    [text.as_bytes(), &body].concat()
}
