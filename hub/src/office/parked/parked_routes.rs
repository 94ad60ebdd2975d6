//! Parked records and conflicts: what the hub could not decide by itself.

use crate::http::{Answered, Request, bound_page, change};
use crate::ingest::replay::{self, Replayed};
use crate::office::parked::parked_list;
use crate::table::audit;
use edge::identity::EmptyBody;
use edge::page::{Cursor, Limit, List};
use edge::{ApiError, Doc, Reply, clock};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// `GET /api/parked`
pub const LIST: Doc =
    Doc::of("Synchronisation", "List records that could not be applied, with their amounts")
        .query::<Page>()
        .answers::<List<parked_list::View>>(r#"{"items": [], "next_cursor": null}"#);
/// `POST /api/parked/:id/replay`
pub const REPLAY: Doc = Doc::of("Synchronisation", "Try a parked record and all that waits with it again")
    .optional_body::<EmptyBody>("{}")
    .answers::<Replayed>(r#"{"applied": 1, "duplicates": 0, "parked": 0}"#)
    .unkeyed("trying twice is the same: what is applied is parked no longer");

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
    let (after, limit) = (
        bound_page::after_in::<String>(&request, page.cursor.as_ref())?.unwrap_or_default(),
        change::one_more(page.limit),
    );
    let (pool, store_id) = (request.state.db.pool(), page.store_id.unwrap_or_default());
    let items = parked_list::list(pool, &store_id, &after, limit).await?;
    Ok(Reply::ok(&bound_page::cut_in(&request, items, page.limit, |item| item.parked_id.clone())?))
}

/// `POST /api/parked/:id/replay`
pub async fn replay(request: Request) -> Answered {
    let EmptyBody {} = request.json()?;
    let hub = &request.state;
    let found = replay::find(hub.db.pool(), request.param("id")).await?;
    let (store_id, which) = found.ok_or_else(|| ApiError::not_found("the parked record"))?;
    // Before it is tried: what it does takes several commits.
    let mut write = hub.db.write().await?;
    let details = json!({"parked_id": request.param("id"), "store_id": store_id});
    let by = &request.caller()?.user_id;
    let noted = audit::append(&mut write, by, "parked.replayed", &details, clock::now()).await;
    noted?;
    write.commit().await?;
    // What was applied is committed, and each part was tried again where others were in the way: the whole of it is not.
    let done = replay::replay(hub, &store_id, &which).await.map_err(ApiError::from)?;
    Ok(Reply::ok(&done))
}
