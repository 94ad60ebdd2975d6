//! Rows of documents.

use super::{Came, Projection, Sums, TakenOf, Voided};
use crate::db::insert::Cell;
use crate::ingest::signed;
use crate::row;
use domain::receiving::Receiving;
use domain::record::{AuditRecorded, TransactionPaid};
use domain::register::is_numbered_by;
use domain::returns::Return;
use domain::shift::{Shift, ShiftState};
use domain::time::UtcMs;
use domain::transaction::{Payment, Transaction};
use std::collections::BTreeMap;

/// Most characters of an id or an action that entries of the audit log are found by.
const SEARCHED_CHARS_MAX: usize = 128;

/// What an index of both engines takes, whatever a store tells; the record keeps the whole text.
fn searched(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').take(SEARCHED_CHARS_MAX).collect()
}

fn pieces(sale: &Transaction) -> i64 {
    sale.items.iter().fold(0, |sum: i64, line| sum.saturating_add(line.qty))
}

/// Rows of the payments of a sale.
pub fn payments<'a>(
    store_id: &'a str,
    event_id: &'a str,
    payments: impl Iterator<Item = &'a Payment> + 'a,
) -> impl Iterator<Item = Vec<Cell>> + 'a {
    (0_i64..).zip(payments).map(move |(position, payment)| {
        row![
            store_id,
            event_id,
            position,
            payment.payment_id.0.as_str(),
            payment.method.as_str(),
            payment.amount,
            payment.rounding,
            payment.reference.clone(),
            payment.paid_at.0,
        ]
    })
}

impl Projection<'_> {
    fn local_hour(&self, at: UtcMs) -> String {
        at.timestamp().to_zoned(self.zone.clone()).strftime("%Y-%m-%dT%H:00").to_string()
    }

    pub(super) fn audited(&mut self, event_id: &str, recorded: &AuditRecorded) {
        let AuditRecorded { business_date, entry } = recorded;
        let day = business_date.unwrap_or_else(|| entry.at.timestamp().to_zoned(self.zone.clone()).date());
        self.audit.push(row![
            self.store_id,
            event_id,
            searched(entry.user_id.as_str()),
            searched(&entry.action),
            entry.at.0,
            day.to_string(),
        ]);
    }

    /// Registers the number of a document, so that it is found by it; none: it is not this store's to give, and
    /// must not stand in the way of the one who may.
    fn own_number(&mut self, event_id: &str, receipt_no: Option<&str>) -> Option<String> {
        let receipt_no = receipt_no?.to_owned();
        if is_numbered_by(&receipt_no, self.store_id) {
            self.receipts.entry(receipt_no.clone()).or_default().push(event_id.to_owned());
            return Some(receipt_no);
        }
        self.foreign_receipts.push((event_id.to_owned(), receipt_no));
        None
    }

    pub(super) fn sale(&mut self, event_id: &str, paid: &TransactionPaid) {
        let sale = &paid.transaction;
        let paid_at = sale.paid_at.unwrap_or(sale.occurred_at);
        let receipt_no = self.own_number(event_id, sale.receipt_no.as_deref());
        self.sales.push(row![
            self.store_id,
            event_id,
            sale.transaction_id.0.as_str(),
            receipt_no,
            sale.shift_id.0.as_str(),
            sale.register_id.0.as_str(),
            sale.cashier_id.0.as_str(),
            sale.member_id.as_ref().map(|id| id.0.clone()),
            sale.business_date.to_string(),
            self.local_hour(paid_at),
            paid_at.0,
            pieces(sale),
            sale.subtotal,
            sale.discount,
            sale.tax,
            sale.rounding,
            sale.total,
        ]);
        self.lines(event_id, paid);
        self.paid(event_id, sale);
        let sums = self.sums.get_or_insert_default();
        sums.sale(sale, 1);
    }

    fn lines(&mut self, event_id: &str, paid: &TransactionPaid) {
        for (position, line) in (0_i64..).zip(&paid.transaction.items) {
            let effect = paid.lines.iter().find(|effect| effect.line_no == line.line_no);
            self.sale_lines.push(row![
                self.store_id,
                event_id,
                position,
                line.sku.0.as_str(),
                line.name.as_str(),
                line.qty,
                line.qty.saturating_mul(line.price),
                line.discount,
                line.tax,
                line.total,
                effect.map_or(0, |effect| effect.cost),
            ]);
        }
    }

    fn paid(&mut self, event_id: &str, sale: &Transaction) {
        let accepted = sale.payments.iter().filter(|payment| payment.counts());
        self.payments.extend(payments(self.store_id, event_id, accepted));
    }

    pub(super) fn tender(&mut self, sale: &Transaction, rounding: i64) {
        let sums = self.sums.get_or_insert_default();
        sums.rounding = sums.rounding.saturating_add(rounding);
        let accepted = sale.payments.iter().filter(|payment| payment.counts());
        self.tenders.push((sale.transaction_id.0.clone(), accepted.cloned().collect()));
    }

    pub(super) fn void(&mut self, event_id: &str, sale: &Transaction) {
        self.voids.push((Voided::Sale, sale.transaction_id.0.clone(), event_id.to_owned()));
        self.taken_back.push(TakenOf {
            event_id: event_id.to_owned(),
            transaction_id: Some(sale.transaction_id.0.clone()),
            receipt_no: None,
            skus: None,
        });
        let sums = self.sums.get_or_insert_default();
        sums.sale(sale, -1);
        Sums::add([(&mut sums.voids_count, 1), (&mut sums.voids_total, sale.total)]);
    }

    pub(super) fn returned(&mut self, event_id: &str, back: &Return) {
        let receipt_no = self.own_number(event_id, Some(&back.receipt_no));
        self.returns.push(row![
            self.store_id,
            event_id,
            back.return_id.0.as_str(),
            receipt_no.unwrap_or_default(),
            back.transaction_id.as_ref().map(|id| id.0.clone()),
            back.shift_id.0.as_str(),
            back.cashier_id.0.as_str(),
            back.member_id.as_ref().map(|id| id.0.clone()),
            back.business_date.to_string(),
            self.local_hour(back.created_at),
            back.refund_total,
            back.tax,
            back.rounding,
            back.created_at.0,
            back.origin_receipt_no.clone(),
        ]);
        self.taken_back.push(TakenOf {
            event_id: event_id.to_owned(),
            transaction_id: back.transaction_id.as_ref().map(|id| id.0.clone()),
            receipt_no: back.origin_receipt_no.clone(),
            skus: Some(back.items.iter().map(|line| line.sku.0.clone()).collect()),
        });
        for (position, line) in (0_i64..).zip(&back.items) {
            let sku = line.sku.0.as_str();
            self.return_lines.push(row![
                self.store_id,
                event_id,
                position,
                sku,
                line.qty,
                line.refund,
                line.tax,
                line.cost
            ]);
        }
        for (position, refund) in (0_i64..).zip(&back.refunds) {
            let method = refund.method.as_str();
            self.refunds.push(row![
                self.store_id,
                event_id,
                position,
                method,
                refund.amount,
                refund.rounding
            ]);
        }
        self.sums.get_or_insert_default().returned(back, 1);
    }

    pub(super) fn return_void(&mut self, event_id: &str, back: &Return) {
        self.voids.push((Voided::Return, back.return_id.0.clone(), event_id.to_owned()));
        self.sums.get_or_insert_default().returned(back, -1);
    }

    pub(super) fn shift(&mut self, shift: &Shift) {
        let state = match shift.state {
            ShiftState::Open => "open",
            ShiftState::Ended => "ended",
            ShiftState::Closed => "closed",
            ShiftState::Interrupted => "interrupted",
        };
        let cells = row![
            self.store_id,
            shift.shift_id.0.as_str(),
            shift.register_id.0.as_str(),
            shift.business_date.to_string(),
            state,
            shift.opened_by.0.as_str(),
            shift.opened_at.0,
            shift.opening_float,
            shift.closed_by.as_ref().map(|id| id.0.clone()),
            shift.closed_at.map(|at| at.0),
            shift.counted_cash,
            shift.expected_cash,
            shift.variance,
            shift.z_no.map(signed),
        ];
        self.shifts.insert(shift.shift_id.0.clone(), cells);
    }

    pub(super) fn receiving(&mut self, event_id: &str, receiving: &Receiving) {
        self.receivings.push(row![
            self.store_id,
            event_id,
            receiving.receiving_id.0.as_str(),
            receiving.business_date.to_string(),
            receiving.supplier_id.clone(),
            receiving.po_id.clone(),
            receiving.delivery_note_no.clone(),
            receiving.total_cost,
            receiving.created_at.0,
        ]);
        for (position, line) in (0_i64..).zip(&receiving.lines) {
            self.receiving_lines.push(row![
                self.store_id,
                event_id,
                position,
                line.sku.0.as_str(),
                line.qty,
                line.rejected_qty,
                line.unit_cost,
                line.cost,
                line.correction,
            ]);
        }
        self.ordered(event_id, receiving, 1);
    }

    /// What came against an order, or went back again.
    pub(super) fn ordered(&mut self, event_id: &str, receiving: &Receiving, sign: i64) {
        let Some(po_id) = &receiving.po_id else { return };
        let mut pieces: BTreeMap<String, i64> = BTreeMap::new();
        for line in &receiving.lines {
            let sum = pieces.entry(line.sku.0.clone()).or_default();
            *sum = sum.saturating_add(line.qty.saturating_mul(sign));
        }
        self.shared.orders.push(Came { po_id: po_id.clone(), event_id: event_id.to_owned(), pieces });
    }
}

impl Sums {
    fn sale(&mut self, sale: &Transaction, sign: i64) {
        let part = |figure: i64| figure.saturating_mul(sign);
        Self::add([
            (&mut self.sales_count, sign),
            (&mut self.items_count, part(pieces(sale))),
            (&mut self.gross, part(sale.subtotal)),
            (&mut self.discount, part(sale.discount)),
            (&mut self.tax, part(sale.tax)),
            (&mut self.rounding, part(sale.rounding)),
            (&mut self.total, part(sale.total)),
        ]);
    }

    fn returned(&mut self, back: &Return, sign: i64) {
        Self::add([
            (&mut self.returns_count, sign),
            (&mut self.returns_total, back.refund_total.saturating_mul(sign)),
            (&mut self.returns_tax, back.tax.saturating_mul(sign)),
        ]);
    }
}
