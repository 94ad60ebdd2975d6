//! A store's state of synchronisation, beside the acknowledgement marks.

use crate::model::base::ids::{ReceivingId, UserId};
use crate::model::base::time::UtcMs;
use crate::model::hub::sync::retention::Retention;
use crate::model::hub::sync::{ConflictDown, DigestHead, Figure};
use crate::model::inventory::product_settings::ProductSettings;
use crate::model::selling::price::Price;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The store's standing at the hub, as one row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LinkRow {
    /// Since when this copy is fenced: it sells nothing and keeps its queue.
    pub fenced_at: Option<UtcMs>,
    /// When another box was enrolled for this store, by the hub's time, if this copy is fenced for that: only an
    /// enrolment of its own ends it.
    pub replaced_at: Option<UtcMs>,
    /// Whether the own history has diverged from the hub's: the next hello reports it, and nothing is pushed before.
    pub apart: bool,
    /// Number of the hub's current epoch, as the hub last reported it.
    pub hub_n: u64,
    /// The hub's generation at the last hello.
    pub generation: String,
    /// Since when the store's own records are coming back: until they are here it sells nothing.
    pub refilling_at: Option<UtcMs>,
    /// Since when this copy may lack records of its own that the hub has: from a restore, or a rejoin, until a
    /// hello was completed. Nothing that a date decides is done meanwhile.
    pub recovering_at: Option<UtcMs>,
    /// Users who were created on this box before the store's history was there. If that history has another user of
    /// the same login name, they give the name up.
    pub newcomers: Vec<UserId>,
    /// Problem of the link. `None` if there is none.
    pub trouble: Option<Trouble>,
    /// Since when the clock has been off.
    pub skewed_at: Option<UtcMs>,
    /// Time zone and currency of the shop's sales, fixed by its first shift. `None` before the first shift.
    pub terms: Option<SoldIn>,
    /// The version of the program that took the feed's records in: another one may understand more of them.
    pub taken_by: String,
}

/// Time zone and currency of the sales. Neither changes once something was sold: business days would move, and
/// amounts would be of another money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoldIn {
    /// IANA name of the time zone.
    pub timezone: String,
    /// ISO 4217 code of the currency.
    pub currency: String,
}

/// Problem of the link and the time it began. It survives a restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// `unreachable` or `rejected`.
    pub code: String,
    /// Error of the first failed call.
    pub message: String,
    /// When the first call failed.
    pub since: UtcMs,
}

/// Position of records of another epoch than the current one, brought back by `own`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveryPosition {
    /// Epoch of the records.
    pub epoch: String,
    /// Seq of the commit's first record.
    pub first_seq: u64,
    /// The hash before it.
    pub prev_hash: String,
}

/// A record of the feed, kept as it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inbound {
    /// `price`, `promotion`, …
    pub kind: String,
    /// ID of the record.
    pub id: String,
    /// Version of the record.
    pub version: String,
    /// When the record takes effect. Null if it takes effect at once.
    pub effective_at: Option<UtcMs>,
    pub payload: Value,
}

/// Record that the hub keeps because it could not apply it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParkedNote {
    /// Epoch of the record.
    pub epoch: String,
    /// Sequence number of the record in its epoch.
    pub seq: u64,
    /// Event ID of the record.
    pub event_id: String,
    /// Stable code of the reason.
    pub code: String,
    /// Reason for parking, for people.
    pub message: String,
    /// When the hub parked it, in hub time.
    pub parked_at: UtcMs,
    /// Type of the record.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Business date of the record. Null if it has none.
    pub business_date: Option<Date>,
    /// Amount of the record, in the unit of its type. Null if it is not known.
    pub amount: Option<i64>,
    /// The receipt of goods that it posted. `None` for records of other types.
    pub receiving_id: Option<ReceivingId>,
    /// Epoch that this store wrote when the hub last named the record. A restored store writes another one: until the
    /// hub has named the record again, nobody knows whether it is still parked.
    pub named_in: String,
}

/// A value that lost, as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConflictNote {
    /// The conflict as the hub sent it.
    #[serde(flatten)]
    pub conflict: ConflictDown,
    /// When the value was restored at this store. `None` if it was not.
    pub restored_at: Option<UtcMs>,
}

/// An own write to a shared record that head office has decided on, until the feed is where it put it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnWrite {
    /// Type of the record: `member`, …
    pub kind: String,
    /// ID of the shared record.
    pub id: String,
    /// The event that wrote.
    pub event_id: String,
    /// The record's version that contains its result.
    pub version: String,
}

/// Record of the feed that this version can't use. It is kept unchanged, and the feed continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Untaken")]
pub struct Unsupported {
    /// Kind of the record.
    pub kind: String,
    /// ID of the record.
    pub id: String,
    /// Version of the record.
    pub version: String,
    /// Reason why it can't be used, for people.
    pub problem: String,
    /// When the record was received.
    pub at: UtcMs,
}

/// Result of comparing a business day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DayProof {
    /// The day, `YYYY-MM-DD`.
    pub business_date: String,
    /// Result of the comparison: `match`, `difference` or `not_yet`.
    pub result: String,
    /// Records that the hub counts, but has not applied.
    pub parked: u64,
    /// First figure that differs. Null if none does.
    pub first_difference: Option<Value>,
    /// When the day was compared, in hub time.
    pub at: UtcMs,
    /// The hub's generation: after a change it has to be asked again.
    pub generation: String,
    /// Figures that the store counted at that time.
    pub types: BTreeMap<String, Figure>,
    /// Since when it has not been a match, in hub time. `None` if it is one.
    pub since: Option<UtcMs>,
}

impl DayProof {
    /// Whether both count the same and the hub has applied all of it: it is not asked again unless something
    /// changes.
    pub fn clean(&self) -> bool {
        self.since.is_none() && self.parked == 0
    }
}

/// Progress of making business days due for a generation of the hub: after a change it has to be asked again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Proving {
    pub generation: String,
    /// The last day that was made due for it.
    pub after: Option<Date>,
    /// All of them were.
    pub whole: bool,
}

/// Extent of the records that are in the figures of the days.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Rises when everything is counted again: figures with another number are ignored.
    pub number: u64,
    /// Seq up to which each epoch was counted, with the hash there.
    pub heads: Vec<DigestHead>,
}

/// Sums of the store's counted records of a business day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayFigures {
    pub business_date: Date,
    /// The tally that it belongs to.
    pub tally: u64,
    /// By type of record.
    pub types: BTreeMap<String, Figure>,
}

/// One change of a store's state of synchronisation. Every change is absolute: applied twice, it gives the same result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Change {
    /// The standing as it is now.
    Standing { standing: LinkRow },
    /// The commit's records are of an earlier epoch.
    Refill {
        /// Position of the records.
        refill: RecoveryPosition,
    },
    /// The hybrid clock continues from here, although it was ahead.
    ClockReset {
        /// The stamp that the next one follows.
        hlc: String,
    },
    /// A lane of the feed was applied up to here.
    Lane {
        /// Name of the lane.
        lane: String,
        /// Cursor to continue from. Empty to begin at the start.
        cursor: String,
        /// The hub's time of the page.
        hub_time: UtcMs,
    },
    /// A record of the feed.
    Pulled { record: Inbound },
    /// A record of the feed that is no more.
    Gone {
        /// Kind of the record.
        kind: String,
        /// ID of the record.
        id: String,
    },
    /// A price as it counts here.
    Price { price: Price },
    /// A price that head office took back.
    PriceGone {
        /// The price, as it was.
        price: Price,
    },
    /// The store's settings of a product, as they are now.
    ProductSettings { settings: ProductSettings },
    /// Head office decided on an own write.
    Decided {
        /// The write, with the version that has its outcome.
        write: OwnWrite,
    },
    /// The feed is there.
    Reached { write: OwnWrite },
    /// A record of the feed that can't be used.
    Untaken {
        /// The record and the reason.
        note: Unsupported,
    },
    /// A record of the feed that can be used after all, or is no more.
    Taken {
        /// Kind of the record.
        kind: String,
        /// ID of the record.
        id: String,
    },
    /// The hub keeps a record that it could not apply.
    Parked {
        /// The record and the reason.
        note: ParkedNote,
    },
    /// The hub has applied a record that it had parked.
    Unparked {
        /// Epoch of the record.
        epoch: String,
        /// Sequence number of the record in its epoch.
        seq: u64,
    },
    /// A value lost against another one.
    Conflict {
        /// ID of the conflict at the hub.
        id: String,
        /// The conflict as the hub sent it.
        conflict: Value,
    },
    /// Part of an epoch that is still offered.
    Kept { kept: Retention },
    /// Records were counted up to here.
    Tally {
        /// Extent of the count.
        tally: Tally,
    },
    /// A business day's figures, now.
    Figures {
        /// Figures of the day.
        day: DayFigures,
    },
    /// A business day was compared.
    Day {
        /// Result of the comparison.
        proof: DayProof,
    },
    /// Business days are due although their figures are as they were: the hub is another one.
    Proving {
        /// Progress of the check.
        proving: Proving,
        days: Vec<Date>,
    },
    /// A business day is not due: it was compared as it is, or counts no more.
    Proven { day: Date },
}
