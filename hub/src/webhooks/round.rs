//! One round of a webhook: takes it, reads the event log for it, sends due events, notes the results. Everything that
//! the next round needs is in the database, so any process continues where this one stopped; an event that was sent and
//! not noted is sent again. No transaction is open while waiting for a receiver.

use crate::secret;
use crate::state::hub::Hub;
use crate::table::event_log::{self, LoggedEvent};
use crate::table::webhooks::delivery::{self, Attempt, Delivery};
use crate::table::webhooks::webhook::{self, PauseReason, Salts, State, WAITING_MAX, Webhook};
use crate::table::{audit, exception};
use crate::webhooks::backoff;
use crate::webhooks::client::{Answer, Message, REQUEST_TIMEOUT};
use crate::webhooks::signature::Secrets;
use domain::model::base::ids::UserId;
use domain::model::base::time::UtcMs;
use edge::clock;
use futures_util::future::join_all;
use reqwest::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use sqlx::{AnyConnection, Error};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// A process that does not end its round for so long has died.
const LEASE: Duration = Duration::from_secs(30);
/// Messages that are sent at once to one webhook, each of another document.
const AT_ONCE: usize = 16;
/// Events of the log that one round looks at.
const LOOKED_AT_MAX: i64 = 500;
/// Events that one round queues at most.
const QUEUED_MAX: i64 = 100;
/// A webhook is paused when an event was not accepted for so long.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(3 * 24 * 3600);

/// Transactions of webhooks that wait for the database's writer at a time: pushes must not queue behind many of them.
static TURN: Semaphore = Semaphore::const_new(1);
/// Messages that were accepted, and attempts that failed, since this process began.
static SENT: AtomicU64 = AtomicU64::new(0);
static FAILED: AtomicU64 = AtomicU64::new(0);

/// Messages that were accepted, and attempts that failed, since this process began.
pub fn counts() -> (u64, u64) {
    (SENT.load(Ordering::Relaxed), FAILED.load(Ordering::Relaxed))
}

/// What a round did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// It sent events; there may be more.
    Sent,
    /// None of the events that it read is for this webhook; there are more to read.
    OnlyRead,
    /// There is nothing to do, or another process does it.
    Idle,
}

/// Runs a round.
///
/// # Errors
/// A database error. No process sends to the webhook then until its lease has ended.
pub async fn run(hub: &Hub, webhook_id: &str, holder: &str) -> Result<Round, Error> {
    let begun = Instant::now();
    let Some(Taken { webhook, salts, due, has_more }) = take(hub, webhook_id, holder).await? else {
        return Ok(Round::Idle);
    };
    if due.is_empty() {
        return Ok(if has_more { Round::OnlyRead } else { Round::Idle });
    }
    // With less time left, another process could send the same document's next event before this answer.
    if begun.elapsed() > LEASE.saturating_sub(REQUEST_TIMEOUT.saturating_mul(2)) {
        return Ok(Round::Idle);
    }
    let secrets = Secrets::of(&hub.fingerprints, webhook_id, &salts);
    let sent = due.iter().map(|delivery| send(hub, &webhook.url, &delivery.event, &secrets));
    let answers = join_all(sent).await;
    let _turn = TURN.acquire().await;
    let mut write = hub.db.write().await?;
    if !webhook::release(&mut write, Some(webhook_id), holder).await? {
        // Another process has it: the events that it queued are not the ones that were sent here.
        return Ok(Round::Idle);
    }
    note(&mut write, webhook_id, due.iter().zip(&answers), clock::now()).await?;
    write.commit().await?;
    Ok(Round::Sent)
}

/// A webhook that this process sends to.
struct Taken {
    webhook: Webhook,
    salts: Salts,
    due: Vec<Delivery>,
    /// Whether the log has more events to read.
    has_more: bool,
}

async fn take(hub: &Hub, webhook_id: &str, holder: &str) -> Result<Option<Taken>, Error> {
    let _turn = TURN.acquire().await;
    let now = clock::now();
    let until = lease_until(now);
    let mut write = hub.db.write().await?;
    let Some((mut webhook, salts)) = webhook::claim(&mut write, webhook_id, (holder, now, until)).await?
    else {
        return Ok(None);
    };
    let mut due = delivery::due(&mut write, webhook_id, now, AT_ONCE).await?;
    let mut has_more = false;
    if due.len() < AT_ONCE {
        has_more = read_log(&mut write, &mut webhook, now).await?;
        due = delivery::due(&mut write, webhook_id, now, AT_ONCE).await?;
    }
    if due.is_empty() {
        webhook::release(&mut write, Some(webhook_id), holder).await?;
    }
    write.commit().await?;
    Ok(Some(Taken { webhook, salts, due, has_more }))
}

/// Queues events of the log. Returns whether there are more to read.
async fn read_log(connection: &mut AnyConnection, webhook: &mut Webhook, now: UtcMs) -> Result<bool, Error> {
    let room = WAITING_MAX.saturating_sub(webhook.waiting).min(QUEUED_MAX);
    let (_, newest) = event_log::bounds(&mut *connection).await?;
    if room <= 0 || newest <= webhook.after_no {
        return Ok(false);
    }
    let found = event_log::after(&mut *connection, webhook.after_no, LOOKED_AT_MAX).await?;
    // After the events: events deleted between the two queries are reported.
    let (deleted, _) = event_log::bounds(&mut *connection).await?;
    if deleted > webhook.after_no {
        tracing::warn!(webhook.webhook_id, deleted, "events were deleted before they were sent to a webhook");
        webhook.missed_until = Some(deleted);
        webhook.after_no = deleted;
    }
    let mut is_whole = i64::try_from(found.len()).unwrap_or(i64::MAX) < LOOKED_AT_MAX;
    let mut wanted = Vec::new();
    for event in found {
        if i64::try_from(wanted.len()).unwrap_or(i64::MAX) >= room {
            is_whole = false;
            break;
        }
        webhook.after_no = webhook.after_no.max(event.event_no);
        if webhook.wants(&event) {
            wanted.push(event);
        }
    }
    if is_whole {
        // Unused numbers: they were left out after a restore.
        webhook.after_no = webhook.after_no.max(newest);
    }
    delivery::queue(&mut *connection, &webhook.webhook_id, wanted, now).await?;
    webhook::move_to(connection, webhook).await?;
    Ok(!is_whole)
}

/// Body of a webhook's request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookMessage")]
pub struct Body<'a> {
    /// Type of the event.
    r#type: &'a str,
    /// When the event took place.
    timestamp: UtcMs,
    /// The event as in `GET /api/event-log`.
    data: &'a LoggedEvent,
}

/// Sends an event once.
pub async fn send(hub: &Hub, url: &str, event: &LoggedEvent, secrets: &Secrets) -> Answer {
    let body = Body { r#type: &event.r#type, timestamp: event.occurred_at, data: event };
    // A struct of texts and numbers has a JSON form.
    let body = serde_json::to_string(&body).unwrap_or_default();
    hub.webhooks.send(url, &Message { id: &event.event_id, body }, secrets).await
}

async fn note(
    connection: &mut AnyConnection,
    webhook_id: &str,
    answered: impl Iterator<Item = (&Delivery, &Answer)>,
    now: UtcMs,
) -> Result<(), Error> {
    let mut paused = None;
    for (delivery, answer) in answered {
        let attempt =
            Attempt { webhook_id, event_no: delivery.event.event_no, at: now, status: answer.status };
        let Some(error) = &answer.error else {
            SENT.fetch_add(1, Ordering::Relaxed);
            delivery::note_delivered(&mut *connection, &attempt).await?;
            continue;
        };
        FAILED.fetch_add(1, Ordering::Relaxed);
        let attempts = delivery.attempts.saturating_add(1);
        let pause = backoff::pause_ms(attempts, answer.retry_after_ms, secret::below);
        let next = later(now, Duration::from_millis(pause));
        let since = delivery::note_failed(&mut *connection, &attempt, (error, next)).await?;
        let is_over = since.is_some_and(|since| now >= later(since, GIVEN_UP_AFTER));
        if answer.status == Some(StatusCode::GONE.as_u16()) {
            paused = Some((PauseReason::Gone, &delivery.event, error));
        } else if is_over && paused.is_none() {
            paused = Some((PauseReason::Failing, &delivery.event, error));
        }
    }
    match paused {
        Some((reason, event, error)) => pause(connection, webhook_id, reason, (event, error), now).await,
        None => Ok(()),
    }
}

/// Pauses a webhook and opens an exception. Its events wait.
async fn pause(
    connection: &mut AnyConnection,
    webhook_id: &str,
    reason: PauseReason,
    (event, error): (&LoggedEvent, &str),
    now: UtcMs,
) -> Result<(), Error> {
    let Some(mut webhook) = webhook::locked(&mut *connection, webhook_id).await? else { return Ok(()) };
    if webhook.state != State::Active {
        return Ok(());
    }
    webhook.state = State::Paused;
    webhook.pause_reason = Some(reason);
    webhook.paused_at = Some(now);
    webhook::set_state(&mut *connection, &webhook).await?;
    let details = json!({"webhook_id": webhook_id, "name": webhook.name, "reason": reason,
        "undelivered_event_id": event.event_id, "type": event.r#type, "error": error});
    exception::note_paused_webhook(&mut *connection, webhook_id, &details, now).await?;
    let details = json!({"webhook_id": webhook_id, "reason": reason});
    audit::append(connection, &UserId::default(), "webhook.paused", &details, now).await
}

/// When a lease that begins now ends.
pub fn lease_until(now: UtcMs) -> UtcMs {
    later(now, LEASE)
}

fn later(now: UtcMs, by: Duration) -> UtcMs {
    UtcMs(now.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
}
