//! What is said of a transaction: the answer to its till, and the entry of the audit log.

use crate::runtime::request::RequestContext;
use domain::model::base::answer::Answer;
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use domain::model::people::user::Role;
use domain::model::selling::transaction::Transaction;
use domain::rules::selling::transaction::TransactionView;
use serde_json::{Value, json};

/// 201 or 200 with the transaction as this role may see it.
pub(crate) fn transaction_answer(created: bool, transaction: &Transaction, role: Role) -> Answer {
    let view = TransactionView::new(transaction, role);
    if created {
        Answer::created(format!("/api/pos/transactions/{}", transaction.transaction_id), &view)
    } else {
        Answer::ok(&view)
    }
}

/// The entry of what was done to a transaction.
pub(crate) fn audit_entry(
    request: &RequestContext,
    action: &str,
    transaction: &Transaction,
    now: UtcMs,
    details: Value,
) -> AuditEntry {
    let Transaction { transaction_id, receipt_no, .. } = transaction;
    let which = json!({"transaction_id": transaction_id, "receipt_no": receipt_no});
    AuditEntry::new(&request.authorization(), action, now, which).with(details)
}
