//! The part of the accountant's story that stores' events and openings cover: three days of two stores, entry by entry,
//! and the trial balance to the unit.

use crate::office::finance::{sold, tells};
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, moved_cash, record, returned};
use crate::sync::records::{DAY, NOON, receiving, shift_closed};
use serde_json::{Value, json};

/// Returns a record moved to this store and this day of November 2026.
fn on(store: &str, day: u8, record: &str) -> String {
    let record = record.replace(DAY, &format!("2026-11-{day}"));
    record.replace("\"S001\"", &format!("\"{store}\"")).replace("\"S001-main", &format!("\"{store}-main"))
}

/// Returns a sale of one line with a tax of 11 %: gross, discount, tax, cost.
fn sale(number: u64, contained: bool, line: [i64; 4], payment: (&str, i64, i64)) -> String {
    let [gross, discount, tax, cost] = line;
    sold(&format!("evt_m{number}"), contained, &[[gross, discount, tax, 1_100, cost]], &[payment])
}

/// Returns a shift of one day: opened, or closed with its expected and counted amounts.
fn shift(store: &str, day: u8, counted: Option<[i64; 2]>) -> String {
    let event_id = format!("evt_{store}_{day}_{}", if counted.is_some() { "z" } else { "open" });
    let mut whole: Value =
        serde_json::from_str(&shift_closed("S001", &format!("shf_{store}_{day}"), &event_id)).unwrap();
    let shift = &mut whole["payload"]["shift"];
    shift["opening_float"] = json!(200_000);
    match counted {
        Some([expected, counted]) => {
            (shift["expected_cash"], shift["counted_cash"]) = (json!(expected), json!(counted));
        }
        None => {
            whole["type"] = json!("shift.opened");
            whole["payload"]["shift"]["state"] = json!("open");
        }
    }
    on(store, day, &whole.to_string())
}

/// Returns a return of the sale with that number: refund, tax, cost.
fn back(number: u64, [refund, tax, cost]: [i64; 3], method: &str, disposition: &str) -> String {
    let mut document = returned(&format!("ret_{number}"), &format!("trx_S001_{number}"), "posted");
    document["receipt_no"] = json!(format!("S001-main-{:08}", 100 + number));
    let item = &mut document["items"][0];
    (item["refund"], item["tax"], item["cost"]) = (json!(refund), json!(tax), json!(cost));
    item["disposition"] = json!(disposition);
    (document["refunds"][0]["method"], document["refunds"][0]["amount"]) = (json!(method), json!(refund));
    let lines = if disposition == "restock" { json!([effect(1, 4, cost)]) } else { json!([]) };
    let payload = json!({"business_date": DAY, "document": document, "lines": lines, "points": []});
    record("return.posted", &format!("evt_ret_{number}"), &payload)
}

fn first_stock(sku: &str, qty: i64, cost: i64) -> String {
    let movement = json!({"movement_id": "mov_1", "sku": sku, "qty": qty, "cost": cost, "correction": 0,
        "balance_after": qty, "reason": "opening", "reference_type": "opening", "reference_id": "imp_1", "line_no": 1,
        "unit_cost": cost / qty, "user_id": "usr_1", "at": NOON, "negative": false});
    let payload =
        json!({"store_id": "S001", "business_date": DAY, "part": 1, "parts": 1, "movements": [movement]});
    record("stock.moved", "evt_stock", &payload)
}

fn receipt() -> String {
    let mut whole: Value = serde_json::from_str(&receiving("S001", "A", 96, "evt_rcv")).unwrap();
    let line = &mut whole["payload"]["receiving"]["lines"][0];
    (line["rejected_qty"], line["unit_cost"], line["cost"]) = (json!(4), json!(9_000), json!(864_000));
    whole.to_string()
}

fn bag() -> String {
    let deposit = json!({"deposit_id": "dep_1", "amount": 250_000, "reverses": null, "reason": null, "bag_no": "B-17",
        "bank_account": "x", "deposited_at": NOON, "business_date": DAY, "user_id": "usr_1", "at": NOON});
    record("cash.deposited", "evt_bag", &json!({"business_date": DAY, "deposit": deposit}))
}

pub fn tea() -> Vec<String> {
    let of = |day: u8, record: String| on("S001", day, &record);
    vec![
        of(18, first_stock("A", 20, 168_000)),
        of(18, receipt()),
        shift("S001", 18, None),
        of(18, sale(1, false, [45_000, 0, 4_950, 26_690], ("cash", 49_950, 50))),
        of(18, sale(2, false, [150_000, 10_000, 15_400, 88_965], ("card", 155_400, 0))),
        shift("S001", 18, Some([250_000, 249_000])),
        shift("S001", 19, None),
        of(19, sale(5, false, [300_000, 0, 33_000, 177_931], ("card", 333_000, 0))),
        of(19, sale(6, false, [75_000, 0, 8_250, 44_483], ("card", 83_250, 0))),
        of(19, back(2, [62_160, 6_160, 35_586], "card", "restock")),
        shift("S001", 19, Some([200_000, 200_000])),
        shift("S001", 20, None),
        of(20, sale(8, false, [150_000, 0, 16_500, 88_965], ("cash", 166_500, 0))),
        shift("S001", 20, Some([366_500, 366_500])),
        of(20, bag()),
    ]
}

pub fn pots() -> Vec<String> {
    let of = |day: u8, record: String| on("S002", day, &record);
    vec![
        of(18, first_stock("B", 50, 4_000_000)),
        shift("S002", 18, None),
        of(18, sale(3, true, [222_000, 0, 22_000, 160_000], ("card", 222_000, 0))),
        of(18, sale(4, true, [111_000, 0, 11_000, 80_000], ("qris", 111_000, 0))),
        shift("S002", 18, Some([200_000, 200_000])),
        shift("S002", 19, None),
        of(19, sale(7, true, [333_000, 33_300, 29_700, 240_000], ("cash", 299_700, 0))),
        of(19, back(4, [111_000, 11_000, 80_000], "qris", "damaged")),
        of(19, moved_cash("csh_parking", "pay_out", 15_000)),
        of(19, moved_cash("csh_drop", "drop", 200_000)),
        shift("S002", 19, Some([284_700, 285_000])),
        shift("S002", 20, None),
        of(20, sale(9, true, [111_000, 0, 11_000, 80_000], ("cash", 111_000, 0))),
        of(20, sale(10, true, [222_000, 0, 22_000, 160_000], ("card", 222_000, 0))),
        shift("S002", 20, Some([311_000, 311_000])),
    ]
}

/// Returns the entries of a book in order, `day: account amount, …`, credit below 0.
async fn entries(api: &Api, book: &str) -> Vec<String> {
    let journal = api.get(&format!("/api/finance/journal?store_id={book}&limit=500")).await.data().clone();
    let mut items = journal["items"].as_array().unwrap().clone();
    items.sort_by_key(|entry| entry["entry_no"].as_i64());
    let mut reported = Vec::new();
    for entry in items {
        let path = format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap());
        let lines = api.get(&path).await.data()["lines"].as_array().unwrap().clone();
        let line = |line: &Value| {
            let amount = line["debit"].as_i64().unwrap() - line["credit"].as_i64().unwrap();
            format!("{} {amount}", line["account"].as_str().unwrap())
        };
        let day = entry["entry_date"].as_str().unwrap().trim_start_matches("2026-11-").to_owned();
        reported.push(format!("{day}: {}", lines.iter().map(line).collect::<Vec<_>>().join(", ")));
    }
    reported
}

#[tokio::test(flavor = "multi_thread")]
async fn the_accountants_story_is_posted_row_by_row_to_the_unit() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    for (book, account, amount) in
        [("", "1040", 20_000_000), ("S001", "1020", 1_000_000), ("S002", "1020", 1_000_000)]
    {
        let lines = json!([{"account": account, "debit": amount, "credit": 0}]);
        let body = json!({"store_id": book, "date": "2023-11-18", "lines": lines});
        admin.post("/api/finance/opening", &body).await.data();
    }
    assert_eq!(tells(&mut one, tea()).await["parked"], json!([]));
    assert_eq!(tells(&mut two, pots()).await["parked"], json!([]));
    assert_eq!(
        entries(&admin, "S001").await,
        [
            "2023-11-18: 1020 1000000, 3010 -1000000",
            "18: 1210 168000, 3010 -168000",
            "18: 1210 864000, 2020 -864000",
            "18: 1010 200000, 1020 -200000",
            "18: 1010 50000, 1210 -26690, 2030 -4950, 4010 -45000, 5010 26690, 6020 -50",
            "18: 1110 155400, 1210 -88965, 2030 -15400, 4010 -150000, 4020 10000, 5010 88965",
            "18: 1010 -250000, 1020 249000, 6010 1000",
            "19: 1010 200000, 1020 -200000",
            "19: 1110 333000, 1210 -177931, 2030 -33000, 4010 -300000, 5010 177931",
            "19: 1110 83250, 1210 -44483, 2030 -8250, 4010 -75000, 5010 44483",
            "19: 1110 -62160, 1210 35586, 2030 6160, 4030 56000, 5010 -35586",
            "19: 1010 -200000, 1020 200000",
            "20: 1010 200000, 1020 -200000",
            "20: 1010 166500, 1210 -88965, 2030 -16500, 4010 -150000, 5010 88965",
            "20: 1010 -366500, 1020 366500",
            "20: 1020 -250000, 1030 250000",
        ]
    );
    assert_eq!(
        entries(&admin, "S002").await,
        [
            "2023-11-18: 1020 1000000, 3010 -1000000",
            "18: 1210 4000000, 3010 -4000000",
            "18: 1010 200000, 1020 -200000",
            "18: 1110 222000, 1210 -160000, 2030 -22000, 4010 -200000, 5010 160000",
            "18: 1120 111000, 1210 -80000, 2030 -11000, 4010 -100000, 5010 80000",
            "18: 1010 -200000, 1020 200000",
            "19: 1010 200000, 1020 -200000",
            "19: 1010 299700, 1210 -240000, 2030 -29700, 4010 -300000, 4020 30000, 5010 240000",
            "19: 1120 -111000, 1230 80000, 2030 11000, 4030 100000, 5010 -80000",
            "19: 1010 -15000, 6050 15000",
            "19: 1010 -200000, 1020 200000",
            "19: 1010 -284700, 1020 285000, 6010 -300",
            "20: 1010 200000, 1020 -200000",
            "20: 1010 111000, 1210 -80000, 2030 -11000, 4010 -100000, 5010 80000",
            "20: 1110 222000, 1210 -160000, 2030 -22000, 4010 -200000, 5010 160000",
            "20: 1010 -311000, 1020 311000",
        ]
    );
    // The entries of the story's invoice and settlements are not included.
    let balance = admin.get("/api/finance/trial-balance?date=2026-11-20").await.data().clone();
    let row = |row: &Value| {
        json!([row["account"], row["debit"].as_i64().unwrap() - row["credit"].as_i64().unwrap()])
    };
    let rows: Vec<Value> = balance["items"].as_array().unwrap().iter().map(row).collect();
    assert_eq!(
        json!(rows),
        json!([
            ["1020", 2_361_500],
            ["1030", 250_000],
            ["1040", 20_000_000],
            ["1110", 953_490],
            ["1210", 3_920_552],
            ["1230", 80_000],
            ["2020", -864_000],
            ["2030", -156_640],
            ["3010", -26_168_000],
            ["4010", -1_620_000],
            ["4020", 40_000],
            ["4030", 156_000],
            ["5010", 1_031_448],
            ["6010", 700],
            ["6020", -50],
            ["6050", 15_000]
        ])
    );
    assert_eq!((&balance["total_debit"], &balance["total_credit"]), (&json!(28_808_690), &json!(28_808_690)));
    assert_eq!(server.figure("SELECT COUNT(*) FROM exceptions").await, 0);
    assert!(server.place.run(&["verify"], "").status.success());
}
