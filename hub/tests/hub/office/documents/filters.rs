//! Lists of the stores' documents: filters include and exclude the right rows, pages neither skip nor repeat rows, and
//! only permitted roles may read them.

use crate::office::filters::finds;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{effect, record, return_record, returned, voided};
use crate::sync::records::{DAY, NOON, Sale, shift_closed};
use crate::sync::shared::tells;
use serde_json::{Value, json};

/// Returns a sale with some changes.
pub fn sold(store: &str, number: u64, change: impl FnOnce(&mut Value)) -> String {
    let sale = Sale { store, number, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let mut whole: Value = serde_json::from_str(&sale.record(&format!("evt_{store}_{number}"))).unwrap();
    change(&mut whole["payload"]["transaction"]);
    whole["payload"]["business_date"] = whole["payload"]["transaction"]["business_date"].clone();
    whole.to_string()
}

/// Returns a return of these goods, each with its disposition.
pub fn back(event_id: &str, day: &str, transaction_id: Value, dispositions: &[&str]) -> String {
    let mut document = returned(&event_id.replace("evt", "ret"), "", "posted");
    document["business_date"] = json!(day);
    document["transaction_id"] = transaction_id;
    document["receipt_no"] = json!(format!("S001-main-9{}", &event_id[event_id.len() - 1..]));
    let line = document["items"][0].clone();
    let of = |(place, disposition): (usize, &&str)| {
        let mut line = line.clone();
        line["line_no"] = json!(place + 1);
        line["disposition"] = json!(disposition);
        line
    };
    document["items"] = dispositions.iter().enumerate().map(of).collect();
    let lines: Value = (1..=dispositions.len() as u32).map(|no| effect(no, 0, 0)).collect();
    let payload = json!({"business_date": day, "document": document, "lines": lines, "points": []});
    record("return.posted", event_id, &payload)
}

pub fn deposited(event_id: &str, day: &str, amount: i64, reverses: Value) -> String {
    let payload = json!({"business_date": day, "deposit": {"deposit_id": event_id.replace("evt", "csh"),
        "amount": amount, "reverses": reverses, "reason": null, "bag_no": "B-17", "bank_account": "BCA 123",
        "deposited_at": NOON, "business_date": day, "user_id": "usr_1", "at": NOON}});
    record("cash.deposited", event_id, &payload)
}

/// Returns a shift that is open, or closed with this variance.
pub fn shift(store: &str, id: &str, day: &str, variance: Option<i64>) -> String {
    let event_id = format!("evt_{store}_{id}_{}", variance.is_some());
    let mut whole: Value = serde_json::from_str(&shift_closed(store, id, &event_id)).unwrap();
    whole["payload"]["business_date"] = json!(day);
    let reported = &mut whole["payload"]["shift"];
    reported["business_date"] = json!(day);
    match variance {
        Some(variance) => {
            reported["variance"] = json!(variance);
            reported["counted_cash"] = json!(51_110 + variance);
        }
        None => {
            whole["type"] = json!("shift.opened");
            let reported = &mut whole["payload"]["shift"];
            reported["state"] = json!("open");
            for name in ["closed_by", "closed_at", "counted_cash", "expected_cash", "variance", "z_no"] {
                reported[name] = Value::Null;
            }
        }
    }
    whole.to_string()
}

fn named(field: &'static str) -> fn(&Value) -> String {
    match field {
        "transaction_id" => |item| item["transaction_id"].as_str().unwrap().replace("trx_", ""),
        "return_id" => |item| item["return_id"].as_str().unwrap().replace("ret_", ""),
        "shift_id" => |item| item["shift_id"].as_str().unwrap().replace("shf_", ""),
        "deposit_id" => |item| item["deposit_id"].as_str().unwrap().replace("csh_", ""),
        _ => |item| {
            format!("{} {}", item["store_id"].as_str().unwrap(), item["business_date"].as_str().unwrap())
        },
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sales_are_found_by_each_filter() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    let card = |amount: i64| {
        json!({"payment_id": format!("pay_c{amount}"), "method": "card", "amount": amount, "tendered": amount,
            "change": 0, "rounding": 0, "reference": "C-1", "state": "accepted", "origin": null, "paid_at": NOON})
    };
    tells(&mut one, sold("S001", 1, |_| {})).await;
    let of_member = sold("S001", 2, |sale| {
        sale["member_id"] = json!("mbr_1");
        sale["items"][0]["sku"] = json!("B");
        sale["payments"] = json!([card(1110)]);
    });
    tells(&mut one, of_member).await;
    // A sale with the product and the method twice is found once.
    let twice = sold("S001", 3, |sale| {
        sale["business_date"] = json!("2023-11-21");
        sale["cashier_id"] = json!("usr_2");
        sale["shift_id"] = json!("shf_2");
        let mut line = sale["items"][0].clone();
        line["line_no"] = json!(2);
        sale["items"].as_array_mut().unwrap().push(line);
        sale["payments"] = json!([card(1000), card(110)]);
    });
    tells(&mut one, twice).await;
    tells(&mut one, sold("S001", 4, |_| {})).await;
    tells(&mut one, voided(4, 1)).await;
    tells(&mut two, sold("S002", 5, |sale| sale["business_date"] = json!("2023-11-19"))).await;
    // The state of the books if the day was locked before the sale arrived.
    let sql = "UPDATE journal SET reference_date = entry_date, entry_date = '2023-11-22' WHERE event_id = 'evt_S002_5'";
    sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    let admin = server.admin().await;
    let whole = admin.get("/api/transactions").await.data()["items"].clone();
    let ids: Vec<String> = whole.as_array().unwrap().iter().map(named("transaction_id")).collect();
    assert_eq!(ids, ["S001_3", "S001_4", "S001_2", "S001_1", "S002_5"], "newest first");
    let all: &[&str] = &["S001_1", "S001_2", "S001_3", "S001_4", "S002_5"];
    finds(
        &admin,
        "/api/transactions",
        named("transaction_id"),
        &[
            ("", all),
            ("store_id=S001", &["S001_1", "S001_2", "S001_3", "S001_4"]),
            ("store_id=S003", &[]),
            ("from=2023-11-20", &["S001_1", "S001_2", "S001_3", "S001_4"]),
            ("to=2023-11-20", &["S001_1", "S001_2", "S001_4", "S002_5"]),
            ("from=2023-11-21&to=2023-11-21", &["S001_3"]),
            ("receipt_no=S001-main-00000002", &["S001_2"]),
            ("receipt_no=S001-main-00000009", &[]),
            ("member_id=mbr_1", &["S001_2"]),
            ("member_id=mbr_2", &[]),
            ("cashier_id=usr_2", &["S001_3"]),
            ("shift_id=shf_2", &["S001_3"]),
            ("shift_id=shf_2&method=cash", &[]),
            ("cashier_id=usr_1", &["S001_1", "S001_2", "S001_4", "S002_5"]),
            ("method=card", &["S001_2", "S001_3"]),
            ("method=cash&store_id=S001", &["S001_1", "S001_4"]),
            ("method=card&from=2023-11-21", &["S001_3"]),
            ("method=voucher", &[]),
            ("sku=A", &["S001_1", "S001_3", "S001_4", "S002_5"]),
            ("sku=A&method=card", &["S001_3"]),
            ("sku=A&to=2023-11-20&store_id=S001", &["S001_1", "S001_4"]),
            ("sku=B&member_id=mbr_1&method=card", &["S001_2"]),
            ("sku=A&member_id=mbr_1", &[]),
            ("sku=none", &[]),
            ("state=paid", &["S001_1", "S001_2", "S001_3", "S002_5"]),
            ("state=voided", &["S001_4"]),
            ("state=voided&sku=A&method=cash", &["S001_4"]),
            ("late=true", &["S002_5"]),
            ("late=true&store_id=S001", &[]),
            ("late=true&sku=A&method=cash", &["S002_5"]),
            ("late=false", &["S001_1", "S001_2", "S001_3", "S001_4"]),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn returns_shifts_days_and_deposits_are_found_by_each_filter() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let mut two = Shop::open(&server, "S002").await;
    for record in [
        sold("S001", 1, |_| {}),
        return_record("return.posted", "evt_ret", "posted", 1),
        back("evt_2", "2023-11-21", Value::Null, &["damaged", "damaged", "vendor"]),
        back("evt_3", "2023-11-22", json!("trx_S001_1"), &["none"]),
        shift("S001", "shf_1", DAY, None),
        shift("S001", "shf_1", DAY, Some(-110)),
        shift("S001", "shf_2", "2023-11-21", Some(300)),
        shift("S001", "shf_3", "2023-11-22", None),
        deposited("evt_4", DAY, 500, Value::Null),
        deposited("evt_5", "2023-11-21", 700, Value::Null),
        deposited("evt_6", "2023-11-22", -500, json!("csh_4")),
    ] {
        assert_eq!(tells(&mut one, record).await["parked"], json!([]));
    }
    tells(&mut two, shift("S002", "shf_9", "2023-11-19", Some(0))).await;
    // A return of another store's sale, of which its store knows only the receipt.
    let mut elsewhere: Value = serde_json::from_str(
        &back("evt_7", "2023-11-19", Value::Null, &["vendor"]).replace("S001-", "S002-"),
    )
    .unwrap();
    elsewhere["payload"]["document"]["store_id"] = json!("S002");
    elsewhere["payload"]["document"]["origin_receipt_no"] = json!("S001-main-00000001");
    assert_eq!(tells(&mut two, elsewhere.to_string()).await["parked"], json!([]));
    let admin = server.admin().await;
    finds(
        &admin,
        "/api/returns",
        named("return_id"),
        &[
            ("", &["1", "2", "3", "7"]),
            ("store_id=S002", &["7"]),
            ("store_id=S001&from=2023-11-21", &["2", "3"]),
            ("to=2023-11-20", &["1", "7"]),
            ("receipt_no=S001-main-93", &["3"]),
            ("transaction_id=trx_S001_1", &["1", "3", "7"]),
            ("transaction_id=trx_S001_1&store_id=S001", &["1", "3"]),
            ("transaction_id=trx_S001_1&disposition=none", &["3"]),
            ("disposition=restock", &["1"]),
            ("disposition=damaged", &["2"]),
            ("disposition=vendor&to=2023-11-20", &["7"]),
        ],
    )
    .await;
    finds(
        &admin,
        "/api/shifts",
        named("shift_id"),
        &[
            ("", &["1", "2", "3", "9"]),
            ("store_id=S001", &["1", "2", "3"]),
            ("from=2023-11-21", &["2", "3"]),
            ("to=2023-11-20", &["1", "9"]),
            ("state=open", &["3"]),
            ("state=closed&store_id=S001", &["1", "2"]),
            ("state=ended", &[]),
            ("variance_above=0", &["1", "2"]),
            ("variance_above=110", &["2"]),
            ("variance_above=300", &[]),
        ],
    )
    .await;
    finds(
        &admin,
        "/api/days",
        named("day"),
        &[
            ("", &["S001 2023-11-20", "S001 2023-11-21", "S001 2023-11-22", "S002 2023-11-19"]),
            ("store_id=S002", &["S002 2023-11-19"]),
            ("from=2023-11-22", &["S001 2023-11-22"]),
            ("to=2023-11-20", &["S001 2023-11-20", "S002 2023-11-19"]),
        ],
    )
    .await;
    finds(
        &admin,
        "/api/deposits",
        named("deposit_id"),
        &[
            ("", &["4", "5", "6"]),
            ("store_id=S002", &[]),
            ("from=2023-11-21&to=2023-11-21", &["5"]),
            ("state=on_the_way", &["5"]),
            ("state=banked", &[]),
            ("state=missing&store_id=S001", &[]),
        ],
    )
    .await;
}

const LISTS: [&str; 5] = ["transactions", "returns", "shifts", "days", "deposits"];

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_arrive_between_pages_are_neither_skipped_nor_repeated() {
    let server = Server::start().await;
    let mut shop = Shop::sold(&server, "S001", 6).await;
    let admin = server.admin().await;
    let (mut found, mut cursor) = (Vec::new(), String::new());
    for page in 0.. {
        let answer = admin.get(&format!("/api/transactions?limit=2{cursor}")).await.data().clone();
        found.extend(answer["items"].as_array().unwrap().iter().map(named("transaction_id")));
        let Some(next) = answer["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
        // One sale before the current position of the cursor, and one after it.
        let day = |day: &'static str| move |sale: &mut Value| sale["business_date"] = json!(day);
        if page < 2 {
            tells(&mut shop, sold("S001", 10 + page, day("2023-11-21"))).await;
            tells(&mut shop, sold("S001", 20 + page, day("2023-11-19"))).await;
        }
    }
    let of = ["S001_6", "S001_5", "S001_4", "S001_3", "S001_2", "S001_1", "S001_21", "S001_20"];
    assert_eq!(found, of);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_holds_for_its_list_and_filters() {
    let server = Server::start().await;
    let _shop = Shop::sold(&server, "S001", 3).await;
    let admin = server.admin().await;
    let page = |query: &'static str| admin.get(query);
    let cursor = |page: &Value| page["next_cursor"].as_str().unwrap().to_owned();
    let all = cursor(page("/api/transactions?limit=1").await.data());
    let of_cash = cursor(page("/api/transactions?limit=1&method=cash&store_id=S001").await.data());
    let asked = |list: &str, query: &str, cursor: &str| {
        let (api, path) = (admin.clone(), format!("/api/{list}?cursor={cursor}{query}"));
        async move { api.get(&path).await }
    };
    for list in LISTS {
        for (query, cursor) in [("", "x"), ("", ""), ("", of_cash.as_str()), ("&store_id=S001", all.as_str())]
        {
            assert_eq!(
                asked(list, query, cursor).await.refusal(),
                "400 invalid_cursor",
                "{list} {query} {cursor}"
            );
        }
        let own = asked(list, "", &all).await;
        assert_eq!(own.status.as_u16(), if list == "transactions" { 200 } else { 400 }, "{list}");
        for query in ["moon=1", "from=x", "limit=0", "limit=501", "store_id=S001&store_id=S002"] {
            let refused = admin.get(&format!("/api/{list}?{query}")).await.refusal();
            assert_eq!(refused, "400 invalid_query", "{list}?{query}");
        }
    }
    // The order of the parameters and the page size may change between pages.
    let next = asked("transactions", "&store_id=S001&limit=5&method=cash", &of_cash).await;
    assert_eq!(next.data()["items"].as_array().unwrap().len(), 2);
    for query in [
        "transactions?state=moon",
        "transactions?late=perhaps",
        "returns?disposition=moon",
        "shifts?state=moon",
        "shifts?variance_above=-1",
        "shifts?variance_above=x",
        "deposits?state=moon",
        "transactions/trx_S001_1?moon=1",
    ] {
        assert_eq!(admin.get(&format!("/api/{query}")).await.refusal(), "400 invalid_query", "{query}");
    }
}

async fn login(server: &Server, role: &str) -> Api {
    let user = ["user", "add", "--username", role, "--name", "X", "--role", role, "--password-stdin"];
    assert!(server.place.run(&user, "another-horse-9\n").status.success());
    server.api().login(role, "another-horse-9").await
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_read_by_those_who_may() {
    let server = Server::start().await;
    let (finance, purchasing) = (login(&server, "ho_finance").await, login(&server, "ho_purchasing").await);
    let one = ["transactions/x", "returns/x", "shifts/x", "days/S001/2023-11-20", "days/S001/x"];
    for path in LISTS.iter().chain(&one) {
        let path = format!("/api/{path}");
        assert_eq!(purchasing.get(&path).await.refusal(), "403 insufficient_role", "{path}");
        assert_eq!(server.api().get(&path).await.refusal(), "401 missing_token", "{path}");
        let answer = finance.get(&path).await;
        match path.matches('/').count() {
            2 => assert_eq!(answer.data()["items"], json!([]), "{path}"),
            _ => assert_eq!(answer.refusal(), "404 not_found", "{path}"),
        }
    }
}
