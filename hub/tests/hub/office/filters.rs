//! Filters of head office's lists, one table for each noun.

use crate::office::products::HEADER;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::raw;
use crate::sync::shared::tells;
use serde_json::{Value, json};

/// Tests a list with every query of a table. `named` returns the name of an item. Pages of one item must give the same.
pub async fn finds(api: &Api, path: &str, named: fn(&Value) -> String, table: &[(&str, &[&str])]) {
    for (query, expected) in table {
        let whole = api.get(&format!("{path}?{query}")).await;
        let mut found: Vec<String> = whole.data()["items"].as_array().unwrap().iter().map(named).collect();
        let (mut paged, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = api.get(&format!("{path}?{query}&limit=1{cursor}")).await.data().clone();
            paged.extend(page["items"].as_array().unwrap().iter().map(named));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(paged, found, "{path}?{query} page by page");
        found.sort_unstable();
        assert_eq!(found, *expected, "{path}?{query}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

async fn stocked(server: &Server) -> Api {
    let admin = server.admin().await;
    let csv = format!("{HEADER}\nA,Apple,1000,fruit,,,,\nB,Pear,2000,fruit,,,,\n");
    admin.csv("/api/products/import", &csv).await.data();
    admin
}

#[tokio::test(flavor = "multi_thread")]
async fn prices_are_found_by_product_store_day_and_state() {
    let server = Server::start().await;
    for store in ["S001", "S002"] {
        server.place.add_store(store);
    }
    let admin = stocked(&server).await;
    for (sku, price, store_id, from) in [
        ("A", 1, Value::Null, Value::Null),
        ("A", 2, json!("S001"), json!("2040-01-01")),
        ("B", 3, json!("S001"), json!("2040-02-01")),
        ("B", 4, json!("S002"), json!("2040-03-01")),
    ] {
        let new = json!({"sku": sku, "price": price, "store_id": store_id, "from": from});
        let made = admin.post("/api/prices", &new).await.data().clone();
        if price == 4 {
            let path = format!("/api/prices/{}/withdraw", text(&made["price_id"]));
            admin.post(&path, &json!({})).await.data();
        }
    }
    let named = |item: &Value| item["price"].to_string();
    finds(
        &admin,
        "/api/prices",
        named,
        &[
            ("", &["1", "2", "3", "4"]),
            ("sku=A", &["1", "2"]),
            ("store_id=S001", &["1", "2", "3"]),
            ("store_id=", &["1", "2", "3", "4"]),
            ("sku=B&store_id=S001", &["3"]),
            ("state=active", &["1", "2", "3"]),
            ("state=withdrawn", &["4"]),
            ("from=2040-02-01", &["3", "4"]),
            ("to=2040-02-01", &["1", "2", "3"]),
            ("from=2040-01-02&to=2040-02-28&sku=B", &["3"]),
            ("sku=none", &[]),
        ],
    )
    .await;
    assert_eq!(admin.get("/api/prices?state=old").await.refusal(), "400 invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_found_by_text_state_tier_and_day() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for (name, phone) in
        [("Ani", "0811 1111 001"), ("Budi_s 100%", "0811 1111 002"), ("Cici", "0811 1111 003")]
    {
        let made = admin.post("/api/members", &json!({"name": name, "phone": phone})).await.data().clone();
        let path = format!("/api/members/{}", text(&made["member_id"]));
        match name {
            "Ani" => drop(admin.patch(&path, &json!({"tier": "gold"})).await.data().clone()),
            "Cici" => drop(admin.patch(&path, &json!({"state": "blocked"})).await.data().clone()),
            _ => {}
        }
    }
    finds(
        &admin,
        "/api/members",
        |item| text(&item["name"]),
        &[
            ("", &["Ani", "Budi_s 100%", "Cici"]),
            ("q=ANI", &["Ani"]),
            ("q=budi_s", &["Budi_s 100%"]),
            ("q=6281", &["Ani", "Budi_s 100%", "Cici"]),
            ("state=active", &["Ani", "Budi_s 100%"]),
            ("state=blocked", &["Cici"]),
            ("state=erased", &[]),
            ("tier=gold", &["Ani"]),
            ("tier=gold&state=blocked", &[]),
            ("q=c&state=blocked", &["Cici"]),
            ("from=2020-01-01", &["Ani", "Budi_s 100%", "Cici"]),
            ("to=2020-01-01", &[]),
        ],
    )
    .await;
    assert_eq!(admin.get("/api/members?state=asleep").await.refusal(), "400 invalid_query");
    assert_eq!(admin.get("/api/members?from=today").await.refusal(), "400 invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_found_by_text_store_role_and_whether_they_are_kept_out() {
    let server = Server::start().await;
    for store in ["S001", "S002"] {
        server.place.add_store(store);
    }
    let admin = server.admin().await;
    for (name, role, store_id) in [
        ("Ani", "cashier", json!("S001")),
        ("Budi", "store_manager", json!("S001")),
        ("Cici", "cashier", json!("S002")),
        ("Dewi", "ho_finance", Value::Null),
    ] {
        let username = format!("{}@example.com", name.to_lowercase());
        let new = json!({"username": username, "name": name, "role": role, "store_id": store_id, "password": "right horse"});
        let made = admin.post("/api/users", &new).await.data().clone();
        if name == "Cici" {
            let path = format!("/api/users/{}", text(&made["id"]));
            admin.patch(&path, &json!({"disabled": true})).await.data();
        }
    }
    finds(
        &admin,
        "/api/users",
        |item| text(&item["name"]),
        &[
            ("q=example.com", &["Ani", "Budi", "Cici", "Dewi"]),
            ("q=ANI", &["Ani"]),
            ("q=d&store_id=S001", &["Budi"]),
            ("store_id=S001", &["Ani", "Budi"]),
            ("role=cashier", &["Ani", "Cici"]),
            ("role=cashier&store_id=S002", &["Cici"]),
            ("role=ho_finance", &["Dewi"]),
            ("disabled=true", &["Cici"]),
            ("disabled=false&q=example.com", &["Ani", "Budi", "Dewi"]),
            ("q=_", &[]),
        ],
    )
    .await;
    assert_eq!(admin.get("/api/users?role=king").await.refusal(), "400 invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn promotions_are_found_by_text_product_store_and_day() {
    let server = Server::start().await;
    for store in ["S001", "S002"] {
        server.place.add_store(store);
    }
    let admin = stocked(&server).await;
    for (name, skus, stores, from, to) in [
        ("Apple week", json!(["A"]), Value::Null, "2040-01-01", "2040-01-07"),
        ("Pear week", json!(["B"]), json!(["S001"]), "2040-01-05", "2040-01-12"),
        ("Everything", Value::Null, json!(["S002"]), "2040-02-01", "2040-02-28"),
    ] {
        let new = json!({"name": name, "type": "line_percent", "value": 1000, "skus": skus, "store_ids": stores,
            "from": from, "to": to, "priority": 1});
        admin.post("/api/promotions", &new).await.data();
    }
    finds(
        &admin,
        "/api/promotions",
        |item| text(&item["name"]),
        &[
            ("", &["Apple week", "Everything", "Pear week"]),
            ("q=WEEK", &["Apple week", "Pear week"]),
            ("sku=A", &["Apple week", "Everything"]),
            ("store_id=S001", &["Apple week", "Pear week"]),
            ("from=2040-01-06&to=2040-01-06", &["Apple week", "Pear week"]),
            ("from=2040-01-08", &["Everything", "Pear week"]),
            ("to=2040-01-04", &["Apple week"]),
            ("sku=B&store_id=S002", &["Everything"]),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn suppliers_are_found_by_text_and_state() {
    let server = Server::start().await;
    let admin = server.admin().await;
    for (code, name) in [("TEA", "Kebun Teh"), ("MILK", "Susu Segar"), ("TOY", "Mainan")] {
        let made = admin.post("/api/suppliers", &json!({"code": code, "name": name})).await.data().clone();
        if code == "TOY" {
            let path = format!("/api/suppliers/{}", text(&made["supplier_id"]));
            admin.patch(&path, &json!({"state": "inactive"})).await.data();
        }
    }
    finds(
        &admin,
        "/api/suppliers",
        |item| text(&item["code"]),
        &[
            ("", &["MILK", "TEA", "TOY"]),
            ("q=segar", &["MILK"]),
            ("q=t", &["TEA", "TOY"]),
            ("q=t&state=active", &["TEA"]),
            ("state=inactive", &["TOY"]),
        ],
    )
    .await;
    let long = "x".repeat(129);
    assert_eq!(admin.get(&format!("/api/suppliers?q={long}")).await.refusal(), "400 invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicts_are_found_by_text_store_product_member_day_and_state() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let stamp = |ms: u32, node: &str| format!("17004459{ms:05}-00000-{node}");
    let write = |event: &str, at: &str, field: &str, value: Value| {
        let fields = json!({field: {"value": value, "at": at, "base": ""}});
        raw("member.changed", event, at, &json!({"id": "mbr_1", "fields": fields}))
    };
    tells(&mut one, write("evt_1", &stamp(9, "S001"), "name", json!("Ani"))).await;
    tells(&mut one, write("evt_2", &stamp(1, "S001"), "name", json!("Old"))).await;
    tells(&mut two, write("evt_3", &stamp(9, "S002"), "phone", json!("+62811"))).await;
    tells(&mut two, write("evt_4", &stamp(1, "S002"), "phone", json!("+62812"))).await;
    let level = |event: &str, at: &str, value: i64| {
        let fields = json!({"reorder_level": {"value": value, "at": at, "base": ""}});
        raw("product_settings.changed", event, at, &json!({"id": "A", "fields": fields}))
    };
    tells(&mut two, level("evt_5", &stamp(9, "S002"), 7)).await;
    tells(&mut two, level("evt_6", &stamp(1, "S002"), 8)).await;
    let admin = server.admin().await;
    let listed = admin.get("/api/conflicts?q=old").await.data()["items"].clone();
    let path = format!("/api/conflicts/{}/restore", text(&listed[0]["conflict_id"]));
    admin.post(&path, &json!({})).await.data();
    finds(
        &admin,
        "/api/conflicts",
        |item| item["lost_fields"].as_object().unwrap().values().map(Value::to_string).collect(),
        &[
            ("", &["\"+62812\"", "\"Old\"", "8"]),
            ("q=OLD", &["\"Old\""]),
            ("q=reorder", &["8"]),
            ("store_id=S002", &["\"+62812\"", "8"]),
            ("member_id=mbr_1", &["\"+62812\"", "\"Old\""]),
            ("sku=A", &["8"]),
            ("sku=B", &[]),
            ("state=restored", &["\"Old\""]),
            ("state=open&store_id=S002", &["\"+62812\"", "8"]),
            ("from=2020-01-01&state=open", &["\"+62812\"", "8"]),
            ("to=2020-01-01", &[]),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_beyond_ascii_are_found_in_any_case() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let csv = format!("{HEADER}\nA,Ähren Жасмин,1000,,,,,\nB,Pear,2000,,,,,\n");
    admin.csv("/api/products/import", &csv).await.data();
    for (name, phone) in [("Zoë ÄHREN", "0811 1111 001"), ("Ani", "0811 1111 002")] {
        admin.post("/api/members", &json!({"name": name, "phone": phone})).await.data();
    }
    for (name, store_id) in [("Жанна Ähren", json!("S001")), ("жора ähren", Value::Null)] {
        let role = if store_id.is_null() { "ho_finance" } else { "cashier" };
        let username = format!("{role}@example.com");
        let new = json!({"username": username, "name": name, "role": role, "store_id": store_id, "password": "right horse"});
        admin.post("/api/users", &new).await.data();
    }
    let stamp = |ms: u32| format!("17004459{ms:05}-00000-S001");
    for (event, at, value) in [("evt_1", stamp(9), "Ani"), ("evt_2", stamp(1), "ÄHREN")] {
        let fields = json!({"name": {"value": value, "at": at, "base": ""}});
        tells(&mut shop, raw("member.changed", event, &at, &json!({"id": "mbr_1", "fields": fields}))).await;
    }
    let named = |item: &Value| text(&item["name"]);
    let lost = |item: &Value| text(&item["lost_fields"]["name"]);
    // Ä, ä, Ж, ж.
    for (ae, zhe) in [("q=%C3%84hren", "q=%D0%96%D0%B0"), ("q=%C3%A4hren", "q=%D0%B6%D0%B0")] {
        finds(&admin, "/api/products", named, &[(ae, &["Ähren Жасмин"]), (zhe, &["Ähren Жасмин"])]).await;
        finds(&admin, "/api/members", named, &[(ae, &["Zoë ÄHREN"]), (zhe, &[])]).await;
        finds(&admin, "/api/users", named, &[(ae, &["Жанна Ähren", "жора ähren"]), (zhe, &["Жанна Ähren"])])
            .await;
        finds(&admin, "/api/conflicts", lost, &[(ae, &["ÄHREN"])]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_text_is_found_in_every_spelling() {
    let server = Server::start().await;
    let admin = server.admin().await;
    admin.post("/api/members", &json!({"name": "Ani", "phone": "0815 1111 0007"})).await.data();
    let member = |item: &Value| text(&item["name"]);
    let spellings: [(&str, &[&str]); 7] = [
        ("q=081511110007", &["Ani"]),
        ("q=%2B62%20%280%29815%201111%200007", &["Ani"]),
        ("q=0062%20815%201111%200007", &["Ani"]),
        ("q=62%20815-1111-0007", &["Ani"]),
        ("q=815%201111%200007", &["Ani"]),
        ("q=0815", &["Ani"]),
        ("q=081511110008", &[]),
    ];
    finds(&admin, "/api/members", member, &spellings).await;
    for (sku, name) in [("P1", "Coca-Cola"), ("P2", "7\u{2011}Up")] {
        admin.post("/api/products", &json!({"sku": sku, "name": name, "price": 1})).await.data();
    }
    let product = |item: &Value| text(&item["sku"]);
    let names: [(&str, &[&str]); 4] =
        [("q=coca%20cola", &["P1"]), ("q=coca-cola", &["P1"]), ("q=7-up", &["P2"]), ("q=7%20up", &["P2"])];
    finds(&admin, "/api/products", product, &names).await;
    // The limit is in characters, not bytes.
    let long = "%E0%B8%97".repeat(128);
    assert_eq!(admin.get(&format!("/api/products?q={long}")).await.data()["items"], json!([]));
    let longer = admin.get(&format!("/api/products?q={long}x")).await;
    assert_eq!(longer.refusal(), "400 invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_stays_reachable_and_a_promotion_has_a_name() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let ani = json!({"name": "Ani", "phone": "0815 1111 0007", "email": "ani@example.com"});
    let made = admin.post("/api/members", &ani).await.data().clone();
    let path = format!("/api/members/{}", made["member_id"].as_str().unwrap());
    let both = admin.patch(&path, &json!({"email": null, "phone": null})).await;
    assert_eq!(both.refusal(), "422 validation_failed");
    admin.patch(&path, &json!({"email": null})).await.data();
    for without in [json!({"phone": null}), json!({"phone": ""})] {
        assert_eq!(admin.patch(&path, &without).await.refusal(), "422 validation_failed", "{without}");
    }
    let other = admin.patch(&path, &json!({"phone": null, "email": "ani@example.com"})).await;
    assert_eq!(other.data()["phone"], json!(null));
    let promotion = |name: &str, min_qty: i64| {
        json!({"name": name, "type": "line_percent", "value": 1000, "min_qty": min_qty, "from": "2030-01-01",
            "to": "2030-01-07", "priority": 1})
    };
    for (name, min_qty) in [("", 1), (" ", 1), ("a\u{7}b", 1), ("\u{200b}", 1), ("Tea week", 0)] {
        let refused = admin.post("/api/promotions", &promotion(name, min_qty)).await;
        assert_eq!(refused.refusal(), "422 validation_failed", "{name:?} {min_qty}");
    }
    let made = admin.post("/api/promotions", &promotion("Tea week", 1)).await.data().clone();
    let path = format!("/api/promotions/{}", made["promotion_id"].as_str().unwrap());
    assert_eq!(admin.patch(&path, &json!({"name": ""})).await.refusal(), "422 validation_failed");
}
