//! A screen: it reads a stream of server-sent events as a browser does, chunk by chunk.

use crate::Client;
use crate::client::contract;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A received event.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    pub name: String,
    pub data: Value,
    pub id: Option<String>,
}

pub struct Screen {
    reader: BufReader<TcpStream>,
    text: String,
    pub status: u16,
    pub head: String,
    /// Comments received on the event stream.
    pub heartbeats: usize,
}

impl Screen {
    /// Connects as a client with a token.
    #[track_caller]
    pub fn open(client: &Client, last_event_id: Option<&str>) -> Self {
        let token = client.token().unwrap();
        let last = last_event_id.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        Self::at(client, "/api/events", &format!("Authorization: Bearer {token}\r\n{last}"))
    }

    /// Connects as a browser's `EventSource`, which sends no token.
    #[track_caller]
    pub fn with_ticket(client: &Client, ticket: &str) -> Self {
        Self::at(client, &format!("/api/events?ticket={ticket}"), "")
    }

    #[track_caller]
    fn at(client: &Client, path: &str, headers: &str) -> Self {
        let mut stream = client.connect().unwrap();
        let host = stream.peer_addr().unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "no answer");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { reader, text: String::new(), status, head: head.to_lowercase(), heartbeats: 0 }
    }

    /// Connects, and asserts that the stream was accepted.
    #[track_caller]
    pub fn ready(client: &Client, last_event_id: Option<&str>) -> (Self, Value) {
        let mut screen = Self::open(client, last_event_id);
        assert_eq!(screen.status, 200, "{}", screen.head);
        assert!(screen.head.contains("content-type: text/event-stream"), "{}", screen.head);
        let ready = screen.next_event().expect("ready");
        assert_eq!(ready.name, "ready");
        (screen, ready.data)
    }

    /// Returns the next event, or `None` if the stream ended properly.
    #[track_caller]
    pub fn next_event(&mut self) -> Option<Reported> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block = self.text[..end].to_owned();
                self.text.drain(..end + 2);
                if block.starts_with(':') {
                    self.heartbeats += 1;
                    continue;
                }
                let reported = parse(&block);
                contract::check_event(&reported.name, &reported.data);
                return Some(reported);
            }
            if !self.read_chunk() {
                assert_eq!(self.text, "", "the stream ended in the middle of an event");
                return None;
            }
        }
    }

    /// Returns the next event of that name, with the events before it.
    #[track_caller]
    pub fn until(&mut self, wanted: impl Fn(&Reported) -> bool) -> (Reported, Vec<Reported>) {
        let mut before = Vec::new();
        loop {
            let reported = self.next_event().unwrap_or_else(|| panic!("ended after {before:?}"));
            if wanted(&reported) {
                return (reported, before);
            }
            before.push(reported);
        }
    }

    #[track_caller]
    fn read_chunk(&mut self) -> bool {
        let mut line = String::new();
        assert!(self.reader.read_line(&mut line).unwrap() > 0, "cut");
        let size = usize::from_str_radix(line.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        self.reader.read_exact(&mut chunk).unwrap();
        chunk.truncate(size);
        self.text.push_str(&String::from_utf8(chunk).unwrap());
        size > 0
    }
}

#[track_caller]
fn parse(block: &str) -> Reported {
    let field = |name: &str| {
        let mut lines = block.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        lines.next().map(str::to_owned)
    };
    let data = field("data").unwrap_or_else(|| panic!("no data: {block}"));
    Reported { name: field("event").unwrap(), data: serde_json::from_str(&data).unwrap(), id: field("id") }
}
