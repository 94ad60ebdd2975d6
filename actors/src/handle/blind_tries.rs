//! Records each refused count of a cashier who must not see the expected cash, in the audit log.

use super::StoreHandle;
use crate::runtime::failure::Failure;
use crate::runtime::request::RequestContext;
use domain::model::base::event::fact;
use domain::model::base::figures::Money;
use domain::model::base::ids::ShiftId;
use domain::model::people::audit::AuditEntry;
use domain::rules::books::shift::is_blind_try;
use domain::wire::record;
use serde_json::json;
use storage::Commit;

impl StoreHandle {
    /// Stores the refused figure of a blind count, if the refusal reveals something about the drawer. The shift counts
    /// the attempts itself. If storing fails, a warning is logged and the refusal stays.
    pub async fn note_blind_try(
        &self,
        request: &RequestContext,
        shift_id: &ShiftId,
        amount: Money,
        refused: &Failure,
    ) {
        let Failure::Refused(refusal) = refused else { return };
        let rules = self.context.rules.now();
        if !is_blind_try(refusal, &request.authorization(), &rules) {
            return;
        }
        let stamp = self.context.stamps.stamp();
        let details = json!({"shift_id": shift_id, "amount": amount});
        let entry = AuditEntry::new(&request.authorization(), "shift.count_refused", stamp.now, details);
        let records = vec![record::audit_recorded(&stamp, Some(rules.business_date(stamp.now)), &entry)];
        let events = vec![fact::Audited { entry }.into()];
        let commit = Commit { events, records, keyed: None, at: stamp.now, hlc: Some(stamp.at) };
        if let Err(error) = self.write(commit).await {
            tracing::warn!(%error, %shift_id, "a refused count could not be stored");
        }
    }
}
