//! A proxy between a store and its hub that does to calls what networks do.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What is done to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chaos {
    /// Nothing.
    Pass,
    /// The hub carries it out; its answer never arrives.
    LoseAnswer,
    /// The connection ends after this many bytes of the request.
    CutRequest(usize),
    /// The connection ends after this many bytes of the answer.
    CutAnswer(usize),
    /// The hub gets it twice; the second answer arrives.
    Twice,
    /// A captive portal answers: 200 and a page.
    Portal,
    /// A captive portal that answers 200 and JSON which is not the hub's.
    JsonPortal,
}

/// The proxy. It ends with the test's process.
pub struct Proxy {
    pub address: SocketAddr,
    chaos: Arc<Mutex<Chaos>>,
    calls: Arc<AtomicU64>,
}

const PAGE: &str = "<html>Welcome to our free network. Please log in.</html>";
const NOT_OURS: &str = r#"{"success": true, "data": {"welcome": "please log in"}}"#;
/// How long one side may say nothing.
const SILENCE: Duration = Duration::from_secs(60);

impl Proxy {
    /// In front of a hub; only pushes are tampered with, and any call by a portal.
    pub fn before(hub: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (chaos, calls) = (Arc::new(Mutex::new(Chaos::Pass)), Arc::new(AtomicU64::new(0)));
        let (mode, count) = (Arc::clone(&chaos), Arc::clone(&calls));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (mode, count) = (Arc::clone(&mode), Arc::clone(&count));
                // A broken connection is what this is for.
                thread::spawn(move || drop(carry(stream, hub, &mode, &count)));
            }
        });
        Self { address, chaos, calls }
    }

    /// What is done from now on.
    pub fn set(&self, chaos: Chaos) {
        *self.chaos.lock().unwrap() = chaos;
        self.calls.store(0, Ordering::SeqCst);
    }

    /// Calls that were tampered with since then.
    pub fn tampered(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn carry(mut store: TcpStream, hub: SocketAddr, chaos: &Mutex<Chaos>, calls: &AtomicU64) -> io::Result<()> {
    store.set_read_timeout(Some(SILENCE))?;
    let request = read_request(&mut store)?;
    let chaos = *chaos.lock().unwrap();
    let portal = matches!(chaos, Chaos::Portal | Chaos::JsonPortal);
    let tampers = chaos != Chaos::Pass && (portal || request.starts_with(b"POST /api/sync/push"));
    if tampers {
        calls.fetch_add(1, Ordering::SeqCst);
    }
    match chaos {
        Chaos::LoseAnswer if tampers => ask(hub, &request).map(drop),
        Chaos::CutRequest(at) if tampers => {
            let mut upstream = TcpStream::connect(hub)?;
            upstream.write_all(&request[..at.min(request.len())])
        }
        Chaos::CutAnswer(at) if tampers => {
            let answer = ask(hub, &request)?;
            store.write_all(&answer[..at.min(answer.len())])
        }
        Chaos::Twice if tampers => {
            ask(hub, &request)?;
            store.write_all(&ask(hub, &request)?)
        }
        Chaos::Portal => store.write_all(page("text/html", PAGE).as_bytes()),
        Chaos::JsonPortal => store.write_all(page("application/json", NOT_OURS).as_bytes()),
        _ => store.write_all(&ask(hub, &request)?),
    }
}

fn page(kind: &str, text: &str) -> String {
    let length = text.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )
}

/// One request, with `connection: close` so that its answer ends with the connection.
fn read_request(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length.map_or(0, |value| value.trim().parse().unwrap());
    while bytes.len() < end + length {
        match stream.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    }
    let line = bytes.windows(2).position(|window| window == b"\r\n").unwrap_or(0) + 2;
    bytes.splice(line..line, b"connection: close\r\n".iter().copied());
    Ok(bytes)
}

fn ask(hub: SocketAddr, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(hub)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.write_all(request)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}
