//! Head office creates records, and their stores receive them.

use crate::office::products::HEADER;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::records::receiving;
use domain::model::people::user::FieldTimes;
use serde_json::{Value, json};

pub async fn hears(shop: &Shop, lane: &str, kind: &str) -> Vec<Value> {
    let answer = shop.speak().get(&format!("/api/sync/pull?lane={lane}&limit=500")).await;
    let changes = answer.data()["changes"].as_array().unwrap().clone();
    changes.into_iter().filter(|change| change["kind"] == kind).collect()
}

async fn stocked(server: &Server) -> Api {
    let admin = server.admin().await;
    admin.csv("/api/products/import", &format!("{HEADER}\nA,Thing,1000,Tea,,,,\n")).await.data();
    admin
}

#[tokio::test(flavor = "multi_thread")]
async fn a_product_is_made_changed_and_sent_down() {
    let server = Server::start().await;
    let (shop, admin) = (Shop::open(&server, "S001").await, stocked(&server).await);
    let new = json!({"sku": "B", "name": "Other", "price": 500, "category": "Tea"});
    let made = admin.keyed("/api/products", "k", &new).await;
    assert_eq!((&made.data()["sku"], &made.data()["track_stock"]), (&json!("B"), &json!(true)));
    assert!(admin.keyed("/api/products", "k", &new).await.replayed);
    assert_eq!(admin.post("/api/products", &new).await.refusal(), "409 duplicate");
    let changed = admin.patch("/api/products/B", &json!({"price": 600, "state": "inactive"})).await;
    assert_eq!((&changed.data()["price"], &changed.data()["name"]), (&json!(600), &json!("Other")));
    assert_eq!(admin.get("/api/products/B").await.data(), changed.data());
    let down = hears(&shop, "rest", "product").await;
    assert_eq!((down.len(), &down[1]["payload"]), (2, changed.data()), "each record once");
    for (path, body) in [
        ("/api/products", json!({"sku": "", "name": "x", "price": -1})),
        ("/api/products", json!({"sku": "C"})),
    ] {
        assert_eq!(admin.post(path, &body).await.refusal(), "422 validation_failed");
    }
    assert_eq!(
        admin.patch("/api/products/B", &json!({"colour": 1})).await.refusal(),
        "422 validation_failed"
    );
    assert_eq!(admin.patch("/api/products/none", &json!({"price": 1})).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_price_goes_to_its_store_with_the_moment_its_day_begins_there() {
    let server = Server::start().await;
    let (one, two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let admin = stocked(&server).await;
    let ask = json!({"sku": "A", "price": 900, "store_id": "S001", "from": "2030-01-02"});
    let set = admin.post("/api/prices", &ask).await;
    let at_once = admin.post("/api/prices", &json!({"sku": "A", "price": 950})).await;
    assert_eq!(at_once.data()["from"], Value::Null);
    let down = hears(&one, "prices", "price").await;
    assert_eq!((down.len(), &down[0]["payload"]), (2, set.data()));
    // Midnight in Jakarta.
    assert_eq!(down[0]["effective_at"], "2030-01-01T17:00:00.000Z");
    assert_eq!(hears(&two, "prices", "price").await.len(), 1, "only the price for all stores");
    assert_eq!(admin.get("/api/prices").await.data()["items"].as_array().unwrap().len(), 2);
    assert_eq!(
        admin.post("/api/prices", &json!({"sku": "none", "price": 1})).await.refusal(),
        "422 unknown_sku"
    );
    for wrong in [
        json!({"sku": "A", "price": -1}),
        json!({"sku": "A", "price": 1, "store_id": "S9"}),
        json!({"sku": "A", "price": 1, "store_id": "S9", "from": "2030-01-02"}),
    ] {
        assert_eq!(admin.post("/api/prices", &wrong).await.refusal(), "422 validation_failed");
    }
    // A withdrawn price is sent once as deleted, and head office keeps it.
    let path = format!("/api/prices/{}/withdraw", set.data()["price_id"].as_str().unwrap());
    let withdrawn = admin.post(&path, &json!({})).await.data().clone();
    assert_eq!(admin.post(&path, &json!({})).await.data(), &withdrawn);
    let down = hears(&one, "prices", "price").await;
    assert_eq!((down.len(), &down[1]["deleted"], &down[1]["payload"]), (2, &json!(true), &withdrawn));
    let kept = admin.get("/api/prices").await.data()["items"].clone();
    assert!(kept.as_array().unwrap().contains(&withdrawn), "{kept}");
    let effective = "/api/prices/effective?sku=A&store_id=S001&at=2030-01-01T17:00:00.000Z";
    let found = admin.get(effective).await.data().clone();
    assert_eq!((&found["price"], &found["price_row"]), (&json!(950), at_once.data()));
    admin.patch("/api/products/A", &json!({"price": 970})).await.data();
    let found = admin.get(effective).await.data().clone();
    assert_eq!((&found["price"], &found["source"]), (&json!(970), &json!("product")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_goes_down_and_can_be_ended() {
    let server = Server::start().await;
    let (shop, admin) = (Shop::open(&server, "S001").await, stocked(&server).await);
    let new = json!({"name": "Tea week", "type": "line_percent", "value": 1000, "category": "Tea",
        "from": "2030-01-01", "to": "2030-01-07", "priority": 1, "stackable": false});
    let made = admin.post("/api/promotions", &new).await.data().clone();
    let path = format!("/api/promotions/{}", made["promotion_id"].as_str().unwrap());
    let ended = admin.patch(&path, &json!({"to": "2030-01-02"})).await;
    assert_eq!(ended.data()["to"], "2030-01-02");
    assert_eq!(admin.get(&path).await.data(), ended.data());
    let down = hears(&shop, "prices", "promotion").await;
    assert_eq!((down.len(), &down[0]["payload"]["to"]), (1, &json!("2030-01-02")));
    let mut wrong = new.clone();
    wrong["value"] = json!(10_001);
    assert_eq!(admin.post("/api/promotions", &wrong).await.refusal(), "422 validation_failed");
    assert_eq!(admin.patch(&path, &json!({"to": "2029-01-01"})).await.refusal(), "422 validation_failed");
    for (field, names, code) in
        [("store_ids", "S404", "422 validation_failed"), ("skus", "none", "422 unknown_sku")]
    {
        let mut unknown = new.clone();
        unknown[field] = json!([names]);
        assert_eq!(admin.post("/api/promotions", &unknown).await.refusal(), code, "{field}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_of_head_office_is_known_everywhere() {
    let server = Server::start().await;
    let (one, two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let admin = server.admin().await;
    let made =
        admin.post("/api/members", &json!({"name": "Ani", "phone": "0811 2345 6789"})).await.data().clone();
    assert_eq!((&made["phone"], &made["state"]), (&json!("+6281123456789"), &json!("active")));
    let id = made["member_id"].as_str().unwrap();
    let again = admin.post("/api/members", &json!({"name": "Else", "phone": "+6281123456789"})).await;
    assert_eq!(again.refusal(), "409 duplicate");
    let path = format!("/api/members/{id}");
    let changed = admin.patch(&path, &json!({"name": "Ani S."})).await.data().clone();
    assert!(changed["version"].as_str().unwrap() > made["version"].as_str().unwrap());
    for shop in [&one, &two] {
        let down = hears(shop, "members", "member").await;
        assert_eq!((down.len(), &down[0]["payload"]["fields"]["name"]["value"]), (1, &json!("Ani S.")));
        assert_eq!(down[0]["version"], changed["version"]);
    }
    let found = |q: &'static str| {
        let admin = admin.clone();
        async move { admin.get(&format!("/api/members?q={q}")).await.data()["items"].as_array().unwrap().len() }
    };
    assert_eq!((found("ani").await, found("8112345").await, found("nobody").await), (1, 1, 0));
    assert_eq!(admin.get("/api/members/none").await.refusal(), "404 not_found");
    assert_eq!(admin.patch("/api/members/none", &json!({"name": "x"})).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn deny_wins_until_a_person_grants_again() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let new = json!({"username": "Ani", "name": "Ani", "role": "cashier", "store_id": "S001", "password": "right horse 9"});
    let made = admin.post("/api/users", &new).await.data().clone();
    assert_eq!(admin.post("/api/users", &new).await.refusal(), "409 duplicate");
    let id = made["id"].as_str().unwrap().to_owned();
    let down = hears(&shop, "users", "user").await;
    assert!(down[0]["payload"]["password_hash"].as_str().unwrap().starts_with("$argon2id$"));
    assert!(!made.to_string().contains("argon2"), "the list must not contain the hash");
    // A revocation is sent as a new token version.
    admin.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).await.data();
    let revoked = hears(&shop, "users", "token_revocation").await;
    assert_eq!((&revoked[0]["id"], &revoked[0]["payload"]["token_version"]), (&json!(id), &json!(2)));
    admin.patch(&format!("/api/users/{id}"), &json!({"disabled": true})).await.data();
    // The store did not know of the denial yet and reports that the person has access, so the denial is sent again.
    let reported = |event_id: &str, disabled: bool, version: u64| {
        let payload = json!({"user_id": id, "username": "ani", "name": "Ani", "role": "cashier", "store_id": "S001",
            "disabled": disabled, "token_version": version, "times": FieldTimes::default(), "created_at": "2026-11-20T02:06:34.739Z",
            "updated_at": "2026-11-20T02:06:34.739Z"});
        crate::sync::kinds::raw("user.changed", event_id, "1700445994739-00000-S001", &payload)
    };
    shop.chain().append(reported("evt_1", false, 1));
    shop.push(&shop.batch(1, 1)).await.data();
    let last = hears(&shop, "users", "user").await.last().unwrap()["payload"].clone();
    assert_eq!((&last["disabled"], &last["token_version"]), (&json!(true), &json!(3)));
    // A restored hub has lost a denial. The store's record restores it.
    sqlx::query("UPDATE staff SET disabled = 0, token_version = 1")
        .execute(server.hub.db.pool())
        .await
        .unwrap();
    shop.chain().append(reported("evt_2", true, 3));
    shop.push(&shop.batch(2, 2)).await.data();
    let listed = admin.get("/api/users?store_id=S001").await;
    assert_eq!(listed.data()["items"][0]["disabled"], true);
    let granted = admin.patch(&format!("/api/users/{id}"), &json!({"disabled": false})).await;
    assert_eq!(granted.data()["disabled"], false);
    let last = hears(&shop, "users", "user").await.last().unwrap()["payload"].clone();
    assert_eq!(
        (&last["disabled"], &last["grant"], &last["token_version"]),
        (&json!(false), &json!(2), &json!(4))
    );
    // A store's own user is known too and can be disabled here.
    let own = reported("evt_3", false, 1).replace(&id, "usr_own").replace("\"ani\"", "\"budi\"");
    shop.chain().append(own);
    shop.push(&shop.batch(3, 3)).await.data();
    admin.post("/api/users/usr_own/revoke-tokens", &json!({})).await.data();
    assert_eq!(hears(&shop, "users", "token_revocation").await.last().unwrap()["id"], "usr_own");
    for wrong in [
        json!({"username": "x", "name": "x", "role": "cashier", "password": "right horse 9"}),
        json!({"username": "x", "name": "x", "role": "ho_finance", "store_id": "S001"}),
        json!({"username": "x", "name": "x", "role": "cashier", "store_id": "S9"}),
        json!({"username": "x", "name": "x", "role": "admin"}),
    ] {
        assert_eq!(admin.post("/api/users", &wrong).await.refusal(), "422 validation_failed", "{wrong}");
    }
    assert_eq!(admin.post("/api/users/none/revoke-tokens", &json!({})).await.refusal(), "404 not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_of_head_office_loses_every_token_at_once() {
    let server = Server::start().await;
    let (shop, admin) = (Shop::open(&server, "S001").await, server.admin().await);
    let new = json!({"username": "fin", "name": "Fin", "role": "ho_finance", "password": "right horse 9"});
    let id = admin.post("/api/users", &new).await.data()["id"].as_str().unwrap().to_owned();
    let fin = server.api().login("fin", "right horse 9").await;
    fin.get("/api/auth/me").await.data();
    assert_eq!(fin.get("/api/users").await.refusal(), "403 insufficient_role");
    fin.get("/api/suppliers").await.data();
    assert_eq!(fin.post("/api/suppliers", &json!({})).await.refusal(), "403 insufficient_role");
    admin.post(&format!("/api/users/{id}/revoke-tokens"), &json!({})).await.data();
    assert_eq!(fin.get("/api/auth/me").await.refusal(), "401 token_revoked");
    assert_eq!(hears(&shop, "users", "token_revocation").await[0]["id"], id, "the stores receive the change");
    let fin = server.api().login("fin", "right horse 9").await;
    admin.patch(&format!("/api/users/{id}"), &json!({"disabled": true})).await.data();
    assert_eq!(fin.get("/api/auth/me").await.refusal(), "403 account_disabled");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_goes_its_way_and_receipts_come_back() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = stocked(&server).await;
    let supplier = json!({"code": "TEA", "name": "Tea Ltd", "payment_terms_days": 30});
    let made = admin.post("/api/suppliers", &supplier).await.data().clone();
    assert_eq!(admin.post("/api/suppliers", &supplier).await.refusal(), "409 duplicate");
    let supplier_id = made["supplier_id"].as_str().unwrap();
    let changed = admin.patch(&format!("/api/suppliers/{supplier_id}"), &json!({"phone": "+6221"})).await;
    assert_eq!((&changed.data()["phone"], &changed.data()["code"]), (&json!("+6221"), &json!("TEA")));
    assert_eq!(hears(&shop, "rest", "supplier").await.len(), 1);
    let new = json!({"supplier_id": supplier_id, "store_id": "S001", "lines": [{"sku": "A", "qty": 10, "unit_cost": 9}]});
    let order = admin.post("/api/purchase-orders", &new).await.data().clone();
    assert_eq!((&order["state"], &order["total"]), (&json!("draft"), &json!(90)));
    let path = format!("/api/purchase-orders/{}", order["po_id"].as_str().unwrap());
    let refused = admin.post(&format!("{path}/send"), &json!({})).await;
    assert_eq!(refused.refusal(), "409 invalid_state");
    assert_eq!(refused.body["error"]["details"]["allowed"], json!(["submit", "approve", "cancel"]));
    admin.post(&format!("{path}/approve"), &json!({})).await.data();
    assert!(hears(&shop, "rest", "purchase_order").await.is_empty(), "the order was not sent yet");
    admin.post(&format!("{path}/send"), &json!({})).await.data();
    assert_eq!(hears(&shop, "rest", "purchase_order").await[0]["payload"]["state"], "sent");
    let mut came: Value = serde_json::from_str(&receiving("S001", "A", 4, "evt_1")).unwrap();
    came["payload"]["receiving"]["po_id"] = order["po_id"].clone();
    shop.chain().append(came.to_string());
    let mut rest = came.clone();
    rest["event_id"] = json!("evt_2");
    rest["payload"]["receiving"]["receiving_id"] = json!("rcv_2");
    rest["payload"]["receiving"]["lines"][0]["qty"] = json!(6);
    shop.push(&shop.batch(1, 1)).await.data();
    assert_eq!(admin.get(&path).await.data()["state"], "partially_received");
    assert_eq!(admin.post(&format!("{path}/cancel"), &json!({})).await.refusal(), "409 invalid_state");
    shop.chain().append(rest.to_string());
    shop.push(&shop.batch(2, 2)).await.data();
    let now = admin.get(&path).await.data().clone();
    assert_eq!((&now["state"], &now["lines"][0]["received_qty"]), (&json!("received"), &json!(10)));
    admin.post(&format!("{path}/close"), &json!({})).await.data();
    assert_eq!(hears(&shop, "rest", "purchase_order").await.last().unwrap()["payload"]["state"], "closed");
    let other = Shop::open(&server, "S002").await;
    assert!(hears(&other, "rest", "purchase_order").await.is_empty(), "the order is for S001");
    for wrong in [
        json!({"supplier_id": "none", "store_id": "S001", "lines": [{"sku": "A", "qty": 1, "unit_cost": 1}]}),
        json!({"supplier_id": supplier_id, "store_id": "S009", "lines": [{"sku": "A", "qty": 1, "unit_cost": 1}]}),
        json!({"supplier_id": supplier_id, "store_id": "S001", "lines": []}),
        json!({"supplier_id": supplier_id, "store_id": "S001", "lines": [{"sku": "A", "qty": 0, "unit_cost": 1}]}),
    ] {
        assert_eq!(admin.post("/api/purchase-orders", &wrong).await.refusal(), "422 validation_failed");
    }
    let unknown = json!({"supplier_id": supplier_id, "store_id": "S001", "lines": [{"sku": "Z", "qty": 1, "unit_cost": 1}]});
    assert_eq!(admin.post("/api/purchase-orders", &unknown).await.refusal(), "422 unknown_sku");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_is_changed_while_it_is_a_draft() {
    let server = Server::start().await;
    let shop = Shop::open(&server, "S001").await;
    let admin = stocked(&server).await;
    let made = admin.post("/api/suppliers", &json!({"code": "TEA", "name": "Tea Ltd"})).await.data().clone();
    let supplier_id = made["supplier_id"].as_str().unwrap();
    let new = json!({"supplier_id": supplier_id, "store_id": "S001", "note": "soon",
        "lines": [{"sku": "A", "qty": 10, "unit_cost": 9}]});
    let order = admin.post("/api/purchase-orders", &new).await.data().clone();
    let path = format!("/api/purchase-orders/{}", order["po_id"].as_str().unwrap());
    let lines = json!([{"sku": "A", "qty": 3, "unit_cost": 7}, {"sku": "A", "qty": 1, "unit_cost": 8}]);
    let body = json!({"lines": lines, "expected_at": "2030-01-02"});
    let changed = admin.patch(&path, &body).await.data().clone();
    assert_eq!((&changed["total"], &changed["expected_at"]), (&json!(29), &json!("2030-01-02")));
    assert_eq!((&changed["lines"][1]["line_no"], &changed["note"]), (&json!(2), &json!("soon")));
    let fields = ["po_id", "supplier_id", "store_id", "state", "created_by", "created_at"];
    fields.into_iter().for_each(|field| assert_eq!(changed[field], order[field], "{field}"));
    let cases = [
        (json!({"lines": []}), "422 validation_failed"),
        (json!({"store_id": "S009"}), "422 validation_failed"),
        (json!({"supplier_id": "none"}), "422 validation_failed"),
        (json!({"state": "sent"}), "422 validation_failed"),
        (json!({"supplier_id": "sup\0"}), "422 validation_failed"),
        (json!({"store_id": "S\0"}), "422 validation_failed"),
        (json!({"lines": [{"sku": "A\0", "qty": 1, "unit_cost": 1}]}), "422 validation_failed"),
        (json!({"lines": [{"sku": "Z", "qty": 1, "unit_cost": 1}]}), "422 unknown_sku"),
    ];
    for (wrong, refusal) in cases {
        assert_eq!(admin.patch(&path, &wrong).await.refusal(), refusal, "{wrong}");
    }
    assert_eq!(*admin.get(&path).await.data(), changed, "the refused request changed nothing");
    assert_eq!(admin.patch("/api/purchase-orders/po_x", &body).await.refusal(), "404 not_found");
    admin.post(&format!("{path}/approve"), &json!({})).await.data();
    let late = admin.patch(&path, &json!({"note": "late"})).await;
    assert_eq!(late.refusal(), "409 invalid_state");
    let details = json!({"state": "approved", "allowed": ["reject", "send", "cancel"]});
    assert_eq!(late.body["error"]["details"], details);
    assert!(hears(&shop, "rest", "purchase_order").await.is_empty(), "no store has the record");
}

/// Rights of head office's roles: every other combination is refused.
#[tokio::test(flavor = "multi_thread")]
async fn every_role_has_its_part_and_no_other() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut people, nobody) = (Vec::new(), "");
    for role in ["ho_finance", "ho_purchasing"] {
        let new = json!({"username": role, "name": role, "role": role, "password": "right horse 9"});
        admin.post("/api/users", &new).await.data();
        people.push((role, server.api().login(role, "right horse 9").await));
    }
    let table = [
        ("GET", "/api/admin/overview", nobody),
        ("GET", "/api/events", "ho_finance ho_purchasing"),
        ("POST", "/api/events/ticket", "ho_finance ho_purchasing"),
        ("GET", "/api/stores", "ho_finance ho_purchasing"),
        ("PATCH", "/api/stores/S001", nobody),
        ("POST", "/api/stores", nobody),
        ("GET", "/api/stores/S001/status", nobody),
        ("POST", "/api/stores/S001/disable", nobody),
        ("POST", "/api/stores/S001/enable", nobody),
        ("POST", "/api/stores/S001/token", nobody),
        ("GET", "/api/stores/S001/products/A/settings", "ho_finance ho_purchasing"),
        ("PATCH", "/api/stores/S001/products/A/settings", nobody),
        ("GET", "/api/parked", nobody),
        ("POST", "/api/parked/x/replay", nobody),
        ("POST", "/api/parked/replay?code=x", nobody),
        ("POST", "/api/exceptions/x/settle", "ho_finance ho_purchasing"),
        ("GET", "/api/conflicts", nobody),
        ("POST", "/api/conflicts/x/restore", nobody),
        ("GET", "/api/exceptions", "ho_finance ho_purchasing"),
        ("GET", "/api/products", "ho_finance ho_purchasing"),
        ("POST", "/api/products", nobody),
        ("GET", "/api/products/A", "ho_finance ho_purchasing"),
        ("PATCH", "/api/products/A", nobody),
        ("GET", "/api/prices", "ho_finance ho_purchasing"),
        ("POST", "/api/prices", nobody),
        ("GET", "/api/prices/effective?sku=A&store_id=S001", "ho_finance ho_purchasing"),
        ("POST", "/api/prices/x/withdraw", nobody),
        ("GET", "/api/promotions", "ho_finance ho_purchasing"),
        ("POST", "/api/promotions", nobody),
        ("POST", "/api/promotions/preview", nobody),
        ("GET", "/api/promotions/x", "ho_finance ho_purchasing"),
        ("PATCH", "/api/promotions/x", nobody),
        ("GET", "/api/members", nobody),
        ("POST", "/api/members", nobody),
        ("GET", "/api/members/x", nobody),
        ("GET", "/api/members/x/points", nobody),
        ("PATCH", "/api/members/x", nobody),
        ("GET", "/api/audit", "ho_finance ho_purchasing"),
        ("GET", "/api/users", nobody),
        ("GET", "/api/staff", "ho_finance ho_purchasing"),
        ("POST", "/api/users", nobody),
        ("PATCH", "/api/users/x", nobody),
        ("POST", "/api/users/x/revoke-tokens", nobody),
        ("GET", "/api/suppliers", "ho_finance ho_purchasing"),
        ("POST", "/api/suppliers", "ho_purchasing"),
        ("GET", "/api/suppliers/x", "ho_finance ho_purchasing"),
        ("PATCH", "/api/suppliers/x", "ho_purchasing"),
        ("GET", "/api/purchase-orders", "ho_finance ho_purchasing"),
        ("POST", "/api/purchase-orders", "ho_purchasing"),
        ("GET", "/api/purchase-orders/x", "ho_finance ho_purchasing"),
        ("PATCH", "/api/purchase-orders/x", "ho_purchasing"),
        ("POST", "/api/purchase-orders/x/approve", "ho_purchasing"),
        ("POST", "/api/purchase-orders/x/send", "ho_purchasing"),
        ("POST", "/api/purchase-orders/x/cancel", "ho_purchasing"),
        ("POST", "/api/purchase-orders/x/close", "ho_purchasing"),
    ];
    for (method, path, may) in table {
        for (role, person) in &people {
            let body = json!({"surprise": 1});
            let answer = match method {
                "GET" => person.get(path).await,
                "PATCH" => person.patch(path, &body).await,
                _ => person.post(path, &body).await,
            };
            let refused = !may.split(' ').any(|name| name == *role);
            assert_eq!(answer.status == 403, refused, "{role} {method} {path}");
        }
        assert!(!server.api().get(path).await.status.is_success(), "{path} without a token");
    }
}
