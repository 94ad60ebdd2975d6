//! Days of the books: locked, reopened, and records that come late.

use crate::office::finance_entries::{accountant, entry, text};
use crate::support::server::{Api, Server, stderr};
use crate::support::shop::Shop;
use crate::sync::records::{DAY, Sale};
use edge::clock;
use jiff::civil::{Date, date};
use serde_json::{Value, json};

const JOURNAL: &str = "/api/finance/journal";

/// Pushes one more sale of a day. Returns its event ID.
async fn push_sale(shop: &mut Shop, day: &str) -> String {
    let number = shop.chain().records.len() + 1;
    let store = shop.id.clone();
    let sale = Sale { store: &store, number: number as u64, shift: "shf_1", sku: "A", qty: 1, price: 1000 };
    let event_id = format!("evt_{store}_{number}");
    shop.chain().append(sale.record(&event_id).replace(DAY, day));
    shop.push(&shop.batch(number, number)).await.data();
    event_id
}

async fn balance(api: &Api, day: &str, book: &str) -> Value {
    let path = format!("/api/finance/trial-balance?date={day}&store_id={book}");
    api.get(&path).await.data()["items"].clone()
}

async fn lock_day(api: &Api, day: &str, body: Value) -> Value {
    api.post(&format!("/api/finance/days/{day}/lock"), &body).await.data().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_a_locked_day_is_posted_on_the_next_open_day() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let (mut one, mut two) = (Shop::open(&server, "S001").await, Shop::open(&server, "S002").await);
    push_sale(&mut one, DAY).await;
    push_sale(&mut two, DAY).await;
    let path = format!("/api/finance/days/{DAY}/lock");
    let refused = finance.post(&path, &json!({})).await;
    assert_eq!(refused.refusal(), "409 not_ready");
    let problems = refused.body["error"]["details"]["problems"].as_array().unwrap();
    let of = |store: &str| {
        problems
            .iter()
            .filter(|one| one["store_id"] == store)
            .map(|one| text(one, "code"))
            .collect::<Vec<_>>()
    };
    assert_eq!((of("S001"), of("S002")), (vec!["day_not_sealed".to_owned()], of("S001")));
    assert_eq!(finance.post(&path, &json!({"force": true})).await.refusal(), "422 validation_failed");
    let force = json!({"force": true, "reason": "sales follow", "store_ids": ["S001"]});
    let done = lock_day(&finance, DAY, force.clone()).await;
    assert_eq!(done["locked"], json!([{"store_id": "S001", "from": null, "to": DAY}]));
    assert_eq!((done["forced"].as_array().unwrap().len(), &done["more"]), (1, &json!(0)));
    assert_eq!(lock_day(&finance, DAY, force).await["locked"], json!([]), "no day is open any more");

    let before = balance(&finance, DAY, "S001").await;
    let (late, early) = (push_sale(&mut one, DAY).await, push_sale(&mut two, DAY).await);
    assert_eq!(balance(&finance, DAY, "S001").await, before, "the balance is unchanged");
    let found = finance.get(&format!("{JOURNAL}?late=true")).await.data()["items"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(
        (&found[0]["cause_key"], &found[0]["entry_date"], &found[0]["reference_date"]),
        (&json!(late), &json!("2023-11-21"), &json!(DAY))
    );
    let other =
        finance.get(&format!("{JOURNAL}?store_id=S002&from={DAY}&to={DAY}")).await.data()["items"].clone();
    assert_eq!(
        (other.as_array().unwrap().len(), &other[0]["cause_key"]),
        (2, &json!(early)),
        "a different book"
    );

    let days = finance.get("/api/finance/days?store_id=S001").await.data()["items"].clone();
    let row = |place: usize| {
        [
            &days[place]["business_date"],
            &days[place]["state"],
            &days[place]["entries"],
            &days[place]["late_out"],
            &days[place]["late_in"],
        ]
        .map(Value::clone)
    };
    assert_eq!(row(0), [json!("2023-11-21"), json!("open"), json!(1), json!(0), json!(1)]);
    assert_eq!(row(1), [json!(DAY), json!("locked"), json!(1), json!(1), json!(0)]);
    assert_eq!((&days[1]["reason"], &days[1]["settlement_state"]), (&json!("sales follow"), &Value::Null));
    for (filter, count) in
        [("state=locked", 1), ("state=open", 2), ("store_id=S002", 1), ("from=2023-11-21", 1), ("limit=1", 1)]
    {
        let days = finance.get(&format!("/api/finance/days?{filter}")).await.data()["items"].clone();
        assert_eq!(days.as_array().unwrap().len(), count, "{filter}");
    }
    let by_hand = entry(DAY, &[("S001", "6050", 5), ("S001", "1040", -5)]);
    let refused = finance.post(JOURNAL, &by_hand).await;
    assert_eq!(refused.refusal(), "409 day_locked");
    let details = json!({"store_id": "S001", "date": DAY, "next_open_date": "2023-11-21"});
    assert_eq!(refused.body["error"]["details"], details);

    // Entries of a reopened day are dated on that day. Entries that went to another day stay there.
    let unlock = format!("/api/finance/days/{DAY}/unlock");
    let why = json!({"store_id": "S001", "reason": "a bill"});
    assert_eq!(finance.post(&unlock, &why).await.refusal(), "403 insufficient_role");
    let admin = server.admin().await;
    assert_eq!(admin.post(&unlock, &why).await.data()["state"], "open");
    assert_eq!(admin.post(&unlock, &why).await.refusal(), "409 invalid_state");
    push_sale(&mut one, DAY).await;
    finance.post(JOURNAL, &by_hand).await.data();
    let found = finance.get(&format!("{JOURNAL}?late=true")).await.data()["items"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1);
    // Earlier days stay locked.
    let sold = push_sale(&mut one, "2023-11-18").await;
    let found = finance.get(&format!("{JOURNAL}?late=true")).await.data()["items"].clone();
    assert_eq!((&found[1]["cause_key"], &found[1]["entry_date"]), (&json!(sold), &json!(DAY)));
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_open_items_a_hundred_are_listed_and_the_rest_counted() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let _shop = Shop::sold(&server, "S001", 1).await;
    let days = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120) ";
    let day = "'2023-0' || (1 + i / 18) || '-' || (10 + i % 18)";
    for sql in [
        format!(
            "INSERT INTO shifts (store_id, shift_id, event_id, register_id, business_date, state, opened_by, opened_at, \
             opening_float, updated_at) {days} SELECT 'S001', 'shf_x' || i, 'evt_x' || i, 'main', {day}, 'closed', 'usr_1', \
             i, 0, 0 FROM n"
        ),
        format!(
            "INSERT INTO store_days (store_id, business_date, sealed, stamp) {days} SELECT 'S001', {day}, 0, '' FROM n"
        ),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(server.hub.db.pool()).await.unwrap();
    }
    let force = json!({"force": true, "reason": "x", "store_ids": ["S001"]});
    let done = lock_day(&finance, "2023-10-31", force).await;
    assert_eq!((done["forced"].as_array().unwrap().len(), &done["more"]), (100, &json!(20)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_that_is_not_over_and_an_unknown_store_or_date_are_refused() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let _shop = Shop::open(&server, "S001").await;
    let today = server.hub.today(clock::now()).to_string();
    let lock = |day: &str, body: Value| {
        let (finance, path) = (finance.clone(), format!("/api/finance/days/{day}/lock"));
        async move { finance.post(&path, &body).await.refusal() }
    };
    for body in [json!({}), json!({"store_ids": ["S001"]}), json!({"store_ids": [""]})] {
        assert_eq!(lock(&today, body.clone()).await, "422 validation_failed", "{body}");
    }
    assert_eq!(lock("2026-11-01", json!({"store_ids": ["S404"]})).await, "422 validation_failed");
    assert_eq!(lock("soon", json!({})).await, "404 not_found");
    // Nothing is missing: the store was connected since, and head office needs no report.
    let done = lock_day(&finance, "2026-11-01", json!({})).await;
    assert_eq!(done["locked"].as_array().unwrap().len(), 2);
    let status = finance.get("/api/finance/status").await.data().clone();
    assert_eq!(
        status["locked_through"],
        json!([{"store_id": "", "date": "2026-11-01"}, {"store_id": "S001", "date": "2026-11-01"}])
    );
    assert_eq!(
        (&status["points_policy"], &status["posting"]["left"], &status["last_proof"]),
        (&json!("expense"), &json!(0), &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sale_that_meets_a_lock_is_in_the_day_or_late() {
    const ROUNDS: i32 = 120;
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = Shop::open(&server, "S001").await;
    let day = |round: i32| date(2023, 1, 1).checked_add(jiff::Span::new().days(round)).unwrap();
    let mut late = 0;
    for round in 0..ROUNDS {
        let day: Date = day(2 * round);
        let (selling, locking) = (day.to_string(), day.to_string());
        let (locker, force) = (finance.clone(), json!({"force": true, "reason": "race"}));
        let lock = tokio::spawn(async move {
            lock_day(&locker, &locking, force).await;
            balance(&locker, &locking, "S001").await
        });
        let sold = push_sale(&mut shop, &selling).await;
        let then = lock.await.unwrap();
        assert_eq!(
            balance(&finance, &selling, "S001").await,
            then,
            "nothing was posted to {day} after its lock"
        );
        let path = format!("{JOURNAL}?cause_id=trx_S001_{}", round + 1);
        let found = finance.get(&path).await.data()["items"].clone();
        assert_eq!((found.as_array().unwrap().len(), &found[0]["cause_key"]), (1, &json!(sold)));
        if found[0]["entry_date"] == json!(day) {
            assert_eq!(found[0]["reference_date"], Value::Null);
        } else {
            assert_eq!(
                (&found[0]["entry_date"], &found[0]["reference_date"]),
                (&json!(day.tomorrow().unwrap()), &json!(day))
            );
            late += 1;
        }
    }
    println!("{late} of {ROUNDS} were late");
    let verified = server.place.run(&["verify"], "");
    assert!(verified.status.success(), "{}", stderr(&verified));
}
