//! The company's lists: categories, tax codes, tiers, reasons, payment methods.

use crate::office::administration::settings::paths;
use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::Sale;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn each_list_is_added_to_once_changed_and_paged() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let nothing = json!({"name": " "});
    // (list, an entry, another entry, a change of the first, its path)
    let lists = [
        (
            "categories",
            json!({"code": "Tea"}),
            json!({"code": "Wine", "parent": "Tea", "state": "inactive"}),
            json!({"name": "Teas"}),
            "Tea",
        ),
        (
            "tax-codes",
            json!({"tax_code": "PPN11", "name": "PPN", "rate_bp": 1100, "kind": "standard"}),
            json!({"tax_code": "ZERO", "name": "Zero", "rate_bp": 0, "kind": "zero"}),
            json!({"rate_bp": 1200}),
            "PPN11",
        ),
        (
            "tiers",
            json!({"tier": "gold", "name": "Gold", "multiplier_bp": 15_000}),
            json!({"tier": "silver", "name": "Silver", "multiplier_bp": 12_000}),
            json!({"multiplier_bp": 20_000}),
            "gold",
        ),
        (
            "reasons",
            json!({"list": "cash", "code": "rent", "name": "Rent"}),
            json!({"list": "voids", "code": "rent", "name": "Not rent"}),
            json!({"name": "Rent of shops"}),
            "cash/rent",
        ),
        (
            "payment-methods",
            json!({"method": "card", "name": "Cards"}),
            json!({"method": "gopay", "name": "GoPay", "state": "inactive"}),
            json!({"state": "inactive"}),
            "card",
        ),
    ];
    for (list, one, other, change, key) in lists {
        let path = format!("/api/{list}");
        let made = admin.post(&path, &one).await.data().clone();
        assert_eq!(admin.post(&path, &one).await.refusal(), "409 duplicate", "{list}");
        let second = admin.post(&path, &other).await.data().clone();
        assert_eq!(
            second["state"],
            other["state"].as_str().map_or(second["state"].clone(), Value::from),
            "{list}"
        );
        let changed = admin.patch(&format!("{path}/{key}"), &change).await.data().clone();
        let mut expected = made.clone();
        let fields = change.as_object().unwrap();
        fields.iter().for_each(|(name, value)| expected[name] = value.clone());
        assert_eq!(changed, expected, "{list}");
        let page = admin.get(&format!("{path}?limit=1")).await.data().clone();
        let next = page["next_cursor"].as_str().unwrap();
        let rest = admin.get(&format!("{path}?limit=1&cursor={next}")).await.data().clone();
        let elsewhere = admin.get(&format!("/api/suppliers?cursor={next}")).await;
        assert_eq!(elsewhere.refusal(), "400 invalid_cursor", "{list}");
        assert_eq!((&page["items"], &rest["items"]), (&json!([changed]), &json!([second])), "{list}");
        assert_eq!(rest["next_cursor"], Value::Null);
        assert_eq!(paths(&admin.patch(&format!("{path}/{key}"), &nothing).await), ["name"], "{list}");
        let gone = format!("{path}/{}", if list == "reasons" { "cash/none" } else { "none" });
        assert_eq!(admin.patch(&gone, &json!({"name": "x"})).await.refusal(), "404 not_found", "{list}");
    }
    assert_eq!(admin.patch("/api/reasons/none/rent", &json!({"name": "x"})).await.refusal(), "404 not_found");
    for (path, body, field) in [
        ("categories", json!({"code": "X", "parent": "none"}), "parent"),
        ("tax-codes", json!({"tax_code": "X", "name": "X", "rate_bp": 10, "kind": "exempt"}), "rate_bp"),
        ("tax-codes", json!({"tax_code": "X", "name": "X", "rate_bp": 10_001, "kind": "luxury"}), "rate_bp"),
        ("tiers", json!({"tier": "x", "name": "x", "multiplier_bp": -1}), "multiplier_bp"),
        ("reasons", json!({"list": "cash", "code": "", "name": "x"}), "code"),
        ("payment-methods", json!({"method": "a b", "name": "x"}), "method"),
    ] {
        assert_eq!(paths(&admin.post(&format!("/api/{path}"), &body).await), [field], "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn categories_make_no_ring_and_a_closed_list_takes_known_ones_alone() {
    let server = Server::start().await;
    let admin = server.admin().await;
    admin.post("/api/categories", &json!({"code": "Food"})).await.data();
    admin.post("/api/categories", &json!({"code": "Tea", "parent": "Food"})).await.data();
    let ring = admin.patch("/api/categories/Food", &json!({"parent": "Tea"})).await;
    assert_eq!(paths(&ring), ["parent"]);
    let top = admin.patch("/api/categories/Tea", &json!({"parent": ""})).await.data().clone();
    assert_eq!(top["parent"], Value::Null);
    // Subcategories move with their category: at most 16 levels are allowed.
    for chain in ["c", "d"] {
        for level in 1..=10 {
            let parent = if level == 1 { String::new() } else { format!("{chain}{}", level - 1) };
            let new = json!({"code": format!("{chain}{level}"), "parent": parent});
            admin.post("/api/categories", &new).await.data();
        }
    }
    assert_eq!(paths(&admin.patch("/api/categories/d1", &json!({"parent": "c7"})).await), ["parent"]);
    admin.patch("/api/categories/d1", &json!({"parent": "c6"})).await.data();
    let below = json!({"code": "e", "parent": "d10"});
    assert_eq!(paths(&admin.post("/api/categories", &below).await), ["parent"]);
    // With open categories any name is accepted.
    let product =
        |sku: &str, category: &str| json!({"sku": sku, "name": sku, "price": 1, "category": category});
    admin.post("/api/products", &product("A", "Anything")).await.data();
    let place = server.stop().await;
    let file = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, file + "[catalogue]\nclosed_categories = true\n").unwrap();
    let server = Server::on(place).await;
    let admin = server.admin().await;
    assert_eq!(paths(&admin.post("/api/products", &product("B", "Wine")).await), ["category"]);
    admin.post("/api/products", &product("B", "Tea")).await.data();
    admin.patch("/api/categories/Tea", &json!({"state": "inactive"})).await.data();
    assert_eq!(paths(&admin.patch("/api/products/A", &json!({"category": "Tea"})).await), ["category"]);
    admin.patch("/api/products/A", &json!({"price": 2})).await.data();
    let head = crate::office::products::HEADER;
    assert_eq!(
        paths(&admin.csv("/api/products/import", &format!("{head}\nC,C,1,Wine,,,,\n")).await),
        ["category"]
    );
    admin.csv("/api/products/import", &format!("{head}\nC,C,1,Food,,,,\n")).await.data();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_that_was_used_stays_and_a_methods_account_is_mapped() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let code = json!({"tax_code": "PPN11", "name": "PPN", "rate_bp": 1100, "kind": "standard"});
    admin.post("/api/tax-codes", &code).await.data();
    let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let mut sold: Value = serde_json::from_str(&sale.record("evt_1")).unwrap();
    sold["payload"]["transaction"]["items"][0]["tax_code"] = json!("PPN11");
    crate::office::audit::tells(&mut shop, sold.to_string()).await;
    for change in [json!({"rate_bp": 1200}), json!({"kind": "luxury"})] {
        let refused = admin.patch("/api/tax-codes/PPN11", &change).await;
        assert_eq!(
            (refused.refusal(), &refused.body["error"]["details"]["state"]),
            ("409 invalid_state".to_owned(), &json!("used"))
        );
    }
    admin.patch("/api/tax-codes/PPN11", &json!({"name": "PPN 11 %", "rate_bp": 1100})).await.data();

    admin
        .post("/api/payment-methods", &json!({"method": "gopay", "name": "GoPay", "account": "1120"}))
        .await
        .data();
    let mapped = admin.get("/api/finance/mappings").await.data()["items"].clone();
    let named = (&mapped[0]["of"], &mapped[0]["key"], &mapped[0]["account"]);
    assert_eq!(named, (&json!("method"), &json!("gopay"), &json!("1120")));
    let wrong = json!({"method": "dana", "name": "Dana", "account": "9999"});
    assert_eq!(paths(&admin.post("/api/payment-methods", &wrong).await), ["account"]);
    let known = admin.get("/api/payment-methods").await.data()["items"].as_array().unwrap().len();
    assert_eq!(known, 1, "a method that could not be mapped was not added");
    // The method is mapped elsewhere since, so setting the account of the list again makes another mapping.
    let earlier = "UPDATE mappings SET from_date = '2020-01-01' WHERE mapped_key = 'gopay'";
    sqlx::query(earlier).execute(server.hub.db.pool()).await.unwrap();
    let elsewhere = json!({"of": "method", "key": "gopay", "account": "1130", "from": "2020-01-02"});
    admin.post("/api/finance/mappings", &elsewhere).await.data();
    admin.patch("/api/payment-methods/gopay", &json!({"account": "1120"})).await.data();
    let mapped = admin.get("/api/finance/mappings").await.data()["items"].clone();
    assert_eq!((&mapped[0]["account"], mapped.as_array().unwrap().len()), (&json!("1120"), 3));
    admin.patch("/api/payment-methods/gopay", &json!({"account": "1120"})).await.data();
    assert_eq!(admin.get("/api/finance/mappings").await.data()["items"].as_array().unwrap().len(), 3);
    // The list shows the account that applies today, wherever it was mapped, and does not change later mappings.
    let count = async || admin.get("/api/finance/mappings").await.data()["items"].as_array().unwrap().len();
    let today = "UPDATE mappings SET account = '1130' WHERE mapped_key = 'gopay'";
    sqlx::query(today).execute(server.hub.db.pool()).await.unwrap();
    assert_eq!(admin.get("/api/payment-methods").await.data()["items"][0]["account"], "1130");
    let later = json!({"of": "method", "key": "gopay", "account": "1140", "from": "2999-01-01"});
    admin.post("/api/finance/mappings", &later).await.data();
    assert_eq!(admin.get("/api/payment-methods").await.data()["items"][0]["account"], "1130");
    let now = json!({"account": "1120"});
    assert_eq!(paths(&admin.patch("/api/payment-methods/gopay", &now).await), ["account"]);
    let named = admin.patch("/api/payment-methods/gopay", &json!({"name": "Go"})).await.data().clone();
    assert_eq!((&named["account"], count().await), (&json!("1130"), 4));
}
