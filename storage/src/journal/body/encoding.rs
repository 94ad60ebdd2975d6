//! Encodes a content for a frame: events become text, repeated parts are left out, the rest is packed.

use super::{CODEC, HEAD_BYTES};
use crate::folder::format;
use crate::journal::frame::BODY_BYTES_MAX;
use crate::journal::pack;
use crate::journal::repeats::{self, Part, Text};
use bincode::Encode;
use bincode::enc::Encoder;
use bincode::error::EncodeError;
use domain::model::base::event::Event;
use domain::wire::sale_text::{SaleText, write_event};
use std::cell::RefCell;

/// Most bytes that a thread keeps for the texts of the next events.
const TEXT_KEPT_BYTES_MAX: usize = 64 * 1024;
/// Most entries that it keeps for their ends and repetitions.
const PARTS_KEPT_MAX: usize = 256;
/// An event's document is its fourth object: `{"fact":{"transaction_paid":{"transaction":{`.
const EVENT_DEPTH: usize = 3;
/// An answer's is its second: `{"success":true,"data":{`.
const ANSWER_DEPTH: usize = 1;
/// Approximate size of the stamps, besides the records' hashes.
const STAMPS_BYTES: usize = 64;

/// A content that is encoded while others hold its parts.
pub struct Encoding<'a> {
    /// As in [`super::Content`].
    pub at: i64,
    /// As in [`super::Content`].
    pub hlc: Option<&'a str>,
    /// Events to be encoded as JSON.
    pub events: &'a [Event],
    /// The transaction of the first of them, if it is already encoded.
    pub sale: Option<&'a SaleText>,
    /// As in [`super::Content`].
    pub keyed: Option<KeyedPart<'a>>,
    /// As in [`super::Content`].
    pub keys: &'a [u64],
    /// As in [`super::Content`].
    pub texts: &'a [String],
}

/// [`super::KeyedAnswer`] of an answer that is about to be given.
#[derive(Clone, Copy)]
pub struct KeyedPart<'a> {
    /// As in [`super::KeyedAnswer`].
    pub key: &'a [u8; 32],
    /// As in [`super::KeyedAnswer`].
    pub command: &'a str,
    /// As in [`super::KeyedAnswer`].
    pub status: u16,
    /// As in [`super::KeyedAnswer`].
    pub location: Option<&'a str>,
    /// As in [`super::KeyedAnswer`].
    pub answer: &'a [u8],
}

/// [`Stored`](super::Stored) while it is encoded.
#[derive(Encode)]
struct Storing<'a> {
    at: i64,
    hlc: Option<&'a str>,
    events: EventTexts<'a>,
    keyed: Option<StoringKeyed<'a>>,
    keys: &'a [u64],
    texts: &'a [String],
}

/// [`KeyedPart`] whose answer may repeat the event.
#[derive(Clone, Copy, Encode)]
struct StoringKeyed<'a> {
    key: &'a [u8; 32],
    command: &'a str,
    status: u16,
    location: Option<&'a str>,
    answer: Text<'a>,
}

/// Texts of events, one after the other, the end of each, and the repetitions of the first one: encoded as a list of
/// them.
#[derive(Clone, Copy)]
struct EventTexts<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
    parts: &'a [Part],
}

impl<'a> EventTexts<'a> {
    fn each(self) -> impl Iterator<Item = &'a [u8]> {
        let starts = std::iter::once(&0).chain(self.ends);
        starts.zip(self.ends).map(move |(start, end)| self.bytes.get(*start..*end).unwrap_or_default())
    }
}

impl Encode for EventTexts<'_> {
    fn encode<E: Encoder>(&self, encoder: &mut E) -> Result<(), EncodeError> {
        (self.ends.len() as u64).encode(encoder)?;
        let mut parts = self.parts;
        for bytes in self.each() {
            Text { bytes, parts: std::mem::take(&mut parts) }.encode(encoder)?;
        }
        Ok(())
    }
}

/// Buffers for the texts of events, and for the repetitions between them and their answer.
struct Work {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    parts: Vec<Part>,
}

thread_local! {
    static WORK: RefCell<Work> =
        const { RefCell::new(Work { bytes: Vec::new(), ends: Vec::new(), parts: Vec::new() }) };
}

impl Work {
    /// Puts events down as text.
    fn write(&mut self, events: &[Event], mut sale: Option<&SaleText>) -> Result<(), String> {
        for event in events {
            write_event(event, sale.take(), &mut self.bytes).map_err(|error| error.to_string())?;
            self.ends.push(self.bytes.len());
        }
        Ok(())
    }

    /// `shrink_to` keeps the contents.
    fn clear(&mut self) {
        let Self { bytes, ends, parts } = self;
        bytes.clear();
        ends.clear();
        parts.clear();
        bytes.shrink_to(TEXT_KEPT_BYTES_MAX);
        ends.shrink_to(PARTS_KEPT_MAX);
        parts.shrink_to(PARTS_KEPT_MAX);
    }
}

impl Encoding<'_> {
    /// The body up to the content, packed, with room for the writer's part: nothing is copied when it comes.
    pub fn encode(&self) -> Result<Vec<u8>, String> {
        WORK.with_borrow_mut(|work| {
            let packed = work.write(self.events, self.sale).and_then(|()| self.pack(work));
            work.clear();
            packed
        })
    }

    fn pack(&self, work: &mut Work) -> Result<Vec<u8>, String> {
        let Self { at, hlc, keyed, keys, texts, .. } = *self;
        let Work { bytes, ends, parts } = work;
        let (bytes, ends) = (&**bytes, &**ends);
        let first = ends.first().and_then(|end| bytes.get(..*end)).unwrap_or_default();
        if let Some(record) = texts.first() {
            repeats::find_whole(first, record.as_bytes(), EVENT_DEPTH, parts);
        }
        let of_event = parts.len();
        if let Some(keyed) = keyed {
            repeats::find(keyed.answer, first, ANSWER_DEPTH, parts);
        }
        let (of_event, of_answer) = parts.split_at_checked(of_event).unwrap_or_default();
        let keyed = keyed.map(|KeyedPart { key, command, status, location, answer }| {
            let answer = Text { bytes: answer, parts: of_answer };
            StoringKeyed { key, command, status, location, answer }
        });
        let events = EventTexts { bytes, ends, parts: of_event };
        let parts = Storing { at, hlc, events, keyed, keys, texts };
        let fill = |plain: &mut Vec<u8>| {
            bincode::encode_into_std_write(&parts, plain, CODEC).map_err(|error| error.to_string())?;
            // A reader holds the whole text in memory, with the repeated parts.
            let answer = keyed.map_or(0, |keyed| keyed.answer.bytes.len());
            match plain.len().max(bytes.len()).max(answer) + texts.len() * 64 + 128 {
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
