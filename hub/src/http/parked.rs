//! Parked records and conflicts: what the hub could not decide by itself.

use super::change::{self, begun};
use super::{Answered, Request};
use crate::audit;
use crate::conflict;
use crate::failure::Failure;
use crate::ingest::replay::{self, Replayed};
use domain::answer::Answer;
use edge::identity::Nothing;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Code, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// `GET /api/parked`
pub const LIST: Doc =
    Doc::of("Synchronisation", "List records that could not be applied, with their amounts")
        .query::<Page>()
        .answers::<List<replay::View>>(r#"{"items": [], "next_cursor": null}"#);
/// `POST /api/parked/:id/replay`
pub const REPLAY: Doc = Doc::of("Synchronisation", "Try a parked record and all that waits with it again")
    .optional_body::<Nothing>("{}")
    .answers::<Replayed>(r#"{"applied": 1, "duplicates": 0, "parked": 0}"#)
    .unkeyed("trying twice is the same: what is applied is parked no longer");
/// `GET /api/conflicts`
pub const CONFLICTS: Doc = Doc::of("Synchronisation", "List values that lost against others")
    .query::<Page>()
    .answers::<List<conflict::View>>(r#"{"items": [], "next_cursor": null}"#);
/// `POST /api/conflicts/:id/restore`
pub const RESTORE: Doc = Doc::of("Synchronisation", "Put a value that lost back, as a new write")
    .optional_body::<Nothing>("{}")
    .answers::<conflict::View>(
        r#"{"kind": "conflict", "conflict_id": "cfl_00a1b2c3d4e5f607", "resource": "member", "id": "mbr_1",
            "winner": "hub", "lost_fields": {"phone": "+62811"}, "kept_fields": {"phone": "+62812"}, "store_id": "S001",
            "resolved_at": "2026-11-20T02:06:34.739Z", "restored_at": "2026-11-20T03:06:34.739Z"}"#,
    )
    .refuses(&[Code::InvalidState]);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Page {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    store_id: Option<String>,
}

/// `GET /api/parked`
pub async fn list(request: Request) -> Answered {
    let page: Page = request.query()?;
    let (after, limit) = (change::after(page.cursor.as_ref())?, change::one_more(page.limit));
    let (pool, store_id) = (request.state.db.pool(), page.store_id.unwrap_or_default());
    let items = replay::list(pool, &store_id, &after, limit).await.map_err(Failure::from)?;
    Ok(Reply::ok(&List::cut(items, page.limit, |item| item.parked_id.clone())))
}

/// `POST /api/parked/:id/replay`
pub async fn replay(request: Request) -> Answered {
    let Nothing {} = request.json()?;
    let hub = &request.state;
    let found = replay::find(hub.db.pool(), request.param("id")).await.map_err(Failure::from)?;
    let (store_id, which) = found.ok_or_else(|| ApiError::not_found("the parked record"))?;
    // Before it is tried: what it does takes several commits.
    let mut write = hub.db.write().await.map_err(Failure::from)?;
    let details = json!({"parked_id": request.param("id"), "store_id": store_id});
    let by = &request.caller()?.user_id;
    let noted = audit::append(&mut write, by, "parked.replayed", &details, clock::now()).await;
    noted.map_err(Failure::from)?;
    write.commit().await.map_err(Failure::from)?;
    Ok(Reply::ok(&replay::replay(hub, &store_id, &which).await?))
}

/// `GET /api/conflicts`
pub async fn conflicts(request: Request) -> Answered {
    let page: Page = request.query()?;
    let after: (i64, String) =
        page.cursor.as_ref().map(Cursor::read).transpose()?.unwrap_or((i64::MAX, String::new()));
    let limit = change::one_more(page.limit);
    let (pool, store_id) = (request.state.db.pool(), page.store_id.unwrap_or_default());
    let items = conflict::list(pool, &store_id, &after, limit).await.map_err(Failure::from)?;
    Ok(Reply::ok(&List::cut(items, page.limit, |item| (item.resolved_at.0, item.conflict_id.clone()))))
}

/// `POST /api/conflicts/:id/restore`
pub async fn restore(request: Request) -> Answered {
    let Nothing {} = request.json()?;
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
