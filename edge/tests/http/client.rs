//! A client for invalid requests: it writes bytes and reads answers.

use serde_json::Value;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

/// Longest wait for an action of the server.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Client {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }

    pub fn data(&self) -> Value {
        assert_eq!(self.json()["success"], true, "{self:?}");
        self.json()["data"].clone()
    }

    /// Checks the envelope of a failure, key by key, and returns its `details`.
    pub fn refused(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.header("content-type"), Some("application/json"));
        let body = self.json();
        let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(&body), ["error", "success"]);
        assert_eq!(body["success"], false);
        let error = &body["error"];
        assert_eq!(keys(error), ["code", "details", "message", "request_id"]);
        assert_eq!(error["code"], code);
        assert!(!error["message"].as_str().expect("a message").is_empty());
        assert_eq!(error["request_id"].as_str(), self.header("x-request-id"));
        assert!(error["details"].is_object());
        error["details"].clone()
    }
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(address).await.expect("a connection"), buffer: Vec::new() }
    }

    /// Connects from another address of this machine.
    pub async fn connect_from(source: [u8; 4], address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((source, 0).into()).expect("bound");
        Self { stream: socket.connect(address).await.expect("a connection"), buffer: Vec::new() }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("sent");
    }

    /// Sends a whole request: `head` is `GET /path`, `lines` are header lines.
    pub async fn ask(&mut self, head: &str, lines: &[&str], body: &str) -> Answer {
        let mut text = format!("{head} HTTP/1.1\r\nhost: edge\r\n");
        for line in lines {
            text.push_str(line);
            text.push_str("\r\n");
        }
        if !body.is_empty() {
            text.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        self.send(format!("{text}\r\n{body}")).await;
        self.read(head.starts_with("HEAD")).await.expect("an answer")
    }

    /// Reads the next answer. Returns `None` if the server closed first.
    pub async fn answer(&mut self) -> Option<Answer> {
        self.read(false).await
    }

    /// Waits until the server closes. Returns what it sent before.
    pub async fn closed(&mut self) -> Vec<u8> {
        while self.more().await {}
        std::mem::take(&mut self.buffer)
    }

    async fn read(&mut self, headless: bool) -> Option<Answer> {
        let end = loop {
            match self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(end) => break end,
                None if self.more().await => {}
                None => return None,
            }
        };
        let head = String::from_utf8(self.buffer.drain(..end + 4).collect()).expect("a text head");
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().expect("a status");
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").expect("a header line"))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut answer = Answer { status, headers, body: Vec::new() };
        let length = answer.header("content-length").map_or(0, |text| text.parse().expect("a length"));
        let length = if headless { 0 } else { length };
        while self.buffer.len() < length {
            assert!(self.more().await, "the body ended early");
        }
        answer.body = self.buffer.drain(..length).collect();
        Some(answer)
    }

    async fn more(&mut self) -> bool {
        let read = timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await;
        matches!(read.expect("the server did nothing"), Ok(1..))
    }
}
