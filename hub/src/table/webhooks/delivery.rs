//! `webhook_deliveries`: events on their way to webhooks, and recently delivered ones.

use crate::columns;
use crate::db::column::Columns;
use crate::db::filter::{Bound, Conditions};
use crate::db::insert::{self, NewRow};
use crate::row;
use crate::table::event_log::{Event, LoggedEvent};
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Error};
use std::time::Duration;

/// Delivered events stay in the list for so long.
pub const RETENTION: Duration = Duration::from_secs(7 * 24 * 3600);

/// Deliveries that are deleted in one transaction.
const SWEPT_AT_ONCE: u64 = 1_000;

/// Waiting events that have no earlier waiting event of the same document: these may be sent.
pub(super) const HEADS: &str = "webhook_deliveries d WHERE d.state = 'waiting' AND NOT EXISTS (SELECT 1 FROM \
    webhook_deliveries earlier WHERE earlier.webhook_id = d.webhook_id AND earlier.document = d.document \
    AND earlier.state = 'waiting' AND earlier.event_no < d.event_no)";

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WebhookDeliveryState")]
pub enum State {
    /// The event was not sent yet, or it was not accepted and is sent again.
    Waiting,
    /// The receiver has accepted the event.
    Delivered,
}

impl State {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::Waiting, Self::Delivered].into_iter().find(|state| state.name() == name)
    }
}

/// An event for a webhook.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "WebhookDelivery")]
pub struct Delivery {
    #[serde(flatten)]
    pub event: LoggedEvent,
    /// State of the delivery.
    pub state: State,
    /// Number of attempts since the event was queued.
    pub attempts: u32,
    /// When the event is sent next; it also waits for earlier events of its document. Null if it was delivered.
    pub next_attempt_at: Option<UtcMs>,
    /// When the first of the failed attempts was made. Null if the last attempt did not fail.
    pub failing_since: Option<UtcMs>,
    /// When the event was last sent. Null if it was not sent yet.
    pub last_attempt_at: Option<UtcMs>,
    /// HTTP status of the last answer. Null if there was none.
    pub last_status: Option<i64>,
    /// Reason why the last attempt failed. Null if it did not fail.
    pub last_error: Option<String>,
    /// When the receiver accepted the event. Null if it has not.
    pub delivered_at: Option<UtcMs>,
}

const COLUMNS: &str = "d.event_no, d.event_id, d.type AS kind, d.store_id, d.object_type, d.object_id, d.occurred_at, \
    d.logged_at, d.state, d.attempts, d.next_attempt_at, d.failing_since, d.last_attempt_at, d.last_status, d.last_error, \
    d.delivered_at";

fn read(row: &AnyRow) -> Result<Delivery, Error> {
    let event = columns!(row => Event {
        event_no, event_id, kind, store_id, object_type, object_id, occurred_at, logged_at
    });
    let state = row.word("state", State::parse)?;
    let next: UtcMs = row.cell("next_attempt_at")?;
    Ok(columns!(row => Delivery {
        attempts, failing_since, last_attempt_at, last_status, last_error, delivered_at;
        event = LoggedEvent::from(event), state = state,
        next_attempt_at = (state == State::Waiting).then_some(next),
    }))
}

/// Events with the same text are sent one after the other. Events about several documents have the area of their type.
/// Days and tills have the same ID in several stores; a day of the books has no store, so its lock and unlock are one
/// document.
fn document(event: &Event) -> String {
    if event.object_id.is_empty() {
        return event.kind.split('.').next().unwrap_or_default().to_owned();
    }
    let store_id = match event.object_type.as_str() {
        "day" | "register" => event.store_id.as_str(),
        _ => "",
    };
    format!("{} {} {store_id}", event.object_type, event.object_id)
}

/// Puts events of the log into the queue of a webhook.
pub async fn queue(
    connection: &mut AnyConnection,
    webhook_id: &str,
    events: Vec<Event>,
    now: UtcMs,
) -> Result<(), Error> {
    let cells = |event: Event| -> NewRow {
        let document = document(&event);
        row! {
            webhook_id: webhook_id, event_no: event.event_no, event_id: event.event_id, type: event.kind,
            store_id: event.store_id, object_type: event.object_type, object_id: event.object_id,
            occurred_at: event.occurred_at.0, logged_at: event.logged_at.0, document, state: State::Waiting.name(),
            attempts: 0_i64, next_attempt_at: now.0,
        }
    };
    // One that was delivered before is sent again.
    let anew = "ON CONFLICT (webhook_id, event_no) DO UPDATE SET state = excluded.state, attempts = 0, \
                next_attempt_at = excluded.next_attempt_at, failing_since = NULL, last_attempt_at = NULL, \
                last_status = NULL, last_error = NULL, delivered_at = NULL";
    insert::rows(connection, "webhook_deliveries", anew, events.into_iter().map(cells).collect()).await
}

/// Events that may be sent now, lowest number first.
pub async fn due(
    connection: &mut AnyConnection,
    webhook_id: &str,
    now: UtcMs,
    limit: usize,
) -> Result<Vec<Delivery>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {HEADS} AND d.webhook_id = $1 AND d.next_attempt_at <= $2 ORDER BY d.event_no LIMIT {limit}"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(webhook_id).bind(now.0);
    query.fetch_all(connection).await?.iter().map(read).collect()
}

/// An attempt that was made: when it ended, the status of the answer, and why it failed.
pub struct Attempt<'a> {
    pub webhook_id: &'a str,
    pub event_no: i64,
    pub at: UtcMs,
    pub status: Option<u16>,
}

/// Notes that the receiver has accepted the event.
pub async fn note_delivered(connection: &mut AnyConnection, attempt: &Attempt<'_>) -> Result<(), Error> {
    let sql = "UPDATE webhook_deliveries SET state = 'delivered', attempts = attempts + 1, last_attempt_at = $3, \
               last_status = $4, last_error = NULL, failing_since = NULL, delivered_at = $3 \
               WHERE webhook_id = $1 AND event_no = $2 AND state = 'waiting'";
    let query = sqlx::query(sql).bind(attempt.webhook_id).bind(attempt.event_no).bind(attempt.at.0);
    query.bind(attempt.status.map(i64::from)).execute(connection).await.map(drop)
}

/// Notes that the event was not accepted, and when it is sent again. Returns since when attempts fail; `None` if it does not
/// wait any more.
pub async fn note_failed(
    connection: &mut AnyConnection,
    attempt: &Attempt<'_>,
    (error, next_attempt_at): (&str, UtcMs),
) -> Result<Option<UtcMs>, Error> {
    let sql = "UPDATE webhook_deliveries SET attempts = attempts + 1, last_attempt_at = $3, last_status = $4, \
               last_error = $5, next_attempt_at = $6, failing_since = COALESCE(failing_since, $3) \
               WHERE webhook_id = $1 AND event_no = $2 AND state = 'waiting' RETURNING failing_since";
    let query = sqlx::query_scalar::<_, i64>(sql).bind(attempt.webhook_id).bind(attempt.event_no);
    let query = query.bind(attempt.at.0).bind(attempt.status.map(i64::from)).bind(error.replace('\0', ""));
    Ok(query.bind(next_attempt_at.0).fetch_optional(connection).await?.map(UtcMs))
}

/// Makes every waiting event due now, and restarts the time of failing.
pub async fn hurry(connection: &mut AnyConnection, webhook_id: &str, now: UtcMs) -> Result<(), Error> {
    let sql = "UPDATE webhook_deliveries SET next_attempt_at = $2, failing_since = NULL \
               WHERE webhook_id = $1 AND state = 'waiting'";
    sqlx::query(sql).bind(webhook_id).bind(now.0).execute(connection).await.map(drop)
}

/// Takes waiting events after a number out of the queue, so that they can be queued from the log again.
pub async fn forget_after(
    connection: &mut AnyConnection,
    webhook_id: &str,
    after_no: i64,
) -> Result<(), Error> {
    let sql = "DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND event_no > $2 AND state = 'waiting'";
    sqlx::query(sql).bind(webhook_id).bind(after_no).execute(connection).await.map(drop)
}

/// Deliveries of a webhook below a number, highest number first.
pub async fn list(
    pool: &AnyPool,
    webhook_id: &str,
    (state, before): (Option<State>, Option<i64>),
    limit: i64,
) -> Result<Vec<Delivery>, Error> {
    let conditions = Conditions::default()
        .text("d.webhook_id = ?", Some(webhook_id))
        .text("d.state = ?", state.map(State::name))
        .below(["d.event_no"], before.map(|number| [Bound::from(number)]));
    let sql = format!(
        "SELECT {COLUMNS} FROM webhook_deliveries d WHERE {{}} ORDER BY d.event_no DESC LIMIT {limit}"
    );
    conditions.query(&sql).fetch_all(pool).await?.iter().map(read).collect()
}

/// Deletes deliveries that arrived long ago, and those of deleted webhooks: at most [`SWEPT_AT_ONCE`], so that the
/// database's writer is soon free again. Returns whether there may be more.
///
/// # Errors
/// A database error.
pub async fn sweep(connection: &mut AnyConnection, now: UtcMs) -> Result<bool, Error> {
    let kept_ms = i64::try_from(RETENTION.as_millis()).unwrap_or(i64::MAX);
    let sql = format!(
        "DELETE FROM webhook_deliveries WHERE (webhook_id, event_no) IN (SELECT webhook_id, event_no \
         FROM webhook_deliveries WHERE state = 'delivered' AND (delivered_at < $1 \
         OR webhook_id NOT IN (SELECT webhook_id FROM webhooks)) LIMIT {SWEPT_AT_ONCE})"
    );
    let query = sqlx::query(AssertSqlSafe(sql)).bind(now.0.saturating_sub(kept_ms));
    Ok(query.execute(connection).await?.rows_affected() >= SWEPT_AT_ONCE)
}
