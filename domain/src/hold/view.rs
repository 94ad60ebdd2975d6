//! A recalled basket as the interface shows it.

use super::Change;
use crate::transaction::{Transaction, TransactionView};
use crate::user::Role;
use schemars::JsonSchema;
use serde::Serialize;

/// A transaction that a till took, and what moved while it waited.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecalledTransaction")]
pub struct RecalledView<'a> {
    #[serde(flatten)]
    transaction: TransactionView<'a>,
    changes: &'a [Change],
}

impl<'a> RecalledView<'a> {
    /// What `role` may see.
    pub fn new(transaction: &'a Transaction, changes: &'a [Change], role: Role) -> Self {
        Self { transaction: TransactionView::new(transaction, role), changes }
    }
}
