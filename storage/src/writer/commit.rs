//! Commits: what becomes durable at once, and its form on the way to the writer.

use crate::error::NotSubmitted;
use crate::journal::body::{Content, KeyedAnswer};
use crate::journal::chain_events::{opened_epoch, recovery, reset_clock};
use crate::journal::index::{self, Kind};
use crate::rows::{RowOp, apply};
use domain::model::base::answer::Answer;
use domain::model::base::event::Event;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::RecoveryPosition;
use domain::wire::screen::{Notice, notices};

/// Room for the text of an event; that of a sale takes about as much.
const EVENT_BYTES: usize = 6 * 1024;

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
pub struct Ready {
    pub(crate) prepared: Prepared,
    /// Its events, for whoever folds them once it is submitted.
    pub events: Vec<Event>,
}

impl Commit {
    /// Encodes the commit, which is most of the work of submitting it.
    ///
    /// # Errors
    /// [`NotSubmitted::Unstorable`]: too long, or not encodable.
    pub fn ready(self) -> Result<Ready, NotSubmitted> {
        let (prepared, events) = Prepared::new(self).map_err(NotSubmitted::Unstorable)?;
        Ok(Ready { prepared, events })
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
    pub refill: Option<RecoveryPosition>,
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
    /// Encodes a commit and gives its events back. Fails only for one that could never be stored: too long, or not
    /// encodable.
    pub fn new(commit: Commit) -> Result<(Self, Vec<Event>), String> {
        let mut ops = Vec::new();
        let mut keys = Vec::new();
        for event in &commit.events {
            apply::ops(event, &mut ops)?;
            index::event_keys(event, &mut keys);
        }
        let answer_hash = commit.keyed.as_ref().map(|keyed| index::hash(Kind::Answer, &[&keyed.key]));
        keys.extend(answer_hash);
        let mut text = Vec::with_capacity(EVENT_BYTES);
        let json = |event: &Event| {
            text.clear();
            serde_json::to_writer(&mut text, event).map_err(|error| error.to_string())?;
            Ok::<_, String>(text.as_slice().to_vec())
        };
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
        // Made of the texts, not stored beside them.
        keys.extend(index::record_event_keys(&content.texts));
        let prepared = Self {
            content: encoded,
            texts: content.texts,
            keys,
            ops,
            opens_epoch: opened_epoch(&commit.events),
            refill: recovery(&commit.events),
            resets_clock: reset_clock(&commit.events),
            notices: commit.events.iter().flat_map(notices).collect(),
            at: commit.at.0,
            hlc: commit.hlc,
            answer_hash,
        };
        Ok((prepared, commit.events))
    }
}
