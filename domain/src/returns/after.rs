//! What became of a paid sale: the row that returns and voids contend for.

use crate::ids::TransactionId;
use crate::points::LotPart;
use crate::refund::Paid;
use crate::transaction::{Transaction, TransactionState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A sale after its completion: returned per line, refunded per method. A sale without a row is as
/// it was sold.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SaleAfter {
    /// The sale.
    pub transaction_id: TransactionId,
    /// Pieces that came back, by line number.
    pub returned: BTreeMap<u32, i64>,
    /// Σ refunds.
    pub refunded: i64,
    /// What each method paid and gave back, in the order of use.
    pub paid: Vec<Paid>,
    /// Earned points that returns took back.
    pub points_reversed: i64,
    /// Lots that its points payments took from and that are still out.
    pub points_lots: Vec<LotPart>,
    /// It was voided.
    pub voided: bool,
}

impl SaleAfter {
    /// The row of a sale that nothing happened to yet.
    pub fn of(sale: &Transaction) -> Self {
        let mut paid: Vec<Paid> = Vec::new();
        for payment in sale.payments.iter().filter(|payment| payment.counts()) {
            match paid.iter_mut().find(|method| method.method == payment.really()) {
                Some(method) => method.amount = method.amount.saturating_add(payment.amount),
                None => {
                    let method = payment.really().to_owned();
                    paid.push(Paid { method, amount: payment.amount, refunded: 0 });
                }
            }
        }
        Self {
            transaction_id: sale.transaction_id.clone(),
            returned: BTreeMap::new(),
            refunded: 0,
            paid,
            points_reversed: 0,
            points_lots: sale.points_lots.clone(),
            voided: sale.state == TransactionState::Voided,
        }
    }

    /// Pieces of a line that came back.
    pub fn returned(&self, line_no: u32) -> i64 {
        self.returned.get(&line_no).copied().unwrap_or(0)
    }

    /// Shows on the sale, as it was completed, what became of it.
    pub fn show(&self, sale: &mut Transaction) {
        sale.refunded = self.refunded;
        for line in &mut sale.items {
            line.returned_qty = self.returned(line.line_no);
        }
    }
}
