//! Receipts that their stores corrected: the corrected record takes the place of the parked one, in whichever order a
//! replay and the correction come.

use crate::support::server::{Answer, Server, stderr, stdout};
use crate::support::shop::Shop;
use crate::sync::records::receiving;
use serde_json::{Value, json};
use sqlx::Row;

/// A receipt that no hub posts: its line is worth more than goods can be.
fn wrong(event_id: &str) -> String {
    let mut posted: Value = serde_json::from_str(&receiving("S001", "A", 10, event_id)).unwrap();
    let line = &mut posted["payload"]["receiving"]["lines"][0];
    (line["cost"], line["correction"]) = (json!(20_000_000_000_000_i64), json!(7));
    posted.to_string()
}

/// The same receipt with figures that a hub posts, as a hub with other bounds read it.
fn readable(event_id: &str) -> String {
    let mut posted: Value = serde_json::from_str(&wrong(event_id)).unwrap();
    posted["payload"]["receiving"]["lines"][0]["cost"] = json!(1_000);
    posted.to_string()
}

/// The old receipt taken back at its own figures, and the corrected one.
fn correction(old: &str, event_id: &str) -> [String; 2] {
    let mut back: Value = serde_json::from_str(&readable(old)).unwrap();
    let new_id = format!("rcv_{event_id}");
    (back["type"], back["event_id"]) = (json!("receiving.reversed"), json!(format!("{event_id}_back")));
    back["payload"]["receiving"]["state"] = json!("reversed");
    back["payload"]["receiving"]["replaced_by"] = json!(new_id);
    back["payload"]["lines"] =
        json!([{"line_no": 1, "balance_after": 0, "cost": -1_000, "correction": -7, "qty": -10}]);
    let mut new: Value = serde_json::from_str(&receiving("S001", "A", 8, event_id)).unwrap();
    new["payload"]["receiving"]["resubmits"] = json!(format!("rcv_{old}"));
    new["payload"]["receiving"]["lines"][0]["correction"] = json!(3);
    [back.to_string(), new.to_string()]
}

/// Pushes these records in one batch and returns the answer.
async fn pushed(shop: &mut Shop, records: impl IntoIterator<Item = String>) -> Value {
    let from = shop.chain().records.len() + 1;
    records.into_iter().for_each(|record| shop.chain().append(record));
    let to = shop.chain().records.len();
    shop.push(&shop.batch(from, to)).await.data().clone()
}

async fn listed(server: &Server, query: &str) -> Vec<Value> {
    let list = server.admin().await.get(&format!("/api/parked?{query}")).await.data()["items"].clone();
    list.as_array().unwrap().clone()
}

fn id(row: &Value) -> &str {
    row["parked_id"].as_str().unwrap()
}

async fn replayed(server: &Server, parked_id: &str) -> Answer {
    server.admin().await.post(&format!("/api/parked/{parked_id}/replay"), &json!({})).await
}

/// As if this hub could read the old receipt now.
async fn mended(server: &Server) {
    let sql = "UPDATE records SET record = $1 WHERE seq = 1";
    sqlx::query(sql).bind(readable("evt_old")).execute(server.hub.db.pool()).await.unwrap();
}

/// Sums by account, then stock and its value, and what was received without an invoice.
async fn books(server: &Server) -> Vec<(String, i64)> {
    let sql = "SELECT account AS name, CAST(SUM(debit) - SUM(credit) AS BIGINT) AS figure FROM journal_lines \
               GROUP BY account HAVING SUM(debit) <> SUM(credit) \
               UNION ALL SELECT 'qty', qty FROM stock UNION ALL SELECT 'value', value FROM stock \
               UNION ALL SELECT 'open', CAST(SUM(open_value) AS BIGINT) FROM uninvoiced ORDER BY name";
    let rows = sqlx::query(sql).fetch_all(server.hub.db.pool()).await.unwrap();
    rows.iter().map(|row| (row.get("name"), row.get("figure"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corrected_receipt_takes_the_place_of_the_parked_one_once() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let first = pushed(&mut shop, [wrong("evt_old")]).await;
    assert_eq!(first["parked"][0]["code"], "out_of_bounds");
    let hello = shop.hello().await.data()["parked"].clone();
    assert_eq!((&hello[0]["seq"], &hello[0]["code"]), (&json!(1), &json!("out_of_bounds")), "{hello}");
    assert!(hello[0]["message"].as_str().unwrap().starts_with("line 1: cost is 20000000000000"), "{hello}");
    assert!(hello[0]["parked_at"].is_string(), "{hello}");
    let before = listed(&server, "store_id=S001").await;
    assert_eq!((&before[0]["state"], &before[0]["replaced_by"]), (&json!("waits_for_store"), &Value::Null));

    let answer = pushed(&mut shop, correction("evt_old", "evt_new")).await;
    assert_eq!((&answer["acked_seq"], &answer["parked"]), (&json!(3), &json!([])), "{answer}");
    assert_eq!(shop.hello().await.data()["parked"], json!([]));
    assert!(listed(&server, "").await.is_empty());
    assert!(listed(&server, "replaced=true&code=unknown_type").await.is_empty());
    assert!(listed(&server, "replaced=true&store_id=S002").await.is_empty());
    let replaced = listed(&server, "replaced=true&store_id=S001&limit=50").await;
    assert_eq!(replaced.len(), 2, "{replaced:?}");
    let old = replaced.iter().find(|row| row["event_id"] == "evt_old").unwrap();
    assert_eq!((&old["state"], &old["code"]), (&json!("replaced"), &json!("out_of_bounds")));
    assert_eq!((&old["replaced_by"], &old["resubmitted_by"]), (&json!("rcv_evt_new"), &json!("usr_1")));
    assert!(old["replaced_at"].is_string() && id(old) == id(&before[0]), "{old}");
    let after = books(&server).await;
    let of = |name: &str| after.iter().find(|(known, _)| known == name).map(|(_, figure)| *figure);
    assert_eq!((of("qty"), of("value"), of("open")), (Some(8), Some(77), Some(80)), "{after:?}");

    // It is never posted: neither by a replay, nor when it is sent again, in whichever epoch.
    assert_eq!(replayed(&server, id(old)).await.refusal(), "409 invalid_state");
    let all = server.admin().await.post("/api/parked/replay?code=out_of_bounds", &json!({})).await;
    assert_eq!(all.data(), &json!({"applied": 0, "duplicates": 0, "parked": 0}));
    let again = shop.push(&shop.batch(1, 3)).await.data().clone();
    assert_eq!((&again["duplicates"], &again["parked"]), (&json!(3), &json!([])));
    let copies = [wrong("evt_old")].into_iter().chain(correction("evt_old", "evt_new"));
    let copies = pushed(&mut shop, copies).await;
    assert_eq!((&copies["duplicates"], &copies["parked"]), (&json!(3), &json!([])), "{copies}");
    assert_eq!(books(&server).await, after);
    let read = server.admin().await.get("/api/receiving/rcv_evt_new").await.data().clone();
    assert_eq!((&read["resubmits"], &read["replaced_by"]), (&json!("rcv_evt_old"), &Value::Null));
    assert_eq!(server.admin().await.get("/api/receiving/rcv_evt_old").await.refusal(), "404 not_found");
    let done = server.place.run(&["verify"], "");
    assert!(done.status.success(), "{}{}", stdout(&done), stderr(&done));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_before_the_correction_and_one_after_it_give_the_same_books() {
    let mut found = Vec::new();
    for replay_first in [false, true] {
        let server = Server::start().await;
        let mut shop = Shop::open(&server, "S001").await;
        pushed(&mut shop, [wrong("evt_old")]).await;
        let parked = listed(&server, "").await.remove(0);
        mended(&server).await;
        if replay_first {
            assert_eq!(replayed(&server, id(&parked)).await.data()["applied"], 1);
        }
        let [back, new] = correction("evt_old", "evt_new");
        // In batches of their own: the reversal waits for the parked receipt, until the corrected one replaces both.
        let waits = pushed(&mut shop, [back]).await["parked"].clone();
        assert_eq!(waits[0]["code"], if replay_first { Value::Null } else { json!("waits_for_parked") });
        assert_eq!(pushed(&mut shop, [new]).await["parked"], json!([]));
        if !replay_first {
            assert_eq!(replayed(&server, id(&parked)).await.refusal(), "409 invalid_state");
        }
        assert!(listed(&server, "").await.is_empty());
        let replaced = listed(&server, "replaced=true").await.len();
        assert_eq!(replaced, if replay_first { 0 } else { 2 }, "one that was posted is not replaced");
        found.push(books(&server).await);
    }
    assert_eq!(found[0], found[1]);
}

/// The corrected receipt is parked itself. Once it is applied it takes the place of the old one.
#[tokio::test(flavor = "multi_thread")]
async fn a_correction_that_was_parked_replaces_the_receipt_when_it_is_applied() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let [back, new] = correction("evt_old", "evt_new");
    let mut newer: Value = serde_json::from_str(&new).unwrap();
    newer["schema"] = json!(2);
    pushed(&mut shop, [wrong("evt_old"), back, newer.to_string()]).await;
    let parked = listed(&server, "").await;
    assert_eq!(parked.len(), 3, "{parked:?}");
    let sql = "UPDATE records SET record = $1 WHERE seq = 3";
    sqlx::query(sql).bind(new).execute(server.hub.db.pool()).await.unwrap();
    let newest = parked.iter().find(|row| row["event_id"] == "evt_new").unwrap();
    let done = replayed(&server, id(newest)).await;
    assert_eq!(done.data(), &json!({"applied": 1, "duplicates": 0, "parked": 0}));
    assert!(listed(&server, "").await.is_empty());
    assert_eq!(listed(&server, "replaced=true").await.len(), 2);
    assert_eq!(server.figure("SELECT qty FROM stock").await, 8);
}

/// The corrected receipt can't be posted either, and is corrected in turn: the last one takes the place of both.
#[tokio::test(flavor = "multi_thread")]
async fn a_correction_of_a_correction_replaces_both() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    let [back, new] = correction("evt_old", "evt_new");
    let mut second: Value = serde_json::from_str(&new).unwrap();
    second["payload"]["receiving"]["lines"][0]["cost"] = json!(20_000_000_000_000_i64);
    pushed(&mut shop, [wrong("evt_old"), back, second.to_string()]).await;
    assert_eq!(listed(&server, "").await.len(), 3);
    let answer = pushed(&mut shop, correction("evt_new", "evt_last")).await;
    assert_eq!(answer["parked"], json!([]), "{answer}");
    assert!(listed(&server, "").await.is_empty());
    let replaced = listed(&server, "replaced=true").await;
    let all = replaced.iter().all(|row| row["replaced_by"] == "rcv_evt_last");
    assert!(replaced.len() == 4 && all, "{replaced:?}");
    assert_eq!(server.figure("SELECT qty FROM stock").await, 8);
}

/// A statement of the batch fails, so that its records are applied one by one.
#[tokio::test(flavor = "multi_thread")]
async fn a_correction_among_records_that_are_applied_one_by_one_replaces_as_well() {
    let server = Server::start().await;
    let mut shop = Shop::open(&server, "S001").await;
    pushed(&mut shop, [wrong("evt_old")]).await;
    let sql = match std::env::var("HUB_TEST_POSTGRES").is_ok() {
        false => vec![
            "CREATE TRIGGER refuse BEFORE INSERT ON goods_documents WHEN NEW.document_id = 'rcv_evt_5' \
             BEGIN SELECT RAISE(ABORT, 'refused'); END",
        ],
        true => vec![
            "CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN IF NEW.document_id = 'rcv_evt_5' THEN \
             RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$ LANGUAGE plpgsql",
            "CREATE TRIGGER refuse BEFORE INSERT ON goods_documents FOR EACH ROW EXECUTE FUNCTION refuse()",
        ],
    };
    for sql in sql {
        sqlx::query(sql).execute(server.hub.db.pool()).await.unwrap();
    }
    let [back, new] = correction("evt_old", "evt_new");
    let answer = pushed(&mut shop, [back, receiving("S001", "B", 5, "evt_5"), new]).await;
    let codes: Vec<&Value> = answer["parked"].as_array().unwrap().iter().map(|row| &row["code"]).collect();
    assert_eq!(codes, ["effects_failed"], "{answer}");
    assert_eq!(listed(&server, "replaced=true").await.len(), 2);
    let held = listed(&server, "").await;
    assert_eq!((held.len(), &held[0]["state"]), (1, &json!("waits_for_head_office")));
}
