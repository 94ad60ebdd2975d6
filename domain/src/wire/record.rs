//! Numbered records: the exact JSON text that is sent to head office (docs/protocol.md#the-chain).

use crate::model::base::limits::ID_BYTES_MAX;
use crate::model::base::refusal::Refusal;
use crate::model::base::time::UtcMs;
use crate::model::books::day::{Day, ReopenedDay};
use crate::model::books::deposit::SafeOpening;
use crate::model::hub::stamp::Stamp;
use crate::model::selling::transaction::Transaction;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

mod bounds;
mod document;
mod effect;
mod room;
mod sales;
mod shifts;
mod stock_documents;
mod users_and_members;
pub use effect::{About, Effect, Known, LineEffect, Move};
pub use sales::*;
pub use shifts::*;
pub use stock_documents::*;
pub use users_and_members::*;

/// The schema version that this build writes, and the only one that it reads.
pub const SCHEMA: u32 = 1;

/// The longest record, in bytes (256 KiB).
pub const RECORD_BYTES_MAX: usize = 256 * 1024;

/// The envelope of every record, with its payload still unread.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record<P> {
    /// `evt_…`, unique for ever.
    pub event_id: String,
    /// `transaction.paid`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// Version of the payload.
    pub schema: u32,
    /// Time by the hybrid logical clock.
    pub at: String,
    /// Wall clock of the store.
    pub occurred_at: UtcMs,
    /// Description of the record in its envelope. `None` if it has none, or none that can be read.
    #[serde(default, deserialize_with = "effect::readable")]
    pub about: Option<About>,
    /// Payload of the record.
    pub payload: P,
}

impl Record<Value> {
    /// Payload of the record. `None` if this version does not know the kind or the schema. A payload that can be read
    /// takes precedence from then on over what the envelope states of it.
    ///
    /// # Errors
    /// The payload is not valid for the kind.
    pub fn read_payload(&mut self) -> Result<Option<AnyPayload>, serde_json::Error> {
        if self.schema != SCHEMA {
            return Ok(None);
        }
        let known = AnyPayload::read(&self.kind, &self.payload)?;
        self.about = known.as_ref().map(AnyPayload::about).or_else(|| self.about.take());
        Ok(known)
    }
}

/// Payload of a record: what every kind has to provide.
pub trait Payload {
    /// Description of the payload for the envelope.
    fn about(&self) -> About;

    /// Effect at head office of a record of this kind from this store.
    ///
    /// # Errors
    /// The reason why the hub parks the record.
    fn effect(&self, _kind: &str, _store_id: &str) -> Result<Effect, String> {
        Ok(Effect::default())
    }
}

macro_rules! kinds {
    ($d:tt $($name:ident($payload:ident) = $kind:literal,)*) => {
        /// The payload of a record of any kind that this version knows.
        #[derive(Debug, Serialize)]
        #[serde(untagged)]
        pub enum AnyPayload {
            $(#[doc = concat!("Of `", $kind, "`.")] $name(Box<$payload>),)*
        }

        /// Every kind of record that this version knows.
        pub const KINDS: &[&str] = &[$($kind),*];

        /// Evaluates one expression for a payload of any kind. The name of the kind is available in it.
        macro_rules! each {
            ($d any:expr, |$d kind:pat_param, $d it:ident| $d done:expr) => {
                match $d any {
                    $($crate::wire::record::AnyPayload::$name($d it) => { let $d kind = $kind; $d done })*
                }
            };
        }
        pub(crate) use each;

        impl AnyPayload {
            /// Reads a payload. `None` if this version does not know the kind.
            ///
            /// # Errors
            /// The payload is not valid for the kind.
            pub fn read(kind: &str, payload: &Value) -> Result<Option<Self>, serde_json::Error> {
                match kind {
                    $($kind => Deserialize::deserialize(payload).map(Self::$name),)*
                    _ => return Ok(None),
                }
                .map(Some)
            }
        }
    };
}

kinds! { $
    TransactionPaid(TransactionPaid) = "transaction.paid",
    TransactionVoided(TransactionVoided) = "transaction.voided",
    TenderCorrected(TenderCorrected) = "tender.corrected",
    ReturnPosted(ReturnRecord) = "return.posted",
    ReturnVoided(ReturnRecord) = "return.voided",
    ShiftOpened(ShiftRecord) = "shift.opened",
    ShiftMoved(ShiftRecord) = "shift.moved",
    ShiftClosed(ShiftRecord) = "shift.closed",
    ShiftRecounted(ShiftRecord) = "shift.recounted",
    CashMoved(CashMoved) = "cash.moved",
    CashDeposited(CashDeposited) = "cash.deposited",
    SafeOpened(SafeOpening) = "safe.opened",
    DaySealed(Day) = "day.sealed",
    DayReopened(ReopenedDay) = "day.reopened",
    ReceiptsSkipped(ReceiptsSkipped) = "receipts.skipped",
    ReceivingPosted(ReceivingPosted) = "receiving.posted",
    ReceivingReversed(ReceivingPosted) = "receiving.reversed",
    SupplierReturnPosted(SupplierReturnPosted) = "supplier_return.posted",
    TransferSent(TransferRecord) = "transfer.sent",
    TransferReceived(TransferRecord) = "transfer.received",
    TransferCancelled(TransferRecord) = "transfer.cancelled",
    TransferResolved(TransferRecord) = "transfer.resolved",
    AdjustmentPosted(AdjustmentPosted) = "adjustment.posted",
    OpnamePosted(OpnamePosted) = "opname.posted",
    StockMoved(StockMoved) = "stock.moved",
    MemberChanged(MemberChanged) = "member.changed",
    PointsAdjusted(PointsAdjusted) = "points.adjusted",
    ProductSettingsChanged(ProductSettingsChanged) = "product_settings.changed",
    UserChanged(UserChanged) = "user.changed",
    AuditRecorded(AuditRecorded) = "audit.recorded",
}

impl AnyPayload {
    /// Kind of the payload.
    pub fn kind(&self) -> &'static str {
        each!(self, |kind, _it| kind)
    }

    /// Description of the payload for the envelope.
    pub fn about(&self) -> About {
        each!(self, |_, it| it.about())
    }

    /// Effect at head office of a record from this store.
    ///
    /// # Errors
    /// The reason why the hub parks the record.
    pub fn effect(&self, store_id: &str) -> Result<Effect, String> {
        each!(self, |kind, it| it.effect(kind, store_id))
    }
}

/// The ID of a record's event, without reading the rest of it; `None` if the text names no event.
pub fn event_id(text: &str) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        event_id: Cow<'a, str>,
    }
    // This program writes it first.
    let first = text.strip_prefix(r#"{"event_id":""#).and_then(|rest| rest.split_once('"'));
    match first.filter(|(id, _)| !id.contains('\\')) {
        Some((id, _)) => Some(Cow::Borrowed(id)),
        None => serde_json::from_str::<Named<'_>>(text).ok().map(|named| named.event_id),
    }
}

/// Most bytes that paying adds to a record per line: its cost, and its [`LineEffect`].
const PAID_LINE_BYTES: usize = 140;

/// Most bytes that paying adds to a record besides: envelope, numbers, times, 20 payments.
const PAID_BYTES: usize = 16 * 1024;

/// Capacity that a record's text begins with: a sale needs about as much.
const TEXT_CAPACITY: usize = 3 * 1024;

/// The kind of [`TransactionPaid`].
const PAID: &str = "transaction.paid";

/// Most bytes that an envelope and the warnings of a receipt add to a document.
const ENVELOPE_BYTES: usize = 16 * 1024;

/// Whether the record of this basket, once paid, stays within [`RECORD_BYTES_MAX`].
///
/// This is checked whenever a basket is priced: at the payment it would be too late. IDs that a recall replaces are
/// counted with the greatest length, so that the basket also fits in another shift.
///
/// # Errors
/// `validation_failed` when it would not.
pub fn basket_fits(basket: &Transaction) -> Result<(), Refusal> {
    let more = basket.items.len().saturating_mul(PAID_LINE_BYTES).saturating_add(PAID_BYTES);
    // Nearly every basket is far below the limit, so that an estimate is enough.
    if room::of_basket(basket).saturating_add(more) <= RECORD_BYTES_MAX {
        return Ok(());
    }
    let ids = [basket.register_id.as_str(), basket.shift_id.as_str(), basket.cashier_id.as_str()];
    let spare =
        ids.into_iter().map(|id| ID_BYTES_MAX.saturating_sub(id.len())).fold(more, usize::saturating_add);
    fits("items", basket, spare)
}

/// Whether head office accepts every record of a commit. Every command's outcome is checked when it is encoded.
///
/// # Errors
/// `validation_failed` for one above [`RECORD_BYTES_MAX`].
pub fn all_fit(records: &[String]) -> Result<(), Refusal> {
    match records.iter().map(String::len).max() {
        Some(bytes) if bytes > RECORD_BYTES_MAX => Err(too_large("body", bytes)),
        _ => Ok(()),
    }
}

fn too_large(path: &str, bytes: usize) -> Refusal {
    let problem = format!(
        "are too large for one record: up to {bytes} bytes, at most {RECORD_BYTES_MAX}; split them into two documents"
    );
    Refusal::field(path, problem)
}

/// Whether the record of this document stays within [`RECORD_BYTES_MAX`]. `path` names its list of lines, and `count`
/// is their number.
///
/// # Errors
/// `validation_failed` when it would not.
pub(crate) fn document_fits<D: Serialize>(path: &str, document: &D, count: usize) -> Result<(), Refusal> {
    fits(path, document, count.saturating_mul(PAID_LINE_BYTES).saturating_add(ENVELOPE_BYTES))
}

fn fits<D: Serialize>(path: &str, document: &D, more: usize) -> Result<(), Refusal> {
    let mut text = Vec::with_capacity(TEXT_CAPACITY);
    let bytes = serde_json::to_writer(&mut text, document).map_or(RECORD_BYTES_MAX, |()| text.len());
    let bytes = bytes.saturating_add(more);
    if bytes > RECORD_BYTES_MAX { Err(too_large(path, bytes)) } else { Ok(()) }
}

fn text<P>(stamp: &Stamp, of: fn(Box<P>) -> AnyPayload, payload: P) -> String {
    let payload = of(Box::new(payload));
    text_of(stamp, payload.kind(), payload.about(), &payload)
}

/// [`Record`] as it is written.
#[derive(Serialize)]
struct Written<'a, P> {
    event_id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    schema: u32,
    at: &'a str,
    occurred_at: UtcMs,
    about: About,
    payload: &'a P,
}

fn text_of<P: Serialize>(stamp: &Stamp, kind: &str, about: About, payload: &P) -> String {
    let (event_id, at, occurred_at) = (stamp.event_id.as_str(), stamp.at.as_str(), stamp.now);
    let record = Written { event_id, kind, schema: SCHEMA, at, occurred_at, about, payload };
    let mut text = Vec::with_capacity(TEXT_CAPACITY);
    // Our own payload types always serialise: strings, integers, lists of them.
    let written = serde_json::to_writer(&mut text, &record);
    written.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default()
}
