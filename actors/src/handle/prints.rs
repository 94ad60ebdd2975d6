//! Prints of receipts: the first is the original; each later one is a copy, which is reported to head office.

use super::StoreHandle;
use crate::runtime::command::COMMAND_DEADLINE;
use crate::runtime::failure::Failure;
use crate::runtime::request::RequestContext;
use domain::model::base::event::fact;
use domain::model::people::audit::{AuditEntry, RECEIPT_PRINTED};
use domain::wire::record;
use serde_json::json;
use storage::Commit;

impl StoreHandle {
    /// Notes that a receipt is printed; true: it was before, this is a copy.
    ///
    /// A store whose disk is full still prints; the print then says that it is a copy.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] while too much is printed, [`Failure::Unconfirmed`] while the daemon stops,
    /// [`Failure::Internal`].
    pub async fn print_receipt(&self, request: &RequestContext, receipt_no: &str) -> Result<bool, Failure> {
        // Two at once must not both be the original.
        let turn = tokio::time::timeout(COMMAND_DEADLINE, self.prints.lock()).await;
        let _turn = turn.map_err(|_| Failure::Unavailable("too many receipts are being printed"))?;
        let storage = &self.context.storage;
        if storage.writable().is_err() {
            return Ok(true);
        }
        let copy = storage.sales().receipt_printed(receipt_no)?;
        let (stamp, rules) = (self.context.stamps.stamp(), &self.context.rules.now());
        let details = json!({"receipt_no": receipt_no, "copy": copy});
        let entry = AuditEntry::unapproved(&request.caller.user_id, RECEIPT_PRINTED, stamp.now, details);
        let entry = AuditEntry { register_id: request.register_id.clone(), ..entry };
        let date = rules.business_date(stamp.now);
        let records = copy.then(|| record::audit_recorded(&stamp, Some(date), &entry)).into_iter().collect();
        let hlc = copy.then_some(stamp.at);
        let commit =
            Commit { events: vec![fact::Audited { entry }.into()], records, keyed: None, at: stamp.now, hlc };
        self.write(commit).await?;
        Ok(copy)
    }
}
