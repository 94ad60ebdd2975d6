//! Webhooks: every event of the log reaches its receiver, in order per document, whatever fails in the meantime.

use crate::office::filters::finds;
use crate::operation::processes::Process;
use crate::support::receiver::{Manner, Message, PATIENCE, Receiver};
use crate::support::server::{Api, PASSWORD, Place, Server};
use crate::sync::kill::ready;
use cloud_hub::table::event_log;
use cloud_hub::table::webhooks::{delivery, webhook};
use cloud_hub::webhooks::sender;
use domain::model::base::time::UtcMs;
use edge::clock;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub mod managed;

pub const HOOKS: &str = "/api/webhooks";
const THREE_DAYS_MS: i64 = 3 * 24 * 3_600_000;

/// Allows webhooks to this machine.
pub fn allow_loopback(place: &Place) {
    let text = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, format!("{text}[webhooks]\nallowed_networks = [\"127.0.0.0/8\"]\n"))
        .unwrap();
}

pub async fn started() -> (Server, Api, Receiver) {
    let place = Place::initialised().await;
    allow_loopback(&place);
    let server = Server::on(place).await;
    let admin = server.admin().await;
    (server, admin, Receiver::start().await)
}

pub async fn made(admin: &Api, url: &str, more: &Value) -> Value {
    let mut new = json!({"name": "Accounting", "url": url});
    new.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    admin.post(HOOKS, &new).await.data().clone()
}

pub fn path(webhook: &Value, step: &str) -> String {
    format!("{HOOKS}/{}{step}", webhook["webhook_id"].as_str().unwrap())
}

pub async fn product(admin: &Api, sku: &str) {
    admin.post("/api/products", &json!({"sku": sku, "name": "Thing", "price": 1000})).await.data();
}

async fn reprice(admin: &Api, sku: &str, price: i64) {
    admin.patch(&format!("/api/products/{sku}"), &json!({"price": price})).await.data();
}

/// Returns the numbers of the events after `after_no` that match the test's webhook.
async fn logged(admin: &Api, after_no: i64) -> Vec<i64> {
    let answer = admin.get(&format!("/api/event-log?after_no={after_no}&limit=500")).await;
    let items = answer.data()["items"].as_array().unwrap().clone();
    items.iter().map(|item| item["event_no"].as_i64().unwrap()).collect()
}

/// Waits until the log has this number of events after `after_no`.
async fn log_of(admin: &Api, after_no: i64, count: usize) -> Vec<i64> {
    let since = Instant::now();
    loop {
        let found = logged(admin, after_no).await;
        if found.len() >= count {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "{found:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn get(admin: &Api, webhook: &Value) -> Value {
    admin.get(&path(webhook, "")).await.data().clone()
}

/// Waits until the webhook is as wanted.
async fn until(admin: &Api, webhook: &Value, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let since = Instant::now();
    loop {
        let found = get(admin, webhook).await;
        if wanted(&found) {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "{what}: {found}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Asserts that no event was delivered before all earlier ones of its document.
fn is_in_order(messages: &[Message], all: &BTreeSet<i64>) {
    let mut documents: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for message in messages.iter().filter(|message| all.contains(&message.event_no())) {
        documents.entry(message.document()).or_default().insert(message.event_no());
    }
    for (document, numbers) in documents {
        let of = |message: &&Message| message.is_kept() && message.document() == document;
        let mut kept = BTreeSet::new();
        for message in messages.iter().filter(of) {
            let before: Vec<_> = numbers.range(..message.event_no()).collect();
            assert!(before.iter().all(|number| kept.contains(*number)), "{document}: {kept:?} {message:?}");
            kept.insert(message.event_no());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_fails_hangs_lies_and_comes_back_gets_every_event_also_if_the_hub_is_killed() {
    let place = Place::initialised().await;
    allow_loopback(&place);
    let receiver = Receiver::start().await;
    let data = place.folder.path().join("data");
    let hub = Process::start(&place, &data);
    ready(hub.address).await;
    let admin = Api::new(hub.address).login("boss", PASSWORD).await;
    let hook = made(&admin, &receiver.url(), &json!({})).await;
    let after_no = hook["after_no"].as_i64().unwrap();
    // The first messages have different outcomes. One hangs, and the hub waits for it when it is killed.
    receiver.behaves(|_, number| match number % 8 {
        0 => Manner::Refuse(500),
        1 => Manner::Close,
        2 => Manner::Keep,
        3 => Manner::BreakOff,
        4 => Manner::Refuse(302),
        5 => Manner::KeepAndClose,
        6 => Manner::Refuse(429),
        _ => Manner::Hang,
    });
    for sku in ["A", "B", "C", "D"] {
        product(&admin, sku).await;
    }
    for price in 1..6 {
        for sku in ["A", "B", "C"] {
            reprice(&admin, sku, price).await;
        }
    }
    let all: BTreeSet<i64> = log_of(&admin, after_no, 19).await.into_iter().collect();
    receiver.until("a message hangs", |messages| messages.iter().any(|one| one.manner == Manner::Hang)).await;
    // The hub is killed, so it hands nothing over.
    drop(hub);
    let before = receiver.messages().len();
    let hub = Process::start(&place, &data);
    ready(hub.address).await;
    receiver.until("the next process sends", |messages| messages.len() > before).await;
    let admin = admin.at(hub.address);
    receiver.behaves(|_, _| Manner::Keep);
    // An administrator can resume the webhook instead of waiting for the next attempts.
    admin.post(&path(&hook, "/resume"), &json!({})).await.data();
    receiver
        .until("every event is delivered", |messages| {
            let kept: BTreeSet<i64> =
                messages.iter().filter(|one| one.is_kept()).map(Message::event_no).collect();
            all.is_subset(&kept)
        })
        .await;
    until(&admin, &hook, "no event waits", |hook| hook["waiting"] == 0).await;
    is_in_order(&receiver.messages(), &all);
    assert!(receiver.messages().iter().all(|message| message.path == "/hooks?key=of-the-address"));

    // A receiver that answered 200 without storing the events can get them again by number.
    receiver.behaves(|_, _| Manner::Lie);
    let last = *all.iter().next_back().unwrap();
    reprice(&admin, "A", 9).await;
    let lost = log_of(&admin, last, 1).await[0];
    until(&admin, &hook, "the event counts as delivered", |hook| {
        hook["waiting"] == 0 && hook["after_no"].as_i64() >= Some(lost)
    })
    .await;
    assert!(!receiver.kept().contains(&lost));
    receiver.behaves(|_, _| Manner::Keep);
    admin.post(&path(&hook, "/replay"), &json!({"after_no": lost - 1})).await.data();
    receiver
        .until("the event is sent again", |messages| {
            messages.iter().any(|one| one.is_kept() && one.event_no() == lost)
        })
        .await;
    hub.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_refused_holds_up_its_document_and_no_other() {
    let (server, admin, receiver) = started().await;
    let hook = made(&admin, &receiver.url(), &json!({"event_types": ["product.*"]})).await;
    receiver.behaves(|message, _| match message.json()["data"]["object_id"].as_str() {
        Some("BAD") => Manner::Refuse(400),
        _ => Manner::Keep,
    });
    for sku in ["BAD", "A"] {
        product(&admin, sku).await;
        reprice(&admin, sku, 2).await;
        reprice(&admin, sku, 3).await;
    }
    admin.post("/api/tiers", &json!({"tier": "gold", "name": "Gold", "multiplier_bp": 20_000})).await.data();
    receiver.until("the event of the other document", |_| receiver.kept().len() == 3).await;
    until(&admin, &hook, "the events of the refused document wait", |hook| hook["waiting"] == 3).await;
    let deliveries = path(&hook, "/deliveries");
    let named = |one: &Value| {
        format!(
            "{} {} {}",
            one["object_id"].as_str().unwrap(),
            one["type"].as_str().unwrap(),
            one["last_status"]
        )
    };
    let delivered = ["A product.changed 200", "A product.changed 200", "A product.created 200"];
    finds(&admin, &deliveries, named, &[("state=delivered", &delivered)]).await;
    let waiting = admin.get(&format!("{deliveries}?state=waiting")).await.data()["items"].clone();
    let [third, second, first] = [0, 1, 2].map(|place| &waiting[place]);
    assert_eq!((&first["last_status"], &first["type"]), (&json!(400), &json!("product.created")));
    assert!(first["attempts"].as_i64() >= Some(1) && first["next_attempt_at"].is_string(), "{first}");
    assert_eq!(first["last_error"], "the answer was 400 Bad Request");
    assert_eq!(
        (&second["attempts"], &third["attempts"]),
        (&json!(0), &json!(0)),
        "the events were not sent before it"
    );
    assert_eq!(admin.get(&format!("{deliveries}?state=sent")).await.refusal(), "400 invalid_query");
    let metrics = admin.text("/metrics", "*/*").await;
    for line in [
        "hub_webhooks{state=\"active\"} 1",
        "hub_webhook_events_waiting{state=\"active\"} 3",
        "hub_webhook_events_waiting{state=\"paused\"} 0",
        "hub_webhook_events_behind{state=\"active\"} ",
        "hub_webhook_oldest_waiting_seconds{state=\"active\"} ",
        "hub_webhook_sent_total ",
        "hub_webhook_failed_total ",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    drop(server);
}

async fn paused_exceptions(admin: &Api, state: &str) -> Vec<Value> {
    let answer = admin.get(&format!("/api/exceptions?code=webhook_paused&state={state}")).await;
    answer.data()["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_fails_for_three_days_or_is_gone_is_paused_with_an_exception_and_loses_nothing() {
    let (server, admin, receiver) = started().await;
    let hook = made(&admin, &receiver.url(), &json!({"event_types": ["product.*"]})).await;
    receiver.behaves(|_, _| Manner::Refuse(503));
    product(&admin, "A").await;
    reprice(&admin, "A", 2).await;
    receiver.until("the message is refused", |messages| !messages.is_empty()).await;
    let failed = "SELECT COUNT(*) FROM webhook_deliveries WHERE failing_since IS NOT NULL";
    let since = Instant::now();
    while server.figure(failed).await == 0 {
        assert!(since.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(get(&admin, &hook).await["state"], "active");
    let past = "UPDATE webhook_deliveries SET failing_since = failing_since - $1, next_attempt_at = 0";
    sqlx::query(past).bind(THREE_DAYS_MS).execute(server.hub.db.pool()).await.unwrap();
    let paused = until(&admin, &hook, "the webhook is paused", |hook| hook["state"] == "paused").await;
    assert_eq!((&paused["pause_reason"], &paused["waiting"]), (&json!("failing"), &json!(2)));
    let found = paused_exceptions(&admin, "open").await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["details"]["webhook_id"], hook["webhook_id"]);
    assert!(found[0]["message"].as_str().unwrap().contains("503"), "{found:?}");
    let entries = admin.get("/api/audit?action=webhook.paused").await.data()["items"].clone();
    assert_eq!(entries[0]["details"], json!({"webhook_id": hook["webhook_id"], "reason": "failing"}));

    // Nothing is sent in the meantime, and the log continues to get events.
    let sent = receiver.messages().len();
    receiver.behaves(|_, _| Manner::Keep);
    product(&admin, "B").await;
    let last = *log_of(&admin, 0, 4).await.last().unwrap();
    assert_eq!(receiver.messages().len(), sent);
    let resumed = admin.post(&path(&hook, "/resume"), &json!({})).await.data().clone();
    assert_eq!((&resumed["state"], &resumed["pause_reason"]), (&json!("active"), &Value::Null));
    receiver.until("the waiting event is sent", |_| receiver.kept().contains(&last)).await;
    receiver.until("all events", |_| receiver.kept().len() == 3).await;
    assert_eq!(paused_exceptions(&admin, "open").await.len(), 0, "the exception was closed automatically");

    receiver.behaves(|_, _| Manner::Refuse(410));
    reprice(&admin, "B", 7).await;
    let gone = until(&admin, &hook, "the webhook is paused at once", |hook| hook["state"] == "paused").await;
    assert_eq!((&gone["pause_reason"], &gone["waiting"]), (&json!("gone"), &json!(1)));
    assert_eq!(paused_exceptions(&admin, "open").await.len(), 1);
    admin.send(Method::DELETE, &path(&hook, ""), &json!({})).await.data();
    assert_eq!(paused_exceptions(&admin, "open").await.len(), 0);
    assert_eq!(server.figure("SELECT COUNT(*) FROM webhook_deliveries WHERE state = 'waiting'").await, 0);
    let mut write = server.hub.db.write().await.unwrap();
    assert!(!delivery::sweep(&mut write, clock::now()).await.unwrap());
    write.commit().await.unwrap();
    assert_eq!(server.figure("SELECT COUNT(*) FROM webhook_deliveries").await, 0);
    assert_eq!(admin.get(&path(&hook, "")).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_were_deleted_while_a_webhook_was_paused_are_reported_and_the_kept_ones_are_sent() {
    let (server, admin, receiver) = started().await;
    let hook = made(&admin, &receiver.url(), &json!({"event_types": ["product.*"], "after_no": 0})).await;
    receiver.behaves(|_, _| Manner::Close);
    product(&admin, "A").await;
    // One event waits in the queue, the others in the log.
    until(&admin, &hook, "the event is queued", |hook| hook["waiting"] == 1).await;
    admin.post(&path(&hook, "/pause"), &json!({})).await.data();
    assert_eq!(get(&admin, &hook).await["pause_reason"], "by_hand");
    let before = get(&admin, &hook).await["after_no"].as_i64().unwrap();
    product(&admin, "B").await;
    let lost = log_of(&admin, before, 1).await[0];
    let old = "UPDATE event_commits SET at = 0 WHERE last_no <= $1";
    sqlx::query(old).bind(lost).execute(server.hub.db.pool()).await.unwrap();
    event_log::sweep(&server.hub.db, clock::now()).await.unwrap();
    product(&admin, "C").await;
    let kept = log_of(&admin, lost, 1).await[0];
    receiver.behaves(|_, _| Manner::Keep);
    admin.post(&path(&hook, "/resume"), &json!({})).await.data();
    receiver.until("the queued event and the logged one", |_| receiver.kept().len() == 2).await;
    assert!(receiver.kept().contains(&kept) && !receiver.kept().contains(&lost));
    until(&admin, &hook, "both are delivered", |hook| hook["waiting"] == 0).await;
    assert_eq!(get(&admin, &hook).await["missed_until"], json!(lost));
    // Replay from the first event of the log.
    let again = admin.post(&path(&hook, "/replay"), &json!({"after_no": 0})).await.data().clone();
    assert_eq!((&again["after_no"], &again["missed_until"]), (&json!(lost), &Value::Null));
    receiver.until("the logged event again", |_| receiver.kept().len() == 3).await;
    // A number that was not read yet would leave out events.
    admin.post(&path(&hook, "/pause"), &json!({})).await.data();
    // An old number can't hide that events were missed.
    let stale = admin.post(&path(&hook, "/replay"), &json!({"after_no": before})).await.data().clone();
    assert_eq!((&stale["after_no"], &stale["missed_until"]), (&json!(lost), &json!(lost)));
    product(&admin, "D").await;
    let unread = log_of(&admin, kept, 1).await[0];
    for after_no in [-1, unread] {
        let refused = admin.post(&path(&hook, "/replay"), &json!({"after_no": after_no})).await;
        assert_eq!(refused.refusal(), "422 validation_failed", "{after_no}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_senders_send_everything_once() {
    let (server, admin, receiver) = started().await;
    let hook = made(&admin, &receiver.url(), &json!({})).await;
    let after_no = hook["after_no"].as_i64().unwrap();
    let others: Vec<_> = (0..2).map(|_| tokio::spawn(sender::keep(Arc::clone(&server.hub)))).collect();
    for number in 0..40 {
        product(&admin, &format!("P{number}")).await;
    }
    let all = log_of(&admin, after_no, 40).await;
    until(&admin, &hook, "all events are read and sent", |hook| {
        hook["after_no"].as_i64() >= all.last().copied() && hook["waiting"] == 0
    })
    .await;
    let mut sent: Vec<i64> = receiver.messages().iter().map(Message::event_no).collect();
    sent.sort_unstable();
    assert_eq!(sent, all, "each once");

    // While one process holds the claim, no other gets it until it expires.
    let (id, now) = (hook["webhook_id"].as_str().unwrap(), clock::now().0 + 3_600_000);
    let claim = |holder: &'static str, at: i64| {
        let (db, id) = (&server.hub.db, id.to_owned());
        async move {
            let mut write = db.write().await.unwrap();
            let found =
                webhook::claim(&mut write, &id, (holder, UtcMs(at), UtcMs(at + 1_000))).await.unwrap();
            write.commit().await.unwrap();
            found.is_some()
        }
    };
    for (holder, at, expected) in [
        ("one", now, true),
        ("other", now + 999, false),
        ("one", now + 1, true),
        ("other", now + 1_001, true),
    ] {
        assert_eq!(claim(holder, at).await, expected, "{holder} {at}");
    }
    server.stop().await;
    for other in others {
        other.await.unwrap();
    }
}
