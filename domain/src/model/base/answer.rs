//! Answers: a command's result, already in the bytes that a retry will receive.

use serde::{Deserialize, Serialize};

/// Room for an answer; that to a sale takes about as much.
const ENVELOPE_BYTES: usize = 2 * 1024;

/// A stored HTTP answer in the success envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The HTTP status: 200 or 201.
    pub status: u16,
    /// Path of the new resource, if one was created.
    pub location: Option<String>,
    /// The whole JSON body.
    pub body: Vec<u8>,
}

/// Beginning of every answer; the data follows.
pub const BEGIN: &str = "{\"success\":true,\"data\":";
/// End of every answer.
pub const END: &str = "}";

#[derive(Serialize)]
struct Envelope<'a, T> {
    success: bool,
    data: &'a T,
}

impl Answer {
    /// 200 with `data`.
    pub fn ok<T: Serialize>(data: &T) -> Self {
        Self { status: 200, location: None, body: envelope(data) }
    }

    /// 201 with `data` and the path of the created resource.
    pub fn created<T: Serialize>(location: String, data: &T) -> Self {
        Self { status: 201, location: Some(location), body: envelope(data) }
    }
}

/// `{"success": true, "data": …}` as bytes. Our own data types always serialise.
pub fn envelope<T: Serialize>(data: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(ENVELOPE_BYTES);
    match serde_json::to_writer(&mut bytes, &Envelope { success: true, data }) {
        Ok(()) => bytes,
        Err(_) => Vec::new(),
    }
}
