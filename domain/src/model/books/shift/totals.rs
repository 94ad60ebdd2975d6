//! Running sums of a shift (docs/arithmetic.md#shift-cash-and-numbers).

use crate::model::base::figures::Money;
use crate::model::base::money::{capped_sum, sum};
use crate::model::base::refusal::Refusal;
use crate::model::books::shift::{CashKind, Shift, ShiftTotals, TaxTotals};
use crate::model::selling::payment::CASH;
use crate::model::selling::returns::Return;
use crate::model::selling::transaction::{Payment, PaymentState, Transaction};
use schemars::JsonSchema;
use serde::Serialize;

/// Path reported when a shift's sums leave the range of figures.
const PATH: &str = "shift";

/// Cash in the drawer of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cash {
    /// Cash in the drawer at the opening, in minor currency units.
    pub opening_float: Money,
    /// Sum of amount + rounding of the accepted cash payments, in minor currency units. Voided sales are left out.
    pub sales: Money,
    /// Sum of amount + rounding of the cash refunds, in minor currency units.
    pub refunds: Money,
    /// Cash paid into the drawer for other reasons than a sale, in minor currency units.
    pub pay_in: Money,
    /// Cash paid out of the drawer for other reasons than a refund, in minor currency units.
    pub pay_out: Money,
    /// Cash moved from the drawer to the safe, in minor currency units.
    pub drops: Money,
    /// Cash expected in the drawer, in minor currency units.
    pub expected: Money,
}

impl ShiftTotals {
    /// Sum in which a movement of this kind counts. `None` if the drawer was only opened.
    pub fn of_cash(&mut self, kind: CashKind) -> Option<&mut Money> {
        match kind {
            CashKind::PayIn => Some(&mut self.pay_in),
            CashKind::PayOut => Some(&mut self.pay_out),
            CashKind::Drop => Some(&mut self.drops),
            CashKind::NoSale => None,
        }
    }

    /// Counts accepted payments, at once, also of a sale that is only partly paid.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn take(&mut self, payments: &[Payment]) -> Result<(), Refusal> {
        for payment in payments.iter().filter(|payment| payment.state == PaymentState::Accepted) {
            let method = self.by_method.entry(payment.method.clone()).or_default();
            method.sales = sum(PATH, [method.sales, payment.amount, payment.rounding])?;
            method.sales_count = method.sales_count.saturating_add(1);
            self.rounding = sum(PATH, [self.rounding, payment.rounding])?;
        }
        Ok(())
    }

    /// Removes a payment from the sums. A subtraction is never refused for its size.
    pub fn untake(&mut self, payment: &Payment) {
        let method = self.by_method.entry(payment.method.clone()).or_default();
        let (amount, rounding) = (payment.amount.saturating_neg(), payment.rounding.saturating_neg());
        method.sales = capped_sum([method.sales, amount, rounding]);
        method.sales_count = method.sales_count.saturating_sub(1);
        self.rounding = capped_sum([self.rounding, rounding]);
    }

    /// Counts a refund by a method; a negative amount takes a refund back.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn add_refund(&mut self, method: &str, amount: Money, rounding: Money) -> Result<(), Refusal> {
        let method = self.by_method.entry(method.to_owned()).or_default();
        method.refunds = sum(PATH, [method.refunds, amount, rounding])?;
        method.refunds_count = method.refunds_count.saturating_add(amount.signum());
        Ok(())
    }

    /// Sales and returns at a tax rate so far.
    fn at_rate(&mut self, tax_rate_bp: u32) -> Option<&mut TaxTotals> {
        let found = self.by_tax.binary_search_by_key(&tax_rate_bp, |of| of.tax_rate_bp);
        let place = found.unwrap_or_else(|place| {
            self.by_tax.insert(place, TaxTotals { tax_rate_bp, ..TaxTotals::default() });
            place
        });
        self.by_tax.get_mut(place)
    }

    /// Counts the lines of a sale at their rates; -1 takes them back. The sums of the shift are checked, and no rate has
    /// more than they.
    fn tax_of_sale(&mut self, sale: &Transaction, sign: i64) {
        for line in &sale.items {
            let Some(of) = self.at_rate(line.tax_rate_bp) else { continue };
            let base = line.total.saturating_sub(line.tax);
            of.base = capped_sum([of.base, base.saturating_mul(sign)]);
            of.tax = capped_sum([of.tax, line.tax.saturating_mul(sign)]);
        }
    }

    /// Counts the lines of a return at their rates; -1 takes them back.
    fn tax_of_return(&mut self, back: &Return, sign: i64) {
        for line in &back.items {
            let Some(of) = self.at_rate(line.tax_rate_bp) else { continue };
            let base = line.refund.saturating_sub(line.tax);
            of.returns_base = capped_sum([of.returns_base, base.saturating_mul(sign)]);
            of.returns_tax = capped_sum([of.returns_tax, line.tax.saturating_mul(sign)]);
        }
    }

    /// Counts a return; its refunds too.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn refund(&mut self, back: &Return) -> Result<(), Refusal> {
        self.returns_count = self.returns_count.saturating_add(1);
        self.returns_total = sum(PATH, [self.returns_total, back.refund_total])?;
        self.returns_tax = sum(PATH, [self.returns_tax, back.tax])?;
        self.returns_rounding = sum(PATH, [self.returns_rounding, back.rounding])?;
        self.tax_of_return(back, 1);
        for refund in &back.refunds {
            self.add_refund(&refund.method, refund.amount, refund.rounding)?;
        }
        self.numbered(Some(&back.receipt_no));
        Ok(())
    }

    /// Removes a return from the sums. It is never refused for its size.
    pub fn unrefund(&mut self, back: &Return) {
        self.returns_count = self.returns_count.saturating_sub(1);
        self.returns_total = capped_sum([self.returns_total, back.refund_total.saturating_neg()]);
        self.returns_tax = capped_sum([self.returns_tax, back.tax.saturating_neg()]);
        self.returns_rounding = capped_sum([self.returns_rounding, back.rounding.saturating_neg()]);
        self.tax_of_return(back, -1);
        for refund in &back.refunds {
            let method = self.by_method.entry(refund.method.clone()).or_default();
            let (amount, rounding) = (refund.amount.saturating_neg(), refund.rounding.saturating_neg());
            method.refunds = capped_sum([method.refunds, amount, rounding]);
            method.refunds_count = method.refunds_count.saturating_add(amount.signum());
        }
    }

    /// Removes a completed sale from the sums and counts it as voided. Its payments are removed one by one. Never
    /// refused for its size.
    pub fn uncomplete(&mut self, sale: &Transaction) {
        self.sales_count = self.sales_count.saturating_sub(1);
        let pieces = sale.items.iter().map(|line| line.qty.saturating_neg());
        self.items_count = capped_sum(pieces.chain([self.items_count]));
        self.gross_sales = capped_sum([self.gross_sales, sale.subtotal.saturating_neg()]);
        self.discounts = capped_sum([self.discounts, sale.discount.saturating_neg()]);
        self.tax = capped_sum([self.tax, sale.tax.saturating_neg()]);
        self.total = capped_sum([self.total, sale.total.saturating_neg()]);
        self.tax_of_sale(sale, -1);
        let overrides = sale.items.iter().map(|line| i64::from(line.price_override).saturating_neg());
        self.price_overrides = capped_sum(overrides.chain([self.price_overrides]));
        self.void(sale);
    }

    /// Counts a completed sale; its payments were counted when they were accepted.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn add_sale(&mut self, sale: &Transaction) -> Result<(), Refusal> {
        self.sales_count = self.sales_count.saturating_add(1);
        let pieces = sale.items.iter().map(|line| line.qty);
        self.items_count = sum(PATH, pieces.chain([self.items_count]))?;
        self.gross_sales = sum(PATH, [self.gross_sales, sale.subtotal])?;
        self.discounts = sum(PATH, [self.discounts, sale.discount])?;
        self.tax = sum(PATH, [self.tax, sale.tax])?;
        self.total = sum(PATH, [self.total, sale.total])?;
        self.tax_of_sale(sale, 1);
        let overrides = sale.items.iter().map(|line| i64::from(line.price_override));
        self.price_overrides = sum(PATH, overrides.chain([self.price_overrides]))?;
        self.numbered(sale.receipt_no.as_ref());
        Ok(())
    }

    /// Notes a receipt number; sales and returns share the counter.
    fn numbered(&mut self, receipt_no: Option<&String>) {
        if self.first_receipt.is_none() {
            self.first_receipt = receipt_no.cloned();
        }
        self.last_receipt = receipt_no.cloned();
    }

    /// Counts a voided transaction. The sum of voids stays at the largest figure where it would be above: a shift can
    /// always be closed.
    pub fn void(&mut self, basket: &Transaction) {
        self.voids_count = self.voids_count.saturating_add(1);
        self.voids_total = capped_sum([self.voids_total, basket.total]);
    }
}

impl Cash {
    /// Drawer of a shift, from the shift's sums.
    ///
    /// Each part is a figure below 2^53, so their sum stays within 64 bits.
    pub fn of(shift: &Shift) -> Self {
        let ShiftTotals { pay_in, pay_out, drops, .. } = shift.totals;
        let method = shift.totals.by_method.get(CASH).copied().unwrap_or_default();
        let expected = shift
            .opening_float
            .saturating_add(method.sales)
            .saturating_sub(method.refunds)
            .saturating_add(pay_in)
            .saturating_sub(pay_out)
            .saturating_sub(drops);
        let (sales, refunds) = (method.sales, method.refunds);
        Self { opening_float: shift.opening_float, sales, refunds, pay_in, pay_out, drops, expected }
    }
}
