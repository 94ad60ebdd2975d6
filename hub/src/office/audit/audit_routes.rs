//! The audit log of head office and of all stores.

use crate::http::{Answered, Request, change};
use crate::office::audit::audit_log::{self, Bookmark, Filter, View};
use edge::page::{Cursor, Limit, List};
use edge::{Doc, Reply};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

/// `GET /api/audit`
pub const LIST: Doc =
    Doc::of("Audit", "What was done at head office and at every store, and what was refused, newest first")
        .query::<Ask>()
        .lists::<View>(
            r#"{"audit_id": "evt_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "origin": "hub", "store_id": "S001",
            "user_id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "action": "store.disabled",
            "at": "2026-11-20T02:06:34.739Z", "details": {"store_id": "S001"}}"#,
        );

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AuditQuery")]
struct Ask {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Done by this person.
    user_id: Option<String>,
    /// What was done, for example `store.disabled`.
    action: Option<String>,
    /// Done at this store, or about it.
    store_id: Option<String>,
    /// The first day: a store's business day, the day in UTC at head office.
    from: Option<Date>,
    /// The last day.
    to: Option<Date>,
}

/// `GET /api/audit`
pub async fn list(request: Request) -> Answered {
    let ask: Ask = request.query()?;
    let before: Option<Bookmark> = ask.cursor.as_ref().map(Cursor::read).transpose()?;
    let Ask { user_id, action, store_id, from, to, .. } = ask;
    let filter = Filter { user_id, action, store_id, from, to };
    let limit = change::one_more(ask.limit);
    let items = audit_log::list(request.state.db.pool(), &filter, before, limit).await?;
    let place = |item: &View| (item.entry.at.0, item.audit_id.clone(), item.store_id.clone());
    Ok(Reply::ok(&List::cut(items, ask.limit, place)))
}
