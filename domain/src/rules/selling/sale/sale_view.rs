//! A voided transaction as the interface shows it.

use crate::model::people::user::Role;
use crate::model::selling::payment::ReversedPayment;
use crate::model::selling::transaction::Transaction;
use crate::rules::selling::transaction::TransactionView;
use schemars::JsonSchema;
use serde::Serialize;

/// A voided transaction, with the amounts that the cashier hands back for its payments.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VoidedTransaction")]
pub struct VoidedView<'a> {
    #[serde(flatten)]
    transaction: TransactionView<'a>,
    /// Amounts that the cashier hands back, one for each payment.
    refunds: &'a [ReversedPayment],
}

impl<'a> VoidedView<'a> {
    /// Voided transaction as `role` may see it.
    pub fn new(transaction: &'a Transaction, refunds: &'a [ReversedPayment], role: Role) -> Self {
        Self { transaction: TransactionView::new(transaction, role), refunds }
    }
}
