//! A thousand slow clients of five kinds. A client whose connection is closed comes back.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// A drop falls this often.
const DRIP: Duration = Duration::from_secs(1);
/// A client that was refused a connection waits this long.
const REST: Duration = Duration::from_millis(250);
/// They come from this many addresses, none of them a till's: a cap per address alone must not be sufficient.
const ADDRESSES: u8 = 8;
/// The slow reader's buffer, in bytes, so that answers back up into the server.
const READER_BUFFER_BYTES: u32 = 4096;
/// Answers that it asks for and does not read.
const UNREAD: usize = 40;

/// Behaviour of a slow client.
#[derive(Clone, Copy)]
enum Kind {
    Idle,
    HalfHeader,
    DrippingHeader,
    DrippingBody,
    SlowReader,
}

const KINDS: [Kind; 5] =
    [Kind::Idle, Kind::HalfHeader, Kind::DrippingHeader, Kind::DrippingBody, Kind::SlowReader];

/// The crowd; it disconnects when dropped.
pub struct Crowd {
    _clients: JoinSet<()>,
    held: Arc<AtomicUsize>,
}

impl Crowd {
    /// Starts this many clients, of all kinds in turn.
    pub fn gather(address: SocketAddr, count: usize) -> Self {
        let held = Arc::new(AtomicUsize::new(0));
        let mut clients = JoinSet::new();
        let sources = (2..=ADDRESSES + 1).cycle();
        for ((kind, last), _) in KINDS.into_iter().cycle().zip(sources).zip(0..count) {
            clients.spawn(pester(address, Ipv4Addr::new(127, 0, 0, last), kind, Arc::clone(&held)));
        }
        Self { _clients: clients, held }
    }

    /// Connections that are open now.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

async fn pester(address: SocketAddr, source: Ipv4Addr, kind: Kind, held: Arc<AtomicUsize>) {
    loop {
        if let Ok(stream) = connect(address, source, kind).await {
            held.fetch_add(1, Ordering::Relaxed);
            // However it ends: the next one follows.
            let _ = dawdle(stream, kind).await;
            held.fetch_sub(1, Ordering::Relaxed);
        }
        tokio::time::sleep(REST).await;
    }
}

async fn connect(address: SocketAddr, source: Ipv4Addr, kind: Kind) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if matches!(kind, Kind::SlowReader) {
        socket.set_recv_buffer_size(READER_BUFFER_BYTES)?;
    }
    socket.bind((source, 0).into())?;
    socket.connect(address).await
}

/// Continues until the server ends the connection.
async fn dawdle(mut stream: TcpStream, kind: Kind) -> std::io::Result<()> {
    let (begin, drop): (&[u8], &[u8]) = match kind {
        Kind::Idle => (b"", b""),
        Kind::HalfHeader => (b"GET /health HTTP/1.1\r\nHost: st", b""),
        Kind::DrippingHeader => (b"GET /health HTTP/1.1\r\nHost: store\r\n", b"X-Drip: 1\r\n"),
        Kind::DrippingBody => (
            b"POST /api/auth/login HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n\
              Content-Length: 100000\r\n\r\n{",
            b" ",
        ),
        Kind::SlowReader => (b"", b"\r\n"),
    };
    stream.write_all(begin).await?;
    if matches!(kind, Kind::SlowReader) {
        let ask = b"GET /api/openapi.json HTTP/1.1\r\nHost: store\r\n\r\n".repeat(UNREAD);
        stream.write_all(&ask).await?;
    }
    let mut said = [0; 1024];
    loop {
        tokio::select! {
            read = stream.read(&mut said), if !matches!(kind, Kind::SlowReader) => {
                if read? == 0 {
                    return Ok(());
                }
            }
            () = tokio::time::sleep(DRIP) => stream.write_all(drop).await?,
        }
    }
}
