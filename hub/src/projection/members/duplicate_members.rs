//! Two members with one phone, e-mail or code: stores that were apart registered both, and a person decides.

use crate::projection::announce::Named;
use crate::projection::fields::{self, MEMBER};
use crate::table::exception::{self, Found};
use crate::table::member::{self, UNIQUE};
use domain::model::base::time::UtcMs;
use serde_json::json;
use sqlx::AnyConnection;

/// Notes that another member has the same phone, e-mail or code; it names the field, never its value. The lane of
/// members is locked, so of two batches the second sees the first one's report.
pub async fn note(connection: &mut AnyConnection, named: &Named, now: UtcMs) -> Result<(), sqlx::Error> {
    let id = member::end(connection, &named.member_id).await?;
    let known = fields::read(connection, MEMBER, &named.member_id).await?;
    for field in UNIQUE {
        let Some(value) = known.get(field).map(|known| &known.value).filter(|value| !value.is_null()) else {
            continue;
        };
        let Some(other) = member::other(connection, &id, field, value).await? else { continue };
        let details = json!({"member_id": id, "other_member_id": other, "field": field});
        let found = Found { store_id: &named.store_id, event_id: &named.event_id, now };
        return exception::note(connection, found, exception::MEMBER_TWICE, &details).await;
    }
    Ok(())
}
