//! API keys: each may do what its role, scopes and stores allow, until it expires or is revoked.

use crate::support::server::{Answer, Api, PASSWORD, Server};
use cloud_hub::routes::ROUTES;
use cloud_hub::table::key_scope::{AREAS, Scope};
use edge::Access;
use edge::identity::limiter::FAILURES_PER_ADDRESS_MAX;
use edge::openapi::template;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const KEYS: &str = "/api/api-keys";
const JOURNAL: &str = "/api/finance/journal";
/// Tags that no key may use: other ways to log in, operations that need a session, and those that no user calls.
const CLOSED: [&str; 8] =
    ["API keys", "Description", "Events", "Log-in", "Passkeys", "Store protocol", "Users", "Webhooks"];

async fn made(admin: &Api, role: &str, scopes: &Value, store_ids: &Value) -> Value {
    let new = json!({"name": "Connector", "role": role, "scopes": scopes, "store_ids": store_ids,
        "expires_at": "2999-01-01T00:00:00.000Z"});
    admin.post(KEYS, &new).await.data().clone()
}

/// Creates a key, rotates and revokes it.
pub async fn change(admin: &Api) {
    let key = made(admin, "read_only", &json!(["finance:read"]), &json!([])).await;
    admin.post(&at(&key, "rotate"), &json!({"overlap_hours": 0})).await.data();
    admin.post(&at(&key, "revoke"), &json!({})).await.data();
}

fn with(admin: &Api, key: &Value) -> Api {
    admin.with_token(key["secret"].as_str().unwrap())
}

fn at(key: &Value, step: &str) -> String {
    format!("{KEYS}/{}/{step}", key["key_id"].as_str().unwrap())
}

fn is_refused(answer: &Answer) -> bool {
    answer.refusal() == "403 insufficient_role"
}

fn all_scopes() -> Value {
    Scope::all().map(Scope::name).collect::<Vec<_>>().into()
}

/// Returns the tag of every operation, by method and path as in the document.
fn tags() -> BTreeMap<(String, String), String> {
    let document: Value = serde_json::from_str(&cloud_hub::routes::text().unwrap()).unwrap();
    let mut tags = BTreeMap::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let tag = operation["tags"][0].as_str().unwrap().to_owned();
            tags.insert((method.to_uppercase(), path.clone()), tag);
        }
    }
    tags
}

#[test]
fn every_area_is_a_tag_and_every_other_tag_is_closed() {
    let tags: BTreeSet<String> = tags().into_values().collect();
    let known = AREAS.into_iter().chain(CLOSED).chain(["Operation"]).map(str::to_owned).collect();
    assert_eq!(tags, known);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_does_what_its_scopes_say_and_nothing_else() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let one = with(&admin, &made(&admin, "admin", &json!(["finance:read"]), &json!([])).await);
    let all = with(&admin, &made(&admin, "admin", &all_scopes(), &json!([])).await);
    let reader =
        with(&admin, &made(&admin, "read_only", &json!(["finance:read", "audit:read"]), &json!([])).await);
    let tags = tags();
    for route in ROUTES.iter() {
        let (Access::Roles(roles) | Access::CookieOr(roles)) = route.access else { continue };
        let path: Vec<&str> =
            route.pattern.split('/').map(|part| if part.starts_with(':') { "none" } else { part }).collect();
        let path = path.join("/");
        let method = &route.method;
        let tag = tags[&(method.to_string(), template(route.pattern))].as_str();
        let reads = |area: &str| tag == area && !route.mutates;
        // The body is empty, because a valid example would change data for the following rows.
        let answer = one.send(method.clone(), &path, &json!({})).await;
        assert_eq!(is_refused(&answer), !reads("Finance"), "{method} {path}: {answer:?}");
        let person = route.pattern.ends_with("/approve")
            || (route.mutates && ["/api/stores", "/api/stores/:id/token"].contains(&route.pattern));
        let answer = all.send(method.clone(), &path, &json!({})).await;
        assert_eq!(is_refused(&answer), CLOSED.contains(&tag) || person, "{method} {path}: {answer:?}");
        // This key may read what finance and purchasing may read, but nothing that only administrators may.
        let only_admins = roles.len() == 1;
        let answer = reader.send(method.clone(), &path, &json!({})).await;
        let may = (reads("Finance") || reads("Audit")) && !only_admins;
        assert_eq!(is_refused(&answer), !may, "{method} {path}: {answer:?}");
    }
    let lacking = one.get("/api/suppliers").await.body["error"]["message"].clone();
    assert!(lacking.as_str().unwrap().contains("purchasing:read"), "{lacking}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_shown_once_rotated_with_an_overlap_and_revoked_at_once() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let key = made(&admin, "ho_finance", &json!(["finance:read", "finance:write"]), &json!([])).await;
    let secret = key["secret"].as_str().unwrap();
    assert!(secret.starts_with("srk_") && secret.len() > 40, "{secret}");
    assert!(secret.ends_with(key["hint"].as_str().unwrap()));
    let listed = admin.get(KEYS).await.data()["items"].clone();
    assert_eq!(
        (listed[0]["key_id"].clone(), listed[0]["last_used_at"].clone()),
        (key["key_id"].clone(), Value::Null)
    );
    assert!(!listed.to_string().contains(secret));
    let kept = "SELECT COUNT(*) FROM api_keys WHERE hash LIKE 'srk%' OR LENGTH(hash) <> 64";
    assert_eq!(server.figure(kept).await, 0, "only a hash is stored");
    // Actions of a key are recorded under its own name.
    let connector = with(&admin, &key);
    let account = json!({"account": "6990", "name": "Sundry", "type": "expense"});
    connector.post("/api/finance/accounts", &account).await.data();
    let done = admin.get("/api/audit?action=finance.account_created").await.data()["items"][0].clone();
    assert_eq!(done["user_id"], key["key_id"], "{done}");
    assert_ne!(admin.get(KEYS).await.data()["items"][0]["last_used_at"], Value::Null);
    // The old secret stays valid during the overlap of its rotation, but two secrets at most are valid at once.
    let second = admin.post(&at(&key, "rotate"), &json!({"overlap_hours": 24})).await.data().clone();
    for (api, what) in [(&connector, "before"), (&with(&admin, &second), "after")] {
        assert_eq!(api.get(JOURNAL).await.status, 200, "{what}");
    }
    let third = admin.post(&at(&key, "rotate"), &json!({"overlap_hours": 0})).await.data().clone();
    assert_eq!(third["previous_until"], Value::Null);
    assert_eq!(connector.get(JOURNAL).await.refusal(), "401 invalid_token");
    assert_eq!(with(&admin, &second).get(JOURNAL).await.refusal(), "401 token_expired");
    let connector = with(&admin, &third);
    connector.get(JOURNAL).await.data();
    let expired = "UPDATE api_keys SET expires_at = 1";
    sqlx::query(expired).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(connector.get(JOURNAL).await.refusal(), "401 token_expired");
    sqlx::query("UPDATE api_keys SET expires_at = NULL").execute(server.hub.db.pool()).await.unwrap();
    connector.get(JOURNAL).await.data();
    let revoked = admin.post(&at(&key, "revoke"), &json!({})).await.data().clone();
    assert_ne!(revoked["revoked_at"], Value::Null);
    assert_eq!(connector.get(JOURNAL).await.refusal(), "401 token_revoked");
    let again = admin.post(&at(&key, "rotate"), &json!({"overlap_hours": 0})).await;
    assert_eq!(again.refusal(), "409 invalid_state");
    for action in ["api_key.created", "api_key.rotated", "api_key.revoked"] {
        let entries = admin.get(&format!("/api/audit?action={action}")).await.data()["items"].clone();
        assert_eq!(entries[0]["details"]["key_id"], key["key_id"], "{action}");
        assert!(!entries.to_string().contains("srk_"), "{entries}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_some_stores_reads_them_alone() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for store_id in ["S001", "S002"] {
        admin.post("/api/stores", &json!({"store_id": store_id})).await.data();
    }
    let scopes: Vec<_> = Scope::all().filter(|scope| !scope.writes()).map(Scope::name).collect();
    let key = with(&admin, &made(&admin, "read_only", &json!(scopes), &json!(["S001"])).await);
    let days = "from=2026-11-01&to=2026-11-02";
    for (path, query) in [("/api/transactions", ""), ("/api/shifts", ""), ("/api/reports/sales", days)] {
        assert!(is_refused(&key.get(&format!("{path}?{query}")).await), "{path}");
        assert!(is_refused(&key.get(&format!("{path}?{query}&store_id=S002")).await), "{path}");
        key.get(format!("{path}?store_id=S001&{query}").trim_end_matches('&')).await.data();
    }
    // Operations that would ignore the parameter are refused.
    for path in ["/api/stores", "/api/days/S002/2026-11-01", "/api/stores/S002/status", "/api/members"] {
        assert!(is_refused(&key.get(&format!("{path}?store_id=S001")).await), "{path}");
    }
    // A supplier's invoice may bill goods of several stores.
    assert!(is_refused(&key.get("/api/finance/invoices?store_id=S001").await));
    // Encoding or repeating the parameter does not bypass the limit.
    for query in ["store_id=S002&store_id=S001", "store_id=S001&store%5Fid=S002"] {
        assert!(is_refused(&key.get(&format!("/api/transactions?{query}")).await), "{query}");
    }
}

/// A key may change a sent order, but a higher total waits for a person's approval.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_approves_no_larger_total_of_an_order() {
    let server = Server::start().await;
    let admin = server.admin().await;
    admin.post("/api/stores", &json!({"store_id": "S001"})).await.data();
    let supplier = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea"})).await.data().clone();
    admin.post("/api/products", &json!({"sku": "A", "name": "Tea", "price": 20})).await.data();
    let line = |qty: i64| json!([{"line_no": 1, "sku": "A", "qty": qty, "unit_cost": 10}]);
    let order = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001",
        "lines": [{"sku": "A", "qty": 5, "unit_cost": 10}]});
    let order = admin.post("/api/purchase-orders", &order).await.data().clone();
    let path = format!("/api/purchase-orders/{}", order["po_id"].as_str().unwrap());
    // The order was changed since, so the approver can't approve a total that they have not read.
    let stale = admin.post(&format!("{path}/approve"), &json!({"total": 40})).await;
    assert_eq!(stale.refusal(), "422 validation_failed");
    for (step, body) in [("approve", json!({"total": 50})), ("send", json!({}))] {
        admin.post(&format!("{path}/{step}"), &body).await.data();
    }
    let key = with(&admin, &made(&admin, "ho_purchasing", &json!(["purchasing:write"]), &json!([])).await);
    let revise =
        |revision: u32, qty: i64| json!({"revision": revision, "reason": "again", "lines": line(qty)});
    let less = key.post(&format!("{path}/revise"), &revise(0, 4)).await.data().clone();
    assert_eq!((&less["total"], &less["revision"]), (&json!(40), &json!(1)));
    let more = key.post(&format!("{path}/revise"), &revise(1, 5_000)).await.data().clone();
    assert_eq!((&more["total"], &more["proposed"]["total"]), (&json!(40), &json!(50_000)));
    let approve = format!("{path}/approve");
    assert_eq!(admin.post(&approve, &json!({"total": 40})).await.refusal(), "422 validation_failed");
    assert_eq!(admin.post(&approve, &json!({"total": 50_000})).await.data()["total"], 50_000);
    // With an inactive supplier, a sent order can be reduced, but a new one can't be approved.
    let supplier = format!("/api/suppliers/{}", supplier["supplier_id"].as_str().unwrap());
    let waiting = json!({"supplier_id": more["supplier_id"], "store_id": "S001",
        "lines": [{"sku": "A", "qty": 5, "unit_cost": 10}]});
    let waiting = admin.post("/api/purchase-orders", &waiting).await.data().clone();
    admin.patch(&supplier, &json!({"state": "inactive"})).await.data();
    admin.post(&format!("{path}/revise"), &revise(2, 3)).await.data();
    let approve = format!("/api/purchase-orders/{}/approve", waiting["po_id"].as_str().unwrap());
    assert_eq!(admin.post(&approve, &json!({})).await.refusal(), "422 validation_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_keys_count_like_failed_log_ins_of_their_address() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let key = with(&admin, &made(&admin, "read_only", &json!(["finance:read"]), &json!([])).await);
    let guess = admin.with_token("srk_guessed");
    for _ in 0..FAILURES_PER_ADDRESS_MAX {
        assert_eq!(guess.get(JOURNAL).await.refusal(), "401 invalid_token");
    }
    let log_in = json!({"username": "boss", "password": PASSWORD});
    assert_eq!(server.api().post("/api/auth/login", &log_in).await.refusal(), "429 rate_limited");
    assert_eq!(guess.get(JOURNAL).await.refusal(), "401 invalid_token");
    key.get(JOURNAL).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_would_do_more_than_they_say_are_not_made() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let good = json!({"name": "Connector", "role": "ho_finance", "scopes": ["finance:write"]});
    for (field, value) in [
        ("name", json!(" ")),
        ("role", json!("cashier")),
        ("role", json!("read_only")),
        ("scopes", json!([])),
        ("scopes", json!(["users:read"])),
        ("scopes", json!(["api_keys:write"])),
        ("store_ids", json!(["S404"])),
        ("expires_at", json!("2020-01-01T00:00:00.000Z")),
    ] {
        let mut new = good.clone();
        new[field] = value;
        assert_eq!(admin.post(KEYS, &new).await.refusal(), "422 validation_failed", "{new}");
    }
    assert_eq!(server.figure("SELECT COUNT(*) FROM api_keys").await, 0);
    admin.post(KEYS, &good).await.data();
}
