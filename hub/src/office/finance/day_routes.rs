//! Days of books, listed, locked and opened again.

use crate::http::bound_page::{self, asks};
use crate::http::change::{self, begun};
use crate::http::{Answered, Request};
use crate::office::finance::day::{self, Bookmark, Filter, State};
use crate::office::finance::locking::{LockRequest, Locked, Unlock};
use crate::office::finance::writer::Writer;
use domain::model::base::answer::Answer;
use edge::page::{Cursor, Limit};
use edge::{ApiError, Code, Doc, Reply, clock};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const DAY: &str = r#"{"store_id": "S001", "business_date": "2026-11-20", "state": "locked", "sealed": true,
    "complete": true, "shifts_open": 0, "parked": 0, "settlement_state": null, "entries": 4, "late_out": 0,
    "late_in": 0, "locked_at": "2026-11-21T02:06:34.739Z", "locked_by": "usr_1", "reason": null}"#;

pub const LIST: Doc = Doc::of("Finance", "List days of the books that have entries or a state, newest first")
    .query::<DaysQuery>()
    .lists::<day::View>(DAY);
pub const LOCK: Doc =
    Doc::of("Finance", "Lock all open days up to this date, in all books or in the listed ones")
        .optional_body::<LockRequest>(
            r#"{"store_ids": ["S001"], "force": true, "reason": "offline, sales follow"}"#,
        )
        .answers::<Locked>(
            r#"{"locked": [{"store_id": "S001", "from": "2026-11-19", "to": "2026-11-20"}], "forced": [
            {"code": "store_not_heard", "store_id": "S001", "date": null, "id": null,
            "message": "S001 was not heard since 2026-11-20 ended"}], "more": 0, "warnings": []}"#,
        )
        .refuses(&[Code::NotReady]);
pub const UNLOCK: Doc = Doc::of("Finance", "Unlock a day of a book")
    .body::<Unlock>(r#"{"store_id": "S001", "reason": "a bill was forgotten"}"#)
    .answers::<day::View>(DAY)
    .refuses(&[Code::InvalidState]);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DaysQuery {
    /// Items on a page.
    #[serde(default, skip_serializing)]
    limit: Limit,
    #[serde(skip_serializing)]
    cursor: Option<Cursor>,
    /// Only days of this store's book. Empty for head office's own book.
    store_id: Option<String>,
    /// Only this day or later.
    from: Option<Date>,
    /// Only this day or earlier.
    to: Option<Date>,
    /// Only open or only locked days.
    state: Option<State>,
}
asks!(DaysQuery, "book_days");

/// `GET /api/finance/days`
pub async fn list(request: Request) -> Answered {
    let ask: DaysQuery = request.query()?;
    let before: Option<Bookmark> = bound_page::after(&ask)?;
    let mut connection = request.state.db.pool().acquire().await?;
    let filter = Filter { store_id: ask.store_id.clone(), from: ask.from, to: ask.to, state: ask.state };
    let items = day::list(&mut connection, &filter, before.as_ref(), change::one_more(ask.limit)).await?;
    Ok(Reply::ok(&bound_page::cut(&ask, items, |item| (item.business_date, item.store_id.clone()))))
}

fn day(request: &Request) -> Result<Date, ApiError> {
    request.param("date").parse().map_err(|_| ApiError::not_found("the day"))
}

/// `POST /api/finance/days/:date/lock`
pub async fn lock(request: Request) -> Answered {
    let ask: LockRequest = if request.body.is_empty() { LockRequest::default() } else { request.json()? };
    let (day, now) = (day(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let writer = Writer::alone(&mut keyed.write, &request, now).await?;
    let locked = writer.lock(&mut keyed.write, day, &ask).await?;
    let stores = ask.store_ids.as_ref().map(|stores| stores.join(", "));
    let details = json!({"date": day, "stores": stores, "force": ask.force, "reason": ask.reason,
        "books": locked.locked.len(), "forced": locked.forced.len().saturating_add(locked.more)});
    change::finish_audited(&request, keyed, ("finance.day_locked", details), Answer::ok(&locked)).await
}

/// `POST /api/finance/days/:date/unlock`
pub async fn unlock(request: Request) -> Answered {
    let ask: Unlock = request.json()?;
    let (day, now) = (day(&request)?, clock::now());
    let mut keyed = begun!(request, now);
    let writer = Writer::alone(&mut keyed.write, &request, now).await?;
    writer.unlock(&mut keyed.write, day, &ask).await?;
    let details = json!({"date": day, "store_id": ask.store_id, "reason": ask.reason});
    let filter = Filter { store_id: Some(ask.store_id), from: Some(day), to: Some(day), state: None };
    let found = day::list(&mut keyed.write, &filter, None, 1).await?.pop();
    let view = found.unwrap_or_else(|| day::View::untouched(filter.store_id.unwrap_or_default(), day));
    change::finish_audited(&request, keyed, ("finance.day_unlocked", details), Answer::ok(&view)).await
}
