//! The body of a frame: a version byte, the submitter's part, the writer's stamps.
//!
//! ```text
//! 0 version      1
//! 1 plain bytes  4   of the content before it was packed
//! 5 packed bytes 4
//! 9 content          packed
//!   stamps
//! ```

use crate::bytes::u32_at;
use crate::folder::format;
use crate::journal::frame::BODY_BYTES_MAX;
use crate::journal::index::{self, Kind};
use crate::journal::pack;
use crate::journal::repeats::Repeating;
use bincode::{Decode, Encode};
use domain::model::base::answer::Answer;
use domain::model::base::event::Event;

mod encoding;

pub use encoding::{Encoding, KeyedPart};

/// Bytes before the packed content.
const HEAD_BYTES: usize = 9;
const CODEC: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<BODY_BYTES_MAX>,
> = bincode::config::standard().with_limit::<BODY_BYTES_MAX>();

/// The part of a commit that is known when it is submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Wall clock of the commit, milliseconds since 1970.
    pub at: i64,
    /// Hybrid clock, where the commit drew one.
    pub hlc: Option<String>,
    /// The events as JSON.
    pub events: Vec<Vec<u8>>,
    /// The answer that a retry gets.
    pub keyed: Option<KeyedAnswer>,
    /// Hashes of the index keys of events and answer, so that an index is remade without reading JSON.
    pub keys: Vec<u64>,
    /// Exact texts of the numbered records.
    pub texts: Vec<String>,
}

/// An answer under its idempotency key; key and command are HMACs under the installation key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedAnswer {
    /// The idempotency key.
    pub key: [u8; 32],
    /// Command that the answer was given to: a [`domain::model::base::command_print::CommandPrint`].
    pub command: String,
    /// HTTP status of the answer.
    pub status: u16,
    /// Path of the created resource.
    pub location: Option<String>,
    /// The whole JSON body.
    pub answer: Vec<u8>,
}

impl KeyedAnswer {
    /// The answer as it was given.
    pub fn answer(self) -> Answer {
        Answer { status: self.status, location: self.location, body: self.answer }
    }
}

/// The part that the writer adds: the numbers of the records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode)]
pub struct Stamps {
    /// Epoch of the records; empty without records.
    pub epoch: String,
    /// Seq of the first record.
    pub first_seq: u64,
    /// The record chain at each record.
    pub hashes: Vec<[u8; 32]>,
}

/// A decoded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The part that the submitter encoded.
    pub content: Content,
    /// The part that the writer added.
    pub stamps: Stamps,
}

/// [`Content`] as it is stored: the first event repeats the first record, the answer repeats the first event.
#[derive(Decode)]
struct Stored {
    at: i64,
    hlc: Option<String>,
    events: Vec<Repeating>,
    keyed: Option<StoredKeyed>,
    keys: Vec<u64>,
    texts: Vec<String>,
}

/// [`KeyedAnswer`] as it is stored.
#[derive(Decode)]
struct StoredKeyed {
    key: [u8; 32],
    command: String,
    status: u16,
    location: Option<String>,
    answer: Repeating,
}

impl Stored {
    /// All texts as they were.
    fn content(self) -> Result<Content, String> {
        let Self { at, hlc, events, keyed, keys, texts } = self;
        let record = texts.first().map(String::as_bytes).unwrap_or_default();
        let mut base = Some(record);
        let whole = |event: Repeating| event.restored(base.take().unwrap_or_default(), BODY_BYTES_MAX);
        let events = events.into_iter().map(whole).collect::<Result<Vec<_>, _>>()?;
        let first = events.first().map(Vec::as_slice).unwrap_or_default();
        let answered = |StoredKeyed { key, command, status, location, answer }| {
            let answer = Repeating::restored(answer, first, BODY_BYTES_MAX)?;
            Ok::<_, String>(KeyedAnswer { key, command, status, location, answer })
        };
        let keyed = keyed.map(answered).transpose()?;
        Ok(Content { at, hlc, events, keyed, keys, texts })
    }
}

impl Stamps {
    /// Appends the stamps to an encoded content.
    pub fn encode_onto(&self, bytes: &mut Vec<u8>) -> Result<(), String> {
        bincode::encode_into_std_write(self, bytes, CODEC).map(|_| ()).map_err(|error| error.to_string())
    }
}

impl Body {
    /// Reads a body whose checksum was right.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let version = *bytes.first().ok_or("an empty body")?;
        if version != format::BODY {
            return Err(format!("body version {version}, this program reads {}", format::BODY));
        }
        let (Some(plain), Some(packed)) = (u32_at(bytes, 1), u32_at(bytes, 5)) else {
            return Err("a body without its lengths".to_owned());
        };
        let (content, stamps) = bytes
            .get(HEAD_BYTES..)
            .and_then(|rest| rest.split_at_checked(packed as usize))
            .ok_or("a cut body")?;
        let content = pack::unpacked(content, plain as usize)?;
        let (content, _): (Stored, usize) =
            bincode::decode_from_slice(&content, CODEC).map_err(|error| error.to_string())?;
        let content = content.content()?;
        let (stamps, _): (Stamps, usize) =
            bincode::decode_from_slice(stamps, CODEC).map_err(|error| error.to_string())?;
        Ok(Self { content, stamps })
    }

    /// Parses the events.
    pub fn events(&self) -> Result<Vec<Event>, String> {
        let parse = |bytes: &Vec<u8>| serde_json::from_slice(bytes).map_err(|error| error.to_string());
        self.content.events.iter().map(parse).collect()
    }
}

/// The index keys that the events of a frame should have.
pub fn keys_of(body: &Body, events: &[Event]) -> Vec<u64> {
    let mut keys = Vec::new();
    for event in events {
        index::event_keys(event, &mut keys);
    }
    let answer = body.content.keyed.as_ref();
    keys.extend(answer.map(|keyed| index::hash(Kind::Answer, &[&keyed.key])));
    keys
}
