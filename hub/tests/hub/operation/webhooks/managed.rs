//! Webhooks as administrators manage them: secrets and signatures, filters, addresses.

use crate::operation::webhooks::{HOOKS, made, path, product, started};
use crate::support::receiver::{Message, Receiver};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use base64::{Engine, engine::general_purpose::STANDARD};
use cloud_hub::table::webhooks::webhook::WEBHOOKS_MAX;
use edge::clock;
use hmac::{Hmac, Mac};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;

fn signed(secret: &str, message: &Message) -> String {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    assert_eq!(key.len(), 32);
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let text = format!(
        "{}.{}.{}",
        message.headers["webhook-id"], message.headers["webhook-timestamp"], message.body
    );
    mac.update(text.as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_signed_and_the_secret_is_shown_once_and_rotated_with_an_overlap() {
    let (server, admin, receiver) = started().await;
    let hook = made(&admin, &receiver.url(), &json!({})).await;
    let first = hook["secret"].as_str().unwrap().to_owned();
    let tested = admin.post(&path(&hook, "/test"), &json!({})).await.data().clone();
    assert_eq!((&tested["delivered"], &tested["http_status"]), (&json!(true), &json!(200)), "{tested}");
    let message = receiver.messages().pop().unwrap();
    let body = message.json();
    assert_eq!((&body["type"], &body["data"]["type"]), (&json!("webhook.test"), &json!("webhook.test")));
    assert_eq!(message.headers["webhook-signature"], signed(&first, &message));
    let sent_at: i64 = message.headers["webhook-timestamp"].parse().unwrap();
    assert!((clock::now().0 / 1000 - sent_at).abs() < 60, "{sent_at}");

    let rotated =
        admin.post(&path(&hook, "/rotate-secret"), &json!({"overlap_hours": 24})).await.data().clone();
    let second = rotated["secret"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    // An event of the log has the log's ID and fields.
    product(&admin, "A").await;
    receiver.until("an event arrives", |messages| messages.len() == 2).await;
    let message = receiver.messages().pop().unwrap();
    let both = format!("{} {}", signed(&second, &message), signed(&first, &message));
    assert_eq!(message.headers["webhook-signature"], both);
    let body = message.json();
    let log = admin.get(&format!("/api/event-log?after_no={}", message.event_no() - 1)).await.data()["items"]
        [0]
    .clone();
    assert_eq!((&body["data"], &body["type"], &body["timestamp"]), (&log, &log["type"], &log["occurred_at"]));
    assert_eq!(message.headers["webhook-id"], log["event_id"].as_str().unwrap());
    assert_eq!(message.headers["content-type"], "application/json");

    // The answer was lost and the secret is rotated again. The receiver still has the first secret.
    let rotated =
        admin.post(&path(&hook, "/rotate-secret"), &json!({"overlap_hours": 1})).await.data().clone();
    let third = rotated["secret"].as_str().unwrap().to_owned();
    admin.post(&path(&hook, "/test"), &json!({})).await.data();
    let message = receiver.messages().pop().unwrap();
    let signatures: Vec<&str> = message.headers["webhook-signature"].split(' ').collect();
    assert_eq!(signatures, [&third, &first, &second].map(|secret| signed(secret, &message)));
    admin.post(&path(&hook, "/rotate-secret"), &json!({"overlap_hours": 0})).await.data();
    admin.post(&path(&hook, "/test"), &json!({})).await.data();
    let message = receiver.messages().pop().unwrap();
    let signature = &message.headers["webhook-signature"];
    assert!(!signature.contains(' ') && *signature != signed(&second, &message), "{signature}");
    // The secret is not readable anywhere, and no later answer or entry contains it.
    let listed = admin.get(HOOKS).await.data()["items"].to_string();
    let audit = admin.get("/api/audit?limit=500").await.data().to_string();
    for (text, what) in [(&listed, "list"), (&audit, "audit log")] {
        assert!(!text.contains("whsec_") && !text.contains(&first[10..30]), "{what}");
    }
    assert!(!audit.contains("of-the-address"), "only the host, because the URL may contain a password");
    let columns = "SELECT COUNT(*) FROM webhooks WHERE salt LIKE '%whsec%' OR previous_salts LIKE '%whsec%'";
    assert_eq!(server.figure(columns).await, 0);
    let too_long = admin.post(&path(&hook, "/rotate-secret"), &json!({"overlap_hours": 169})).await;
    assert_eq!(too_long.refusal(), "422 validation_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn stores_and_areas_are_filters_and_wrong_fields_are_refused() {
    let (server, admin, receiver) = started().await;
    let office = json!({"event_types": ["product.*"], "store_ids": [""]});
    let office = made(&admin, &receiver.url(), &office).await;
    let mut shop = Shop::open(&server, "S001").await;
    Shop::open(&server, "S002").await;
    let one = Receiver::start().await;
    made(&admin, &one.url(), &json!({"event_types": ["transaction.paid"], "store_ids": ["S001"]})).await;
    shop.sell(2);
    shop.push(&shop.batch(1, 2)).await.data();
    product(&admin, "A").await;
    one.until("two sales", |messages| messages.len() == 2).await;
    receiver.until("a product", |messages| messages.len() == 1).await;
    assert_eq!(receiver.messages()[0].json()["type"], "product.created");
    let changed =
        admin.patch(&path(&office, ""), &json!({"name": "Renamed", "event_types": []})).await.data().clone();
    assert_eq!(
        (&changed["name"], &changed["event_types"], &changed["store_ids"]),
        (&json!("Renamed"), &json!([]), &json!([""]))
    );
    admin.post("/api/tiers", &json!({"tier": "gold", "name": "Gold", "multiplier_bp": 20_000})).await.data();
    receiver
        .until("an event of any type", |messages| {
            messages.iter().any(|one| one.json()["type"] == "tier.created")
        })
        .await;
    assert!(one.messages().iter().all(|message| message.json()["data"]["store_id"] == "S001"));
    let good = json!({"name": "x", "url": receiver.url()});
    for (field, value) in [
        ("name", json!(" ")),
        ("url", json!("http://10.0.0.1/")),
        ("url", json!("ftp://127.0.0.1/")),
        ("event_types", json!(["never.heard"])),
        ("event_types", json!(["finance.bogus"])),
        ("event_types", json!(["*"])),
        ("store_ids", json!(["S404"])),
        ("after_no", json!(-1)),
    ] {
        let mut new = good.clone();
        new[field] = value;
        assert_eq!(admin.post(HOOKS, &new).await.refusal(), "422 validation_failed", "{new}");
    }
    for _ in 2..WEBHOOKS_MAX {
        admin.post(HOOKS, &good).await.data();
    }
    assert_eq!(
        admin.post(HOOKS, &good).await.refusal(),
        "422 validation_failed",
        "the maximum number of webhooks"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_setting_no_webhook_reaches_this_machine() {
    let (server, receiver) = (Server::start().await, Receiver::start().await);
    let admin = server.admin().await;
    let port = receiver.address.port();
    for url in [receiver.url(), format!("https://127.0.0.1:{port}/"), format!("https://[::1]:{port}/")] {
        let refused = admin.post(HOOKS, &json!({"name": "x", "url": url})).await;
        assert_eq!(refused.refusal(), "422 validation_failed", "{url}");
    }
    // The addresses of a host name are checked at each connection.
    let hook = made(&admin, &format!("https://localhost:{port}/"), &json!({})).await;
    let tested = admin.post(&path(&hook, "/test"), &json!({})).await.data().clone();
    assert_eq!((&tested["delivered"], &tested["http_status"]), (&json!(false), &Value::Null));
    assert!(tested["error"].as_str().unwrap().contains("may not be reached"), "{tested}");
    assert!(receiver.messages().is_empty());
}

/// Creates a webhook and makes each change of it once.
pub async fn change(admin: &Api) {
    let hook = made(admin, "https://localhost/", &json!({})).await;
    admin.patch(&path(&hook, ""), &json!({"name": "Ledger"})).await.data();
    for step in ["/pause", "/resume", "/test"] {
        admin.post(&path(&hook, step), &json!({})).await.data();
    }
    admin.post(&path(&hook, "/rotate-secret"), &json!({"overlap_hours": 24})).await.data();
    admin.post(&path(&hook, "/replay"), &json!({"after_no": 0})).await.data();
    admin.send(Method::DELETE, &path(&hook, ""), &json!({})).await.data();
}
