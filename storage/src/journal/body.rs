//! The body of a frame: a version byte, what the submitter encoded, what the writer stamped.
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
use bincode::enc::Encoder;
use bincode::error::EncodeError;
use bincode::{Decode, Encode};
use domain::model::base::answer::Answer;
use domain::model::base::event::Event;
use std::cell::RefCell;

/// Bytes before the packed content.
const HEAD_BYTES: usize = 9;
/// What a thread keeps for the texts of the next events at most.
const TEXT_KEPT_BYTES_MAX: usize = 64 * 1024;
/// About what the stamps take, besides the records' hashes.
const STAMPS_BYTES: usize = 64;

const CODEC: bincode::config::Configuration<
    bincode::config::LittleEndian,
    bincode::config::Varint,
    bincode::config::Limit<BODY_BYTES_MAX>,
> = bincode::config::standard().with_limit::<BODY_BYTES_MAX>();

/// What is known when a commit is submitted.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct Content {
    /// Wall clock of the commit, milliseconds since 1970.
    pub at: i64,
    /// Hybrid clock, where the commit drew one.
    pub hlc: Option<String>,
    /// Events as JSON.
    pub events: Vec<Vec<u8>>,
    /// The answer that a retry gets.
    pub keyed: Option<KeyedAnswer>,
    /// Hashes of the index keys of events and answer, so that an index is remade without reading JSON.
    pub keys: Vec<u64>,
    /// Exact texts of the numbered records.
    pub texts: Vec<String>,
}

/// An answer under its idempotency key; both are HMACs under the installation key.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct KeyedAnswer {
    /// The key.
    pub key: [u8; 32],
    /// The request's body.
    pub body: [u8; 32],
    /// HTTP status.
    pub status: u16,
    /// Path of what was made.
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

/// What the writer adds: the numbers of the records.
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
    /// The submitter's part.
    pub content: Content,
    /// The writer's part.
    pub stamps: Stamps,
}

/// A content that is encoded while others hold its parts: the same bytes as those of [`Content`].
pub struct Encoding<'a> {
    /// As in [`Content`].
    pub at: i64,
    /// As in [`Content`].
    pub hlc: Option<&'a str>,
    /// What becomes JSON.
    pub events: &'a [Event],
    /// As in [`Content`].
    pub keyed: Option<KeyedPart<'a>>,
    /// As in [`Content`].
    pub keys: &'a [u64],
    /// As in [`Content`].
    pub texts: &'a [String],
}

/// [`Content`] once its events are text.
#[derive(Encode)]
struct Parts<'a> {
    at: i64,
    hlc: Option<&'a str>,
    events: EventTexts<'a>,
    keyed: Option<KeyedPart<'a>>,
    keys: &'a [u64],
    texts: &'a [String],
}

/// Texts of events, one behind the other, and where each ends: encoded as a list of them.
#[derive(Clone, Copy)]
struct EventTexts<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl Encode for EventTexts<'_> {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        (self.ends.len() as u64).encode(encoder)?;
        let starts = std::iter::once(&0).chain(self.ends);
        for (start, end) in starts.zip(self.ends) {
            self.bytes.get(*start..*end).unwrap_or_default().encode(encoder)?;
        }
        Ok(())
    }
}

/// [`KeyedAnswer`] of an answer that is about to be given.
#[derive(Clone, Copy, Encode)]
pub struct KeyedPart<'a> {
    /// As in [`KeyedAnswer`].
    pub key: &'a [u8; 32],
    /// As in [`KeyedAnswer`].
    pub body: &'a [u8; 32],
    /// As in [`KeyedAnswer`].
    pub status: u16,
    /// As in [`KeyedAnswer`].
    pub location: Option<&'a str>,
    /// As in [`KeyedAnswer`].
    pub answer: &'a [u8],
}

thread_local! {
    /// Where events become text.
    static TEXTS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

impl Encoding<'_> {
    /// The body up to the content, packed, with room for the writer's part: nothing is copied when it comes.
    pub fn encode(&self) -> Result<Vec<u8>, String> {
        TEXTS.with_borrow_mut(|bytes| {
            bytes.clear();
            let mut ends = Vec::with_capacity(self.events.len());
            for event in self.events {
                serde_json::to_writer(&mut *bytes, event).map_err(|error| error.to_string())?;
                ends.push(bytes.len());
            }
            let packed = self.pack(EventTexts { bytes, ends: &ends });
            // What is still in it is kept by `shrink_to`.
            bytes.clear();
            bytes.shrink_to(TEXT_KEPT_BYTES_MAX);
            packed
        })
    }

    fn pack(&self, events: EventTexts<'_>) -> Result<Vec<u8>, String> {
        let Self { at, hlc, keyed, keys, texts, .. } = *self;
        let parts = Parts { at, hlc, events, keyed, keys, texts };
        let fill = |plain: &mut Vec<u8>| {
            bincode::encode_into_std_write(&parts, plain, CODEC).map_err(|error| error.to_string())?;
            match plain.len() + texts.len() * 64 + 128 {
                bytes if bytes <= BODY_BYTES_MAX => Ok(()),
                bytes => Err(format!("a commit of {bytes} bytes; the most is {BODY_BYTES_MAX}")),
            }
        };
        let stamps = texts.len() * 32 + STAMPS_BYTES;
        pack::packed(fill, |packed, plain_bytes| {
            let mut bytes = Vec::with_capacity(HEAD_BYTES + packed.len() + stamps);
            bytes.push(format::BODY);
            bytes.extend_from_slice(&(plain_bytes as u32).to_le_bytes());
            bytes.extend_from_slice(&(packed.len() as u32).to_le_bytes());
            bytes.extend_from_slice(packed);
            bytes
        })
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
        let (content, _): (Content, usize) =
            bincode::decode_from_slice(&content, CODEC).map_err(|error| error.to_string())?;
        let (stamps, _): (Stamps, usize) =
            bincode::decode_from_slice(stamps, CODEC).map_err(|error| error.to_string())?;
        Ok(Self { content, stamps })
    }

    /// The events, parsed.
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
