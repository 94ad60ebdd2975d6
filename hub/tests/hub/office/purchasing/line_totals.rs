//! Goods whose price per piece is not a whole number.

use super::payables::{balance, bill, came, owed, proven, supplier, tells};
use crate::office::finance_entries::accountant;
use crate::support::server::Server;
use crate::support::shop::Shop;
use serde_json::json;

/// (pieces, total cost, a nearby price per piece): a receipt at its total is billed at its total.
#[tokio::test(flavor = "multi_thread")]
async fn goods_without_a_whole_price_per_piece_are_billed_to_the_unit() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let admin = server.admin().await;
    let supplier_id = supplier(&admin, "TEA").await;
    let finance = accountant(&server).await;
    for (place, (qty, total, near)) in
        [(12, 100_000, 8_333), (10_000, 4_000, 0), (10_000, 6_000, 1), (1_000, 87_500, 88)]
            .into_iter()
            .enumerate()
    {
        let event = format!("evt_{}", place + 1);
        let mut record = came(&supplier_id, &event, qty);
        let receipt = &mut record["payload"]["receiving"];
        let average = (2 * total + qty) / (2 * qty);
        receipt["lines"][0]["unit_cost"] = json!(average);
        receipt["lines"][0]["cost"] = json!(total);
        receipt["total_cost"] = json!(total);
        tells(&mut shop, &record).await;
        let mut bill = bill(&supplier_id, &format!("T-{place}"), &format!("rcv_{event}"), qty);
        bill["lines"][0]["unit_cost"] = json!(near);
        bill["lines"][0]["net"] = json!(total);
        let made = owed(&finance, &bill).await;
        assert_eq!((&made["state"], &made["net"]), (&json!("approved"), &json!(total)), "{made}");
    }
    assert_eq!(balance(&finance, "2020").await, 0);
    assert_eq!(balance(&finance, "5030").await, 0, "no variance");
    proven(&finance).await;
}
