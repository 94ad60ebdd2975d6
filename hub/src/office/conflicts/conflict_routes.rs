//! Conflicts: values that lost, listed and put back.

use crate::http::change::{self, begun};
use crate::http::{Answered, Request, bound_page};
use crate::office::conflicts::conflict;
use crate::table::conflict::ConflictRow;
use domain::model::base::answer::Answer;
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit, List};
use edge::{Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

pub const LIST: Doc = Doc::of("Synchronisation", "List field values that lost a conflict, newest first")
    .query::<Search>()
    .answers::<List<ConflictRow>>(r#"{"items": [], "next_cursor": null}"#);
pub const RESTORE: Doc = Doc::of("Synchronisation", "Restore a value that lost a conflict, as a new write")
    .optional_body::<EmptyBody>("{}")
    .answers::<ConflictRow>(
        r#"{"kind": "conflict", "conflict_id": "cfl_00a1b2c3d4e5f607", "resource": "member", "id": "mbr_1",
            "winner": "hub", "lost_fields": {"phone": "+62811"}, "kept_fields": {"phone": "+62812"}, "store_id": "S001",
            "resolved_at": "2026-11-20T02:06:34.739Z", "restored_at": "2026-11-20T03:06:34.739Z"}"#,
    )
    .refuses(&[Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ConflictSearch")]
struct Search {
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

/// `GET /api/conflicts`
pub async fn list(request: Request) -> Answered {
    let Search { store_id, sku, member_id, state, q, from, to, limit, cursor } = request.query()?;
    change::check_q(q.as_deref())?;
    let after: (i64, String) =
        bound_page::after_in(&request, cursor.as_ref())?.unwrap_or((i64::MAX, String::new()));
    let filter = conflict::Filter { store_id, sku, member_id, state, q, from, to };
    let items = conflict::list(request.state.db.pool(), &filter, &after, change::one_more(limit)).await;
    Ok(Reply::ok(&bound_page::cut_in(&request, items?, limit, |item| {
        (item.resolved_at.0, item.conflict_id.clone())
    })?))
}

/// `POST /api/conflicts/:id/restore`
pub async fn restore(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let (hub, now) = (&request.state, clock::now());
    let mut keyed = begun!(request, now);
    let view = conflict::restore(&mut keyed.write, &hub.clock, request.param("id"), now).await?;
    let done = (
        "conflict.restored",
        json!({"conflict_id": view.conflict_id, "resource": view.resource, "id": view.id,
            "fields": view.lost_fields.keys().collect::<Vec<_>>(), "store_id": view.store_id}),
    );
    change::finish_audited(&request, keyed, done, Answer::ok(&view)).await
}
