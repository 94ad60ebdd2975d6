//! The books: pushed records are posted once, the entries balance, and each figure leads back to its document.

use crate::support::server::{Api, Server, stderr, stdout};
use crate::support::shop::{Chain, Shop};
use crate::sync::kinds::{effect, moved_cash, record, voided};
use crate::sync::records::{DAY, NOON, Sale, receiving, shift_closed};
use domain::wire::sync::PUSH_EVENTS_MAX;
use serde_json::{Value, json};

/// Returns a sale of these lines (gross, discount, tax, rate, cost) with these payments (method, amount, rounding).
pub fn sold(event_id: &str, contained: bool, lines: &[[i64; 5]], payments: &[(&str, i64, i64)]) -> String {
    let number: u64 = event_id.trim_start_matches("evt_m").parse().unwrap();
    let sale = Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let mut whole: Value = serde_json::from_str(&sale.record(event_id)).unwrap();
    let (line, paid) = (whole["payload"]["transaction"]["items"][0].clone(), &mut whole["payload"]);
    let item = |(place, [gross, discount, tax, rate, cost]): (usize, &[i64; 5])| {
        let mut item = line.clone();
        let total = if contained { gross - discount } else { gross - discount + tax };
        for (name, figure) in [
            ("line_no", place as i64 + 1),
            ("price", *gross),
            ("list_price", *gross),
            ("discount", *discount),
            ("tax", *tax),
            ("tax_rate_bp", *rate),
            ("cost", *cost),
            ("total", total),
        ] {
            item[name] = json!(figure);
        }
        item
    };
    let payment = |(place, (method, amount, rounding)): (usize, &(&str, i64, i64))| {
        json!({"payment_id": format!("pay_{number}_{place}"), "method": method, "amount": amount, "tendered": amount,
            "change": 0, "rounding": rounding, "reference": null, "state": "accepted", "origin": null, "paid_at": NOON})
    };
    paid["transaction"]["prices_include_tax"] = json!(contained);
    paid["transaction"]["items"] = lines.iter().enumerate().map(item).collect();
    paid["transaction"]["payments"] = payments.iter().enumerate().map(payment).collect();
    paid["lines"] = lines.iter().zip(1..).map(|(line, line_no)| effect(line_no, -1, -line[4])).collect();
    whole.to_string()
}

/// Returns `(event, record, lines)` of M1 to M6.
fn sales() -> Vec<(String, Value)> {
    let one = [[100_000, 10_000, 9_900, 1_100, 60_000]];
    let plain = |gross| [[gross, 0, 9_900, 1_100, 60_000]];
    let odd = [[90_036, 0, 9_904, 1_100, 60_000]];
    let two = [[50_000, 0, 5_500, 1_100, 30_000], [20_000, 0, 0, 0, 15_000]];
    let contained = [[111_000, 11_100, 9_900, 1_100, 60_000]];
    vec![
        (
            sold("evt_m1", false, &one, &[("cash", 99_900, 0)]),
            json!([
                ["1010", 99900, 0],
                ["1210", 0, 60000],
                ["2030", 0, 9900],
                ["4010", 0, 100000],
                ["4020", 10000, 0],
                ["5010", 60000, 0]
            ]),
        ),
        (
            sold("evt_m2", true, &contained, &[("card", 99_900, 0)]),
            json!([
                ["1110", 99900, 0],
                ["1210", 0, 60000],
                ["2030", 0, 9900],
                ["4010", 0, 100000],
                ["4020", 10000, 0],
                ["5010", 60000, 0]
            ]),
        ),
        (
            sold(
                "evt_m3",
                false,
                &plain(90_000),
                &[("card", 40_000, 0), ("qris", 35_000, 0), ("voucher", 10_000, 0), ("cash", 14_900, 0)],
            ),
            json!([
                ["1010", 14900, 0],
                ["1110", 40000, 0],
                ["1120", 35000, 0],
                ["1140", 10000, 0],
                ["1210", 0, 60000],
                ["2030", 0, 9900],
                ["4010", 0, 90000],
                ["5010", 60000, 0]
            ]),
        ),
        (
            sold("evt_m4", false, &odd, &[("cash", 99_940, 60)]),
            json!([
                ["1010", 100000, 0],
                ["1210", 0, 60000],
                ["2030", 0, 9904],
                ["4010", 0, 90036],
                ["5010", 60000, 0],
                ["6020", 0, 60]
            ]),
        ),
        (
            sold("evt_m5", false, &odd, &[("card", 50_000, 0), ("cash", 49_940, -40)]),
            json!([
                ["1010", 49900, 0],
                ["1110", 50000, 0],
                ["1210", 0, 60000],
                ["2030", 0, 9904],
                ["4010", 0, 90036],
                ["5010", 60000, 0],
                ["6020", 40, 0]
            ]),
        ),
        (
            sold("evt_m6", false, &two, &[("bank_transfer", 75_500, 0)]),
            json!([
                ["1130", 75500, 0],
                ["1210", 0, 45000],
                ["2030", 0, 5500],
                ["4010", 0, 70000],
                ["5010", 45000, 0]
            ]),
        ),
    ]
}

pub async fn tells(shop: &mut Shop, records: Vec<String>) -> Value {
    let from = shop.chain().records.len() + 1;
    records.into_iter().for_each(|record| shop.chain().append(record));
    let to = shop.chain().records.len();
    assert!(to - from < PUSH_EVENTS_MAX);
    shop.push(&shop.batch(from, to)).await.data().clone()
}

/// Returns the lines of the entry with this key as `[account, debit, credit]`, or null without such an entry.
pub async fn lines(api: &Api, book: &str, cause_key: &str) -> Value {
    let journal = api.get(&format!("/api/finance/journal?store_id={book}&limit=500")).await;
    let entries = journal.data()["items"].as_array().unwrap().clone();
    let Some(entry) = entries.iter().find(|entry| entry["cause_key"] == cause_key) else {
        return Value::Null;
    };
    let path = format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap());
    let entry = api.get(&path).await.data().clone();
    let line = |line: &Value| json!([line["account"], line["debit"], line["credit"]]);
    assert_eq!(entry["source"]["business_date"], DAY, "as the store reported it");
    entry["lines"].as_array().unwrap().iter().map(line).collect()
}

/// Asserts that trial balances are 0 and that every check of the books succeeds.
pub async fn balanced(server: &Server, api: &Api) {
    for book in ["", "&store_id=S001", "&store_id=S002"] {
        let balance = api.get(&format!("/api/finance/trial-balance?date={DAY}{book}")).await.data().clone();
        assert_eq!(balance["total_debit"], balance["total_credit"], "{book}: {balance}");
    }
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}{}", stdout(&verified), stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_by_each_method_posts_its_row_once_whatever_is_sent_again() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let records: Vec<String> = sales().into_iter().map(|(record, _)| record).collect();
    assert_eq!(tells(&mut shop, records.clone()).await["parked"], json!([]));
    for (place, (_, expected)) in sales().iter().enumerate() {
        let event_id = format!("evt_m{}", place + 1);
        assert_eq!(&lines(&admin, "S001", &event_id).await, expected, "{event_id}");
    }
    let path = format!("/api/finance/trial-balance?date={DAY}");
    let before = admin.get(&path).await.data().clone();
    let cash = json!({"account": "1010", "name": "Cash in tills", "debit": 264_700, "credit": 0,
        "opening_debit": null, "opening_credit": null, "moved_debit": null, "moved_credit": null});
    assert_eq!(before["items"][0], cash);
    assert_eq!(before["completeness"]["stores_expected"], 1);
    let since = admin.get(&format!("{path}&from={DAY}")).await.data()["items"][0].clone();
    assert_eq!((&since["opening_debit"], &since["moved_debit"]), (&json!(0), &json!(264_700)));
    let empty = admin.get("/api/finance/trial-balance?date=2023-11-19").await;
    assert_eq!(empty.data()["items"], json!([]), "the day before");
    let empty = admin.get(&format!("{path}&head_office=true")).await;
    assert_eq!(empty.data()["items"], json!([]), "head office's own book");
    // The batch is pushed again, and then the whole history in another epoch.
    shop.push(&shop.batch(1, 6)).await.data();
    shop.chains.push(Chain::new("2-00000000000000bb"));
    shop.hello().await.data();
    assert_eq!(tells(&mut shop, records).await["duplicates"], 6);
    assert_eq!(admin.get(&path).await.data()["items"], before["items"]);
    assert_eq!(server.figure("SELECT COUNT(*) FROM journal").await, 6);
    assert_eq!(server.figure("SELECT MAX(entry_no) FROM journal").await, 6);
    assert_eq!(server.figure("SELECT COUNT(*) FROM exceptions").await, 0);
    balanced(&server, &admin).await;
    // `verify` names each entry that does not agree with the records, even if the sums of the day are the same.
    for sql in [
        "UPDATE journal SET cause_key = 'x' WHERE cause_key = 'evt_m1'",
        "UPDATE journal SET cause_key = 'evt_m1' WHERE cause_key = 'evt_m2'",
        "UPDATE journal SET cause_key = 'evt_m2' WHERE cause_key = 'x'",
        "DELETE FROM settlement_items WHERE method = 'bank_transfer'",
    ] {
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    }
    let verified = server.place.run(&["verify"], "");
    let text = stderr(&verified);
    let of = |event_id: &str| text.contains(&format!(" of {event_id} is {DAY} · 1"));
    assert_eq!(["evt_m1", "evt_m2", "evt_m4"].map(of), [true, true, false], "{text}");
    assert!(text.contains(" is missing, but its record gives ") && text.contains("items is "), "{text}");
}

pub fn shift(kind: &str, event_id: &str) -> String {
    let mut whole: Value = serde_json::from_str(&shift_closed("S001", "shf_1", event_id)).unwrap();
    whole["type"] = json!(kind);
    if kind == "shift.opened" {
        whole["payload"]["shift"]["state"] = json!("open");
        return whole.to_string();
    }
    whole["payload"]["shift"]["recounts"] = json!([{"before": 51_000, "counted_cash": 51_110, "variance": 0,
        "reason": "r", "business_date": DAY, "user_id": "usr_1", "at": NOON}]);
    whole.to_string()
}

pub fn transfer(kind: &str, event_id: &str, moved: i64, resolved: &Value) -> String {
    let (state, received) = match kind {
        "transfer.sent" => ("in_transit", None),
        "transfer.cancelled" => ("cancelled", None),
        _ => ("received", Some(7)),
    };
    let transfer = json!({"transfer_id": "trf_1", "state": state, "from_store_id": "S001",
        "to_store_id": "S002", "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 10, "cost": 100,
            "received_qty": received, "in_cost": received.unwrap_or(0) * 10, "resolved": resolved}],
        "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON, "sent_at": NOON,
        "received_by": null, "received_at": null, "cancelled_at": null, "cancel_lost": false});
    let lines = if moved == 0 { json!([]) } else { json!([effect(1, moved, moved * 10)]) };
    record(kind, event_id, &json!({"business_date": DAY, "transfer": transfer, "lines": lines}))
}

/// Returns movements without a document: the opening stock, and one without an explanation.
fn stock_moved() -> String {
    let movement = |reason: &str, cost: i64| {
        json!({"movement_id": format!("mov_{reason}"), "sku": "A", "qty": cost / 10, "cost": cost, "correction": 0,
            "balance_after": 0, "reason": reason, "reference_type": "opening", "reference_id": "imp_1", "line_no": 1,
            "unit_cost": 10, "user_id": "usr_1", "at": NOON, "negative": false})
    };
    let movements = [movement("opening", 5_000), movement("adjustment", -700)];
    record(
        "stock.moved",
        "evt_stock",
        &json!({"store_id": "S001", "business_date": DAY, "part": 1, "parts": 1,
        "movements": movements}),
    )
}

pub fn adjustment(event_id: &str, state: &str, value: i64) -> String {
    let lines = if state == "posted" { json!([effect(1, value / 10, value)]) } else { json!([]) };
    record(
        "adjustment.posted",
        event_id,
        &json!({"business_date": DAY, "adjustment":
        {"adjustment_id": event_id, "state": state, "store_id": "S001", "reason": "theft", "bucket": "on_hand",
        "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": value / 10, "cost": value, "correction": 0,
            "balance_after": 7}],
        "value": value, "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON,
        "decided_by": null, "decided_at": null}, "lines": lines}),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_that_moves_money_or_goods_posts_its_row() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let sale = |number, qty| Sale { store: "S001", number, shift: "shf_1", sku: "A", qty, price: 1000 };
    let deposit = json!({"deposit_id": "dep_1", "amount": 1_500, "reverses": null, "reason": null,
        "bag_no": "B1", "bank_account": "x", "deposited_at": NOON, "business_date": DAY, "user_id": "usr_1", "at": NOON});
    let mut reversed: Value = serde_json::from_str(&receiving("S001", "A", 10, "evt_rcv")).unwrap();
    (reversed["type"], reversed["event_id"]) = (json!("receiving.reversed"), json!("evt_rcv_back"));
    reversed["payload"]["receiving"]["state"] = json!("reversed");
    reversed["payload"]["lines"] = json!([effect(1, -10, -90)]);
    let sent_back = json!({"supplier_return_id": "srt_1", "store_id": "S001", "supplier_id": "sup_1",
        "reference": null, "bucket": "on_hand", "lines": [{"line_no": 1, "sku": "A", "name": "Thing", "qty": 2,
            "claim": 25, "stock_cost": 20, "balance_after": 5}],
        "claim": 25, "stock_cost": 20, "note": null, "business_date": DAY, "created_by": "usr_1", "created_at": NOON});
    let part = |resolution: &str, qty: i64| {
        json!({"resolution": resolution, "qty": qty, "cost": qty * 10,
        "user_id": "usr_1", "at": NOON})
    };
    let settled = json!([part("found_at_source", 2), part("lost", 1)]);
    let reported = tells(
        &mut one,
        vec![
            shift("shift.opened", "evt_open"),
            sale(1, 3).record("evt_sale"),
            voided(1, 3),
            sale(2, 1).record("evt_sale2").replace("trx_S001_2", "trx_S001_1b"),
            moved_cash("csh_in", "pay_in", 500),
            moved_cash("csh_out", "pay_out", 200),
            moved_cash("csh_drop", "drop", 300),
            moved_cash("csh_none", "no_sale", 0),
            record("cash.deposited", "evt_bank", &json!({"business_date": DAY, "deposit": deposit})),
            shift("shift.closed", "evt_close"),
            shift("shift.recounted", "evt_again"),
            receiving("S001", "A", 10, "evt_rcv"),
            reversed.to_string(),
            record(
                "supplier_return.posted",
                "evt_srt",
                &json!({"business_date": DAY, "document": sent_back}),
            ),
            adjustment("evt_adj", "posted", -250),
            adjustment("evt_no", "rejected", -250),
            stock_moved(),
            transfer("transfer.sent", "evt_sent", -10, &json!([])),
        ],
    )
    .await;
    assert_eq!(reported["parked"], json!([]));
    tells(&mut two, vec![transfer("transfer.received", "evt_arrived", 7, &json!([]))]).await;
    tells(&mut one, vec![transfer("transfer.resolved", "evt_settled", 2, &settled)]).await;
    for (book, cause_key, expected) in [
        ("S001", "evt_open", json!([["1010", 50000, 0], ["1020", 0, 50000]])),
        (
            "S001",
            "evt_void_1",
            json!([["1010", 0, 3330], ["1210", 30, 0], ["2030", 330, 0], ["4010", 3000, 0], ["5010", 0, 30]]),
        ),
        ("S001", "csh_in", json!([["1010", 500, 0], ["7010", 0, 500]])),
        ("S001", "csh_out", json!([["1010", 0, 200], ["6050", 200, 0]])),
        ("S001", "csh_drop", json!([["1010", 0, 300], ["1020", 300, 0]])),
        ("S001", "csh_none", Value::Null),
        ("S001", "evt_bank", json!([["1020", 0, 1500], ["1030", 1500, 0]])),
        ("S001", "evt_close", json!([["1010", 0, 51110], ["1020", 51000, 0], ["6010", 110, 0]])),
        ("S001", "evt_again", json!([["1020", 110, 0], ["6010", 0, 110]])),
        ("S001", "evt_rcv", json!([["1210", 100, 0], ["2020", 0, 100]])),
        ("S001", "evt_rcv_back", json!([["1210", 0, 90], ["2020", 100, 0], ["5030", 0, 10]])),
        ("S001", "evt_srt", json!([["1210", 0, 20], ["2020", 25, 0], ["5030", 0, 5]])),
        ("S001", "evt_adj", json!([["1210", 0, 250], ["5110", 250, 0]])),
        ("S001", "evt_no", Value::Null),
        ("S001", "evt_stock", json!([["1210", 4300, 0], ["3010", 0, 5000], ["5130", 700, 0]])),
        ("S001", "evt_sent", json!([["1210", 0, 100], ["1220", 100, 0]])),
        ("S001", "evt_arrived#sender", json!([["1220", 0, 70], ["1290", 70, 0]])),
        ("S002", "evt_arrived", json!([["1210", 70, 0], ["1290", 0, 70]])),
        ("S001", "evt_settled", json!([["1210", 20, 0], ["1220", 0, 30], ["5140", 10, 0]])),
    ] {
        assert_eq!(lines(&admin, book, cause_key).await, expected, "{cause_key}");
    }
    let stock = "SELECT CAST(SUM(value) AS BIGINT) FROM stock";
    let books = "SELECT CAST(SUM(debit - credit) AS BIGINT) FROM ledger_days WHERE account = '1210'";
    assert_eq!(server.figure(books).await, server.figure(stock).await, "inventory is the stock's value");
    let unexplained = admin.get("/api/exceptions?code=unexplained_movement").await.data()["items"].clone();
    assert_eq!(
        (&unexplained[0]["event_id"], &unexplained[0]["details"]["amount"]),
        (&json!("evt_stock"), &json!(-700))
    );
    let between = "SELECT CAST(SUM(debit - credit) AS BIGINT) FROM ledger_days WHERE account = '1290'";
    assert_eq!(server.figure(between).await, 0);
    balanced(&server, &admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_that_do_not_agree_are_posted_and_reported() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let short = sold("evt_m1", false, &[[1000, 0, 110, 1100, 10]], &[("cash", 1000, 0)]);
    let mut dear: Value =
        serde_json::from_str(&sold("evt_m2", false, &[[1000, 0, 110, 1100, 10]], &[("cash", 1110, 0)]))
            .unwrap();
    dear["payload"]["lines"][0]["cost"] = json!(-15);
    assert_eq!(tells(&mut shop, vec![short, dear.to_string()]).await["parked"], json!([]));
    assert_eq!(
        lines(&admin, "S001", "evt_m1").await,
        json!([
            ["1010", 1000, 0],
            ["1210", 0, 10],
            ["2030", 0, 110],
            ["4010", 0, 1000],
            ["5010", 10, 0],
            ["9990", 110, 0]
        ])
    );
    assert_eq!(
        lines(&admin, "S001", "evt_m2").await,
        json!([
            ["1010", 1110, 0],
            ["1210", 0, 15],
            ["2030", 0, 110],
            ["4010", 0, 1000],
            ["5010", 10, 0],
            ["5130", 5, 0]
        ])
    );
    for (code, event_id, amount) in
        [("entry_unbalanced", "evt_m1", 110), ("stock_value_differs", "evt_m2", -5)]
    {
        let found = admin.get(&format!("/api/exceptions?code={code}")).await.data()["items"].clone();
        assert_eq!((&found[0]["event_id"], found.as_array().unwrap().len()), (&json!(event_id), 1));
        assert_eq!(found[0]["details"]["amount"], amount);
    }
    balanced(&server, &admin).await;
}
