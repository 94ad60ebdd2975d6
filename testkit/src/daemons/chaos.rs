//! A proxy between a store and its hub that treats calls as networks do.

use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Treatment of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chaos {
    /// Passes everything on unchanged.
    Pass,
    /// The connection is dead: callers' connections are closed.
    Down,
    /// The hub executes the call, but its answer is lost.
    LoseAnswer,
    /// From call to call the connection ends one byte later, first in the request and then in the answer, until a whole
    /// answer has arrived.
    CutAtEveryByte,
    /// The hub gets it twice, one after the other; the second answer arrives.
    Twice,
    /// The hub gets it twice at the same time; one answer arrives.
    TwiceAtOnce,
    /// A copy of the former call arrives after this one.
    Reorder,
    /// Both directions take this long.
    Delay(Duration),
    /// A captive portal answers: 200 and a page.
    Portal,
    /// A captive portal that answers 200 and JSON which is not the hub's.
    JsonPortal,
    /// The hub is a newer one: its answers have unknown fields, its feed unknown kinds.
    Newer,
}

/// The proxy. It ends with the test's process.
pub struct Proxy {
    pub address: SocketAddr,
    state: Arc<State>,
}

struct State {
    hub: SocketAddr,
    /// The current treatment, and the beginning of the first line of the affected calls.
    now: Mutex<(Chaos, &'static [u8])>,
    tampered: AtomicU64,
    taken: AtomicU64,
    /// The place at which the next connections are cut.
    cut: Mutex<Cut>,
    /// Every received push, unchanged.
    pushes: Mutex<Vec<Vec<u8>>>,
    /// A token is valid once, so copies of a call are signed again.
    sign: Mutex<Option<Signer>>,
}

type Signer = Box<dyn Fn() -> String + Send>;

#[derive(Default)]
struct Cut {
    request: usize,
    answer: usize,
    whole: bool,
}

/// Disturbs pushes alone.
pub const PUSH: &[u8] = b"POST /api/sync/push";
/// Disturbs every call.
pub const ALL: &[u8] = b"";
const PAGE: &str = "<html>Welcome to our free network. Please log in.</html>";
const NOT_OURS: &str = r#"{"success": true, "data": {"welcome": "please log in"}}"#;
/// Longest silence of one side.
const SILENCE: Duration = Duration::from_secs(60);

impl Proxy {
    /// Starts a proxy for a hub.
    pub fn before(hub: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (now, tampered, taken) = (Mutex::new((Chaos::Pass, ALL)), AtomicU64::new(0), AtomicU64::new(0));
        let (cut, pushes, sign) = (Mutex::default(), Mutex::default(), Mutex::default());
        let state = Arc::new(State { hub, now, tampered, taken, cut, pushes, sign });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // Broken connections are the purpose of this proxy.
                thread::spawn(move || drop(state.carry(stream)));
            }
        });
        Self { address, state }
    }

    /// Sets how copies of calls are signed.
    pub fn sign_with(&self, signer: impl Fn() -> String + Send + 'static) {
        *self.state.sign.lock().unwrap() = Some(Box::new(signer));
    }

    /// Sends a copy of a call to the hub, and returns the head of its answer.
    pub fn again(&self, request: &[u8]) -> String {
        let answer = self.state.ask_again(request).unwrap();
        String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
    }

    /// Sets the treatment of calls with this beginning, from now on.
    pub fn set(&self, chaos: Chaos, to: &'static [u8]) {
        *self.state.cut.lock().unwrap() = Cut::default();
        self.state.tampered.store(0, Ordering::SeqCst);
        self.state.taken.store(0, Ordering::SeqCst);
        *self.state.now.lock().unwrap() = (chaos, to);
    }

    /// Returns the number of calls that were tampered with since then.
    pub fn tampered(&self) -> u64 {
        self.state.tampered.load(Ordering::SeqCst)
    }

    /// Progress of [`Chaos::CutAtEveryByte`]: bytes there, bytes back, and whether it is complete.
    pub fn cut_at(&self) -> (usize, usize, bool) {
        let cut = self.state.cut.lock().unwrap();
        (cut.request, cut.answer, cut.whole)
    }

    /// Copies of calls that the hub has answered with 200.
    pub fn copies_taken(&self) -> u64 {
        self.state.taken.load(Ordering::SeqCst)
    }

    /// Every push so far, header and body.
    pub fn pushes(&self) -> Vec<Vec<u8>> {
        self.state.pushes.lock().unwrap().clone()
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl State {
    fn carry(&self, mut store: TcpStream) -> io::Result<()> {
        store.set_read_timeout(Some(SILENCE))?;
        let (chaos, to) = *self.now.lock().unwrap();
        if chaos == Chaos::Down {
            self.tampered.fetch_add(1, Ordering::SeqCst);
            return Ok(());
        }
        let request = read_request(&mut store)?;
        let before = self.note(&request);
        if !request.starts_with(to) {
            return store.write_all(&ask(self.hub, &request)?);
        }
        self.tampered.fetch_add(1, Ordering::SeqCst);
        match chaos {
            Chaos::LoseAnswer => ask(self.hub, &request).map(drop),
            Chaos::CutAtEveryByte => self.cut(&mut store, &request),
            Chaos::Twice => {
                self.ask_again(&request)?;
                store.write_all(&ask(self.hub, &request)?)
            }
            Chaos::TwiceAtOnce => {
                let answers = thread::scope(|both| {
                    let other = both.spawn(|| self.ask_again(&request));
                    (ask(self.hub, &request), other.join())
                });
                store.write_all(&answers.0?)
            }
            Chaos::Reorder => {
                let answer = ask(self.hub, &request)?;
                if let Some(before) = before {
                    self.ask_again(&before)?;
                }
                store.write_all(&answer)
            }
            Chaos::Delay(time) => {
                thread::sleep(time);
                let answer = ask(self.hub, &request)?;
                thread::sleep(time);
                store.write_all(&answer)
            }
            Chaos::Portal => store.write_all(page("text/html", PAGE).as_bytes()),
            Chaos::JsonPortal => store.write_all(page("application/json", NOT_OURS).as_bytes()),
            Chaos::Newer => store.write_all(&changed(&ask(self.hub, &request)?, newer)),
            Chaos::Pass | Chaos::Down => store.write_all(&ask(self.hub, &request)?),
        }
    }

    /// Keeps a push; returns the one before it.
    fn note(&self, request: &[u8]) -> Option<Vec<u8>> {
        if !request.starts_with(PUSH) {
            return None;
        }
        let mut pushes = self.pushes.lock().unwrap();
        let before = pushes.last().cloned();
        pushes.push(request.to_owned());
        before
    }

    fn ask_again(&self, request: &[u8]) -> io::Result<Vec<u8>> {
        let answer = ask(self.hub, &self.copy(request))?;
        self.taken.fetch_add(u64::from(answer.starts_with(b"HTTP/1.1 200")), Ordering::SeqCst);
        Ok(answer)
    }

    /// Returns the call with its own token.
    fn copy(&self, request: &[u8]) -> Vec<u8> {
        let sign = self.sign.lock().unwrap();
        let token = sign.as_ref().expect("copies have to be signed")();
        let end = request.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&request[..end]).into_owned();
        let line = |line: &str| match line.split_once(": Bearer ") {
            Some((name, _)) => format!("{name}: Bearer {token}"),
            None => line.to_owned(),
        };
        let head = head.split("\r\n").map(line).collect::<Vec<_>>().join("\r\n");
        [head.as_bytes(), &request[end..]].concat()
    }

    fn cut(&self, store: &mut TcpStream, request: &[u8]) -> io::Result<()> {
        let mut cut = self.cut.lock().unwrap();
        if cut.request < request.len() {
            let sent = cut.request;
            cut.request += 1;
            drop(cut);
            return TcpStream::connect(self.hub)?.write_all(&request[..sent]);
        }
        let answer = ask(self.hub, request)?;
        let sent = cut.answer.min(answer.len());
        cut.whole |= sent == answer.len();
        cut.answer = (cut.answer + 1).min(answer.len());
        store.write_all(&answer[..sent])
    }
}

fn page(kind: &str, text: &str) -> String {
    let length = text.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )
}

/// Returns the answer as another version might give it.
fn changed(answer: &[u8], change: fn(&mut Value)) -> Vec<u8> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    let Ok(mut body) = serde_json::from_slice::<Value>(&answer[end..]) else {
        return answer.to_owned();
    };
    change(&mut body);
    page("application/json", &body.to_string()).into_bytes()
}

fn newer(body: &mut Value) {
    if let Some(last) = body["data"]["changes"].as_array().and_then(|changes| changes.last()).cloned() {
        let unknown = json!({"cursor": last["cursor"], "kind": "hologram", "id": "holo_1", "version": last["version"],
            "deleted": false, "effective_at": null, "payload": {"colour": "blue"}});
        body["data"]["changes"].as_array_mut().unwrap().push(unknown);
    }
    add_fields(body);
}

fn add_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(add_fields);
            fields.insert("of_a_later_version".to_owned(), json!({"n": 1}));
        }
        Value::Array(items) => items.iter_mut().for_each(add_fields),
        _ => {}
    }
}

/// Reads one request and adds `connection: close`, so that its answer ends with the connection.
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
