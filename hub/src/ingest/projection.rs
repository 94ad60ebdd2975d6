//! Folding records into rows and sums; pure, so that a batch becomes few statements.

use super::effect::{Document, Effect};
use super::watched::Watched;
use crate::db::insert::Cell;
use domain::record::{MemberChanged, ProductSettingsChanged, UserChanged};
use domain::shift::{CashKind, CashMovement};
use domain::transaction::Payment;
use domain::transfer::Transfer;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};

pub(super) mod documents;

/// What a batch does to the projections. Sums saturate: a poisoned one then fails at the table's bound.
pub struct Projection<'a> {
    pub(super) store_id: &'a str,
    zone: &'a TimeZone,
    pub(super) sales: Vec<Vec<Cell>>,
    pub(super) sale_lines: Vec<Vec<Cell>>,
    pub(super) payments: Vec<Vec<Cell>>,
    pub(super) returns: Vec<Vec<Cell>>,
    pub(super) return_lines: Vec<Vec<Cell>>,
    pub(super) refunds: Vec<Vec<Cell>>,
    pub(super) receivings: Vec<Vec<Cell>>,
    pub(super) receiving_lines: Vec<Vec<Cell>>,
    pub(super) audit: Vec<Vec<Cell>>,
    /// The last of each shift.
    pub(super) shifts: BTreeMap<String, Vec<Cell>>,
    /// Receipt numbers of this store, with the events that carry them.
    pub(super) receipts: BTreeMap<String, Vec<String>>,
    /// Events with a receipt number that is not this store's to give.
    pub(super) foreign_receipts: Vec<(String, String)>,
    /// Days that were sealed or opened again: the stamp that counts, and whether they are sealed.
    pub(super) days: BTreeMap<String, (String, bool)>,
    pub(super) sums: Option<Sums>,
    /// Σ (amount + rounding) by shift and method, refunds taken off.
    pub(super) methods: BTreeMap<(String, String), i64>,
    /// Pay-ins, pay-outs and drops by shift.
    pub(super) cash: BTreeMap<String, [i64; 3]>,
    /// Pieces and value by sku.
    pub(super) stock: BTreeMap<String, (i64, i64)>,
    /// Points by member.
    pub(super) points: BTreeMap<String, i64>,
    /// `(table of the document, its id, the event)`
    pub(super) voids: Vec<(Voided, String, String)>,
    /// Sales of which something came back, or that were taken back themselves.
    pub(super) taken_back: Vec<TakenOf>,
    /// Sales whose payments were put right, with the payments that count now.
    pub(super) tenders: Vec<(String, Vec<Payment>)>,
    /// What other stores share, in order.
    pub(super) shared: Shared,
    /// What may contradict.
    pub(super) watched: Watched,
}

/// Which document was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voided {
    Sale,
    Return,
}

/// A sale that a record took something of, by what the record knows of it.
pub(super) struct TakenOf {
    pub event_id: String,
    pub transaction_id: Option<String>,
    /// Another store's receipt.
    pub receipt_no: Option<String>,
    /// The products that it took back; `None`: all of the sale.
    pub skus: Option<BTreeSet<String>>,
}

/// Records that are not this store's alone.
#[derive(Default)]
pub(super) struct Shared {
    /// With the event that told.
    pub transfers: Vec<(String, Transfer)>,
    /// With event and stamp.
    pub members: Vec<(String, String, MemberChanged)>,
    /// With event and stamp.
    pub settings: Vec<(String, String, ProductSettingsChanged)>,
    /// With the event that told.
    pub users: Vec<(String, UserChanged)>,
    /// What came against orders, or went back.
    pub orders: Vec<Came>,
}

/// What one record brought against an order.
pub(super) struct Came {
    /// The order.
    pub po_id: String,
    /// The event that told.
    pub event_id: String,
    /// Pieces by sku; below 0: they went back.
    pub pieces: BTreeMap<String, i64>,
}

/// Sums of a store's sales.
#[derive(Default)]
pub(super) struct Sums {
    pub sales_count: i64,
    pub items_count: i64,
    pub gross: i64,
    pub discount: i64,
    pub tax: i64,
    pub rounding: i64,
    pub total: i64,
    pub voids_count: i64,
    pub voids_total: i64,
    pub returns_count: i64,
    pub returns_total: i64,
    pub returns_tax: i64,
}

impl<'a> Projection<'a> {
    /// Nothing yet.
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
            receivings: Vec::new(),
            receiving_lines: Vec::new(),
            audit: Vec::new(),
            shifts: BTreeMap::new(),
            receipts: BTreeMap::new(),
            foreign_receipts: Vec::new(),
            days: BTreeMap::new(),
            sums: None,
            methods: BTreeMap::new(),
            cash: BTreeMap::new(),
            stock: BTreeMap::new(),
            points: BTreeMap::new(),
            voids: Vec::new(),
            taken_back: Vec::new(),
            tenders: Vec::new(),
            shared: Shared::default(),
            watched: Watched::default(),
        }
    }

    /// For records in the order in which the store made them.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        self.watched.in_order = true;
        self
    }

    /// Adds what a record does; `stamp` is the one that counts for it.
    pub fn fold(&mut self, event_id: &str, stamp: &str, effect: &Effect) {
        self.watched.fold(event_id, effect);
        for moved in &effect.moves {
            let row = self.stock.entry(moved.sku.0.clone()).or_default();
            *row = (row.0.saturating_add(moved.qty), row.1.saturating_add(moved.value));
        }
        for (shift_id, method, amount) in &effect.methods {
            let sum = self.methods.entry((shift_id.0.clone(), method.clone())).or_default();
            *sum = sum.saturating_add(*amount);
        }
        for entry in &effect.points {
            let sum = self.points.entry(entry.member_id.0.clone()).or_default();
            *sum = sum.saturating_add(entry.points);
        }
        match &effect.document {
            Document::None => {}
            Document::Sale(paid) => self.sale(event_id, paid),
            Document::Void(sale) => self.void(event_id, sale),
            Document::Tender { sale, rounding } => self.tender(sale, *rounding),
            Document::Return(back) => self.returned(event_id, back),
            Document::ReturnVoid(back) => self.return_void(event_id, back),
            Document::Shift(shift) => self.shift(shift),
            Document::Cash(movement) => self.cash(movement),
            Document::Receiving(receiving) => self.receiving(event_id, receiving),
            Document::Reversed(receiving) => self.ordered(event_id, receiving, -1),
            Document::Transfer(transfer) => {
                self.shared.transfers.push((event_id.to_owned(), (**transfer).clone()));
            }
            Document::Day { business_date, sealed } => {
                let day = self.days.entry(business_date.to_string()).or_default();
                if stamp >= day.0.as_str() {
                    *day = (stamp.to_owned(), *sealed);
                }
            }
            Document::Member(changed) => {
                let told = (event_id.to_owned(), stamp.to_owned(), (**changed).clone());
                self.shared.members.push(told);
            }
            Document::Settings(changed) => {
                self.shared.settings.push((event_id.to_owned(), stamp.to_owned(), (**changed).clone()));
            }
            Document::User(changed) => self.shared.users.push((event_id.to_owned(), (**changed).clone())),
            Document::Audit(recorded) => self.audited(event_id, recorded),
        }
    }

    /// Every figure by a name, as `cloud-hub verify` compares them.
    pub fn figures(self) -> Vec<(String, i64)> {
        let mut figures = Vec::new();
        for (sku, (qty, value)) in self.stock {
            figures.push((format!("pieces {sku}"), qty));
            figures.push((format!("value {sku}"), value));
        }
        for ((shift_id, method), amount) in self.methods {
            figures.push((format!("shift {shift_id} {method}"), amount));
        }
        for (shift_id, [pay_in, pay_out, drops]) in self.cash {
            for (name, figure) in [("pay_in", pay_in), ("pay_out", pay_out), ("drops", drops)] {
                figures.push((format!("shift {shift_id} {name}"), figure));
            }
        }
        for (member_id, points) in self.points {
            figures.push((format!("points {member_id}"), points));
        }
        let sums = self.sums.unwrap_or_default();
        figures.push(("sales".to_owned(), sums.sales_count));
        figures.push(("sales total".to_owned(), sums.total));
        figures.push(("sales tax".to_owned(), sums.tax));
        figures.push(("returns total".to_owned(), sums.returns_total));
        figures.push(("audit entries".to_owned(), i64::try_from(self.audit.len()).unwrap_or(i64::MAX)));
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

impl Sums {
    /// Adds to each sum its part.
    fn add<const N: usize>(parts: [(&mut i64, i64); N]) {
        for (sum, part) in parts {
            *sum = sum.saturating_add(part);
        }
    }
}
