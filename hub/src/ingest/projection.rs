//! Folding records into rows and sums; pure, so that a batch becomes few statements.

use super::envelope::Effect;
use crate::db::insert::Cell;
use crate::row;
use domain::receiving::Receiving;
use domain::record::TransactionPaid;
use domain::shift::{Shift, ShiftState};
use domain::transaction::PaymentState;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;

/// What a batch does to the projections. Sums saturate: a poisoned one then fails at the table's bound.
pub struct Projection<'a> {
    pub(super) store_id: &'a str,
    zone: &'a TimeZone,
    pub(super) sales: Vec<Vec<Cell>>,
    pub(super) sale_lines: Vec<Vec<Cell>>,
    pub(super) payments: Vec<Vec<Cell>>,
    pub(super) receivings: Vec<Vec<Cell>>,
    pub(super) receiving_lines: Vec<Vec<Cell>>,
    /// The last of each shift.
    pub(super) shifts: BTreeMap<String, Vec<Cell>>,
    pub(super) receipts: BTreeMap<String, Vec<String>>,
    pub(super) sums: Option<Sums>,
    /// Σ (amount + rounding) by shift and method.
    pub(super) methods: BTreeMap<(String, String), i64>,
    /// Pieces and value by sku.
    pub(super) stock: BTreeMap<String, (i64, i64)>,
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
            receivings: Vec::new(),
            receiving_lines: Vec::new(),
            shifts: BTreeMap::new(),
            receipts: BTreeMap::new(),
            sums: None,
            methods: BTreeMap::new(),
            stock: BTreeMap::new(),
        }
    }

    /// Adds what a record does.
    pub fn fold(&mut self, event_id: &str, effect: &Effect) {
        match effect {
            Effect::Sale(paid) => self.sale(event_id, paid),
            Effect::Shift(shift) => self.shift(shift),
            Effect::Receiving(receiving) => self.receiving(event_id, receiving),
            Effect::Moved(moved) => {
                for movement in &moved.movements {
                    let value = movement.cost.saturating_sub(movement.correction);
                    self.move_stock(&movement.sku.0, movement.qty, value);
                }
            }
            Effect::Kept => {}
        }
    }

    fn sale(&mut self, event_id: &str, paid: &TransactionPaid) {
        let sale = &paid.transaction;
        let paid_at = sale.paid_at.unwrap_or(sale.occurred_at);
        let local = paid_at.timestamp().to_zoned(self.zone.clone());
        let items_count = sale.items.iter().fold(0, |sum: i64, line| sum.saturating_add(line.qty));
        self.sales.push(row![
            self.store_id,
            event_id,
            sale.transaction_id.0.as_str(),
            sale.receipt_no.clone(),
            sale.shift_id.0.as_str(),
            sale.register_id.0.as_str(),
            sale.cashier_id.0.as_str(),
            sale.member_id.as_ref().map(|id| id.0.clone()),
            sale.business_date.to_string(),
            local.strftime("%Y-%m-%dT%H:00").to_string(),
            paid_at.0,
            items_count,
            sale.subtotal,
            sale.discount,
            sale.tax,
            sale.rounding,
            sale.total,
        ]);
        if let Some(receipt_no) = &sale.receipt_no {
            self.receipts.entry(receipt_no.clone()).or_default().push(event_id.to_owned());
        }
        self.lines(event_id, paid);
        self.paid(event_id, paid);
        let sums = self.sums.get_or_insert_default();
        for (sum, part) in [
            (&mut sums.sales_count, 1),
            (&mut sums.items_count, items_count),
            (&mut sums.gross, sale.subtotal),
            (&mut sums.discount, sale.discount),
            (&mut sums.tax, sale.tax),
            (&mut sums.rounding, sale.rounding),
            (&mut sums.total, sale.total),
        ] {
            *sum = sum.saturating_add(part);
        }
    }

    fn lines(&mut self, event_id: &str, paid: &TransactionPaid) {
        for (position, line) in (0_i64..).zip(&paid.transaction.items) {
            let effect = paid.lines.iter().find(|effect| effect.line_no == line.line_no);
            let cost = effect.map_or(0, |effect| effect.cost);
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
                cost,
            ]);
            if let Some(effect) = effect {
                let value = effect.cost.saturating_sub(effect.correction);
                self.move_stock(&line.sku.0, line.qty.saturating_neg(), value);
            }
        }
    }

    fn paid(&mut self, event_id: &str, paid: &TransactionPaid) {
        let sale = &paid.transaction;
        let accepted = sale.payments.iter().filter(|payment| payment.state == PaymentState::Accepted);
        for (position, payment) in (0_i64..).zip(accepted) {
            self.payments.push(row![
                self.store_id,
                event_id,
                position,
                payment.payment_id.0.as_str(),
                payment.method.as_str(),
                payment.amount,
                payment.rounding,
                payment.reference.clone(),
                payment.paid_at.0,
            ]);
            let sum = self.methods.entry((sale.shift_id.0.clone(), payment.method.clone())).or_default();
            *sum = sum.saturating_add(payment.amount.saturating_add(payment.rounding));
        }
    }

    fn shift(&mut self, shift: &Shift) {
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
            shift.z_no.map(super::signed),
        ];
        self.shifts.insert(shift.shift_id.0.clone(), cells);
    }

    fn receiving(&mut self, event_id: &str, receiving: &Receiving) {
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
            if line.qty != 0 {
                self.move_stock(&line.sku.0, line.qty, line.cost.saturating_sub(line.correction));
            }
        }
    }

    /// Σ cost − Σ correction is the value on hand (arithmetic.md 6).
    fn move_stock(&mut self, sku: &str, qty: i64, value: i64) {
        let row = self.stock.entry(sku.to_owned()).or_default();
        *row = (row.0.saturating_add(qty), row.1.saturating_add(value));
    }
}
