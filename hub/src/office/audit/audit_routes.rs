//! The audit log of head office and of all stores.

use crate::http::change::one_more;
use crate::http::filtered_list::FilteredList;
use crate::http::route::{GOODS, answers};
use crate::http::{Answered, Request};
use crate::office::audit::audit_log::{self, Bookmark, Filter, View};
use crate::state::hub::Hub;
use domain::model::people::user::Role;
use edge::page::{Cursor, Limit};
use edge::{ApiError, Doc, Reply, Route};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;

pub const ROUTES: &[Route<Hub>] = &[Route::get("/api/audit", GOODS, LIST, answers!(list))];

pub const LIST: Doc =
    Doc::of("Audit", "List audited actions and refusals, of head office and all stores, newest first")
        .query::<Ask>()
        .lists::<View>(
            r#"{"audit_id": "evt_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "origin": "hub", "store_id": "S001",
            "user_name": "Ani", "object_type": "store", "object_id": "S001",
            "user_id": "usr_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "action": "store.disabled",
            "at": "2026-11-20T02:06:34.739Z", "details": {"store_id": "S001"}}"#,
        );

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AuditQuery")]
struct Ask {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Only actions of this user.
    user_id: Option<String>,
    /// Only this action, for example `store.disabled`.
    action: Option<String>,
    /// Only actions at this store or about it.
    store_id: Option<String>,
    /// Only actions on the object with this ID, for example an invoice's ID.
    object_id: Option<String>,
    /// Only those of this day or later: the business day for a store's entry, the UTC day for head office's.
    from: Option<Date>,
    /// Only those of this day or earlier.
    to: Option<Date>,
}

/// Beginnings of actions that users of finance see the entries of.
const OF_FINANCE: &[&str] = &["finance", "settlement"];
/// Beginnings of actions that users of purchasing see the entries of.
const OF_PURCHASING: &[&str] = &["purchasing", "stock"];

/// Areas that the user sees the entries of. `None` for all.
fn own_areas(request: &Request) -> Result<Option<&'static [&'static str]>, ApiError> {
    Ok(match request.caller()?.role {
        Role::HoFinance => Some(OF_FINANCE),
        Role::HoPurchasing => Some(OF_PURCHASING),
        _ => None,
    })
}

/// `GET /api/audit`
pub async fn list(request: Request) -> Answered {
    let ask: Ask = request.query()?;
    let list = FilteredList::of(&request)?;
    let before: Option<Bookmark> = list.after(ask.cursor.as_ref())?;
    let filter = Filter {
        user_id: ask.user_id.clone(),
        action: ask.action.clone(),
        store_id: ask.store_id.clone(),
        object_id: ask.object_id.clone(),
        areas: own_areas(&request)?,
        from: ask.from,
        to: ask.to,
    };
    let items = audit_log::list(request.state.db.pool(), &filter, before, one_more(ask.limit)).await?;
    Ok(Reply::ok(&list.cut(items, ask.limit, audit_log::place)))
}
