//! Settlement: a file of a provider and one of a bank, for two stores and two days, with every figure.

use crate::office::finance::{sold, tells};
use crate::office::settlement::matches::proved;
use crate::office::settlement::resolved::resolved;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{record, returned};
use crate::sync::records::{DAY, NOON};
use domain::rules::books::settlement::exception::Resolution;
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The day of the whole run, even if it passes midnight.
static TODAY: LazyLock<Date> =
    LazyLock::new(|| edge::clock::now().timestamp().to_zoned(jiff::tz::TimeZone::UTC).date());

/// Returns a day of the story. The 18th is five days ago, because statements must be recent.
pub fn day(of: i8) -> Date {
    TODAY.checked_sub(i32::from(23 - of).days()).unwrap()
}

/// Returns a file of November 2026 with the days of the story.
pub fn of_story(file: &str) -> String {
    (15..=23).fold(file.to_owned(), |text, of| text.replace(&format!("2026-11-{of}"), &day(of).to_string()))
}

/// Returns a record moved to this store and this day.
pub fn on(store: &str, of: i8, record: &str) -> String {
    let record = record.replace(DAY, &day(of).to_string());
    record.replace("\"S001\"", &format!("\"{store}\"")).replace("\"S001-main", &format!("\"{store}-main"))
}

/// Returns a sale without tax, with this payment and the number of its slip.
pub fn paid(store: &str, of: i8, number: u64, (method, amount, reference): (&str, i64, &str)) -> String {
    let lines = [[amount, 0, 0, 0, 0]];
    let mut whole: Value =
        serde_json::from_str(&sold(&format!("evt_m{number}"), true, &lines, &[(method, amount, 0)])).unwrap();
    let payment = &mut whole["payload"]["transaction"]["payments"][0];
    (payment["payment_id"], payment["reference"]) = (json!(format!("pay_{number}")), json!(reference));
    on(store, of, &whole.to_string())
}

/// Returns a refund with the number of its slip.
pub fn refunded(store: &str, of: i8, number: u64, (method, amount, reference): (&str, i64, &str)) -> String {
    let mut document = returned(&format!("ret_{number}"), &format!("trx_S001_{number}"), "posted");
    document["receipt_no"] = json!(format!("S001-main-{:08}", 100 + number));
    let item = &mut document["items"][0];
    (item["refund"], item["tax"], item["cost"]) = (json!(amount), json!(0), json!(0));
    item["disposition"] = json!("restock");
    let refund = &mut document["refunds"][0];
    (refund["method"], refund["amount"], refund["reference"]) =
        (json!(method), json!(amount), json!(reference));
    let payload = json!({"business_date": DAY, "document": document, "lines": [], "points": []});
    on(store, of, &record("return.posted", &format!("evt_ret_{number}"), &payload))
}

pub fn sealed(store: &str, of: i8) -> String {
    let seal =
        json!({"business_date": DAY, "shift_ids": [], "sealed_by": null, "sealed_at": NOON, "reason": null});
    on(store, of, &record("day.sealed", &format!("evt_seal_{store}_{of}"), &seal))
}

fn tea() -> Vec<String> {
    vec![
        paid("S001", 18, 2, ("card", 155_400, "C-1001")),
        sealed("S001", 18),
        paid("S001", 19, 5, ("card", 333_000, "C-1002")),
        paid("S001", 19, 6, ("card", 83_250, "C-1003")),
        refunded("S001", 19, 2, ("card", 62_160, "R-1001")),
        sealed("S001", 19),
    ]
}

fn pots() -> Vec<String> {
    vec![
        paid("S002", 18, 3, ("card", 222_000, "C-2001")),
        paid("S002", 18, 4, ("qris", 111_000, "Q-2001")),
        sealed("S002", 18),
        refunded("S002", 19, 4, ("qris", 111_000, "")),
        sealed("S002", 19),
    ]
}

fn card_file() -> String {
    let date = day(20).strftime("%d/%m/%Y");
    format!(
        "\u{feff}Tanggal;Referensi;Bruto;Biaya;Batch\r\n{date};C-1001;155.400;2.331;77\r\n\
         {date};C-2001;222.000;3.330;77\r\n{date};C-1002;333.000;4.995;77\r\n{date};R-1001;-62.160;0;77\r\n"
    )
}

pub async fn added(api: &Api, source: &Value) -> String {
    let source = api.post("/api/statement-sources", source).await;
    source.data()["source_id"].as_str().unwrap().to_owned()
}

pub async fn card_source(api: &Api) -> String {
    let columns = json!({"date": "tanggal", "reference": "referensi", "amount": "bruto", "fee": "biaya"});
    let csv = json!({"date_format": "%d/%m/%Y", "columns": columns});
    let source =
        json!({"name": "Cards", "kind": "provider", "methods": ["card"], "fee_rate_bp": 150, "csv": csv});
    added(api, &source).await
}

/// Returns the settlement of a store's day.
pub async fn settlement(api: &Api, store: &str, of: i8) -> Value {
    let date = day(of);
    let path = format!("/api/settlements?store_id={store}&from={date}&to={date}");
    let listed = api.get(&path).await.data().clone();
    assert_eq!(listed["completeness"]["stores_expected"], json!(1), "{listed}");
    let row = &listed["items"][0];
    let path = format!("/api/settlements/{}", row["settlement_id"].as_str().unwrap());
    let detail = api.get(&path).await.data().clone();
    // The list shows the sums before and after the approval.
    let sum = |name: &str| -> i64 {
        detail["by_method"].as_array().unwrap().iter().map(|of| of[name].as_i64().unwrap()).sum()
    };
    let figures = [sum("expected").into(), sum("open").into(), detail["fee"].clone(), detail["net"].clone()];
    assert_eq!(
        ["expected", "open", "fee", "net"].map(|name| row[name].clone()),
        figures,
        "{listed} {detail}"
    );
    assert_eq!(row["exceptions_open"], detail["exceptions"]["open"]);
    detail
}

pub async fn approved(api: &Api, store: &str, of: i8) -> Value {
    let id = settlement(api, store, of).await["settlement_id"].as_str().unwrap().to_owned();
    api.post(&format!("/api/settlements/{id}/approve"), &json!({})).await.data().clone()
}

/// Returns the entries of settlements in a book, `account amount`, credit below 0, in order.
pub async fn posted(api: &Api, store: &str) -> Vec<String> {
    let path = format!("/api/finance/journal?store_id={store}&kind=settlement&limit=500");
    let mut entries = api.get(&path).await.data()["items"].as_array().unwrap().clone();
    entries.sort_by_key(|entry| entry["entry_no"].as_i64());
    let mut reported = Vec::new();
    for entry in entries {
        let path = format!("/api/finance/journal/{}", entry["entry_id"].as_str().unwrap());
        let lines = api.get(&path).await.data()["lines"].as_array().unwrap().clone();
        let line = |line: &Value| {
            let amount = line["debit"].as_i64().unwrap() - line["credit"].as_i64().unwrap();
            format!("{} {amount}", line["account"].as_str().unwrap())
        };
        reported.push(lines.iter().map(line).collect::<Vec<_>>().join(", "));
    }
    reported
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_and_a_bank_settle_two_stores_and_two_days() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    assert_eq!(tells(&mut one, tea()).await["parked"], json!([]));
    assert_eq!(tells(&mut two, pots()).await["parked"], json!([]));
    let card = card_source(&admin).await;
    let bank = json!({"name": "Bank", "kind": "bank", "methods": ["qris"], "fee_rate_bp": 70});
    let bank = added(&admin, &bank).await;
    assert_eq!(settlement(&admin, "S001", 18).await["state"], "open");

    let path = format!("/api/statements?source_id={card}");
    let rehearsed = admin.csv(&format!("{path}&dry_run=true"), &card_file()).await;
    assert_eq!(rehearsed.data()["matched"], 4);
    let reported = admin.csv(&path, &card_file()).await.data().clone();
    assert_eq!(
        (&reported["lines_total"], &reported["lines_new"], &reported["matched"]),
        (&json!(4), &json!(4), &json!(4))
    );
    assert_eq!(
        (&reported["gross"], &reported["fee"], &reported["net"]),
        (&json!(648_240), &json!(10_656), &json!(637_584))
    );
    assert_eq!(reported["state"], "reconciled");
    let again = admin.csv(&path, &card_file()).await;
    assert_eq!(again.refusal(), "409 duplicate");
    assert_eq!(again.body["error"]["details"]["id"], reported["statement_id"]);

    // C-1003 has no line, although the provider has reported later days.
    assert_eq!(settlement(&admin, "S001", 19).await["state"], "discrepant");
    let open = admin.get("/api/settlement-exceptions?state=open").await.data()["items"].clone();
    let missing: Vec<&Value> =
        open.as_array().unwrap().iter().filter(|exception| exception["store_id"] == "S001").collect();
    assert_eq!(missing.len(), 1, "{open}");
    assert_eq!((&missing[0]["type"], &missing[0]["amount"]), (&json!("missing_at_provider"), &json!(83_250)));
    let id = settlement(&admin, "S001", 19).await["settlement_id"].as_str().unwrap().to_owned();
    let refused = admin.post(&format!("/api/settlements/{id}/approve"), &json!({})).await;
    assert_eq!(refused.refusal(), "409 invalid_state");
    let path = format!("/api/settlement-exceptions/{}/resolve", missing[0]["exception_id"].as_str().unwrap());
    let wrong = admin.post(&path, &json!({"resolution": "accept", "reason": "x"})).await;
    assert_eq!(wrong.refusal(), "422 validation_failed");
    let carried = json!({"resolution": "carry", "reason": "terminal was offline"});
    assert_eq!(admin.post(&path, &carried).await.data()["state"], "resolved");
    assert_eq!(settlement(&admin, "S001", 19).await["state"], "reconciled");

    let file = format!(
        "date,reference,amount\n{},QR 18NOV,110223\n{},QR 19NOV,-111000\n{},PAYOUT 77,637584\n",
        day(19),
        day(20),
        day(20)
    );
    let reported = admin.csv(&format!("/api/statements?source_id={bank}"), &file).await.data().clone();
    assert_eq!(
        (&reported["matched"], &reported["exceptions"], &reported["state"]),
        (&json!(3), &json!(0), &json!("reconciled"))
    );

    for (store, of) in [("S001", 18), ("S001", 19), ("S002", 18), ("S002", 19)] {
        assert_eq!(settlement(&admin, store, of).await["state"], "reconciled", "{store} {of}");
        assert_eq!(approved(&admin, store, of).await["state"], "approved", "{store} {of}");
    }
    assert_eq!(
        posted(&admin, "S001").await,
        ["1040 153069, 1110 -155400, 6030 2331", "1040 265845, 1110 -270840, 6030 4995"]
    );
    let mut two = posted(&admin, "S002").await;
    two.sort();
    assert_eq!(
        two,
        [
            "1040 -111000, 1120 111000",
            "1040 110223, 1120 -111000, 6030 777",
            "1040 218670, 1110 -222000, 6030 3330"
        ]
    );
    let days = format!("/api/finance/days?store_id=S001&from={}&to={}", day(18), day(19));
    let days = admin.get(&days).await.data()["items"].clone();
    assert!(days.as_array().unwrap().iter().all(|day| day["state"] == "locked"), "{days}");
    // A carried item waits with the next day.
    let unposted = admin.get("/api/settlement-items?unposted=true").await.data()["items"].clone();
    assert_eq!(unposted.as_array().unwrap().len(), 1, "{unposted}");
    assert_eq!(unposted[0]["settlement_date"], json!(day(20)));
    let twice = admin.post(&format!("/api/settlements/{id}/approve"), &json!({})).await;
    assert_eq!(twice.refusal(), "409 invalid_state");
    let range = format!("from={}&to={}&group_by", day(18), day(20));
    for (report, names, expected) in [
        (
            format!("settlements?{range}=store"),
            "store_id expected matched fee net open carried exceptions approved",
            json!([
                ["S001", 509_490, 426_240, 7_326, 418_914, 83_250, 83_250, 0, 2],
                ["S002", 222_000, 222_000, 4_107, 217_893, 0, 0, 0, 2]
            ]),
        ),
        (
            format!("settlements?{range}=method"),
            "method expected matched fee open",
            json!([["card", 731_490, 648_240, 10_656, 83_250], ["qris", 0, 0, 777, 0]]),
        ),
        (
            format!("payments?{range}=store"),
            "store_id net settled fees open",
            json!([["S001", 509_490, 426_240, 7_326, 83_250], ["S002", 222_000, 222_000, 4_107, 0]]),
        ),
    ] {
        let found = admin.get(&format!("/api/reports/{report}")).await.data()["items"].clone();
        let row = |row: &Value| names.split(' ').map(|name| row[name].clone()).collect::<Value>();
        let found: Value = found.as_array().unwrap().iter().map(row).collect();
        assert_eq!(found, expected, "{report}");
    }
    proved(&admin).await;
    assert!(server.place.run(&["verify"], "").status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_reported_after_an_approval_are_settled_with_the_next_day() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S002").await;
    tells(&mut shop, vec![sealed("S002", 18)]).await;
    assert_eq!(approved(&admin, "S002", 18).await["state"], "approved", "a day without items");
    let late = paid("S002", 18, 10, ("card", 222_000, "C-2002"));
    assert_eq!(tells(&mut shop, vec![late]).await["parked"], json!([]));
    let items = admin.get("/api/settlement-items").await.data()["items"].clone();
    assert_eq!((&items[0]["settlement_date"], &items[0]["late"]), (&json!(day(19)), &json!(true)));
    assert_eq!((&items[0]["business_date"], &items[0]["entry_date"]), (&json!(day(18)), &json!(day(19))));
    // The late item is shown with its day, and needs no action.
    let late = async || admin.get("/api/settlement-exceptions?type=late").await.data()["items"].clone();
    let reported = late().await;
    assert_eq!(reported.as_array().unwrap().len(), 1, "{reported}");
    let names =
        ["state", "store_id", "business_date", "method", "amount", "item_ids", "settlement_id", "resolution"];
    let reported = json!(names.map(|name| reported[0][name].clone()));
    let expected = json!(["resolved", "S002", day(19), "card", 222_000, ["pay_10"], null, null]);
    assert_eq!(reported, expected);
    tells(&mut shop, vec![sealed("S002", 19), paid("S002", 19, 11, ("card", 1_000, "C-2003"))]).await;
    let reported = late().await;
    assert_eq!(reported.as_array().unwrap().len(), 1, "an item in time is not late: {reported}");
    let id = settlement(&admin, "S002", 19).await["settlement_id"].clone();
    assert_eq!(reported[0]["settlement_id"], id);
    let path =
        format!("/api/settlement-exceptions/{}/resolve", reported[0]["exception_id"].as_str().unwrap());
    for resolution in Resolution::ALL {
        let said = json!({"resolution": resolution, "reason": "x"});
        assert_eq!(admin.post(&path, &said).await.refusal(), "422 validation_failed");
    }
    assert!(server.place.run(&["verify"], "").status.success());
    assert_eq!(settlement(&admin, "S002", 19).await["by_method"][0]["expected"], 223_000);
    // A carried item is reported with its new day.
    let source = card_source(&admin).await;
    let of_other = json!([{"date": day(20), "reference": "C-2003", "gross": 1_000, "fee": 15}]);
    admin.post("/api/statements", &json!({"source_id": source, "lines": of_other})).await.data();
    resolved(&admin, "missing_at_provider", json!({"resolution": "carry"})).await;
    assert_eq!(approved(&admin, "S002", 19).await["state"], "approved");
    let reported = late().await;
    assert_eq!(
        (&reported[0]["business_date"], &reported[0]["settlement_id"]),
        (&json!(day(20)), &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bags_and_known_texts_are_posted_with_the_banks_statement() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let deposit = json!({"deposit_id": "dep_1", "amount": 250_000, "reverses": null, "reason": null,
        "bag_no": "B-17", "bank_account": "x", "deposited_at": NOON, "business_date": DAY, "user_id": "usr_1",
        "at": NOON});
    let bag = record("cash.deposited", "evt_bag", &json!({"business_date": DAY, "deposit": deposit}));
    assert_eq!(tells(&mut shop, vec![on("S001", 18, &bag)]).await["parked"], json!([]));
    let mapping = json!({"of": "bank_text", "key": "parkir", "account": "6050", "from": day(18)});
    admin.post("/api/finance/mappings", &mapping).await.data();
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let lines = json!([{"date": day(19), "reference": "SETOR B-17", "amount": 250_000},
        {"date": day(19), "reference": "PARKIR PASAR", "amount": -5_000}]);
    let reported =
        admin.post("/api/statements", &json!({"source_id": bank, "lines": lines})).await.data().clone();
    assert_eq!((&reported["matched"], &reported["state"]), (&json!(2), &json!("reconciled")));
    proved(&admin).await;
    let path = format!("/api/statements/{}/approve", reported["statement_id"].as_str().unwrap());
    assert_eq!(admin.post(&path, &json!({})).await.data()["state"], "approved");
    proved(&admin).await;
    assert_eq!(admin.post(&path, &json!({})).await.refusal(), "409 invalid_state");
    let balance = admin.get(&format!("/api/finance/trial-balance?date={}", day(20))).await.data().clone();
    let row = |row: &Value| {
        let amount = row["debit"].as_i64().unwrap() - row["credit"].as_i64().unwrap();
        (row["account"].as_str().unwrap().to_owned(), amount)
    };
    let rows: Vec<(String, i64)> = balance["items"].as_array().unwrap().iter().map(row).collect();
    let expected = [("1020", -250_000), ("1040", 245_000), ("6050", 5_000)];
    assert_eq!(rows, expected.map(|(account, amount)| (account.to_owned(), amount)));
}

#[tokio::test(flavor = "multi_thread")]
async fn overlapping_files_bring_new_lines_alone_and_bad_ones_nothing() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let bank = added(&admin, &json!({"name": "Bank", "kind": "bank", "methods": []})).await;
    let path = format!("/api/statements?source_id={bank}");
    let (date, mut file) = (day(19), "date,reference,amount\n".to_owned());
    file.push_str(&format!("{date},PARKIR,-5000\n{date},PARKIR,-5000\n{date},QR,110223\n"));
    assert_eq!(admin.csv(&path, &file).await.data()["lines_new"], 3);
    file.push_str(&format!("{date},PARKIR,-5000\n"));
    let reported = admin.csv(&path, &file).await.data().clone();
    assert_eq!((&reported["lines_new"], &reported["lines_known"]), (&json!(1), &json!(3)));
    let bad = format!("date,reference,amount\n{date},x,1.5\nyesterday,y,=1\n");
    let refused = admin.csv(&path, &bad).await;
    assert_eq!(refused.refusal(), "422 validation_failed");
    let fields = refused.body["error"]["details"]["fields"].as_array().cloned().unwrap_or_default();
    let paths: Vec<&str> = fields.iter().filter_map(|field| field["path"].as_str()).collect();
    assert_eq!(paths, ["row 2.amount", "row 3.date", "row 3.amount"]);
    let missing = admin.csv("/api/statements?source_id=src_none", &file).await;
    assert_eq!(missing.refusal(), "404 not_found");
    let wrong = json!({"source_id": bank, "opening_balance": 0, "closing_balance": 7,
        "lines": [{"date": date, "reference": "z", "amount": 5}]});
    assert_eq!(admin.post("/api/statements", &wrong).await.refusal(), "422 validation_failed");
    assert_eq!(server.figure("SELECT COUNT(*) FROM statement_lines").await, 4);
    let second = json!({"name": "Other", "kind": "provider", "methods": ["card"]});
    added(&admin, &second).await;
    assert_eq!(admin.post("/api/statement-sources", &second).await.refusal(), "409 duplicate");
}
