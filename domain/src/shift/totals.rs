//! Running sums of a shift (arithmetic.md 3).

use super::{Shift, ShiftTotals};
use crate::money::sum;
use crate::payment::CASH;
use crate::refusal::Refusal;
use crate::transaction::{Payment, PaymentState, Transaction};
use schemars::JsonSchema;
use serde::Serialize;

/// Where a shift's sums are blamed when they leave the range of figures.
const PATH: &str = "shift";

/// The drawer of a shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cash {
    /// In it at opening.
    pub opening_float: i64,
    /// Σ (amount + rounding) of accepted cash payments, without voided sales.
    pub sales: i64,
    /// Σ (amount + rounding) of cash refunds.
    pub refunds: i64,
    /// Put in.
    pub pay_in: i64,
    /// Taken out for costs.
    pub pay_out: i64,
    /// Brought to the safe.
    pub drops: i64,
    /// What should be in it.
    pub expected: i64,
}

impl ShiftTotals {
    /// Counts accepted payments, at once, also of a sale that is only partly paid.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn take(&mut self, payments: &[Payment]) -> Result<(), Refusal> {
        for payment in payments.iter().filter(|payment| payment.state == PaymentState::Accepted) {
            let method = self.by_method.entry(payment.method.clone()).or_default();
            method.sales = sum(PATH, [method.sales, payment.amount, payment.rounding])?;
        }
        Ok(())
    }

    /// Counts a completed sale; its payments were counted when they were accepted.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn complete(&mut self, sale: &Transaction) -> Result<(), Refusal> {
        self.sales_count = self.sales_count.saturating_add(1);
        let pieces = sale.items.iter().map(|line| line.qty);
        self.items_count = sum(PATH, pieces.chain([self.items_count]))?;
        self.gross_sales = sum(PATH, [self.gross_sales, sale.subtotal])?;
        self.discounts = sum(PATH, [self.discounts, sale.discount])?;
        self.tax = sum(PATH, [self.tax, sale.tax])?;
        self.total = sum(PATH, [self.total, sale.total])?;
        let overrides = sale.items.iter().map(|line| i64::from(line.price_override));
        self.price_overrides = sum(PATH, overrides.chain([self.price_overrides]))?;
        if self.first_receipt.is_none() {
            self.first_receipt.clone_from(&sale.receipt_no);
        }
        self.last_receipt.clone_from(&sale.receipt_no);
        Ok(())
    }

    /// Counts a transaction that was voided before anything of it was paid.
    ///
    /// # Errors
    /// `validation_failed` when a sum leaves the range of figures.
    pub fn void(&mut self, basket: &Transaction) -> Result<(), Refusal> {
        self.voids_count = self.voids_count.saturating_add(1);
        self.voids_total = sum(PATH, [self.voids_total, basket.total])?;
        Ok(())
    }
}

impl Cash {
    /// The drawer as its shift's sums say.
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
