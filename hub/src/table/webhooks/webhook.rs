//! `webhooks`: addresses that events of the event log are sent to.

use crate::columns;
use crate::db::column::Columns;
use crate::db::document::encode;
use crate::table::event_log::{Event, is_of_type};
use crate::table::webhooks::delivery::HEADS;
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AnyPool, AssertSqlSafe, Error};

/// Most webhooks of a hub.
pub const WEBHOOKS_MAX: i64 = 20;
/// Events that may wait for one webhook in its table. The others wait in the event log.
pub const WAITING_MAX: i64 = 1_000;
/// Earlier secrets that sign at a time.
const PREVIOUS_MAX: usize = 4;
/// The turn for creating a webhook.
const TURN: &str = "webhooks";

/// Whether events are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WebhookState")]
pub enum State {
    /// Events are sent.
    Active,
    /// Events wait until the webhook is resumed.
    Paused,
}

impl State {
    fn parse(name: &str) -> Option<Self> {
        [Self::Active, Self::Paused].into_iter().find(|state| state.name() == name)
    }

    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
        }
    }
}

/// Reason why a webhook is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WebhookPauseReason")]
pub enum PauseReason {
    /// A user paused it.
    ByHand,
    /// An event was not accepted for three days.
    Failing,
    /// The receiver answered 410.
    Gone,
}

impl PauseReason {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByHand => "by_hand",
            Self::Failing => "failing",
            Self::Gone => "gone",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::ByHand, Self::Failing, Self::Gone].into_iter().find(|reason| reason.name() == name)
    }
}

/// A webhook, without its secret.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Webhook {
    /// ID of the webhook, `whk_…`.
    pub webhook_id: String,
    /// Name of the webhook.
    pub name: String,
    /// Address that events are sent to.
    pub url: String,
    /// Types of events that are sent; `finance.*` stands for all types of an area. Empty for all.
    pub event_types: Vec<String>,
    /// Stores whose events are sent; an empty text stands for events without a store. Empty for all.
    pub store_ids: Vec<String>,
    /// Whether events are sent.
    pub state: State,
    /// Reason why the webhook is paused. Null while it is active.
    pub pause_reason: Option<PauseReason>,
    /// When the webhook was paused. Null while it is active.
    pub paused_at: Option<UtcMs>,
    /// Number of the last event of the log that was read for this webhook.
    pub after_no: i64,
    /// Highest number of the events that were deleted from the log before they were sent. Null if none was.
    pub missed_until: Option<i64>,
    /// Events that were read and not delivered yet, at most 1,000. The others wait in the log.
    pub waiting: i64,
    /// When the hub stored the oldest waiting event. Null if none waits.
    pub oldest_waiting_at: Option<UtcMs>,
    /// Reason why the event that has failed for the longest time was not accepted. Null if none has failed.
    pub last_error: Option<String>,
    /// Last four characters of the secret.
    pub hint: String,
    /// Time until which messages also have the signature of the previous secret. Null if they have only one signature.
    pub previous_until: Option<UtcMs>,
    /// ID of the user who created the webhook.
    pub created_by: UserId,
    /// When the webhook was created.
    pub created_at: UtcMs,
}

impl Webhook {
    /// Whether the event is for this webhook.
    pub fn wants(&self, event: &Event) -> bool {
        let of_type = |wanted: &String| is_of_type(&event.kind, wanted);
        let of_store = |wanted: &String| *wanted == event.store_id;
        (self.event_types.is_empty() || self.event_types.iter().any(of_type))
            && (self.store_ids.is_empty() || self.store_ids.iter().any(of_store))
    }
}

/// Values that the secrets of a webhook are derived from.
#[derive(Clone)]
pub struct Salts {
    /// Salt of the present secret.
    pub current: String,
    /// Salts of earlier secrets that still sign.
    pub previous: Vec<String>,
}

/// A secret before a rotation.
#[derive(Serialize, Deserialize)]
struct Previous {
    salt: String,
    /// Time until which it signs.
    until: i64,
}

const COLUMNS: &str = "w.webhook_id, w.name, w.url, w.event_types, w.store_ids, w.state, w.pause_reason, w.paused_at, w.after_no, \
    w.missed_until, w.salt, w.hint, w.previous_salts, w.created_by, w.created_at, \
    (SELECT COUNT(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'waiting') AS waiting, \
    (SELECT MIN(d.logged_at) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'waiting') \
    AS oldest_waiting_at, \
    (SELECT d.last_error FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'waiting' \
    AND d.failing_since IS NOT NULL ORDER BY d.failing_since LIMIT 1) AS last_error";

fn read(row: &AnyRow) -> Result<Webhook, Error> {
    let reason: Option<String> = row.cell("pause_reason")?;
    let previous: Vec<Previous> = row.json("previous_salts")?;
    Ok(columns!(row => Webhook {
        webhook_id, name, url, paused_at, after_no, missed_until, waiting, oldest_waiting_at, last_error, hint,
        created_by, created_at;
        previous_until = previous.iter().map(|secret| UtcMs(secret.until)).max(),
        event_types = row.json("event_types")?, store_ids = row.json("store_ids")?, state = row.word("state", State::parse)?,
        pause_reason = reason.as_deref().and_then(PauseReason::parse),
    }))
}

fn read_salts(row: &AnyRow, now: UtcMs) -> Result<Salts, Error> {
    let previous: Vec<Previous> = row.json("previous_salts")?;
    let previous = previous.into_iter().filter(|secret| now.0 < secret.until).map(|secret| secret.salt);
    Ok(Salts { current: row.cell("salt")?, previous: previous.collect() })
}

/// Creates a webhook unless there are as many as there may be. Returns false then.
pub async fn insert(connection: &mut AnyConnection, webhook: &Webhook, salt: &str) -> Result<bool, Error> {
    let sql = "UPDATE turns SET turn = turn + 1 WHERE name = $1";
    sqlx::query(sql).bind(TURN).execute(&mut *connection).await?;
    let there: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM webhooks").fetch_one(&mut *connection).await?;
    if there >= WEBHOOKS_MAX {
        return Ok(false);
    }
    let sql = "INSERT INTO webhooks (webhook_id, name, url, event_types, store_ids, state, after_no, missed_until, salt, hint, \
               created_by, created_at, previous_salts, holder, held_until) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, '[]', '', 0)";
    let query = sqlx::query(sql).bind(&webhook.webhook_id).bind(&webhook.name).bind(&webhook.url);
    let query = query.bind(encode(&webhook.event_types)?).bind(encode(&webhook.store_ids)?);
    let query = query.bind(webhook.state.name()).bind(webhook.after_no).bind(webhook.missed_until).bind(salt);
    let query = query.bind(&webhook.hint);
    query.bind(webhook.created_by.as_str()).bind(webhook.created_at.0).execute(connection).await?;
    Ok(true)
}

/// Webhooks after an ID, in the order of their creation.
pub async fn list(pool: &AnyPool, after: &str, limit: i64) -> Result<Vec<Webhook>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM webhooks w WHERE w.webhook_id > $1 ORDER BY w.webhook_id LIMIT {limit}"
    );
    sqlx::query(AssertSqlSafe(sql)).bind(after).fetch_all(pool).await?.iter().map(read).collect()
}

/// A webhook with the salts of its secrets.
pub async fn find(pool: &AnyPool, webhook_id: &str, now: UtcMs) -> Result<Option<(Webhook, Salts)>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM webhooks w WHERE w.webhook_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(webhook_id).fetch_optional(pool).await?;
    row.map(|row| Ok((read(&row)?, read_salts(&row, now)?))).transpose()
}

/// A webhook whose row is locked until this transaction ends.
pub async fn locked(connection: &mut AnyConnection, webhook_id: &str) -> Result<Option<Webhook>, Error> {
    let sql = "UPDATE webhooks SET name = name WHERE webhook_id = $1";
    sqlx::query(sql).bind(webhook_id).execute(&mut *connection).await?;
    let sql = format!("SELECT {COLUMNS} FROM webhooks w WHERE w.webhook_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(webhook_id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

/// Stores name, address and filters.
pub async fn change(connection: &mut AnyConnection, webhook: &Webhook) -> Result<(), Error> {
    let sql =
        "UPDATE webhooks SET name = $2, url = $3, event_types = $4, store_ids = $5 WHERE webhook_id = $1";
    let query = sqlx::query(sql).bind(&webhook.webhook_id).bind(&webhook.name).bind(&webhook.url);
    let query = query.bind(encode(&webhook.event_types)?).bind(encode(&webhook.store_ids)?);
    query.execute(connection).await.map(drop)
}

/// Stores the state.
pub async fn set_state(connection: &mut AnyConnection, webhook: &Webhook) -> Result<(), Error> {
    let sql = "UPDATE webhooks SET state = $2, pause_reason = $3, paused_at = $4 WHERE webhook_id = $1";
    let query = sqlx::query(sql).bind(&webhook.webhook_id).bind(webhook.state.name());
    let query = query.bind(webhook.pause_reason.map(PauseReason::name));
    query.bind(webhook.paused_at.map(|at| at.0)).execute(connection).await.map(drop)
}

/// Stores up to where the log was read.
pub async fn move_to(connection: &mut AnyConnection, webhook: &Webhook) -> Result<(), Error> {
    let sql = "UPDATE webhooks SET after_no = $2, missed_until = $3 WHERE webhook_id = $1";
    let query = sqlx::query(sql).bind(&webhook.webhook_id).bind(webhook.after_no);
    query.bind(webhook.missed_until).execute(connection).await.map(drop)
}

/// Gives the webhook another secret; the previous one signs too until a time, and those that still signed continue.
/// Returns the time until which an earlier secret signs.
pub async fn rotate(
    connection: &mut AnyConnection,
    webhook: &Webhook,
    salt: &str,
    (now, until): (UtcMs, UtcMs),
) -> Result<Option<UtcMs>, Error> {
    let sql = "SELECT salt, previous_salts FROM webhooks WHERE webhook_id = $1";
    let row = sqlx::query(sql).bind(&webhook.webhook_id).fetch_one(&mut *connection).await?;
    let mut previous: Vec<Previous> = row.json("previous_salts")?;
    previous.push(Previous { salt: row.cell("salt")?, until: until.0 });
    // After a leak no overlap is requested: none of the earlier secrets may sign then.
    previous.retain(|secret| now < until && now.0 < secret.until);
    let too_many = previous.len().saturating_sub(PREVIOUS_MAX);
    previous.drain(..too_many);
    let sql = "UPDATE webhooks SET previous_salts = $2, salt = $3, hint = $4 WHERE webhook_id = $1";
    let query = sqlx::query(sql).bind(&webhook.webhook_id).bind(encode(&previous)?).bind(salt);
    query.bind(&webhook.hint).execute(connection).await?;
    Ok(previous.iter().map(|secret| UtcMs(secret.until)).max())
}

/// Deletes the webhook and its waiting events; delivered ones are swept later.
pub async fn delete(connection: &mut AnyConnection, webhook_id: &str) -> Result<(), Error> {
    for sql in [
        "DELETE FROM webhooks WHERE webhook_id = $1",
        "DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'waiting'",
    ] {
        sqlx::query(sql).bind(webhook_id).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Active webhooks without a present sender (`until` is when a lease of now ends), with an event that may be sent, or
/// an event of the log to be read.
pub async fn with_work(pool: &AnyPool, now: UtcMs, until: UtcMs) -> Result<Vec<String>, Error> {
    let sql = format!(
        "SELECT w.webhook_id FROM webhooks w JOIN turns t ON t.name = 'event_log' \
         WHERE w.state = 'active' AND (w.held_until <= $1 OR w.held_until > $3) AND (EXISTS (SELECT 1 FROM {HEADS} \
         AND d.webhook_id = w.webhook_id AND d.next_attempt_at <= $1) OR (t.turn > w.after_no AND \
         (SELECT COUNT(*) FROM webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.state = 'waiting') < $2)) \
         ORDER BY w.webhook_id"
    );
    sqlx::query_scalar(AssertSqlSafe(sql)).bind(now.0).bind(WAITING_MAX).bind(until.0).fetch_all(pool).await
}

/// Takes an active webhook for a holder until a time. `None` if it is not active, or if another holder has it; a lease
/// that ends later than this one would is from before the clock was set back.
pub async fn claim(
    connection: &mut AnyConnection,
    webhook_id: &str,
    (holder, now, until): (&str, UtcMs, UtcMs),
) -> Result<Option<(Webhook, Salts)>, Error> {
    let sql = "UPDATE webhooks SET holder = $2, held_until = $4 WHERE webhook_id = $1 AND state = 'active' \
               AND (held_until <= $3 OR held_until > $4 OR holder = $2)";
    let query = sqlx::query(sql).bind(webhook_id).bind(holder).bind(now.0).bind(until.0);
    if query.execute(&mut *connection).await?.rows_affected() == 0 {
        return Ok(None);
    }
    let sql = format!("SELECT {COLUMNS} FROM webhooks w WHERE w.webhook_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(webhook_id).fetch_one(connection).await?;
    Ok(Some((read(&row)?, read_salts(&row, now)?)))
}

/// Ends the lease of [`claim`], for one webhook or for all of the holder. Returns whether the holder still had one.
pub async fn release(
    connection: &mut AnyConnection,
    webhook_id: Option<&str>,
    holder: &str,
) -> Result<bool, Error> {
    let sql =
        "UPDATE webhooks SET holder = '', held_until = 0 WHERE holder = $1 AND ($2 = '' OR webhook_id = $2)";
    let query = sqlx::query(sql).bind(holder).bind(webhook_id.unwrap_or_default());
    Ok(query.execute(connection).await?.rows_affected() > 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
    use super::*;

    fn webhook(event_types: &[&str], store_ids: &[&str]) -> Webhook {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect();
        Webhook {
            webhook_id: String::new(),
            name: String::new(),
            url: String::new(),
            event_types: texts(event_types),
            store_ids: texts(store_ids),
            state: State::Active,
            pause_reason: None,
            paused_at: None,
            after_no: 0,
            missed_until: None,
            waiting: 0,
            oldest_waiting_at: None,
            last_error: None,
            hint: String::new(),
            previous_until: None,
            created_by: UserId::default(),
            created_at: UtcMs(0),
        }
    }

    #[test]
    fn a_webhook_wants_events_of_its_types_and_stores() {
        let event = |kind: &str, store_id: &str| Event {
            event_no: 1,
            event_id: String::new(),
            kind: kind.to_owned(),
            store_id: store_id.to_owned(),
            object_type: String::new(),
            object_id: String::new(),
            occurred_at: UtcMs(0),
            logged_at: UtcMs(0),
        };
        for (event_types, stores, kind, store, wanted) in [
            (&[][..], &[][..], "day.sealed", "S001", true),
            (&["day.sealed"], &[], "day.sealed", "S001", true),
            (&["day.sealed"], &[], "day.sealed_again", "S001", false),
            (&["finance.*"], &[], "finance.day_locked", "", true),
            (&["price.*"], &[], "prices.imported", "", false),
            (&["day.sealed", "price.*"], &["S002"], "price.set", "S001", false),
            (&[], &["S002", "S001"], "price.set", "S001", true),
            (&[], &["S001"], "finance.day_locked", "", false),
            (&[], &["S001", ""], "finance.day_locked", "", true),
        ] {
            assert_eq!(
                webhook(event_types, stores).wants(&event(kind, store)),
                wanted,
                "{event_types:?} {stores:?} {kind}"
            );
        }
    }
}
