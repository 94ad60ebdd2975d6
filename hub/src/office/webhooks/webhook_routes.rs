//! Webhooks: where events are sent to. Only administrators, and no key, manage them.

use crate::http::prelude::*;
use crate::office::webhooks::webhook_fields::{Fields, NewWebhook, WebhookChange, check_stores};
use crate::secret;
use crate::table::event_log::{self, LoggedEvent};
use crate::table::webhooks::delivery::{self, Delivery};
use crate::table::webhooks::webhook::{self, PauseReason, State, WEBHOOKS_MAX, Webhook};
use crate::table::{audit, exception};
use crate::webhooks::round::{self, Body};
use crate::webhooks::signature::{Secret, Secrets};
use domain::model::base::answer::Answer;
use domain::model::base::limits::FIGURE_MAX;
use domain::model::base::time::UtcMs;
use edge::{Doc, Message, ids};
use reqwest::Url;
use std::time::Instant;

const TAG: &str = "Webhooks";
/// Longest time for which the previous secret signs too, in hours.
const OVERLAP_HOURS_MAX: u16 = 7 * 24;
const HOUR_MS: i64 = 3_600_000;
/// Type of the event that a test sends.
const TEST_TYPE: &str = "webhook.test";

const WEBHOOK: &str = r#"{"webhook_id": "whk_1", "name": "Accounting", "url": "https://accounting.example/hooks",
    "event_types": ["finance.*"], "store_ids": [], "state": "active", "pause_reason": null, "paused_at": null, "after_no": 1205,
    "missed_until": null, "waiting": 0, "oldest_waiting_at": null, "last_error": null, "hint": "x9Qk", "previous_until": null,
    "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z"}"#;
const WEBHOOK_WITH_SECRET: &str = r#"{"webhook_id": "whk_1", "name": "Accounting",
    "url": "https://accounting.example/hooks", "event_types": ["finance.*"], "store_ids": [], "state": "active",
    "pause_reason": null, "paused_at": null, "after_no": 1205, "missed_until": null, "waiting": 0,
    "oldest_waiting_at": null, "last_error": null, "hint": "x9Qk", "previous_until": null, "created_by": "usr_1",
    "created_at": "2026-11-20T02:06:34.739Z", "secret": "whsec_k3Jx0c8mQ1u5bZ7wR2t4y6A8s0D2f4G6h8J0k2Lx9Qk="}"#;
const DELIVERY: &str = r#"{"event_no": 1205, "event_id": "evt_019a9f00a1b27c3d8e4f5a6b7c8d9e0f",
    "type": "transaction.paid", "store_id": "S001", "object_type": "transaction",
    "object_id": "trx_019a9f00a1b27c3d8e4f5a6b7c8d9e0f", "occurred_at": "2026-11-20T02:06:34.739Z",
    "logged_at": "2026-11-20T02:06:35.102Z", "state": "waiting", "attempts": 2,
    "next_attempt_at": "2026-11-20T02:06:44.000Z", "failing_since": "2026-11-20T02:06:36.000Z",
    "last_attempt_at": "2026-11-20T02:06:40.000Z", "last_status": 500,
    "last_error": "the answer was 500 Internal Server Error", "delivered_at": null}"#;

pub const ROUTES: &[Route<Hub>] = &[
    get("/api/webhooks", ADMIN, TAG).summary("List webhooks, without their secrets").lists::<Webhooks>(WEBHOOK),
    Route::post("/api/webhooks", ADMIN, CREATE, answers!(create)),
    get("/api/webhooks/:webhook_id", ADMIN, TAG)
        .summary("Retrieve a webhook")
        .answers::<Webhook>(WEBHOOK, answers!(one)),
    patch("/api/webhooks/:webhook_id", ADMIN, TAG)
        .summary("Update name, address and filters of a webhook")
        .command::<WebhookChange>(r#"{"event_types": ["finance.*", "day.sealed"]}"#, WEBHOOK),
    delete("/api/webhooks/:webhook_id", ADMIN, TAG)
        .summary("Delete a webhook with its deliveries; the answer is the webhook as it was")
        .step::<Remove>(WEBHOOK),
    post("/api/webhooks/:webhook_id/pause", ADMIN, TAG)
        .summary("Pause a webhook; its events wait")
        .step::<Pause>(WEBHOOK),
    post("/api/webhooks/:webhook_id/resume", ADMIN, TAG)
        .summary("Resume a webhook. Its waiting events are sent at once, even if the webhook is active")
        .step::<Resume>(WEBHOOK),
    Route::post("/api/webhooks/:webhook_id/rotate-secret", ADMIN, ROTATE, answers!(rotate)),
    Route::post("/api/webhooks/:webhook_id/test", ADMIN, TEST, answers!(test)),
    post("/api/webhooks/:webhook_id/replay", ADMIN, TAG)
        .summary("Send all events of the log after a number again")
        .command::<Replay>(r#"{"after_no": 1000}"#, WEBHOOK),
    get("/api/webhooks/:webhook_id/deliveries", ADMIN, TAG)
        .summary("List events that wait for a webhook, and those that were delivered within 7 days, highest number first")
        .lists::<DeliveriesQuery>(DELIVERY),
];

const CREATE: Doc = Doc::of(TAG, "Create a webhook; its secret is shown only once")
    .body::<NewWebhook>(
        r#"{"name": "Accounting", "url": "https://accounting.example/hooks", "event_types": ["finance.*"], "store_ids": []}"#,
    )
    .creates::<WebhookWithSecret>(WEBHOOK_WITH_SECRET)
    .calls(Message::of::<Body<'_>>("event"))
    .unkeyed(
        "the answer has a secret, and secrets are never stored in clear text; if it was lost, rotate the secret of the webhook",
    );
const ROTATE: Doc = Doc::of(TAG, "Give a webhook a new secret; for `overlap_hours`, messages also have the signature of the previous one")
    .body::<Rotation>(r#"{"overlap_hours": 24}"#)
    .answers::<WebhookWithSecret>(WEBHOOK_WITH_SECRET)
    .unkeyed("the answer has a secret, and secrets are never stored in clear text; if it was lost, rotate the secret again");
const TEST: Doc = Doc::of(TAG, "Send an event of the type `webhook.test` now, and return the result")
    .answers::<Tested>(
        r#"{"delivered": false, "http_status": 500, "error": "the answer was 500 Internal Server Error", "duration_ms": 84}"#,
    )
    .unkeyed("it sends one message and changes nothing");

/// A webhook with its secret. The secret is never logged.
#[derive(Serialize, JsonSchema)]
struct WebhookWithSecret {
    #[serde(flatten)]
    webhook: Webhook,
    /// The secret that signatures are checked with, `whsec_…`. It is shown only here.
    secret: String,
}

/// Request body that rotates the secret of a webhook.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WebhookRotation")]
struct Rotation {
    /// Hours for which messages also have the signature of the previous secret, 0 to 168.
    #[schemars(range(max = OVERLAP_HOURS_MAX))]
    overlap_hours: u16,
}

/// Result of a test.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookTest")]
struct Tested {
    /// Whether the receiver accepted the event.
    delivered: bool,
    /// HTTP status of the answer. Null if there was none.
    http_status: Option<u16>,
    /// Reason why the event was not accepted. Null if it was accepted.
    error: Option<String>,
    /// Time until the end of the answer, in milliseconds.
    duration_ms: u64,
}

/// The list of webhooks.
pub struct Webhooks;

impl PagedList for Webhooks {
    type Query = Page;
    type Item = Webhook;
    type Position = String;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Webhook>, Failure> {
        Ok(webhook::list(page.pool, &page.after.unwrap_or_default(), page.limit).await?)
    }
    fn position(webhook: &Webhook) -> String {
        webhook.webhook_id.clone()
    }
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeliveriesQuery {
    /// Items on a page.
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
    /// Only deliveries in this state.
    state: Option<delivery::State>,
}

page_query!(DeliveriesQuery);

impl PagedList for DeliveriesQuery {
    type Query = Self;
    type Item = Delivery;
    type Position = i64;
    async fn read(page: PageOf<'_, Self>) -> Result<Vec<Delivery>, Failure> {
        let webhook_id = page.request.param("webhook_id");
        found(webhook::find(page.pool, webhook_id, clock::now()).await?)?;
        Ok(delivery::list(page.pool, webhook_id, (page.query.state, page.after), page.limit).await?)
    }
    fn position(delivery: &Delivery) -> i64 {
        delivery.event.event_no
    }
}

async fn one(request: Request) -> Answered {
    let webhook_id = request.param("webhook_id");
    let (webhook, _) = found(webhook::find(request.state.db.pool(), webhook_id, clock::now()).await?)?;
    Ok(Reply::ok(&webhook))
}

async fn create(request: Request) -> Answered {
    let NewWebhook { name, url, event_types, store_ids, after_no } = request.json()?;
    let (hub, by, now) = (&request.state, request.caller()?.user_id.clone(), clock::now());
    let Fields { name, url, event_types, store_ids } =
        Fields { name, url, event_types, store_ids }.checked(&hub.webhooks.rule)?;
    let (webhook_id, salt) = (ids::new("whk_"), secret::token());
    let secret = Secret::derive(&hub.fingerprints, &webhook_id, &salt);
    let mut write = hub.db.write().await?;
    check_stores(&mut write, &store_ids).await?;
    let (deleted, newest) = event_log::bounds(&mut **write).await?;
    let (after_no, missed_until) = begin(after_no.unwrap_or(newest), deleted, newest)?;
    let webhook = Webhook {
        webhook_id,
        name,
        url,
        event_types,
        store_ids,
        state: State::Active,
        pause_reason: None,
        paused_at: None,
        after_no,
        missed_until,
        waiting: 0,
        oldest_waiting_at: None,
        last_error: None,
        hint: secret.hint(),
        previous_until: None,
        created_by: by.clone(),
        created_at: now,
    };
    if !webhook::insert(&mut write, &webhook, &salt).await? {
        let problem = format!("{WEBHOOKS_MAX} webhooks exist, as many as there may be: delete one first");
        return Err(ApiError::field("name", problem).into());
    }
    audit::append(&mut write, &by, "webhook.created", &audited(&webhook), now).await?;
    write.commit().await?;
    let location = format!("/api/webhooks/{}", webhook.webhook_id);
    Ok(Answer::created(location, &WebhookWithSecret { webhook, secret: secret.text() }).into())
}

/// Number after which events are sent, and up to which number they are missed because the log has deleted them.
fn begin(number: i64, deleted: i64, newest: i64) -> Result<(i64, Option<i64>), ApiError> {
    if !(0..=newest).contains(&number) {
        return Err(ApiError::field("after_no", format!("must be 0 to {newest}")));
    }
    Ok((number.max(deleted), (0 < number && number < deleted).then_some(deleted)))
}

/// Details of a webhook's entries in the audit log. Of its address only the host: the rest may have a password.
fn audited(webhook: &Webhook) -> Value {
    let host = webhook.url.parse::<Url>().ok().and_then(|url| url.host_str().map(str::to_owned));
    json!({"webhook_id": webhook.webhook_id, "name": webhook.name, "host": host, "event_types": webhook.event_types.join(", "),
        "store_ids": webhook.store_ids.join(", ")})
}

async fn rotate(request: Request) -> Answered {
    let Rotation { overlap_hours } = request.json()?;
    if overlap_hours > OVERLAP_HOURS_MAX {
        return Err(ApiError::field("overlap_hours", "must be 0 to 168").into());
    }
    let (hub, now) = (&request.state, clock::now());
    let mut write = hub.db.write().await?;
    let mut webhook = found(webhook::locked(&mut write, request.param("webhook_id")).await?)?;
    let salt = secret::token();
    let secret = Secret::derive(&hub.fingerprints, &webhook.webhook_id, &salt);
    webhook.hint = secret.hint();
    let until = UtcMs(now.0.saturating_add(i64::from(overlap_hours).saturating_mul(HOUR_MS)));
    webhook.previous_until = webhook::rotate(&mut write, &webhook, &salt, (now, until)).await?;
    let details = json!({"webhook_id": webhook.webhook_id, "overlap_hours": overlap_hours});
    audit::append(&mut write, &request.caller()?.user_id, "webhook.secret_rotated", &details, now).await?;
    write.commit().await?;
    Ok(Reply::ok(&WebhookWithSecret { webhook, secret: secret.text() }))
}

async fn test(request: Request) -> Answered {
    let (hub, now) = (&request.state, clock::now());
    let (webhook, salts) = found(webhook::find(hub.db.pool(), request.param("webhook_id"), now).await?)?;
    let mut write = hub.db.write().await?;
    let details = json!({"webhook_id": webhook.webhook_id});
    audit::append(&mut write, &request.caller()?.user_id, "webhook.tested", &details, now).await?;
    write.commit().await?;
    let event = LoggedEvent::without_document(ids::new("evt_"), TEST_TYPE, now);
    let secrets = Secrets::of(&hub.fingerprints, &webhook.webhook_id, &salts);
    let begun = Instant::now();
    let answer = round::send(hub, &webhook.url, &event, &secrets).await;
    let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let delivered = answer.error.is_none();
    Ok(Reply::ok(&Tested { delivered, http_status: answer.status, error: answer.error, duration_ms }))
}

impl Command for WebhookChange {
    const ACTION: &'static str = "webhook.changed";
    type Answer = Webhook;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Webhook>, Failure> {
        let mut webhook = locked(tx).await?;
        let before = webhook.url.clone();
        let fields = Fields {
            name: self.name.unwrap_or(webhook.name),
            url: self.url.unwrap_or(webhook.url),
            event_types: self.event_types.unwrap_or(webhook.event_types),
            store_ids: self.store_ids.unwrap_or(webhook.store_ids),
        };
        let Fields { name, url, event_types, store_ids } = fields.checked(&tx.hub.webhooks.rule)?;
        check_stores(tx.connection, &store_ids).await?;
        (webhook.name, webhook.url, webhook.event_types, webhook.store_ids) =
            (name, url, event_types, store_ids);
        webhook::change(tx.connection, &webhook).await?;
        if webhook.url != before {
            // The failures were another receiver's.
            delivery::hurry(tx.connection, &webhook.webhook_id, tx.now).await?;
        }
        Ok(Changed::answer(&webhook, audited(&webhook)))
    }
}

without_body!(Remove, Pause, Resume);

impl Command for Remove {
    const ACTION: &'static str = "webhook.deleted";
    type Answer = Webhook;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Webhook>, Failure> {
        let webhook = locked(tx).await?;
        webhook::delete(tx.connection, &webhook.webhook_id).await?;
        exception::close_paused_webhook(tx.connection, &webhook.webhook_id, (tx.now, "it was deleted"))
            .await?;
        Ok(Changed::answer(&webhook, audited(&webhook)))
    }
}

impl Command for Pause {
    const ACTION: &'static str = "webhook.paused";
    type Answer = Webhook;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Webhook>, Failure> {
        let mut webhook = locked(tx).await?;
        if webhook.state == State::Paused {
            return Ok(Changed::without_entry(&webhook));
        }
        webhook.state = State::Paused;
        webhook.pause_reason = Some(PauseReason::ByHand);
        webhook.paused_at = Some(tx.now);
        webhook::set_state(tx.connection, &webhook).await?;
        let details = json!({"webhook_id": webhook.webhook_id, "reason": PauseReason::ByHand});
        Ok(Changed::answer(&webhook, details))
    }
}

impl Command for Resume {
    const ACTION: &'static str = "webhook.resumed";
    type Answer = Webhook;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Webhook>, Failure> {
        let mut webhook = locked(tx).await?;
        webhook.state = State::Active;
        webhook.pause_reason = None;
        webhook.paused_at = None;
        webhook::set_state(tx.connection, &webhook).await?;
        delivery::hurry(tx.connection, &webhook.webhook_id, tx.now).await?;
        exception::close_paused_webhook(tx.connection, &webhook.webhook_id, (tx.now, "it was resumed"))
            .await?;
        let details = json!({"webhook_id": webhook.webhook_id});
        Ok(Changed::answer(&webhook, details))
    }
}

/// Request body that sends events again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "WebhookReplay")]
pub struct Replay {
    /// Events with a higher number are sent again; 0 sends all events in the log. At most the webhook's `after_no`.
    #[schemars(range(min = 0, max = FIGURE_MAX))]
    after_no: i64,
}

impl Command for Replay {
    const ACTION: &'static str = "webhook.replayed";
    type Answer = Webhook;
    async fn run(self, tx: &mut Tx<'_>) -> Result<Changed<Webhook>, Failure> {
        let webhook = locked(tx).await?;
        let (deleted, _) = event_log::bounds(&mut *tx.connection).await?;
        // Not above the read position: events in between would never be sent.
        let newest = webhook.after_no.max(deleted);
        let (after_no, missed) = begin(self.after_no, deleted, newest)?;
        let missed_until = missed.or((deleted > webhook.after_no).then_some(deleted));
        delivery::forget_after(tx.connection, &webhook.webhook_id, after_no).await?;
        webhook::move_to(tx.connection, &Webhook { after_no, missed_until, ..webhook.clone() }).await?;
        // Read again: fewer events wait.
        let webhook = locked(tx).await?;
        let details = json!({"webhook_id": webhook.webhook_id, "after_no": after_no});
        Ok(Changed::answer(&webhook, details))
    }
}

/// The webhook of the path, for this transaction alone.
async fn locked(tx: &mut Tx<'_>) -> Result<Webhook, Failure> {
    Ok(found(webhook::locked(tx.connection, tx.path.get("webhook_id")).await?)?)
}

fn found<T>(webhook: Option<T>) -> Result<T, ApiError> {
    webhook.ok_or_else(|| ApiError::not_found("the webhook"))
}
