//! Days of books, listed, locked and opened again.

use crate::http::paged_list::page_query;
use crate::http::prelude::*;
use crate::office::finance::day::{self, Bookmark, Filter, State};
use crate::office::finance::locking::{LockRequest, Locked, Unlock};
use jiff::civil::Date;

const DAY: &str = r#"{"store_id": "S001", "business_date": "2026-11-20", "state": "locked", "sealed": true,
    "complete": true, "shifts_open": 0, "parked": 0, "settlement_state": null, "entries": 4, "late_out": 0,
    "late_in": 0, "locked_at": "2026-11-21T02:06:34.739Z", "locked_by": "usr_1", "reason": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/finance/days", FINANCE, "Finance")
        .summary("List days of the books that have entries or a state, newest first")
        .lists::<DaysQuery>(DAY),
    post("/api/finance/days/:date/lock", FINANCE, "Finance")
        .summary("Lock all open days up to this date, in all books or in the listed ones")
        .refuses(&[Code::NotReady])
        .command_or_default::<LockRequest>(
            r#"{"store_ids": ["S001"], "force": true, "reason": "offline, sales follow"}"#,
            r#"{"locked": [{"store_id": "S001", "from": "2026-11-19", "to": "2026-11-20"}], "forced": [
            {"code": "store_not_heard", "store_id": "S001", "date": null, "id": null,
            "message": "S001 was not heard since 2026-11-20 ended"}], "more": 0, "warnings": []}"#,
        ),
    post("/api/finance/days/:date/unlock", ADMIN, "Finance")
        .summary("Unlock a day of a book")
        .refuses(&[Code::InvalidState])
        .command::<Unlock>(r#"{"store_id": "S001", "reason": "a bill was forgotten"}"#, DAY),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DaysQuery {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
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
page_query!(DaysQuery);

impl PagedList for DaysQuery {
    type Query = Self;
    type Item = day::View;
    type Position = Bookmark;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<day::View>, Failure> {
        let mut connection = page.pool.acquire().await?;
        let store_id = page.query.store_id.clone();
        let filter = Filter { store_id, from: page.query.from, to: page.query.to, state: page.query.state };
        Ok(day::list(&mut connection, &filter, page.after.as_ref(), page.limit).await?)
    }
    fn position(day: &day::View) -> Bookmark {
        (day.business_date, day.store_id.clone())
    }
}

fn day(tx: &Tx<'_>) -> Result<Date, ApiError> {
    tx.path.get("date").parse().map_err(|_| ApiError::not_found("the day"))
}

impl Command for LockRequest {
    const ACTION: &'static str = "finance.day_locked";
    type Answer = Locked;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Locked>, Failure> {
        let (asked, day) = (self, day(tx)?);
        let locked = tx.writer().await?.lock(tx.connection, day, &asked).await?;
        let stores = asked.store_ids.as_ref().map(|stores| stores.join(", "));
        let details = json!({"date": day, "stores": stores, "force": asked.force, "reason": asked.reason,
            "books": locked.locked.len(), "forced": locked.forced.len().saturating_add(locked.more)});
        Ok(Changed::answer(&locked, details))
    }
}

impl Command for Unlock {
    const ACTION: &'static str = "finance.day_unlocked";
    type Answer = day::View;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<day::View>, Failure> {
        let (asked, day) = (self, day(tx)?);
        tx.writer().await?.unlock(tx.connection, day, &asked).await?;
        let details = json!({"date": day, "store_id": asked.store_id, "reason": asked.reason});
        let filter = Filter { store_id: Some(asked.store_id), from: Some(day), to: Some(day), state: None };
        let found = day::list(tx.connection, &filter, None, 1).await?.pop();
        let view = found.unwrap_or_else(|| day::View::untouched(filter.store_id.unwrap_or_default(), day));
        Ok(Changed::answer(&view, details))
    }
}
