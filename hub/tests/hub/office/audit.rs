//! The audit log of head office: complete, chained, readable, and combined with those of all stores.

use crate::office::api_keys;
use crate::office::documents::warehouses;
use crate::office::products::HEADER;
use crate::office::purchasing::changes;
use crate::office::settlement::matches;
use crate::office::settlement::set_aside::decide_on_rows;
use crate::operation::event_log::as_documented;
use crate::operation::webhooks::managed as webhooks;
use crate::support::server::{Api, PASSWORD, Place, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::kinds::raw;
use crate::sync::records::{NOON, Sale, receiving, stamp};
use domain::model::people::audit::AuditEntry;
use domain::wire::record;
use edge::Access;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::client::authenticator::Authenticator;

pub mod routes;
use routes::{CHANGES, withdrawn, yesterday};

async fn listed(api: &Api, query: &str) -> Vec<Value> {
    api.get(&format!("/api/audit?limit=500{query}")).await.data()["items"].as_array().unwrap().clone()
}

pub async fn tells(shop: &mut Shop, record: String) {
    shop.chain().append(record);
    let seq = shop.chain().records.len();
    shop.push(&shop.batch(seq, seq)).await.data();
}

fn id(made: &Value, name: &str) -> String {
    made[name].as_str().unwrap().to_owned()
}

/// Makes each of these changes once.
async fn change_everything(server: &Server, shop: &mut Shop, admin: &Api) {
    let done = |method: Method, path: String, body: Value| {
        let admin = admin.clone();
        async move { admin.send(method, &path, &body).await.data().clone() }
    };
    let post = |path: &str, body: Value| done(Method::POST, path.to_owned(), body);
    let patch = |path: String, body: Value| done(Method::PATCH, path, body);
    post("/api/stores", json!({"store_id": "S002"})).await;
    patch("/api/stores/S002".to_owned(), json!({"address": "Jl. Cikini 1"})).await;
    post("/api/stores/S002/disable", json!({})).await;
    post("/api/stores/S002/enable", json!({})).await;
    post("/api/stores/S002/token", json!({})).await;
    post("/api/products", json!({"sku": "A", "name": "Thing", "price": 1000})).await;
    patch("/api/products/A".to_owned(), json!({"price": 900})).await;
    admin.csv("/api/products/import", &format!("{HEADER}\nB,Other,1000,Tea,,,,\n")).await.data();
    patch("/api/stores/S001/products/A/settings".to_owned(), json!({"reorder_level": 3})).await;
    let price = id(&post("/api/prices", json!({"sku": "A", "price": 950})).await, "price_id");
    post(&format!("/api/prices/{price}/withdraw"), json!({})).await;
    let promotion = json!({"name": "Tea week", "type": "line_percent", "value": 1000, "from": "2030-01-01",
        "to": "2030-01-07", "priority": 1});
    let made = post("/api/promotions", promotion).await;
    patch(format!("/api/promotions/{}", id(&made, "promotion_id")), json!({"priority": 2})).await;
    let made = post("/api/members", json!({"name": "Ani", "phone": "0811 2345 6789"})).await;
    patch(format!("/api/members/{}", id(&made, "member_id")), json!({"phone": "0811 2345 0000"})).await;
    let other = post("/api/members", json!({"name": "Ani W", "phone": "0811 2345 1111"})).await;
    post(&format!("/api/members/{}/merge", id(&other, "member_id")), json!({"into": made["member_id"]}))
        .await;
    post(&format!("/api/members/{}/erase", id(&made, "member_id")), json!({"reason": "asked for"})).await;
    patch("/api/settings".to_owned(), json!({"purchasing.rate_days": 30})).await;
    patch("/api/stores/S001/settings".to_owned(), json!({"shifts.blind": true})).await;
    patch("/api/registers/S001/till-1".to_owned(), json!({"state": "disabled"})).await;
    for (list, key, entry) in [
        ("categories", "Tea", json!({"code": "Tea", "name": "Tea"})),
        ("tax-codes", "PPN", json!({"tax_code": "PPN", "name": "x", "rate_bp": 1100, "kind": "standard"})),
        ("tiers", "gold", json!({"tier": "gold", "name": "x", "multiplier_bp": 15_000})),
        ("reasons", "voids/late", json!({"list": "voids", "code": "late", "name": "x"})),
        ("payment-methods", "gopay", json!({"method": "gopay", "name": "x", "account": "1120"})),
    ] {
        post(&format!("/api/{list}"), entry).await;
        patch(format!("/api/{list}/{key}"), json!({"name": "Y"})).await;
    }
    let supplier = post("/api/suppliers", json!({"code": "TEA", "name": "Tea Ltd"})).await;
    let supplier = id(&supplier, "supplier_id");
    patch(format!("/api/suppliers/{supplier}"), json!({"phone": "+6221"})).await;
    let order = json!({"supplier_id": supplier, "store_id": "S001",
        "lines": [{"sku": "A", "qty": 4, "unit_cost": 9}]});
    let cancelled = id(&post("/api/purchase-orders", order.clone()).await, "po_id");
    patch(format!("/api/purchase-orders/{cancelled}"), json!({"note": "soon"})).await;
    post(&format!("/api/purchase-orders/{cancelled}/cancel"), json!({})).await;
    let po_id = id(&post("/api/purchase-orders", order).await, "po_id");
    post(&format!("/api/purchase-orders/{po_id}/approve"), json!({})).await;
    post(&format!("/api/purchase-orders/{po_id}/send"), json!({})).await;
    changes::buy(&supplier, admin).await;
    changes::owe(&supplier, admin).await;
    warehouses::change(&supplier, admin).await;

    post("/api/finance/accounts", json!({"account": "6110", "name": "Rent", "type": "expense"})).await;
    patch("/api/finance/accounts/6110".to_owned(), json!({"name": "Rent of shops"})).await;
    let mapping = json!({"of": "cash_reason", "key": "rent", "account": "6110", "from": "2023-12-20"});
    withdrawn(admin, &post("/api/finance/mappings", mapping).await).await;
    let entry = crate::office::finance_entries::entry("2023-10-02", &[("", "6110", 5), ("", "1040", -5)]);
    let written = id(&post("/api/finance/journal", entry).await, "entry_id");
    routes::for_programs(admin).await;
    post(&format!("/api/finance/journal/{written}/reverse"), json!({"reason": "twice"})).await;
    let opening = json!({"date": "2023-10-02", "lines": [{"account": "1040", "debit": 5}]});
    post("/api/finance/opening", opening).await;
    post("/api/finance/days/2023-10-05/lock", json!({})).await;
    post("/api/finance/days/2023-10-05/unlock", json!({"reason": "a bill"})).await;
    post("/api/finance/periods/2023-10/close", json!({})).await;
    post("/api/finance/periods/2023-10/reopen", json!({"reason": "a bill"})).await;
    post("/api/finance/proofs", json!({})).await;
    let source = json!({"name": "Cards", "kind": "provider", "methods": ["card"]});
    let source = id(&post("/api/statement-sources", source).await, "source_id");
    patch(format!("/api/statement-sources/{source}"), json!({"window_days": 7})).await;
    let line = json!({"date": yesterday(), "reference": "C-1", "amount": 5});
    let reported = json!({"source_id": source, "lines": [line]});
    let statement = id(&post("/api/statements", reported).await, "statement_id");
    let open = id(&admin.get("/api/settlement-exceptions").await.data()["items"][0], "exception_id");
    let resolve = format!("/api/settlement-exceptions/{open}/resolve");
    post(&resolve, json!({"resolution": "carry", "reason": "the store is offline"})).await;
    post(&format!("/api/statements/{statement}/approve"), json!({})).await;
    decide_on_rows(admin, &source, &yesterday().to_string()).await;
    let day = json!({"store_id": "S001", "business_date": "2023-12-21", "force": true, "reason": "fire"});
    let settlement = id(&post("/api/settlements", day).await, "settlement_id");
    post(&format!("/api/settlements/{settlement}/match"), json!({})).await;
    let line = json!({"date": yesterday(), "reference": "a fee", "gross": 0, "fee": 1, "type": "fee"});
    post(&format!("/api/settlements/{settlement}/statements"), json!({"source_id": source, "lines": [line]}))
        .await;
    post(&format!("/api/settlements/{settlement}/approve"), json!({})).await;
    matches::change(&source, shop, admin).await;

    // A store's records cause exceptions to resolve, values to restore, records to retry and shifts to close.
    let mut came: Value = serde_json::from_str(&receiving("S001", "A", 4, "evt_1")).unwrap();
    came["payload"]["receiving"]["po_id"] = json!(po_id);
    tells(shop, came.to_string()).await;
    post(&format!("/api/purchase-orders/{po_id}/close"), json!({})).await;
    changes::credit(&supplier, shop, admin).await;
    let received = json!({"store_id": "S001", "lines": [{"receiving_id": "rcv_evt_1", "line_no": 1}],
        "reason": "a gift"});
    post("/api/finance/uninvoiced/close", received).await;
    for event_id in ["evt_2", "evt_3"] {
        let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
        tells(shop, sale.record(event_id)).await;
    }
    for (event_id, ms) in [("evt_4", 9), ("evt_5", 1)] {
        let at = format!("{:013}-00000-S001", NOON.0 + ms);
        let fields = json!({"name": {"value": event_id, "at": at, "base": ""}});
        tells(shop, raw("member.changed", event_id, &at, &json!({"id": "mbr_1", "fields": fields}))).await;
    }
    tells(shop, raw("never.heard", "evt_6", &format!("{:013}-00000-S001", NOON.0), &json!({}))).await;
    let first = |path: &str| {
        let (admin, path) = (admin.clone(), path.to_owned());
        async move { admin.get(&path).await.data()["items"][0].clone() }
    };
    let exception = id(&first("/api/exceptions").await, "exception_id");
    post(&format!("/api/exceptions/{exception}/settle"), json!({"note": "both are real"})).await;
    let conflict = id(&first("/api/conflicts").await, "conflict_id");
    post(&format!("/api/conflicts/{conflict}/restore"), json!({})).await;
    let parked = id(&first("/api/parked").await, "parked_id");
    post(&format!("/api/parked/{parked}/replay"), json!({})).await;
    post("/api/parked/replay?code=unknown_type", json!({})).await;
    // Users, and the administrator's own devices, password and log-out.
    let person = json!({"username": "fin", "name": "F", "role": "ho_finance", "password": "another-horse-9"});
    let user_id = id(&post("/api/users", person).await, "id");
    patch(format!("/api/users/{user_id}"), json!({"name": "Fin Ance"})).await;
    post(&format!("/api/users/{user_id}/revoke-tokens"), json!({})).await;
    api_keys::change(admin).await;
    webhooks::change(admin).await;
    let mut thumb = Authenticator::new("http://localhost:0", Some(1));
    let begun = post("/api/auth/webauthn/register/start", json!({"password": PASSWORD})).await;
    let credential = thumb.register(&begun["public_key"]);
    let body = json!({"ceremony_id": begun["ceremony_id"], "name": "Thumb", "credential": credential});
    post("/api/auth/webauthn/register/finish", body).await;
    let path = format!("/api/auth/webauthn/credentials/{}", thumb.credential_id());
    done(Method::DELETE, path, json!({})).await;
    let words = json!({"current_password": PASSWORD, "new_password": "third-horse-10"});
    post("/api/auth/password", words).await;
    post("/api/auth/logout", json!({})).await;
    by_command(&server.place);
}

fn by_command(place: &Place) {
    let csv = place.folder.path().join("c.csv");
    std::fs::write(&csv, format!("{HEADER}\nC,Third,1000,Tea,,,,\n")).unwrap();
    let to = place.folder.path().join("backups");
    for command in [
        vec!["store", "add", "S003"],
        vec!["store", "add", "S003", "--new-token"],
        vec!["store", "disable", "S003"],
        vec!["store", "enable", "S003"],
        vec!["user", "add", "--username", "pur", "--name", "Pur", "--role", "ho_purchasing"],
        vec!["user", "revoke", "pur"],
        vec!["import", "products", csv.to_str().unwrap()],
        vec!["backup", to.to_str().unwrap()],
        vec!["rotate-keys"],
    ] {
        let done = place.run(&command, "");
        assert!(done.status.success() && stderr(&done).is_empty(), "{command:?}: {}", stderr(&done));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_of_head_office_is_written_down_in_one_chain() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let me = id(&admin.get("/api/auth/me").await.data()["user"], "id");
    change_everything(&server, &mut shop, &admin).await;

    let mut routes: Vec<(&str, &str)> = cloud_hub::routes::ROUTES
        .iter()
        .filter(|route| {
            matches!(route.access, Access::Roles(_) | Access::CookieOr(_)) && route.method != Method::GET
        })
        .map(|route| (route.method.as_str(), route.pattern))
        .collect();
    let mut known: Vec<(&str, &str)> =
        CHANGES.iter().filter(|change| !change.0.is_empty()).map(|change| (change.0, change.1)).collect();
    routes.sort_unstable();
    known.sort_unstable();
    assert_eq!(routes, known, "the test makes every change that a person can make");

    let admin = server.api().login("boss", "third-horse-10").await;
    let all = listed(&admin, "").await;
    let mut by_action: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for entry in &all {
        by_action.entry(entry["action"].as_str().unwrap()).or_default().push(entry);
    }
    for (method, what, action) in CHANGES.iter().copied().filter(|change| !change.2.is_empty()) {
        let who = if method.is_empty() { "" } else { me.as_str() };
        let found = by_action.get(action).is_some_and(|entries| entries.iter().any(|e| e["user_id"] == who));
        assert!(found, "{method} {what}: {action} of {who:?} in {:?}", by_action.keys());
    }
    as_documented(&server, &admin).await;
    // Changes by commands have no user.
    for action in ["store.created", "store.disabled", "store.enabled", "user.created", "user.tokens_revoked"]
    {
        assert!(by_action[action].iter().any(|entry| entry["user_id"] == ""), "{action}");
    }
    for entry in &all {
        for (name, detail) in entry["details"].as_object().unwrap() {
            let text = detail.as_str().unwrap_or_default();
            assert!(
                text.parse::<i64>().is_err() && (name != "id" || entry["action"] == "conflict.restored"),
                "figures are numbers, and names of IDs state what they identify: {entry}"
            );
            assert_eq!(detail.is_array(), name == "fields", "{entry}");
        }
    }
    // Details of a change: the fields that differ, with their old and new values.
    for (action, field, before, after) in [
        ("product.changed", "price", json!(1000), json!(900)),
        ("purchasing.supplier_changed", "phone", Value::Null, json!("+6221")),
        ("settings.changed", "purchasing.rate_days", json!(28), json!(30)),
        ("store.changed", "address", Value::Null, json!("Jl. Cikini 1")),
        ("store_settings.changed", "shifts.blind", Value::Null, json!(true)),
        ("product_settings.changed", "reorder_level", Value::Null, json!(3)),
        ("promotion.changed", "priority", json!(1), json!(2)),
        ("category.changed", "name", json!("Tea"), json!("Y")),
        ("finance.account_changed", "name", json!("Rent"), json!("Rent of shops")),
        ("settlement.source_changed", "window_days", json!(4), json!(7)),
        ("user.changed", "name", json!("F"), json!("Fin Ance")),
    ] {
        let details = &by_action[action][0]["details"];
        assert_eq!((&details["before"][field], &details["after"][field]), (&before, &after), "{details}");
        for side in ["before", "after"] {
            let reported: Vec<&String> = details[side].as_object().unwrap().keys().collect();
            let set_at = field == "price" && reported == ["price", "price_set_at"];
            assert!(reported == [field] || set_at, "no other field differs: {details}");
        }
    }
    let text = Value::from(all.clone()).to_string();
    for secret in ["another-horse", "third-horse", PASSWORD, "2345 0000", "23450000"] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(server.place.run(&["verify"], "").status.success());

    // Pages, and each filter.
    let (mut cursor, mut paged) = (String::new(), Vec::new());
    loop {
        let page = admin.get(&format!("/api/audit?limit=7{cursor}")).await.data().clone();
        paged.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, all);
    let same =
        |filter: fn(&Value) -> bool| all.iter().filter(|entry| filter(entry)).cloned().collect::<Vec<_>>();
    assert_eq!(
        listed(&admin, "&action=store.created").await,
        same(|entry| entry["action"] == "store.created")
    );
    let of_store = listed(&admin, "&store_id=S002").await;
    assert_eq!(of_store, same(|entry| entry["store_id"] == "S002"));
    assert_eq!(of_store.len(), 5);
    let mine = listed(&admin, &format!("&user_id={me}&action=user.created")).await;
    assert_eq!((mine.len(), &mine[0]["origin"]), (1, &json!("hub")));
    let supplier = same(|entry| entry["action"] == "purchasing.supplier_created").remove(0);
    assert_eq!((&supplier["object_type"], &supplier["user_id"]), (&json!("supplier"), &json!(me)));
    assert!(supplier["user_name"].is_string(), "{supplier}");
    let id = supplier["object_id"].as_str().unwrap();
    let of_object = listed(&admin, &format!("&object_id={id}")).await;
    assert!(of_object.contains(&supplier) && of_object.iter().all(|entry| entry["object_id"] == id));
    // Finance and purchasing see their own areas.
    for (role, areas) in
        [("ho_finance", ["finance.", "settlement."]), ("ho_purchasing", ["purchasing.", "stock."])]
    {
        let person = json!({"username": role, "name": role, "role": role, "password": PASSWORD});
        admin.post("/api/users", &person).await.data();
        let seen = listed(&server.api().login(role, PASSWORD).await, "").await;
        let is_theirs =
            |entry: &Value| areas.iter().any(|area| entry["action"].as_str().unwrap().starts_with(area));
        let theirs: Vec<Value> = all.iter().filter(|entry| is_theirs(entry)).cloned().collect();
        assert!(!theirs.is_empty());
        assert_eq!(seen, theirs, "{role}");
    }
    let page = admin.get("/api/audit?limit=1").await.data().clone();
    let elsewhere =
        format!("/api/audit?action=store.created&cursor={}", page["next_cursor"].as_str().unwrap());
    assert_eq!(admin.get(&elsewhere).await.refusal(), "400 invalid_cursor");
    assert_eq!(listed(&admin, "&to=2020-01-01").await.len(), 0);
    assert!(listed(&admin, "&from=2020-01-01").await.len() > all.len(), "two users were created since");
    for query in ["?from=yesterday", "?x=1", "?limit=0"] {
        assert_eq!(admin.get(&format!("/api/audit{query}")).await.refusal(), "400 invalid_query", "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_logs_of_stores_are_listed_too_at_any_length() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let entry = |action: &str| {
        let details = json!({"reason": "change\0", "long": "x".repeat(4000)});
        AuditEntry::unapproved(&"usr_9".into(), action, NOON, details)
    };
    let recorded = [
        record::audit_recorded(&stamp("evt_1"), Some("2026-03-04".parse().unwrap()), &entry("drawer.opened")),
        record::audit_recorded(&stamp("evt_2"), None, &entry(&"long.".repeat(1000))),
        record::audit_recorded(&stamp("evt_3"), None, &entry("nul.\0")),
    ];
    recorded.into_iter().for_each(|record| shop.chain().append(record));
    let answer = shop.push(&shop.batch(1, 3)).await;
    assert_eq!((&answer.data()["acked_seq"], &answer.data()["parked"]), (&json!(3), &json!([])));
    let admin = server.admin().await;
    let found = listed(&admin, "&user_id=usr_9").await;
    assert_eq!(found.len(), 3);
    assert_eq!((&found[0]["audit_id"], &found[0]["origin"]), (&json!("evt_1"), &json!("store")));
    assert_eq!(found[0]["details"], entry("").details);
    assert_eq!(found[1]["action"].as_str().unwrap().len(), 5000, "the record is shown unchanged");
    assert_eq!(
        listed(&admin, "&action=drawer.opened&store_id=S001&from=2026-03-04&to=2026-03-04").await.len(),
        1
    );
    assert_eq!(listed(&admin, "&action=drawer.opened&from=2026-03-05").await.len(), 0);
    assert!(server.place.run(&["verify"], "").status.success());
    sqlx::query("DELETE FROM store_audit WHERE event_id = 'evt_1'")
        .execute(server.hub.db.pool())
        .await
        .unwrap();
    let done = server.place.run(&["verify"], "");
    assert!(stderr(&done).contains("audit entries is 2, but its records give 3"), "{}", stderr(&done));
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_names_the_first_entry_that_is_not_as_it_was_written() {
    let server = Server::start().await;
    for number in 1..=6 {
        server.place.add_store(&format!("S00{number}"));
    }
    let damages = [
        (
            "UPDATE own_audit SET record = REPLACE(record, 'S003', 'S009') WHERE position IN (4, 5)",
            "UPDATE own_audit SET record = REPLACE(record, 'S009', 'S003')",
            "audit: entry 4 was changed",
        ),
        (
            "UPDATE own_audit SET user_id = 'usr_1' WHERE position = 5",
            "UPDATE own_audit SET user_id = '' WHERE position = 5",
            "audit: entry 5 is listed with other values",
        ),
        (
            "UPDATE own_audit SET position = 99 WHERE position = 7",
            "UPDATE own_audit SET position = 7 WHERE position = 99",
            "audit: the entries after 6 are missing; there were 7",
        ),
        ("UPDATE audit_head SET hash = 'x'", "", "audit: entry 7 does not match the end of the chain"),
        ("UPDATE own_audit SET position = 99 WHERE position = 3", "", "audit: entry 3 is missing"),
    ];
    assert!(server.place.run(&["verify"], "").status.success());
    for (damage, repair, expected) in damages {
        sqlx::query(damage).execute(server.hub.db.pool()).await.unwrap();
        let done = server.place.run(&["verify"], "");
        assert_eq!(done.status.code(), Some(1), "{damage}");
        assert!(stderr(&done).contains(expected), "{damage}: {}", stderr(&done));
        if !repair.is_empty() {
            sqlx::query(repair).execute(server.hub.db.pool()).await.unwrap();
            assert!(server.place.run(&["verify"], "").status.success(), "{repair}");
        }
    }
}
