//! A voided transaction as the interface shows it.

use super::GivenBack;
use crate::transaction::{Transaction, TransactionView};
use crate::user::Role;
use schemars::JsonSchema;
use serde::Serialize;

/// A transaction of which payments were reversed, and what the cashier hands back for them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VoidedTransaction")]
pub struct VoidedView<'a> {
    #[serde(flatten)]
    transaction: TransactionView<'a>,
    refunds: &'a [GivenBack],
}

impl<'a> VoidedView<'a> {
    /// What `role` may see.
    pub fn new(transaction: &'a Transaction, refunds: &'a [GivenBack], role: Role) -> Self {
        Self { transaction: TransactionView::new(transaction, role), refunds }
    }
}
