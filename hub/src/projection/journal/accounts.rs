//! The accounts that a record is posted to: those that are mapped on its day in the books. A record that takes a
//! document back uses the document's accounts, whatever is mapped since: otherwise a balance would remain on both
//! accounts.

use super::Desk;
use crate::db::column::Columns;
use crate::projection::envelope::Understood;
use crate::table::exception::{self, Found};
use domain::rules::books::posting::{Context, Mapped, mapping_keys, undone};
use serde_json::json;
use sqlx::AnyConnection;

impl Desk<'_> {
    /// Accounts that replace those of the plan for this event.
    pub(super) async fn accounts(
        &self,
        connection: &mut AnyConnection,
        event_id: &str,
        event: &Understood,
    ) -> Result<Mapped, sqlx::Error> {
        let mut keys = mapping_keys(&event.payload);
        let Some(day) = event.business_date.filter(|_| !keys.is_empty() && !self.mappings.is_empty()) else {
            return Ok(Mapped::default());
        };
        let (mut mapped, mut closed) = (Mapped::default(), Vec::new());
        if let Some((document, undone)) = undone(&event.payload)
            && let Some(before) = self.went_to(connection, document).await?
        {
            keys.retain(|key| !undone.contains(key));
            (mapped, closed) = self.mappings.for_reversal(&before, undone);
        }
        let (new, gone) = self.mappings.on(self.entry_date(self.store_id, day), keys);
        mapped.join(new);
        closed.extend(gone);
        let found = Found { store_id: self.store_id, event_id, now: self.now };
        for mapping in closed {
            let details = json!({"of": mapping.of, "key": mapping.key, "account": mapping.account});
            exception::note(connection, found, exception::MAPPING_CLOSED, &details).await?;
        }
        Ok(mapped)
    }

    /// Accounts that the last entry of a document of the store went to. `None` if it has no entry.
    async fn went_to(
        &self,
        connection: &mut AnyConnection,
        document: &str,
    ) -> Result<Option<Mapped>, sqlx::Error> {
        if let Some(accounts) = self.went_to.get(document) {
            return Ok(Some(accounts.clone()));
        }
        let sql = "SELECT COALESCE(c.context, '{}') AS context FROM journal j LEFT JOIN posting_contexts c \
                   ON c.store_id = j.store_id AND c.event_id = j.event_id WHERE j.cause_id = $1 \
                   AND j.store_id = $2 AND j.kind = 'event' ORDER BY j.entry_no DESC LIMIT 1";
        let row = sqlx::query(sql).bind(document).bind(self.store_id).fetch_optional(connection).await?;
        row.map(|row| Ok(row.json::<Context>("context")?.accounts)).transpose()
    }
}
