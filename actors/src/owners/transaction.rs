//! Audit entries of a transaction.

use crate::runtime::request::RequestContext;
use domain::model::base::time::UtcMs;
use domain::model::people::audit::AuditEntry;
use domain::model::selling::transaction::Transaction;
use serde_json::{Value, json};

/// The entry of an action on a transaction.
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
