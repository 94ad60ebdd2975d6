//! `GET /api/event-log`: events by number, for programs. Meaning of each event: `docs/events.md`.

use crate::http::prelude::*;
use crate::office::webhooks::event_types::{is_subscribable, unknown_type};
use crate::table::event_log::{self, Event, LoggedEvent};

pub const ROUTES: &[Route<Hub>] = &[get("/api/event-log", EVERYONE, "Event log")
    .summary(
        "List the events of all stores and of head office, lowest number first. An event names a document, which another operation returns. Events are kept for 30 days",
    )
    .query::<EventLogQuery>()
    .answers::<Page>(
        r#"{"items": [{"event_no": 1205, "event_id": "evt_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "type": "transaction.paid",
            "store_id": "S001", "object_type": "transaction", "object_id": "trx_019a9f00a1b27c3d8e4f5a6b7c8d9e0f",
            "occurred_at": "2026-11-20T02:06:34.739Z", "logged_at": "2026-11-20T02:06:35.102Z"}],
            "last_no": 1205, "highest_no": 1205, "has_more": false}"#,
        answers!(list),
    )];

/// Most events that one request looks at: a filter that few events match must not read the whole log.
const LOOKED_AT_MAX: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EventLogQuery {
    /// Only events with a higher `event_no`; 0 for all that are kept. The next request sends the `last_no` of this
    /// answer.
    #[serde(default)]
    #[schemars(range(min = 0))]
    after_no: i64,
    /// Items in the answer.
    #[serde(default)]
    limit: Limit,
    /// Only events of this store. Empty for head office's own events.
    store_id: Option<String>,
    /// Only events of this type, for example `transaction.paid`, or of all types of an area, for example `finance.*`.
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Events in the order of their numbers.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventLogPage")]
struct Page {
    /// Events that match the query, lowest number first.
    items: Vec<LoggedEvent>,
    /// Number of the last event that this request looked at, even if the event did not match. Send it as the next
    /// `after_no`.
    last_no: i64,
    /// Highest number of the log. A program that starts now reads its lists first, and then the events after the number
    /// that it got before.
    highest_no: i64,
    /// Whether the log has events with higher numbers. `items` can be empty even then.
    has_more: bool,
}

impl EventLogQuery {
    fn matches(&self, event: &Event) -> bool {
        self.store_id.as_ref().is_none_or(|store_id| *store_id == event.store_id)
            && self.kind.as_ref().is_none_or(|kind| event_log::is_of_type(&event.kind, kind))
    }

    /// Refuses a number whose successors are not all here.
    fn check(&self, (deleted, newest): (i64, i64)) -> Result<(), ApiError> {
        let after_no = self.after_no;
        if let Some(kind) = self.kind.as_deref().filter(|kind| !is_subscribable(kind)) {
            return Err(ApiError::invalid_query("type", unknown_type(kind)));
        }
        if after_no < 0 {
            return Err(ApiError::invalid_query("after_no", "must be 0 or more"));
        }
        if after_no > newest {
            let problem = format!(
                "is {after_no}, but the highest number of this hub is {newest}: it has another database. Read your \
                 lists again, then continue with after_no={newest}"
            );
            return Err(ApiError::invalid_query("after_no", problem));
        }
        if after_no > 0 && after_no < deleted {
            let problem = format!(
                "is {after_no}, but events up to {deleted} were deleted: they are kept for 30 days. Read your lists \
                 again, then continue with after_no={newest}"
            );
            return Err(ApiError::invalid_query("after_no", problem));
        }
        Ok(())
    }
}

/// `GET /api/event-log`
async fn list(request: Request) -> Answered {
    let query: EventLogQuery = request.query()?;
    let pool = request.state.db.pool();
    let looked_at =
        if query.kind.is_none() && query.store_id.is_none() { query.limit.one_more() } else { LOOKED_AT_MAX };
    let found = event_log::after(pool, query.after_no, i64::try_from(looked_at).unwrap_or(i64::MAX)).await?;
    // After the events: if some were deleted between the two queries, the request is refused, not answered with a gap.
    let bounds = event_log::bounds(pool).await?;
    query.check(bounds)?;
    Ok(Reply::ok(&page(&query, found, (looked_at, bounds.1))))
}

/// The first matching events of those found, of which at most `looked_at` were requested.
fn page(query: &EventLogQuery, found: Vec<Event>, (looked_at, highest_no): (usize, i64)) -> Page {
    let mut has_more = found.len() >= looked_at;
    let (mut items, mut last_no) = (Vec::new(), query.after_no);
    for event in found {
        if items.len() >= query.limit.0 {
            has_more = true;
            break;
        }
        last_no = event.event_no;
        if query.matches(&event) {
            items.push(LoggedEvent::from(event));
        }
    }
    Page { items, last_no, highest_no: highest_no.max(last_no), has_more }
}
