//! Commits: the unit of durability, and its form on the way to the writer.

use crate::error::NotSubmitted;
use crate::journal::body::{Encoding, KeyedPart};
use crate::journal::chain_events::{opened_epoch, recovery, reset_clock};
use crate::journal::index::{self, Kind};
use crate::rows::{RowOp, apply};
use domain::model::base::answer::Answer;
use domain::model::base::command_print::CommandPrint;
use domain::model::base::event::Event;
use domain::model::base::time::UtcMs;
use domain::model::hub::sync::local::RecoveryPosition;
use domain::wire::sale_text::SaleText;
use domain::wire::screen::{Notice, notices};

/// Room for the row operations and the index keys of a sale.
const OPS: usize = 16;
const KEYS: usize = 16;

/// Everything that one command changes. It is submitted once.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Facts, with the rows as they are afterwards.
    pub events: Vec<Event>,
    /// Exact texts of the records for head office, in order.
    pub records: Vec<String>,
    /// The answer that a retry with the same key gets.
    pub keyed: Option<Keyed>,
    /// Time by the wall clock.
    pub at: UtcMs,
    /// Hybrid clock, where the commit drew one.
    pub hlc: Option<String>,
}

/// An answer to keep under an idempotency key. Key and command are [`crate::Storage::fingerprint`]s.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// Route, caller and key.
    pub key: [u8; 32],
    /// Command that the answer is given to.
    pub command: CommandPrint,
    /// Answer to the command.
    pub answer: Answer,
}

impl Keyed {
    fn part(&self) -> KeyedPart<'_> {
        let Self { key, command, answer: Answer { status, location, body: answer } } = self;
        KeyedPart { key, command: command.as_str(), status: *status, location: location.as_deref(), answer }
    }
}

/// A commit in its stored form: all that is left is to submit it.
#[derive(Debug)]
pub struct Ready {
    pub(crate) prepared: Prepared,
    /// Its events, for the owner that folds them once it is submitted.
    pub events: Vec<Event>,
    /// The answer that was stored with it, for the owner that sends it.
    pub answer: Option<Answer>,
}

impl Commit {
    /// Encodes the commit, which is most of the work of submitting it.
    ///
    /// # Errors
    /// [`NotSubmitted::Unstorable`]: too long, or not encodable.
    pub fn ready(self) -> Result<Ready, NotSubmitted> {
        self.ready_with(None)
    }

    /// As `ready`, with the JSON of the first event's transaction, which was made already.
    ///
    /// # Errors
    /// The errors of [`Self::ready`].
    pub fn ready_with(self, sale: Option<&SaleText>) -> Result<Ready, NotSubmitted> {
        Ready::of(self, sale).map_err(NotSubmitted::Unstorable)
    }
}

/// Proof that a commit is on the disk and visible to every read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durable {
    /// Lsn of the commit.
    pub lsn: u64,
    /// The last record number of the epoch afterwards.
    pub seq: u64,
}

/// Notices to screens about a commit that became durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// Lsn of the commit.
    pub lsn: u64,
    /// Notices of the commit.
    pub notices: Vec<Notice>,
}

/// An answer kept for its idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// Command that the answer was given to.
    pub command: CommandPrint,
    /// Answer to the command.
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
    /// The hybrid clock continues from here, although it was ahead.
    pub resets_clock: Option<String>,
    pub at: i64,
    pub hlc: Option<String>,
    /// Notices to screens, sent once it is durable.
    pub notices: Vec<Notice>,
    /// The idempotency key's hash, for the segment's filter.
    pub answer_hash: Option<u64>,
}

impl Ready {
    /// Encodes a commit and returns its events and its answer. Fails only for a commit that can never be stored: too
    /// long, or not encodable.
    pub(crate) fn of(commit: Commit, sale: Option<&SaleText>) -> Result<Self, String> {
        let Commit { events, records, keyed, at, hlc } = commit;
        let mut ops = Vec::with_capacity(OPS);
        let mut keys = Vec::with_capacity(KEYS);
        for event in &events {
            apply::ops(event, &mut ops)?;
            index::event_keys(event, &mut keys);
        }
        let answer_hash = keyed.as_ref().map(|keyed| index::hash(Kind::Answer, &[&keyed.key]));
        keys.extend(answer_hash);
        let content = Encoding {
            at: at.0,
            hlc: hlc.as_deref(),
            events: &events,
            sale,
            keyed: keyed.as_ref().map(Keyed::part),
            keys: &keys,
            texts: &records,
        };
        let content = content.encode()?;
        // Made of the texts, not stored beside them.
        keys.extend(index::record_event_keys(&records));
        let prepared = Prepared {
            content,
            texts: records,
            keys,
            ops,
            opens_epoch: opened_epoch(&events),
            refill: recovery(&events),
            resets_clock: reset_clock(&events),
            notices: events.iter().flat_map(notices).collect(),
            at: at.0,
            hlc,
            answer_hash,
        };
        Ok(Self { prepared, events, answer: keyed.map(|keyed| keyed.answer) })
    }
}
