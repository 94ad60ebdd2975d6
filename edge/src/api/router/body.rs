//! Request bodies: media type, size, time, and unpacking, in that order.

use crate::api::error::ApiError;
use crate::api::route::{Access, BodyKind, Route};
use crate::limits::{Limits, PUBLIC_BODY_BYTES_MAX};
use bytes::{Buf, Bytes, BytesMut};
use flate2::read::MultiGzDecoder;
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, header};
use std::{io::Read, pin::Pin, time::Duration};

mod budget;

pub use budget::{Budget, Held};

/// Most bytes of a route's body. A route that asks for no token takes little unless it names its own limit: a client
/// that has no account must not fill the memory.
pub fn bytes_max<S>(route: &Route<S>, limits: &Limits) -> usize {
    match (route.body, route.access) {
        (BodyKind::JsonUpTo(bytes), _) => bytes,
        (BodyKind::Csv | BodyKind::JsonCsvOrXml, _) => limits.max_import_bytes,
        (_, Access::Public) => limits.max_body_bytes.min(PUBLIC_BODY_BYTES_MAX),
        _ => limits.max_body_bytes,
    }
}

/// A body that may still be on its way.
pub struct Incoming<T> {
    stream: Pin<Box<T>>,
    announced: Option<u64>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    Pending,
    Read,
}

impl<T, B> Incoming<T>
where
    T: Stream<Item = Result<B, warp::Error>> + Send,
    B: Buf + Send,
{
    pub fn new(headers: &HeaderMap, stream: T) -> Self {
        let length = headers.get(header::CONTENT_LENGTH);
        let announced = length.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let chunked = headers.contains_key(header::TRANSFER_ENCODING);
        let state =
            if chunked || announced.is_some_and(|bytes| bytes > 0) { State::Pending } else { State::None };
        Self { stream: Box::pin(stream), announced, state }
    }

    /// Whether a body was announced that has not been read to its end.
    pub fn is_pending(&self) -> bool {
        self.state == State::Pending
    }

    /// The whole body, checked against the route.
    pub async fn read(
        &mut self,
        kind: BodyKind,
        headers: &HeaderMap,
        bytes_max: usize,
        timeout: Duration,
        held: &mut Held,
    ) -> Result<Bytes, ApiError> {
        if self.state == State::None {
            let empty: &'static [u8] = if kind == BodyKind::JsonOptional { b"{}" } else { b"" };
            return Ok(Bytes::from_static(empty));
        }
        let packing = if kind == BodyKind::None {
            Packing::Plain
        } else {
            media_type(headers, kind)?;
            packing(headers)?
        };
        if self.announced.is_some_and(|bytes| bytes > bytes_max as u64) {
            return Err(ApiError::body_too_large(bytes_max));
        }
        let body = tokio::time::timeout(timeout, self.collect(bytes_max, held))
            .await
            .map_err(|_| ApiError::request_timeout())??;
        self.state = State::Read;
        match packing {
            Packing::Plain => Ok(body),
            Packing::Gzip => unpack(MultiGzDecoder::new(&*body), body.len(), bytes_max, held),
            Packing::Zstd => {
                let mut decoder = zstd::Decoder::new(&*body).map_err(ApiError::internal)?;
                // The memory that a frame requests is limited first.
                decoder.window_log_max(ZSTD_WINDOW_LOG_MAX).map_err(ApiError::internal)?;
                unpack(decoder, body.len(), bytes_max, held)
            }
        }
    }

    /// A body that arrives in one piece, as nearly all do, is never copied.
    async fn collect(&mut self, bytes_max: usize, held: &mut Held) -> Result<Bytes, ApiError> {
        let Some(mut whole) = self.chunk().await? else { return Ok(Bytes::new()) };
        let mut joined: Option<BytesMut> = None;
        let mut length = whole.len();
        loop {
            if length > bytes_max {
                return Err(ApiError::body_too_large(bytes_max));
            }
            held.grow_to(length)?;
            let Some(next) = self.chunk().await? else { break };
            length = length.saturating_add(next.len());
            joined.get_or_insert_with(|| BytesMut::from(std::mem::take(&mut whole))).extend_from_slice(&next);
        }
        Ok(joined.map_or(whole, BytesMut::freeze))
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        match self.stream.next().await {
            Some(Ok(mut chunk)) => Ok(Some(chunk.copy_to_bytes(chunk.remaining()))),
            Some(Err(_)) => Err(ApiError::invalid_json("it ends too early")),
            None => Ok(None),
        }
    }
}

fn media_type(headers: &HeaderMap, kind: BodyKind) -> Result<(), ApiError> {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default().trim();
    let expected: &[&str] = match kind {
        BodyKind::Csv => &["text/csv"],
        BodyKind::JsonCsvOrXml => &["application/json", "text/csv", "application/xml"],
        _ => &["application/json"],
    };
    if expected.iter().any(|expected| essence.eq_ignore_ascii_case(expected)) {
        Ok(())
    } else {
        Err(ApiError::unsupported_media_type(format!("send Content-Type: {}", expected.join(" or "))))
    }
}

/// Compression of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// Number of bytes that are unpacked at a time.
const STEP_BYTES: usize = 8 * 1024;
/// The largest accepted zstd window, as a power of two: 8 MiB, which every decoder has to support.
const ZSTD_WINDOW_LOG_MAX: u32 = 23;

fn packing(headers: &HeaderMap) -> Result<Packing, ApiError> {
    let Some(coding) = headers.get(header::CONTENT_ENCODING) else { return Ok(Packing::Plain) };
    // RFC 9110, section 8.4.1: names of codings have no case, and `x-gzip` is `gzip`.
    match coding.as_bytes().to_ascii_lowercase().as_slice() {
        b"identity" => Ok(Packing::Plain),
        b"gzip" | b"x-gzip" => Ok(Packing::Gzip),
        b"zstd" => Ok(Packing::Zstd),
        _ => Err(ApiError::unsupported_media_type("send Content-Encoding: zstd or gzip, or none")),
    }
}

/// Stops one byte beyond the limit, however well the body was packed, and counts its size as it grows.
fn unpack(
    mut unpacked: impl Read,
    packed: usize,
    bytes_max: usize,
    held: &mut Held,
) -> Result<Bytes, ApiError> {
    let mut body = Vec::new();
    loop {
        held.grow_to(packed.saturating_add(body.len()).saturating_add(STEP_BYTES))?;
        let step = unpacked.by_ref().take(STEP_BYTES as u64).read_to_end(&mut body);
        let step = step.map_err(ApiError::invalid_json)?;
        if body.len() > bytes_max {
            return Err(ApiError::body_too_large(bytes_max));
        }
        if step == 0 {
            return Ok(body.into());
        }
    }
}
