//! Folds records into rows and sums; pure, so that a batch becomes few statements.

use crate::db::insert::NewRow;
use crate::projection::anomalies::AnomalyChecks;
use crate::projection::envelope::{ToPost, Understood};
use crate::projection::payables::uninvoiced::Moved;
use crate::projection::points;
use crate::projection::shifts::ShiftRecord;
use crate::projection::stock_documents::GoodsRows;
use domain::model::base::figures::{Money, Points, Quantity};
use domain::model::base::time::UtcMs;
use domain::model::books::shift::{CashKind, CashMovement};
use domain::model::inventory::transfer::Transfer;
use domain::model::selling::transaction::Payment;
use domain::wire::record::{AnyPayload, MemberChanged, ProductSettingsChanged, UserChanged};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};

/// Effect of a batch on the projections. Sums saturate: a corrupt one then fails at the table's bound.
pub struct Projection<'a> {
    pub(crate) store_id: &'a str,
    pub(crate) zone: &'a TimeZone,
    pub(crate) sales: Vec<NewRow>,
    pub(crate) sale_lines: Vec<NewRow>,
    pub(crate) payments: Vec<NewRow>,
    pub(crate) returns: Vec<NewRow>,
    pub(crate) return_lines: Vec<NewRow>,
    pub(crate) refunds: Vec<NewRow>,
    pub(crate) goods: GoodsRows,
    pub(crate) deposits: Vec<NewRow>,
    pub(crate) audit: Vec<NewRow>,
    /// Postings, with the event that reported each.
    pub(crate) journal: Vec<ToPost<'a>>,
    /// No entries are made: only measurements of their cost set it.
    pub(crate) unposted: bool,
    pub(crate) shifts: Vec<ShiftRecord<'a>>,
    /// Receipt numbers of this store, with the events that use them.
    pub(crate) receipts: BTreeMap<String, Vec<String>>,
    /// Events with a receipt number that belongs to another store.
    pub(crate) foreign_receipts: Vec<(String, String)>,
    /// Days with a report.
    pub(crate) days: BTreeMap<Date, DaySeal>,
    pub(crate) sums: Option<Sums>,
    /// Sum of (amount + rounding) by shift and method, refunds taken off.
    pub(crate) methods: BTreeMap<(String, String), Money>,
    /// Pay-ins, pay-outs and drops by shift.
    pub(crate) cash: BTreeMap<String, [Money; 3]>,
    /// Pieces and value by sku, and the time of the last movement.
    pub(crate) stock: BTreeMap<String, MovedGoods>,
    /// Points by member.
    pub(crate) points: BTreeMap<String, Points>,
    pub(crate) points_entries: Vec<NewRow>,
    /// `(table of the document, its id, the event)`
    pub(crate) voids: Vec<(Voided, String, String)>,
    /// Sales with returned pieces, or that were taken back themselves.
    pub(crate) taken_back: Vec<ReturnedFrom>,
    /// Sales with corrected payments.
    pub(crate) tenders: Vec<RightTender>,
    /// Moves of received goods without an invoice, in order.
    pub(crate) uninvoiced: Vec<Moved<'a>>,
    /// Changes of shared records, in order.
    pub(crate) shared: Shared,
    pub(crate) watched: AnomalyChecks,
}

/// A day as reported by a store.
#[derive(Debug, Default)]
pub(crate) struct DaySeal {
    /// Stamp of the last report on whether it is sealed. Empty if there was none.
    pub stamp: String,
    /// When the day was sealed. `None` if it is open.
    pub sealed_at: Option<UtcMs>,
}

/// A sale with corrected payments.
pub(crate) struct RightTender {
    pub event_id: String,
    pub transaction_id: String,
    pub business_date: Date,
    /// The payments that count now.
    pub payments: Vec<Payment>,
    /// Sum of (amount + rounding) that each method gained, or lost.
    pub moved: Vec<(String, Money)>,
}

/// Document that was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voided {
    Sale,
    Return,
}

/// A sale from which a record returned pieces, with the record's statements about it.
pub(crate) struct ReturnedFrom {
    pub event_id: String,
    pub transaction_id: Option<String>,
    /// Receipt of another store.
    pub receipt_no: Option<String>,
    /// The products that it took back; `None`: all of the sale.
    pub skus: Option<BTreeSet<String>>,
}

/// Records that are not this store's alone.
#[derive(Default)]
pub(crate) struct Shared {
    /// With the event that reported it.
    pub transfers: Vec<(String, Transfer)>,
    /// With event and stamp.
    pub members: Vec<((String, String), MemberChanged)>,
    /// With event and stamp.
    pub settings: Vec<((String, String), ProductSettingsChanged)>,
    /// With the event that reported it.
    pub users: Vec<(String, UserChanged)>,
    /// Receipts against orders, and returned goods.
    pub orders: Vec<OrderReceipt>,
}

/// Pieces that one record received for an order.
pub(crate) struct OrderReceipt {
    /// ID of the order.
    pub po_id: String,
    /// The event that reported it.
    pub event_id: String,
    /// Pieces by sku; negative if they were returned.
    pub pieces: BTreeMap<String, Quantity>,
    /// Pieces that were refused at the door.
    pub rejected: BTreeMap<String, Quantity>,
}

/// Moved pieces and value of a product.
#[derive(Debug, Default)]
pub(crate) struct MovedGoods {
    pub qty: Quantity,
    pub value: Money,
    /// When it last moved, in milliseconds.
    pub moved_at: i64,
}

/// Sums of a store's sales.
#[derive(Default)]
pub(crate) struct Sums {
    pub sales_count: i64,
    pub items_count: Quantity,
    pub gross: Money,
    pub discount: Money,
    pub tax: Money,
    pub rounding: Money,
    pub total: Money,
    pub voids_count: i64,
    pub voids_total: Money,
    pub returns_count: i64,
    pub returns_total: Money,
    pub returns_tax: Money,
}

impl<'a> Projection<'a> {
    pub fn new(store_id: &'a str, zone: &'a TimeZone) -> Self {
        Self {
            store_id,
            zone,
            sales: Vec::new(),
            sale_lines: Vec::new(),
            payments: Vec::new(),
            returns: Vec::new(),
            return_lines: Vec::new(),
            refunds: Vec::new(),
            goods: GoodsRows::default(),
            deposits: Vec::new(),
            audit: Vec::new(),
            journal: Vec::new(),
            unposted: false,
            shifts: Vec::new(),
            receipts: BTreeMap::new(),
            foreign_receipts: Vec::new(),
            days: BTreeMap::new(),
            sums: None,
            methods: BTreeMap::new(),
            cash: BTreeMap::new(),
            stock: BTreeMap::new(),
            points: BTreeMap::new(),
            points_entries: Vec::new(),
            voids: Vec::new(),
            taken_back: Vec::new(),
            tenders: Vec::new(),
            uninvoiced: Vec::new(),
            shared: Shared::default(),
            watched: AnomalyChecks::default(),
        }
    }

    /// Sets that the records come in the order in which the store made them.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        self.watched.in_order = true;
        self
    }

    /// Adds the effect of a record; `stamp` is the stamp that counts for it.
    pub fn fold(&mut self, event_id: &'a str, stamp: &str, understood: &'a Understood) {
        self.watched.fold(event_id, understood);
        let Understood { payload, effect, occurred_at, .. } = understood;
        self.goods.fold((self.store_id, event_id), understood);
        self.journal.push((event_id, understood));
        for moved in &effect.moves {
            let row = self.stock.entry(moved.sku.0.clone()).or_default();
            row.qty = row.qty.saturating_add(moved.qty);
            row.value = row.value.saturating_add(moved.value);
            row.moved_at = row.moved_at.max(occurred_at.0);
        }
        for (shift_id, method, amount) in &effect.methods {
            let sum = self.methods.entry((shift_id.0.clone(), method.clone())).or_default();
            *sum = sum.saturating_add(*amount);
        }
        self.points_entries.extend(points::rows((self.store_id, event_id), understood));
        for entry in &effect.points {
            let sum = self.points.entry(entry.member_id.0.clone()).or_default();
            *sum = sum.saturating_add(entry.points);
        }
        let reported = || (event_id.to_owned(), stamp.to_owned());
        match payload {
            AnyPayload::TransactionPaid(paid) => self.sale(event_id, paid),
            AnyPayload::TransactionVoided(it) if it.transaction.receipt_no.is_none() => {}
            AnyPayload::TransactionVoided(it) => self.void(event_id, &it.transaction),
            AnyPayload::TenderCorrected(it) => self.tender(event_id, &it.transaction, it.rounding(), effect),
            AnyPayload::ReturnPosted(it) => self.returned(event_id, it),
            AnyPayload::ReturnVoided(it) => self.return_void(event_id, &it.document),
            AnyPayload::ShiftOpened(it)
            | AnyPayload::ShiftMoved(it)
            | AnyPayload::ShiftClosed(it)
            | AnyPayload::ShiftRecounted(it) => {
                self.add_day(it.shift.business_date);
                let recounted = matches!(payload, AnyPayload::ShiftRecounted(_));
                self.shifts.push(ShiftRecord { event_id, recounted, shift: &it.shift });
            }
            AnyPayload::CashMoved(it) => self.cash(&it.movement),
            AnyPayload::ReceivingPosted(it) => {
                self.ordered(event_id, &it.receiving, 1);
                self.uninvoiced.push(Moved::Received(event_id, &it.receiving));
            }
            AnyPayload::ReceivingReversed(it) => {
                self.ordered(event_id, &it.receiving, -1);
                self.uninvoiced.push(Moved::Reversed(event_id, &it.receiving));
            }
            AnyPayload::SupplierReturnPosted(it) => {
                self.uninvoiced.push(Moved::Returned(event_id, &it.document));
            }
            AnyPayload::TransferSent(it)
            | AnyPayload::TransferReceived(it)
            | AnyPayload::TransferCancelled(it)
            | AnyPayload::TransferResolved(it) => {
                self.shared.transfers.push((event_id.to_owned(), it.transfer.clone()));
            }
            AnyPayload::DaySealed(it) => self.day(it.business_date, stamp, Some(it.sealed_at)),
            AnyPayload::DayReopened(it) => self.day(it.business_date, stamp, None),
            AnyPayload::CashDeposited(it) => self.deposit(event_id, &it.deposit),
            AnyPayload::MemberChanged(it) => self.shared.members.push((reported(), (**it).clone())),
            AnyPayload::ProductSettingsChanged(it) => self.shared.settings.push((reported(), (**it).clone())),
            AnyPayload::UserChanged(it) => self.shared.users.push((event_id.to_owned(), (**it).clone())),
            AnyPayload::AuditRecorded(recorded) => self.audited(event_id, recorded),
            // These have no rows of their own.
            AnyPayload::SafeOpened(_)
            | AnyPayload::ReceiptsSkipped(_)
            | AnyPayload::AdjustmentPosted(_)
            | AnyPayload::OpnamePosted(_)
            | AnyPayload::StockMoved(_)
            | AnyPayload::PointsAdjusted(_) => {}
        }
    }

    /// Adds a day with a report.
    pub(crate) fn add_day(&mut self, business_date: Date) -> String {
        self.days.entry(business_date).or_default();
        business_date.to_string()
    }

    fn day(&mut self, business_date: Date, stamp: &str, sealed_at: Option<UtcMs>) {
        let day = self.days.entry(business_date).or_default();
        if stamp >= day.stamp.as_str() {
            *day = DaySeal { stamp: stamp.to_owned(), sealed_at };
        }
    }

    /// Every figure by a name, as `cloud-hub verify` compares them.
    pub fn figures(self) -> Vec<(String, i64)> {
        // Every field is named, so that the compiler asks whether `verify` compares a new one.
        let Self {
            sale_lines,
            payments,
            return_lines,
            goods,
            deposits,
            audit,
            tenders,
            sums,
            methods,
            cash,
            stock,
            points,
            points_entries,
            store_id: _,
            zone: _,
            sales: _,
            returns: _,
            refunds: _,
            journal: _,
            unposted: _,
            shifts: _,
            receipts: _,
            foreign_receipts: _,
            days: _,
            voids: _,
            taken_back: _,
            uninvoiced: _,
            shared: _,
            watched: _,
        } = self;
        let mut figures = Vec::new();
        for (sku, MovedGoods { qty, value, .. }) in stock {
            figures.push((format!("pieces {sku}"), qty.get()));
            figures.push((format!("value {sku}"), value.get()));
        }
        for ((shift_id, method), amount) in methods {
            figures.push((format!("shift {shift_id} {method}"), amount.get()));
        }
        for (shift_id, [pay_in, pay_out, drops]) in cash {
            for (name, figure) in [("pay_in", pay_in), ("pay_out", pay_out), ("drops", drops)] {
                figures.push((format!("shift {shift_id} {name}"), figure.get()));
            }
        }
        for (member_id, points) in points {
            figures.push((format!("points {member_id}"), points.get()));
        }
        figures.extend(by_day("sold pieces", &sale_lines, None, &["qty"]));
        figures.extend(by_day("returned pieces", &return_lines, Some("disposition"), &["qty"]));
        figures.extend(by_day("moved", &goods.movements, Some("reason"), &["qty", "cost", "correction"]));
        figures.extend(by_day("points reported", &points_entries, Some("reason"), &["points"]));
        figures.extend(by_day("deposited", &deposits, None, &["amount"]));
        figures.extend(by_day("paid", &payments, Some("method"), &["amount", "rounding"]));
        for RightTender { business_date, moved, .. } in tenders {
            let figure =
                |(method, amount): (String, Money)| (format!("paid {business_date} {method}"), amount.get());
            figures.extend(moved.into_iter().map(figure));
        }
        let sums = sums.unwrap_or_default();
        figures.push(("sales".to_owned(), sums.sales_count));
        figures.push(("sales total".to_owned(), sums.total.get()));
        figures.push(("sales tax".to_owned(), sums.tax.get()));
        figures.push(("returns total".to_owned(), sums.returns_total.get()));
        figures.push(("audit entries".to_owned(), i64::try_from(audit.len()).unwrap_or(i64::MAX)));
        figures
    }

    fn cash(&mut self, movement: &CashMovement) {
        let sums = self.cash.entry(movement.shift_id.0.clone()).or_default();
        let [pay_in, pay_out, drops] = sums;
        let sum = match movement.kind {
            CashKind::PayIn => pay_in,
            CashKind::PayOut => pay_out,
            CashKind::Drop => drops,
            CashKind::NoSale => return,
        };
        *sum = sum.saturating_add(movement.amount);
    }
}

/// Sums of rows by their days, and by one more column.
fn by_day(name: &str, rows: &[NewRow], of: Option<&str>, summed: &[&str]) -> Vec<(String, i64)> {
    let figure = |row: &NewRow| {
        let of = of.map(|of| format!(" {}", row.text(of))).unwrap_or_default();
        let sum = summed.iter().map(|column| row.int(column)).fold(0, i64::saturating_add);
        (format!("{name} {}{of}", row.text("business_date")), sum)
    };
    rows.iter().map(figure).collect()
}

impl Sums {
    /// Adds its part to each sum of money.
    pub(crate) fn add<const N: usize>(parts: [(&mut Money, Money); N]) {
        for (sum, part) in parts {
            *sum = sum.saturating_add(part);
        }
    }
}
