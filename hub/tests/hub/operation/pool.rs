//! A request never holds one connection of the pool while it waits for another one: a hub with a single connection
//! serves every operation. With more connections a second one would be missing only under load.

use crate::support::server::{Api, Place, Server};
use crate::support::shop::{FIRST, Shop};
use crate::sync::records::Sale;
use serde_json::{Value, json};

async fn one_connection() -> Server {
    let place = Place::initialised().await;
    let text = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, text.replace("connections = 16", "connections = 1")).unwrap();
    Server::on(place).await
}

/// Creates objects for the parameters of paths, so that requests get as far as possible.
async fn known(admin: &Api) -> Vec<(&'static str, String)> {
    let made = |answer: &Value, name: &str| answer[name].as_str().unwrap().to_owned();
    admin.post("/api/products", &json!({"sku": "A", "name": "Thing", "price": 1})).await.data();
    let member =
        admin.post("/api/members", &json!({"name": "Ani", "phone": "+62811000111"})).await.data().clone();
    let supplier = admin.post("/api/suppliers", &json!({"code": "T", "name": "T"})).await.data().clone();
    let lines = json!([{"sku": "A", "qty": 10, "unit_cost": 9}]);
    let order = json!({"supplier_id": supplier["supplier_id"], "store_id": "S001", "lines": lines});
    let order = admin.post("/api/purchase-orders", &order).await.data().clone();
    vec![
        ("/api/members/{id}", made(&member, "member_id")),
        ("/api/suppliers/{id}", made(&supplier, "supplier_id")),
        ("/api/purchase-orders/{id}", made(&order, "po_id")),
        ("/api/stores/{id}", "S001".to_owned()),
    ]
}

/// Returns the path with its parameters filled in.
fn named(path: &str, known: &[(&'static str, String)]) -> String {
    let found = known.iter().find(|(prefix, _)| path.starts_with(prefix));
    let id = found.map_or("none_1", |(_, id)| id);
    let query = match path {
        "/api/stores/{id}/sums" => "?of=stock",
        "/api/sync/own" => "?epoch=1-00000000000000aa",
        "/api/reports/stock" | "/api/reports/points-liability" => "?as_of=2023-11-20",
        report if report.starts_with("/api/reports/") => "?from=2023-11-20&to=2023-11-20",
        "/api/parked/replay" => "?code=unknown_type",
        "/api/finance/trial-balance" => "?date=2023-11-20",
        _ => "",
    };
    format!("{}{query}", path.replace("{id}", id).replace("{sku}", "A"))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_documented_call_is_served_with_a_single_connection() {
    let server = one_connection().await;
    let shop = Shop::sold(&server, "S001", 3).await;
    let admin = server.admin().await;
    let known = known(&admin).await;
    let document: Value = serde_json::from_str(&server.api().text("/api/openapi.json", "*/*").await).unwrap();
    let mut calls = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, call) in methods.as_object().unwrap() {
            // Operations that end the session are sent without effect here, because the following requests need it.
            if ["/api/auth/logout", "/api/auth/password", "/api/stores/{id}/disable"].contains(&path.as_str())
            {
                continue;
            }
            let of_stores = call["security"]
                .as_array()
                .is_some_and(|ways| ways.iter().any(|way| way.get("sync").is_some()));
            let api = if of_stores { shop.speak() } else { admin.clone() };
            let body = call["requestBody"]["content"].as_object().and_then(|content| content.iter().next());
            let (media, example) = match body {
                Some((media, content)) => (media.as_str(), content["example"].clone()),
                None => ("application/json", Value::Null),
            };
            let status = api.call(method, &named(path, &known), media, &example).await;
            assert!(status < 500, "{method} {path}: {status}");
            calls += 1;
        }
    }
    assert!(calls > 60, "{calls}");
    admin.post("/api/stores/S001/disable", &json!({})).await.data();
    admin.post("/api/auth/logout", &json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_served_with_a_single_connection_while_others_wait() {
    let server = one_connection().await;
    let mut shop = Shop::sold(&server, "S001", 3).await;
    let cursors = ["users", "prices", "members", "rest"].map(|lane| (lane, shop.clone()));
    let mut waiting = Vec::new();
    for (lane, shop) in cursors {
        // The cursor after the record of the store itself.
        let cursor = crate::office::stores::head(&shop, lane).await;
        let path = format!("/api/sync/pull?lane={lane}&wait=60&cursor={cursor}");
        waiting.push(tokio::spawn(async move { shop.speak().get(&path).await.status.as_u16() }));
    }
    for lane in ["users", "prices", "members", "rest"] {
        while server.hub.waits.count(lane) == 0 {
            tokio::task::yield_now().await;
        }
    }
    let sale = Sale { store: "S001", number: 4, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    shop.chain().append(sale.record("evt_4"));
    assert_eq!(shop.push(&shop.batch(4, 4)).await.data()["acked_seq"], 4);
    // More requests at once than sixteen connections could serve if each held one.
    let many = (0..32).map(|_| {
        let shop = shop.clone();
        tokio::spawn(async move {
            shop.speak().get(&format!("/api/sync/own?epoch={FIRST}")).await.status.as_u16()
        })
    });
    for own in many.collect::<Vec<_>>() {
        assert_eq!(own.await.unwrap(), 200);
    }
    let heads = json!([{"epoch": FIRST, "seq": 4, "hash": shop.chain().hash_at(4)}]);
    let digest = json!({"business_date": "2023-11-20", "heads": heads, "types": {}});
    shop.speak().post("/api/sync/digest", &digest).await.data();
    shop.speak().get("/api/sync/snapshot?lane=rest").await.data();
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    server.stop().await;
    for poll in waiting {
        assert_eq!(poll.await.unwrap(), 200);
    }
}
