//! A socket whose writes have a deadline, and that replaces hyper's own refusals.
//!
//! Requests that can't be parsed never reach a service: hyper answers them with a status and an empty body. No answer
//! of this server is a 4xx without a body, so such an answer is dropped here and sent again in the form of every other
//! error.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

/// The beginning of an answer in which [`Socket`] looks for hyper's bare refusal, in bytes.
const HEAD_BYTES: usize = 256;

/// Reads and writes a socket; a peer that does not take its answer for `timeout` is given up.
pub struct Socket<T> {
    stream: T,
    timeout: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    swallowed: bool,
}

impl<T: Unpin> Socket<T> {
    pub fn new(stream: T, timeout: Duration) -> Self {
        Self { stream, timeout, stalled: None, swallowed: false }
    }

    /// Whether a bare refusal was held back: the peer has received no answer yet.
    pub fn has_swallowed(&self) -> bool {
        self.swallowed
    }

    fn swallow(&mut self, bytes: &[u8]) -> bool {
        let bare = is_bare_refusal(bytes);
        self.swallowed |= bare;
        bare
    }

    fn watched(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let deadline = || Box::pin(tokio::time::sleep_until(Instant::now() + self.timeout));
        let stalled = self.stalled.get_or_insert_with(deadline);
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Socket<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Socket<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.swallow(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = slices
            && self.swallow(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

fn is_bare_refusal(bytes: &[u8]) -> bool {
    let empty = b"\r\ncontent-length: 0\r\n";
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    head.starts_with(b"HTTP/1.1 4") && head.windows(empty.len()).any(|part| part == empty)
}
