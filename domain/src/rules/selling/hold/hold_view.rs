//! A recalled basket as the interface shows it.

use crate::model::people::user::Role;
use crate::model::selling::transaction::Transaction;
use crate::rules::selling::hold::Change;
use crate::rules::selling::transaction::TransactionView;
use schemars::JsonSchema;
use serde::Serialize;

/// A recalled transaction, with the figures that changed while it was on hold.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecalledTransaction")]
pub struct RecalledView<'a> {
    #[serde(flatten)]
    transaction: TransactionView<'a>,
    /// Figures that changed when the basket was priced again. Empty if none did.
    changes: &'a [Change],
}

impl<'a> RecalledView<'a> {
    /// Recalled transaction as `role` may see it.
    pub fn new(transaction: &'a Transaction, changes: &'a [Change], role: Role) -> Self {
        Self { transaction: TransactionView::new(transaction, role), changes }
    }
}
