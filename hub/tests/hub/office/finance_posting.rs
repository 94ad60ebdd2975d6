//! Postings that depend on more than the event: other counts, transfers, mappings.

use crate::office::finance::{adjustment, balanced, lines, tells, transfer};
use crate::support::server::{Api, Server, stderr, stdout};
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, moved_cash, return_record};
use crate::sync::records::{DAY, NOON, Sale, shift_closed};
use serde_json::{Value, json};

/// Returns a close by a user, this many seconds after noon, with or without a Z number.
fn close(event_id: &str, by: &str, after: i64, z_no: Option<u64>, [expected, counted]: [i64; 2]) -> String {
    let mut whole: Value = serde_json::from_str(&shift_closed("S001", "shf_1", event_id)).unwrap();
    let shift = &mut whole["payload"]["shift"];
    shift["closed_by"] = json!(by);
    shift["closed_at"] = json!(domain::model::base::time::UtcMs(NOON.0 + after * 1000));
    (shift["z_no"], shift["expected_cash"]) = (json!(z_no), json!(expected));
    (shift["counted_cash"], shift["variance"]) = (json!(counted), json!(counted - expected));
    whole.to_string()
}

/// Returns the balance of an account in a book, debit above 0.
async fn balance(api: &Api, book: &str, account: &str) -> i64 {
    let path = format!("/api/finance/accounts/{account}/entries?store_id={book}");
    api.get(&path).await.data()["closing_balance"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shift_that_two_copies_counted_is_posted_once_in_either_order() {
    let went_on = close("evt_z", "usr_1", 0, Some(1), [51_110, 51_000]);
    let other = close("evt_other", "usr_2", 60, None, [50_000, 51_100]);
    for (first, second) in [(&went_on, &other), (&other, &went_on)] {
        let server = Server::start().await;
        let admin = server.admin().await;
        let mut shop = Shop::open(&server, "S001").await;
        tells(&mut shop, vec![first.clone()]).await;
        tells(&mut shop, vec![second.clone()]).await;
        let shown = admin.get("/api/shifts/shf_1").await.data().clone();
        assert_eq!(
            (&shown["event_id"], &shown["closed_by"], &shown["counted_cash"]),
            (&json!("evt_z"), &json!("usr_1"), &json!(51_000)),
            "the copy that closed the shift is shown"
        );
        // The same close in another event adds nothing.
        let again = went_on.replace("evt_z", "evt_again");
        assert_eq!(tells(&mut shop, vec![again]).await["parked"], json!([]));
        let stand = [balance(&admin, "S001", "1010").await, balance(&admin, "S001", "1020").await];
        assert_eq!(stand, [-51_110, 51_100], "the expected amount of the Z report, and the latest count");
        assert_eq!(balance(&admin, "S001", "6010").await, 10);
        assert_eq!(lines(&admin, "S001", "evt_again").await, Value::Null);
        assert_eq!(server.figure("SELECT z_no * 1000000 + counted_cash FROM shifts").await, 1_051_000);
        assert_eq!(server.figure("SELECT expected_cash FROM shifts").await, 51_110);
        balanced(&server, &admin).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_posts_in_a_book_that_it_only_names() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let _three = Shop::open(&server, "S003").await;
    tells(&mut one, vec![transfer("transfer.sent", "evt_sent", -10, &json!([]))]).await;
    let named = |from: &str, event_id: &str| {
        transfer("transfer.received", event_id, 7, &json!([]))
            .replace("\"from_store_id\":\"S001\"", &format!("\"from_store_id\":\"{from}\""))
    };
    let reported = tells(&mut two, vec![named("S003", "evt_named"), named("", "evt_empty")]).await;
    assert_eq!(reported["parked"].as_array().unwrap().len(), 1, "{reported}");
    assert_eq!(
        (&reported["parked"][0]["event_id"], &reported["parked"][0]["code"]),
        (&json!("evt_empty"), &json!("invalid_payload"))
    );
    let own = json!([["1210", 70, 0], ["9990", 0, 70]]);
    assert_eq!(lines(&admin, "S002", "evt_named").await, own, "the store's own stock moved");
    assert_eq!(server.figure("SELECT COUNT(*) FROM journal WHERE store_id IN ('S003', '')").await, 0);
    assert_eq!(balance(&admin, "S001", "1220").await, 100);
    let found = admin.get("/api/exceptions?code=transfer_of_other_stores").await.data()["items"].clone();
    assert_eq!(found[0]["event_id"], "evt_named");
    balanced(&server, &admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_part_of_a_shortfall_is_posted_once_whenever_it_was_settled() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    tells(&mut one, vec![transfer("transfer.sent", "evt_sent", -10, &json!([]))]).await;
    tells(&mut two, vec![transfer("transfer.received", "evt_arrived", 7, &json!([]))]).await;
    let lost = json!({"resolution": "lost", "qty": 1, "cost": 10, "user_id": "usr_1", "at": NOON});
    let resolved =
        |event_id: &str, parts: &[&Value]| transfer("transfer.resolved", event_id, 0, &json!(parts));
    // Two identical parts in one millisecond.
    let parts = vec![resolved("evt_r1", &[&lost]), resolved("evt_r2", &[&lost, &lost])];
    tells(&mut one, parts).await;
    for event_id in ["evt_r1", "evt_r2"] {
        assert_eq!(
            lines(&admin, "S001", event_id).await,
            json!([["1220", 0, 10], ["5140", 10, 0]]),
            "{event_id}"
        );
    }
    tells(&mut one, vec![resolved("evt_r3", &[&lost, &lost])]).await;
    assert_eq!(lines(&admin, "S001", "evt_r3").await, Value::Null, "a repeated resolution has no effect");
    assert_eq!(balance(&admin, "S001", "1220").await, 10);
    balanced(&server, &admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_in_transit_beyond_the_document_of_a_sender_who_knows_the_receipt_are_lost() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    tells(&mut one, vec![transfer("transfer.sent", "evt_sent", -10, &json!([]))]).await;
    // The transfer is cancelled and arrives nevertheless: the goods leave again, at a higher cost.
    tells(&mut one, vec![transfer("transfer.cancelled", "evt_off", 10, &json!([]))]).await;
    tells(&mut two, vec![transfer("transfer.received", "evt_arrived", 7, &json!([]))]).await;
    assert_eq!(balance(&admin, "S001", "1220").await, -70);
    let mut again: Value =
        serde_json::from_str(&transfer("transfer.received", "evt_lost", -10, &json!([]))).unwrap();
    again["payload"]["lines"] = json!([effect(1, -10, -110)]);
    again["payload"]["transfer"]["lines"][0]["cost"] = json!(110);
    tells(&mut one, vec![again.to_string()]).await;
    // 1220 has 110 - 70 = 40; three of ten at 110 are 33.
    assert_eq!(
        lines(&admin, "S001", "evt_lost").await,
        json!([["1210", 0, 110], ["1220", 103, 0], ["5140", 7, 0]])
    );
    assert_eq!(balance(&admin, "S001", "1220").await, 33);
    assert_eq!(server.figure("SELECT value FROM in_transit").await, 33);
    balanced(&server, &admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_goods_are_kept_and_written_off_from_where_they_lie() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let mut kept: Value = serde_json::from_str(&adjustment("evt_kept", "posted", -300)).unwrap();
    kept["payload"]["keep"] = json!(true);
    kept["payload"]["adjustment"]["reason"] = json!("damaged");
    let mut gone: Value = serde_json::from_str(&adjustment("evt_gone", "posted", -300)).unwrap();
    gone["payload"]["adjustment"]["bucket"] = json!("damaged");
    gone["payload"]["adjustment"]["reason"] = json!("damaged");
    gone["payload"]["lines"] = json!([]);
    let mut back = gone.clone();
    (back["event_id"], back["payload"]["adjustment"]["state"]) = (json!("evt_back"), json!("reversed"));
    let records = [kept, gone, back].map(|record| record.to_string());
    assert_eq!(tells(&mut shop, records.to_vec()).await["parked"], json!([]));
    for (event_id, expected) in [
        ("evt_kept", json!([["1210", 0, 300], ["1230", 300, 0]])),
        ("evt_gone", json!([["1230", 0, 300], ["5120", 300, 0]])),
        ("evt_back", json!([["1230", 300, 0], ["5120", 0, 300]])),
    ] {
        assert_eq!(lines(&admin, "S001", event_id).await, expected, "{event_id}");
    }
    balanced(&server, &admin).await;
}

/// Returns a cash movement with a reason code.
fn coded(event_id: &str, kind: &str, code: &str) -> String {
    let mut whole: Value = serde_json::from_str(&moved_cash(event_id, kind, 500)).unwrap();
    whole["payload"]["movement"]["reason_code"] = json!(code);
    whole.to_string()
}

fn by_qris(event_id: &str, number: u64) -> String {
    let sale = Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    sale.record(event_id).replace("\"method\":\"cash\"", "\"method\":\"qris\"")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mapped_account_takes_the_place_of_the_plans_from_its_day_on() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    for (account, kind) in [("1125", "asset"), ("6110", "expense"), ("5115", "expense")] {
        let body = json!({"account": account, "name": account, "type": kind});
        admin.post("/api/finance/accounts", &body).await.data();
    }
    let map = |of: &str, key: &str, account: &str, from: &str| {
        let body = json!({"of": of, "key": key, "account": account, "from": from});
        let admin = admin.clone();
        async move { admin.post("/api/finance/mappings", &body).await }
    };
    for (of, key, account) in
        [("method", "qris", "1125"), ("cash_reason", "rent", "6110"), ("adjustment_reason", "theft", "5115")]
    {
        assert_eq!(map(of, key, account, DAY).await.data()["account"], account);
        assert_eq!(map(of, key, account, DAY).await.refusal(), "409 duplicate", "{of}");
    }
    assert_eq!(map("method", "qris", "1120", "2023-11-21").await.status.as_u16(), 201);
    for (of, key, account, from) in [
        ("method", "cash", "1125", DAY),
        ("method", "qris", "1999", "2023-12-01"),
        ("adjustment_reason", "moon", "5115", DAY),
        ("bank_text", "QR", "1125", DAY),
        ("cash_reason", "", "6110", DAY),
        ("method", "card", "1010", "2023-12-01"),
        ("method", "card", "2020", "2023-12-01"),
        ("cash_reason", "taxi", "1125", "2023-12-01"),
        ("cash_reason", "taxi", "9990", "2023-12-01"),
        ("adjustment_reason", "theft", "1210", "2023-12-01"),
        ("bank_text", "fees", "2040", "2023-12-01"),
    ] {
        assert_eq!(map(of, key, account, from).await.refusal(), "422 validation_failed", "{of} {key}");
    }
    let mut later: Value = serde_json::from_str(&by_qris("evt_later", 2)).unwrap();
    later["payload"]["business_date"] = json!("2023-11-22");
    let records = vec![
        by_qris("evt_qris", 1),
        later.to_string(),
        coded("csh_rent", "pay_out", "rent"),
        coded("csh_supplier", "pay_out", "supplier"),
        adjustment("evt_theft", "posted", -250),
    ];
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    let sold = |account: &str| {
        json!([[account, 1110, 0], ["1210", 0, 10], ["2030", 0, 110], ["4010", 0, 1000], ["5010", 10, 0]])
    };
    for (event_id, expected) in [
        ("evt_qris", sold("1125")),
        ("csh_rent", json!([["1010", 0, 500], ["6110", 500, 0]])),
        ("csh_supplier", json!([["1010", 0, 500], ["2020", 500, 0]])),
        ("evt_theft", json!([["1210", 0, 250], ["5115", 250, 0]])),
    ] {
        assert_eq!(lines(&admin, "S001", event_id).await, expected, "{event_id}");
    }
    assert_eq!(balance(&admin, "S001", "1120").await, 1110, "by the date in the books");
    // The account takes no entries by hand and can't be closed while something is mapped to it.
    let by_hand = json!({"date": DAY, "memo": "m", "lines": [{"account": "1125", "debit": 1, "credit": 0},
        {"account": "1040", "debit": 0, "credit": 1}]});
    assert_eq!(admin.post("/api/finance/journal", &by_hand).await.refusal(), "422 validation_failed");
    let closed = json!({"state": "closed"});
    assert_eq!(admin.patch("/api/finance/accounts/5115", &closed).await.refusal(), "409 not_ready");
    // If the account is closed nevertheless, the default account is used and an exception is made.
    let sql = "UPDATE accounts SET closed = 1 WHERE account = '6110'";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    tells(&mut shop, vec![coded("csh_closed", "pay_out", "rent")]).await;
    assert_eq!(lines(&admin, "S001", "csh_closed").await, json!([["1010", 0, 500], ["6050", 500, 0]]));
    let found = admin.get("/api/exceptions?code=mapping_closed").await.data()["items"].clone();
    assert_eq!(
        (&found[0]["event_id"], &found[0]["details"]["account"]),
        (&json!("csh_closed"), &json!("6110"))
    );
    let (mut keys, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = admin.get(&format!("/api/finance/mappings?limit=1{cursor}")).await.data().clone();
        keys.extend(page["items"].as_array().unwrap().iter().map(|item| item["key"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(json!(keys), json!(["qris", "qris", "rent", "theft"]), "latest day first");
    balanced(&server, &admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cash_joins_what_is_not_invoiced_by_the_account_that_it_is_posted_to() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    for (key, account) in [("vendor", "2020"), ("supplier", "6050")] {
        let body = json!({"of": "cash_reason", "key": key, "account": account, "from": DAY});
        assert_eq!(admin.post("/api/finance/mappings", &body).await.status.as_u16(), 201);
    }
    let kinds = [
        ("csh_out", "pay_out", "vendor"),
        ("csh_in", "pay_in", "vendor"),
        ("csh_other", "pay_out", "supplier"),
    ];
    let records = kinds.map(|(id, kind, code)| coded(id, kind, code)).to_vec();
    assert_eq!(tells(&mut shop, records).await["parked"], json!([]));
    let listed = admin.get("/api/finance/uninvoiced").await.data()["items"].clone();
    let mut values: Vec<i64> =
        listed.as_array().unwrap().iter().map(|item| item["open_value"].as_i64().unwrap()).collect();
    values.sort_unstable();
    assert_eq!(values, [-500, 500], "{listed}");
    assert_eq!(balance(&admin, "S001", "6050").await, 500);
    balanced(&server, &admin).await;
    let proofs = admin.post("/api/finance/proofs", &json!({})).await.data()["proofs"].clone();
    let proof = proofs.as_array().unwrap().iter().find(|proof| proof["name"] == "not_invoiced").unwrap();
    assert_eq!(proof["ok"], true, "{proof}");
    assert!(server.place.run(&["verify"], "").status.success());
    sqlx::query("UPDATE uninvoiced SET value = value - 1, open_value = open_value - 1 WHERE value = -500")
        .execute(server.hub.db.pool())
        .await
        .unwrap();
    let verified = server.place.run(&["verify"], "");
    assert!(stderr(&verified).contains("cash paid to suppliers"), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_the_database_rolls_back_is_repeated_at_most_three_times() {
    if std::env::var("HUB_TEST_POSTGRES").is_err() {
        // SQLite has one writer at a time, so nothing is rolled back.
        return;
    }
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let pool = server.hub.db.pool();
    for sql in [
        "CREATE SEQUENCE tries",
        "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN IF nextval('tries') <= 3 THEN \
         RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$ LANGUAGE plpgsql",
        "CREATE TRIGGER refuse BEFORE INSERT ON journal FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
    ] {
        sqlx::query(sql).execute(pool).await.unwrap();
    }
    shop.sell(1);
    assert_eq!(shop.push(&shop.batch(1, 1)).await.data()["acked_seq"], 1);
    assert_eq!(server.figure("SELECT COUNT(*) FROM journal").await, 1);
    assert_eq!(server.figure("SELECT last_value FROM tries").await, 4);
    sqlx::query("ALTER SEQUENCE tries MINVALUE -10 RESTART WITH -10").execute(pool).await.unwrap();
    shop.sell(1);
    let refused = shop.push(&shop.batch(2, 2)).await;
    assert_eq!(refused.refusal(), "503 unavailable");
    assert!(refused.retry_after.is_some());
    assert_eq!(server.figure("SELECT last_value FROM tries").await, -7, "four attempts in total");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_record_is_posted_when_it_is_applied() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let reported = tells(&mut shop, vec![return_record("return.posted", "evt_ret", "posted", 1)]).await;
    assert_eq!(reported["parked"][0]["code"], "waits_for_predecessor");
    assert_eq!(server.figure("SELECT COUNT(*) FROM journal").await, 0);
    let sale = Sale { store: "S001", number: 1, shift: "shf_1", sku: "A", qty: 3, price: 1000 };
    tells(&mut shop, vec![sale.record("evt_1")]).await;
    let back =
        json!([["1010", 0, 1110], ["1210", 10, 0], ["2030", 110, 0], ["4030", 1000, 0], ["5010", 0, 10]]);
    assert_eq!(lines(&admin, "S001", "evt_ret").await, back);
    tells(&mut shop, vec![return_record("return.voided", "evt_ret_void", "voided", -1)]).await;
    let mirror =
        json!([["1010", 1110, 0], ["1210", 0, 10], ["2030", 0, 110], ["4030", 0, 1000], ["5010", 10, 0]]);
    assert_eq!(lines(&admin, "S001", "evt_ret_void").await, mirror);
    assert_eq!(server.figure("SELECT MAX(entry_no) FROM journal").await, 3);
    balanced(&server, &admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn goods_without_a_reported_arrival_are_not_lost() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    let lost = json!([{"resolution": "lost", "qty": 1, "cost": 10, "user_id": "usr_1", "at": NOON}]);
    let records = vec![
        transfer("transfer.sent", "evt_sent", -10, &json!([])),
        transfer("transfer.resolved", "evt_settled", 0, &lost),
    ];
    tells(&mut one, records).await;
    assert_eq!(lines(&admin, "S001", "evt_settled").await, json!([["1220", 0, 10], ["5140", 10, 0]]));
    tells(&mut two, vec![transfer("transfer.received", "evt_arrived", 7, &json!([]))]).await;
    assert_eq!(balance(&admin, "S001", "1220").await, 20, "two of ten are in transit or lost");
    assert_eq!(balance(&admin, "S001", "5140").await, 10);
    balanced(&server, &admin).await;
    sqlx::query("UPDATE in_transit SET value = 21").execute(server.hub.db.pool()).await.unwrap();
    let verified = server.place.run(&["verify"], "");
    let reported = stdout(&verified) + &stderr(&verified);
    assert!(reported.contains("S001: 1220 has 20, but its transfers have 21 in transit"), "{reported}");
}
