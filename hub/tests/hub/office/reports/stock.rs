//! Stock of all stores.

use crate::support::server::Server;
use crate::support::shop::Shop;
use crate::sync::records::{NOON, receiving};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn stock_of_all_stores_is_listed_by_product_and_store() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let csv = "sku,name,price,category,barcode,reorder_level\nA,Apple,1000,fruit,,50\nB,Nail,10,iron,,5\n";
    admin.csv("/api/products/import", csv).await.data();
    for (store, pieces) in [("S001", 40), ("S002", 60)] {
        let mut shop = Shop::open(&server, store).await;
        for (number, sku) in [(1, "A"), (2, "B")] {
            let event_id = format!("evt_{store}_{number}");
            shop.chain().append(receiving(store, sku, pieces, &event_id));
        }
        let mut batch = shop.batch(1, 2);
        if store == "S001" {
            batch["backlog"] = json!({"pending": 3, "oldest_pending_at": NOON});
        }
        shop.push(&batch).await.data();
    }
    let places = |list: &Value| {
        let row = |row: &Value| {
            json!([row["sku"], row["store_id"], row["on_hand"], row["value"], row["average_cost"]])
        };
        list["items"].as_array().unwrap().iter().map(row).collect::<Value>()
    };
    let all = admin.get("/api/stock").await.data().clone();
    assert_eq!(
        places(&all),
        json!([
            ["A", "S001", 40, 400, 10],
            ["A", "S002", 60, 600, 10],
            ["B", "S001", 40, 400, 10],
            ["B", "S002", 60, 600, 10]
        ])
    );
    let noon = json!(NOON);
    assert_eq!(all["items"][0]["as_of"], noon, "what it did from then on has not come");
    assert!(all["items"][1]["as_of"].as_str() > noon.as_str(), "{all}");
    assert_eq!((&all["items"][0]["name"], &all["items"][0]["reorder_level"]), (&json!("Apple"), &json!(50)));
    for (filter, count) in [
        ("below_reorder=true", 1),
        ("store_id=S002", 2),
        ("category=iron", 2),
        ("q=App", 2),
        ("sku=A&store_id=S001", 1),
        ("negative=true", 0),
        ("damaged=true", 0),
    ] {
        let found = admin.get(&format!("/api/stock?{filter}")).await.data()["items"].clone();
        assert_eq!(found.as_array().unwrap().len(), count, "{filter}");
    }
    // Page by page it is the same list.
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("/api/stock?limit=3{cursor}")).await.data().clone();
        seen.extend(places(&page).as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(json!(seen), places(&all));
    let one = admin.get("/api/stock/A").await.data().clone();
    assert_eq!((one["items"].as_array().unwrap().len(), &one["totals"]["on_hand"]), (2, &json!(100)));
    assert_eq!(admin.get("/api/stock/Z").await.refusal(), "404 not_found");
}
