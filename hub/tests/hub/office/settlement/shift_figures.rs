//! Shifts compared with the payments of their day, and shifts that were not counted.

use crate::office::finance::{shift, tells};
use crate::office::finance_entries::accountant;
use crate::office::settlement::items::balance;
use crate::office::settlement::story::{on, paid, sealed, settlement};
use crate::support::server::{Api, Server};
use crate::support::shop::{Chain, Shop};
use crate::sync::records::{DAY, Sale, shift_closed};
use domain::model::base::time::UtcMs;
use serde_json::{Value, json};

/// Returns a shift of the 18th whose till has these sums of cards and QRIS, and some cash, which is not settled.
pub fn closed(store: &str, card: i64, qris: i64) -> String {
    let mut whole: Value = serde_json::from_str(&shift_closed("S001", "shf_9", "evt_z")).unwrap();
    let of = |sales: i64, refunds: i64| json!({"sales": sales, "refunds": refunds, "sales_count": 1, "refunds_count": 0});
    whole["payload"]["shift"]["totals"]["by_method"] =
        json!({"card": of(card + 500, 500), "qris": of(qris, 0), "cash": of(7_000, 0)});
    on(store, 18, &whole.to_string())
}

/// Returns the exception for the difference of a shift, open or not.
async fn difference(api: &Api) -> Value {
    let found = api.get("/api/settlement-exceptions?type=shift_differs").await.data()["items"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    found[0].clone()
}

/// Returns the state of the settlement of the 18th, and the state and difference of its exception.
async fn states(api: &Api) -> (Value, Value, Value) {
    let found = difference(api).await;
    (settlement(api, "S001", 18).await["state"].clone(), found["state"].clone(), found["amount"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shifts_sum_of_a_method_that_differs_from_the_payments_is_an_exception_until_they_agree() {
    let server = Server::start().await;
    let admin = server.admin().await;
    let mut shop = Shop::open(&server, "S001").await;
    let reported = vec![
        paid("S001", 18, 1, ("card", 100_000, "C-0001")),
        paid("S001", 18, 2, ("qris", 40_000, "Q-0001")),
        closed("S001", 150_000, 40_000),
    ];
    tells(&mut shop, reported).await;
    let none = admin.get("/api/settlement-exceptions").await.data()["items"].clone();
    assert_eq!(none, json!([]), "the day continues");
    tells(&mut shop, vec![sealed("S001", 18)]).await;
    let found = difference(&admin).await;
    let id = settlement(&admin, "S001", 18).await["settlement_id"].clone();
    assert_eq!(
        (&found["method"], &found["amount"], &found["settlement_id"], &found["source_id"]),
        (&json!("card"), &json!(50_000), &id, &Value::Null)
    );
    assert_eq!(states(&admin).await.0, "discrepant");
    let path = format!("/api/settlement-exceptions/{}/resolve", found["exception_id"].as_str().unwrap());
    for (resolution, account) in [("carry", Value::Null), ("accept", json!("6060"))] {
        let odd = json!({"resolution": resolution, "account": account, "reason": "x"});
        assert_eq!(admin.post(&path, &odd).await.refusal(), "422 validation_failed");
    }
    let accept = json!({"resolution": "accept", "reason": "the till was replaced"});
    assert_eq!(admin.post(&path, &accept).await.data()["entry_id"], Value::Null);
    assert_eq!(admin.post(&path, &accept).await.refusal(), "409 invalid_state");
    assert_eq!(states(&admin).await, (json!("open"), json!("resolved"), json!(50_000)));
    // Other news about the day changes nothing. Another amount reopens the exception.
    tells(&mut shop, vec![paid("S001", 18, 3, ("cash", 5_000, ""))]).await;
    assert_eq!(states(&admin).await.1, "resolved");
    tells(&mut shop, vec![paid("S001", 18, 4, ("card", 20_000, "C-0004"))]).await;
    assert_eq!(states(&admin).await, (json!("discrepant"), json!("open"), json!(30_000)));
    // The last sale arrives: the figures agree, and the exception is closed.
    tells(&mut shop, vec![paid("S001", 18, 5, ("card", 30_000, "C-0005"))]).await;
    assert_eq!(states(&admin).await, (json!("open"), json!("resolved"), json!(0)));
    assert_eq!(difference(&admin).await["resolved_by"], Value::Null);
}

/// Opens a store that was restored while a shift with one cash sale was open, and that continues in a new epoch.
pub async fn interrupted(server: &Server, id: &'static str) -> Shop {
    let mut shop = Shop::open(server, id).await;
    let sale = |number: u64, shift| Sale { store: id, number, shift, sku: "A", qty: 1, price: 1000 };
    let opened = shift("shift.opened", "evt_open").replace("\"S001\"", &format!("\"{id}\""));
    tells(&mut shop, vec![opened, sale(1, "shf_1").record("evt_1")]).await;
    shop.chain().acked = 2;
    shop.chains.push(Chain::new("2-00000000000000bb"));
    assert_eq!(shop.hello().await.data()["directive"], "ok");
    tells(&mut shop, vec![sale(2, "shf_2").record("evt_2")]).await;
    shop
}

/// Returns the cash of the first shift in the report, which the totals and the till have as well.
async fn cash(api: &Api) -> Value {
    let figures = |row: &Value| json!([row["expected"], row["counted"], row["variance"]]);
    let mut found = Vec::new();
    for group in ["shift", "register"] {
        let path = format!("/api/reports/cash?from={DAY}&to={DAY}&group_by={group}");
        let report = api.get(&path).await.data().clone();
        found.extend([figures(&report["items"][0]), figures(&report["totals"])]);
    }
    assert!(found.iter().all(|row| *row == found[0]), "{found:?}");
    found.remove(0)
}

async fn open_exceptions(api: &Api) -> Vec<Value> {
    api.get("/api/exceptions?state=open").await.data()["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shift_that_a_restore_interrupted_is_closed_in_the_books_by_its_count() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = interrupted(&server, "S001").await;
    let open = open_exceptions(&finance).await;
    assert_eq!((open.len(), &open[0]["code"]), (1, &json!("shift_interrupted")), "{open:?}");
    assert_eq!(open[0]["details"]["shift_id"], "shf_1");
    let path = format!("/api/exceptions/{}/settle", open[0]["exception_id"].as_str().unwrap());
    for odd in [json!({"note": "x"}), json!({"note": "x", "counted_cash": -1})] {
        assert_eq!(finance.post(&path, &odd).await.refusal(), "422 validation_failed");
    }
    let till = balance(&server, "1010").await;
    assert_eq!(till, 51_110 + 1_110, "the float, the sale, and a sale of another shift");
    let count = json!({"note": "found in the drawer", "counted_cash": 51_000});
    assert_eq!(finance.keyed(&path, "k1", &count).await.data()["note"], count["note"]);
    assert!(finance.keyed(&path, "k1", &count).await.replayed);
    assert_eq!(finance.post(&path, &count).await.refusal(), "409 invalid_state");
    assert_eq!(balance(&server, "1010").await, 1_110);
    assert_eq!(balance(&server, "6010").await, 110);
    let closed = finance.get("/api/shifts/shf_1").await.data().clone();
    assert_eq!(
        (&closed["state"], &closed["counted_cash"], &closed["expected_cash"], &closed["variance"]),
        (&json!("closed"), &json!(51_000), &json!(51_110), &json!(-110))
    );
    assert_eq!(closed["entries"].as_array().unwrap().len(), 2, "the opening and the count");
    assert_eq!(cash(&finance).await, json!([51_110, 51_000, -110]));
    // The store counts the shift later: only the difference is posted.
    let mut whole: Value = serde_json::from_str(&shift("shift.recounted", "evt_again")).unwrap();
    whole["payload"]["shift"]["recounts"][0]["at"] = json!(UtcMs(edge::clock::now().0 + 60_000));
    tells(&mut shop, vec![whole.to_string()]).await;
    assert_eq!((balance(&server, "1010").await, balance(&server, "6010").await), (1_110, 0));
    assert_eq!(cash(&finance).await, json!([51_110, 51_110, 0]));
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_shift_that_its_store_counts_later_is_settled_by_itself() {
    let server = Server::start().await;
    let finance = accountant(&server).await;
    let mut shop = interrupted(&server, "S001").await;
    let found = open_exceptions(&finance).await.remove(0);
    tells(&mut shop, vec![shift_closed("S001", "shf_1", "evt_z")]).await;
    assert_eq!(open_exceptions(&finance).await, Vec::<Value>::new());
    let path = format!("/api/exceptions/{}/settle", found["exception_id"].as_str().unwrap());
    let late = json!({"note": "x", "counted_cash": 5});
    assert_eq!(finance.post(&path, &late).await.refusal(), "409 invalid_state");
    // Exceptions of other types have no drawer to count.
    tells(
        &mut shop,
        vec![Sale { store: "S001", number: 2, shift: "shf_2", sku: "A", qty: 1, price: 5 }.record("evt_3")],
    )
    .await;
    let other = open_exceptions(&finance).await;
    let admin = server.admin().await;
    let twice = open_exceptions(&admin).await.remove(0);
    assert_eq!((other.len(), &twice["code"]), (0, &json!("receipt_number_twice")));
    let path = format!("/api/exceptions/{}/settle", twice["exception_id"].as_str().unwrap());
    assert_eq!(admin.post(&path, &late).await.refusal(), "422 validation_failed");
}
