//! Movements of a product in all stores, which add up to its stock.

use crate::office::documents::filters::back;
use crate::office::documents::stock_documents::{
    EARLIER, adjusted, all, came, counted, id, sent_back, transferred,
};
use crate::office::filters::finds;
use crate::support::server::{Server, stderr, stdout};
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, voided};
use crate::sync::records::{DAY, NOON, Sale};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn movements_of_a_product_are_all_that_moved_its_stock() {
    let server = Server::start().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let sale = |number, qty| Sale { store: "S001", number, shift: "shf_1", sku: "A", qty, price: 1000 };
    // One sale has the product on two lines. Damaged returned pieces are not added to stock.
    let mut twice: Value = serde_json::from_str(&sale(1, 2).record("evt_sold")).unwrap();
    let paid = &mut twice["payload"];
    for (list, place) in [("/transaction/items", "line_no"), ("/lines", "line_no")] {
        let lines = paid.pointer_mut(list).unwrap().as_array_mut().unwrap();
        let mut line = lines[0].clone();
        line[place] = json!(2);
        lines.push(line);
    }
    let mut returned: Value =
        serde_json::from_str(&back("evt_ret_9", DAY, json!("trx_S001_1"), &["restock", "damaged"])).unwrap();
    returned["payload"]["lines"] = json!([effect(1, 1, 10)]);
    all(
        &mut one,
        vec![
            came("S001", 1, 20, |receipt| receipt["business_date"] = json!(EARLIER)),
            twice.to_string(),
            sale(3, 1).record("evt_3"),
            voided(3, 1),
            returned.to_string(),
            adjusted(1, "posted", "theft", -1),
            sent_back(1, "sup_1", DAY),
            counted(1),
            transferred("transfer.sent", "evt_sent", "in_transit", -3),
        ],
    )
    .await;
    all(&mut two, vec![transferred("transfer.received", "evt_got", "received", 3)]).await;
    let admin = server.admin().await;
    let path = "/api/stock/A/movements";
    let sold = ["sale -1", "sale -2", "sale -2"];
    finds(
        &admin,
        path,
        id("reason"),
        &[
            ("store_id=S002", &["transfer_in 3"]),
            ("reason=sale", &sold),
            ("reason=sale_void", &["sale_void 1"]),
            ("reason=return", &["return 1"]),
            (&format!("to={EARLIER}"), &["receiving 20"]),
            (&format!("from={DAY}&store_id=S001&reason=receiving"), &["receiving -2"]),
            (
                "store_id=S001",
                &[
                    "adjustment -1",
                    "opname -1",
                    "receiving -2",
                    "receiving 20",
                    "return 1",
                    "sale -1",
                    "sale -2",
                    "sale -2",
                    "sale_void 1",
                    "transfer_out -3",
                ],
            ),
        ],
    )
    .await;
    let moved = admin.get(path).await.data()["items"].clone();
    for store in ["S001", "S002"] {
        let stock = admin.get(&format!("/api/stock?store_id={store}")).await.data()["items"][0].clone();
        for (figure, of) in [("qty", "on_hand"), ("cost", "value")] {
            let of_store = moved.as_array().unwrap().iter().filter(|one| one["store_id"] == store);
            let sum: i64 = of_store.map(|one| one[figure].as_i64().unwrap()).sum();
            assert_eq!(json!(sum), stock[of], "{store} {figure}");
        }
    }
    let sale = moved.as_array().unwrap().iter().find(|one| one["event_id"] == "evt_sold").unwrap();
    assert_eq!(
        (&sale["reference_id"], &sale["user_id"], &sale["at"]),
        (&json!("trx_S001_1"), &json!("usr_1"), &json!(NOON))
    );
    assert_eq!((&sale["unit_cost"], &sale["entry_date"]), (&json!(10), &json!(DAY)));
    let entry = format!("/api/finance/journal/{}", sale["entry_id"].as_str().unwrap());
    assert_eq!(admin.get(&entry).await.data()["cause"]["id"], "trx_S001_1");
    assert_eq!(admin.get("/api/stock/none/movements").await.data()["items"], json!([]));
    assert_eq!(admin.get(&format!("{path}?reason=magic")).await.refusal(), "400 invalid_query");
    let place = &server.place;
    let verified = place.run(&["verify"], "");
    assert!(verified.status.success(), "{}{}", stdout(&verified), stderr(&verified));
    for (wrong, says) in [
        ("UPDATE movements SET qty = qty + 1 WHERE reason = 'opname'", "moved 2023-11-20 opname"),
        ("UPDATE goods_documents SET event_id = 'evt_none' WHERE kind = 'adjustment'", "document adj_1"),
    ] {
        sqlx::query(wrong).execute(server.hub.db.pool()).await.unwrap();
        let found = place.run(&["verify"], "");
        let text = stdout(&found) + &stderr(&found);
        assert!(!found.status.success() && text.contains(says), "{wrong}: {text}");
    }
}
