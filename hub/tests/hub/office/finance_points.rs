//! The pool of points: exact effects of sales, returns, voids and people, with both policies.

use crate::office::finance::{balanced, lines, tells};
use crate::support::server::{Place, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{record, returned};
use crate::sync::records::{DAY, NOON, Sale};
use serde_json::{Value, json};

async fn server(policy: &str) -> Server {
    let place = Place::initialised().await;
    let text = std::fs::read_to_string(&place.config).unwrap();
    std::fs::write(&place.config, format!("{text}[finance]\npoints_policy = \"{policy}\"\n")).unwrap();
    Server::on(place).await
}

fn points(points: i64, reason: &str, reference: &str) -> Value {
    json!({"entry_id": format!("{reference}:{reason}"), "member_id": "mbr_1", "points": points, "reason": reason,
        "reference_id": reference, "balance_after": 0, "lots": [], "business_date": DAY, "user_id": "usr_1", "at": NOON})
}

/// Returns a sale of 100,000 without tax and with a cost of 10, of which points pay a part. It earns points.
fn sold(number: u64, by_points: i64, earned: i64) -> Value {
    let sale = Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 100_000 };
    let mut whole: Value = serde_json::from_str(&sale.record(&format!("evt_{number}"))).unwrap();
    let id = format!("trx_S001_{number}");
    let paid = &mut whole["payload"];
    paid["transaction"]["member_id"] = json!("mbr_1");
    let mut other = paid["transaction"]["payments"][0].clone();
    paid["transaction"]["payments"][0]["amount"] = json!(111_000 - by_points);
    let mut entries = vec![points(earned, "earn", &id)];
    if by_points > 0 {
        other["payment_id"] = json!(format!("pay_points_{number}"));
        other["method"] = json!("points");
        // Two payments, each a part of the amount.
        for amount in [by_points / 2, by_points - by_points / 2] {
            let mut part = other.clone();
            part["amount"] = json!(amount);
            paid["transaction"]["payments"].as_array_mut().unwrap().push(part);
        }
        entries.push(points(-by_points, "redeem", &id));
    }
    paid["points"] = json!(entries);
    whole
}

fn voided(number: u64, by_points: i64, earned: i64) -> String {
    let mut whole = sold(number, by_points, earned);
    let payments = whole["payload"]["transaction"]["payments"].as_array().unwrap().clone();
    let refund = |payment: &Value| {
        json!({"payment_id": payment["payment_id"], "method": payment["method"], "amount": payment["amount"],
            "rounding": 0, "exchange": false})
    };
    whole["type"] = json!("transaction.voided");
    whole["event_id"] = json!(format!("evt_void_{number}"));
    let paid = &mut whole["payload"];
    paid["refunds"] = payments.iter().map(refund).collect();
    paid["transaction"]["state"] = json!("voided");
    for payment in paid["transaction"]["payments"].as_array_mut().unwrap() {
        payment["state"] = json!("reversed");
    }
    paid["lines"][0]["qty"] = json!(1);
    paid["lines"][0]["cost"] = json!(10);
    paid["points"] = json!([points(-earned, "reverse", "void"), points(by_points, "give_back", "void")]);
    whole.to_string()
}

/// Returns a return of a part of the first sale: refund, tax, deducted points, points given back.
fn comes_back(event_id: &str, state: &str, [refund, tax, reversed, back]: [i64; 4]) -> String {
    let kind = if state == "posted" { "return.posted" } else { "return.voided" };
    let mut document = returned(event_id.trim_end_matches("_void"), "trx_S001_1", state);
    document["items"][0]["refund"] = json!(refund);
    document["items"][0]["tax"] = json!(tax);
    document["items"][0]["disposition"] = json!("none");
    document["items"][0]["cost"] = json!(0);
    let by_points = json!({"method": "points", "amount": back, "rounding": 0, "origin": null, "transaction_id": null,
        "reference": null});
    document["refunds"][0]["amount"] = json!(refund - back);
    if back > 0 {
        document["refunds"].as_array_mut().unwrap().push(by_points);
    }
    let entries = if state == "posted" {
        json!([points(-reversed, "reverse", event_id), points(back, "give_back", event_id)])
    } else {
        json!([points(-back, "redeem", event_id), points(reversed, "earn", event_id)])
    };
    record(
        kind,
        event_id,
        &json!({"business_date": DAY, "document": document, "lines": [], "points": entries}),
    )
}

fn adjusted(event_id: &str, amount: i64, reason: &str) -> String {
    let payload = json!({"business_date": DAY, "entry": points(amount, reason, event_id), "reason": "given"});
    record("points.adjusted", event_id, &payload)
}

async fn pool(server: &Server) -> (i64, i64) {
    (
        server.figure("SELECT points FROM points_pool").await,
        server.figure("SELECT value FROM points_pool").await,
    )
}

/// Returns an entry's effect on the accounts of points: `[2040, 4040, 6040]`, debit above 0.
async fn posted(server: &Server, event_id: &str) -> [i64; 3] {
    let admin = server.admin().await;
    let lines = lines(&admin, "S001", event_id).await;
    ["2040", "4040", "6040"].map(|account| {
        let line = lines.as_array().unwrap().iter().find(|line| line[0] == account).cloned();
        line.map_or(0, |line| line[1].as_i64().unwrap() - line[2].as_i64().unwrap())
    })
}

/// Returns the record with another value of a point.
fn worth(record: &str, each: i64) -> String {
    let mut whole: Value = serde_json::from_str(record).unwrap();
    for name in ["points", "entry"] {
        match &mut whole["payload"][name] {
            Value::Array(entries) => entries.iter_mut().for_each(|entry| entry["worth"] = json!(each)),
            Value::Object(entry) => drop(entry.insert("worth".to_owned(), json!(each))),
            _ => {}
        }
    }
    let mut more = 0;
    for list in ["/payload/transaction/payments", "/payload/document/refunds"] {
        let Some(paid) = whole.pointer_mut(list).and_then(Value::as_array_mut) else { continue };
        for by_points in paid.iter_mut().filter(|payment| payment["method"] == "points") {
            let points = by_points["amount"].as_i64().unwrap();
            more += points * (each - 1);
            by_points["amount"] = json!(points * each);
        }
        paid[0]["amount"] = json!(paid[0]["amount"].as_i64().unwrap() - more);
    }
    whole.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn points_count_by_what_their_store_says_that_one_pays() {
    let server = server("expense").await;
    let mut shop = Shop::open(&server, "S001").await;
    let records = vec![
        worth(&sold(1, 0, 111).to_string(), 100),
        worth(&sold(2, 60, 110).to_string(), 100),
        worth(&adjusted("evt_given", 500, "adjust"), 100),
        worth(&comes_back("evt_r1", "posted", [55_500, 5_500, 56, 0]), 100),
    ];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    assert_eq!(posted(&server, "evt_1").await, [-11_100, 0, 11_100]);
    assert_eq!(posted(&server, "evt_2").await, [6_000 - 11_000, 0, 11_000], "60 points paid 6,000");
    assert_eq!(posted(&server, "evt_given").await, [-50_000, 0, 50_000]);
    assert_eq!(posted(&server, "evt_r1").await, [5_600, 0, -5_600]);
    assert_eq!(pool(&server).await, (605, 60_500));
    // Points to expire are valued as the stores report them, here at the average.
    let admin = server.admin().await;
    let report = admin.get(&format!("/api/reports/points-liability?as_of={DAY}")).await;
    assert_eq!(report.data()["totals"]["value"], 60_500, "{}", report.body);
    balanced(&server, &admin).await;

    let server = self::server("deferral").await;
    let mut shop = Shop::open(&server, "S001").await;
    let records = vec![worth(&sold(1, 0, 111).to_string(), 100), worth(&sold(2, 60, 0).to_string(), 100)];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    // 111 x 100 x 80 % = 8,880; of 100,000 its share is 100,000 x 8,880 / 108,880 = 8,156.
    assert_eq!(posted(&server, "evt_1").await, [-8_156, 8_156, 0]);
    // 60 of 111 release 4,409. The rest of their nominal value of 6,000 was never deferred.
    assert_eq!(posted(&server, "evt_2").await, [4_409, 1_591, 0]);
    assert_eq!(pool(&server).await, (51, 3_747));
    balanced(&server, &server.admin().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn points_are_an_expense_at_their_face() {
    let server = server("expense").await;
    let mut shop = Shop::open(&server, "S001").await;
    let records = vec![
        sold(1, 0, 111).to_string(),
        sold(2, 60, 110).to_string(),
        adjusted("evt_given", 500, "adjust"),
        voided(2, 60, 110),
        comes_back("evt_r1", "posted", [55_500, 5_500, 56, 0]),
        comes_back("evt_r2", "posted", [55_500, 5_500, 55, 0]),
        comes_back("evt_r2_void", "voided", [55_500, 5_500, 55, 0]),
        adjusted("evt_expired", -100, "expire"),
        adjusted("evt_taken", -2_000, "adjust"),
    ];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    for (event_id, expected) in [
        ("evt_1", [-111, 0, 111]),
        ("evt_2", [60 - 110, 0, 110]),
        ("evt_given", [-500, 0, 500]),
        ("evt_void_2", [110 - 60, 0, -110]),
        ("evt_r1", [56, 0, -56]),
        ("evt_r2", [55, 0, -55]),
        ("evt_r2_void", [-55, 0, 55]),
        ("evt_expired", [100, 0, -100]),
        // 555 - 100 = 455 are in the pool: the excess is cut on both sides.
        ("evt_taken", [455, 0, -455]),
    ] {
        assert_eq!(posted(&server, event_id).await, expected, "{event_id}");
    }
    assert_eq!(pool(&server).await, (0, 0));
    balanced(&server, &server.admin().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn points_defer_a_part_of_the_price() {
    let server = server("deferral").await;
    let mut shop = Shop::open(&server, "S001").await;
    // 111 points alone are worth 89 of 100,000; 200 points given by hand are worth 160.
    let records = vec![
        sold(1, 0, 111).to_string(),
        adjusted("evt_given", 200, "adjust"),
        sold(2, 100, 0).to_string(),
        comes_back("evt_r1", "posted", [55_500, 5_500, 56, 0]),
        comes_back("evt_r2", "posted", [27_750, 2_750, 27, 0]),
        comes_back("evt_r3", "posted", [27_750, 2_750, 28, 0]),
        voided(2, 100, 0),
        adjusted("evt_expired", -50, "expire"),
    ];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    for (event_id, expected) in [
        ("evt_1", [-89, 89, 0]),
        ("evt_given", [-160, 0, 160]),
        // 249 × 100 / 311 = 80.06.
        ("evt_2", [80, 20, 0]),
        // 89 × 56 / 111 = 44.9; then 66.55 in total, and finally 89.
        ("evt_r1", [45, -45, 0]),
        ("evt_r2", [22, -22, 0]),
        ("evt_r3", [22, -22, 0]),
        ("evt_void_2", [-80, -20, 0]),
        // 200 points are worth 160.
        ("evt_expired", [40, -40, 0]),
    ] {
        assert_eq!(posted(&server, event_id).await, expected, "{event_id}");
    }
    assert_eq!(pool(&server).await, (150, 120));
    balanced(&server, &server.admin().await).await;
    // The policy can't change while there are points.
    let place = server.stop().await;
    let text = std::fs::read_to_string(&place.config).unwrap().replace("deferral", "expense");
    std::fs::write(&place.config, text).unwrap();
    let refused = place.run(&["serve"], "");
    assert!(!refused.status.success());
    let reported = crate::support::server::stderr(&refused);
    assert!(reported.contains("finance.points_policy"), "{reported}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_that_is_not_its_steps_is_found() {
    let server = server("expense").await;
    let mut shop = Shop::open(&server, "S001").await;
    tells(&mut shop, vec![sold(1, 0, 111).to_string()]).await;
    balanced(&server, &server.admin().await).await;
    sqlx::query("UPDATE points_pool SET value = 110").execute(server.hub.db.pool()).await.unwrap();
    let verified = server.place.run(&["verify"], "");
    let reported = crate::support::server::stdout(&verified) + &crate::support::server::stderr(&verified);
    assert!(
        !verified.status.success() && reported.contains("the points pool has 111 points worth 110"),
        "{reported}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_movement_of_2040_moves_the_pool_with_or_without_a_member() {
    let server = server("expense").await;
    let mut shop = Shop::open(&server, "S001").await;
    let mut nobodys: Value =
        serde_json::from_str(&comes_back("evt_r1", "posted", [55_500, 5_500, 0, 30])).unwrap();
    nobodys["payload"]["points"] = json!([]);
    // The basket was voided before it was paid.
    let mut basket: Value = serde_json::from_str(&voided(3, 0, 50)).unwrap();
    basket["payload"]["transaction"]["receipt_no"] = Value::Null;
    basket["payload"]["refunds"] = json!([]);
    let records = vec![sold(1, 0, 111).to_string(), nobodys.to_string(), basket.to_string()];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    assert_eq!(posted(&server, "evt_r1").await, [0, 0, -30], "no member is owed these points");
    assert_eq!(pool(&server).await, (111, 111));
    balanced(&server, &server.admin().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn points_deferred_again_are_at_most_those_that_were_released() {
    for (there, [released, first, second]) in [(60, [60, 50, 10]), (0, [0, 0, 0])] {
        let server = server("expense").await;
        let mut shop = Shop::open(&server, "S001").await;
        // The points come from a store that has not reported them yet, so the pool has fewer.
        let mut records = vec![
            sold(1, 100, 7).to_string(),
            comes_back("evt_r1", "posted", [55_500, 5_500, 3, 50]),
            comes_back("evt_r2", "posted", [55_500, 5_500, 4, 50]),
        ];
        if there > 0 {
            records.insert(0, adjusted("evt_given", there, "adjust"));
        }
        assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
        let mut moved = Vec::new();
        for event_id in ["evt_1", "evt_r1", "evt_r2"] {
            moved.push(posted(&server, event_id).await[0]);
        }
        assert_eq!(moved, [released - 7, 3 - first, 4 - second], "{there}");
        balanced(&server, &server.admin().await).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_that_is_full_holds_no_sale_up() {
    let server = server("expense").await;
    let mut shop = Shop::open(&server, "S001").await;
    let most = domain::model::base::limits::FIGURE_MAX;
    // Another day, because the sums of one day are limited too.
    let first = sold(1, 0, most - 200_000).to_string().replace(DAY, "2023-11-19");
    let records = vec![first, sold(2, 0, 300_000).to_string().replace("mbr_1", "mbr_2")];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    assert_eq!(pool(&server).await, (most, most));
    assert_eq!(posted(&server, "evt_2").await, [-200_000, 0, 200_000], "the excess is cut on both sides");
}
