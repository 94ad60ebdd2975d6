//! Items for people: exceptions, conflicts and wrong stamps, which are read, counted and resolved.

use crate::office::documents::filters::deposited;
use crate::office::documents::stock_documents::sent_back;
use crate::office::finance_entries::accountant;
use crate::support::server::{Api, Server};
use crate::support::shop::Shop;
use crate::sync::kinds::{STAMP, raw};
use crate::sync::records::{DAY, NOON, Sale};
use domain::model::people::user::FieldTimes;
use serde_json::{Value, json};

async fn tells(shop: &mut Shop, record: String) {
    shop.chain().append(record);
    let seq = shop.chain().records.len();
    shop.push(&shop.batch(seq, seq)).await.data();
}

fn sale(number: u64, event_id: &str) -> String {
    Sale { store: "S001", number, shift: "shf_1", sku: "A", qty: 1, price: 1000 }.record(event_id)
}

async fn listed(admin: &Api, query: &str) -> Vec<Value> {
    let answer = admin.get(&format!("/api/exceptions{query}")).await;
    answer.data()["items"].as_array().unwrap().clone()
}

fn codes(status: &Value) -> Vec<&str> {
    status["problems"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contradiction_is_read_in_plain_words_and_settled_once() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let mut other = Shop::open(&server, "S002").await;
    for (number, event_id) in [(1, "evt_1"), (1, "evt_2"), (2, "evt_3"), (2, "evt_4")] {
        tells(&mut shop, sale(number, event_id)).await;
    }
    let admin = server.admin().await;
    let given = json!({"username": "ani", "name": "Ani", "role": "cashier", "store_id": "S001"});
    let id = admin.post("/api/users", &given).await.data()["id"].clone();
    let foreign = json!({"user_id": id, "username": "x", "name": "X", "role": "cashier", "store_id": "S002",
        "disabled": false, "token_version": 1, "times": FieldTimes::all(NOON), "created_at": NOON,
        "updated_at": NOON});
    tells(&mut other, raw("user.changed", "evt_5", STAMP, &foreign)).await;

    let all = listed(&admin, "").await;
    assert_eq!(all.len(), 3);
    let found = |one: &Value| one["found_at"].as_str().unwrap().to_owned();
    assert!(all.windows(2).all(|pair| found(&pair[0]) >= found(&pair[1])), "latest first");
    assert_eq!(all[0]["code"], "user_of_another_store");
    let twice = listed(&admin, "?store_id=S001&code=receipt_number_twice").await;
    assert_eq!((twice.len(), &twice[0]["event_id"]), (2, &json!("evt_4")));
    assert!(twice[0]["message"].as_str().unwrap().contains("S001-main-00000002"), "{}", twice[0]);
    assert!(!twice[0]["action"].as_str().unwrap().is_empty());
    assert_eq!(
        (&twice[0]["amount"], &twice[0]["business_date"], &twice[0]["event_type"]),
        (&json!(1110), &json!(DAY), &json!("transaction.paid"))
    );
    let page = admin.get("/api/exceptions?limit=2").await.data().clone();
    let next = listed(&admin, &format!("?limit=2&cursor={}", page["next_cursor"].as_str().unwrap())).await;
    assert_eq!(next, all[2..]);
    assert_eq!(listed(&admin, "?from=2020-01-01&to=2120-01-01").await.len(), 3);
    assert_eq!(listed(&admin, "?from=2120-01-01").await.len(), 0);
    for query in ["?code=nonsense", "?state=lost", "?from=yesterday", "?x=1"] {
        assert_eq!(
            admin.get(&format!("/api/exceptions{query}")).await.refusal(),
            "400 invalid_query",
            "{query}"
        );
    }

    let path = format!("/api/exceptions/{}/settle", twice[0]["exception_id"].as_str().unwrap());
    for note in ["", "  ", "two\nlines", &"x".repeat(501)] {
        assert_eq!(admin.post(&path, &json!({"note": note})).await.refusal(), "422 validation_failed");
    }
    let note = json!({"note": " both are real "});
    let settled = admin.keyed(&path, "k1", &note).await;
    assert_eq!(settled.data()["note"], "both are real");
    assert!(settled.data()["settled_at"].is_string() && settled.data()["settled_by"].is_string());
    assert!(admin.keyed(&path, "k1", &note).await.replayed);
    assert_eq!(admin.post(&path, &note).await.refusal(), "409 invalid_state");
    assert_eq!(admin.post("/api/exceptions/exc_none/settle", &note).await.refusal(), "404 not_found");
    assert_eq!(listed(&admin, "?store_id=S001&state=open").await.len(), 1);
    assert_eq!(listed(&admin, "?state=settled").await.len(), 1);
    let audited =
        "SELECT COUNT(*) FROM own_audit WHERE action = 'exception.settled' AND record LIKE '%both are real%'";
    assert_eq!(server.figure(audited).await, 1);
    let status = admin.get("/api/stores/S001/status").await.data().clone();
    assert_eq!(status["exceptions_count"], 1);
    assert!(codes(&status).contains(&"exceptions"));
    let rest = listed(&admin, "?store_id=S001&state=open").await[0]["exception_id"].clone();
    admin.post(&format!("/api/exceptions/{}/settle", rest.as_str().unwrap()), &note).await.data();
    let status = admin.get("/api/stores/S001/status").await.data().clone();
    assert_eq!(status["exceptions_count"], 0);
    assert!(!codes(&status).contains(&"exceptions"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_names_the_conflicts_of_its_store() {
    let server = Server::start().await;
    let mut one = Shop::open(&server, "S001").await;
    let two = Shop::open(&server, "S002").await;
    for (event_id, ms) in [("evt_1", 9), ("evt_2", 1)] {
        let at = format!("{:013}-00000-S001", NOON.0 + ms);
        let fields = json!({"name": {"value": event_id, "at": at, "base": ""}});
        tells(&mut one, raw("member.changed", event_id, &at, &json!({"id": "mbr_1", "fields": fields})))
            .await;
    }
    let admin = server.admin().await;
    let status = admin.get("/api/stores/S001/status").await.data().clone();
    assert_eq!(status["conflicts"]["total"], 1);
    let recent = &status["conflicts"]["recent"][0];
    assert_eq!(
        (&recent["kind"], &recent["lost_fields"], &recent["winner"]),
        (&json!("conflict"), &json!({"name": "evt_2"}), &json!("hub"))
    );
    let path = format!("/api/stores/{}/status", two.id);
    assert_eq!(admin.get(&path).await.data()["conflicts"], json!({"total": 0, "recent": []}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_runs_ahead_is_reported_meanwhile_and_counted_afterwards() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let ahead = |number: u64| {
        let record = sale(number, &format!("evt_{number}"));
        record.replace("\"at\":\"1700445994739-", "\"at\":\"4102444800000-")
    };
    tells(&mut shop, ahead(1)).await;
    tells(&mut shop, ahead(2)).await;
    let admin = server.admin().await;
    let fleet = admin.get("/api/stores").await.data()["items"][0].clone();
    let problem = fleet["problems"].as_array().unwrap().iter().find(|one| one["code"] == "stamped_ahead");
    let problem = problem.unwrap().clone();
    assert!(
        problem["message"].as_str().unwrap().starts_with("its records have timestamps ahead"),
        "{problem}"
    );
    assert!(problem["since"].is_string());
    tells(&mut shop, sale(3, "evt_3")).await;
    let status = admin.get("/api/stores/S001/status").await.data().clone();
    assert!(!codes(&status).contains(&"stamped_ahead"), "{status}");
    let stamped = &status["stamped_ahead"];
    assert_eq!(stamped["count"], 2);
    assert!(stamped["since"].as_str().unwrap() <= stamped["last_at"].as_str().unwrap());
    assert_eq!(stamped["since"], problem["since"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn finance_and_purchasing_see_and_settle_their_own() {
    let server = Server::start().await;
    let (admin, finance) = (server.admin().await, accountant(&server).await);
    let new =
        json!({"username": "buyer", "name": "buyer", "role": "ho_purchasing", "password": "right horse 9"});
    admin.post("/api/users", &new).await.data();
    let buyer = server.api().login("buyer", "right horse 9").await;
    let mut shop = Shop::open(&server, "S001").await;
    // The safe had 1,000: a bag of 1,500 exceeds that, and the bag after it exceeds it further.
    let opening =
        json!({"store_id": "S001", "date": DAY, "lines": [{"account": "1020", "debit": 1000, "credit": 0}]});
    finance.post("/api/finance/opening", &opening).await.data();
    for (event_id, amount) in [("evt_1", 800), ("evt_2", 700), ("evt_3", 10)] {
        tells(&mut shop, deposited(event_id, DAY, amount, Value::Null)).await;
    }
    let below = listed(&finance, "?code=safe_below_zero").await;
    assert_eq!(
        (below.len(), &below[0]["details"]["amount"], &below[0]["event_id"]),
        (1, &json!(-500), &json!("evt_2"))
    );
    tells(&mut shop, sent_back(1, "sup_1", DAY)).await;
    // A late record for a locked day is reported once for each day.
    let lock = json!({"force": true, "reason": "x", "store_ids": ["S001"]});
    finance.post(&format!("/api/finance/days/{DAY}/lock"), &lock).await.data();
    for number in [1, 2] {
        tells(&mut shop, sale(number, &format!("evt_late_{number}"))).await;
    }
    let reported = async |count: i64| {
        let late = listed(&finance, "?code=late_after_lock").await;
        assert_eq!(late.len(), 1, "{late:?}");
        let details = json!({"business_date": DAY, "count": count, "total": 1120 * count});
        assert_eq!((&late[0]["details"], &late[0]["event_id"]), (&details, &json!("evt_late_1")));
        late[0].clone()
    };
    let late = reported(2).await;
    let settle = |one: &Value| format!("/api/exceptions/{}/settle", one["exception_id"].as_str().unwrap());
    let note = json!({"note": "two slips in a drawer"});
    assert_eq!(buyer.post(&settle(&late), &note).await.refusal(), "404 not_found");
    finance.post(&settle(&late), &note).await.data();
    assert_eq!(listed(&finance, "?code=late_after_lock&state=open").await, Vec::<Value>::new());
    tells(&mut shop, sale(3, "evt_late_3")).await;
    assert_eq!(reported(3).await["settled_at"], Value::Null, "there is another late record");
    let codes = async |api: &Api| {
        let all = listed(api, "").await;
        let mut codes: Vec<String> = all.iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect();
        codes.sort();
        codes
    };
    assert_eq!(codes(&finance).await, ["late_after_lock", "safe_below_zero"]);
    assert_eq!(codes(&buyer).await, ["supplier_return_unallocated"]);
    assert_eq!(codes(&admin).await.len(), 3);
    let own = listed(&buyer, "").await;
    assert_eq!(finance.post(&settle(&own[0]), &note).await.refusal(), "404 not_found");
    assert_eq!(buyer.post(&settle(&own[0]), &note).await.data()["note"], note["note"]);
}
