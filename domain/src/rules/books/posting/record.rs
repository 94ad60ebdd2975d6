//! Entries that a record posts: a balanced one in the book of the store that reported it, and for received transfers
//! one in the sender's book.
//!
//! No record is refused. A difference in an entry goes to suspense, and a difference between the entry and the value
//! of the stock goes to count differences, so that the inventory account always equals the value of the stock.

use crate::model::base::figures::Money;
use crate::model::base::ids::StoreId;
use crate::model::inventory::stock::{Movement, MovementReason};
use crate::model::inventory::transfer::Resolution;
use crate::model::people::points::PointsReason;
use crate::rules::books::posting::entry::{Draft, Row};
use crate::rules::books::posting::plan::{
    BETWEEN_STORES, COUNT_DIFFERENCES, IN_TRANSIT, INVENTORY, SUSPENSE, TRANSFER_LOSSES,
};
use crate::rules::books::posting::{
    Context, Counted, Fact, PointsEffect, TransferContext, of_adjustment, of_cash, of_close, of_correction,
    of_opening, of_opname, of_recount, of_return, of_return_void, of_sale, of_supplier_return, of_void,
};
use crate::wire::record::{
    AnyPayload, LineEffect, ReceivingPosted, ReturnRecord, ShiftRecord, StockMoved, TenderCorrected,
    TransactionPaid, TransactionVoided, TransferRecord,
};
use jiff::civil::Date;

/// Cause of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// `transaction`, `return`, `shift`, …
    pub kind: &'static str,
    /// ID of the document.
    pub id: String,
}

/// A record as it is passed to posting.
#[derive(Debug, Clone, Copy)]
pub struct RecordToPost<'a> {
    /// Payload of the record.
    pub payload: &'a AnyPayload,
    /// The store that reports the record.
    pub store_id: &'a str,
    /// By how much it moves the value of the store's stock.
    pub moved: Money,
    /// Head office's knowledge beside the record.
    pub context: &'a Context,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Made {
    /// One row per account, by number.
    pub rows: Vec<Row>,
    /// Amount that its figures lacked to a balance and that went to suspense, debit above 0.
    pub unbalanced: Money,
    /// Value of its goods beyond the value that they were posted with.
    pub stock_differs: Money,
}

/// The entries of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordEntries {
    /// The day that they belong to.
    pub business_date: Date,
    /// Document that the entries come from.
    pub cause: Cause,
    /// For a person: a receipt number, a reason.
    pub memo: Option<String>,
    /// In the book of the store that reported it.
    pub own: Made,
    /// In the sender's book, where goods arrived.
    pub sender: Option<(StoreId, Made)>,
}

/// The store's own book of a fact's two books.
enum Own {
    /// A fact of this store.
    Here,
    /// The goods arrived in this store; the sender reports its own part.
    There,
    /// The same. No record of the sender reports its part, so this record posts it as well.
    Both(StoreId),
}

struct Posting {
    business_date: Date,
    cause: Cause,
    memo: Option<String>,
    facts: Vec<Fact>,
    own: Own,
}

impl Posting {
    fn new(business_date: Date, kind: &'static str, id: &str, facts: Vec<Fact>) -> Self {
        let cause = Cause { kind, id: id.to_owned() };
        Self { business_date, cause, memo: None, facts, own: Own::Here }
    }

    fn memo(self, memo: Option<&str>) -> Self {
        Self { memo: memo.filter(|memo| !memo.is_empty()).map(str::to_owned), ..self }
    }
}

/// Entries of a record. `None` if its kind posts nothing.
pub fn of_record(source: &RecordToPost<'_>) -> Option<RecordEntries> {
    let Posting { business_date, cause, memo, facts, own } = posting(source)?;
    let (mut here, mut there) = (Draft::default(), Draft::default());
    for (own, arrived) in facts.iter().map(|fact| fact.drafts(&source.context.accounts)) {
        here.join(&own);
        there.join(&arrived.unwrap_or_default());
    }
    // The amount that then lacks goes to suspense, where a person finds it.
    for (account, amount) in source.context.told_before.values() {
        here.add(*account, i128::from(*amount).saturating_neg());
    }
    let TransferContext { foreign, over, .. } = source.context.transfer;
    // The excess over the value of the sender's transit stock is lost.
    here.transfer(TRANSFER_LOSSES, IN_TRANSIT, over);
    let (mut own, sender) = match own {
        Own::Here => (here, None),
        Own::There => (there, None),
        Own::Both(_) if foreign => (there, None),
        Own::Both(sender) => (there, Some((sender, made(here, Money::ZERO)))),
    };
    if foreign {
        own.replace(IN_TRANSIT, SUSPENSE);
        own.replace(BETWEEN_STORES, SUSPENSE);
    }
    Some(RecordEntries { business_date, cause, memo, own: made(own, source.moved), sender })
}

/// Whether a record may post something.
pub fn posts(payload: &AnyPayload) -> bool {
    let context = Context::default();
    posting(&RecordToPost { payload, store_id: "", moved: Money::ZERO, context: &context }).is_some()
}

/// A balanced entry that leaves inventory as the goods that moved are worth.
fn made(mut draft: Draft, moved: Money) -> Made {
    let unbalanced = draft.excess();
    draft.add(SUSPENSE, unbalanced.saturating_neg());
    let stock_differs = i128::from(moved).saturating_sub(draft.of(INVENTORY));
    draft.add(INVENTORY, stock_differs).add(COUNT_DIFFERENCES, stock_differs.saturating_neg());
    Made {
        rows: draft.rows(),
        unbalanced: Money::saturating_from(unbalanced.saturating_neg()),
        stock_differs: Money::saturating_from(stock_differs),
    }
}

fn posting(source: &RecordToPost<'_>) -> Option<Posting> {
    Some(match source.payload {
        AnyPayload::TransactionPaid(it) => paid(source, it),
        AnyPayload::TransactionVoided(it) => voided(source, it),
        AnyPayload::ReturnPosted(it) => returned(source, it, of_return),
        AnyPayload::ReturnVoided(it) => returned(source, it, of_return_void),
        AnyPayload::TenderCorrected(it) => corrected(it),
        AnyPayload::ShiftOpened(it) => shift(it, Some(of_opening(&it.shift))),
        AnyPayload::ShiftClosed(it) => shift(it, Some(counted(source, of_close(&it.shift)))),
        AnyPayload::ShiftRecounted(it) => shift(it, of_recount(&it.shift).map(|fact| counted(source, fact))),
        AnyPayload::CashMoved(it) => {
            let (movement, facts) = (&it.movement, vec![of_cash(&it.movement, &source.context.accounts)]);
            Posting::new(it.business_date, "cash_movement", &movement.cash_id.0, facts)
                .memo(Some(&movement.reason))
        }
        AnyPayload::CashDeposited(it) => {
            let facts = vec![Fact::CashDeposited { amount: it.deposit.amount }];
            Posting::new(it.business_date, "deposit", &it.deposit.deposit_id.0, facts)
                .memo(Some(&it.deposit.bag_no))
        }
        AnyPayload::ReceivingPosted(it) => received(it, false),
        AnyPayload::ReceivingReversed(it) => received(it, true),
        AnyPayload::SupplierReturnPosted(it) => {
            let facts = vec![of_supplier_return(&it.document)];
            Posting::new(it.business_date, "supplier_return", &it.document.supplier_return_id.0, facts)
        }
        AnyPayload::TransferSent(it) => transferred(source, it, Step::Sent),
        AnyPayload::TransferReceived(it) => transferred(source, it, Step::Received),
        AnyPayload::TransferCancelled(it) => transferred(source, it, Step::Cancelled),
        AnyPayload::TransferResolved(it) => transferred(source, it, Step::Resolved),
        AnyPayload::AdjustmentPosted(it) => {
            let facts = of_adjustment(&it.adjustment, &it.lines, it.keep, &source.context.accounts);
            Posting::new(it.business_date, "adjustment", &it.adjustment.adjustment_id.0, facts)
        }
        AnyPayload::OpnamePosted(it) => {
            Posting::new(it.business_date, "opname", &it.opname.opname_id.0, vec![of_opname(&it.lines)])
        }
        AnyPayload::StockMoved(it) => moved(it),
        AnyPayload::PointsAdjusted(it) => {
            let points = &source.context.points;
            let fact = match it.entry.reason {
                PointsReason::Expire => Fact::PointsExpired {
                    policy: points.policy,
                    released: points.released.unwrap_or_default(),
                },
                PointsReason::Opening => Fact::PointsOpened { value: points.earned_value },
                _ => Fact::PointsAdjusted { value: points.earned_value },
            };
            Posting::new(it.business_date, "points", &it.entry.entry_id, vec![fact]).memo(Some(&it.reason))
        }
        // They move neither money nor goods.
        AnyPayload::ShiftMoved(_)
        | AnyPayload::SafeOpened(_)
        | AnyPayload::DaySealed(_)
        | AnyPayload::DayReopened(_)
        | AnyPayload::ReceiptsSkipped(_)
        | AnyPayload::MemberChanged(_)
        | AnyPayload::ProductSettingsChanged(_)
        | AnyPayload::UserChanged(_)
        | AnyPayload::AuditRecorded(_) => return None,
    })
}

fn paid(source: &RecordToPost<'_>, record: &TransactionPaid) -> Posting {
    let sale = &record.transaction;
    let facts = vec![of_sale(sale, source.context.points)];
    Posting::new(record.business_date, "transaction", &sale.transaction_id.0, facts)
        .memo(sale.receipt_no.as_deref())
}

fn voided(source: &RecordToPost<'_>, record: &TransactionVoided) -> Posting {
    let sale = &record.transaction;
    let facts = of_void(sale, &record.lines, &record.refunds, source.context.points);
    Posting::new(record.business_date, "transaction", &sale.transaction_id.0, facts)
        .memo(sale.receipt_no.as_deref())
}

type OfReturn = fn(&crate::model::selling::returns::Return, PointsEffect) -> Fact;

fn returned(source: &RecordToPost<'_>, record: &ReturnRecord, of: OfReturn) -> Posting {
    let back = &record.document;
    let facts = vec![of(back, source.context.points)];
    Posting::new(record.business_date, "return", &back.return_id.0, facts).memo(Some(&back.receipt_no))
}

fn corrected(record: &TenderCorrected) -> Posting {
    let sale = &record.transaction;
    let wrong = sale.payments.iter().find(|payment| payment.payment_id == record.wrong);
    let named =
        |payment: &&crate::model::selling::transaction::Payment| record.right.contains(&payment.payment_id);
    let right: Vec<_> = sale.payments.iter().filter(named).cloned().collect();
    let facts = wrong.map(|wrong| of_correction(wrong, &right)).unwrap_or_default();
    Posting::new(record.business_date, "transaction", &sale.transaction_id.0, facts)
        .memo(sale.receipt_no.as_deref())
}

/// Reduces a shift that two copies of the store counted to the new figures.
fn counted(source: &RecordToPost<'_>, fact: Fact) -> Fact {
    let news = |Counted { expected, counted }| Fact::ShiftClosed { expected, counted };
    source.context.counted.map_or(fact, news)
}

fn shift(record: &ShiftRecord, fact: Option<Fact>) -> Posting {
    let facts = fact.into_iter().collect();
    Posting::new(record.business_date, "shift", &record.shift.shift_id.0, facts)
}

fn received(record: &ReceivingPosted, reversed: bool) -> Posting {
    let receiving = &record.receiving;
    let sum = |of: fn(&crate::model::inventory::receiving::ReceivingLine) -> Money| {
        receiving.lines.iter().map(of).sum::<Money>()
    };
    let cost = sum(|line| line.cost);
    let fact = if reversed {
        let correction = record.lines.iter().map(|line| line.correction).sum::<Money>().saturating_neg();
        Fact::ReceivingReversed { claim: cost, stock_cost: value(&record.lines).saturating_neg(), correction }
    } else {
        Fact::Receiving { cost, correction: sum(|line| line.correction) }
    };
    Posting::new(record.business_date, "receiving", &receiving.receiving_id.0, vec![fact])
        .memo(receiving.delivery_note_no.as_deref())
}

/// Signed: by how much the lines move the stock's value.
fn value(lines: &[LineEffect]) -> Money {
    let one = |line: &LineEffect| line.cost.saturating_sub(line.correction);
    lines.iter().map(one).sum()
}

/// A store's report on a transfer.
enum Step {
    Sent,
    Received,
    Cancelled,
    Resolved,
}

fn transferred(source: &RecordToPost<'_>, record: &TransferRecord, step: Step) -> Posting {
    let transfer = &record.transfer;
    let sum = |of: fn(&LineEffect) -> Money| record.lines.iter().map(of).sum::<Money>();
    let (cost, correction) = (sum(|line| line.cost), sum(|line| line.correction));
    let is_sender = transfer.from_store_id.as_str() == source.store_id;
    let (facts, own) = match (step, is_sender) {
        // Goods that a cancellation had brought back leave again.
        (Step::Sent | Step::Received, true) => {
            (vec![Fact::TransferSent { cost: cost.saturating_neg() }], Own::Here)
        }
        (Step::Cancelled, true) => (vec![Fact::TransferCancelled { cost, correction }], Own::Here),
        (Step::Resolved, true) => (resolved(&source.context.transfer.settled, correction), Own::Here),
        (Step::Received, false) => {
            let sender = transfer.from_store_id.clone();
            (vec![Fact::TransferReceived { cost, correction }], Own::Both(sender))
        }
        // Found pieces are settled by the sender, whose own record posts its half.
        (Step::Sent | Step::Cancelled | Step::Resolved, false) => {
            (vec![Fact::TransferReceived { cost, correction }], Own::There)
        }
    };
    let posting = Posting::new(record.business_date, "transfer", &transfer.transfer_id.0, facts);
    Posting { own, ..posting }
}

/// The settled parts; pieces that came back while stock was negative correct earlier estimates, once.
fn resolved(parts: &[(Resolution, Money)], mut correction: Money) -> Vec<Fact> {
    let fact = |(resolution, cost): &(Resolution, Money)| {
        let back = *resolution == Resolution::FoundAtSource;
        let correction = if back { std::mem::take(&mut correction) } else { Money::ZERO };
        Fact::TransferResolved { resolution: *resolution, cost: *cost, correction }
    };
    parts.iter().map(fact).collect()
}

/// Opening stock; whatever else moved without a document counts as a correction.
fn moved(record: &StockMoved) -> Posting {
    let sum = |opening: bool, of: fn(&Movement) -> Money| {
        let moved = record.movements.iter();
        let wanted = moved.filter(|movement| (movement.reason == MovementReason::Opening) == opening);
        wanted.map(of).sum::<Money>()
    };
    let of = |opening| (sum(opening, |movement| movement.cost), sum(opening, |movement| movement.correction));
    let ((cost, correction), (value, corrected)) = (of(true), of(false));
    let reason = crate::model::inventory::adjustment::AdjustmentReason::Correction;
    let facts = vec![
        Fact::OpeningStock { cost, correction },
        Fact::Adjustment { reason, value, correction: corrected },
    ];
    let id = record.movements.first().map_or("", |movement| movement.reference_id.as_str());
    Posting::new(record.business_date, "stock", id, facts)
}
