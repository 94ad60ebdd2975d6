//! A sale from the till's basket to head office's report, figure by figure.

use serde_json::{Value, json};
use testkit::dice::Random;
use testkit::hub::Hub;
use testkit::store::{PASSWORD, STORE_ID};
use testkit::till::Till;
use testkit::{Client, Store, audit, wait};

/// Returns two lines worth 9,990 (vector B1 of docs/arithmetic.md).
fn basket() -> Value {
    json!({"items": [{"sku": "8990001", "qty": 3, "price": 2000}, {"sku": "8990002", "qty": 1, "price": 3000}]})
}

#[track_caller]
fn expect(object: &Value, fields: &[(&str, Value)]) {
    for (name, value) in fields {
        assert_eq!(&object[*name], value, "{name}: {object}");
    }
}

#[test]
fn log_in_shows_who_one_is() {
    let store = Store::open();
    for (path, field, name) in [
        ("/api/auth/login", "username", "till-1@s001.example"),
        ("/auth/login", "email", "till-1@s001.example"),
        ("/api/auth/login", "email", "Till-1@S001.Example"),
    ] {
        let data = store.client().post(path, &json!({field: name, "password": PASSWORD})).data(200);
        assert!(data["token"].as_str().is_some_and(|token| token.split('.').count() == 3), "{data}");
        assert!(data["refresh_token"].as_str().is_some_and(|token| token.split('.').count() == 3), "{data}");
        expect(&data, &[("expires_in", json!(3600))]);
        expect(&data["user"], &[("role", json!("cashier")), ("store_id", json!(STORE_ID))]);
        let mut till = store.client().with_token(data["token"].as_str().unwrap());
        assert_eq!(till.get("/api/auth/me").data(200)["user"], data["user"]);
    }
}

#[test]
fn a_sale_reaches_head_office() {
    let hub = Hub::open();
    let mut store = Store::prepare("", 1);
    hub.enrol(&store);
    store.start();
    let mut till = store.login("till-1").at_register("till-1");
    let mut manager = store.login("manager");

    let received = json!({
        "delivery_note_no": "DN-1", "supplier_id": "sup_1",
        "lines": [{"sku": "8990001", "qty": 100, "unit_cost": 1200}, {"sku": "8990002", "qty": 40, "unit_cost": 1800}]
    });
    let receiving = store.login("warehouse").post("/api/receiving", &received).data(201);
    expect(&receiving, &[("state", json!("posted"))]);

    let shift = till.post("/api/shifts/open", &json!({"opening_float": 200_000})).data(201);
    expect(
        &shift,
        &[("state", json!("open")), ("register_id", json!("till-1")), ("opening_float", json!(200_000))],
    );
    let shift_id = shift["shift_id"].as_str().unwrap();
    assert_eq!(till.get("/api/shifts/current").data(200)["shift_id"], json!(shift_id));

    cash_with_change(&mut till);
    card_and_cash(&mut till);
    given_away(&mut till);

    let stock = manager.get("/api/stock/8990001").data(200);
    expect(&stock, &[("on_hand", json!(94)), ("average_cost", json!(1200)), ("value", json!(94 * 1200))]);
    let movements = audit::items(&mut manager, "/api/stock/8990001/movements");
    let shown: Vec<_> = movements
        .iter()
        .map(|m| (m["reason"].clone(), m["qty"].clone(), m["balance_after"].clone()))
        .collect();
    assert_eq!(
        shown,
        [
            (json!("sale"), json!(-3), json!(94)),
            (json!("sale"), json!(-3), json!(97)),
            (json!("receiving"), json!(100), json!(100)),
        ],
        "{movements:?}"
    );

    let summary = till.get(&format!("/api/shifts/{shift_id}/summary")).data(200);
    expect(&summary, &[("sales_count", json!(3)), ("items_count", json!(9)), ("gross_sales", json!(25_500))]);
    expect(&summary, &[("discounts", json!(7_500)), ("tax", json!(1_980)), ("net_sales", json!(18_000))]);
    expect(&summary["cash"], &[("sales", json!(15_980)), ("expected", json!(215_980))]);
    expect(
        &summary,
        &[("first_receipt", json!("S001-till-1-00000001")), ("last_receipt", json!("S001-till-1-00000003"))],
    );

    let closed =
        till.post(&format!("/api/shifts/{shift_id}/close"), &json!({"counted_cash": 216_000})).data(200);
    expect(
        &closed["shift"],
        &[("state", json!("closed")), ("variance", json!(20)), ("expected_cash", json!(215_980))],
    );
    expect(&closed["shift"], &[("z_no", json!(1))]);
    let after = manager.get(&format!("/api/shifts/{shift_id}/summary")).data(200);
    assert_eq!(after, closed, "the answer to the close is the summary");

    reported(&hub, &mut manager, shift["business_date"].as_str().unwrap());
    store.stop();
    store.verify();
}

#[track_caller]
fn cash_with_change(till: &mut Client) {
    let created = till.post("/api/pos/transactions", &basket()).data(201);
    expect(&created, &[("state", json!("open")), ("subtotal", json!(9_000)), ("discount", json!(0))]);
    expect(&created, &[("tax", json!(990)), ("total", json!(9_990)), ("points_earned", json!(0))]);
    expect(
        &created["items"][0],
        &[("line_no", json!(1)), ("qty", json!(3)), ("tax", json!(660)), ("total", json!(6_660))],
    );
    assert!(
        created["items"][0].get("cost").is_none_or(Value::is_null),
        "cashiers must not see costs: {created}"
    );
    let id = created["transaction_id"].as_str().unwrap();
    let path = format!("/api/pos/transactions/{id}");
    let paid = till
        .post(&format!("{path}/pay"), &json!({"method": "cash", "amount": 9_990, "tendered": 20_000}))
        .data(200);
    expect(
        &paid,
        &[("state", json!("paid")), ("receipt_no", json!("S001-till-1-00000001")), ("change", json!(10_010))],
    );
    expect(&paid, &[("amount_paid", json!(9_990)), ("amount_due", json!(0))]);
    expect(
        &paid["payments"][0],
        &[("method", json!("cash")), ("tendered", json!(20_000)), ("state", json!("accepted"))],
    );
    assert_eq!(till.get(&path).data(200), paid, "the sale reads as it was answered");
    let by_receipt = audit::items(till, "/api/pos/transactions?receipt_no=S001-till-1-00000001");
    assert_eq!(by_receipt.len(), 1, "{by_receipt:?}");
    expect(&by_receipt[0], &[("transaction_id", json!(id))]);
}

#[track_caller]
fn card_and_cash(till: &mut Client) {
    let created = till.post("/api/pos/transactions", &basket()).data(201);
    let path = format!("/api/pos/transactions/{}/pay", created["transaction_id"].as_str().unwrap());
    let part = till
        .post(&path, &json!({"payments": [{"method": "card", "amount": 4_000, "reference": "slip 7"}]}))
        .data(200);
    expect(
        &part,
        &[("state", json!("partially_paid")), ("amount_due", json!(5_990)), ("receipt_no", Value::Null)],
    );
    let paid = till
        .post(&path, &json!({"payments": [{"method": "cash", "amount": 5_990, "tendered": 10_000}]}))
        .data(200);
    expect(
        &paid,
        &[("state", json!("paid")), ("receipt_no", json!("S001-till-1-00000002")), ("change", json!(4_010))],
    );
    assert_eq!(paid["payments"].as_array().map(Vec::len), Some(2), "{paid}");
}

#[track_caller]
fn given_away(till: &mut Client) {
    let items = json!({"items": [{"sku": "8990010", "qty": 1, "price": 7_500, "discount": 7_500}]});
    let created = till.post("/api/pos/transactions", &items).data(201);
    expect(&created, &[("total", json!(0)), ("tax", json!(0)), ("discount", json!(7_500))]);
    let path = format!("/api/pos/transactions/{}/pay", created["transaction_id"].as_str().unwrap());
    let paid = till.post(&path, &json!({"payments": []})).data(200);
    expect(&paid, &[("state", json!("paid")), ("receipt_no", json!("S001-till-1-00000003"))]);
}

/// Pushes all records and compares head office's report with the shift's summary above.
#[track_caller]
fn reported(hub: &Hub, manager: &mut Client, date: &str) {
    let forced = wait::until("everything is pushed", || {
        let forced = manager.post("/api/sync/force", &json!({})).data(200);
        (forced["completed"] == json!(true)).then_some(forced)
    });
    assert_eq!(forced["error"], Value::Null, "{forced}");
    let status = manager.get("/api/sync/status").data(200);
    expect(&status["outbox"], &[("pending", json!(0)), ("parked", json!(0))]);
    assert_eq!(status["outbox"]["last_seq"], status["outbox"]["acked_seq"], "{status}");
    expect(&status["hub"], &[("configured", json!(true)), ("state", json!("online"))]);
    let row = row_of_store(hub, date);
    expect(&row, &[("sales_count", json!(3)), ("items_count", json!(9)), ("gross_sales", json!(25_500))]);
    expect(&row, &[("discounts", json!(7_500)), ("tax", json!(1_980)), ("total", json!(19_980))]);
    expect(&row, &[("returns_count", json!(0)), ("net_total", json!(19_980))]);
}

/// Returns head office's figures of the store on a date.
#[track_caller]
fn row_of_store(hub: &Hub, date: &str) -> Value {
    let path = format!("/api/reports/sales?from={date}&to={date}&store_id={STORE_ID}&group_by=store");
    let report = hub.login().get(&path).data(200);
    let rows = report["items"].as_array().expect("items");
    assert_eq!(rows.len(), 1, "{report}");
    rows[0].clone()
}

#[test]
fn a_hub_that_was_away_gets_everything_once() {
    let mut hub = Hub::open();
    let mut store = Store::prepare("sync.backoff_min = \"50ms\"\nsync.backoff_max = \"200ms\"\n", 1);
    hub.enrol(&store);
    hub.kill9();
    store.start();
    let mut random = Random::announced("hub");
    let mut till = Till::open(&store, 1, &mut random);
    let mut manager = store.login("manager");
    till.sell();
    let away = manager.post("/api/sync/force", &json!({})).data(200);
    expect(&away, &[("completed", json!(false)), ("pushed", json!(0))]);
    assert!(away["error"].is_string(), "{away}");
    assert_eq!(store.client().get("/health").data(200)["hub"], json!("offline"));
    store.client().get("/health/ready").data(200);

    for _ in 0..5 {
        hub.start();
        for _ in 0..5 {
            till.sell();
        }
        hub.kill9();
        till.sell();
    }
    hub.start();
    wait::until("no record waits for the hub", || {
        let outbox = manager.get("/api/sync/status").data(200)["outbox"].clone();
        (outbox["pending"] == json!(0)).then_some(())
    });
    let date = till.shift(&mut manager)["business_date"].as_str().unwrap().to_owned();
    let row = row_of_store(&hub, &date);
    let total: i64 = till.sold.iter().map(|sale| sale.total).sum();
    expect(&row, &[("sales_count", json!(till.sold.len())), ("total", json!(total))]);
}

#[test]
fn a_repeat_is_the_first_answer_byte_for_byte() {
    let mut store = Store::open_with("", 1);
    let mut till = store.login("till-1").at_register("till-1");
    let shift = till.post_keyed("/api/shifts/open", "open-1", &json!({})).data(201);
    let shift_id = shift["shift_id"].as_str().unwrap().to_owned();
    let last_seq = |store: &Store| {
        store.login("manager").get("/api/sync/status").data(200)["outbox"]["last_seq"].as_i64()
    };
    let before = last_seq(&store).unwrap();

    let first = till.post_keyed("/api/pos/transactions", "create-1", &basket());
    let id = first.data(201)["transaction_id"].as_str().unwrap().to_owned();
    let pay = format!("/api/pos/transactions/{id}/pay");
    let cash = json!({"method": "cash", "amount": 9_990});
    let paid = till.post_keyed(&pay, "pay-1", &cash);
    paid.data(200);
    assert_eq!(paid.header("idempotency-replayed"), None, "the first answer is not replayed");

    for round in ["running", "killed", "stopped"] {
        match round {
            "killed" => store.kill9(),
            "stopped" => store.stop(),
            _ => {}
        }
        if round != "running" {
            store.start();
        }
        let again = till.post_keyed("/api/pos/transactions", "create-1", &basket());
        assert_eq!((again.status, again.text()), (201, first.text()), "{round}");
        assert_eq!(again.header("idempotency-replayed"), Some("true"), "{round}");
        assert_eq!(again.header("location"), first.header("location"), "{round}");
        let again = till.post_keyed(&pay, "pay-1", &cash);
        assert_eq!((again.status, again.text()), (200, paid.text()), "{round}");
        assert_eq!(again.header("idempotency-replayed"), Some("true"), "{round}");
        let other = json!({"method": "card", "amount": 9_990});
        till.post_keyed(&pay, "pay-1", &other).refused(422, "idempotency_key_reused");
        assert_eq!(last_seq(&store), Some(before + 1), "{round}: one sale, one record");
        assert_eq!(
            store.login("manager").get("/api/stock/8990001").data(200)["on_hand"],
            json!(-3),
            "{round}"
        );
    }

    // The same key from another user or on another path is a different key.
    let mut admin = store.login("admin").at_register("till-9");
    admin.post("/api/shifts/open", &json!({})).data(201);
    let other = admin.post_keyed("/api/pos/transactions", "create-1", &basket());
    assert_ne!(other.data(201)["transaction_id"], json!(id));

    // A closed shift has no actor any more. A repeated close still gets its answer.
    let close = format!("/api/shifts/{shift_id}/close");
    let closed = till.post_keyed(&close, "close-1", &json!({"counted_cash": 9_990}));
    closed.data(200);
    let again = till.post_keyed(&close, "close-1", &json!({"counted_cash": 9_990}));
    assert_eq!((again.status, again.text()), (200, closed.text()));
    till.post(&close, &json!({"counted_cash": 9_990})).refused(409, "invalid_state");
}

#[test]
fn a_refused_request_leaves_its_key_free() {
    let store = Store::open_with("", 1);
    let mut till = store.login("till-1").at_register("till-1");
    till.post_keyed("/api/pos/transactions", "k", &basket()).refused(409, "no_open_shift");
    till.post("/api/shifts/open", &json!({})).data(201);
    till.post_keyed("/api/pos/transactions", "k", &basket()).data(201);
}

#[test]
fn one_key_sent_by_many_at_once_sells_once() {
    let store = Store::open_with("", 1);
    let mut till = store.login("till-1").at_register("till-1");
    till.post("/api/shifts/open", &json!({})).data(201);
    let token = till.token().unwrap().to_owned();
    let replies: Vec<_> = (0..16)
        .map(|_| {
            let mut client = store.client().with_token(&token).at_register("till-1");
            std::thread::spawn(move || client.post_keyed("/api/pos/transactions", "same", &basket()))
        })
        .collect::<Vec<_>>()
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let mut first_answers = 0;
    for reply in &replies {
        if reply.status == 409 {
            reply.refused(409, "request_in_progress");
            continue;
        }
        reply.data(201);
        assert_eq!(reply.text(), replies.iter().find(|reply| reply.status == 201).unwrap().text());
        first_answers += usize::from(reply.header("idempotency-replayed").is_none());
    }
    assert_eq!(first_answers, 1, "exactly one request ran");
    assert_eq!(audit::items(&mut till, "/api/pos/transactions?state=open").len(), 1);
}
