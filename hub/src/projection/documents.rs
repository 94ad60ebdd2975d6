//! Rows of documents.

use crate::db::insert::NewRow;
use crate::projection::fold::{OrderReceipt, Projection, ReturnedFrom, RightTender, Sums, Voided};
use crate::row;
use crate::table::audit;
use domain::model::base::figures::{Money, Quantity};
use domain::model::base::time::UtcMs;
use domain::model::books::deposit::Deposit;
use domain::model::books::register::is_numbered_by;
use domain::model::inventory::receiving::Receiving;
use domain::model::selling::returns::Return;
use domain::model::selling::transaction::{Payment, Transaction};
use domain::wire::record::{AuditRecorded, Effect, ReturnRecord, TransactionPaid};
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};

/// Most characters of an ID or an action that the search in the audit log uses.
const SEARCHED_CHARS_MAX: usize = 128;

/// Text that the indexes of both engines accept, whatever a store sends; the record keeps the whole text.
fn searched(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').take(SEARCHED_CHARS_MAX).collect()
}

fn pieces(sale: &Transaction) -> Quantity {
    sale.items.iter().map(|line| line.qty).sum()
}

/// Rows of the payments of a sale that counts for that day.
pub fn payments<'a>(
    store_id: &'a str,
    event_id: &'a str,
    business_date: &'a str,
    payments: impl Iterator<Item = &'a Payment> + 'a,
) -> impl Iterator<Item = NewRow> + 'a {
    let mut seen = BTreeSet::new();
    (0_i64..).zip(payments).map(move |(position, payment)| {
        let is_first = i64::from(seen.insert(payment.method.as_str()));
        row! {
            store_id, event_id, position, business_date, payment_id: payment.payment_id.0.as_str(),
            method: payment.method.as_str(), amount: payment.amount, rounding: payment.rounding,
            reference: payment.reference.clone(), paid_at: payment.paid_at.0, is_first,
        }
    })
}

/// The hour of a moment, as a clock in the store shows it.
pub(crate) fn local_hour(zone: &TimeZone, at: UtcMs) -> String {
    at.timestamp().to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:00").to_string()
}

impl Projection<'_> {
    fn local_hour(&self, at: UtcMs) -> String {
        local_hour(self.zone, at)
    }

    pub(crate) fn audited(&mut self, event_id: &str, recorded: &AuditRecorded) {
        let AuditRecorded { business_date, entry } = recorded;
        let day = business_date.unwrap_or_else(|| entry.at.timestamp().to_zoned(self.zone.clone()).date());
        self.audit.push(row! {
            store_id: self.store_id, event_id, user_id: searched(entry.user_id.as_str()),
            action: searched(&entry.action), at: entry.at.0, day: day.to_string(),
            object_id: searched(audit::object(&entry.details).map(|(_, id)| id).unwrap_or_default()),
        });
    }

    /// Registers the number of a document, so that the document is found by it. `None` if the number belongs to another
    /// store, which must remain able to use it.
    fn own_number(&mut self, event_id: &str, receipt_no: Option<&str>) -> Option<String> {
        let receipt_no = receipt_no?.to_owned();
        if is_numbered_by(&receipt_no, self.store_id) {
            self.receipts.entry(receipt_no.clone()).or_default().push(event_id.to_owned());
            return Some(receipt_no);
        }
        self.foreign_receipts.push((event_id.to_owned(), receipt_no));
        None
    }

    pub(crate) fn sale(&mut self, event_id: &str, paid: &TransactionPaid) {
        let sale = &paid.transaction;
        let paid_at = sale.paid_at.unwrap_or(sale.occurred_at);
        let receipt_no = self.own_number(event_id, sale.receipt_no.as_deref());
        let business_date = self.add_day(sale.business_date);
        self.sales.push(row! {
            store_id: self.store_id, event_id, transaction_id: sale.transaction_id.0.as_str(), receipt_no,
            shift_id: sale.shift_id.0.as_str(), register_id: sale.register_id.0.as_str(),
            cashier_id: sale.cashier_id.0.as_str(),
            member_id: sale.member_id.as_ref().map(|id| id.0.clone()),
            business_date, local_hour: self.local_hour(paid_at),
            paid_at: paid_at.0, items_count: pieces(sale), gross: sale.subtotal, discount: sale.discount,
            tax: sale.tax, rounding: sale.rounding, total: sale.total, updated_at: 0_i64,
        });
        self.lines(event_id, paid);
        self.paid(event_id, sale);
        let sums = self.sums.get_or_insert_default();
        sums.sale(sale, 1);
    }

    fn lines(&mut self, event_id: &str, paid: &TransactionPaid) {
        let mut seen = BTreeSet::new();
        for (position, line) in (0_i64..).zip(&paid.transaction.items) {
            let effect = paid.lines.iter().find(|effect| effect.line_no == line.line_no);
            self.sale_lines.push(row! {
                store_id: self.store_id, event_id, position,
                business_date: paid.transaction.business_date.to_string(), sku: line.sku.0.as_str(),
                name: line.name.as_str(), qty: line.qty, gross: line.price.saturating_mul(line.qty.get()),
                discount: line.discount, tax: line.tax, tax_code: line.tax_code.clone(),
                tax_rate_bp: i64::from(line.tax_rate_bp), total: line.total, category: "",
                cost: effect.map_or(Money::ZERO, |effect| effect.cost),
                correction: effect.map_or(Money::ZERO, |effect| effect.correction),
                balance_after: effect.map(|effect| effect.balance_after), is_first: i64::from(seen.insert(&line.sku)),
            });
        }
    }

    fn paid(&mut self, event_id: &str, sale: &Transaction) {
        let accepted = sale.payments.iter().filter(|payment| payment.counts());
        let day = sale.business_date.to_string();
        self.payments.extend(payments(self.store_id, event_id, &day, accepted));
    }

    pub(crate) fn tender(&mut self, event_id: &str, sale: &Transaction, rounding: Money, effect: &Effect) {
        let sums = self.sums.get_or_insert_default();
        sums.rounding = sums.rounding.saturating_add(rounding);
        self.tenders.push(RightTender {
            event_id: event_id.to_owned(),
            transaction_id: sale.transaction_id.0.clone(),
            business_date: sale.business_date,
            payments: sale.payments.iter().filter(|payment| payment.counts()).cloned().collect(),
            moved: effect.methods.iter().map(|(_, method, amount)| (method.clone(), *amount)).collect(),
        });
    }

    pub(crate) fn void(&mut self, event_id: &str, sale: &Transaction) {
        self.voids.push((Voided::Sale, sale.transaction_id.0.clone(), event_id.to_owned()));
        self.taken_back.push(ReturnedFrom {
            event_id: event_id.to_owned(),
            transaction_id: Some(sale.transaction_id.0.clone()),
            receipt_no: None,
            skus: None,
        });
        let sums = self.sums.get_or_insert_default();
        sums.sale(sale, -1);
        sums.voids_count = sums.voids_count.saturating_add(1);
        Sums::add([(&mut sums.voids_total, sale.total)]);
    }

    pub(crate) fn returned(&mut self, event_id: &str, reported: &ReturnRecord) {
        let back = &reported.document;
        let receipt_no = self.own_number(event_id, Some(&back.receipt_no));
        let business_date = self.add_day(back.business_date);
        self.returns.push(row! {
            store_id: self.store_id, event_id, return_id: back.return_id.0.as_str(),
            receipt_no: receipt_no.unwrap_or_default(),
            transaction_id: back.transaction_id.as_ref().map(|id| id.0.clone()),
            shift_id: back.shift_id.0.as_str(), cashier_id: back.cashier_id.0.as_str(),
            member_id: back.member_id.as_ref().map(|id| id.0.clone()),
            business_date, local_hour: self.local_hour(back.created_at),
            refund_total: back.refund_total, tax: back.tax, rounding: back.rounding,
            created_at: back.created_at.0, origin_receipt_no: back.origin_receipt_no.clone(), updated_at: 0_i64,
        });
        self.taken_back.push(ReturnedFrom {
            event_id: event_id.to_owned(),
            transaction_id: back.transaction_id.as_ref().map(|id| id.0.clone()),
            receipt_no: back.origin_receipt_no.clone(),
            skus: Some(back.items.iter().map(|line| line.sku.0.clone()).collect()),
        });
        let mut seen = BTreeSet::new();
        for (position, line) in (0_i64..).zip(&back.items) {
            let disposition = line.disposition.name();
            let sku = line.sku.0.as_str();
            let effect = reported.lines.iter().find(|effect| effect.line_no == line.line_no);
            self.return_lines.push(row! {
                store_id: self.store_id, event_id, position, business_date: back.business_date.to_string(), sku, qty: line.qty, refund: line.refund,
                tax: line.tax, tax_rate_bp: i64::from(line.tax_rate_bp),
                sold_line_no: line.sold_line_no.map(i64::from), cost: line.cost,
                category: "", disposition, correction: effect.map_or(Money::ZERO, |effect| effect.correction),
                balance_after: effect.map(|effect| effect.balance_after), is_first: i64::from(seen.insert(disposition)),
            });
        }
        for (position, refund) in (0_i64..).zip(&back.refunds) {
            let method = refund.method.as_str();
            self.refunds.push(row! {
                store_id: self.store_id, event_id, position, method, amount: refund.amount,
                rounding: refund.rounding,
            });
        }
        self.sums.get_or_insert_default().returned(back, 1);
    }

    pub(crate) fn return_void(&mut self, event_id: &str, back: &Return) {
        self.voids.push((Voided::Return, back.return_id.0.clone(), event_id.to_owned()));
        // It takes no pieces of its sale, whose `refunded` is less from now on.
        self.taken_back.push(ReturnedFrom {
            event_id: event_id.to_owned(),
            transaction_id: back.transaction_id.as_ref().map(|id| id.0.clone()),
            receipt_no: back.origin_receipt_no.clone(),
            skus: Some(BTreeSet::new()),
        });
        self.sums.get_or_insert_default().returned(back, -1);
    }

    pub(crate) fn deposit(&mut self, event_id: &str, deposit: &Deposit) {
        let business_date = self.add_day(deposit.business_date);
        self.deposits.push(row! {
            store_id: self.store_id, event_id, deposit_id: deposit.deposit_id.0.as_str(),
            business_date, amount: deposit.amount,
            reverses: deposit.reverses.as_ref().map(|id| id.0.clone()), bag_no: deposit.bag_no.as_str(),
            bank_account: deposit.bank_account.as_str(), deposited_at: deposit.deposited_at.0,
        });
    }

    /// Adds pieces that were received for an order, or subtracts returned ones.
    pub(crate) fn ordered(&mut self, event_id: &str, receiving: &Receiving, sign: i64) {
        let Some(po_id) = &receiving.po_id else { return };
        let (mut pieces, mut rejected) = (BTreeMap::new(), BTreeMap::new());
        for line in &receiving.lines {
            for (sums, qty) in [(&mut pieces, line.qty), (&mut rejected, line.rejected_qty)] {
                let sum: &mut Quantity = sums.entry(line.sku.0.clone()).or_default();
                *sum = sum.saturating_add(qty.saturating_mul(sign));
            }
        }
        let (po_id, event_id) = (po_id.clone(), event_id.to_owned());
        self.shared.orders.push(OrderReceipt { po_id, event_id, pieces, rejected });
    }
}

impl Sums {
    fn sale(&mut self, sale: &Transaction, sign: i64) {
        let part = |figure: Money| figure.saturating_mul(sign);
        self.sales_count = self.sales_count.saturating_add(sign);
        Self::add([
            (&mut self.gross, part(sale.subtotal)),
            (&mut self.discount, part(sale.discount)),
            (&mut self.tax, part(sale.tax)),
            (&mut self.rounding, part(sale.rounding)),
            (&mut self.total, part(sale.total)),
        ]);
        self.items_count = self.items_count.saturating_add(pieces(sale).saturating_mul(sign));
    }

    fn returned(&mut self, back: &Return, sign: i64) {
        self.returns_count = self.returns_count.saturating_add(sign);
        Self::add([
            (&mut self.returns_total, back.refund_total.saturating_mul(sign)),
            (&mut self.returns_tax, back.tax.saturating_mul(sign)),
        ]);
    }
}
