//! Conflicts: values that lost, listed and put back.

use crate::http::prelude::*;
use crate::office::conflicts::conflict;
use crate::table::conflict::ConflictRow;
use jiff::civil::Date;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/conflicts", ADMIN, "Synchronisation").summary("List field values that lost a conflict, newest first")
        .lists::<Search>(""),
    post("/api/conflicts/:id/restore", ADMIN, "Synchronisation").summary("Restore a value that lost a conflict, as a new write")
    .refuses(&[Code::InvalidState])
    .step::<Restore>(
        r#"{"kind": "conflict", "conflict_id": "cfl_00a1b2c3d4e5f607", "resource": "member", "id": "mbr_1",
            "winner": "hub", "lost_fields": {"phone": "+62811"}, "kept_fields": {"phone": "+62812"}, "store_id": "S001",
            "resolved_at": "2026-11-20T02:06:34.739Z", "restored_at": "2026-11-20T03:06:34.739Z"}"#,
    ),
];

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ConflictSearch")]
pub struct Search {
    /// Only conflicts caused by this store's writes.
    store_id: Option<String>,
    /// Only conflicts about the settings of this product.
    sku: Option<String>,
    /// Only conflicts about this member.
    member_id: Option<String>,
    /// Only those whose lost value was put back, or was not.
    state: Option<conflict::State>,
    /// Text in the field's name, in the lost value or in the winning value.
    q: Option<String>,
    /// Only those decided on this day (UTC) or later.
    from: Option<Date>,
    /// Only those decided on this day (UTC) or earlier.
    to: Option<Date>,
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

page_query!(Search, q);

impl PagedList for Search {
    type Query = Self;
    type Item = ConflictRow;
    type Position = (i64, String);
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<ConflictRow>, Failure> {
        let Search { store_id, sku, member_id, state, q, from, to, .. } = page.query.clone();
        let filter = conflict::Filter { store_id, sku, member_id, state, q, from, to };
        let before = page.after.unwrap_or((i64::MAX, String::new()));
        Ok(conflict::list(page.pool, &filter, &before, page.limit).await?)
    }
    fn position(conflict: &ConflictRow) -> (i64, String) {
        (conflict.resolved_at.0, conflict.conflict_id.clone())
    }
}

without_body!(Restore);

impl Command for Restore {
    const ACTION: &'static str = "conflict.restored";
    type Answer = ConflictRow;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<ConflictRow>, Failure> {
        let view = conflict::restore(tx.connection, &tx.hub.clock, tx.path.get("id"), tx.now).await?;
        let details = json!({"conflict_id": view.conflict_id, "resource": view.resource, "id": view.id,
            "fields": view.lost_fields.keys().collect::<Vec<_>>(), "store_id": view.store_id});
        Ok(Changed::answer(&view, details))
    }
}
