//! A small blocking HTTP/1.1 client: it sends exactly the test's bytes, and distinguishes an answer from silence.

pub mod authenticator;
pub mod browser;
mod contract;
pub mod document;
pub mod events;
pub mod firefox;

use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Time without bytes after which an answer counts as lost.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// The largest answer that a test reads.
const ANSWER_BYTES_MAX: usize = 64 << 20;

#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A caller: an address, with an optional token and till.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    token: Option<String>,
    register: Option<String>,
    timeout: Duration,
    /// Kept open between requests when the caller asked for it.
    connection: Option<TcpStream>,
    keep_alive: bool,
}

impl Client {
    /// A client without a user, for `address`.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            token: None,
            register: None,
            timeout: ANSWER_TIMEOUT,
            connection: None,
            keep_alive: false,
        }
    }

    /// Adds a token.
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Adds a till.
    pub fn at_register(mut self, register: &str) -> Self {
        self.register = Some(register.to_owned());
        self
    }

    /// Keeps one connection open.
    pub fn keeping_alive(mut self) -> Self {
        self.keep_alive = true;
        self
    }

    /// Sets another timeout.
    pub fn patient_for(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Closes the connection that was kept open.
    pub fn hang_up(&mut self) {
        self.connection = None;
    }

    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    #[track_caller]
    pub fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    #[track_caller]
    pub fn post(&mut self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, &[], body.to_string().as_bytes())
    }

    #[track_caller]
    pub fn post_keyed(&mut self, path: &str, key: &str, body: &Value) -> Reply {
        self.send("POST", path, &[("Idempotency-Key", key)], body.to_string().as_bytes())
    }

    /// Sends a request and expects an answer with any status.
    #[track_caller]
    pub fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        match self.try_send(method, path, headers, body) {
            Ok(reply) => reply,
            Err(error) => panic!("{method} {path}: no answer: {error}"),
        }
    }

    /// Sends a request. An error means that the outcome is unknown.
    pub fn try_send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Reply> {
        let mut stream = match self.connection.take() {
            Some(stream) => stream,
            None => self.connect()?,
        };
        stream.write_all(&self.request(method, path, headers, body))?;
        let (reply, reusable) = read_reply(&mut stream)?;
        contract::check(method, path, &reply);
        if self.keep_alive && reusable {
            self.connection = Some(stream);
        }
        Ok(reply)
    }

    /// Opens a connection with this caller's timeouts.
    pub fn connect(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect_timeout(&self.address, self.timeout)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.timeout))?;
        stream.set_write_timeout(Some(self.timeout))?;
        Ok(stream)
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.address);
        let named = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let mut add = |name: &str, value: &str| {
            if !named(name) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        };
        add("Connection", if self.keep_alive { "keep-alive" } else { "close" });
        if let Some(token) = &self.token {
            add("Authorization", &format!("Bearer {token}"));
        }
        if let Some(register) = &self.register {
            add("X-Register-Id", register);
        }
        if !body.is_empty() {
            add("Content-Type", "application/json");
        }
        if !body.is_empty() || method != "GET" {
            add("Content-Length", &body.len().to_string());
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        bytes
    }
}

/// Reads one answer; returns whether the connection can be used again.
pub fn read_reply(stream: &mut TcpStream) -> io::Result<(Reply, bool)> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = find(&bytes, b"\r\n\r\n") {
            break at;
        }
        read_some(stream, &mut bytes)?;
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|code| code.parse().ok())
        .ok_or_else(|| io::Error::other(format!("not an answer: {head}")))?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut body = bytes.split_off(head_end + 4);
    let reply = Reply { status, headers, body: Vec::new() };
    if reply.header("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
        while find(&body, b"0\r\n\r\n").is_none() {
            read_some(stream, &mut body)?;
        }
        body = unchunk(&body)?;
    } else if let Some(length) = reply.header("content-length").and_then(|text| text.parse::<usize>().ok()) {
        while body.len() < length {
            read_some(stream, &mut body)?;
        }
    }
    let reusable = reply.header("connection") != Some("close");
    Ok((Reply { body, ..reply }, reusable))
}

fn read_some(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut chunk = [0; 64 << 10];
    let count = loop {
        match stream.read(&mut chunk) {
            // The system does not restart a read with a timeout.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    if count == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "closed before the end of the answer"));
    }
    bytes.extend_from_slice(&chunk[..count]);
    if bytes.len() > ANSWER_BYTES_MAX {
        return Err(io::Error::other("an answer without end"));
    }
    Ok(())
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

fn unchunk(mut bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let bad = || io::Error::other("bad chunk");
        let line_end = find(bytes, b"\r\n").ok_or_else(bad)?;
        let size =
            std::str::from_utf8(&bytes[..line_end]).ok().and_then(|hex| usize::from_str_radix(hex, 16).ok());
        let size = size.ok_or_else(bad)?;
        if size == 0 {
            return Ok(whole);
        }
        let start = line_end + 2;
        whole.extend_from_slice(bytes.get(start..start + size).ok_or_else(bad)?);
        bytes = bytes.get(start + size + 2..).ok_or_else(bad)?;
    }
}

impl Reply {
    /// A header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("{} with a body that is not JSON ({error}): {}", self.status, self.text()),
        }
    }

    /// Returns the `data` of a success with exactly this status, and checks its envelope.
    #[track_caller]
    pub fn data(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        let mut body = self.json();
        assert_eq!(body["success"], json!(true), "{body}");
        assert_eq!(
            body.as_object().map(|fields| fields.len()),
            Some(2),
            "an envelope has success and data: {body}"
        );
        assert!(body["data"].is_object(), "data is always an object: {body}");
        assert!(self.header("x-request-id").is_some(), "no X-Request-Id: {:?}", self.headers);
        assert!(self.header("api-version").is_some(), "no API-Version: {:?}", self.headers);
        if status == 201 {
            assert!(self.header("location").is_some(), "201 without Location: {:?}", self.headers);
        }
        body["data"].take()
    }

    /// Returns the `details` of a failure with exactly this status and code, and checks its envelope.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) -> Value {
        let text = self.text();
        assert_eq!(self.status, status, "expected {code}: {text}");
        let mut body = self.json();
        assert_eq!(body["success"], json!(false), "{text}");
        let error = body["error"].as_object().unwrap_or_else(|| panic!("no error object: {text}"));
        let mut names: Vec<&str> = error.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["code", "details", "message", "request_id"], "{text}");
        assert_eq!(error["code"], json!(code), "{text}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{text}");
        assert!(error["details"].is_object(), "{text}");
        assert_eq!(error["request_id"].as_str(), self.header("x-request-id"), "{text} {:?}", self.headers);
        assert!(self.header("api-version").is_some(), "no API-Version: {:?}", self.headers);
        assert!(
            self.header("content-type").is_some_and(|kind| kind.starts_with("application/json")),
            "{text}"
        );
        body["error"]["details"].take()
    }

    /// Like [`Reply::refused`] for `validation_failed`: some field's path must be `path`.
    #[track_caller]
    pub fn invalid_field(&self, path: &str) {
        let details = self.refused(422, "validation_failed");
        let fields = details["fields"].as_array().cloned().unwrap_or_default();
        assert!(fields.iter().any(|field| field["path"] == json!(path)), "no field {path}: {details}");
        assert!(fields.iter().all(|field| field["problem"].is_string()), "{details}");
    }
}
