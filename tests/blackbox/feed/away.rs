//! A store that was offline for longer than the feed goes back.

use serde_json::{Value, json};
use testkit::linked::Linked;
use testkit::wait;

const SKU: &str = "8990001";

#[track_caller]
fn costs(shop: &mut Linked, sku: &str, price: i64) {
    let change = json!({"price": price}).to_string();
    shop.office.send("PATCH", &format!("/api/products/{sku}"), &[], change.as_bytes()).data(200);
}

/// Returns every product's price.
fn prices(list: &Value) -> Vec<(String, i64)> {
    let one = |item: &Value| (item["sku"].as_str().unwrap().to_owned(), item["price"].as_i64().unwrap());
    let mut prices: Vec<(String, i64)> = list["items"].as_array().unwrap().iter().map(one).collect();
    prices.sort();
    prices
}

#[test]
fn a_store_whose_place_was_compacted_away_reads_anew_and_ends_equal() {
    let mut shop = Linked::open();
    costs(&mut shop, SKU, 2_100);
    shop.priced(SKU, 2_100);
    let token = shop.hub.signer(&shop.store);
    let pull = |shop: &Linked, cursor: &str| {
        let path = format!("/api/sync/pull?lane=rest{cursor}");
        shop.hub.client().with_token(&token()).get(&path)
    };
    let here = pull(&shop, "").data(200)["next_cursor"].as_str().unwrap().to_owned();
    shop.store.kill9();
    costs(&mut shop, SKU, 2_200);
    costs(&mut shop, SKU, 2_300);
    costs(&mut shop, "8990002", 4_400);
    let at = format!("&cursor={here}");
    assert_eq!(pull(&shop, &at).data(200)["changes"].as_array().unwrap().len(), 2, "each record once");
    shop.hub.restart_with(&[("CLOUD_HUB__SYNC__FEED_RETAIN", "0s")]);
    wait::until("the cursor is gone", || {
        let reply = pull(&shop, &at);
        (reply.status != 200).then(|| reply.refused(410, "resync_required"))
    });
    shop.store.start();
    shop.priced(SKU, 2_300);
    shop.priced("8990002", 4_400);
    shop.synced();
    let here = shop.manager.get("/api/pos/products?limit=500").data(200);
    let there = shop.office.get("/api/products?limit=500").data(200);
    assert_eq!(prices(&here), prices(&there));
    assert!(!prices(&here).is_empty());
    let status = shop.manager.get("/api/sync/status").data(200);
    assert_eq!(status["inbound"]["untaken"]["total"], json!(0), "{status}");
}
