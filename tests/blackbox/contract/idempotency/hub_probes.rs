//! The hub's probes.

use super::attempt::{Attempt, Probe};
use super::probes::SKU;
use serde_json::{Value, json};
use std::sync::Mutex;
use testkit::hub::Hub;
use testkit::simulated::Shop;
use testkit::store::PASSWORD;

const CSV_HEAD: &str = "sku,name,price,category,barcode,reorder_level\n";

/// The administrator's first device.
static DEVICE: Mutex<Option<String>> = Mutex::new(None);

pub const HUB: &[Probe<Hub>] = &[
    Probe {
        operation: "POST /api/auth/webauthn/register/finish",
        prepare: |hub| Attempt::new_device(hub.login(), PASSWORD, hub.address().port(), &DEVICE),
    },
    Probe {
        operation: "DELETE /api/auth/webauthn/credentials/{id}",
        prepare: |hub| {
            let device = DEVICE.lock().unwrap().clone().unwrap();
            switch(hub, &format!("/api/auth/webauthn/credentials/{device}"))
        },
    },
    Probe {
        operation: "POST /api/auth/password",
        prepare: |hub| {
            let person = json!({"username": "probe@hub.example", "name": "P", "role": "ho_finance", "password": PASSWORD});
            hub.login().post("/api/users", &person).data(201);
            let body = json!({"username": "probe@hub.example", "password": PASSWORD});
            let data = hub.client().post("/api/auth/login", &body).data(200);
            let client = hub.client().with_token(data["token"].as_str().unwrap());
            let change = |new: &str| json!({"current_password": PASSWORD, "new_password": new});
            Attempt::new(client, "/api/auth/password", change("a better horse"), change("another horse"))
        },
    },
    Probe {
        operation: "PATCH /api/stores/{id}",
        prepare: |hub| {
            let called = |name: &str| json!({"name": name});
            Attempt::new(hub.login(), "/api/stores/S100", called("One"), called("Two"))
        },
    },
    Probe {
        operation: "POST /api/stores/{id}/disable",
        prepare: |hub| switch(hub, "/api/stores/S100/disable"),
    },
    Probe {
        operation: "POST /api/stores/{id}/enable",
        prepare: |hub| switch(hub, "/api/stores/S100/enable"),
    },
    Probe { operation: "POST /api/conflicts/{id}/restore", prepare: |hub| switch(hub, &conflict(hub)) },
    Probe {
        operation: "POST /api/exceptions/{id}/settle",
        prepare: |hub| {
            let settled = |note: &str| json!({"note": note});
            Attempt::new(hub.login(), &contradiction(hub), settled("one"), settled("two"))
        },
    },
    Probe {
        operation: "POST /api/products/import",
        prepare: |hub| {
            let rows = |price: i64| format!("{CSV_HEAD}900,Probe,{price},,,\n");
            Attempt {
                client: hub.login(),
                path: "/api/products/import".to_owned(),
                media_type: "text/csv",
                refused: format!("{CSV_HEAD}900,Probe,much,,,\n"),
                body: rows(1),
                other: rows(2),
            }
        },
    },
    Probe {
        operation: "POST /api/products/batch",
        prepare: |hub| {
            let new = |price: i64| json!({"items": [{"sku": "902", "name": "Probe", "price": price}]});
            Attempt::new(hub.login(), "/api/products/batch", new(1), new(2))
        },
    },
    Probe {
        operation: "POST /api/prices/batch",
        prepare: |hub| {
            let set = |price: i64| json!({"items": [{"sku": SKU, "price": price}]});
            Attempt::new(hub.login(), "/api/prices/batch", set(1), set(2))
        },
    },
    Probe {
        operation: "POST /api/members/batch",
        prepare: |hub| {
            let new = |name: &str| json!({"items": [{"name": name, "phone": "08112345679"}]});
            Attempt::new(hub.login(), "/api/members/batch", new("one"), new("two"))
        },
    },
    Probe {
        operation: "POST /api/products",
        prepare: |hub| {
            let new = |price: i64| json!({"sku": "901", "name": "Probe", "price": price});
            Attempt::new(hub.login(), "/api/products", new(1), new(2))
        },
    },
    Probe {
        operation: "PATCH /api/products/{sku}",
        prepare: |hub| {
            Attempt::new(hub.login(), "/api/products/901", json!({"price": 3}), json!({"price": 4}))
        },
    },
    Probe {
        operation: "PATCH /api/stores/{id}/products/{sku}/settings",
        prepare: |hub| {
            let level = |level: i64| json!({"reorder_level": level});
            Attempt::new(hub.login(), "/api/stores/S100/products/901/settings", level(3), level(4))
        },
    },
    Probe {
        operation: "POST /api/prices",
        prepare: |hub| {
            let set = |price: i64| json!({"sku": SKU, "price": price});
            Attempt::new(hub.login(), "/api/prices", set(1), set(2))
        },
    },
    Probe {
        operation: "POST /api/prices/{id}/withdraw",
        prepare: |hub| {
            let set = hub.login().post("/api/prices", &json!({"sku": SKU, "price": 5})).data(201);
            let path = format!("/api/prices/{}/withdraw", set["price_id"].as_str().unwrap());
            switch(hub, &path)
        },
    },
    Probe {
        operation: "POST /api/promotions",
        prepare: |hub| Attempt::new(hub.login(), "/api/promotions", promotion(1000), promotion(2000)),
    },
    Probe {
        operation: "PATCH /api/promotions/{id}",
        prepare: |hub| {
            let made = hub.login().post("/api/promotions", &promotion(10)).data(201);
            let path = format!("/api/promotions/{}", made["promotion_id"].as_str().unwrap());
            Attempt::new(hub.login(), &path, json!({"name": "one"}), json!({"name": "two"}))
        },
    },
    Probe {
        operation: "POST /api/members",
        prepare: |hub| {
            let new = |name: &str| json!({"name": name, "phone": "08112345678"});
            Attempt::new(hub.login(), "/api/members", new("one"), new("two"))
        },
    },
    Probe {
        operation: "PATCH /api/members/{id}",
        prepare: |hub| {
            let made =
                hub.login().post("/api/members", &json!({"name": "x", "phone": "08119876543"})).data(201);
            let path = format!("/api/members/{}", made["member_id"].as_str().unwrap());
            Attempt::new(hub.login(), &path, json!({"name": "one"}), json!({"name": "two"}))
        },
    },
    Probe {
        operation: "POST /api/members/{id}/merge",
        prepare: |hub| {
            let mut office = hub.login();
            let mut made = |phone: &str| {
                let made = office.post("/api/members", &json!({"name": "x", "phone": phone})).data(201);
                made["member_id"].as_str().unwrap().to_owned()
            };
            let (one, other, third) = (made("08119876001"), made("08119876002"), made("08119876003"));
            let path = format!("/api/members/{one}/merge");
            Attempt::new(hub.login(), &path, json!({"into": other}), json!({"into": third}))
        },
    },
    Probe {
        operation: "POST /api/users",
        prepare: |hub| {
            Attempt::new(hub.login(), "/api/users", person("probe", "one"), person("probe", "two"))
        },
    },
    Probe {
        operation: "PATCH /api/users/{id}",
        prepare: |hub| {
            let path = format!("/api/users/{}", someone(hub, "patched"));
            Attempt::new(hub.login(), &path, json!({"name": "one"}), json!({"name": "two"}))
        },
    },
    Probe {
        operation: "POST /api/users/{id}/revoke-tokens",
        prepare: |hub| switch(hub, &format!("/api/users/{}/revoke-tokens", someone(hub, "revoked"))),
    },
    Probe {
        operation: "POST /api/api-keys/{key_id}/revoke",
        prepare: |hub| {
            let key = json!({"name": "probe", "role": "read_only", "scopes": ["finance:read"]});
            let made = hub.login().post("/api/api-keys", &key).data(201);
            switch(hub, &format!("/api/api-keys/{}/revoke", made["key_id"].as_str().unwrap()))
        },
    },
    Probe {
        operation: "DELETE /api/users/{id}/devices/{credential_id}",
        prepare: |hub| {
            let name = "device@hub.example";
            let person = json!({"username": name, "name": "D", "role": "ho_finance", "password": PASSWORD});
            let made = hub.login().post("/api/users", &person).data(201);
            let data = hub
                .client()
                .post("/api/auth/login", &json!({"username": name, "password": PASSWORD}))
                .data(200);
            let client = hub.client().with_token(data["token"].as_str().unwrap());
            let device = Attempt::registered(client, PASSWORD, hub.address().port());
            switch(hub, &format!("/api/users/{}/devices/{device}", made["id"].as_str().unwrap()))
        },
    },
    Probe {
        operation: "POST /api/suppliers",
        prepare: |hub| {
            let new = |name: &str| json!({"code": "PROBE", "name": name});
            Attempt::new(hub.login(), "/api/suppliers", new("one"), new("two"))
        },
    },
    Probe {
        operation: "PATCH /api/suppliers/{id}",
        prepare: |hub| {
            let path = format!("/api/suppliers/{}", supplier(hub, "PATCHED"));
            Attempt::new(hub.login(), &path, json!({"name": "one"}), json!({"name": "two"}))
        },
    },
    Probe {
        operation: "POST /api/purchase-orders",
        prepare: |hub| {
            let supplier = supplier(hub, "ORDERED");
            Attempt::new(
                hub.login(),
                "/api/purchase-orders",
                order(&supplier, "S100", 1),
                order(&supplier, "S100", 2),
            )
        },
    },
    Probe {
        operation: "PATCH /api/purchase-orders/{id}",
        prepare: |hub| {
            let path = ordered(hub, "S100", "P", &[]);
            Attempt::new(hub.login(), &path, json!({"note": "one"}), json!({"note": "two"}))
        },
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/approve",
        prepare: |hub| switch(hub, &format!("{}/approve", ordered(hub, "S100", "A", &[]))),
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/send",
        prepare: |hub| switch(hub, &format!("{}/send", ordered(hub, "S100", "S", &["approve"]))),
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/cancel",
        prepare: |hub| switch(hub, &format!("{}/cancel", ordered(hub, "S100", "C", &[]))),
    },
    Probe {
        operation: "POST /api/purchase-orders/{id}/close",
        prepare: |hub| {
            let mut shop = Shop::open(hub, "S300");
            let path = ordered(hub, "S300", "E", &["approve", "send"]);
            let po_id = path.rsplit('/').next().unwrap();
            shop.tells("receiving.posted", "evt_r", &received("S300", po_id));
            switch(hub, &format!("{path}/close"))
        },
    },
];

fn promotion(value: i64) -> Value {
    json!({"name": "Probe", "type": "line_percent", "value": value, "from": "2030-01-01",
        "to": "2030-01-02", "priority": 1, "stackable": true})
}

fn person(username: &str, name: &str) -> Value {
    json!({"username": username, "name": name, "role": "cashier", "store_id": "S100"})
}

fn someone(hub: &Hub, username: &str) -> String {
    let made = hub.login().post("/api/users", &person(username, "x")).data(201);
    made["id"].as_str().unwrap().to_owned()
}

pub(super) fn supplier(hub: &Hub, code: &str) -> String {
    let made = hub.login().post("/api/suppliers", &json!({"code": code, "name": "x"})).data(201);
    made["supplier_id"].as_str().unwrap().to_owned()
}

fn order(supplier_id: &str, store: &str, qty: i64) -> Value {
    json!({"supplier_id": supplier_id, "store_id": store, "lines": [{"sku": SKU, "qty": qty, "unit_cost": 5}]})
}

/// Creates an order, takes it through the steps and returns its path.
pub(super) fn ordered(hub: &Hub, store: &str, code: &str, steps: &[&str]) -> String {
    let mut client = hub.login();
    let made = client.post("/api/purchase-orders", &order(&supplier(hub, code), store, 1)).data(201);
    let path = format!("/api/purchase-orders/{}", made["po_id"].as_str().unwrap());
    for step in steps {
        client.post(&format!("{path}/{step}"), &json!({})).data(200);
    }
    path
}

/// Returns the store's record of goods received against an order.
pub(super) fn received(store: &str, po_id: &str) -> Value {
    let line = json!({"line_no": 1, "sku": SKU, "name": "x", "qty": 1, "rejected_qty": 0, "unit_cost": 5, "cost": 5,
        "correction": 0, "balance_after": 1, "cost_missing": false, "note": null});
    let receiving = json!({"receiving_id": "rcv_1", "state": "posted", "store_id": store, "po_id": po_id,
        "supplier_id": null, "delivery_note_no": null, "reference": null, "lines": [line], "total_cost": 5, "note": null,
        "business_date": "2026-11-20", "created_by": "usr_1", "created_at": "2026-11-20T02:06:34.739Z"});
    json!({"business_date": "2026-11-20", "receiving": receiving, "lines": []})
}

/// Creates a conflict and returns the path that restores the value that lost.
fn conflict(hub: &Hub) -> String {
    let mut shop = Shop::open(hub, "S200");
    for (event_id, stamp) in [("evt_1", "1700000000009-00000-S200"), ("evt_2", "1700000000001-00000-S200")] {
        let fields = json!({"name": {"value": event_id, "at": stamp, "base": ""}});
        let answer = shop.tells("member.changed", event_id, &json!({"id": "mbr_1", "fields": fields}));
        if let Some(id) = answer["conflicts"][0]["conflict_id"].as_str() {
            return format!("/api/conflicts/{id}/restore");
        }
    }
    panic!("two writes of one field made no conflict");
}

/// Creates an exception and returns the path that resolves it.
fn contradiction(hub: &Hub) -> String {
    Shop::open(hub, "S400").tells("receiving.posted", "evt_r", &received("S400", "po_none"));
    let listed = hub.login().get("/api/exceptions?store_id=S400").data(200);
    format!("/api/exceptions/{}/settle", listed["items"][0]["exception_id"].as_str().unwrap())
}

pub(super) fn switch(hub: &Hub, path: &str) -> Attempt {
    Attempt { other: "{ }".to_owned(), ..Attempt::new(hub.login(), path, json!({}), json!({})) }
}
