//! Commits: what becomes durable at once, and its form on the way to the writer.

use crate::body::{Content, KeyedAnswer};
use crate::error::NotSubmitted;
use crate::frame::BODY_BYTES_MAX;
use crate::rows::{RowOp, apply};
use crate::{index, index::Kind};
use domain::answer::Answer;
use domain::event::Event;
use domain::screen::{Notice, notices};
use domain::sync::local::{Change, Refill};
use domain::time::UtcMs;

/// Everything that one command changes. It is submitted once.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Facts, with the rows as they are afterwards.
    pub events: Vec<Event>,
    /// Exact texts of the records for head office, in order.
    pub records: Vec<String>,
    /// The answer that a retry with the same key gets.
    pub keyed: Option<Keyed>,
    /// Wall clock.
    pub at: UtcMs,
    /// Hybrid clock, where the commit drew one.
    pub hlc: Option<String>,
}

/// An answer to keep under an idempotency key. Key and body are [`crate::Storage::fingerprint`]s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// Route, caller and key.
    pub key: [u8; 32],
    /// The request's body.
    pub body: [u8; 32],
    /// What was answered.
    pub answer: Answer,
}

/// A commit in its stored form: all that is left is to submit it.
#[derive(Debug)]
pub struct Ready(pub(crate) Prepared);

impl Commit {
    /// Encodes the commit, which is most of the work of submitting it.
    ///
    /// # Errors
    /// [`NotSubmitted::Unstorable`]: too long, or not encodable.
    pub fn ready(self) -> Result<Ready, NotSubmitted> {
        Prepared::new(self).map(Ready).map_err(NotSubmitted::Unstorable)
    }
}

/// Proof that a commit is on the disk and visible to every read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durable {
    /// The commit's number.
    pub lsn: u64,
    /// The last record number of the epoch afterwards.
    pub seq: u64,
}

/// What screens are told of a commit that became durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// The commit.
    pub lsn: u64,
    /// What it told.
    pub notices: Vec<Notice>,
}

/// A kept answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Fingerprint of the request's body.
    pub body: [u8; 32],
    /// What was answered.
    pub answer: Answer,
}

/// A commit, encoded by its submitter so that the writer only stamps and writes.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub content: Vec<u8>,
    pub texts: Vec<String>,
    pub keys: Vec<u64>,
    pub ops: Vec<RowOp>,
    pub opens_epoch: Option<String>,
    /// The records are of an earlier epoch.
    pub refill: Option<Refill>,
    /// The hybrid clock goes on from here, although it was ahead.
    pub resets_clock: Option<String>,
    pub at: i64,
    pub hlc: Option<String>,
    /// What screens are told once it is durable.
    pub notices: Vec<Notice>,
    /// The idempotency key's hash, for the segment's filter.
    pub answer_hash: Option<u64>,
}

impl Prepared {
    /// Encodes a commit. Fails only for one that could never be stored: too long, or not encodable.
    pub fn new(commit: Commit) -> Result<Self, String> {
        let mut ops = Vec::new();
        let mut keys = Vec::new();
        for event in &commit.events {
            apply::ops(event, &mut ops)?;
            index::event_keys(event, &mut keys);
        }
        let answer_hash = commit.keyed.as_ref().map(|keyed| index::hash(Kind::Answer, &[&keyed.key]));
        keys.extend(answer_hash);
        let json = |event: &Event| serde_json::to_vec(event).map_err(|error| error.to_string());
        let content = Content {
            at: commit.at.0,
            hlc: commit.hlc.clone(),
            events: commit.events.iter().map(json).collect::<Result<_, _>>()?,
            keyed: commit.keyed.map(|keyed| KeyedAnswer {
                key: keyed.key,
                body: keyed.body,
                status: keyed.answer.status,
                location: keyed.answer.location,
                answer: keyed.answer.body,
            }),
            keys: keys.clone(),
            texts: commit.records,
        };
        let encoded = content.encode()?;
        if encoded.len() + content.texts.len() * 64 + 128 > BODY_BYTES_MAX {
            return Err(format!("a commit of {} bytes; the most is {BODY_BYTES_MAX}", encoded.len()));
        }
        // Made of the texts, not stored beside them.
        keys.extend(index::record_event_keys(&content.texts));
        Ok(Self {
            content: encoded,
            texts: content.texts,
            keys,
            ops,
            opens_epoch: opened_epoch(&commit.events),
            refill: refill(&commit.events),
            resets_clock: reset_clock(&commit.events),
            notices: commit.events.iter().flat_map(notices).collect(),
            at: commit.at.0,
            hlc: commit.hlc,
            answer_hash,
        })
    }
}

/// The epoch that one of the events opens.
pub(crate) fn opened_epoch(events: &[Event]) -> Option<String> {
    events.iter().find_map(|event| match event {
        Event::EpochOpened { epoch } => Some(epoch.clone()),
        _ => None,
    })
}

/// Where the records of a commit belong, if not at the end of the current epoch.
pub(crate) fn refill(events: &[Event]) -> Option<Refill> {
    events.iter().find_map(|event| match event {
        Event::Sync { change } => match change.as_ref() {
            Change::Refill { refill } => Some(refill.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// The stamp that a correction of the hybrid clock goes on from.
pub(crate) fn reset_clock(events: &[Event]) -> Option<String> {
    events.iter().find_map(|event| match event {
        Event::Sync { change } => match change.as_ref() {
            Change::ClockReset { hlc } => Some(hlc.clone()),
            _ => None,
        },
        _ => None,
    })
}
