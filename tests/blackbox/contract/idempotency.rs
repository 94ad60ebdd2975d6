//! Every documented operation that changes data has a probe here. Each probe checks that a repeated request gets the
//! same bytes, that another body under the same key is refused, and that refusals are not stored.

mod administration;
mod attempt;
mod books;
mod goods;
mod hub_probes;
mod probes;
mod purchasing;
mod settlement;
mod upkeep;
mod warehouses;

pub use attempt::Attempt;
use attempt::Probe;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use testkit::hub::Hub;
use testkit::{Client, Reply, Store};

/// Operations that store no answer under a key; docs/decisions/0005-keys-without-effect.md gives the reasons.
const UNKEYED: [&str; 33] = [
    "POST /api/auth/login",
    "POST /auth/login",
    "POST /api/auth/login/pin",
    "PUT /api/auth/pin",
    "DELETE /api/auth/pin",
    "POST /api/auth/refresh",
    "POST /auth/refresh",
    "POST /api/auth/logout",
    "POST /api/auth/webauthn/login/start",
    "POST /api/auth/webauthn/login/finish",
    "POST /api/auth/webauthn/confirm/start",
    "POST /api/auth/webauthn/register/start",
    // A ticket changes no data.
    "POST /api/events/ticket",
    "POST /api/sync/enrol",
    "POST /api/sync/hello",
    "POST /api/sync/push",
    "POST /api/sync/digest",
    "POST /api/sync/members",
    "POST /api/sync/receipts/reserve",
    "POST /api/sync/receipts/release",
    "POST /api/parked/{id}/replay",
    "POST /api/parked/replay",
    "POST /api/api-keys",
    "POST /api/api-keys/{key_id}/rotate",
    "POST /api/webhooks",
    "POST /api/webhooks/{webhook_id}/rotate-secret",
    "POST /api/webhooks/{webhook_id}/test",
    "POST /api/stores",
    "POST /api/stores/{id}/token",
    // Each request prints another copy.
    "POST /api/pos/receipts/{receipt_no}/prints",
    "POST /api/shifts/{id}/prints",
    // The operation writes nothing.
    "POST /api/pos/returns/quote",
    "POST /api/promotions/preview",
];

/// Returns the documented operations that change data and whose answers are stored, or are not, depending on `kept`.
fn documented(name: &str, kept: &str) -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi").join(format!("{name}.json"));
    let document: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut found = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert_eq!(operation.get("x-idempotency").is_some(), method != "get", "{method} {path}");
            if operation["x-idempotency"] == kept {
                found.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    found
}

fn covered<S>(name: &str, probes: &[&Probe<S>]) {
    let probed: BTreeSet<String> = probes.iter().map(|probe| probe.operation.to_owned()).collect();
    let kept = documented(name, "stored");
    let missing: Vec<_> = kept.difference(&probed).collect();
    assert!(
        missing.is_empty(),
        "{name}: no probe in tests/blackbox/contract/idempotency/probes.rs for {missing:?}"
    );
    let unknown: Vec<_> = probed.difference(&kept).collect();
    assert!(unknown.is_empty(), "{name}: probes for operations that are not documented: {unknown:?}");
}

#[test]
fn the_routes_without_a_key_are_those_of_the_list() {
    let mut found = documented("store-router", "none");
    found.extend(documented("cloud-hub", "none"));
    assert_eq!(found, UNKEYED.map(str::to_owned).into());
}

/// Returns the store's probes in the order in which they run.
pub fn store_probes() -> impl Iterator<Item = &'static Probe<Store>> {
    probes::STORE.iter().chain(upkeep::UPKEEP).chain(goods::GOODS)
}

#[test]
fn every_change_at_the_store_is_safe_to_repeat() {
    let all: Vec<&Probe<Store>> = store_probes().collect();
    covered("store-router", &all);
    let mut store = Store::open();
    store.receive_all(50);
    for probe in all {
        holds(probe.operation, (probe.prepare)(&mut store));
    }
}

#[test]
fn every_change_at_the_hub_is_safe_to_repeat() {
    let all: Vec<&Probe<Hub>> = hub_probes::HUB
        .iter()
        .chain(books::BOOKS)
        .chain(purchasing::PURCHASING)
        .chain(settlement::SETTLEMENT)
        .chain(administration::ADMINISTRATION)
        .chain(warehouses::WAREHOUSES)
        .collect();
    covered("cloud-hub", &all);
    let mut hub = Hub::open();
    hub.login().post("/api/stores", &json!({"store_id": "S100"})).data(201);
    for probe in all {
        holds(probe.operation, (probe.prepare)(&mut hub));
    }
}

#[track_caller]
fn holds(operation: &str, attempt: Attempt) {
    let Attempt { mut client, path, media_type, refused, body, other } = attempt;
    let method = operation.split(' ').next().unwrap();
    let key = format!("key of {operation}").replace([' ', '/'], "_");
    let send = |client: &mut Client, body: &str| -> Reply {
        let headers = [("Idempotency-Key", key.as_str()), ("Content-Type", media_type)];
        client.send(method, &path, &headers, body.as_bytes())
    };
    let refusal = send(&mut client, &refused);
    assert!((400..500).contains(&refusal.status), "{operation}: not refused: {}", refusal.text());
    let first = send(&mut client, &body);
    assert!((200..300).contains(&first.status), "{operation}: {} {}", first.status, first.text());
    assert_eq!(first.header("idempotency-replayed"), None, "{operation}: a refusal was stored");
    let again = send(&mut client, &body);
    assert_eq!(again.status, first.status, "{operation}: {}", again.text());
    assert!(again.body == first.body, "{operation}: {} became {}", first.text(), again.text());
    assert_eq!(again.header("location"), first.header("location"), "{operation}");
    assert_eq!(again.header("idempotency-replayed"), Some("true"), "{operation}");
    send(&mut client, &other).refused(422, "idempotency_key_reused");
    let still = send(&mut client, &body);
    assert!(still.body == first.body && still.header("idempotency-replayed").is_some(), "{operation}");
}
