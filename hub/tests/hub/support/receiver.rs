//! A receiver of webhooks over HTTP, with behaviour that a test sets.

use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Timeout of a test's waits.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The receiver's treatment of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Stores the message and answers 200.
    Keep,
    /// Does not store it, and answers with this status.
    Refuse(u16),
    /// Does not store it, and never answers.
    Hang,
    /// Does not store it, and closes the connection.
    Close,
    /// Does not store it, begins to answer 200 and closes the connection.
    BreakOff,
    /// Stores it and closes the connection without an answer.
    KeepAndClose,
    /// Does not store it, but answers 200.
    Lie,
}

/// A message as it arrived.
#[derive(Debug, Clone)]
pub struct Message {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
    pub manner: Manner,
}

impl Message {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub fn is_kept(&self) -> bool {
        matches!(self.manner, Manner::Keep | Manner::KeepAndClose)
    }

    pub fn event_no(&self) -> i64 {
        self.json()["data"]["event_no"].as_i64().unwrap()
    }

    /// Returns type and ID of the event's document.
    pub fn document(&self) -> String {
        let data = &self.json()["data"];
        format!("{} {}", data["object_type"], data["object_id"])
    }
}

type Behaviour = Box<dyn FnMut(&Message, usize) -> Manner + Send>;

struct Shared {
    behaviour: Mutex<Behaviour>,
    messages: Mutex<Vec<Message>>,
}

/// A receiver, which ends with the runtime of its test.
#[derive(Clone)]
pub struct Receiver {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Starts a receiver that stores everything.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let behaviour: Behaviour = Box::new(|_, _| Manner::Keep);
        let shared = Arc::new(Shared { behaviour: Mutex::new(behaviour), messages: Mutex::new(Vec::new()) });
        let receiver = Self { address, shared };
        let accepting = receiver.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let receiver = accepting.clone();
                tokio::spawn(async move { receiver.serve(stream).await });
            }
        });
        receiver
    }

    pub fn url(&self) -> String {
        format!("http://{}/hooks?key=of-the-address", self.address)
    }

    /// Sets the treatment of messages from now on. The number is that of the messages before.
    pub fn behaves(&self, behaviour: impl FnMut(&Message, usize) -> Manner + Send + 'static) {
        *self.shared.behaviour.lock().unwrap() = Box::new(behaviour);
    }

    /// Returns all messages, whatever their treatment.
    pub fn messages(&self) -> Vec<Message> {
        self.shared.messages.lock().unwrap().clone()
    }

    /// Returns the numbers of the stored events in order of arrival.
    pub fn kept(&self) -> Vec<i64> {
        self.messages().iter().filter(|message| message.is_kept()).map(Message::event_no).collect()
    }

    /// Waits until the messages are as wanted.
    pub async fn until(&self, what: &str, wanted: impl Fn(&[Message]) -> bool) {
        let since = Instant::now();
        while !wanted(&self.messages()) {
            assert!(since.elapsed() < PATIENCE, "{what}: {:?}", self.messages());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn serve(&self, mut stream: TcpStream) -> Option<()> {
        let mut read = Vec::new();
        loop {
            let message = next_request(&mut stream, &mut read).await?;
            let manner = self.receive(message);
            let answer = match manner {
                Manner::Keep | Manner::Lie => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned(),
                Manner::Refuse(status) => format!(
                    "HTTP/1.1 {status} No\r\nLocation: http://{}/elsewhere\r\nContent-Length: 0\r\n\r\n",
                    self.address
                ),
                Manner::BreakOff => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no".to_owned(),
                Manner::Close | Manner::KeepAndClose => return None,
                Manner::Hang => {
                    // Waits until the sender closes the connection.
                    let _ = stream.read(&mut [0; 1]).await;
                    return None;
                }
            };
            stream.write_all(answer.as_bytes()).await.ok()?;
            if manner == Manner::BreakOff {
                return None;
            }
        }
    }

    /// Stores a message and returns its treatment.
    fn receive(&self, mut message: Message) -> Manner {
        let mut messages = self.shared.messages.lock().unwrap();
        message.manner = (self.shared.behaviour.lock().unwrap())(&message, messages.len());
        messages.push(message.clone());
        message.manner
    }
}

/// Reads the next request of a connection. Returns `None` at its end.
async fn next_request(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<Message> {
    loop {
        if let Some(message) = take_request(read) {
            return Some(message);
        }
        let mut chunk = [0; 4096];
        let length = stream.read(&mut chunk).await.ok().filter(|length| *length > 0)?;
        read.extend_from_slice(&chunk[..length]);
    }
}

/// Takes a complete request out of the bytes read so far, if there is one.
fn take_request(read: &mut Vec<u8>) -> Option<Message> {
    let text = String::from_utf8_lossy(read).into_owned();
    let (head, rest) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers["content-length"].parse().unwrap();
    let body = rest.get(..length)?.to_owned();
    read.drain(..head.len() + 4 + length);
    Some(Message { path, headers, body, manner: Manner::Keep })
}
